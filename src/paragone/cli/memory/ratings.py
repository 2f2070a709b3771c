"""``paragone memory rate``, ``board`` and ``show``: ratings of content and how they changed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.domain.content import Content, ContentKind, ContentTier
from paragone.domain.text import counted, visible
from paragone.presenting.table import Column, Table, number, table, text
from paragone.wire.content import ContentOrder

if TYPE_CHECKING:
    from paragone.domain.content import UsageConfig
    from paragone.memory.content_board import ContentBoard
    from paragone.memory.scores import ContentRating, ScoreUpdate
    from paragone.memory.scores.scores import ContentChange
    from paragone.memory.store import LogImport
    from paragone.wire.content import RatedContent

_LISTED = 10
"""Changes and refused lines that are listed."""
_NARROW = 76
"""Width below which a board has only its main columns: more would leave no room for paths."""
_MAIN_COLUMNS = frozenset({"rating", "R", "uses", "content"})


def rate(
    store: options.MemoryStore,
    output: options.Output,
    logs: Annotated[
        list[Path] | None, argument("Search logs or session audits to import (JSONL).", metavar="LOG")
    ] = None,
    rebuild: Annotated[bool, option("Rebuild the scores from the logs, and say whether they are the same.")] = False,
    limit: options.Limit = _LISTED,
) -> None:
    """Count new lines of the logs, and show which ratings changed. Importing a log twice changes nothing."""
    from paragone.memory.scores.scores import rating_changes

    with store.opened() as memory:
        scores = memory.components.scores
        before = scores.counted()
        imports = [(path, memory.import_log(path)) for path in logs or ()]
        update = scores.update()
        changes = rating_changes(before, scores.rated())
        same = memory.rebuild().same if rebuild else None
    output.show(
        changes,
        lambda each: _update(imports, update, each, limit, same),
        values=lambda each: _update_values(imports, update, each, limit, same),
    )
    if same is False:
        raise typer.Exit(1)


def _update_values(
    imports: "Sequence[tuple[Path, LogImport]]",
    update: "ScoreUpdate",
    changes: "Sequence[ContentChange]",
    limit: int,
    same: bool | None,
) -> dict[str, object]:
    return {
        "taken_in": [
            {
                "file": path,
                "read": log.read,
                "new": log.new,
                "known": log.known,
                "outside": log.outside,
                "refused": [{"line": line, "why": why} for line, why in log.refused],
            }
            for path, log in imports
        ],
        "lines": update.lines,
        "moves": update.moves,
        "anew_because": update.because,
        "moved": len(changes),
        "largest": [
            {
                "entity_type": change.content.kind,
                "entity_id": change.content.id,
                "elo_old": change.old,
                "elo_new": change.new,
                "delta": change.delta,
            }
            for change in changes[:limit]
        ],
        "rebuilt_the_same": same,
    }


def _update(
    imports: "Sequence[tuple[Path, LogImport]]",
    update: "ScoreUpdate",
    changes: "Sequence[ContentChange]",
    limit: int,
    same: bool | None,
) -> Iterator[str | Table[Any]]:
    for path, log in imports:
        yield f"{path}: {log.read:,} lines, {log.new:,} new, {log.known:,} known, {len(log.refused):,} refused"
        for problem in _problems(log):
            typer.echo(f"  {problem}", err=True)
    if update.because:
        yield f"recomputed all ratings, since {update.because}"
    yield f"{update.lines:,} lines counted; {update.moves:,} changes, to {len(changes):,} pieces of content"
    if changes:
        yield table(
            changes[:limit],
            number("from", lambda change: change.old, ".2f"),
            number("to", lambda change: change.new, ".2f"),
            number("by", lambda change: change.delta, "+.2f"),
            text("content", lambda change: change.content.id),
        )
    if same is not None:
        yield "rebuilt from the logs: " + ("the same to the last bit" if same else "NOT the same as before")


def _problems(log: "LogImport") -> Iterator[str]:
    if log.outside:
        yield f"{counted(log.outside, 'path')} outside the root left out"
    yield from (f"line {line}: {why}" for line, why in log.refused[:_LISTED])
    if len(log.refused) > _LISTED:
        yield f"... and {len(log.refused) - _LISTED:,} more"


def board(
    store: options.MemoryStore,
    output: options.Output,
    kind: Annotated[
        Literal["file", "symbol", "adr", "vector", "all"],
        option("The kind of content; only ratings of one kind can be compared."),
    ] = "file",
    by: Annotated[ContentOrder, option("The order; rating is the running Elo or need, as configured.")] = "rating",
    tier: Annotated[ContentTier | None, option("Only this tier.")] = None,
    limit: options.Limit = 20,
    offset: options.Offset = 0,
) -> None:
    """Print content by its rating, highest first. Unused content is included."""
    with store.opened() as memory:
        page = memory.board(None if kind == "all" else kind, by=by, tier=tier, limit=limit, offset=offset)
    output.show(page, lambda each: _board(each, offset), values=lambda each: each.value)


def _board(page: "ContentBoard", offset: int) -> Iterator[str | Table[Any]]:
    from paragone.cli.tables import out

    if not page.total:
        yield "no such content in the index or the logs; paragone memory index reads the files"
        return
    columns: tuple[Column[ContentRating], ...] = (
        number("rating", lambda row: row.rating, ".0f"),
        number("Elo", lambda row: row.elo, ".0f"),
        number("need", lambda row: row.need, ".0f"),
        number("useful", lambda row: row.usefulness if row.is_known else None, ".2f", absent="unknown"),
        number("R", lambda row: row.r, ".2f", absent="unknown"),
        text("tier", lambda row: row.tier),
        number("uses", lambda row: row.uses),
        text("last use", lambda row: ago(row.last_use, page.as_of)),
        text("content", lambda row: _name(row.content)),
    )
    wide = out().width >= _NARROW
    yield table(page.rows, *(column for column in columns if wide or column.name in _MAIN_COLUMNS))
    remaining = page.total - offset - len(page.rows)
    if remaining > 0:
        yield f"... {remaining:,} more; see --limit and --offset"


def _name(content: Content) -> str:
    """The id of content; a chunk's hash means nothing without its file."""
    return f"{content.path} {content.id}" if content.kind is ContentKind.VECTOR else content.id


