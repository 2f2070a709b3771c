"""The tables. ``databases.database`` creates them in a new database, and migrates an older one to them.

Evidence is only ever added: each row has a sequence number in its pool (``seq``, from 1, over all tables together) and
the number of the commit that added it. Projections follow from the evidence and make reading fast; they can be deleted
and computed again.

Names are those of ``paragone.domain``; ids are text, times are text in UTC, floats are never rounded.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, MetaData, String, Table, UniqueConstraint

from paragone.domain import (
    DEALINGS,
    AdjustmentKind,
    Choice,
    Counting,
    ItemKind,
    MatchProtocol,
    Normalization,
    Outcome,
    Speaker,
    Stage,
)
from paragone.ledger.column_types import ARRIVAL, COUNT, Bytes, Flag, Json, Moment, OneOf, Real, TextType
from paragone.ledger.table_parts import index, key, owned_by, refers, required, unique
from paragone.ledger.table_parts import metadata as metadata  # noqa: PLC0414 - others know it from here

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
"""Versions of the schema, oldest first; the last is this one."""

version = Table("paragone_schema", MetaData(), Column("version_num", String(32), primary_key=True))
"""Which revision the database has; Alembic keeps it."""


commit = Table(
    "commit",
    metadata,
    Column("id", ARRIVAL, primary_key=True),  # the order of arrival over all pools; not part of the hash
    *required(TextType, "pool"),
    *required(COUNT, "number"),
    *required(TextType, "previous"),
    *required(Moment, "at"),
    *required(Json, "rows"),  # which rows it added, in the order of seq: ``digests.Listing``
    *required(TextType, "hash"),
    UniqueConstraint("pool", "number"),
)
"""The links of the hash chain: a row for each page of a pool, which is most often a transaction."""

_evidence: list[Table] = []


def _table(name: str, *parts: Column[Any] | ForeignKeyConstraint | UniqueConstraint | Index) -> Table:
    """A table of evidence: the columns that all have, and its own."""
    table = Table(
        name,
        metadata,
        Column("pool", TextType, primary_key=True),
        Column("seq", COUNT, primary_key=True, autoincrement=False),
        *required(COUNT, "commit"),
        *parts,
        ForeignKeyConstraint(["pool", "commit"], ["commit.pool", "commit.number"]),
    )
    _evidence.append(table)
    return table


def _usage() -> Sequence[Column[Any]]:
    """The usage of a call to a model: ``paragone.domain.Usage``."""
    counts = required(COUNT, "calls", "input_tokens", "output_tokens")
    return (*counts, Column("cost", Real), *required(Real, "seconds"))


def _effect() -> Sequence[Column[Any]]:
    """A change of a rating: ``paragone.domain.RatingChange``."""
    numbers = required(Real, "old", "new", "k", "expected", "score", "clamped")
    return (*numbers, *required(Flag, "compensates"))  # whether a rollback made it


# Evidence: pools with their items, tournaments, what judges and advocates said, matches, and what followed

pool = _table("pool", *required(OneOf(ItemKind), "kind"), *required(Json, "config"), unique())

item = _table(
    "item",
    *required(TextType, "item"),
    *required(OneOf(ItemKind), "kind"),
    *required(TextType, "text"),
    owned_by("pool"),
    unique("item"),
)

tournament = _table(
    "tournament",
    *required(TextType, "slug"),
    *required(COUNT, "number"),
    *required(Json, "settings"),
    owned_by("pool"),
    unique(),
    UniqueConstraint("slug", "number"),
)

tournament_event = _table(
    "tournament_event",
    *required(TextType, "kind"),
    *required(Json, "detail"),
    owned_by("tournament"),
)

planned_round = _table(
    "planned_round",
    *required(COUNT, "number"),
    # [[a, b, [order, ...]], ...]; a debate has its turns and whether it was degraded besides; a lineup is [[id, ...]]
    *required(Json, "pairings"),
    owned_by("tournament"),
    unique("number"),
)

comparison = _table(
    "comparison",
    *required(TextType, "call"),
    *required(COUNT, "attempt"),
    Column("key", TextType),
    *required(TextType, "first", "second"),
    *required(OneOf(Choice), "choice"),
    *required(TextType, "judge"),
    Column("probability", Real),
    *required(Json, "scores"),  # [[criterion, first, second], ...]
    *required(TextType, "rationale"),
    Column("prompt_hash", TextType),
    *_usage(),
    *required(TextType, "error"),
    *required(Flag, "cached"),
    refers("first", "item"),
    refers("second", "item"),
    unique("call", "attempt"),
    Index(None, "key"),
)
"""One row per attempt at a judge call. An answered call has one answered row, its last."""

ranking = _table(
    "ranking",
    *required(TextType, "call"),
    *required(COUNT, "attempt"),
    Column("key", TextType),
    *required(Json, "shown"),  # [id, ...] in the order of presentation
    *required(OneOf(Choice), "choice"),
    *required(Json, "order"),  # [place shown, ...], the best first
    *required(TextType, "judge", "rationale"),
    Column("prompt_hash", TextType),
    *_usage(),
    *required(TextType, "error"),
    *required(Flag, "cached"),
    owned_by("pool"),
    unique("call", "attempt"),
    Index(None, "key"),
)
"""One row per attempt at a judge call on several items, like ``comparison`` for two."""

debate_turn = _table(
    "debate_turn",
    *required(TextType, "call"),
    *required(COUNT, "number"),
    *required(OneOf(Speaker), "speaker"),
    *required(OneOf(Stage), "stage"),
    *required(TextType, "content"),
    *required(Json, "claims"),  # [sentence, ...], and so rebuttals and evidence
    *required(Json, "rebuttals", "evidence"),
    *required(TextType, "advocate"),
    Column("prompt_hash", TextType),
    *_usage(),
    owned_by("pool"),
    unique("call", "number"),
)
"""Turns of the debate before a judge call. They are recorded before any attempt at the call, and stay if it fails."""

match = _table(
    "match",
    *required(TextType, "match"),
    *required(COUNT, "round"),
    *required(TextType, "a", "b"),
    *required(OneOf(Outcome), "outcome"),
    *required(OneOf(MatchProtocol), "protocol"),
    *required(Real, "confidence"),
    refers("a", "item"),
    refers("b", "item"),
    unique("match"),
)

match_comparison = _table(
    "match_comparison",
    *required(TextType, "match"),
    *required(COUNT, "comparison"),
    refers("match"),
    refers("comparison", "comparison", "seq"),
    index("match"),
)
"""The comparisons of a match, in the order of ``seq``."""

match_ranking = _table(
    "match_ranking",
    *required(TextType, "match"),
    *required(COUNT, "ranking"),
    refers("match"),
    refers("ranking", "ranking", "seq"),
    unique("match"),
)
"""The ranking of a match among several items, whose ``a`` and ``b`` are its first and its last."""

rating_change = _table(
    "rating_change",
    *required(TextType, "item", "match"),
    *_effect(),
    refers("item"),
    refers("match"),
    index("match"),
    index("item"),
)

rollback = _table("rollback", *required(TextType, "match", "reason"), refers("match"), unique("match"))

adjustment = _table(
    "adjustment",
    *required(TextType, "adjustment", "item"),
    *required(OneOf(AdjustmentKind), "kind"),
    *required(Real, "target", "share"),
    *required(TextType, "reason"),
    *required(Real, "old", "new", "clamped"),
    refers("item"),
    unique("adjustment"),
    index("item"),
)
"""Changes of ratings without a match."""

review = _table(
    "review",
    *required(TextType, "item", "reviewer"),
    *required(Real, "score"),
    *required(Json, "scores"),  # [[criterion, score], ...]
    *required(TextType, "text"),
    refers("item"),
    index("item"),
)
"""Reviews of items; a later row of the same reviewer replaces an earlier one."""

# Evidence about agents: scores, tests, predictions, critiques and relations

scorecard = _table(
    "scorecard",
    *required(TextType, "match"),
    *required(Json, "entries"),  # [[participant, score, multiplier of K], ...] in the order of naming
    *required(TextType, "domain", "task"),
    *required(OneOf(Counting), "counting"),
    *required(OneOf(Normalization), "normalization"),
    refers("match"),
    unique("match"),
    index("domain", "seq"),
)
"""The scores of the participants of a match, if it was not judged here."""

track_change = _table(
    "track_change",
    *required(TextType, "item", "track", "match"),
    *_effect(),
    refers("item"),
    refers("match"),
    index("match"),
    index("item"),
)
"""Changes of ratings in domains, like ``rating_change`` for global ones."""

test = _table(
    "test",
    *required(TextType, "test", "item"),
    *required(TextType, "kind"),  # redteam or verification
    *required(Json, "measured"),  # {what was measured: number, ...}
    *required(TextType, "session", "domain"),
    *required(Real, "old", "new", "clamped"),
    Column("domain_old", Real),
    Column("domain_new", Real),
    Column("domain_clamped", Real),
    refers("item"),
    unique("test"),
    index("item"),
)
"""Tests, which change a rating without an opponent."""

prediction = _table(
    "prediction",
    *required(TextType, "tournament", "item", "winner"),
    *required(Real, "confidence"),
    refers("item"),
    index("tournament"),
    index("item"),
)
"""Predictions of winners; a predictor's last row on a tournament counts."""

