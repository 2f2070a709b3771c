"""The data of the dashboard, gathered once for tables, figures and sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from heapq import nlargest
from pathlib import Path

from paragone.analysis.content import ContentUsage, EchoChamber, echo_chambers, quadrant
from paragone.domain.content import (
    Action,
    Content,
    ContentKind,
    ContentTier,
    Quadrant,
    Renamed,
    Showing,
    UsageMove,
    Use,
)
from paragone.memory.archive import Archive, ArchiveLine
from paragone.memory.index import Index
from paragone.memory.metrics import measure
from paragone.memory.scores import ContentRating, Scores
from paragone.memory.store import LogLine, MemoryConfig, SearchLine, Store
from paragone.memory.truth.unknown import unknown_reasons
from paragone.ratings.usage import shown
from paragone.wire.memory import Measures


@dataclass(kw_only=True, slots=True)
class Trail:
    """What the logs say about one piece of content.

    Attributes:
        users: Uses by agent, or by session if no agent is named.
        shown: Searches that returned it.
        queries: Their queries.
        searched: Ids of its uses as a search result.
    """

    users: Counter[str] = field(default_factory=Counter)
    shown: int = 0
    queries: set[str] = field(default_factory=set)
    searched: set[str] = field(default_factory=set)


def trails(lines: Iterable[LogLine], kinds: Sequence[ContentKind]) -> dict[Content, Trail]:
    """The trails of all content of some kinds. A renamed file keeps its trail.

    Args:
        lines: Of the logs, in order.
        kinds: Which kinds.
    """
    by_content: dict[Content, Trail] = {}
    for line in lines:
        for event in line.events():
            if isinstance(event, Showing):
                _show(by_content, event, line.query if isinstance(line, SearchLine) else "", kinds)
            elif isinstance(event, Use):
                _use(by_content, event, str(getattr(line, "agent_id", "")) or line.session_id, kinds)
            elif isinstance(event, Renamed):
                _rename(by_content, event)
    return by_content


def _show(by_content: dict[Content, Trail], event: Showing, query: str, kinds: Sequence[ContentKind]) -> None:
    for kind in kinds:
        for content in shown(event.results, kind):
            trail = by_content.setdefault(content, Trail())
            trail.shown += 1
            trail.queries.add(" ".join(query.casefold().split()))


def _use(by_content: dict[Content, Trail], event: Use, user: str, kinds: Sequence[ContentKind]) -> None:
    if event.action is Action.CONTRADICTED:
        return
    for content in event.contents:
        if content.kind in kinds:
            trail = by_content.setdefault(content, Trail())
            trail.users[user] += 1
            if event.search:
                trail.searched.add(event.id)


def _rename(by_content: dict[Content, Trail], event: Renamed) -> None:
    old, new = (Content(kind=ContentKind.FILE, id=path, path=path) for path in (event.old, event.new))
    trail = by_content.pop(old, None)
    if trail is not None:
        new_trail = by_content.setdefault(new, Trail())
        new_trail.users.update(trail.users)
        new_trail.shown += trail.shown
        new_trail.queries |= trail.queries
        new_trail.searched |= trail.searched


def content_usage(rating: ContentRating, trail: Trail, moves: Iterable[UsageMove]) -> ContentUsage:
    """How content came to its rating.

    Args:
        rating: Its rating.
        trail: What the logs say about it.
        moves: All changes of its rating.
    """
    gains = [move for move in moves if move.delta > 0.0]
    return ContentUsage(
        content=rating.content,
        rating=rating.elo,
        r=rating.r,
        is_high=rating.is_high,
        uses=rating.uses,
        users=dict(trail.users),
        shown=trail.shown,
        queries=len(trail.queries),
        gained=sum(move.delta for move in gains),
        by_search=sum(move.delta for move in gains if _by_search(move, trail)),
    )


def _by_search(move: UsageMove, trail: Trail) -> bool:
    return move.event in trail.searched or "_rank_" in move.reason


def suspects(ratings: Iterable[ContentRating], often: float) -> Iterator[ContentRating]:
    """Content with a low R that is rated high and used."""
    return (rating for rating in ratings if rating.is_high is False and rating.uses and rating.elo > often)


TOP = 30
"""Rows of a table by default."""
MAX_HISTORIES = 8
"""Files whose rating history is shown."""
ORDER = (ContentKind.FILE, ContentKind.ADR, ContentKind.SYMBOL, ContentKind.VECTOR)
"""Kinds in the order of the dashboard."""
MAX_ECHO_CHAMBERS = 200
"""Echo chambers of a kind whose history is read from the logs, at most."""
_MAX_MOVES = 2000
_ALL_MOVES = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentPool:
    """All content of a kind.

    Attributes:
        kind: The kind.
        ratings: The rating of each piece, highest first.
        quadrants: The quadrant of each, in the same order.
        echoes: Echo chambers; if there are more than ``MAX_ECHO_CHAMBERS``, those with the most uses.
    """

    kind: ContentKind
    ratings: tuple[ContentRating, ...]
    quadrants: tuple[Quadrant, ...]
    echoes: tuple[EchoChamber, ...]

    @property
    def used(self) -> int:
        """Number of pieces that were ever used."""
        return sum(rating.uses > 0 for rating in self.ratings)

    @property
    def loud(self) -> int:
        """Number of echo chambers."""
        pairs = zip(self.ratings, self.quadrants, strict=True)
        return sum(rating.uses > 0 and where is Quadrant.ECHO for rating, where in pairs)

    @property
    def unknown(self) -> int:
        """Number of pieces without R."""
        return sum(rating.r is None for rating in self.ratings)

    def tiers(self) -> dict[ContentTier, Counter[Quadrant]]:
        """Number of pieces in each quadrant, by the tier of their Elo."""
        counts: dict[ContentTier, Counter[Quadrant]] = {tier: Counter() for tier in ContentTier}
        for rating, where in zip(self.ratings, self.quadrants, strict=True):
            counts[rating.elo_tier][where] += 1
        return counts

    def of(self, where: Quadrant) -> Iterator[ContentRating]:
        """The content of a quadrant, highest first."""
        return (rating for rating, own in zip(self.ratings, self.quadrants, strict=True) if own is where)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Dashboard:
    """The data of the dashboard.

    Attributes:
        root: The folder.
        at: The time of the data.
        config: The configuration.
        pools: By kind, without empty ones.
        often: Elo above which a rating is high in the four quadrants.
        histories: Rating changes of the highest rated files that were used, oldest first.
        measures: The memory specification's measures of success.
        archived: Archived files, newest first.
        unknown: Why R is unknown, of content about which something was tried.
    """

    root: Path
    at: datetime
    config: MemoryConfig
    pools: Mapping[ContentKind, ContentPool]
    often: float
    histories: tuple[tuple[ContentRating, tuple[UsageMove, ...]], ...]
    measures: Measures
    archived: tuple[ArchiveLine, ...]
    unknown: Mapping[Content, str]

    @property
    def files(self) -> ContentPool:
        """The pool of files, which exists even if it is empty."""
        return self.pools[ContentKind.FILE]


def gather(store: Store, index: Index, scores: Scores, *, as_of: float | None = None) -> Dashboard:
    """Gather the data; nothing is written except scores that were not counted yet.

    Args:
        store: The store.
        index: Its index.
        scores: Its scores.
        as_of: The time of the ratings, in seconds since 1970; now if None.
    """
    now, often = store.moment(as_of), store.config.prune.below
    since = index.first_seen()
    pools_by_kind = {kind: pool(kind, store, index, scores, as_of=now, since=since) for kind in ORDER}
    low = {kind for kind, content_pool in pools_by_kind.items() if any(suspects(content_pool.ratings, often))}
    by_content = trails(store.logs.after(), sorted(low)) if low else {}
    pools = {
        kind: replace(content_pool, echoes=echoes(content_pool, by_content, scores, often=often))
        if kind in low
        else content_pool
        for kind, content_pool in pools_by_kind.items()
        if content_pool.ratings or kind is ContentKind.FILE
    }
    return Dashboard(
        root=store.root,
        at=datetime.fromtimestamp(now, UTC),
        config=store.config,
        pools=pools,
        often=often,
        histories=histories(pools[ContentKind.FILE], scores),
        measures=measure(store, index, scores, as_of=now),
        archived=tuple(Archive(store).entries()[::-1]),
        unknown=unknown_reasons(store.logs),
    )


def pool(
    kind: ContentKind, store: Store, index: Index, scores: Scores, *, as_of: float, since: Mapping[str, float]
) -> ContentPool:
    """All content of a kind in the index, or in the logs before anything is indexed; ``echoes`` adds the echo chambers.

    Args:
        kind: The kind.
        store: The store.
        index: Its index.
        scores: Its scores.
        as_of: The time of the ratings, in seconds since 1970.
        since: When the decay of unused content begins, by path; empty before anything is indexed.
    """
    contents = list(index.contents(kind)) if since else [rating.content for rating in scores.rated(kind)]
    ratings_by_content = scores.ratings(contents, as_of=as_of, since=since)
    ratings = tuple(sorted(ratings_by_content.values(), key=lambda rating: (-rating.elo, rating.content.id)))
    where = tuple(quadrant(rating.is_high, rating.elo, often=store.config.prune.below) for rating in ratings)
    return ContentPool(kind=kind, ratings=ratings, quadrants=where, echoes=())


def echoes(
    pool: ContentPool, by_content: Mapping[Content, Trail], scores: Scores, *, often: float
) -> tuple[EchoChamber, ...]:
    """The echo chambers of a pool, largest share of uses first.

    Args:
        pool: The pool.
        by_content: The trails of content.
        scores: The rating histories.
        often: Elo above which a rating is high.
    """
    watched = nlargest(MAX_ECHO_CHAMBERS, suspects(pool.ratings, often), key=lambda rating: rating.uses)
    histories_of_use = [
        content_usage(rating, by_content.get(rating.content, Trail()), scores.moves(rating.content, limit=_ALL_MOVES))
        for rating in watched
    ]
    return echo_chambers(histories_of_use, sum(rating.uses for rating in pool.ratings), often=often)


def histories(pool: ContentPool, scores: Scores) -> tuple[tuple[ContentRating, tuple[UsageMove, ...]], ...]:
    """The rating changes of the highest rated content that was used, oldest first."""
    used = nlargest(
        MAX_HISTORIES, (rating for rating in pool.ratings if rating.uses), key=lambda rating: (rating.elo, rating.uses)
    )
    return tuple((rating, tuple(scores.moves(rating.content, limit=_MAX_MOVES))) for rating in used)
