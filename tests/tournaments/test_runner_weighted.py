"""The runner in tournaments of hypotheses: sessions, batches, time, debates, faults; and a state that stays in step."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import virtual_time
import without_board
from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Choice,
    Comparison,
    CriterionScore,
    Item,
    Lineup,
    Match,
    MatchProtocol,
    Order,
    Pairing,
    PolicyConfig,
    Ranking,
    RatingConfig,
    SchedulingConfig,
    TournamentConfig,
    TournamentSystemConfig,
    Verdict,
)
from paragone.errors import InvalidConfig, JudgeFailed, NotFound
from paragone.judges.call_options import CallOptions
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.panel_judge import PanelJudge
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.tournaments.state import TournamentState
from paragone.tournaments.status import anomaly_queue, review_anomaly
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.tournament_settings import settings_for

IDS = [f"h{number}" for number in range(10)]
STRENGTHS = {id: 0.6 * place for place, id in enumerate(IDS)}
QUICK = CallOptions(attempts=1, wait=0.001)


def system(matches=8, rounds=3, batch=4, threshold=3000.0, timeout=300.0, **policy):
    return TournamentSystemConfig(
        tournament_parameters=TournamentConfig(multi_turn_threshold=threshold, match_batch_size=batch),
        scheduling=SchedulingConfig(matches_per_round=matches, rounds_per_session=rounds, timeout_per_match=timeout),
        policy=PolicyConfig(**{"elite_threshold": 3500.0, **policy}),
    )


def simulated(**options):
    return SimulatedJudge(STRENGTHS, **{"seed": 5, **options})


def begin(db, judge=None, **options):
    return Tournament.create(
        {id: f"Hypothesis {id} says this. And that." for id in IDS},
        judge=judge or simulated(),
        criteria="testable",
        db=db,
        pairing="weighted",
        **{"system": system(), "seed": 3, "advocate": "none", **options},
    )


@pytest.fixture
def db(tmp_path):
    return tmp_path / "ledger.db"


def events(tournament, kind):
    return [event.detail for event in tournament.ledger.tournaments.events(tournament.state.id) if event.kind == kind]


def test_a_session_ends_after_its_rounds_and_the_next_run_is_the_next_session(db):
    with begin(db) as tournament:
        without_board.run(tournament, pace=QUICK)
        assert (len(tournament.state.rounds), tournament.stop.paused, tournament.stop.failed) == (3, True, False)
        assert "a session is over" in tournament.board().stopped
        without_board.run(tournament, pace=QUICK)
        assert len(tournament.state.rounds) == 6
        assert [notes["number"] for notes in events(tournament, "round")] == [1, 2, 3, 4, 5, 6]
        assert tournament.audit().ok


def test_a_session_that_was_interrupted_ends_where_it_would_have(db):
    with begin(db) as tournament:
        without_board.run(
            tournament,
            lambda progress: tournament.gate.close("a break") if progress.spending.decisions == 13 else None,
            QUICK,
        )
        assert (len(tournament.state.rounds), tournament.stop.paused) == (2, False)
    with Tournament.open(db, judge=simulated()) as rest:
        without_board.run(rest, pace=QUICK)
        assert len(rest.state.rounds) == 3
    with begin(db) as whole:
        without_board.run(whole, pace=QUICK)
        assert [r.pairings for r in whole.state.rounds] == [r.pairings for r in rest.state.rounds]
        assert whole.state.ratings == rest.state.ratings


def test_no_more_matches_in_flight_than_a_batch(db):
    class Counting(SimulatedJudge):
        now = most = 0

        async def compare(self, question):
            self.now += 1
            self.most = max(self.most, self.now)
            try:
                return await super().compare(question)
            finally:
                self.now -= 1

    judge = Counting(STRENGTHS, delay=0.002, seed=5)
    with begin(db, judge, system=system(rounds=1, batch=4)) as tournament:
        without_board.run(tournament, pace=CallOptions(concurrency=50))
    assert judge.most == 4


def test_a_hundred_slow_calls_in_flight_take_little_more_than_one(tmp_path):
    items = {f"i{number}": f"text {number}" for number in range(200)}
    judge = SimulatedJudge(dict.fromkeys(items, 0.0), delay=1.0)
    options = {"system": system(matches=100, rounds=1, batch=100), "pairing": "weighted", "seed": 1}
    with Tournament.create(items, judge=judge, criteria="c", advocate="none", **options) as tournament:
        _, took = virtual_time.run(lambda: without_board.arun(tournament, pace=CallOptions(concurrency=100)))
        assert len(tournament.state.played) == 100
    assert took < 2, "one after the other they would take a hundred seconds"


class Late(SimulatedJudge):
    """Never answers about one hypothesis in time."""

    async def compare(self, question):
        if "h3" in (question.first.id, question.second.id):
            await asyncio.sleep(30)
        return await super().compare(question)


def test_a_match_that_takes_too_long_is_left_for_a_later_round(db):
    with begin(db, Late(STRENGTHS, seed=5), system=system(rounds=1, timeout=0.2)) as tournament:
        virtual_time.run(lambda: without_board.arun(tournament, pace=QUICK))
        late = [id for id, planned in tournament.state.open_matches]
        assert late
        assert all("h3" in planned.items for _, planned in tournament.state.open_matches)
        assert [(one["match"], one["step"]) for one in events(tournament, "fallback")] == [(id, "later") for id in late]
        assert "longer than 0.2 s" in events(tournament, "fallback")[0]["error"]
        assert tournament.state.ratings["h3"].matches == 0
        tournament.judge = simulated()
        without_board.run(tournament, pace=QUICK)
        assert tournament.state.ratings["h3"].matches > 0


def test_a_timeout_is_a_draw_where_the_parameters_say_so(db):
    slow = system(rounds=1, timeout=0.2, on_timeout="draw")
    with begin(db, Late(STRENGTHS, seed=5), system=slow) as tournament:
        virtual_time.run(lambda: without_board.arun(tournament, pace=QUICK))
        drawn = [match for match in tournament.state.played if "h3" in match.items]
        assert drawn
        assert {(match.outcome.value, match.comparisons) for match in drawn} == {("draw", ())}
        assert [one["step"] for one in events(tournament, "fallback")] == ["draw"] * len(drawn)
        assert tournament.state.ratings["h3"].ties == len(drawn)
        assert tournament.audit().ok


def test_malformed_answers_are_failures_and_leave_ratings_alone(db):
    def garbles(first, second, criteria):
        return "neither of them, or perhaps both"

    with begin(db, garbles, system=system(rounds=1)) as tournament:
        without_board.run(tournament, pace=QUICK)
        assert tournament.stop.failed
        assert {rating.elo for rating in tournament.ledger.ratings.all(tournament.state.id).values()} == {1200.0}
        tournament.judge = simulated()
        without_board.run(tournament, pace=QUICK)
        assert len(tournament.state.played) == 8


def test_half_of_the_judges_down(db):
    """The answers of the others count: a match is complete with one of its two comparisons on the last pass."""

    class Down(SimulatedJudge):
        async def compare(self, question):
            raise JudgeFailed("down")

    panel = PanelJudge([simulated(), Down(STRENGTHS, seed=6)])
    with begin(db, panel, comparison_rounds=2, system=system(rounds=1)) as tournament:
        without_board.run(tournament, pace=CallOptions(concurrency=1, attempts=1, wait=0.001))
        assert len(tournament.state.played) == 8
        assert {len(match.comparisons) for match in tournament.state.played} == {1}
        assert not tournament.stop.failed


def test_debates_are_kept_turn_by_turn_and_weigh_what_they_are_worth(db):
    with begin(db, system=system(rounds=1, matches=4, threshold=1000.0), advocate=ScriptedAdvocate()) as tournament:
        without_board.run(tournament, pace=QUICK)
        assert {match.protocol for match in tournament.state.played} == {MatchProtocol.MULTI_TURN}
        assert all(0.1 <= match.confidence <= 1.0 for match in tournament.state.played)
        assert len(tournament.ledger.tournaments.turns(tournament.state.id)) == 4 * 2 * 3
        assert tournament.ledger.tournaments.spending(tournament.state.id).units == 4 * 7


def test_a_debate_whose_advocates_fail_is_judged_by_comparison(db):
    mute = ScriptedAdvocate(failures=1.0)
    with begin(db, system=system(rounds=1, matches=2, threshold=1000.0), advocate=mute) as tournament:
        without_board.run(tournament, pace=CallOptions(concurrency=1, attempts=1, wait=0.001))
        assert {match.protocol for match in tournament.state.played} == {MatchProtocol.SINGLE_TURN}
        steps = [one["step"] for one in events(tournament, "fallback") if one["match"] == "1.1"]
        assert steps[-1] == "direct"
        assert tournament.audit().ok


def test_high_load_degrades_debates_and_says_so(db):
    base = system(rounds=1, matches=6, threshold=1000.0)
    tight = replace(base, optimization=replace(base.optimization, resource_budget_per_round=12.0))
    with begin(db, system=tight, advocate=ScriptedAdvocate()) as tournament:
        without_board.run(tournament, pace=QUICK)
        (notes,) = events(tournament, "round")
        assert notes["forecast_units"] <= 12
        assert tournament.ledger.tournaments.spending(tournament.state.id).units <= 12
        assert notes["degraded"] or notes["left_out"] or notes["deferred"]


def test_items_that_become_unavailable_and_return(db):
    with begin(db, system=system(rounds=1)) as tournament:
        without_board.run(
            tournament,
            lambda progress: tournament.gate.close("a break") if progress.spending.decisions == 4 else None,
            QUICK,
        )
        gone = tournament.state.open_matches[-1][1].items[0]
        tournament.retire([gone], "withdrawn by its author")
        before = tournament.state.ratings[gone].matches
        for _ in range(2):
            without_board.run(tournament, pace=QUICK)
        assert tournament.state.ratings[gone].matches == before
        tournament.readmit([gone])
        for _ in range(2):
            without_board.run(tournament, pace=QUICK)
        assert tournament.state.ratings[gone].matches > before
        with pytest.raises(NotFound, match="nobody"):
            tournament.retire(["nobody"], "")


def test_what_others_do_meanwhile_is_seen_before_the_next_round(db):
    with begin(db) as tournament, Ledger.open(db) as other:
        seen = []

        def meddle(progress):
            if progress.spending.decisions == 3 and not seen:
                seen.append(True)
                other.tournaments.join(tournament.state.id, [Item(id="late", text="late")], round=2)
                move = Adjustment(id="a1", item="h1", kind=AdjustmentKind.CORRECTION, target=1500.0)
                other.ratings.adjust(tournament.state.id, [move])

        tournament.judge = SimulatedJudge({**STRENGTHS, "late": 9.0}, seed=5)
        without_board.run(tournament, meddle, QUICK)
        assert "late" in tournament.state.ids
        assert tournament.state.ratings["late"].matches > 0
        assert tournament.state.ratings == tournament.ledger.ratings.all(tournament.state.id)
        assert tournament.state.ratings["h1"].elo > 1400


def test_an_item_that_joins_while_the_state_is_read_is_seen_at_the_next_look(db):
    """Items are read before ratings when a tournament is opened; one may join in between."""
    with begin(db) as tournament, Ledger.open(db) as other:
        state = TournamentState.load(tournament.ledger, tournament.state.id)
        other.tournaments.join(state.id, [Item(id="late", text="late")], round=1)
        state.ratings = other.ratings.all(state.id)
        state.refresh(tournament.ledger)
        assert "late" in state.ids


def test_a_disputed_match_is_rolled_back_and_an_anomaly_waits_for_review(db):
    with begin(db) as tournament:
        without_board.run(tournament, pace=QUICK)
        disputed = tournament.state.played[-1]
        note = {"id": "odd", "item": disputed.a, "match": disputed.id, "kind": "spike", "size": 99.0, "reason": "odd"}
        tournament.ledger.tournaments.add_event(tournament.state.id, "anomaly", note)
        tournament.state.refresh(tournament.ledger)
        assert [(one["id"], one["decision"]) for one in anomaly_queue(tournament.state)] == [("odd", None)]
        for _ in range(2):
            review_anomaly(tournament.ledger, tournament.state, "odd", "rolled back", "a wrong verdict")
            tournament.state.refresh(tournament.ledger)
        assert anomaly_queue(tournament.state)[0]["decision"] == "rolled back"
        assert disputed.id in tournament.state.rolled_back
        assert len(events(tournament, "anomaly_reviewed")) == 1
        with pytest.raises(InvalidConfig, match="rolled back already"):
            review_anomaly(tournament.ledger, tournament.state, "odd", "kept", "")
        without_board.run(tournament, pace=QUICK)
        assert tournament.state.ratings == tournament.ledger.ratings.all(tournament.state.id)
        assert tournament.audit().ok


def test_reviews_seed_the_ratings(db):
    reviews = [{"item": "h1", "score": 1.0}, {"item": "h2", "score": 0.0}]
    with begin(db, reviews=reviews) as tournament:
        ratings = tournament.ledger.ratings.all(tournament.state.id)
        assert ratings["h1"].elo > 1200.0 > ratings["h2"].elo
        assert tournament.state.ratings == ratings
        assert len(tournament.state.reviews) == 2


def test_memory_keeps_no_words(db):
    class Wordy(SimulatedJudge):
        async def compare(self, question):
            return replace(await super().compare(question), rationale="many words " * 50)

    with begin(db, Wordy(STRENGTHS, seed=5)) as tournament:
        without_board.run(tournament, pace=QUICK)
        kept = [comparison.verdict for match in tournament.state.played for comparison in match.comparisons]
        assert {verdict.rationale for verdict in kept} == {""}
        recorded = tournament.ledger.matches.all(tournament.state.id)[0].match
        assert recorded.comparisons[0].verdict.rationale.startswith("many words")


POOL = [Item(id=id, text=id) for id in "abcde"]
CHOICES = (Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN)


@given(data=st.data())
@settings(max_examples=settings().max_examples // 3)
def test_the_state_stays_in_step_with_the_ledger(data):
    """After matches of two, void ones, lists and confidences: the same ratings and records, to the last digit."""
    with Ledger.open("sqlite://") as ledger:
        brief = settings_for(5, criteria="c", judge="?", pairing="weighted", seed=1)
        state = TournamentState.begin(ledger, "t", brief, tuple(POOL), RatingConfig(floor=1180.0))
        for number in range(data.draw(st.integers(1, 8))):
            names = data.draw(st.permutations("abcde"))
            if data.draw(st.booleans()):
                said = Verdict(choice=data.draw(st.sampled_from(CHOICES)), judge="j")
                comparison = Comparison(call=f"{number}.1", first=names[0], second=names[1], verdict=said)
                pairing = Pairing(a=names[0], b=names[1], orders=(Order.AB,))
                match = Match.of(str(number), pairing, (comparison,))
            else:
                order = data.draw(st.sampled_from([(2, 0, 1), (0, 1, 2), ()]))
                said = Verdict(choice=Choice.RANKED if order else Choice.ABSTAIN, judge="j", order=order)
                shown = tuple(names[:3])
                match = Match.of(
                    str(number), Lineup(items=shown), (Ranking(call=f"{number}.1", shown=shown, verdict=said),)
                )
            state.take(match, ledger.matches.record(state.id, match))
            assert state.ratings == ledger.ratings.all(state.id)
        assert TournamentState.load(ledger, state.id).played == state.played


class Contradictory(SimulatedJudge):
    """Its scores say the opposite of its decision, without a debate."""

    async def compare(self, question):
        verdict = await super().compare(question)
        ahead = verdict.choice is Choice.SECOND
        return replace(verdict, scores=(CriterionScore(criterion="novelty", first=0.2 + 0.6 * ahead, second=0.5),))


def test_the_quality_of_a_direct_verdict_scales_k_as_that_of_a_debate_does(db):
    with begin(db, Contradictory(STRENGTHS, seed=5)) as tournament:
        without_board.run(tournament, pace=QUICK)
        first = tournament.state.played[0]
        assert (first.protocol, first.confidence) == (MatchProtocol.SINGLE_TURN, pytest.approx(0.6))
        changes = [
            change for change in tournament.ledger.ratings.changes(tournament.state.id) if change.match == first.id
        ]
        assert sorted(change.new - 1200 for change in changes) == pytest.approx([-0.6 * 16, 0.6 * 16])
        assert tournament.audit().ok
