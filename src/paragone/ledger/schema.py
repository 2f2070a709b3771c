"""The tables.

Evidence is only ever added: each of its rows has a place in its pool (``seq``, from 1, over all tables together) and
names the commit that added it. Projections are what follows from the evidence, kept so that reading is quick; they can
be dropped and made again.

Names are those of the documents and of ``paragone.domain``; ids are text, moments are text in UTC, floats are never
rounded.
"""

from typing import Any

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, MetaData, String, Table, UniqueConstraint

from paragone.domain import AdjustmentKind, Choice, ItemKind, Outcome, Protocol, Speaker, Stage
from paragone.ledger.columns import ARRIVAL, COUNT, Flag, Json, Moment, OneOf, Real, Words

REVISIONS = ("0001", "0002", "0003")
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


def _evidence(name: str, *parts: Column[Any] | ForeignKeyConstraint | UniqueConstraint | Index) -> Table:
    return Table(
        name,
        metadata,
        Column("pool", Words, primary_key=True),
        Column("seq", COUNT, primary_key=True, autoincrement=False),
        Column("commit", COUNT, nullable=False),
        *parts,
        ForeignKeyConstraint(["pool", "commit"], ["commit.pool", "commit.number"]),
    )


def _usage() -> tuple[Column[Any], ...]:
    """What a call to a model took, as ``paragone.domain.Usage`` has it."""
    return (
        Column("calls", COUNT, nullable=False),
        Column("input_tokens", COUNT, nullable=False),
        Column("output_tokens", COUNT, nullable=False),
        Column("cost", Real),
        Column("seconds", Real, nullable=False),
    )


pool = _evidence(
    "pool",
    Column("kind", OneOf(ItemKind), nullable=False),
    Column("config", Json, nullable=False),
    UniqueConstraint("pool"),
)

item = _evidence(
    "item",
    Column("item", Words, nullable=False),
    Column("kind", OneOf(ItemKind), nullable=False),
    Column("text", Words, nullable=False),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool", "item"),
)

tournament = _evidence(
    "tournament",
    Column("slug", Words, nullable=False),
    Column("number", COUNT, nullable=False),
    Column("settings", Json, nullable=False),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool"),
    UniqueConstraint("slug", "number"),
)

tournament_event = _evidence(
    "tournament_event",
    Column("kind", Words, nullable=False),
    Column("detail", Json, nullable=False),
    ForeignKeyConstraint(["pool"], ["tournament.pool"]),
)

planned_round = _evidence(
    "planned_round",
    Column("number", COUNT, nullable=False),
    # [[a, b, [order, ...]], ...]; a debate has its turns and whether it was degraded besides; a lineup is [[id, ...]]
    Column("pairings", Json, nullable=False),
    ForeignKeyConstraint(["pool"], ["tournament.pool"]),
    UniqueConstraint("pool", "number"),
)

comparison = _evidence(
    "comparison",
    Column("call", Words, nullable=False),
    Column("attempt", COUNT, nullable=False),
    Column("key", Words),
    Column("first", Words, nullable=False),
    Column("second", Words, nullable=False),
    Column("choice", OneOf(Choice), nullable=False),
    Column("judge", Words, nullable=False),
    Column("probability", Real),
    Column("scores", Json, nullable=False),  # [[criterion, first, second], ...]
    Column("rationale", Words, nullable=False),
    Column("prompt_hash", Words),
    *_usage(),
    Column("error", Words, nullable=False),
    Column("cached", Flag, nullable=False),
    ForeignKeyConstraint(["pool", "first"], ["item.pool", "item.item"]),
    ForeignKeyConstraint(["pool", "second"], ["item.pool", "item.item"]),
    UniqueConstraint("pool", "call", "attempt"),
    Index(None, "key"),
)
"""One row an attempt at a judge call. An answered call has one answered row, the last one."""

ranking = _evidence(
    "ranking",
    Column("call", Words, nullable=False),
    Column("attempt", COUNT, nullable=False),
    Column("key", Words),
    Column("shown", Json, nullable=False),  # [id, ...] in the order of presentation
    Column("choice", OneOf(Choice), nullable=False),
    Column("order", Json, nullable=False),  # [place shown, ...], the best first
    Column("judge", Words, nullable=False),
    Column("rationale", Words, nullable=False),
    Column("prompt_hash", Words),
    *_usage(),
    Column("error", Words, nullable=False),
    Column("cached", Flag, nullable=False),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool", "call", "attempt"),
    Index(None, "key"),
)
"""One row an attempt at a judge call on several items, as ``comparison`` has for two."""

