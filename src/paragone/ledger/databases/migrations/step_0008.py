"""Images that texts show, and views that people saved."""

from alembic.operations import Operations
from sqlalchemy import Column, LargeBinary, PrimaryKeyConstraint, Text

from paragone.ledger.databases.dialects import Dialect


def upgrade(operations: Operations, dialect: Dialect) -> None:  # noqa: ARG001 - neither table is evidence
    """Make the tables that pages alone read."""
    operations.create_table(
        "image",
        *_texts("pool", "name", "kind", "digest"),
        Column("content", LargeBinary, nullable=False),
        PrimaryKeyConstraint("pool", "name", name="pk_image"),
    )
    operations.create_table(
        "saved_view", *_texts("owner", "name", "address"), PrimaryKeyConstraint("owner", "name", name="pk_saved_view")
    )


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, Text, nullable=False) for name in names]
