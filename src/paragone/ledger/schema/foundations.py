"""What all tables are made of: their catalogue, the chain's links, and the columns that evidence has."""

from typing import Any

from sqlalchemy import Column, ForeignKeyConstraint, Index, MetaData, String, Table, UniqueConstraint

from paragone.ledger.columns import ARRIVAL, COUNT, Flag, Json, Moment, Real, Words

REVISIONS = ("0001", "0002", "0003", "0004", "0005")
"""Versions of the schema, oldest first; the last is this one."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

version = Table("paragone_schema", MetaData(), Column("version_num", String(32), primary_key=True))
"""Which revision the database has; Alembic keeps it."""

commit = Table(
    "commit",
    metadata,
    Column("id", ARRIVAL, primary_key=True),  # the order of arrival over all pools; no part of the hash
    Column("pool", Words, nullable=False),
    Column("number", COUNT, nullable=False),
    Column("previous", Words, nullable=False),
    Column("at", Moment, nullable=False),
    Column("rows", Json, nullable=False),  # [[table, digest], ...] in the order of seq
    Column("hash", Words, nullable=False),
    UniqueConstraint("pool", "number"),
)
"""One row a transaction and pool: the links of the hash chain."""


def evidence(name: str, *parts: Column[Any] | ForeignKeyConstraint | UniqueConstraint | Index) -> Table:
    """A table of evidence: what every one has, and its own columns."""
    return Table(
        name,
        metadata,
        Column("pool", Words, primary_key=True),
        Column("seq", COUNT, primary_key=True, autoincrement=False),
        Column("commit", COUNT, nullable=False),
        *parts,
        ForeignKeyConstraint(["pool", "commit"], ["commit.pool", "commit.number"]),
    )


def usage() -> tuple[Column[Any], ...]:
    """What a call to a model took, as ``paragone.domain.Usage`` has it."""
    return (
        Column("calls", COUNT, nullable=False),
        Column("input_tokens", COUNT, nullable=False),
        Column("output_tokens", COUNT, nullable=False),
        Column("cost", Real),
        Column("seconds", Real, nullable=False),
    )


def effect() -> tuple[Column[Any], ...]:
    """How a match moved a rating, as ``paragone.domain.RatingChange`` has it."""
    return (
        *(Column(name, Real, nullable=False) for name in ("old", "new", "k", "expected", "score", "clamped")),
        Column("compensates", Flag, nullable=False),  # whether a rollback made it
    )
