"""One piece of content: its ratings and their reasons, its users, and its text if that may be shown."""

from typing import Any

from paragone.domain.content import Content, ContentKind, TruthSource
from paragone.errors import NotFound, UsageError
from paragone.memory import content_board
from paragone.memory.components import Components
from paragone.memory.dashboard import Trail
from paragone.memory.search import read
from paragone.memory.store.lines import moment
from paragone.ratings.activation import true_half_life
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.memory.board import all_trails
from paragone.wire import content as wire_content
from paragone.wire.content import ContentFile, ContentRating, ContentText, ContentUsers
from paragone.wire.value import shallow

MOVES = 200
"""Maximum rating changes, the newest ones."""
LINES = 200
"""Lines of a text that are shown at once."""
INSIDE = 20
"""Symbols of a file, those that are rated highest."""
USERS = 20
GLANCE = 1.0
"""Seconds to wait for what the logs say of all content."""


def content(memory: MemoryReader, name: str, *, start: int | None = None) -> wire_content.Content:
    """One piece of content. Looking at it here is no use: nothing is logged, and no rating moves.

    Args:
        memory: The memory.
        name: A path, the id of a symbol or decision record, or the hash of a chunk.
        start: The first line to show; the beginning of the content if None.

    Raises:
        NotFound: If neither the index nor the logs know it.
        Busy: If the store does not answer.
    """
    which, values = memory.ask(lambda parts: _values(parts, name, start))
    uses = all_trails(memory, GLANCE)
    return wire_content.Content(**values, used_by=None if uses is None else _users(uses.get(which, Trail())))


def _values(parts: Components, name: str, start: int | None) -> tuple[Content, dict[str, Any]]:
    now, which = parts.store.clock(), content_board.resolve(parts, name)
    rated = content_board.rated_content(parts, which, limit=MOVES, as_of=now)
    config = parts.store.config
    lines = _place(parts, which)
    inside = _inside(parts, which, now)
    text, hidden = _text(parts, which.path, start or (lines[0] if lines else 1))
    return which, {
        **shallow(rated),
        "threshold": None if rated.r_source is None else config.ratings.thresholds[rated.r_source],
        "high_above": config.ratings.thresholds[TruthSource.SUPPLIED],
        "half_life": true_half_life(config.ratings.half_life),
        "file": _file(parts, which.path),
        "first": lines[0] if lines else None,
        "last": lines[1] if lines else None,
        "inside": inside[:INSIDE],
        "symbols": len(inside),
        "text": text,
        "hidden": hidden,
    }


def _place(parts: Components, which: Content) -> tuple[int, int] | None:
    """Its first and last line within the file; None for a file and a decision record."""
    if which.kind is ContentKind.SYMBOL:
        return next(((span.start, span.end) for span in parts.index.symbol(which.id)), None)
    if which.kind is ContentKind.VECTOR:
        return next(((span.start, span.end) for span in parts.index.places(which.id)), None)
    return None


def _inside(parts: Components, which: Content, now: float) -> list[ContentRating]:
    """The symbols of a file, the most used first."""
    if which.kind is not ContentKind.FILE:
        return []
    contents = [
        Content(kind=ContentKind.SYMBOL, id=symbol.id, path=which.path) for symbol in parts.index.symbols(which.path)
    ]
    entry = parts.index.file(which.path)
    since = {} if entry is None else {entry.path: entry.first_seen}
    ratings = parts.scores.ratings(contents, as_of=now, since=since)
    often = parts.store.config.prune.below
    rows = [content_board.rating_value(symbol, often=often) for symbol in ratings.values()]
    return sorted(rows, key=lambda row: (-row.uses, -row.rating))


def _text(parts: Components, path: str, start: int) -> tuple[ContentText | None, str]:
    """The text of a file from a line on, or why it is not shown: what may not be indexed is not read either."""
    entry = parts.index.file(path) if path else None
    if entry is None:
        return None, "the index does not hold it any more"
    try:
        page = read(parts.reader, path, start=min(start, max(entry.lines, 1)), lines=LINES)
    except NotFound:
        return None, "the file is gone since it was indexed"
    except UsageError as error:
        return None, str(error)
    lines = ContentText(start=page.start, end=page.end, lines=page.total_lines, text=page.text, next=page.next_start)
    return lines, ""


def _file(parts: Components, path: str) -> ContentFile | None:
    entry = parts.index.file(path) if path else None
    if entry is None:
        return None
    return ContentFile.like(entry, written=moment(entry.mtime), first_seen=moment(entry.first_seen))


def _users(trail: Trail) -> ContentUsers:
    return ContentUsers(users=dict(trail.users.most_common(USERS)), shown=trail.shown, queries=len(trail.queries))
