"""One piece of content as a value: where it stands, why, who used it, and what it says as far as that may be shown."""

from datetime import datetime
from typing import Any

from paragone.analysis.content import quadrant
from paragone.domain.content import Content, ContentKind, TruthSource, UsageMove
from paragone.errors import NotFound, UsageError
from paragone.memory import boards
from paragone.memory.parts import Parts
from paragone.memory.report.courses import Trail
from paragone.memory.search import read
from paragone.ratings.activation import true_half_life
from paragone.web.books.remembered import Remembered
from paragone.web.views.memory.census import all_trails, instant, moment
from paragone.web.views.memory.ratings import ContentRatingView, rating_view
from paragone.web.views.values import View, Words

MOVES = 200
"""Moves of a rating, the newest of them, at the most."""
LINES = 200
"""Lines of a text that are shown at once."""
INSIDE = 20
"""Symbols of a file, those that are rated highest."""
USERS = 20
GLANCE = 1.0
"""Seconds to wait for what the logs say of all content."""


class ContentMoveView(View):
    """A move of a rating.

    Attributes:
        at: When.
        old: The rating before, in Elo points.
        new: The rating after.
        delta: What it gained or lost.
        reason: Why, such as ``file_read``.
        gate: The share of the change that R let through.
        r: R at that time; None where it was not known.
    """

    at: datetime
    old: float
    new: float
    delta: float
    reason: str
    gate: float
    r: float | None


class ContentFileView(View):
    """A file as the index has it.

    Attributes:
        size: In bytes.
        tokens: Of its text.
        lines: How many.
        language: Such as ``python``; empty where nobody knows.
        written: When it was last written.
        seen: When the index first held it.
        sha256: Of its bytes.
    """

    size: int
    tokens: int
    lines: int
    language: str
    written: datetime | None
    seen: datetime | None
    sha256: str


class ContentTextView(View):
    """Some lines of a file as it is now.

    Attributes:
        start: The first, from 1.
        end: The last.
        lines: How many the file has.
        text: The lines; what cannot be seen is taken out.
        next: The line that the next page begins with; None on the last one.
    """

    start: int
    end: int
    lines: int
    text: Words
    next: int | None


class ContentUsersView(View):
    """Who used it, and which searches showed it.

    Attributes:
        users: Uses by agent, or by session where no agent is named; those with the most.
        shown: Searches that showed it.
        queries: Different queries among them.
    """

    users: dict[Words, int]
    shown: int
    queries: int


class ContentView(ContentRatingView):
    """One piece of content.

    Attributes:
        at: As of when: ratings fade with time.
        stored: The running Elo as the last move left it.
        initial: What it began at.
        updates: How often its rating moved.
        gate: What R lets through of a change.
        threshold: R above which it is high; None where R is not known.
        high_above: R above which one that somebody supplies is high.
        half_life: Days without a use after which half of a rating's height is gone.
        moves: The last moves of its rating, the newest last.
        file: The file that it is or lies in; None where the index does not hold it.
        first: The first of the lines that it is, from 1; None for a file.
        last: The last of them.
        used_by: Who used it; None while the logs are still being read.
        inside: Of a file: the symbols in it that are rated highest.
        symbols: How many symbols it has.
        text: What it says; None where that is not shown.
        hidden: Why it is not shown; empty where it is.
    """

    at: datetime
    stored: float
    initial: float
    updates: int
    gate: float
    threshold: float | None
    high_above: float
    half_life: float
    moves: list[ContentMoveView]
    file: ContentFileView | None
    first: int | None
    last: int | None
    used_by: ContentUsersView | None
    inside: list[ContentRatingView]
    symbols: int
    text: ContentTextView | None
    hidden: Words


def content(memory: Remembered, name: str, *, start: int | None = None) -> ContentView:
    """One piece of content. To look at it here is no use of it: nothing is logged, and no rating moves.

    Args:
        memory: Of what.
        name: What it is called: a path, a symbol's id, a decision record's, or a chunk's hash.
        start: The first line that is shown; where the content begins, where None.

    Raises:
        NotFound: If neither the index nor the logs know it.
        Busy: If the store does not answer.
    """
    which, values = memory.ask(lambda parts: _values(parts, name, start))
    seen = all_trails(memory, GLANCE)
    return ContentView(**values, used_by=None if seen is None else _users(seen.get(which, Trail())))


