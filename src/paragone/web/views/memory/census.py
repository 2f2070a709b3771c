"""All content of a kind with its ratings: the source of boards, quadrants and echo chambers; cached until a change."""

from collections.abc import Mapping
from dataclasses import dataclass

from paragone.domain.content import Content, ContentKind, TruthSource, UsageMove
from paragone.memory.archive import Archive
from paragone.memory.components import Components
from paragone.memory.dashboard import Pool, Trail, echoes, histories, pool, suspects, trails
from paragone.memory.scores import ContentRating
from paragone.web.readers.ledger_reader import Computed
from paragone.web.readers.memory_reader import MemoryReader


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Census:
    """All content of a kind.

    Attributes:
        at: As of when, in seconds since 1970.
        pool: Ratings, the highest first, with their quadrants, and the echo chambers.
        often: Ratings above this are high in the quadrants.
        rank_by: Which rating counts, ``elo`` or ``need``.
        mode: What orders the results of a search.
        thresholds: R above which it is high, by its source.
        scope: Patterns of what may be pruned.
        histories: Of files: the moves of what is rated highest of all that was used.
        sizes: Number of pieces of each kind in the index.
        archived: How many files are in the archive.
        indexed: When the index was last updated; None before the first time.
    """

    at: float
    pool: Pool
    often: float
    rank_by: str
    mode: str
    thresholds: Mapping[TruthSource, float]
    scope: tuple[str, ...]
    histories: tuple[tuple[ContentRating, tuple[UsageMove, ...]], ...]
    sizes: Mapping[ContentKind, int]
    archived: int
    indexed: float | None


def census(memory: MemoryReader, kind: ContentKind) -> Computed[Census]:
    """All content of a kind, as it is now or was a moment ago.

    Raises:
        Busy: If it is being read for the first time, which takes long.
    """
    return memory.made(f"census {kind}", lambda parts: _taken(parts, kind))


def newest_census(memory: MemoryReader, kind: ContentKind, patience: float) -> Computed[Census] | None:
    """The newest census within so many seconds; None if there is none yet."""
    return memory.newest(f"census {kind}", lambda parts: _taken(parts, kind), patience)[0]


def all_trails(memory: MemoryReader, patience: float) -> Mapping[Content, Trail] | None:
    """Usage of each piece of content by the logs; None while they are being read."""
    snapshot, _ = memory.newest("trails", lambda parts: trails(parts.store.logs.after(), list(ContentKind)), patience)
    return None if snapshot is None else snapshot.value


def _taken(parts: Components, kind: ContentKind) -> Census:
    store, now, since = parts.store, parts.store.clock(), parts.index.first_seen()
    config = store.config
    ranked = pool(kind, store, parts.index, parts.scores, as_of=now, since=since)
    if any(suspects(ranked.ratings, config.prune.below)):
        histories_of_use = trails(store.logs.after(), [kind])
        alarms = echoes(ranked, histories_of_use, parts.scores, often=config.prune.below)
        ranked = Pool(kind=kind, ratings=ranked.ratings, quadrants=ranked.quadrants, echoes=alarms)
    return Census(
        at=now,
        pool=ranked,
        often=config.prune.below,
        rank_by=config.ranking.rank_by,
        mode=config.ranking.mode,
        thresholds=config.ratings.thresholds,
        scope=config.prune.scope,
        histories=histories(ranked, parts.scores) if kind is ContentKind.FILE else (),
        sizes={content_kind: size.count for content_kind, size in parts.scores.pools().items()},
        archived=len(Archive(store).entries()),
        indexed=parts.index.updated(),
    )
