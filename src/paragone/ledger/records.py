"""What the ledger hands out besides the nouns of the domain."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from paragone.domain import Adjustment, Choice, ItemKind, Match, Planned, RatingChange, RatingConfig
from paragone.wire.audit import Difference


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRecord:
    """A pool: a named set of items under one rating configuration."""

    id: str
    kind: ItemKind
    config: RatingConfig
    created: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class TournamentRecord:
    """A tournament as it was created.

    Attributes:
        id: Readable id, such as ``ideas-2``.
        pool: Id of its pool; the same.
        settings: What it was asked to do, as plain JSON values.
        created: When.
    """

    id: str
    pool: str
    settings: Mapping[str, Any]
    created: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """Something that happened to a tournament.

    Attributes:
        kind: ``started``, ``resumed``, ``stopped``, ``extended``, ...
        detail: Plain JSON values.
        at: When.
    """

    kind: str
    detail: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRound:
    """The pairings and lineups of one round, in the order of the plan; rounds count from 1."""

    number: int
    pairings: tuple[Planned, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedMatch:
    """A match as it stands in the ledger.

    Attributes:
        match: The match.
        sequence: Its place among all rows of the pool; matches count in this order.
        at: When it was recorded, by the recorder's clock.
        rolled_back: Whether a rollback voids it.
    """

    match: Match
    sequence: int
    at: datetime
    rolled_back: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedAdjustment:
    """An adjustment as it stands in the ledger.

    Attributes:
        adjustment: The adjustment.
        change: What it came to when it was made. A rollback of an earlier match compensates for what it would have
            come to without that match; this stays.
        sequence: Its place among all rows of the pool; adjustments and matches count in this order.
        at: When it was recorded, by the recorder's clock.
    """

    adjustment: Adjustment
    change: RatingChange
    sequence: int
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """What a judge said in a match, where it was asked once.

    Attributes:
        match: Id of the match.
        judge: Identity of the judge.
        first: Id of the item that was shown first.
        second: Id of the other.
        choice: What was said.
    """

    match: str
    judge: str
    first: str
    second: str
    choice: Choice


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditReport:
    """What an audit found.

    Attributes:
        ok: Whether everything agrees.
        pools: Pools that were checked.
        commits: Commits whose hash was recomputed.
        rows: Rows of evidence whose digest was recomputed.
        ratings: Ratings that were recomputed from the evidence.
        differences: What the database finds damaged; what of its schema is not as it must be; for each pool that does
            not agree, the first row that differs; and the expected hashes that are not there.
        heads: The last hash of each pool's chain. Whoever keeps these elsewhere can later have an audit expect them:
            then it shows even that the end of a chain was cut off, or a whole chain replaced.
        notes: What is odd and no difference, in words: a clock that went back.
    """

    pools: int
    commits: int
    rows: int
    ratings: int
    differences: tuple[Difference, ...]
    heads: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.differences