resolution = _table("resolution", *required(TextType, "tournament", "winner"), owned_by("pool"), index("tournament"))
"""Winners of tournaments; at most one row per tournament is not void."""

domain_prediction = _table(
    "domain_prediction",
    Column("prediction", TextType),
    *required(TextType, "item", "domain"),
    *required(Real, "confidence"),
    *required(Flag, "correct"),
    refers("item"),
    unique("prediction"),
    index("item", "domain"),
)

critique = _table(
    "critique",
    Column("critique", TextType),
    *required(TextType, "item"),
    *required(Flag, "accepted"),
    refers("item"),
    unique("critique"),
    index("item"),
)

relation = _table(
    "relation",
    Column("relation", TextType),
    *required(TextType, "a", "b"),
    *required(COUNT, *DEALINGS),
    refers("a", "item"),
    refers("b", "item"),
    unique("relation"),
)
"""Additions to the counts between two agents, seen from ``a``."""

registration = _table("registration", *required(TextType, "item", "model"), refers("item"), index("item"))
"""Models of agents; an agent's last row counts."""

void = _table(
    "void",
    *required(TextType, "kind"),  # the table of the row that no longer counts
    *required(COUNT, "target"),  # and its seq
    *required(TextType, "reason"),
    owned_by("pool"),
    unique("target"),
)
"""Voided evidence about agents; matches are in ``rollback`` instead."""

