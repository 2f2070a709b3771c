"""What can be written to a pool, operation by operation, for those who break it off between any two writes.

Each operation may be done again, and then completes what was broken off.
"""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Choice,
    Comparison,
    Critique,
    Dealings,
    DebateTurn,
    DomainPrediction,
    EvidenceKind,
    Item,
    ItemKind,
    Lineup,
    Match,
    Order,
    Pairing,
    Prediction,
    Ranking,
    RatingConfig,
    RedTeamResult,
    Relation,
    Resolution,
    Review,
    Scorecard,
    Speaker,
    Stage,
    Verdict,
)
from paragone.ledger import Ledger, schema

NOTED = "noted"
"""The kind of events that are left out of account."""
ITEMS = [Item(id=id, text=f"text {id}") for id in "abcd"]
TABLES = [table.name for table in schema.metadata.sorted_tables if "pool" in table.c and table is not schema.head]


@dataclass(frozen=True, kw_only=True)
class Story:
    """A pool, and what can be done in it.

    Attributes:
        begin: Makes a pool in which something has happened, given a ledger and a name; returns its id.
        operations: What can be done next, given the ledger and the id.
        state: All that is known of it, less moments and names.
    """

    begin: Callable[[Ledger, str], str]
    operations: Mapping[str, Callable[[Ledger, str], Any]]
    state: Callable[[Ledger, str], Any]


def lying(driver, id):
    """Every row that a pool, or the next tournament of its stem, has in any table, as it lies there, less events that
    are left out of account; and how many these are.

    To look through rows takes a fraction of reading and auditing what they say. Evidence only grows, so that an audit
    at the end sees all of it.

    Args:
        driver: A connection of the database's own driver; a server is asked once.
        id: The pool.
    """
    where = f"WHERE pool IN ('{id}', '{_next(id)}')"
    if isinstance(driver, sqlite3.Connection):
        rows = [(name, repr(row)) for name in TABLES for row in driver.execute(f'SELECT * FROM "{name}" {where}')]
    else:
        parts = (f'SELECT \'{name}\', "{name}"::text FROM "{name}" {where}' for name in TABLES)
        rows = driver.execute(" UNION ALL ".join(parts)).fetchall()
    lines = sorted(row for row in rows if row[0] != "commit" and NOTED not in row[1])
    noted = sum(NOTED in text for _, text in rows)
    return (sum(name == "commit" for name, _ in rows) - noted, lines), noted


def _next(id):
    """The next tournament of the same stem."""
    return f"{id.removesuffix('-1')}-2"


def comparison(call, first="a", second="b"):
    return Comparison(call=call, first=first, second=second, verdict=Verdict(choice=Choice.FIRST, judge="j"))


def ranked(id):
    verdict = Verdict(choice=Choice.RANKED, judge="j", order=(2, 0, 1))
    return Match.ranked(id, Ranking(call=f"{id}.1", shown=("a", "b", "c"), verdict=verdict))


def match(id, a="a", b="b"):
    both = (comparison(f"{id}.AB", a, b), comparison(f"{id}.BA", b, a))
    return Match.of(id, Pairing(a=a, b=b, orders=(Order.AB, Order.BA)), both)


def created(ledger, id):
    """A second tournament of the same stem, once."""
    if _next(id) not in {record.id for record in ledger.tournaments.all()}:
        ledger.tournaments.create(id.removesuffix("-1"), settings={}, items=ITEMS, config=RatingConfig())


def extended(ledger, id):
    if "extended" not in {event.kind for event in ledger.tournaments.events(id)}:
        ledger.tournaments.add_event(id, "extended", {"budget": 3})


def items(ledger, id):
    ledger.items.add(id, [Item(id=new, text="new") for new in "ef"])


def planned(ledger, id):
    debate = Pairing(a="a", b="b", turns=3, degraded=True)
    ledger.tournaments.plan_round(id, 1, [debate, Lineup(items=("a", "b", "c"))], {"forecast_units": 8})


def noticed(ledger, id):
    """Two events, once."""
    if "task" not in {event.kind for event in ledger.tournaments.events(id)}:
        ledger.tournaments.add_events(id, [("task", {"id": "t1"}), ("task_state", {"id": "t1", "state": "running"})])


