"""Calls on several items in the ledger, in every backend: like comparisons, and whole."""

from dataclasses import replace

import pytest

from paragone.domain import Choice, Lineup, Match, Outcome, Pairing, Usage
from paragone.errors import Conflict, LedgerError, NotFound


@pytest.fixture(scope="module")
def ledger(shared_ledger):
    return shared_ledger


@pytest.fixture
def pool(ledger, forge):
    """A pool of five with a match among four and one of two."""
    id = f"p{len(ledger.pools.versions())}"
    ledger.pools.create(id, forge.config)
    ledger.items.add(id, forge.items(5))
    ledger.matches.record(id, Match.ranked("m1", forge.ranking("m1.1", "i0 i1 i2 i3", (3, 1, 0, 2)), round=1))
    ledger.matches.record(id, forge.match("m2"))
    return id


def test_a_match_among_several_moves_all_of_them_at_once(ledger, pool):
    moved = {change.item: change.change for change in ledger.ratings.changes(pool) if change.match == "m1"}
    assert moved == {"i3": 48.0, "i1": 16.0, "i0": -16.0, "i2": -48.0}
    ratings = ledger.ratings.all(pool)
    assert (ratings["i3"].wins, ratings["i3"].losses, ratings["i3"].matches) == (3, 0, 3)
    assert (ratings["i1"].wins, ratings["i1"].losses, ratings["i1"].matches) == (2, 2, 4)
    assert ratings["i4"].matches == 0
    assert sum(rating.elo for rating in ratings.values()) == pytest.approx(5 * 1200.0)


def test_it_comes_back_as_it_was_recorded(ledger, pool, forge):
    match = ledger.matches.get(pool, "m1").match
    assert match == Match.ranked("m1", forge.ranking("m1.1", "i0 i1 i2 i3", (3, 1, 0, 2)), round=1)
    assert match.items == ("i3", "i1", "i0", "i2")
    assert [entry.match.id for entry in ledger.matches.all(pool)] == ["m1", "m2"]
    assert len(ledger.matches.comparisons(pool)) == 1


def test_recording_it_again_changes_nothing_and_another_order_is_a_conflict(ledger, pool, forge):
    before = ledger.audit(pool)
    again = Match.ranked("m1", forge.ranking("m1.1", "i0 i1 i2 i3", (3, 1, 0, 2)), round=1)
    assert ledger.matches.record(pool, again) == ledger.ratings.changes(pool)[:4]
    assert ledger.audit(pool) == before
    other = Match.ranked("m1", forge.ranking("m1.1", "i0 i1 i2 i3", (3, 0, 1, 2)), round=1)
    with pytest.raises(Conflict, match="another"):
        ledger.matches.record(pool, other)
    with pytest.raises(Conflict, match="answered already"):
        ledger.matches.record(pool, Match.ranked("m9", forge.ranking("m1.1", "i0 i1 i2 i3", (3, 0, 1, 2)), round=1))
    assert ledger.audit(pool) == before


def test_a_rollback_undoes_all_of_it(ledger, pool):
    changes = ledger.matches.rollback(pool, "m1", "disputed")
    assert {change.item for change in changes} == {"i0", "i1", "i2", "i3"}
    assert {id: (rating.elo, rating.matches) for id, rating in ledger.ratings.all(pool).items()} == {
        "i0": (1216.0, 1),
        "i1": (1184.0, 1),
        **dict.fromkeys(("i2", "i3", "i4"), (1200.0, 0)),
    }
    assert ledger.matches.get(pool, "m1").rolled_back
    assert ledger.audit(pool).ok


def test_what_if_without_it_or_without_its_judge(ledger, pool, forge):
    ledger.matches.record(pool, Match.ranked("m3", forge.ranking("m3.1", judge="judge-2")))
    assert [match.id for match in ledger.matches.history(pool, without_judges=["judge-1"])] == ["m3"]
    assert [match.id for match in ledger.matches.history(pool, without_judges=["judge-2"])] == ["m1", "m2"]
    without = ledger.ratings.whatif(pool, without_matches=["m1", "m3"]).ratings
    assert without["i3"].elo == 1200.0
    assert without["i0"].elo == 1216.0


def test_rebuild_and_audit_go_over_it(ledger, pool):
    before = ledger.ratings.all(pool)
    ledger.rebuild(pool)
    assert ledger.ratings.all(pool) == before
    report = ledger.audit(pool)
    assert report.ok
    assert report.rows == 1 + 5 + (1 + 1 + 1 + 4) + (1 + 1 + 1 + 2)