void_change = _table(
    "void_change",
    *required(TextType, "item", "track", "test"),
    *required(Real, "old", "new"),
    refers("item"),
    refers("test"),
    index("test"),
    index("item"),
)
"""Changes of ratings that compensate for voided tests."""

EVIDENCE = tuple(_evidence)
"""Tables whose rows are covered by the chain."""

APPEND_ONLY = (commit, *EVIDENCE)
"""Tables that refuse UPDATE and DELETE."""

# Projections: they follow from the evidence and make reading fast

head = Table(
    "head",
    metadata,
    Column("pool", TextType, primary_key=True),
    *required(COUNT, "commits", "rows"),
    *required(TextType, "hash"),
)
"""Projection: the end of each pool's chain. Its row is what writers to the pool lock."""


def _record() -> tuple[Column[Any], ...]:
    """A running Elo and its record: ``paragone.domain.Rating``."""
    return (*required(Real, "elo"), *required(Integer, "matches", "wins", "losses", "ties"))


rating = Table("rating", metadata, *key("pool", "item"), *_record())
Index("ix_rating_pool_elo_item", rating.c.pool, rating.c.elo.desc(), rating.c.item)  # the leaderboard, in its order
"""Projection: the running Elo and the record of each item."""

track_rating = Table("track_rating", metadata, *key("pool", "item", "track"), *_record())
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
    *key("pool", "item"),
    *required(Integer, "critiques_accepted", "critiques_total", "calibration_correct", "calibration_total"),
    *required(Real, "calibration_brier_sum"),
)
"""Projection: other counts of agents that have any."""

