"""Projections: what follows from the evidence, kept so that reading is quick."""

from typing import Any

from sqlalchemy import Column, Index, Integer, Table

from paragone.domain import DEALINGS
from paragone.ledger.columns import COUNT, Real, Words
from paragone.ledger.schema.foundations import metadata

head = Table(
    "head",
    metadata,
    Column("pool", Words, primary_key=True),
    Column("commits", COUNT, nullable=False),
    Column("rows", COUNT, nullable=False),
    Column("hash", Words, nullable=False),
)
"""Projection: the end of each pool's chain. Its row is what writers to the pool lock."""


def _record() -> tuple[Column[Any], ...]:
    """A running Elo and what was played for it, as ``paragone.domain.Rating`` has them."""
    counts = (Column(name, Integer, nullable=False) for name in ("matches", "wins", "losses", "ties"))
    return (Column("elo", Real, nullable=False), *counts)


rating = Table(
    "rating",
    metadata,
    Column("pool", Words, primary_key=True),
    Column("item", Words, primary_key=True),
    *_record(),
)
Index("ix_rating_pool_elo_item", rating.c.pool, rating.c.elo.desc(), rating.c.item)  # the leaderboard, in its order
"""Projection: the running Elo and the record of each item."""

track_rating = Table(
    "track_rating",
    metadata,
    Column("pool", Words, primary_key=True),
    Column("item", Words, primary_key=True),
    Column("track", Words, primary_key=True),
    *_record(),
)
Index(
    "ix_track_rating_pool_track_elo_item",
    track_rating.c.pool,
    track_rating.c.track,
    track_rating.c.elo.desc(),
    track_rating.c.item,
)
"""Projection: the ratings of items in domains."""

agent_tally = Table(
    "agent_tally",
    metadata,
    Column("pool", Words, primary_key=True),
    Column("item", Words, primary_key=True),
    Column("critiques_accepted", Integer, nullable=False),
    Column("critiques_total", Integer, nullable=False),
    Column("calibration_correct", Integer, nullable=False),
    Column("calibration_total", Integer, nullable=False),
    Column("calibration_brier_sum", Real, nullable=False),
)
"""Projection: what else is counted of an agent, where there is anything."""

relationship = Table(
    "relationship",
    metadata,
    Column("pool", Words, primary_key=True),
    Column("a", Words, primary_key=True),
    Column("b", Words, primary_key=True),
    *(Column(name, COUNT, nullable=False) for name in DEALINGS),
    Index(None, "pool", "b"),
)
"""Projection: the sums of ``relation`` for each pair, ``a`` sorting before ``b``."""
