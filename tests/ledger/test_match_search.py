"""Matches by item, judge, outcome and words, against a plain pass over all of them, on both databases."""

import random
from itertools import product

import pytest

from paragone.domain import Choice, Comparison, Item, Match, Outcome, Ranking, RatingConfig, Verdict
from paragone.ledger.evidence import match_search
from paragone.ledger.records import MatchFilter

WORDS = ("It is 100% shorter.", "Sharp_edges", "It is SHORTER\0", "Ünïcode / slash", "")
JUDGES = ("ann", "llm:big", "llm:small")


@pytest.fixture(scope="module")
def ledger(shared_ledger):
    """One with sixty matches, a list among them and some rolled back, that all tests read."""
    rng = random.Random(7)
    shared_ledger.pools.create("p", RatingConfig())
    ids = [f"i{number}" for number in range(6)]
    shared_ledger.items.add("p", [Item(id=id, text=id) for id in ids])
    for number in range(60):
        a, b = rng.sample(ids, 2)
        outcome = rng.choice([Outcome.A, Outcome.B, Outcome.DRAW, Outcome.VOID])
        choice = {Outcome.A: Choice.FIRST, Outcome.B: Choice.SECOND, Outcome.DRAW: Choice.TIE}.get(
            outcome, Choice.ABSTAIN
        )
        verdict = Verdict(choice=choice, judge=rng.choice(JUDGES), rationale=rng.choice(WORDS))
        comparison = Comparison(call=f"c{number}", first=a, second=b, verdict=verdict)
        shared_ledger.matches.record("p", Match(id=f"m{number}", a=a, b=b, outcome=outcome, comparisons=(comparison,)))
    verdict = Verdict(choice=Choice.RANKED, judge="llm:big", rationale="A list, 100% sure.", order=(1, 2, 0))
    shared_ledger.matches.record(
        "p", Match.ranked("list", Ranking(call="list", shown=("i0", "i1", "i2"), verdict=verdict))
    )
    for number in range(0, 60, 7):
        shared_ledger.matches.rollback("p", f"m{number}", "disputed")
    return shared_ledger


def plainly(matches, match_filter):
    """The ids of matches that meet a filter, the newest first."""
    kinds = {"a": "won", "b": "won", "draw": "tie", "void": "void"}
    ids = []
    for recorded in matches:
        match, answers = recorded.match, recorded.match.answers
        kind = "rolled back" if recorded.rolled_back else kinds[match.outcome.value]
        judges, said = [each.verdict.judge for each in answers], [each.verdict.rationale.lower() for each in answers]
        if (
            (match_filter.item is None or match_filter.item in match.items)
            and (match_filter.outcome is None or match_filter.outcome == kind)
            and (match_filter.judge is None or any(match_filter.judge.lower() in judge for judge in judges))
            and (match_filter.words is None or any(match_filter.words.lower() in words for words in said))
        ):
            ids.append(match.id)
    return ids[::-1]


def found(ledger, match_filter, count=500, offset=0):
    matching = ledger.matches.search("p", match_filter, before=None, count=count, offset=offset)
    return [each.match.id for each in matching.matches]


def test_every_filter_finds_what_a_plain_pass_finds(ledger, thinned):
    """Every seventh of 4 x 3 x 5 x 6 still has each value of each part beside each of every other."""
    items, judges = (None, "i2", "i0", "nobody"), (None, "llm", "ann")
    outcomes, words = (None, "won", "tie", "void", "rolled back"), (None, "shorter", "100%", "_", "/", "absent")
    matches, numbers = ledger.matches.all("p"), []
    for item, judge, outcome, said in thinned(product(items, judges, outcomes, words)):
        match_filter = MatchFilter(item=item, judge=judge, outcome=outcome, words=said)
        expected = plainly(matches, match_filter)
        assert found(ledger, match_filter) == expected, match_filter
        numbers.append(len(expected))
    assert max(numbers) == 61
    assert sum(map(bool, numbers)) > len(numbers) // 6


def test_pages_and_windows_leave_nothing_out(ledger, monkeypatch):
    match_filter = MatchFilter(words="shorter")
    expected = plainly(ledger.matches.all("p"), match_filter)
    by_page = [found(ledger, match_filter, count=4, offset=offset) for offset in range(0, len(expected), 4)]
    assert [id for page in by_page for id in page] == expected
    assert ledger.matches.search("p", match_filter, before=None, count=4).total == len(expected)
    monkeypatch.setattr(match_search, "SEARCHED", 10)
    seen, before, windows = [], None, 0
    while windows < 20:
        part = ledger.matches.search("p", match_filter, before=before, count=500)
        seen += [each.match.id for each in part.matches]
        windows, before = windows + 1, part.older
        if before is None:
            break
    assert (seen, windows) == (expected, 7)
