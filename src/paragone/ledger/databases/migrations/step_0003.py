"""Turns of debates, adjustments of ratings and reviews of items."""

from typing import Any

from alembic.operations import Operations
from sqlalchemy import BigInteger, Column, Double, ForeignKeyConstraint, PrimaryKeyConstraint, Text, UniqueConstraint

from paragone.ledger.databases.dialects import Dialect


def upgrade(operations: Operations, dialect: Dialect) -> None:
    """Make their tables."""
    _evidence(
        operations,
        "debate_turn",
        _text("call"),
        Column("number", BigInteger, nullable=False),
        *map(_text, ("speaker", "stage", "content", "claims", "rebuttals", "evidence", "advocate")),
        Column("prompt_hash", Text),
        *(Column(name, BigInteger, nullable=False) for name in ("calls", "input_tokens", "output_tokens")),
        Column("cost", Double),
        _real("seconds"),
        ForeignKeyConstraint(["pool"], ["pool.pool"], name="fk_debate_turn_pool"),
        UniqueConstraint("pool", "call", "number", name="uq_debate_turn_pool_call_number"),
    )
    _evidence(
        operations,
        "adjustment",
        *map(_text, ("adjustment", "item", "kind")),
        *map(_real, ("target", "share")),
        _text("reason"),
        *map(_real, ("old", "new", "clamped")),
        ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"], name="fk_adjustment_pool_item"),
        UniqueConstraint("pool", "adjustment", name="uq_adjustment_pool_adjustment"),
    )
    _evidence(
        operations,
        "review",
        *map(_text, ("item", "reviewer")),
        _real("score"),
        *map(_text, ("scores", "text")),
        ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"], name="fk_review_pool_item"),
    )
    for table in ("adjustment", "review"):
        operations.create_index(f"ix_{table}_pool_item", table, ["pool", "item"])
    for table in ("debate_turn", "adjustment", "review"):
        for statement in dialect.append_only(table):
            operations.execute(statement)


def _evidence(operations: Operations, name: str, *parts: Column[Any] | ForeignKeyConstraint | UniqueConstraint) -> None:
    operations.create_table(
        name,
        _text("pool"),
        Column("seq", BigInteger, nullable=False, autoincrement=False),
        Column("commit", BigInteger, nullable=False),
        *parts,
        PrimaryKeyConstraint("pool", "seq", name=f"pk_{name}"),
        ForeignKeyConstraint(["pool", "commit"], ["commit.pool", "commit.number"], name=f"fk_{name}_pool_commit"),
    )


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _real(name: str) -> Column[float]:
    return Column(name, Double, nullable=False)
