"""Rankings, judge calls on several items, with the matches that rest on them; and the leaderboard by an index."""

from alembic.operations import Operations
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKeyConstraint,
    PrimaryKeyConstraint,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)

from paragone.ledger.databases.dialects import Dialect


def upgrade(operations: Operations, dialect: Dialect) -> None:
    """Make the tables of rankings, and the index."""
    operations.create_index("ix_rating_pool_elo_item", "rating", ["pool", text("elo DESC"), "item"])
    operations.create_table(
        "ranking",
        Column("pool", Text, nullable=False),
        Column("seq", BigInteger, nullable=False, autoincrement=False),
        Column("commit", BigInteger, nullable=False),
        Column("call", Text, nullable=False),
        Column("attempt", BigInteger, nullable=False),
        Column("key", Text),
        Column("shown", Text, nullable=False),
        Column("choice", Text, nullable=False),
        Column("order", Text, nullable=False),
        Column("judge", Text, nullable=False),
        Column("rationale", Text, nullable=False),
        Column("prompt_hash", Text),
        Column("calls", BigInteger, nullable=False),
        Column("input_tokens", BigInteger, nullable=False),
        Column("output_tokens", BigInteger, nullable=False),
        Column("cost", Double),
        Column("seconds", Double, nullable=False),
        Column("error", Text, nullable=False),
        Column("cached", SmallInteger, nullable=False),
        PrimaryKeyConstraint("pool", "seq", name="pk_ranking"),
        ForeignKeyConstraint(["pool", "commit"], ["commit.pool", "commit.number"], name="fk_ranking_pool_commit"),
        ForeignKeyConstraint(["pool"], ["pool.pool"], name="fk_ranking_pool"),
        UniqueConstraint("pool", "call", "attempt", name="uq_ranking_pool_call_attempt"),
    )
    operations.create_index("ix_ranking_key", "ranking", ["key"])
    operations.create_table(
        "match_ranking",
        Column("pool", Text, nullable=False),
        Column("seq", BigInteger, nullable=False, autoincrement=False),
        Column("commit", BigInteger, nullable=False),
        Column("match", Text, nullable=False),
        Column("ranking", BigInteger, nullable=False),
        PrimaryKeyConstraint("pool", "seq", name="pk_match_ranking"),
        ForeignKeyConstraint(["pool", "commit"], ["commit.pool", "commit.number"], name="fk_match_ranking_pool_commit"),
        ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"], name="fk_match_ranking_pool_match"),
        ForeignKeyConstraint(
            ["pool", "ranking"], ["ranking.pool", "ranking.seq"], name="fk_match_ranking_pool_ranking"
        ),
        UniqueConstraint("pool", "match", name="uq_match_ranking_pool_match"),
    )
    for table in ("ranking", "match_ranking"):
        for statement in dialect.append_only(table):
            operations.execute(statement)
