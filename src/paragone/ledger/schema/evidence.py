"""Evidence: pools with their items, tournaments, what judges and advocates said, matches, and what followed."""

from sqlalchemy import Column, ForeignKeyConstraint, Index, UniqueConstraint

from paragone.domain import AdjustmentKind, Choice, ItemKind, Outcome, Protocol, Speaker, Stage
from paragone.ledger.columns import COUNT, Flag, Json, OneOf, Real, Words
from paragone.ledger.schema.foundations import effect, evidence, usage

pool = evidence(
    "pool",
    Column("kind", OneOf(ItemKind), nullable=False),
    Column("config", Json, nullable=False),
    UniqueConstraint("pool"),
)

item = evidence(
    "item",
    Column("item", Words, nullable=False),
    Column("kind", OneOf(ItemKind), nullable=False),
    Column("text", Words, nullable=False),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool", "item"),
)

tournament = evidence(
    "tournament",
    Column("slug", Words, nullable=False),
    Column("number", COUNT, nullable=False),
    Column("settings", Json, nullable=False),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool"),
    UniqueConstraint("slug", "number"),
)

tournament_event = evidence(
    "tournament_event",
    Column("kind", Words, nullable=False),
    Column("detail", Json, nullable=False),
    ForeignKeyConstraint(["pool"], ["tournament.pool"]),
)

planned_round = evidence(
    "planned_round",
    Column("number", COUNT, nullable=False),
    # [[a, b, [order, ...]], ...]; a debate has its turns and whether it was degraded besides; a lineup is [[id, ...]]
    Column("pairings", Json, nullable=False),
    ForeignKeyConstraint(["pool"], ["tournament.pool"]),
    UniqueConstraint("pool", "number"),
)

comparison = evidence(
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
    *usage(),
    Column("error", Words, nullable=False),
    Column("cached", Flag, nullable=False),
    ForeignKeyConstraint(["pool", "first"], ["item.pool", "item.item"]),
    ForeignKeyConstraint(["pool", "second"], ["item.pool", "item.item"]),
    UniqueConstraint("pool", "call", "attempt"),
    Index(None, "key"),
)
"""One row an attempt at a judge call. An answered call has one answered row, the last one."""

ranking = evidence(
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
    *usage(),
    Column("error", Words, nullable=False),
    Column("cached", Flag, nullable=False),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool", "call", "attempt"),
    Index(None, "key"),
)
"""One row an attempt at a judge call on several items, as ``comparison`` has for two."""

debate_turn = evidence(
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
    *usage(),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool", "call", "number"),
)
"""What was said in the debate before a judge call. Turns come before the call has an attempt, and stay if it fails."""

match = evidence(
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

match_comparison = evidence(
    "match_comparison",
    Column("match", Words, nullable=False),
    Column("comparison", COUNT, nullable=False),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    ForeignKeyConstraint(["pool", "comparison"], ["comparison.pool", "comparison.seq"]),
    Index(None, "pool", "match"),
)
"""Which comparisons a match rests on, in the order of ``seq``."""

match_ranking = evidence(
    "match_ranking",
    Column("match", Words, nullable=False),
    Column("ranking", COUNT, nullable=False),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    ForeignKeyConstraint(["pool", "ranking"], ["ranking.pool", "ranking.seq"]),
    UniqueConstraint("pool", "match"),
)
"""Which ranking a match among several rests on; its ``a`` and ``b`` are the best and the last of it."""

rating_change = evidence(
    "rating_change",
    Column("item", Words, nullable=False),
    Column("match", Words, nullable=False),
    *effect(),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    Index(None, "pool", "match"),
    Index(None, "pool", "item"),
)

rollback = evidence(
    "rollback",
    Column("match", Words, nullable=False),
    Column("reason", Words, nullable=False),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    UniqueConstraint("pool", "match"),
)

adjustment = evidence(
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

review = evidence(
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