def turn(number):
    speaker = Speaker.FIRST if number % 2 else Speaker.SECOND
    return DebateTurn(call="c", number=number, speaker=speaker, stage=Stage.OPENING, content="said", claims=("so",))


def adjustment(id, item, target, share=1.0):
    return Adjustment(id=id, item=item, kind=AdjustmentKind.SEED, target=target, share=share)


def joined(ledger, id):
    fresh = [Item(id=new, text="new") for new in "ef"]
    seeds = [adjustment("seed e", "e", 1300.0), adjustment("seed a", "a", 1300.0, 0.5)]
    ledger.tournaments.join(id, fresh, round=2, adjustments=seeds, reviews=[Review(item="e", reviewer="r", score=0.5)])


def scored(id, a="claude", b="gpt", c="gemini"):
    return Match.scored(id, Scorecard(participants=(a, b, c), scores=(0.8, 0.6, 0.4), domain="law"))


def played(ledger, stem):
    """A tournament that some matches have been played in."""
    id = ledger.tournaments.create(stem, settings={"goal": "all"}, items=ITEMS, config=RatingConfig()).id
    ledger.matches.record(id, match("m0"))
    ledger.ratings.adjust(id, [adjustment("d0", "a", 1200.0, 0.25)])
    ledger.matches.record(id, match("m1", "b", "c"))
    ledger.agents.record_matches(id, [scored("d0", "c", "a", "d")])
    return id


def state_of_tournament(ledger, id):
    """All that is known of a tournament and of the next of its stem."""
    report, others = ledger.audit(id), [record.pool for record in ledger.tournaments.all() if record.id == _next(id)]
    kinds = [event.kind for event in ledger.tournaments.events(id)]
    noted = kinds.count(NOTED)
    assert report.ok, report.differences
    assert all(ledger.audit(other).ok for other in others)
    return (
        [len(ledger.items.all(other)) for other in others],
        (report.commits - noted, report.rows - noted),
        [kind for kind in kinds if kind != NOTED],
        [(entry.match, entry.rolled_back) for entry in ledger.matches.all(id)],
        (ledger.ratings.all(id), ledger.ratings.changes(id), ledger.items.all(id), ledger.items.reviews(id)),
        (ledger.tournaments.rounds(id), ledger.tournaments.verdict(id, "c"), ledger.tournaments.turns(id)),
        [entry.adjustment for entry in ledger.ratings.adjustments(id)],
        ledger.agents.records(id),
    )


TOURNAMENTS = Story(
    begin=played,
    state=state_of_tournament,
    operations={
        "create_tournament": created,
        "add_items": items,
        "add_event": extended,
        "plan_round": planned,
        "record_verdict": lambda ledger, of: ledger.tournaments.record_verdict(of, comparison("c"), key="k"),
        "record_match": lambda ledger, of: ledger.matches.record(of, match("new", "c", "d")),
        "record_match of a ranking": lambda ledger, of: ledger.matches.record(of, ranked("new")),
        "record_turn": lambda ledger, of: ledger.tournaments.record_turn(of, turn(1)),
        "record_review": lambda ledger, of: ledger.items.record_review(of, Review(item="a", reviewer="r", score=0.5)),
        "adjust": lambda ledger, of: ledger.ratings.adjust(
            of, [adjustment("d1", "a", 1200.0, 0.5), adjustment("d2", "b", 1200.0, 0.5), adjustment("d3", "a", 1100.0)]
        ),
        "rollback": lambda ledger, of: ledger.matches.rollback(of, "d0", "disputed"),
        "join": joined,
        "join with reviews that wake": lambda ledger, of: ledger.tournaments.join(
            of, (), round=2, reviews=[Review(item=id, reviewer="r", score=0.5) for id in "ab"], wake=True
        ),
        "add_events": noticed,
        "rebuild": lambda ledger, of: ledger.rebuild(of),
    },
)


def in_domain(id, agent):
    return DomainPrediction(id=id, agent=agent, domain="law", confidence=0.7, correct=True)


