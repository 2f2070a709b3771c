"""What is asked for a match finds its rows by an index: the millionth match takes no longer than the first."""

import sqlite3

from sqlalchemy import event

from paragone.domain import (
    Choice,
    Comparison,
    Critique,
    Dealings,
    DomainPrediction,
    Item,
    ItemKind,
    Match,
    Pairing,
    Prediction,
    RatingConfig,
    Relation,
    Resolution,
    Scorecard,
    Verdict,
    VerificationResult,
)
from paragone.ledger import Ledger

GROWING = ("comparison", "match", "match_comparison", "rating_change", "commit", "adjustment", "debate_turn")
OF_AGENTS = (
    "item",
    "rating",
    "track_rating",
    "agent_tally",
    "relationship",
    "prediction",
    "resolution",
    "domain_prediction",
    "critique",
    "relation",
    "registration",
    "commit",
)


def plans(file, asked):
    """How SQLite would go about each statement, one line a step."""
    with sqlite3.connect(file) as raw:
        for statement in asked:
            for step in raw.execute(f"EXPLAIN QUERY PLAN {statement}"):
                yield statement, step[3]


def asked_by(ledger, work):
    """The SELECT statements that some work puts to SQLite itself, with their values in them."""
    asked, traced = [], []
    engine = ledger._database._engine

    def note(statement):
        if statement.startswith(("SELECT", "WITH")):
            asked.append(statement)

    def trace(connection, *_rest):
        connection.set_trace_callback(note)
        traced.append(connection)

    event.listen(engine, "checkout", trace)
    try:
        work()
    finally:
        event.remove(engine, "checkout", trace)
        for connection in traced:
            connection.set_trace_callback(None)
    return asked


def test_no_statement_of_a_match_walks_the_pool(tmp_path):
    file = tmp_path / "ledger.db"
    with Ledger.open(file) as ledger:
        ledger.pools.create("p", RatingConfig())
        ledger.items.add("p", [Item(id=id, text=id) for id in "abc"])
        tournament = ledger.tournaments.create(
            "t", settings={}, items=[Item(id=id, text=id) for id in "ab"], config=RatingConfig()
        )
        comparison = Comparison(call="1.1.1", first="a", second="b", verdict=Verdict(choice=Choice.FIRST, judge="j"))
        match = Match.of("1.1", Pairing(a="a", b="b"), (comparison,))

        def work():
            ledger.tournaments.cached_verdict("k")
            ledger.tournaments.verdict(tournament.id, "1.1.1")
            ledger.tournaments.record_verdict(tournament.id, comparison, key="k")
            ledger.matches.record(tournament.id, match)
            ledger.matches.record(tournament.id, match)
            ledger.matches.get(tournament.id, "1.1")
            ledger.ratings.changes(tournament.id, "a")
            ledger.tournaments.turns(tournament.id, "1.1.1")
            ledger.tournaments.turn(tournament.id, "1.1.1", 1)
            ledger.tournaments.plan_round(tournament.id, 1, [Pairing(a="a", b="b")])

        asked = asked_by(ledger, work)
    assert len(asked) > 10
    assert walks(file, asked, GROWING) == []


def walks(file, asked, tables):
    """The steps that look at all rows of a table, or at all that a pool has in it."""
    return [
        (step, statement)
        for statement, step in plans(file, asked)
        if (step.startswith("SCAN") and any(name in step.split() for name in tables))
        or (step.endswith("(pool=?)") and step.split()[1] in tables)
    ]


def test_no_statement_about_an_agent_walks_the_pool(tmp_path):
    file, pool = tmp_path / "ledger.db", "p"
    with Ledger.open(file) as ledger:
        ledger.pools.create(pool, RatingConfig(), kind=ItemKind.AGENT)
        known = DomainPrediction(id="x", agent="a", domain="d", confidence=0.5, correct=True)
        relations = [Relation(id=f"x{b}", a="a", b=b, dealings=Dealings(debates=1)) for b in "bcd"]

        def work():
            ledger.agents.register(pool, "a", "model")
            ledger.agents.record_prediction(pool, Prediction(tournament="t", predictor="a", winner="b", confidence=0.5))
            ledger.agents.resolve(pool, Resolution(tournament="t", winner="b"))
            ledger.agents.record_domain_predictions(pool, [known])
            ledger.agents.record_critiques(pool, [Critique(id="x", agent="a", accepted=True)])
            ledger.agents.record_relations(pool, relations)
            ledger.agents.predictions(pool, "a")
            ledger.agents.domain_predictions(pool, "a")
            ledger.agents.domain_predictions(pool, "a", "d")
            ledger.agents.existing_ids(pool, "prediction", ["x", "y"])
            ledger.agents.relations(pool, "b")
            ledger.agents.relation(pool, "b", "a")
            ledger.agents.records(pool, ["a", "b"])

        asked = asked_by(ledger, work)
    assert len(asked) > 30
    assert walks(file, asked, OF_AGENTS) == []