def _values(parts: Parts, name: str, start: int | None) -> tuple[Content, dict[str, Any]]:
    now, which = parts.moment(None), boards.found(parts, name)
    one = boards.rating(parts, which, as_of=now)
    config = parts.store.config
    lines = _place(parts, which)
    inside = _inside(parts, which, now)
    text, hidden = _text(parts, which.path, start or (lines[0] if lines else 1))
    return which, {
        **dict(rating_view(one, quadrant(one.is_high, one.elo, often=config.prune.below))),
        "at": instant(now),
        "stored": one.stored,
        "initial": one.initial,
        "updates": one.updates,
        "gate": one.gate,
        "threshold": None if one.r_source is None else config.ratings.thresholds[one.r_source],
        "high_above": config.ratings.thresholds[TruthSource.SUPPLIED],
        "half_life": true_half_life(config.ratings.half_life),
        "moves": [_move(move) for move in parts.scores.moves(which, limit=MOVES)],
        "file": _file(parts, which.path),
        "first": lines[0] if lines else None,
        "last": lines[1] if lines else None,
        "inside": inside[:INSIDE],
        "symbols": len(inside),
        "text": text,
        "hidden": hidden,
    }


def _place(parts: Parts, which: Content) -> tuple[int, int] | None:
    """The lines of a file that it is; None for a file and a decision record."""
    if which.kind is ContentKind.SYMBOL:
        return next(((one.start, one.end) for one in parts.index.symbol(which.id)), None)
    if which.kind is ContentKind.VECTOR:
        return next(((one.start, one.end) for one in parts.index.places(which.id)), None)
    return None


def _inside(parts: Parts, which: Content, now: float) -> list[ContentRatingView]:
    """The symbols of a file, the highest first, then in their order."""
    if which.kind is not ContentKind.FILE:
        return []
    contents = [Content(kind=ContentKind.SYMBOL, id=one.id, path=which.path) for one in parts.index.symbols(which.path)]
    entry = parts.index.file(which.path)
    since = {} if entry is None else {entry.path: entry.first_seen}
    found = parts.scores.ratings(contents, as_of=now, since=since)
    often = parts.store.config.prune.below
    rows = [rating_view(one, quadrant(one.is_high, one.elo, often=often)) for one in found.values()]
    return sorted(rows, key=lambda row: (-row.uses, -row.rating))


def _text(parts: Parts, path: str, start: int) -> tuple[ContentTextView | None, str]:
    """What a file says from a line on, or why that is not shown: what the index may not hold is not read either."""
    entry = parts.index.file(path) if path else None
    if entry is None:
        return None, "the index does not hold it any more"
    try:
        page = read(parts.reader, path, start=min(start, max(entry.lines, 1)), lines=LINES)
    except NotFound:
        return None, "the file is gone since it was indexed"
    except UsageError as error:
        return None, str(error)
    shown = ContentTextView(
        start=page.start, end=page.end, lines=page.total_lines, text=page.text, next=page.next_start
    )
    return shown, ""


def _file(parts: Parts, path: str) -> ContentFileView | None:
    entry = parts.index.file(path) if path else None
    if entry is None:
        return None
    return ContentFileView(
        size=entry.size,
        tokens=entry.tokens,
        lines=entry.lines,
        language=entry.language,
        written=moment(entry.mtime),
        seen=moment(entry.first_seen),
        sha256=entry.sha256,
    )


def _move(move: UsageMove) -> ContentMoveView:
    return ContentMoveView(
        at=instant(move.time),
        old=move.old,
        new=move.new,
        delta=move.delta,
        reason=move.reason,
        gate=move.gate,
        r=move.r,
    )


def _users(trail: Trail) -> ContentUsersView:
    return ContentUsersView(users=dict(trail.users.most_common(USERS)), shown=trail.shown, queries=len(trail.queries))
