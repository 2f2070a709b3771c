"""Everything that the dashboard says, gathered once; tables, figures and sentences only lay it out."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import nlargest
from pathlib import Path

from paragone.analysis.content import EchoChamber, Quadrant, echo_chambers, quadrant
from paragone.domain.content import Content, ContentKind, ContentTier, UsageMove, content_tier
from paragone.memory.index import Index
from paragone.memory.report.courses import Trail, course, suspects, trails
from paragone.memory.report.metrics import Metrics, measure
from paragone.memory.scores import ContentRating, Scores
from paragone.memory.store import MemoryConfig, Store
from paragone.memory.upkeep.archive import Archive
from paragone.memory.upkeep.archive_manifest import ArchiveLine

TOP = 30
"""Pieces of content in a table, where nothing else is said."""
FOLLOWED = 8
"""Pieces of content whose rating is told move by move."""
ORDER = (ContentKind.FILE, ContentKind.ADR, ContentKind.SYMBOL, ContentKind.VECTOR)
"""Kinds in the order in which they are told."""
WATCHED = 200
"""Echo chambers of a kind whose course is read from the logs at the most."""
_MOVES = 2000
_ALL_MOVES = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool:
    """All content of a kind.

    Attributes:
        kind: Which.
        ratings: Where each piece stands, the highest first.
        quadrants: The quadrant of each, in the same order.
        echoes: Those with a low R that are used much; of more than ``WATCHED`` those with the most uses.
    """

    kind: ContentKind
    ratings: tuple[ContentRating, ...]
    quadrants: tuple[Quadrant, ...]
    echoes: tuple[EchoChamber, ...]

    @property
    def used(self) -> int:
        """How many pieces were used at all."""
        return sum(one.uses > 0 for one in self.ratings)

    @property
    def loud(self) -> int:
        """How many echo chambers there are."""
        pairs = zip(self.ratings, self.quadrants, strict=True)
        return sum(one.uses > 0 and where is Quadrant.ECHO for one, where in pairs)

    @property
    def unknown(self) -> int:
        """How many pieces have no R."""
        return sum(one.r is None for one in self.ratings)

    def tiers(self) -> dict[ContentTier, Counter[Quadrant]]:
        """How many there are of each quadrant, by the tier of their Elo."""
        found: dict[ContentTier, Counter[Quadrant]] = {tier: Counter() for tier in ContentTier}
        for one, where in zip(self.ratings, self.quadrants, strict=True):
            found[content_tier(one.elo)][where] += 1
        return found

    def of(self, where: Quadrant) -> Iterator[ContentRating]:
        """What belongs to a quadrant, the highest first."""
        return (one for one, own in zip(self.ratings, self.quadrants, strict=True) if own is where)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Dashboard:
    """All there is to say.

    Attributes:
        root: The folder that is remembered.
        at: As of when.
        config: The configuration.
        pools: By kind; only those that the index holds something of.
        often: Ratings above this are high in the four quadrants.
        histories: Moves of the ratings of the files that were used most, the oldest first.
        metrics: Document M's measures of success.
        archived: What was pruned, the newest first.
    """

    root: Path
    at: datetime
    config: MemoryConfig
    pools: Mapping[ContentKind, Pool]
    often: float
    histories: tuple[tuple[ContentRating, tuple[UsageMove, ...]], ...]
    metrics: Metrics
    archived: tuple[ArchiveLine, ...]

    @property
    def files(self) -> Pool:
        """The pool of files, which is there even when it is empty."""
        return self.pools[ContentKind.FILE]


def gather(store: Store, index: Index, scores: Scores, *, as_of: float | None = None) -> Dashboard:
    """Gather all there is to say; nothing is written but scores that were not counted yet.

    Args:
        store: The store.
        index: What it holds.
        scores: Where it stands.
        as_of: As of when, in seconds since 1970; now where None.
    """
    now, often = store.clock() if as_of is None else as_of, store.config.prune.below
    since = {entry.path: entry.first_seen for entry in index.files()}
    rated = {kind: _rated(kind, index, scores, now, since) for kind in ORDER}
    low = {kind for kind, ratings in rated.items() if any(suspects(ratings, often))}
    found = trails(store.logs.after(), sorted(low)) if low else {}
    pools = {
        kind: _pool(kind, ratings, often, _echoes(ratings, often, found, scores) if kind in low else ())
        for kind, ratings in rated.items()
        if ratings or kind is ContentKind.FILE
    }
    return Dashboard(
        root=store.root,
        at=datetime.fromtimestamp(now, UTC),
        config=store.config,
        pools=pools,
        often=often,
        histories=_histories(pools[ContentKind.FILE].ratings, scores),
        metrics=measure(store, index, scores, as_of=now),
        archived=tuple(Archive(store).entries()[::-1]),
    )


def _rated(
    kind: ContentKind, index: Index, scores: Scores, now: float, since: Mapping[str, float]
) -> tuple[ContentRating, ...]:
    """All of a kind: what the index holds, or, before anything is indexed, what the logs know."""
    contents = list(index.contents(kind)) if since else [one.content for one in scores.rated(kind)]
    found = scores.ratings(contents, as_of=now, since=since)
    return tuple(sorted(found.values(), key=lambda one: (-one.elo, one.content.id)))


def _pool(kind: ContentKind, ratings: tuple[ContentRating, ...], often: float, echoes: tuple[EchoChamber, ...]) -> Pool:
    where = tuple(quadrant(one.is_high, one.elo, often=often) for one in ratings)
    return Pool(kind=kind, ratings=ratings, quadrants=where, echoes=echoes)


def _echoes(
    ratings: Sequence[ContentRating], often: float, found: Mapping[Content, Trail], scores: Scores
) -> tuple[EchoChamber, ...]:
    watched = nlargest(WATCHED, suspects(ratings, often), key=lambda one: one.uses)
    courses = [
        course(one, found.get(one.content, Trail()), scores.moves(one.content, limit=_ALL_MOVES)) for one in watched
    ]
    return echo_chambers(courses, sum(one.uses for one in ratings), often=often)


def _histories(
    ratings: Sequence[ContentRating], scores: Scores
) -> tuple[tuple[ContentRating, tuple[UsageMove, ...]], ...]:
    used = nlargest(FOLLOWED, (one for one in ratings if one.uses), key=lambda one: (one.elo, one.uses))
    return tuple((one, tuple(scores.moves(one.content, limit=_MOVES))) for one in used)