def relation(id, a, b):
    return Relation(id=id, a=a, b=b, dealings=Dealings(debates=1, a_wins=1))


def of_agents(ledger, pool):
    """A pool of agents of whom something is known."""
    ledger.pools.create(pool, RatingConfig(initial=1500.0, k=32.0), kind=ItemKind.AGENT)
    ledger.agents.record_matches(pool, [scored("m0"), scored("m1", "gpt", "claude", "llama")])
    ledger.agents.record_prediction(pool, Prediction(tournament="t", predictor="claude", winner="gpt", confidence=0.75))
    ledger.agents.record_prediction(pool, Prediction(tournament="t", predictor="new", winner="gpt", confidence=0.5))
    ledger.agents.record_domain_predictions(pool, [in_domain("p0", "claude")])
    ledger.agents.record_relations(pool, [relation("r0", "claude", "gpt")])
    ledger.agents.record_test(pool, RedTeamResult(id="attack", item="claude", robustness=0.9, successful=1, total=9))
    ledger.agents.record_critiques(pool, [Critique(id="critique", agent="gpt", accepted=True)])
    ledger.agents.record_prediction(pool, Prediction(tournament="s", predictor="claude", winner="gpt", confidence=0.75))
    ledger.agents.resolve(pool, Resolution(tournament="s", winner="gpt"))
    return pool


def state_of_agents(ledger, pool):
    """All that is known of a pool of agents."""
    report = ledger.audit(pool)
    assert report.ok, report.differences
    return (
        (report.commits, report.rows, ledger.items.all(pool), ledger.ratings.changes(pool)),
        (ledger.agents.records(pool), ledger.agents.relations(pool), [each.test for each in ledger.agents.tests(pool)]),
        [(each.prediction, each.brier) for each in ledger.agents.predictions(pool)],
        [each.prediction for each in ledger.agents.domain_predictions(pool)],
        [(each.match, each.rolled_back) for each in ledger.agents.matches(pool)],
    )


FORETOLD = Prediction(tournament="u", predictor="another", winner="gpt", confidence=0.5)
ATTACKED = RedTeamResult(id="test", item="claude", robustness=0.9, successful=1, total=9, domain="law")

AGENTS = Story(
    begin=of_agents,
    state=state_of_agents,
    operations={
        "register": lambda ledger, pool: ledger.agents.register(pool, "another", "model"),
        "record_prediction": lambda ledger, pool: ledger.agents.record_prediction(pool, FORETOLD),
        "resolve": lambda ledger, pool: ledger.agents.resolve(pool, Resolution(tournament="t", winner="gpt")),
        "record_domain_predictions": lambda ledger, pool: ledger.agents.record_domain_predictions(
            pool, [in_domain("p1", "claude"), in_domain("p2", "another"), in_domain("p3", "gpt")]
        ),
        "record_critiques": lambda ledger, pool: ledger.agents.record_critiques(
            pool, [Critique(id="c1", agent="claude", accepted=True), Critique(id="c2", agent="another", accepted=False)]
        ),
        "relate": lambda ledger, pool: ledger.agents.record_relations(
            pool, [relation("r1", "gpt", "claude"), relation("r2", "claude", "another")]
        ),
        "record_scores": lambda ledger, pool: ledger.agents.record_matches(
            pool, [scored("m2", "claude", "gpt", "another"), scored("m3")]
        ),
        "record_test": lambda ledger, pool: ledger.agents.record_test(pool, ATTACKED),
        "void a test": lambda ledger, pool: ledger.agents.void(pool, "attack", "not valid"),
        "void a critique": lambda ledger, pool: ledger.agents.void(pool, "critique", "x", kind=EvidenceKind.CRITIQUE),
        "void a relation": lambda ledger, pool: ledger.agents.void(pool, "r0", "x"),
        "void a resolution": lambda ledger, pool: ledger.agents.void(pool, "s", "the jury was wrong"),
        "rollback": lambda ledger, pool: ledger.matches.rollback(pool, "m0", "disputed"),
        "rebuild": lambda ledger, pool: ledger.rebuild(pool),
    },
)
