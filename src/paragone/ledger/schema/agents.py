"""Evidence about agents: scores, tests, what they foretold, and what happened between them."""

from sqlalchemy import Column, ForeignKeyConstraint, Index, UniqueConstraint

from paragone.domain import DEALINGS, Counting, Normalization
from paragone.ledger.columns import COUNT, Flag, Json, OneOf, Real, Words
from paragone.ledger.schema.foundations import effect, evidence

scorecard = evidence(
    "scorecard",
    Column("match", Words, nullable=False),
    Column("entries", Json, nullable=False),  # [[participant, score, multiplier of K], ...] in the order of naming
    Column("domain", Words, nullable=False),
    Column("task", Words, nullable=False),
    Column("counting", OneOf(Counting), nullable=False),
    Column("normalization", OneOf(Normalization), nullable=False),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    UniqueConstraint("pool", "match"),
    Index(None, "pool", "domain", "seq"),
)
"""What the participants of a match scored, where its scores came from elsewhere."""

track_change = evidence(
    "track_change",
    Column("item", Words, nullable=False),
    Column("track", Words, nullable=False),
    Column("match", Words, nullable=False),
    *effect(),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    ForeignKeyConstraint(["pool", "match"], ["match.pool", "match.match"]),
    Index(None, "pool", "match"),
    Index(None, "pool", "item"),
)
"""Moves of the ratings of domains, as ``rating_change`` has those of the global ones."""

test = evidence(
    "test",
    Column("test", Words, nullable=False),
    Column("item", Words, nullable=False),
    Column("kind", Words, nullable=False),  # redteam or verification
    Column("measured", Json, nullable=False),  # {what was measured: number, ...}
    Column("session", Words, nullable=False),
    Column("domain", Words, nullable=False),
    Column("old", Real, nullable=False),
    Column("new", Real, nullable=False),
    Column("clamped", Real, nullable=False),
    Column("domain_old", Real),
    Column("domain_new", Real),
    Column("domain_clamped", Real),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    UniqueConstraint("pool", "test"),
    Index(None, "pool", "item"),
)
"""Tests that move a rating without an opponent, with what they came to."""

prediction = evidence(
    "prediction",
    Column("tournament", Words, nullable=False),
    Column("item", Words, nullable=False),
    Column("winner", Words, nullable=False),
    Column("confidence", Real, nullable=False),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    Index(None, "pool", "tournament"),
    Index(None, "pool", "item"),
)
"""Who will win; of one predictor's rows on a tournament the last one counts."""

resolution = evidence(
    "resolution",
    Column("tournament", Words, nullable=False),
    Column("winner", Words, nullable=False),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    Index(None, "pool", "tournament"),
)
"""Who won a tournament; at most one row of a tournament is not void."""

domain_prediction = evidence(
    "domain_prediction",
    Column("prediction", Words),
    Column("item", Words, nullable=False),
    Column("domain", Words, nullable=False),
    Column("confidence", Real, nullable=False),
    Column("correct", Flag, nullable=False),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    UniqueConstraint("pool", "prediction"),
    Index(None, "pool", "item", "domain"),
)

critique = evidence(
    "critique",
    Column("critique", Words),
    Column("item", Words, nullable=False),
    Column("accepted", Flag, nullable=False),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    UniqueConstraint("pool", "critique"),
    Index(None, "pool", "item"),
)

relation = evidence(
    "relation",
    Column("relation", Words),
    Column("a", Words, nullable=False),
    Column("b", Words, nullable=False),
    *(Column(name, COUNT, nullable=False) for name in DEALINGS),
    ForeignKeyConstraint(["pool", "a"], ["item.pool", "item.item"]),
    ForeignKeyConstraint(["pool", "b"], ["item.pool", "item.item"]),
    UniqueConstraint("pool", "relation"),
)
"""What is added to the counts between two agents, seen from ``a``."""

registration = evidence(
    "registration",
    Column("item", Words, nullable=False),
    Column("model", Words, nullable=False),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    Index(None, "pool", "item"),
)
"""Which model an agent is; of an agent's rows the last one counts."""

void = evidence(
    "void",
    Column("kind", Words, nullable=False),  # the table of the row that no longer counts
    Column("target", COUNT, nullable=False),  # and its seq
    Column("reason", Words, nullable=False),
    ForeignKeyConstraint(["pool"], ["pool.pool"]),
    UniqueConstraint("pool", "target"),
)
"""Evidence about agents that no longer counts; a match has a row in ``rollback`` instead."""

void_change = evidence(
    "void_change",
    Column("item", Words, nullable=False),
    Column("track", Words, nullable=False),
    Column("test", Words, nullable=False),
    Column("old", Real, nullable=False),
    Column("new", Real, nullable=False),
    ForeignKeyConstraint(["pool", "item"], ["item.pool", "item.item"]),
    ForeignKeyConstraint(["pool", "test"], ["test.pool", "test.test"]),
    Index(None, "pool", "test"),
    Index(None, "pool", "item"),
)
"""Moves of ratings that compensate for a test that was voided."""
