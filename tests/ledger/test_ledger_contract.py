"""What every backend must do: tournaments, verdicts, pools, matches, rollback, what-if, audit."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from paragone.domain import (
    Choice,
    Comparison,
    CriterionScore,
    Item,
    ItemKind,
    Match,
    MatchProtocol,
    Order,
    Outcome,
    Pairing,
    Ranking,
    Rating,
    RatingConfig,
    Usage,
    Verdict,
)
from paragone.errors import Busy, Conflict, InvalidItems, LedgerError, NotFound
from paragone.ledger import Ledger
from paragone.ratings.running_elo import replay


class TestTournaments:
    def test_a_tournament_has_a_pool_of_its_name_with_its_items(self, ledger, forge):
        settings = {"criteria": "clarity", "goal": {"aim": "top", "k": 3}, "budget": None, "level": 0.95}
        record = ledger.tournaments.create("Ideas.v2", settings=settings, items=forge.items(3), config=forge.config)
        assert record.id == record.pool == "ideas-v2-1"
        assert record.settings == settings
        assert record.created == datetime(2026, 4, 30, 23, 59, 59, tzinfo=UTC)
        assert list(ledger.items.all(record.pool)) == forge.items(3)
        assert ledger.pools.config(record.pool) == forge.config
        assert ledger.ratings.all(record.pool)["i0"] == Rating(item="i0", elo=1200.0)
        assert [event.kind for event in ledger.tournaments.events(record.id)] == ["started"]

    def test_ids_count_up_by_stem_and_skip_pools_of_that_name(self, ledger, forge):
        ledger.pools.create("ideas-2", forge.config)
        ids = [
            ledger.tournaments.create(stem, settings={}, items=forge.items(2), config=forge.config).id
            for stem in ("ideas", "Ideas", "other", "ideas", "../..", "")
        ]
        assert ids == ["ideas-1", "ideas-3", "other-1", "ideas-4", "tournament-1", "tournament-2"]
        assert [record.id for record in ledger.tournaments.all()] == ids

    def test_the_newest_is_the_last_created_whatever_the_clock_says(self, ledger, forge):
        for stem in ("b", "a"):
            ledger.tournaments.create(stem, settings={}, items=forge.items(2), config=forge.config)
        assert ledger.tournaments.get().id == "a-1"
        assert ledger.tournaments.get("b-1").created > ledger.tournaments.get("a-1").created

    def test_absent_ones_are_named_with_those_that_exist(self, ledger, forge):
        with pytest.raises(NotFound, match="no tournament in the ledger yet"):
            ledger.tournaments.get()
        ledger.tournaments.create("ideas", settings={}, items=forge.items(2), config=forge.config)
        with pytest.raises(NotFound, match="no tournament 'idea-1'; there is 'ideas-1'"):
            ledger.tournaments.get("idea-1")
        for ask in (ledger.tournaments.events, ledger.tournaments.rounds, ledger.tournaments.spending):
            with pytest.raises(NotFound, match="ideas-1"):
                ask("nothing")
        with pytest.raises(NotFound, match="ideas-1"):
            ledger.tournaments.add_event("nothing", "resumed", {})

    def test_nothing_is_kept_of_a_tournament_that_cannot_be_created(self, ledger, forge):
        twins = [Item(id="x", text="one"), Item(id="x", text="other")]
        with pytest.raises(Conflict, match="'x'"):
            ledger.tournaments.create("ideas", settings={}, items=twins, config=forge.config)
        mixed = [Item(id="x", text="one"), Item(id="y", text="two", kind=ItemKind.AGENT)]
        with pytest.raises(InvalidItems, match="'y' is of kind agent"):
            ledger.tournaments.create("ideas", settings={}, items=mixed, config=forge.config)
        with pytest.raises(LedgerError, match="cannot be kept"):
            ledger.tournaments.create("ideas", settings={"x": math.nan}, items=[], config=forge.config)
        assert ledger.tournaments.all() == () == ledger.pools.all()
        assert ledger.tournaments.create("ideas", settings={}, items=[], config=forge.config).id == "ideas-1"

    def test_events_come_back_in_order(self, ledger, tournament):
        ledger.tournaments.add_event(tournament, "extended", {"budget": 40})
        ledger.tournaments.add_event(tournament, "stopped", {"reason": "budget"})
        events = ledger.tournaments.events(tournament)
        assert [(event.kind, dict(event.detail)) for event in events[1:]] == [
            ("extended", {"budget": 40}),
            ("stopped", {"reason": "budget"}),
        ]

    def test_a_plan_is_kept_once(self, ledger, tournament, ends):
        first = [Pairing(a="i0", b="i1", orders=(Order.BA, Order.AB)), Pairing(a="i3", b="i2")]
        ledger.tournaments.plan_round(tournament, 1, first)
        before = ends(ledger)
        ledger.tournaments.plan_round(tournament, 1, tuple(first))
        assert ends(ledger) == before
        with pytest.raises(Conflict, match="round 1"):
            ledger.tournaments.plan_round(tournament, 1, first[::-1])
        ledger.tournaments.plan_round(tournament, 2, [])
        assert [(planned.number, planned.pairings) for planned in ledger.tournaments.rounds(tournament)] == [
            (1, tuple(first)),
            (2, ()),
        ]

    def test_several_events_are_recorded_together(self, ledger, tournament, ends):
        ledger.tournaments.add_events(
            tournament, [("task", {"id": "t1"}), ("task_state", {"id": "t1", "state": "running"})]
        )
        assert [event.kind for event in ledger.tournaments.events(tournament)] == ["started", "task", "task_state"]
        before = ends(ledger)
        with pytest.raises(LedgerError, match="cannot be kept"):
            ledger.tournaments.add_events(tournament, [("task", {"id": "t2"}), ("task", {"id": object()})])
        assert ends(ledger) == before
        with pytest.raises(NotFound, match="'elsewhere'"):
            ledger.tournaments.add_events("elsewhere", [("task", {})])

    def test_debates_of_a_plan_come_back_and_plain_pairings_are_written_as_ever(self, ledger, tournament):
        plan = [
            Pairing(a="i0", b="i1", orders=(Order.BA,), turns=5),
            Pairing(a="i2", b="i3", degraded=True),
            Pairing(a="i1", b="i2", turns=3, degraded=True),
            Pairing(a="i0", b="i3"),
        ]
        ledger.tournaments.plan_round(tournament, 1, plan)
        assert ledger.tournaments.rounds(tournament)[0].pairings == tuple(plan)
        with ledger._database.read() as connection:
            written = connection.exec_driver_sql("SELECT pairings FROM planned_round").scalar_one()
        assert json.loads(written) == [
            ["i0", "i1", ["BA"], 5, False],
            ["i2", "i3", ["AB"], 0, True],
            ["i1", "i2", ["AB"], 3, True],
            ["i0", "i3", ["AB"]],  # as before there were debates
        ]

    def test_notes_are_kept_with_the_plan(self, ledger, tournament, ends):
        plan, notes = [Pairing(a="i0", b="i1", turns=3)], {"forecast_units": 7, "by_tier": {"elite": 0.4}}
        ledger.tournaments.plan_round(tournament, 1, plan, notes)
        noted = ("round", {"number": 1, **notes})
        assert [(event.kind, event.detail) for event in ledger.tournaments.events(tournament)][1:] == [noted]
        before = ends(ledger)
        ledger.tournaments.plan_round(tournament, 1, plan, dict(reversed(notes.items())))
        ledger.tournaments.plan_round(tournament, 1, plan)
        assert ends(ledger) == before
        with pytest.raises(Conflict, match="with other notes"):
            ledger.tournaments.plan_round(tournament, 1, plan, {"forecast_units": 8})
        ledger.tournaments.plan_round(tournament, 2, plan, {})
        assert len(ledger.tournaments.events(tournament)) == 2, "nothing noted is no event"


class TestVerdicts:
    def test_every_field_comes_back_as_it_was(self, ledger, tournament):
        verdict = Verdict(
            choice=Choice.TIE,
            judge="llm:model@host",
            probability=0.1 + 0.2,
            scores=(CriterionScore(criterion="novelty", first=1 / 3, second=1),),
            rationale="both\x00are\ud83d fine \x1b[0m '; DROP TABLE item; --",
            prompt_hash="abc",
            usage=Usage(calls=3, input_tokens=10, output_tokens=5, cost=1e-7, seconds=0.25),
        )
        ledger.tournaments.record_verdict(
            tournament, Comparison(call="c", first="i1", second="i0", verdict=verdict), key="k"
        )
        assert ledger.tournaments.verdict(tournament, "c") == verdict
        assert ledger.tournaments.cached_verdict("k") == verdict
        assert ledger.tournaments.verdict(tournament, "d") is None is ledger.tournaments.cached_verdict("l")

    def test_the_same_answer_again_changes_nothing_and_another_one_is_a_conflict(self, ledger, tournament, forge, ends):
        ledger.tournaments.record_verdict(tournament, forge.comparison("c"), key="k")
        before = ends(ledger)
        ledger.tournaments.record_verdict(tournament, forge.comparison("c"), key="k")
        assert ends(ledger) == before
        for other in (
            forge.comparison("c", choice=Choice.SECOND),
            forge.comparison("c", "i1", "i0"),
            forge.comparison("c", rationale="on second thoughts"),
        ):
            with pytest.raises(Conflict, match="call 'c' has been answered already"):
                ledger.tournaments.record_verdict(tournament, other, key="k")
        with pytest.raises(Conflict):
            ledger.tournaments.record_verdict(tournament, forge.comparison("c"), key="another key")
        assert ends(ledger) == before

    def test_failures_are_attempts_and_never_answers(self, ledger, tournament, forge):
        failed = forge.comparison("c", choice=Choice.FAILED, error="503")
        for _ in range(2):
            ledger.tournaments.record_verdict(tournament, failed, key="k")
        assert ledger.tournaments.verdict(tournament, "c") is None is ledger.tournaments.cached_verdict("k")
        ledger.tournaments.record_verdict(tournament, forge.comparison("c"), key="k")
        assert ledger.tournaments.verdict(tournament, "c").choice is Choice.FIRST
        tally = ledger.tournaments.spending(tournament)
        assert (tally.decisions, tally.failed, tally.requests) == (1, 2, 3)
        listed = Ranking(
            call="l", shown=("i1", "i0"), verdict=Verdict(choice=Choice.FAILED, judge="j", error="cut off")
        )
        ledger.tournaments.record_verdict(tournament, listed)
        ledger.tournaments.record_verdict(tournament, replace(failed, call="d"))
        failures = [(each.call, each.verdict.error) for each in ledger.matches.failures(tournament)]
        assert failures == [("c", "503"), ("c", "503"), ("l", "cut off"), ("d", "503")]
        assert ledger.matches.failures(tournament, ["l", "x"]) == (listed,)

    def test_an_abstention_is_an_answer(self, ledger, tournament, forge):
        ledger.tournaments.record_verdict(tournament, forge.comparison("c", choice=Choice.ABSTAIN), key="k")
        assert ledger.tournaments.verdict(tournament, "c").choice is Choice.ABSTAIN

    def test_the_cache_spans_tournaments_and_gives_the_newest_original(self, ledger, tournament, forge):
        other = ledger.tournaments.create("other", settings={}, items=forge.items(2), config=forge.config).id
        newest = forge.comparison("later", rationale="newest")
        ledger.tournaments.record_verdict(other, forge.comparison("c", rationale="older"), key="k")
        ledger.tournaments.record_verdict(tournament, newest, key="k")
        ledger.tournaments.record_verdict(tournament, forge.comparison("copy", cached=True, rationale="copy"), key="k")
        ledger.tournaments.record_verdict(tournament, forge.comparison("out", choice=Choice.FAILED), key="k")
        assert ledger.tournaments.cached_verdict("k") == newest.verdict

    def test_unknown_items_and_tournaments_are_refused_and_leave_nothing(self, ledger, tournament, forge):
        with pytest.raises(NotFound, match="no item 'x'"):
            ledger.tournaments.record_verdict(tournament, forge.comparison("c", "i0", "x"), key="k")
        with pytest.raises(NotFound, match="nowhere"):
            ledger.tournaments.record_verdict("nowhere", forge.comparison("c"), key="k")
        assert ledger.tournaments.verdict(tournament, "c") is None

    def test_a_number_that_is_not_finite_is_refused(self, ledger, tournament, forge):
        with pytest.raises(LedgerError, match="finite"):
            ledger.tournaments.record_verdict(tournament, forge.comparison("c", usage=Usage(cost=math.nan)), key="k")

    def test_the_tally_adds_up(self, ledger, tournament, forge):
        assert ledger.tournaments.spending(tournament).decisions == 0
        spent = Usage(calls=2, input_tokens=100, output_tokens=10, cost=0.25, seconds=1.5)
        ledger.tournaments.record_verdict(tournament, forge.comparison("a", usage=spent), key="a")
        ledger.tournaments.record_verdict(tournament, forge.comparison("b", usage=spent), key="b")
        ledger.tournaments.record_verdict(tournament, forge.comparison("c", usage=spent, cached=True), key="a")
        ledger.tournaments.record_verdict(
            tournament, forge.comparison("d", usage=Usage(calls=1), choice=Choice.FAILED), key="d"
        )
        tally = ledger.tournaments.spending(tournament)
        assert (tally.decisions, tally.cached, tally.failed, tally.requests) == (3, 1, 1, 5)
        assert (tally.input_tokens, tally.output_tokens, tally.dollars, tally.seconds) == (200, 20, 0.5, 3.0)
        assert (tally.unmetered, tally.unpriced, tally.cost) == (1, 1, None), "nobody knows what the failure took"
        ledger.tournaments.record_verdict(tournament, forge.comparison("e", usage=Usage(calls=1)), key="e")
        assert ledger.tournaments.spending(tournament).unpriced == 2
        assert ledger.tournaments.total_spending() == ledger.tournaments.spending(tournament)


class TestPools:
    def test_pools_are_made_once(self, ledger, forge):
        config = RatingConfig(initial=1500.0, k=24.0)
        ledger.pools.create("agents", config, kind=ItemKind.AGENT)
        ledger.pools.create("agents", config, kind=ItemKind.AGENT)
        with pytest.raises(Conflict, match="agents"):
            ledger.pools.create("agents", forge.config, kind=ItemKind.AGENT)
        ledger.pools.create("b", forge.config)
        assert [(pool.id, pool.kind, pool.config) for pool in ledger.pools.all()] == [
            ("agents", ItemKind.AGENT, config),
            ("b", ItemKind.TEXT, forge.config),
        ]
        with pytest.raises(NotFound, match="'nothing'; there are 'agents', 'b'"):
            ledger.pools.config("nothing")

    def test_items_are_added_once(self, ledger, tournament, forge):
        ledger.items.add(tournament, [*forge.items(2), Item(id="new", text="new"), Item(id="new", text="new")])
        assert [item.id for item in ledger.items.all(tournament)] == ["i0", "i1", "i2", "i3", "new"]
        with pytest.raises(Conflict, match="'i0' already exists"):
            ledger.items.add(tournament, [Item(id="newer", text=""), Item(id="i0", text="other")])
        assert len(ledger.items.all(tournament)) == 5 == len(ledger.ratings.all(tournament))

    def test_any_text_is_kept(self, ledger, forge):
        ledger.pools.create("p", forge.config)
        texts = ["", "\x00", "\ud800", "\x1b0000", "\U0001f600", "a\r\nb", "'; DROP TABLE match; --", "x" * 100_000]
        ledger.items.add("p", [Item(id=text[:50], text=text) for text in texts])
        assert [item.text for item in ledger.items.all("p")] == texts
        ledger.matches.record("p", forge.bare("m\x00", "\x00", "\ud800"))
        assert ledger.matches.get("p", "m\x00").match.b == "\ud800"
        assert ledger.ratings.all("p")["\x00"].elo == 1216.0
        assert ledger.audit().ok


class TestMatches:
    @pytest.fixture
    def ledger(self, shared_ledger):
        return shared_ledger

    def test_a_match_moves_both_ratings_as_replay_does(self, ledger, tournament, forge):
        match = forge.match("m")
        changes = ledger.matches.record(tournament, match)
        assert [(change.item, change.new) for change in changes] == [("i0", 1216.0), ("i1", 1184.0)]
        assert changes == replay([match], forge.config).changes == ledger.ratings.changes(tournament)
        ratings = ledger.ratings.all(tournament)
        assert ratings["i0"] == Rating(item="i0", elo=1216.0, matches=1, wins=1)
        assert ratings["i1"] == Rating(item="i1", elo=1184.0, matches=1, losses=1)
        assert ratings["i2"] == Rating(item="i2", elo=1200.0)
        assert ledger.ratings.changes(tournament, "i1") == changes[1:]

    def test_it_comes_back_as_it_was(self, ledger, tournament, forge):
        comparisons = (
            forge.comparison("m.AB", "i0", "i1"),
            forge.comparison("m.BA", "i1", "i0", Choice.FAILED, error="503"),
            forge.comparison("m.BA", "i1", "i0", Choice.TIE),
        )
        match = Match(
            id="m",
            round=7,
            a="i0",
            b="i1",
            outcome=Outcome.A,
            comparisons=comparisons,
            protocol=MatchProtocol.MULTI_TURN,
            confidence=1 / 3,
        )
        ledger.matches.record(tournament, match)
        recorded = ledger.matches.get(tournament, "m")
        assert recorded.match == match
        assert not recorded.rolled_back
        assert ledger.matches.all(tournament) == (recorded,)
        assert ledger.matches.comparisons(tournament) == comparisons

    def test_the_same_match_again_returns_what_was_stored(self, ledger, tournament, forge, ends):
        changes = ledger.matches.record(tournament, forge.match("m"))
        ledger.matches.record(tournament, forge.match("n", "i0", "i2"))
        before = (ends(ledger), ledger.ratings.all(tournament))
        assert ledger.matches.record(tournament, forge.match("m")) == changes
        assert (ends(ledger), ledger.ratings.all(tournament)) == before

    def test_the_same_id_with_other_content_is_a_conflict(self, ledger, tournament, forge, ends):
        ledger.matches.record(tournament, forge.match("m"))
        before = ends(ledger)
        others = {"outcome": Outcome.B, "b": "i2", "round": 2, "confidence": 0.5, "comparisons": ()}
        for field, value in others.items():
            with pytest.raises(Conflict, match=f"'m' .* another {field}"):
                ledger.matches.record(tournament, replace(forge.match("m"), **{field: value}))
            assert ends(ledger) == before, field

    def test_its_verdicts_are_kept_unless_they_are_already(self, ledger, tournament, forge):
        match = forge.match("m")
        ledger.matches.record(tournament, match)
        assert ledger.tournaments.verdict(tournament, "m.AB") == match.comparisons[0].verdict
        other = forge.match("n")
        ledger.tournaments.record_verdict(tournament, other.comparisons[0], key="k")
        ledger.matches.record(tournament, other)
        assert ledger.tournaments.spending(tournament).decisions == 2
        third = forge.match("o")
        ledger.tournaments.record_verdict(tournament, replace(third.comparisons[0], first="i2"), key="k")
        with pytest.raises(Conflict, match=r"call 'o\.AB'"):
            ledger.matches.record(tournament, third)
        assert len(ledger.matches.all(tournament)) == 2

    def test_a_void_match_is_kept_and_moves_nothing(self, ledger, tournament, forge):
        assert ledger.matches.record(tournament, forge.match("m", choice=Choice.ABSTAIN)) == ()
        assert ledger.matches.get(tournament, "m").match.outcome is Outcome.VOID
        assert ledger.ratings.all(tournament)["i0"].matches == 0
        assert ledger.audit(tournament).ok

    def test_matches_that_cannot_be_are_refused(self, ledger, tournament, forge):
        with pytest.raises(NotFound, match="no item 'x'"):
            ledger.matches.record(tournament, forge.bare("m", "i0", "x"))
        with pytest.raises(NotFound, match="no pool 'nothing'; there"):
            ledger.matches.record("nothing", forge.bare("m"))
        with pytest.raises(LedgerError, match="itself"):
            ledger.matches.record(tournament, forge.bare("m", "i0", "i0"))
        with pytest.raises(LedgerError, match="other items"):
            ledger.matches.record(tournament, replace(forge.match("m"), b="i2"))
        assert ledger.matches.all(tournament) == ()
        with pytest.raises(NotFound, match="no match 'm'"):
            ledger.matches.get(tournament, "m")
        for ask in (
            ledger.matches.all,
            ledger.matches.comparisons,
            ledger.ratings.all,
            ledger.ratings.changes,
            ledger.items.all,
        ):
            with pytest.raises(NotFound, match="no pool"):
                ask("nothing")

    def test_order_is_that_of_record_though_the_clock_goes_back(self, ledger, tournament, forge):
        for number in (3, 1, 2):
            ledger.matches.record(tournament, forge.match(f"m{number}"))
        recorded = ledger.matches.all(tournament)
        assert [entry.match.id for entry in recorded] == ["m3", "m1", "m2"]
        assert [entry.at for entry in recorded] == sorted((entry.at for entry in recorded), reverse=True)
        assert [entry.sequence for entry in recorded] == sorted(entry.sequence for entry in recorded)

    def test_pools_are_apart(self, ledger, tournament, forge):
        other = ledger.tournaments.create("other", settings={}, items=forge.items(2), config=forge.config).id
        ledger.matches.record(tournament, forge.match("m"))
        ledger.matches.record(other, forge.match("m", choice=Choice.SECOND))
        assert ledger.ratings.all(tournament)["i0"].elo == 1216.0
        assert ledger.ratings.all(other)["i0"].elo == 1184.0


class TestRollback:
    @pytest.fixture
    def ledger(self, shared_ledger):
        return shared_ledger

    def test_it_compensates_and_voids(self, ledger, tournament, forge):
        ledger.matches.record(tournament, forge.match("m", "i0", "i1"))
        ledger.matches.record(tournament, forge.match("n", "i1", "i2"))
        changes = ledger.matches.rollback(tournament, "m", "disputed")
        without = replay([forge.match("n", "i1", "i2")], forge.config, ["i0", "i1", "i2", "i3"]).ratings
        assert ledger.ratings.all(tournament) == without
        assert {change.item for change in changes} == {"i0", "i1", "i2"}
        assert all(change.match == "m" and change.k == 0.0 for change in changes)
        assert ledger.ratings.changes(tournament)[4:] == changes
        assert [entry.rolled_back for entry in ledger.matches.all(tournament)] == [True, False]
        assert [comparison.call for comparison in ledger.matches.comparisons(tournament)] == ["n.AB"]
        assert ledger.audit(tournament).ok

    def test_again_it_changes_nothing(self, ledger, tournament, forge, ends):
        made = ledger.matches.record(tournament, forge.match("m"))
        changes = ledger.matches.rollback(tournament, "m", "disputed")
        before = ends(ledger)
        assert ledger.matches.rollback(tournament, "m", "another reason") == changes
        assert ledger.matches.record(tournament, forge.match("m")) == made
        assert ends(ledger) == before

    def test_what_is_not_there_cannot_be_rolled_back(self, ledger, tournament, forge):
        ledger.matches.record(tournament, forge.match("m"))
        with pytest.raises(NotFound, match="no match 'x'; there is 'm'"):
            ledger.matches.rollback(tournament, "x", "")

    def test_play_goes_on_from_the_compensated_ratings(self, ledger, tournament, forge):
        for id, a, b in (("m", "i0", "i1"), ("n", "i1", "i2"), ("o", "i2", "i0")):
            ledger.matches.record(tournament, forge.match(id, a, b))
        ledger.matches.rollback(tournament, "n", "disputed")
        ledger.matches.record(tournament, forge.match("p", "i0", "i2"))
        ledger.matches.rollback(tournament, "m", "disputed")
        history = [forge.match("o", "i2", "i0"), forge.match("p", "i0", "i2")]
        assert ledger.ratings.all(tournament) == replay(history, forge.config, ["i0", "i1", "i2", "i3"]).ratings
        assert ledger.audit(tournament).ok


class TestWhatIf:
    @pytest.fixture
    def ledger(self, shared_ledger):
        return shared_ledger

    @pytest.fixture
    def judged(self, ledger, tournament, forge):
        both = (
            forge.comparison("x.AB", "i0", "i1", Choice.FIRST, judge="good"),
            forge.comparison("x.BA", "i1", "i0", Choice.FIRST, judge="bad"),
        )
        ledger.matches.record(tournament, Match.of("x", Pairing(a="i0", b="i1"), both))
        ledger.matches.record(tournament, forge.match("y", "i1", "i2", judge="bad"))
        ledger.matches.record(tournament, forge.match("z", "i2", "i3", judge="good"))
        ledger.matches.record(tournament, forge.bare("w", "i3", "i0"))
        return tournament

    def test_nothing_changed_is_what_is(self, ledger, judged):
        asked = ledger.ratings.whatif(judged)
        assert asked.ratings == ledger.ratings.all(judged)
        assert asked.changes == ledger.ratings.changes(judged)

    def test_another_k(self, ledger, judged, forge):
        config = RatingConfig(k=8.0)
        matches = [entry.match for entry in ledger.matches.all(judged)]
        assert ledger.ratings.whatif(judged, config=config) == replay(matches, config, ["i0", "i1", "i2", "i3"])

    def test_without_a_judge_a_match_is_what_the_others_said(self, ledger, judged):
        history = ledger.matches.history(judged, without_judges=["bad"])
        assert [match.id for match in history] == ["x", "z", "w"]
        assert (history[0].outcome, len(history[0].comparisons)) == (Outcome.A, 1)
        assert ledger.matches.get(judged, "x").match.outcome is Outcome.DRAW
        assert ledger.ratings.whatif(judged, without_judges=["bad"]).ratings["i1"].losses == 1

    def test_without_a_match(self, ledger, judged):
        assert [match.id for match in ledger.matches.history(judged, without_matches={"x", "w"})] == ["y", "z"]
        ledger.matches.rollback(judged, "y", "disputed")
        assert [match.id for match in ledger.matches.history(judged, without_matches={"x", "w"})] == ["z"]

    def test_unknown_names_are_refused(self, ledger, judged):
        with pytest.raises(NotFound, match=f"'{judged}': there is no match 'q'"):
            ledger.ratings.whatif(judged, without_matches=["q"])
        with pytest.raises(NotFound, match="no judge 'ugly'; there are 'bad', 'good'"):
            ledger.ratings.whatif(judged, without_judges=["ugly"])


class TestAudit:
    def test_it_counts_what_it_checked(self, ledger, tournament, forge):
        ledger.matches.record(tournament, forge.match("m"))
        ledger.pools.create("other", forge.config)
        report = ledger.audit()
        assert report.ok
        # tournament: pool, 4 items, tournament, event; match: comparison, match, link, two changes; the other pool
        assert (report.pools, report.commits, report.rows, report.ratings) == (2, 3, 7 + 5 + 1, 4)
        assert ledger.audit("other").rows == 1
        assert ledger.audit("other").heads == {"other": report.heads["other"]}
        with pytest.raises(NotFound, match="nothing"):
            ledger.audit("nothing")

    def test_an_empty_ledger_is_clean(self, ledger):
        assert ledger.audit().ok

    def test_projections_can_be_dropped_and_rebuilt(self, ledger, tournament, forge):
        for id, a, b in (("m", "i0", "i1"), ("n", "i1", "i2")):
            ledger.matches.record(tournament, forge.match(id, a, b))
        ledger.matches.rollback(tournament, "m", "disputed")
        before = (ledger.ratings.all(tournament), ledger.audit())
        with ledger._database.write() as connection:
            connection.exec_driver_sql("DELETE FROM rating")
            connection.exec_driver_sql("DELETE FROM head")
        assert not ledger.audit().ok
        ledger.rebuild(tournament)
        assert (ledger.ratings.all(tournament), ledger.audit()) == before
        ledger.matches.record(tournament, forge.match("o"))
        assert ledger.audit().ok


class TestClaims:
    def test_one_at_a_time(self, ledger, tournament, forge):
        other = ledger.tournaments.create("other", settings={}, items=forge.items(2), config=forge.config).id
        with ledger.tournaments.claim(tournament):
            with pytest.raises(Busy, match=f"'{tournament}' is being run"), ledger.tournaments.claim(tournament):
                pass
            with ledger.tournaments.claim(other):
                pass
        with ledger.tournaments.claim(tournament):
            pass

    def test_only_what_exists(self, ledger):
        with pytest.raises(NotFound):
            ledger.tournaments.claim("nothing")


def test_a_ledger_is_there_when_it_is_opened_again(shared_url, tmp_path, forge):
    with Ledger.open(shared_url) as ledger:
        id = ledger.tournaments.create("x", settings={}, items=forge.items(2), config=forge.config).id
        ledger.matches.record(id, forge.match("m"))
        before = (ledger.matches.all(id), ledger.ratings.all(id), ledger.audit())
    with Ledger.open(shared_url, create=False) as ledger:
        assert (ledger.matches.all(id), ledger.ratings.all(id), ledger.audit()) == before
    assert {file.name for file in tmp_path.iterdir()} <= {"ledger.db"}
