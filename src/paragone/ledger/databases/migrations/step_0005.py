"""Evidence about agents can be voided, and a tournament resolved anew once its resolution is void."""

from typing import Any

from alembic.operations import Operations
from sqlalchemy import BigInteger, Column, Double, ForeignKeyConstraint, PrimaryKeyConstraint, Text, UniqueConstraint

from paragone.ledger.databases.dialects import Dialect


def upgrade(operations: Operations, dialect: Dialect) -> None:
    """Make the tables of voids, and allow several resolutions of one tournament."""
    _evidence(
        operations,
        "void",
        _text("kind"),
        Column("target", BigInteger, nullable=False),
        _text("reason"),
        ForeignKeyConstraint(["pool"], ["pool.pool"], name="fk_void_pool"),
        UniqueConstraint("pool", "target", name="uq_void_pool_target"),
    )
    _evidence(
        operations,
        "void_change",
        *map(_text, ("item", "track", "test")),
        Column("old", Double, nullable=False),
        Column("new", Double, nullable=False),
        ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"], name="fk_void_change_pool_item"),
        ForeignKeyConstraint(["pool", "test"], ["test.pool", "test.test"], name="fk_void_change_pool_test"),
    )
    for column in ("test", "item"):
        operations.create_index(f"ix_void_change_pool_{column}", "void_change", ["pool", column])
    _allow_several_resolutions(operations, dialect)
    for table in ("void", "void_change"):
        for statement in dialect.append_only(table):
            operations.execute(statement)


def _allow_several_resolutions(operations: Operations, dialect: Dialect) -> None:
    """Replace the unique constraint by an index; SQLite can do so only by copying the table."""
    if operations.get_bind().dialect.name == "sqlite":
        operations.rename_table("resolution", "resolution_before")
        _evidence(
            operations,
            "resolution",
            *map(_text, ("tournament", "winner")),
            ForeignKeyConstraint(["pool"], ["pool.pool"], name="fk_resolution_pool"),
        )
        operations.execute(
            'INSERT INTO resolution (pool, seq, "commit", tournament, winner) '
            'SELECT pool, seq, "commit", tournament, winner FROM resolution_before'
        )
        operations.drop_table("resolution_before")  # its triggers go with it
        for statement in dialect.append_only("resolution"):
            operations.execute(statement)
    else:
        operations.drop_constraint("uq_resolution_pool_tournament", "resolution", type_="unique")
    operations.create_index("ix_resolution_pool_tournament", "resolution", ["pool", "tournament"])


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
