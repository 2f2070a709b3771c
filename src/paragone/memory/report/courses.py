"""How content came to its rating: who used it, and which searches showed it, read from the logs in one pass."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from paragone.analysis.content import Course
from paragone.domain.content import Action, Content, ContentKind, Renamed, Showing, UsageMove, Use
from paragone.memory.scores import ContentRating
from paragone.memory.store import Line, SearchLine
from paragone.ratings.usage import shown


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
    found: dict[Content, Trail] = {}
    for line in lines:
        for event in line.events():
            if isinstance(event, Showing):
                _show(found, event, line.query if isinstance(line, SearchLine) else "", kinds)
            elif isinstance(event, Use):
                _use(found, event, str(getattr(line, "agent_id", "")) or line.session_id, kinds)
            elif isinstance(event, Renamed):
                _rename(found, event)
    return found


def _show(found: dict[Content, Trail], event: Showing, query: str, kinds: Sequence[ContentKind]) -> None:
    for kind in kinds:
        for content in shown(event.results, kind):
            trail = found.setdefault(content, Trail())
            trail.shown += 1
            trail.queries.add(" ".join(query.casefold().split()))


def _use(found: dict[Content, Trail], event: Use, user: str, kinds: Sequence[ContentKind]) -> None:
    if event.action is Action.CONTRADICTED:
        return
    for content in event.contents:
        if content.kind in kinds:
            trail = found.setdefault(content, Trail())
            trail.users[user] += 1
            if event.search:
                trail.searched.add(event.id)


def _rename(found: dict[Content, Trail], event: Renamed) -> None:
    old, new = (Content.file(path) for path in (event.old, event.new))
    trail = found.pop(old, None)
    if trail is not None:
        there = found.setdefault(new, Trail())
        there.users.update(trail.users)
        there.shown += trail.shown
        there.queries |= trail.queries
        there.searched |= trail.searched


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
    return (one for one in ratings if one.is_high is False and one.uses and one.elo > often)
