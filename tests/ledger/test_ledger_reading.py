"""Long records a page at a time: all that is there, in its order, and by an index."""

import sqlite3

import pytest
from sqlalchemy import event

from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Choice,
    Comparison,
    Item,
    Match,
    Order,
    Pairing,
    Ranking,
    RatingConfig,
    Verdict,
)
from paragone.errors import NotFound
from paragone.ledger import Ledger
from paragone.ledger.databases import database


@pytest.fixture
def ledger(tmp_path):
    """A pool with matches of one and of two comparisons, a list, a rollback and adjustments."""
    with Ledger.open(tmp_path / "ledger.db") as made:
        made.pools.create("p", RatingConfig())
        made.items.add("p", [Item(id=id, text=id) for id in "abcd"])
        for number in range(1, 24):
            record(made, number)
            if number % 7 == 0:
                kind = AdjustmentKind.DECAY
                made.ratings.adjust(
                    "p", [Adjustment(id=f"m{number}", item="a", kind=kind, target=1200, share=0.1, reason="r")]
                )
        made.matches.rollback("p", "5", "wrong")
        yield made


def record(ledger, number):
    if number == 9:
        verdict = Verdict(choice=Choice.RANKED, judge="j", order=(1, 0, 2))
        ledger.matches.record("p", Match.ranked("9", Ranking(call="9.1", shown=("a", "b", "c"), verdict=verdict)))
        return
    pairing = Pairing(a="ab"[number % 2], b="cd"[number % 3 == 0], orders=(Order.AB, Order.BA)[: 1 + number % 2])
    told = tuple(
        Comparison(call=f"{number}.{at}", first=first, second=second, verdict=Verdict(choice=Choice.FIRST, judge="j"))
        for at, (first, second) in enumerate(map(pairing.shown, pairing.orders))
    )
    ledger.matches.record("p", Match.of(str(number), pairing, told))


@pytest.mark.parametrize("page", [1, 4, 1000])
def test_pages_together_are_the_whole_record(ledger, monkeypatch, page):
    monkeypatch.setattr(database, "PAGE", page)
    assert tuple(ledger.matches.each("p")) == ledger.matches.all("p")
    assert tuple(ledger.ratings.each_change("p")) == ledger.ratings.changes("p")
    assert len(ledger.ratings.changes("p")) > 50


def test_of_no_pool_there_is_nothing_to_read(ledger):
    with pytest.raises(NotFound):
        next(ledger.matches.each("q"))
    with pytest.raises(NotFound):
        next(ledger.ratings.each_change("q"))


def test_a_page_is_found_by_an_index(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "PAGE", 4)
    asked = []  # of SQLite itself, which is sent some past SQLAlchemy

    def listen(connection, *_):
        connection.set_trace_callback(asked.append)

    event.listen(ledger._database._engine, "checkout", listen)
    list(ledger.matches.each("p"))
    list(ledger.ratings.each_change("p"))
    with sqlite3.connect(tmp_path / "ledger.db") as raw:
        plans = [
            (step[3], statement)
            for statement in asked
            if statement.startswith("SELECT")
            for step in raw.execute(f"EXPLAIN QUERY PLAN {statement}")
        ]
    growing = ("comparison", "match", "match_comparison", "match_ranking", "rating_change")
    walks = [
        (step, statement)
        for step, statement in plans
        if (step.startswith("SCAN") and any(name in step.split() for name in growing))
        or (step.endswith("(pool=?)") and step.split()[1] in growing and "LIMIT" not in statement)
    ]
    assert len(plans) > 50
    assert walks == []  # but for the first page of changes, which stops where its limit is
