"""The tables.

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
    Normalization,
    Outcome,
    Protocol,
    Speaker,
    Stage,
)
from paragone.ledger.columns import ARRIVAL, COUNT, Flag, Json, Moment, OneOf, Real, Words

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
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


def _required(type_: Any, *names: str) -> tuple[Column[Any], ...]:  # noqa: ANN401 - any type of a column
    """Columns of one type, none of which may be NULL."""
    return tuple(Column(name, type_, nullable=False) for name in names)


commit = Table(
    "commit",
    metadata,
    Column("id", ARRIVAL, primary_key=True),  # the order of arrival over all pools; not part of the hash
    *_required(Words, "pool"),
    *_required(COUNT, "number"),
    *_required(Words, "previous"),
    *_required(Moment, "at"),
    *_required(Json, "rows"),  # which rows it added, in the order of seq: ``digests.Listing``
    *_required(Words, "hash"),
    UniqueConstraint("pool", "number"),
)
"""The links of the hash chain: a row for each page of a pool, which is most often a transaction."""

_evidence: list[Table] = []


def _table(name: str, *parts: Column[Any] | ForeignKeyConstraint | UniqueConstraint | Index) -> Table:
    """A table of evidence: the columns that all have, and its own."""
    table = Table(
        name,
        metadata,
        Column("pool", Words, primary_key=True),
        Column("seq", COUNT, primary_key=True, autoincrement=False),
        *_required(COUNT, "commit"),
        *parts,
        ForeignKeyConstraint(["pool", "commit"], ["commit.pool", "commit.number"]),
    )
    _evidence.append(table)
    return table


def _refers(column: str, table: str = "", key: str = "") -> ForeignKeyConstraint:
    """A reference to a row of the same pool; table and key are named like the column by default."""
    table = table or column
    return ForeignKeyConstraint(["pool", column], [f"{table}.pool", f"{table}.{key or table}"])


def _owned_by(table: str) -> ForeignKeyConstraint:
    """A reference to the pool, or to its tournament."""
    return ForeignKeyConstraint(["pool"], [f"{table}.pool"])


def _unique(*columns: str) -> UniqueConstraint:
    return UniqueConstraint("pool", *columns)


def _index(*columns: str) -> Index:
    return Index(None, "pool", *columns)


def _usage() -> Sequence[Column[Any]]:
    """The usage of a call to a model: ``paragone.domain.Usage``."""
    counts = _required(COUNT, "calls", "input_tokens", "output_tokens")
    return (*counts, Column("cost", Real), *_required(Real, "seconds"))


def _effect() -> Sequence[Column[Any]]:
    """A change of a rating: ``paragone.domain.RatingChange``."""
    numbers = _required(Real, "old", "new", "k", "expected", "score", "clamped")
    return (*numbers, *_required(Flag, "compensates"))  # whether a rollback made it


# Evidence: pools with their items, tournaments, what judges and advocates said, matches, and what followed

pool = _table("pool", *_required(OneOf(ItemKind), "kind"), *_required(Json, "config"), _unique())

item = _table(
    "item",
    *_required(Words, "item"),
    *_required(OneOf(ItemKind), "kind"),
    *_required(Words, "text"),
    _owned_by("pool"),
    _unique("item"),
)

tournament = _table(
    "tournament",
    *_required(Words, "slug"),
    *_required(COUNT, "number"),
    *_required(Json, "settings"),
    _owned_by("pool"),
    _unique(),
    UniqueConstraint("slug", "number"),
)

tournament_event = _table(
    "tournament_event",
    *_required(Words, "kind"),
    *_required(Json, "detail"),
    _owned_by("tournament"),
)

planned_round = _table(
    "planned_round",
    *_required(COUNT, "number"),
    # [[a, b, [order, ...]], ...]; a debate has its turns and whether it was degraded besides; a lineup is [[id, ...]]
    *_required(Json, "pairings"),
    _owned_by("tournament"),
    _unique("number"),
)

comparison = _table(
    "comparison",
    *_required(Words, "call"),
    *_required(COUNT, "attempt"),
    Column("key", Words),
    *_required(Words, "first", "second"),
    *_required(OneOf(Choice), "choice"),
    *_required(Words, "judge"),
    Column("probability", Real),
    *_required(Json, "scores"),  # [[criterion, first, second], ...]
    *_required(Words, "rationale"),
    Column("prompt_hash", Words),
    *_usage(),
    *_required(Words, "error"),
    *_required(Flag, "cached"),
    _refers("first", "item"),
    _refers("second", "item"),
    _unique("call", "attempt"),
    Index(None, "key"),
)
"""One row per attempt at a judge call. An answered call has one answered row, its last."""

ranking = _table(
    "ranking",
    *_required(Words, "call"),
    *_required(COUNT, "attempt"),
    Column("key", Words),
    *_required(Json, "shown"),  # [id, ...] in the order of presentation
    *_required(OneOf(Choice), "choice"),
    *_required(Json, "order"),  # [place shown, ...], the best first
    *_required(Words, "judge", "rationale"),
    Column("prompt_hash", Words),
    *_usage(),
    *_required(Words, "error"),
    *_required(Flag, "cached"),
    _owned_by("pool"),
    _unique("call", "attempt"),
    Index(None, "key"),
)
"""One row per attempt at a judge call on several items, like ``comparison`` for two."""

debate_turn = _table(
    "debate_turn",
    *_required(Words, "call"),
    *_required(COUNT, "number"),
    *_required(OneOf(Speaker), "speaker"),
    *_required(OneOf(Stage), "stage"),
    *_required(Words, "content"),
    *_required(Json, "claims"),  # [sentence, ...], and so rebuttals and evidence
    *_required(Json, "rebuttals", "evidence"),
    *_required(Words, "advocate"),
    Column("prompt_hash", Words),
    *_usage(),
    _owned_by("pool"),
    _unique("call", "number"),
)
"""Turns of the debate before a judge call. They are recorded before any attempt at the call, and stay if it fails."""

match = _table(
    "match",
    *_required(Words, "match"),
    *_required(COUNT, "round"),
    *_required(Words, "a", "b"),
    *_required(OneOf(Outcome), "outcome"),
    *_required(OneOf(Protocol), "protocol"),
    *_required(Real, "confidence"),
    _refers("a", "item"),
    _refers("b", "item"),
    _unique("match"),
)

match_comparison = _table(
    "match_comparison",
    *_required(Words, "match"),
    *_required(COUNT, "comparison"),
    _refers("match"),
    _refers("comparison", "comparison", "seq"),
    _index("match"),
)
"""The comparisons of a match, in the order of ``seq``."""

match_ranking = _table(
    "match_ranking",
    *_required(Words, "match"),
    *_required(COUNT, "ranking"),
    _refers("match"),
    _refers("ranking", "ranking", "seq"),
    _unique("match"),
)
"""The ranking of a match among several items, whose ``a`` and ``b`` are its first and its last."""

rating_change = _table(
    "rating_change",
    *_required(Words, "item", "match"),
    *_effect(),
    _refers("item"),
    _refers("match"),
    _index("match"),
    _index("item"),
)

rollback = _table("rollback", *_required(Words, "match", "reason"), _refers("match"), _unique("match"))

adjustment = _table(
    "adjustment",
    *_required(Words, "adjustment", "item"),
    *_required(OneOf(AdjustmentKind), "kind"),
    *_required(Real, "target", "share"),
    *_required(Words, "reason"),
    *_required(Real, "old", "new", "clamped"),
    _refers("item"),
    _unique("adjustment"),
    _index("item"),
)
"""Changes of ratings without a match."""

review = _table(
    "review",
    *_required(Words, "item", "reviewer"),
    *_required(Real, "score"),
    *_required(Json, "scores"),  # [[criterion, score], ...]
    *_required(Words, "text"),
    _refers("item"),
    _index("item"),
)
"""Reviews of items; a later row of the same reviewer replaces an earlier one."""

# Evidence about agents: scores, tests, predictions, critiques and relations

scorecard = _table(
    "scorecard",
    *_required(Words, "match"),
    *_required(Json, "entries"),  # [[participant, score, multiplier of K], ...] in the order of naming
    *_required(Words, "domain", "task"),
    *_required(OneOf(Counting), "counting"),
    *_required(OneOf(Normalization), "normalization"),
    _refers("match"),
    _unique("match"),
    _index("domain", "seq"),
)
"""The scores of the participants of a match, if it was not judged here."""

track_change = _table(
    "track_change",
    *_required(Words, "item", "track", "match"),
    *_effect(),
    _refers("item"),
    _refers("match"),
    _index("match"),
    _index("item"),
)
"""Changes of ratings in domains, like ``rating_change`` for global ones."""

test = _table(
    "test",
    *_required(Words, "test", "item"),
    *_required(Words, "kind"),  # redteam or verification
    *_required(Json, "measured"),  # {what was measured: number, ...}
    *_required(Words, "session", "domain"),
    *_required(Real, "old", "new", "clamped"),
    Column("domain_old", Real),
    Column("domain_new", Real),
    Column("domain_clamped", Real),
    _refers("item"),
    _unique("test"),
    _index("item"),
)
"""Tests, which change a rating without an opponent."""

prediction = _table(
    "prediction",
    *_required(Words, "tournament", "item", "winner"),
    *_required(Real, "confidence"),
    _refers("item"),
    _index("tournament"),
    _index("item"),
)
"""Predictions of winners; a predictor's last row on a tournament counts."""

