"""Judging in other processes: questions, workers, what they may spend, and which of them are under way."""

from alembic.operations import Operations
from sqlalchemy import BigInteger, Column, Double, PrimaryKeyConstraint, Text

from paragone.ledger.databases.dialects import Dialect


def upgrade(operations: Operations, dialect: Dialect) -> None:  # noqa: ARG001 - none of these tables is evidence
    """Make the tables by which planners and workers know of each other."""
    operations.create_table(
        "worker",
        *_texts("worker", "host"),
        *_counts("process", "concurrency"),
        *_reals("started", "seen"),
        *_counts("calls", "answered", "failed"),
        PrimaryKeyConstraint("worker", name="pk_worker"),
    )
    operations.create_table(
        "worker_judge",
        *_texts("worker", "judge", "card", "advocate"),
        Column("price", Double),
        PrimaryKeyConstraint("worker", "judge", name="pk_worker_judge"),
    )
    operations.create_table(
        "judging",
        *_texts("pool", "judge", "options", "planner", "kinds", "outages"),
        Column("max_tokens", BigInteger),
        Column("max_cost", Double),
        *_counts("tokens", "lost_tokens"),
        *_reals("cost", "lost_cost", "next_start"),
        PrimaryKeyConstraint("pool", name="pk_judging"),
    )
    operations.create_table(
        "question",
        *_texts("pool", "call", "judge", "shown"),
        *_counts("turns"),
        *_texts("worker", "state", "outcome"),
        PrimaryKeyConstraint("pool", "call", name="pk_question"),
    )
    operations.create_index("ix_question_pool_state", "question", ["pool", "state"])
    operations.create_table(
        "reservation",
        *_texts("attempt", "pool", "worker", "kind"),
        *_counts("tokens"),
        *_reals("cost"),
        PrimaryKeyConstraint("attempt", name="pk_reservation"),
    )
    operations.create_index("ix_reservation_pool_worker", "reservation", ["pool", "worker"])


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, Text, nullable=False) for name in names]


def _counts(*names: str) -> list[Column[int]]:
    return [Column(name, BigInteger, nullable=False) for name in names]


def _reals(*names: str) -> list[Column[float]]:
    return [Column(name, Double, nullable=False) for name in names]
