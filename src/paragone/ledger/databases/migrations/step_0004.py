"""Agents: what they scored, how they were tested, what they foretold and what happened between them."""

from typing import Any

from alembic.operations import Operations
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)

from paragone.ledger.databases.dialects import Dialect

Part = Column[Any] | ForeignKeyConstraint | UniqueConstraint


def upgrade(operations: Operations, dialect: Dialect) -> None:
    """Make their tables."""
    _ratings(operations)
    _predictions(operations)
    _dealings(operations)
    _projections(operations)
    for table in _EVIDENCE:
        for statement in dialect.append_only(table):
            operations.execute(statement)


_EVIDENCE = (
    "scorecard",
    "track_change",
    "test",
    "prediction",
    "resolution",
    "domain_prediction",
    "critique",
    "relation",
    "registration",
)
_COUNTS = (
    "debates",
    "agreements",
    "critiques_a_to_b",
    "critiques_b_to_a",
    "accepted_a_to_b",
    "accepted_b_to_a",
    "changes_a_after_b",
    "changes_b_after_a",
    "a_wins",
    "b_wins",
)


def _ratings(operations: Operations) -> None:
    """What moves ratings."""
    _evidence(
        operations,
        "scorecard",
        *map(_text, ("match", "entries", "domain", "task", "counting", "normalization")),
        _key("scorecard", "match", "match"),
        UniqueConstraint("pool", "match", name="uq_scorecard_pool_match"),
    )
    _evidence(
        operations,
        "track_change",
        *map(_text, ("item", "track", "match")),
        *map(_real, ("old", "new", "k", "expected", "score", "clamped")),
        _flag("compensates"),
        _key("track_change", "item", "item"),
        _key("track_change", "match", "match"),
    )
    _evidence(
        operations,
        "test",
        *map(_text, ("test", "item", "kind", "measured", "session", "domain")),
        *map(_real, ("old", "new", "clamped")),
        *(Column(name, Double) for name in ("domain_old", "domain_new", "domain_clamped")),
        _key("test", "item", "item"),
        UniqueConstraint("pool", "test", name="uq_test_pool_test"),
    )
    _index(operations, "scorecard", "domain", "seq")
    _index(operations, "track_change", "match")
    for table in ("track_change", "test"):
        _index(operations, table, "item")


def _predictions(operations: Operations) -> None:
    """What was foretold and what came of it."""
    _evidence(
        operations,
        "prediction",
        *map(_text, ("tournament", "item", "winner")),
        _real("confidence"),
        _key("prediction", "item", "item"),
    )
    _evidence(
        operations,
        "resolution",
        *map(_text, ("tournament", "winner")),
        ForeignKeyConstraint(["pool"], ["pool.pool"], name="fk_resolution_pool"),
        UniqueConstraint("pool", "tournament", name="uq_resolution_pool_tournament"),
    )
    _evidence(
        operations,
        "domain_prediction",
        Column("prediction", Text),
        *map(_text, ("item", "domain")),
        _real("confidence"),
        _flag("correct"),
        _key("domain_prediction", "item", "item"),
        UniqueConstraint("pool", "prediction", name="uq_domain_prediction_pool_prediction"),
    )
    _index(operations, "prediction", "tournament")
    _index(operations, "prediction", "item")
    _index(operations, "domain_prediction", "item", "domain")


def _dealings(operations: Operations) -> None:
    """What else is known of agents and of what happened between them."""
    _evidence(
        operations,
        "critique",
        Column("critique", Text),
        _text("item"),
        _flag("accepted"),
        _key("critique", "item", "item"),
        UniqueConstraint("pool", "critique", name="uq_critique_pool_critique"),
    )
    _evidence(
        operations,
        "relation",
        Column("relation", Text),
        *map(_text, ("a", "b")),
        *map(_whole, _COUNTS),
        _key("relation", "a", "item"),
        _key("relation", "b", "item"),
        UniqueConstraint("pool", "relation", name="uq_relation_pool_relation"),
    )
    _evidence(
        operations,
        "registration",
        *map(_text, ("item", "model")),
        _key("registration", "item", "item"),
    )
    for table in ("critique", "registration"):
        _index(operations, table, "item")


def _projections(operations: Operations) -> None:
    """Ratings by domain, and what is counted of agents and of pairs."""
    operations.create_table(
        "track_rating",
        *map(_text, ("pool", "item", "track")),
        _real("elo"),
        *(Column(name, Integer, nullable=False) for name in ("matches", "wins", "losses", "ties")),
        PrimaryKeyConstraint("pool", "item", "track", name="pk_track_rating"),
    )
    operations.create_index(
        "ix_track_rating_pool_track_elo_item", "track_rating", ["pool", "track", text("elo DESC"), "item"]
    )
    counts = ("critiques_accepted", "critiques_total", "calibration_correct", "calibration_total")
    operations.create_table(
        "agent_tally",
        *map(_text, ("pool", "item")),
        *(Column(name, Integer, nullable=False) for name in counts),
        _real("calibration_brier_sum"),
        PrimaryKeyConstraint("pool", "item", name="pk_agent_tally"),
    )
    operations.create_table(
        "relationship",
        *map(_text, ("pool", "a", "b")),
        *map(_whole, _COUNTS),
        PrimaryKeyConstraint("pool", "a", "b", name="pk_relationship"),
    )
    _index(operations, "relationship", "b")


def _evidence(operations: Operations, name: str, *parts: Part) -> None:
    operations.create_table(
        name,
        _text("pool"),
        Column("seq", BigInteger, nullable=False, autoincrement=False),
        Column("commit", BigInteger, nullable=False),
        *parts,
        PrimaryKeyConstraint("pool", "seq", name=f"pk_{name}"),
        ForeignKeyConstraint(["pool", "commit"], ["commit.pool", "commit.number"], name=f"fk_{name}_pool_commit"),
    )


def _key(table: str, column: str, to: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["pool", column], [f"{to}.pool", f"{to}.{to}"], name=f"fk_{table}_pool_{column}")


def _index(operations: Operations, table: str, *columns: str) -> None:
    operations.create_index(f"ix_{table}_pool_{'_'.join(columns)}", table, ["pool", *columns])


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _real(name: str) -> Column[float]:
    return Column(name, Double, nullable=False)


def _whole(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def _flag(name: str) -> Column[int]:
    return Column(name, SmallInteger, nullable=False)