debate_turn = _evidence(
    "debate_turn",
    Column("call", Words, nullable=False),
    Column("number", COUNT, nullable=False),
    Column("speaker", OneOf(Speaker), nullable=False),
    Column("stage", OneOf(Stage), nullable=False),
    Column("content", Words, nullable=False),
    Column("claims", Json, nullable=False),  # [sentence, ...], and so rebuttals and evidence
    Column("rebuttals", Json, nullable=False),
    Column("evidence", Json, nullable=False),
    Column("advocate", Words, nullable=False),
    Column("prompt_hash", Words),
    *_usage(),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool", "call", "number"),
)
"""What was said in the debate before a judge call. Turns come before the call has an attempt, and stay if it fails."""

match = _evidence(
    "match",
    Column("match", Words, nullable=False),
    Column("round", COUNT, nullable=False),
    Column("a", Words, nullable=False),
    Column("b", Words, nullable=False),
    Column("outcome", OneOf(Outcome), nullable=False),
    Column("protocol", OneOf(Protocol), nullable=False),
    Column("confidence", Real, nullable=False),
    ForeignKeyConstraint(["pool", "a"], ["item.pool", "item.item"]),
    ForeignKeyConstraint(["pool", "b"], ["item.pool", "item.item"]),
    UniqueConstraint("pool", "match"),
)

match_comparison = _evidence(
    "match_comparison",
    Column("match", Words, nullable=False),
    Column("comparison", COUNT, nullable=False),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    ForeignKeyConstraint(["pool", "comparison"], ["comparison.pool", "comparison.seq"]),
    Index(None, "pool", "match"),
)
"""Which comparisons a match rests on, in the order of ``seq``."""

match_ranking = _evidence(
    "match_ranking",
    Column("match", Words, nullable=False),
    Column("ranking", COUNT, nullable=False),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    ForeignKeyConstraint(["pool", "ranking"], ["ranking.pool", "ranking.seq"]),
    UniqueConstraint("pool", "match"),
)
"""Which ranking a match among several rests on; its ``a`` and ``b`` are the best and the last of it."""

rating_change = _evidence(
    "rating_change",
    Column("item", Words, nullable=False),
    Column("match", Words, nullable=False),
    Column("old", Real, nullable=False),
    Column("new", Real, nullable=False),
    Column("k", Real, nullable=False),
    Column("expected", Real, nullable=False),
    Column("score", Real, nullable=False),
    Column("clamped", Real, nullable=False),
    Column("compensates", Flag, nullable=False),  # whether a rollback made it
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    Index(None, "pool", "match"),
    Index(None, "pool", "item"),
)

rollback = _evidence(
    "rollback",
    Column("match", Words, nullable=False),
    Column("reason", Words, nullable=False),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    UniqueConstraint("pool", "match"),
)

adjustment = _evidence(
    "adjustment",
    Column("adjustment", Words, nullable=False),
    Column("item", Words, nullable=False),
    Column("kind", OneOf(AdjustmentKind), nullable=False),
    Column("target", Real, nullable=False),
    Column("share", Real, nullable=False),
    Column("reason", Words, nullable=False),
    Column("old", Real, nullable=False),
    Column("new", Real, nullable=False),
    Column("clamped", Real, nullable=False),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    UniqueConstraint("pool", "adjustment"),
    Index(None, "pool", "item"),
)
"""A move of a rating that no match made, with what it came to."""

review = _evidence(
    "review",
    Column("item", Words, nullable=False),
    Column("reviewer", Words, nullable=False),
    Column("score", Real, nullable=False),
    Column("scores", Json, nullable=False),  # [[criterion, score], ...]
    Column("text", Words, nullable=False),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    Index(None, "pool", "item"),
)
"""What a reviewer thinks of an item; a later row of the same reviewer takes the place of an earlier one."""

EVIDENCE = (
    pool,
    item,
    tournament,
    tournament_event,
    planned_round,
    comparison,
    ranking,
    debate_turn,
    match,
    match_comparison,
    match_ranking,
    rating_change,
    rollback,
    adjustment,
    review,
)
"""Tables whose rows are covered by the chain."""

APPEND_ONLY = (commit, *EVIDENCE)
"""Tables that refuse UPDATE and DELETE."""

head = Table(
    "head",
    metadata,
    Column("pool", Words, primary_key=True),
    Column("commits", COUNT, nullable=False),
    Column("rows", COUNT, nullable=False),
    Column("hash", Words, nullable=False),
)
"""Projection: the end of each pool's chain. Its row is what writers to the pool lock."""

rating = Table(
    "rating",
    metadata,
    Column("pool", Words, primary_key=True),
    Column("item", Words, primary_key=True),
    Column("elo", Real, nullable=False),
    Column("matches", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("ties", Integer, nullable=False),
)
Index("ix_rating_pool_elo_item", rating.c.pool, rating.c.elo.desc(), rating.c.item)  # the leaderboard, in its order
"""Projection: the running Elo and the record of each item."""