def test_a_declined_list_is_void(ledger, pool, forge):
    before = ledger.ratings.all(pool)
    match = Match.ranked("m3", forge.ranking("m3.1", "i4 i0 i1", ()))
    assert match.outcome is Outcome.VOID
    assert ledger.matches.record(pool, match) == ()
    assert ledger.ratings.all(pool) == before
    assert ledger.matches.get(pool, "m3").match == match


def test_a_match_that_says_something_else_than_its_ranking_is_refused(ledger, pool, forge):
    match = Match.ranked("m3", forge.ranking("m3.1"))
    for wrong in ({"outcome": Outcome.B}, {"a": "i0"}, {"comparisons": (forge.comparison("m3.2"),)}):
        with pytest.raises(LedgerError, match="does not say what its ranking says"):
            ledger.matches.record(pool, replace(match, **wrong))
    with pytest.raises(NotFound, match="i9"):
        ledger.matches.record(pool, Match.ranked("m3", forge.ranking("m3.1", "i0 i9 i1")))
    assert ledger.audit(pool).ok


def test_verdicts_on_lists_are_kept_when_they_arrive(ledger, tournament, forge):
    failed = forge.ranking("1.1.1", order=(), choice=Choice.FAILED, error="no answer")
    key = f"the question of {tournament}"
    for _ in range(2):
        ledger.tournaments.record_verdict(tournament, failed, key=key)
    assert ledger.tournaments.verdict(tournament, "1.1.1") is None
    assert ledger.tournaments.cached_verdict(key) is None
    answer = forge.ranking("1.1.1", usage=Usage(calls=2, input_tokens=90, output_tokens=10, cost=0.5))
    ledger.tournaments.record_verdict(tournament, answer, key=key)
    ledger.tournaments.record_verdict(tournament, answer, key=key)
    assert ledger.tournaments.verdict(tournament, "1.1.1") == answer.verdict
    assert ledger.tournaments.cached_verdict(key) == answer.verdict
    with pytest.raises(Conflict, match="'i0' and 'i1' and 'i2'"):
        ledger.tournaments.record_verdict(tournament, forge.ranking("1.1.1", order=(0, 1, 2)), key=key)
    with pytest.raises(NotFound, match="i7"):
        ledger.tournaments.record_verdict(tournament, forge.ranking("1.2.1", "i0 i1 i7"), key="l")


def test_the_tally_adds_lists_and_pairs_a_list_being_one_call(ledger, tournament, forge):
    took = Usage(calls=2, input_tokens=90, output_tokens=10, cost=0.5, seconds=1.0)
    ledger.tournaments.record_verdict(tournament, forge.ranking("1.1.1", usage=took), key="a")
    ledger.tournaments.record_verdict(tournament, forge.comparison("1.2.1", usage=took), key="b")
    ledger.tournaments.record_verdict(tournament, forge.ranking("1.3.1", order=(), choice=Choice.FAILED), key="c")
    ledger.tournaments.record_verdict(tournament, forge.ranking("1.4.1", cached=True), key="a")
    tally = ledger.tournaments.spending(tournament)
    assert (tally.decisions, tally.cached, tally.failed, tally.requests) == (3, 1, 1, 5)
    assert (tally.input_tokens, tally.output_tokens, tally.dollars) == (180, 20, 1.0)


def test_the_newest_of_a_list_is_found_in_any_pool(ledger, tournament, forge):
    key = f"the question of {tournament}"
    ledger.tournaments.record_verdict(tournament, forge.ranking("1.1.1"), key=key)
    other = ledger.tournaments.create("ideas", settings={}, items=forge.items(3), config=forge.config).id
    ledger.tournaments.record_verdict(other, forge.ranking("1.1.1", order=(1, 0, 2)), key=key)
    ledger.tournaments.record_verdict(other, forge.ranking("1.2.1", order=(2, 1, 0), cached=True), key=key)
    assert ledger.tournaments.cached_verdict(key).order == (1, 0, 2)


def test_a_round_holds_pairings_and_lineups(ledger, tournament):
    planned = (Pairing(a="i0", b="i1"), Lineup(items=("i2", "i0", "i3")))
    ledger.tournaments.plan_round(tournament, 1, planned)
    ledger.tournaments.plan_round(tournament, 1, planned)
    assert ledger.tournaments.rounds(tournament)[0].pairings == planned
    with pytest.raises(Conflict, match="another plan"):
        ledger.tournaments.plan_round(tournament, 1, planned[:1])