def ago(time: float | None, now: float) -> str:
    """How long ago something was, in words."""
    if time is None:
        return "never"
    seconds = max(now - time, 0.0)
    for unit, length in (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit} ago"
    return "just now"


def show(
    content: Annotated[str, argument("A path, @path::Name or @Name, ADR-027, or a chunk's hash.")],
    store: options.MemoryStore,
    output: options.Output,
    limit: options.Limit = 20,
) -> None:
    """Show the rating of content, and why it changed."""
    from paragone.memory.content_board import rated_content

    with store.opened() as memory:
        now = memory.store.clock()
        rated = rated_content(memory.components, content, limit=limit, as_of=now)
        constants = memory.store.config.ratings

    def draw(rated: "RatedContent") -> None:
        from paragone.cli.tables import show

        for name, value in _facts(rated, constants, now):
            typer.echo(f"{name:<10} {value}")
        if rated.moves:
            show("", *_moves(rated, now))

    output.draw(rated, draw)


def _facts(rated: "RatedContent", constants: "UsageConfig", now: float) -> list[tuple[str, str]]:
    from paragone.ratings.activation import true_half_life

    half = true_half_life(constants.half_life)
    last_use = None if rated.last_use is None else rated.last_use.timestamp()
    decay = (
        f"{rated.stored:.2f} after the last change; its distance above {constants.decay_base:.0f} halves in "
        f"{half:.1f} days without a use"
    )
    path = f", in {visible(rated.path)}" if rated.path not in ("", rated.id) else ""
    return [
        ("content", f"{visible(rated.id)} ({rated.kind}{path})"),
        ("Elo", f"{rated.elo:.2f} ({decay})"),
        ("need", f"{rated.need:.0f} (how likely it is to be used next)"),
        ("useful", _useful(rated)),
        ("R", _r(rated, constants)),
        ("tier", f"{rated.tier}, initially {rated.initial:.0f}{', pinned' if rated.pinned else ''}"),
        ("uses", f"{rated.uses:,}, last {ago(last_use, now)}; changed {rated.updates:,} times"),
    ]


def _useful(rated: "RatedContent") -> str:
    doubt = "" if rated.is_known else "unknown: nobody reported that it was used or wrong; from readings alone "
    return f"{doubt}{rated.usefulness:.0%}"


def _r(rated: "RatedContent", constants: "UsageConfig") -> str:
    if rated.r is None or rated.r_source is None:
        return "unknown: the gate is open"
    threshold = constants.thresholds[rated.r_source]
    gate = "is open" if rated.gate == 1.0 else f"passes {rated.gate:g} of each change"
    return f"{rated.r:.3f} by {rated.r_source}, threshold {threshold:.3f}: the gate {gate}"


def _moves(rated: "RatedContent", now: float) -> Iterator[str | Table[Any]]:
    yield table(
        rated.moves,
        text("when", lambda move: ago(move.at.timestamp(), now)),
        number("from", lambda move: move.old, ".2f"),
        number("to", lambda move: move.new, ".2f"),
        number("by", lambda move: move.delta, "+.2f"),
        text("reason", lambda move: move.reason),
        number("gate", lambda move: move.gate, "g"),
        number("R", lambda move: move.r, ".2f", absent="unknown"),
    )
    if rated.updates > len(rated.moves):
        yield f"... {rated.updates - len(rated.moves):,} earlier; see --limit"
