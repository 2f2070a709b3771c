"""What tables are made of: the names of constraints, and columns and keys that many tables have."""

from typing import Any

from sqlalchemy import Column, ForeignKeyConstraint, Index, MetaData, UniqueConstraint

from paragone.ledger.column_types import TextType

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def required(type_: Any, *names: str) -> tuple[Column[Any], ...]:  # noqa: ANN401 - any type of a column
    """Columns of one type, none of which may be NULL."""
    return tuple(Column(name, type_, nullable=False) for name in names)


def refers(column: str, table: str = "", of: str = "") -> ForeignKeyConstraint:
    """A reference to a row of the same pool; table and key are named like the column by default."""
    table = table or column
    return ForeignKeyConstraint(["pool", column], [f"{table}.pool", f"{table}.{of or table}"])


def owned_by(table: str) -> ForeignKeyConstraint:
    """A reference to the pool, or to its tournament."""
    return ForeignKeyConstraint(["pool"], [f"{table}.pool"])


def unique(*columns: str) -> UniqueConstraint:
    """No two rows of a pool have the same values in these columns."""
    return UniqueConstraint("pool", *columns)


def index(*columns: str) -> Index:
    """An index on columns, within a pool."""
    return Index(None, "pool", *columns)


def key(*names: str) -> tuple[Column[Any], ...]:
    """The columns of a primary key."""
    return tuple(Column(name, TextType, primary_key=True) for name in names)