def test_no_statement_about_scores_and_tests_walks_the_pool(tmp_path):
    file, pool = tmp_path / "ledger.db", "p"
    tables = (*GROWING, *OF_AGENTS, "scorecard", "track_change", "test")
    with Ledger.open(file) as ledger:
        ledger.pools.create(pool, RatingConfig(), kind=ItemKind.AGENT)
        cards = [Scorecard(participants=("a", "b", other), scores=(1.0, 0.5, 0.0), domain="d") for other in "cde"]
        one, *several = (Match.scored(f"m{number}", card) for number, card in enumerate(cards))
        test = VerificationResult(id="t", item="a", verified=1, domain="d")

        def work():
            for _ in range(2):
                ledger.agents.record_matches(pool, [one])
                ledger.agents.record_matches(pool, several)
                ledger.agents.record_test(pool, test)
            ledger.agents.tests(pool, "a")
            ledger.agents.existing_ids(pool, "match", ["m1", "m9"])
            ledger.agents.matches(pool, agent="a", opponent="b", domain="d", count=3)
            ledger.agents.matches(pool, agent="a")
            ledger.agents.rating_history(pool, "a")
            ledger.agents.rating_history(pool, "a", track="d", count=3)
            ledger.ratings.changes(pool, "a")

        asked = asked_by(ledger, work)
        listed = asked_by(ledger, lambda: [ledger.agents.matches(pool, count=2), ledger.agents.score_columns(pool)])
        listed += asked_by(ledger, lambda: ledger.agents.matches(pool, domain="d", count=2))
    assert len(asked) > 40
    assert walks(file, asked, tables) == []
    steps = [step for _, step in plans(file, listed)]
    assert not [step for step in steps if step.startswith("SCAN") and step != "SCAN CONSTANT ROW"]
    assert "SEARCH scorecard USING INDEX sqlite_autoindex_scorecard_1 (pool=?)" in steps, "in the order of record"
    assert "SEARCH scorecard USING INDEX ix_scorecard_pool_domain_seq (pool=? AND domain=?)" in steps


def test_a_board_takes_its_first_from_an_index_and_six_questions_whatever_its_length(tmp_path):
    file = tmp_path / "ledger.db"
    with Ledger.open(file) as ledger:
        ledger.pools.create("p", RatingConfig(), kind=ItemKind.AGENT)
        ledger.agents.record_critiques("p", [Critique(agent=f"a{number}", accepted=True) for number in range(300)])
        board = asked_by(ledger, lambda: ledger.agents.board_rows("p", count=30))
        board += asked_by(ledger, lambda: ledger.agents.board_rows("p", count=30, domain="d"))
        everybody = asked_by(ledger, lambda: ledger.agents.board_rows("p", count=300))
        everybody += asked_by(ledger, lambda: ledger.agents.rows("p", [f"a{number}" for number in range(250)]))
    assert len(board) == 5 + 6, "the pool, who is on it, their ratings, those in domains, what is counted, models"
    assert len(everybody) == 5 + 6, "the same; of many names it is asked whether they are most of the pool"
    steps = [step for _, step in plans(file, board) if step.endswith("(pool=?)") and step.split()[1] in OF_AGENTS]
    assert {step.replace("COVERING ", "") for step in steps} == {
        "SEARCH rating USING INDEX ix_rating_pool_elo_item (pool=?)"
    }
    assert walks(file, board, set(OF_AGENTS) - {"rating"}) == []
    sorts = [sql for sql, step in plans(file, everybody) if "TEMP B-TREE" in step]
    assert not [sql for sql in sorts if "registration" not in sql]