resolution = _table("resolution", *_required(Words, "tournament", "winner"), _owned_by("pool"), _index("tournament"))
"""Winners of tournaments; at most one row per tournament is not void."""

domain_prediction = _table(
    "domain_prediction",
    Column("prediction", Words),
    *_required(Words, "item", "domain"),
    *_required(Real, "confidence"),
    *_required(Flag, "correct"),
    _refers("item"),
    _unique("prediction"),
    _index("item", "domain"),
)

critique = _table(
    "critique",
    Column("critique", Words),
    *_required(Words, "item"),
    *_required(Flag, "accepted"),
    _refers("item"),
    _unique("critique"),
    _index("item"),
)

relation = _table(
    "relation",
    Column("relation", Words),
    *_required(Words, "a", "b"),
    *_required(COUNT, *DEALINGS),
    _refers("a", "item"),
    _refers("b", "item"),
    _unique("relation"),
)
"""Additions to the counts between two agents, seen from ``a``."""

registration = _table("registration", *_required(Words, "item", "model"), _refers("item"), _index("item"))
"""Models of agents; an agent's last row counts."""

void = _table(
    "void",
    *_required(Words, "kind"),  # the table of the row that no longer counts
    *_required(COUNT, "target"),  # and its seq
    *_required(Words, "reason"),
    _owned_by("pool"),
    _unique("target"),
)
"""Voided evidence about agents; matches are in ``rollback`` instead."""

