"""Matches: both orders, what was said, what it took and what it moved."""

import pytest
from pydantic import TypeAdapter

from paragone.domain import (
    Choice,
    Comparison,
    CriterionScore,
    DebateTurn,
    Item,
    Match,
    MatchProtocol,
    Outcome,
    Ranking,
    RatingConfig,
    Speaker,
    Stage,
    Usage,
    Verdict,
)
from paragone.errors import NotFound
from paragone.ledger import Ledger
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.matches import match, matches, matches_of

HALF = "half a character \ud800"


@pytest.fixture
def debated() -> LedgerReader:
    """A tournament of x, y and z: a debate in both orders, a list of three, and a void match."""
    ledger = Ledger.open("sqlite://")
    items = tuple(Item(id=id, text=f"text of {id}") for id in "xyz")
    pool = TournamentState.begin(
        ledger, "t", settings_for(3, criteria="c", judge="given: me", seed=1), items, RatingConfig()
    ).id
    scores = (CriterionScore(criterion="clarity", first=0.9, second=0.2),)
    ledger.tournaments.record_turn(
        pool,
        DebateTurn(
            call="1.1.2", number=1, speaker=Speaker.SECOND, stage=Stage.OPENING, content=HALF, claims=("it flies",),
            advocate="ann", usage=Usage(calls=1, input_tokens=5, output_tokens=7, cost=0.25, seconds=2.0),
        ),
    )  # fmt: skip
    one = Verdict(choice=Choice.FIRST, judge="j", scores=scores, rationale="because", usage=Usage(calls=1, cost=0.5))
    two = Verdict(choice=Choice.SECOND, judge="j", scores=scores, probability=0.25, usage=Usage(calls=2, cost=1.0))
    calls = (
        Comparison(call="1.1.1", first="x", second="y", verdict=one),
        Comparison(call="1.1.2", first="y", second="x", verdict=two),
    )
    ledger.matches.record(
        pool,
        Match(id="1.1", round=1, a="x", b="y", outcome=Outcome.A, comparisons=calls, protocol=MatchProtocol.MULTI_TURN),
    )
    ranked = Verdict(choice=Choice.RANKED, judge="k", order=(2, 0, 1))
    ledger.matches.record(pool, Match.ranked("list", Ranking(call="l", shown=("x", "y", "z"), verdict=ranked)))
    ledger.matches.record(pool, Match(id="void", a="y", b="z", outcome=Outcome.VOID))
    return LedgerReader(ledger)


def test_a_match_tells_both_orders_by_its_sides(debated: LedgerReader) -> None:
    seen = match(debated, "t-1", "1.1")
    assert (seen.winner, seen.outcome, seen.protocol, seen.round) == ("x", "a", "multi_turn", 1)
    first, second = seen.verdicts
    assert (first.shown, first.choice, first.winner) == (["x", "y"], "first", "x")
    assert (second.shown, second.choice, second.winner, second.probability) == (["y", "x"], "second", "x", 0.25)
    assert [(one.a, one.b) for one in first.scores + second.scores] == [(0.9, 0.2), (0.2, 0.9)]
    assert first.rationale == "because"
    (turn,) = second.turns
    assert (turn.item, turn.stage, turn.claims, turn.content) == (
        "x",
        "opening",
        ["it flies"],
        "half a character \ufffd",
    )
    took = seen.spending
    assert (took.decisions, took.turns, took.requests, took.tokens) == (2, 1, 4, 12)
    assert (took.dollars, took.seconds) == (1.75, 2.0)
    assert [(one.item, one.old, one.new) for one in seen.changes] == [("x", 1200.0, 1216.0), ("y", 1200.0, 1184.0)]
    assert [one.text for one in seen.entrants] == ["text of x", "text of y"]
    TypeAdapter(type(seen)).dump_json(seen)


def test_a_match_among_several_tells_their_order(debated: LedgerReader) -> None:
    seen = match(debated, "t-1", "list")
    assert (seen.items, seen.winner, seen.verdicts[0].order) == (["z", "x", "y"], "z", ["z", "x", "y"])
    assert len(seen.changes) == 3
    assert (seen.spending.dollars, match(debated, "t-1", "void").spending.decisions) == (None, 0)


def test_a_match_that_was_rolled_back_says_why_and_what_that_moved(debated: LedgerReader) -> None:
    debated.ledger.matches.rollback("t-1", "list", "a mistake")
    seen = match(debated, "t-1", "list")
    assert (seen.rolled_back, seen.reason) == (True, "a mistake")
    assert {one.item: round(one.new, 6) for one in seen.compensations} == {"x": 1216.0, "y": 1184.0, "z": 1200.0}


def test_matches_are_listed_newest_first_and_page_by_page(debated: LedgerReader) -> None:
    first = matches(debated, "t-1", limit=2)
    assert [one.id for one in first.matches] == ["void", "list"]
    debated.ledger.matches.record("t-1", Match(id="late", a="x", b="z", outcome=Outcome.DRAW))
    second = matches(debated, "t-1", limit=2, cursor=first.next)
    assert ([one.id for one in second.matches], second.next) == (["1.1"], None)
    assert second.matches[0].judges == ["j"]


def test_the_matches_of_an_item_are_those_that_moved_it(debated: LedgerReader) -> None:
    debated.ledger.matches.rollback("t-1", "1.1", "no")
    found = matches_of(debated, "t-1", "x").matches
    assert [(one.id, one.rolled_back) for one in found] == [("list", False), ("1.1", True)]
    assert found[1].change == 16.0
    assert [one.id for one in matches_of(debated, "t-1", "z").matches] == ["list"]
    assert matches_of(debated, "t-1", "x", limit=1).matches[0].id == "list"


def test_what_is_not_there_is_not_found(debated: LedgerReader) -> None:
    for seek in (
        lambda: match(debated, "t-1", "9.9"),
        lambda: match(debated, "t-2", "1.1"),
        lambda: matches(debated, "x"),
    ):
        with pytest.raises(NotFound):
            seek()
