"""The first tables: evidence with its chain, and two projections."""

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
    String,
    Text,
    UniqueConstraint,
)

from paragone.ledger.databases.dialects import Dialect

Part = Column[Any] | ForeignKeyConstraint | UniqueConstraint | PrimaryKeyConstraint


def upgrade(operations: Operations, dialect: Dialect) -> None:
    """Make them."""
    operations.create_table("paragone_schema", Column("version_num", String(32), primary_key=True))
    operations.create_table(
        "commit",
        Column("id", BigInteger().with_variant(Integer(), "sqlite"), nullable=False),
        _text("pool"),
        _whole("number"),
        _text("previous"),
        _text("at"),
        _text("rows"),
        _text("hash"),
        PrimaryKeyConstraint("id", name="pk_commit"),
        UniqueConstraint("pool", "number", name="uq_commit_pool_number"),
    )
    _tournament_evidence(operations)
    _match_evidence(operations)
    _projections(operations)
    for table in ("commit", *_EVIDENCE):
        for statement in dialect.append_only(table):
            operations.execute(statement)


_EVIDENCE = (
    "pool",
    "item",
    "tournament",
    "tournament_event",
    "planned_round",
    "comparison",
    "match",
    "match_comparison",
    "rating_change",
    "rollback",
)


def _tournament_evidence(operations: Operations) -> None:
    _evidence(operations, "pool", _text("kind"), _text("config"), _unique("pool", "pool"))
    _evidence(
        operations,
        "item",
        *map(_text, ("item", "kind", "text")),
        _refers("item", "pool", "pool", "pool"),
        _unique("item", "pool", "item"),
    )
    _evidence(
        operations,
        "tournament",
        _text("slug"),
        _whole("number"),
        _text("settings"),
        _refers("tournament", "pool", "pool", "pool"),
        _unique("tournament", "pool"),
        _unique("tournament", "slug", "number"),
    )
    _evidence(
        operations,
        "tournament_event",
        _text("kind"),
        _text("detail"),
        _refers("tournament_event", "pool", "tournament", "pool"),
    )
    _evidence(
        operations,
        "planned_round",
        _whole("number"),
        _text("pairings"),
        _refers("planned_round", "pool", "tournament", "pool"),
        _unique("planned_round", "pool", "number"),
    )


def _match_evidence(operations: Operations) -> None:
    _evidence(
        operations,
        "comparison",
        _text("call"),
        _whole("attempt"),
        Column("key", Text),
        *map(_text, ("first", "second", "choice", "judge")),
        Column("probability", Double),
        _text("scores"),
        _text("rationale"),
        Column("prompt_hash", Text),
        *map(_whole, ("calls", "input_tokens", "output_tokens")),
        Column("cost", Double),
        _real("seconds"),
        _text("error"),
        Column("cached", SmallInteger, nullable=False),
        _refers("comparison", "pool first", "item", "pool item"),
        _refers("comparison", "pool second", "item", "pool item"),
        _unique("comparison", "pool", "call", "attempt"),
    )
    operations.create_index("ix_comparison_key", "comparison", ["key"])
    _evidence(
        operations,
        "match",
        _text("match"),
        _whole("round"),
        *map(_text, ("a", "b", "outcome", "protocol")),
        _real("confidence"),
        _refers("match", "pool a", "item", "pool item"),
        _refers("match", "pool b", "item", "pool item"),
        _unique("match", "pool", "match"),
    )
    _evidence(
        operations,
        "match_comparison",
        _text("match"),
        _whole("comparison"),
        _refers("match_comparison", "pool match", "match", "pool match"),
        _refers("match_comparison", "pool comparison", "comparison", "pool seq"),
    )
    operations.create_index("ix_match_comparison_pool_match", "match_comparison", ["pool", "match"])
    _evidence(
        operations,
        "rating_change",
        _text("item"),
        _text("match"),
        *map(_real, ("old", "new", "k", "expected", "score", "clamped")),
        Column("compensates", SmallInteger, nullable=False),
        _refers("rating_change", "pool item", "item", "pool item"),
        _refers("rating_change", "pool match", "match", "pool match"),
    )
    operations.create_index("ix_rating_change_pool_match", "rating_change", ["pool", "match"])
    operations.create_index("ix_rating_change_pool_item", "rating_change", ["pool", "item"])
    _evidence(
        operations,
        "rollback",
        _text("match"),
        _text("reason"),
        _refers("rollback", "pool match", "match", "pool match"),
        _unique("rollback", "pool", "match"),
    )


def _projections(operations: Operations) -> None:
    operations.create_table(
        "head",
        _text("pool"),
        _whole("commits"),
        _whole("rows"),
        _text("hash"),
        PrimaryKeyConstraint("pool", name="pk_head"),
    )
    operations.create_table(
        "rating",
        _text("pool"),
        _text("item"),
        _real("elo"),
        *(Column(name, Integer, nullable=False) for name in ("matches", "wins", "losses", "ties")),
        PrimaryKeyConstraint("pool", "item", name="pk_rating"),
    )


def _evidence(operations: Operations, name: str, *parts: Part) -> None:
    operations.create_table(
        name,
        _text("pool"),
        _whole("seq"),
        _whole("commit"),
        *parts,
        PrimaryKeyConstraint("pool", "seq", name=f"pk_{name}"),
        _refers(name, "pool commit", "commit", "pool number"),
    )


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _whole(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False, autoincrement=False)


def _real(name: str) -> Column[float]:
    return Column(name, Double, nullable=False)


def _unique(table: str, *columns: str) -> UniqueConstraint:
    return UniqueConstraint(*columns, name=f"uq_{table}_{'_'.join(columns)}")


def _refers(table: str, columns: str, to: str, keys: str) -> ForeignKeyConstraint:
    names = columns.split()
    return ForeignKeyConstraint(names, [f"{to}.{key}" for key in keys.split()], name=f"fk_{table}_{'_'.join(names)}")
