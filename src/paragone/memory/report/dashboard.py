"""Everything that the dashboard says, gathered once; tables, figures and sentences only lay it out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from heapq import nlargest
from pathlib import Path

from paragone.analysis.content import Course, EchoChamber, echo_chambers, quadrant
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
    content_tier,
)
from paragone.memory.index import Index
from paragone.memory.report.metrics import measure
from paragone.memory.scores import ContentRating, Scores
from paragone.memory.store import Line, MemoryConfig, SearchLine, Store
from paragone.memory.upkeep.archive import Archive, ArchiveLine
from paragone.ratings.usage import shown
from paragone.wire.memory import Measures


@dataclass(kw_only=True, slots=True)
class Trail:
    """What the logs say of one piece of content.

    Attributes:
        users: Uses by agent, or by session where no agent is named.
        shown: Searches that showed it.
        queries: What they asked for.
        searched: Ids of the acts upon it as the result of a search.
    """

    users: Counter[str] = field(default_factory=Counter)
    shown: int = 0
    queries: set[str] = field(default_factory=set)
    searched: set[str] = field(default_factory=set)


def trails(lines: Iterable[Line], kinds: Sequence[ContentKind]) -> dict[Content, Trail]:
    """The trails of all content of some kinds. A file that was renamed takes its trail along.

    Args:
        lines: Of the logs, in order.
        kinds: Which.
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


def course(rating: ContentRating, trail: Trail, moves: Iterable[UsageMove]) -> Course:
    """How content came to its rating.

    Args:
        rating: Where it stands.
        trail: What the logs say of it.
        moves: All moves of its rating.
    """
    gains = [move for move in moves if move.delta > 0.0]
    return Course(
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
    """What has a low R and is used much."""
    return (rating for rating in ratings if rating.is_high is False and rating.uses and rating.elo > often)


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
        return sum(rating.uses > 0 for rating in self.ratings)

    @property
    def loud(self) -> int:
        """How many echo chambers there are."""
        pairs = zip(self.ratings, self.quadrants, strict=True)
        return sum(rating.uses > 0 and where is Quadrant.ECHO for rating, where in pairs)

    @property
    def unknown(self) -> int:
        """How many pieces have no R."""
        return sum(rating.r is None for rating in self.ratings)

    def tiers(self) -> dict[ContentTier, Counter[Quadrant]]:
        """How many there are of each quadrant, by the tier of their Elo."""
        counts: dict[ContentTier, Counter[Quadrant]] = {tier: Counter() for tier in ContentTier}
        for rating, where in zip(self.ratings, self.quadrants, strict=True):
            counts[content_tier(rating.elo)][where] += 1
        return counts

    def of(self, where: Quadrant) -> Iterator[ContentRating]:
        """What belongs to a quadrant, the highest first."""
        return (rating for rating, own in zip(self.ratings, self.quadrants, strict=True) if own is where)


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
        measures: Document M's measures of success.
        archived: What was pruned, the newest first.
    """

    root: Path
    at: datetime
    config: MemoryConfig
    pools: Mapping[ContentKind, Pool]
    often: float
    histories: tuple[tuple[ContentRating, tuple[UsageMove, ...]], ...]
    measures: Measures
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
    )


def pool(
    kind: ContentKind, store: Store, index: Index, scores: Scores, *, as_of: float, since: Mapping[str, float]
) -> Pool:
    """All of a kind: what the index holds, or, before anything is indexed, what the logs know.

    Its echo chambers take the logs besides; see ``echoes``.

    Args:
        kind: Which.
        store: The store.
        index: What it holds.
        scores: Where it stands.
        as_of: As of when, in seconds since 1970.
        since: By path, from when on content decays that was never used; empty before anything is indexed.
    """
    contents = list(index.contents(kind)) if since else [rating.content for rating in scores.rated(kind)]
    ratings_by_content = scores.ratings(contents, as_of=as_of, since=since)
    ratings = tuple(sorted(ratings_by_content.values(), key=lambda rating: (-rating.elo, rating.content.id)))
    where = tuple(quadrant(rating.is_high, rating.elo, often=store.config.prune.below) for rating in ratings)
    return Pool(kind=kind, ratings=ratings, quadrants=where, echoes=())


def echoes(pool: Pool, found: Mapping[Content, Trail], scores: Scores, *, often: float) -> tuple[EchoChamber, ...]:
    """The echo chambers of a pool, that with the largest share of uses first.

    Args:
        pool: Of what.
        found: What the logs say of each.
        scores: How each came to its rating.
        often: Ratings above this are high.
    """
    watched = nlargest(WATCHED, suspects(pool.ratings, often), key=lambda rating: rating.uses)
    courses = [
        course(rating, found.get(rating.content, Trail()), scores.moves(rating.content, limit=_ALL_MOVES))
        for rating in watched
    ]
    return echo_chambers(courses, sum(rating.uses for rating in pool.ratings), often=often)


def histories(pool: Pool, scores: Scores) -> tuple[tuple[ContentRating, tuple[UsageMove, ...]], ...]:
    """The moves of what is rated highest of all that was used, the oldest first."""
    used = nlargest(
        FOLLOWED, (rating for rating in pool.ratings if rating.uses), key=lambda rating: (rating.elo, rating.uses)
    )
    return tuple((rating, tuple(scores.moves(rating.content, limit=_MOVES))) for rating in used)
