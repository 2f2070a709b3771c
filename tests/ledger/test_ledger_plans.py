"""What is asked for a match finds its rows by an index: the millionth match takes no longer than the first."""

import sqlite3

from sqlalchemy import event

from paragone.domain import Choice, Comparison, Item, Match, Pairing, RatingConfig, Verdict
from paragone.ledger import Ledger

GROWING = ("comparison", "match", "match_comparison", "rating_change", "commit", "adjustment", "debate_turn")


def plans(file, asked):
    """How SQLite would go about each statement, one line a step."""
    with sqlite3.connect(file) as raw:
        for statement, values in asked:
            for step in raw.execute(f"EXPLAIN QUERY PLAN {statement}", values):
                yield statement, step[3]


def asked_by(ledger, work):
    """The SELECT statements that some work puts, with their values."""
    asked = []
    engine = ledger._database._engine

    def note(_connection, _cursor, statement, values, *_rest):
        if statement.startswith("SELECT"):
            asked.append((statement, values))

    event.listen(engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(engine, "before_cursor_execute", note)
    return asked


def test_no_statement_of_a_match_walks_the_pool(tmp_path):
    file = tmp_path / "ledger.db"
    with Ledger.open(file) as ledger:
        ledger.create_pool("p", RatingConfig())
        ledger.add_items("p", [Item(id=id, text=id) for id in "abc"])
        tournament = ledger.create_tournament(
            "t", settings={}, items=[Item(id=id, text=id) for id in "ab"], config=RatingConfig()
        )
        comparison = Comparison(call="1.1.1", first="a", second="b", verdict=Verdict(choice=Choice.FIRST, judge="j"))
        match = Match.of("1.1", Pairing(a="a", b="b"), (comparison,))

        def work():
            ledger.cached_verdict("k")
            ledger.verdict(tournament.id, "1.1.1")
            ledger.record_verdict(tournament.id, comparison, key="k")
            ledger.record_match(tournament.id, match)
            ledger.record_match(tournament.id, match)
            ledger.match(tournament.id, "1.1")
            ledger.changes(tournament.id, "a")
            ledger.turns(tournament.id, "1.1.1")
            ledger.plan_round(tournament.id, 1, [Pairing(a="a", b="b")])

        asked = asked_by(ledger, work)
    assert len(asked) > 10
    walks = [
        (step, statement)
        for statement, step in plans(file, asked)
        if (step.startswith("SCAN") and any(name in step.split() for name in GROWING))
        or (step.endswith("(pool=?)") and step.split()[1] in GROWING)
    ]
    assert walks == []
