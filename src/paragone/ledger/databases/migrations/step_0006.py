"""Commits list digests of another kind, which earlier versions cannot verify; commits of before stay as they are."""

from alembic.operations import Operations

from paragone.ledger.databases.dialects import Dialect


def upgrade(operations: Operations, dialect: Dialect) -> None:
    """Change no table: only the revision keeps earlier versions from taking new commits for altered ones."""