void_change = _table(
    "void_change",
    *_required(Words, "item", "track", "test"),
    *_required(Real, "old", "new"),
    _refers("item"),
    _refers("test"),
    _index("test"),
    _index("item"),
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
    Column("pool", Words, primary_key=True),
    *_required(COUNT, "commits", "rows"),
    *_required(Words, "hash"),
)
"""Projection: the end of each pool's chain. Its row is what writers to the pool lock."""


def _key(*names: str) -> tuple[Column[Any], ...]:
    return tuple(Column(name, Words, primary_key=True) for name in names)


def _record() -> tuple[Column[Any], ...]:
    """A running Elo and its record: ``paragone.domain.Rating``."""
    return (*_required(Real, "elo"), *_required(Integer, "matches", "wins", "losses", "ties"))


rating = Table("rating", metadata, *_key("pool", "item"), *_record())
Index("ix_rating_pool_elo_item", rating.c.pool, rating.c.elo.desc(), rating.c.item)  # the leaderboard, in its order
"""Projection: the running Elo and the record of each item."""

track_rating = Table("track_rating", metadata, *_key("pool", "item", "track"), *_record())
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
    *_key("pool", "item"),
    *_required(Integer, "critiques_accepted", "critiques_total", "calibration_correct", "calibration_total"),
    *_required(Real, "calibration_brier_sum"),
)
"""Projection: other counts of agents that have any."""

relationship = Table("relationship", metadata, *_key("pool", "a", "b"), *_required(COUNT, *DEALINGS), _index("b"))
"""Projection: the sums of ``relation`` for each pair, ``a`` sorting before ``b``."""

PROJECTIONS = (head, rating, track_rating, agent_tally, relationship)
"""Tables that can be deleted and computed again."""

# Judging in other processes. None of it is evidence: answers are in the tables above before a question counts as
# answered, so that all of this may be deleted while nobody judges.

worker = Table(
    "worker",
    metadata,
    *_key("worker"),
    *_required(Words, "host"),
    *_required(COUNT, "process", "concurrency"),
    *_required(Real, "started", "seen"),  # seconds since 1970, by the clock of the database
    *_required(COUNT, "calls", "answered", "failed"),
)
"""Workers that are or were there: who judges, and how much of it. ``seen`` is when the last sign of life came."""

worker_judge = Table(
    "worker_judge",
    metadata,
    *_key("worker", "judge"),
    *_required(Json, "card"),
    *_required(Words, "advocate"),  # the identity of its own model as an advocate; empty if it has none
    Column("price", Real),  # of a call of usual length, in US dollars
)
"""Which judges a worker has, by the names under which planners ask for them. Their specs stay with the worker."""

judging = Table(
    "judging",
    metadata,
    *_key("pool"),
    *_required(Words, "judge"),
    *_required(Json, "options"),  # how calls are made: rate, timeout, attempts
    *_required(Words, "planner"),
    *_required(Json, "kinds"),  # what calls of each kind took beyond a first guess: {kind: [calls, tokens, cost]}
    *_required(Json, "outages"),  # judges that are paused: {identity: [until, reason]}
    Column("max_tokens", COUNT),
    Column("max_cost", Real),
    *_required(COUNT, "tokens", "lost_tokens"),  # spent so far; of which by workers that died, and not on record
    *_required(Real, "cost", "lost_cost", "next_start"),
)
"""What all workers of a tournament share: its limits, what is spent, and when the next call may start."""

question = Table(
    "question",
    metadata,
    *_key("pool", "call"),
    *_required(Words, "judge"),
    *_required(Json, "shown"),  # ids of the items in the order in which they are shown
    *_required(COUNT, "turns"),
    *_required(Words, "worker"),  # empty until one has taken it
    *_required(Words, "state"),  # waiting, taken or done
    *_required(Json, "outcome"),
    _index("state"),
)
"""Questions that a planner wants answered. It deletes a row when it has taken the outcome."""

reservation = Table(
    "reservation",
    metadata,
    *_key("attempt"),
    *_required(Words, "pool", "worker", "kind"),
    *_required(COUNT, "tokens"),
    *_required(Real, "cost"),
    _index("worker"),
)
"""Attempts that have begun, and what they may take of a budget."""

JUDGING = (worker, worker_judge, judging, question, reservation)
"""Tables that the chain does not cover and that change."""