relationship = Table("relationship", metadata, *key("pool", "a", "b"), *required(COUNT, *DEALINGS), index("b"))
"""Projection: the sums of ``relation`` for each pair, ``a`` sorting before ``b``."""

PROJECTIONS = (head, rating, track_rating, agent_tally, relationship)
"""Tables that can be deleted and computed again."""

# Judging in other processes. None of it is evidence: answers are in the tables above before a question counts as
# answered, so that all of this may be deleted while nobody judges.

worker = Table(
    "worker",
    metadata,
    *key("worker"),
    *required(TextType, "host"),
    *required(COUNT, "process", "concurrency"),
    *required(Real, "started", "seen"),  # seconds since 1970, by the clock of the database
    *required(COUNT, "calls", "answered", "failed"),
)
"""Workers that are or were there: who judges, and how much of it. ``seen`` is when the last sign of life came."""

worker_judge = Table(
    "worker_judge",
    metadata,
    *key("worker", "judge"),
    *required(Json, "card"),
    *required(TextType, "advocate"),  # the identity of its own model as an advocate; empty if it has none
    Column("price", Real),  # of a call of usual length, in US dollars
)
"""Which judges a worker has, by the names under which planners ask for them. Their specs stay with the worker."""

judging = Table(
    "judging",
    metadata,
    *key("pool"),
    *required(TextType, "judge"),
    *required(Json, "options"),  # how calls are made: rate, timeout, attempts
    *required(TextType, "planner"),
    *required(Json, "kinds"),  # what calls of each kind took beyond a first guess: {kind: [calls, tokens, cost]}
    *required(Json, "outages"),  # judges that are paused: {identity: [until, reason]}
    Column("max_tokens", COUNT),
    Column("max_cost", Real),
    *required(COUNT, "tokens", "lost_tokens"),  # spent so far; of which by workers that died, and not on record
    *required(Real, "cost", "lost_cost", "next_start"),
)
"""What all workers of a tournament share: its limits, what is spent, and when the next call may start."""

question = Table(
    "question",
    metadata,
    *key("pool", "call"),
    *required(TextType, "judge"),
    *required(Json, "shown"),  # ids of the items in the order in which they are shown
    *required(COUNT, "turns"),
    *required(TextType, "worker"),  # empty until one has taken it
    *required(TextType, "state"),  # waiting, taken, overdue or done
    *required(Json, "outcome"),
    index("state"),
)
"""Questions that a planner wants answered. It deletes a row when it has taken the outcome."""

reservation = Table(
    "reservation",
    metadata,
    *key("attempt"),
    *required(TextType, "pool", "worker", "kind"),
    *required(COUNT, "tokens"),
    *required(Real, "cost"),
    index("worker"),
)
"""Attempts that have begun, and what they may take of a budget."""

JUDGING = (worker, worker_judge, judging, question, reservation)
"""Tables that the chain does not cover and that change."""

# What pages show besides. None of it is evidence: which images there are is on record as an event with their digest.

image = Table(
    "image",
    metadata,
    *key("pool", "name"),
    *required(TextType, "kind", "digest"),  # the media type; the SHA-256 of the content
    *required(Bytes, "content"),
)
"""Images that the texts of a pool may show, by the names that these use."""

saved_view = Table("saved_view", metadata, *key("owner", "name"), *required(TextType, "address"))
"""Addresses of pages, with their filters, under names that people gave them."""

DISPLAY = (image, saved_view)
"""Tables that the chain does not cover and that pages alone read."""
