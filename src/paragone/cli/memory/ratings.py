"""``paragone memory rate``, ``board`` and ``show``: ratings of content and how they changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.options import MemoryStore, iso
from paragone.domain.content import Content, ContentKind, ContentTier
from paragone.domain.text import counted, visible

if TYPE_CHECKING:
    from paragone.domain.content import Standing, UsageConfig, UsageMove
    from paragone.memory import Memory
    from paragone.memory.boards import ContentBoard
    from paragone.memory.scores import ContentRating, ScoreUpdate
    from paragone.memory.store import LogImport

_LISTED = 10
"""Changes and refused lines that are listed."""
_NARROW = 76
"""Width below which a board has only its main columns: more would leave no room for paths."""
_MAIN_COLUMNS = frozenset({"rating", "R", "uses", "content"})


class BoardKind(StrEnum):
    """Kinds of content on a board. Each kind is a pool of its own, so ratings of one kind compare."""

    FILE = "file"
    SYMBOL = "symbol"
    ADR = "adr"
    VECTOR = "vector"
    ALL = "all"


class By(StrEnum):
    """Orders of a board."""

    RATING = "rating"
    ELO = "elo"
    NEED = "need"
    R = "r"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Change:
    """A rating before and after."""

    content: Content
    old: float
    new: float

    @property
    def delta(self) -> float:
        return self.new - self.old


def rate(
    store: MemoryStore,
    output: options.Output,
    logs: Annotated[
        list[Path] | None, typer.Argument(metavar="LOG", help="Search logs or session audits to import (JSONL).")
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Rebuild the scores from the logs, and say whether they are the same.")
    ] = False,
    limit: options.Limit = _LISTED,
) -> None:
    """Count new lines of the logs, and show which ratings changed. Importing a log twice changes nothing."""
    with store.opened() as memory:
        before = {each.content: each for each in memory.components.scores.counted()}
        imports = [(path, memory.import_log(path)) for path in logs or ()]
        update = memory.components.scores.update()
        after = {each.content: each for each in memory.components.scores.rated()}
        same = _rebuilt(memory, after) if rebuild else None
    changes = _changes(before, after)
    output.show(
        changes,
        lambda each: _print_update(imports, update, each, limit, same),
        values=lambda each: _update_values(imports, update, each, limit, same),
    )
    if same is False:
        raise typer.Exit(1)


def _rebuilt(memory: "Memory", before: "dict[Content, Standing]") -> bool:
    """Whether rebuilt scores are the same, to the last bit."""
    memory.rebuild()
    return {each.content: each for each in memory.components.scores.rated()} == before


def _changes(before: "dict[Content, Standing]", after: "dict[Content, Standing]") -> list[_Change]:
    """The ratings that changed, the largest change first."""
    changes = [
        _Change(content=content, old=before[content].elo if content in before else now.initial, new=now.elo)
        for content, now in after.items()
    ]
    return sorted(
        (change for change in changes if change.old != change.new),
        key=lambda change: (-abs(change.delta), change.content.kind, change.content.id),
    )


def _update_values(
    imports: "Sequence[tuple[Path, LogImport]]",
    update: "ScoreUpdate",
    changes: Sequence[_Change],
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
            {**_entity(change.content), "elo_old": change.old, "elo_new": change.new, "delta": change.delta}
            for change in changes[:limit]
        ],
        "rebuilt_the_same": same,
    }


def _print_update(
    imports: "Sequence[tuple[Path, LogImport]]",
    update: "ScoreUpdate",
    changes: Sequence[_Change],
    limit: int,
    same: bool | None,
) -> None:
    from paragone.cli.tables import show_rows
    from paragone.presenting.table import number, text

    for path, log in imports:
        typer.echo(f"{path}: {log.read:,} lines, {log.new:,} new, {log.known:,} known, {len(log.refused):,} refused")
        if log.outside:
            typer.echo(f"  {counted(log.outside, 'path')} outside of the root left out", err=True)
        for line, why in log.refused[:_LISTED]:
            typer.echo(f"  line {line}: {why}", err=True)
        if len(log.refused) > _LISTED:
            typer.echo(f"  ... and {len(log.refused) - _LISTED:,} more", err=True)
    if update.because:
        typer.echo(f"recomputed all ratings, since {update.because}")
    typer.echo(f"{update.lines:,} lines counted; {update.moves:,} changes, to {len(changes):,} pieces of content")
    if changes:
        show_rows(
            changes[:limit],
            (
                number("from", lambda change: change.old, ".2f"),
                number("to", lambda change: change.new, ".2f"),
                number("by", lambda change: change.delta, "+.2f"),
                text("content", lambda change: change.content.id),
            ),
        )
    if same is not None:
        typer.echo("rebuilt from the logs: " + ("the same to the last bit" if same else "NOT the same as before"))


def board(
    store: MemoryStore,
    output: options.Output,
    kind: Annotated[
        BoardKind, typer.Option("--kind", help="The kind of content; ratings of one kind compare.")
    ] = BoardKind.FILE,
    by: Annotated[
        By, typer.Option("--by", help="Order by the configured rating, by the running Elo, by need, or by R.")
    ] = By.RATING,
    tier: Annotated[ContentTier | None, typer.Option("--tier", help="Only this tier.")] = None,
    limit: options.Limit = 20,
    offset: Annotated[int, typer.Option("--offset", min=0, metavar="N", help="Skip N rows.")] = 0,
) -> None:
    """Print content by its rating, the highest first, unused content included."""
    with store.opened() as memory:
        pool = None if kind is BoardKind.ALL else kind.value
        page = memory.board(pool, by=by.value, tier=tier, limit=limit, offset=offset)
    output.show(
        page,
        lambda each: _print_board(each, offset),
        values=lambda each: {
            "kind": each.kind,
            "by": by,
            "as_of": iso(each.as_of),
            "total": each.total,
            "rows": [rating_values(row) for row in each.rows],
        },
    )


def _print_board(page: "ContentBoard", offset: int) -> None:
    from paragone.cli.tables import out, show_rows
    from paragone.presenting.table import Column, number, text

    if not page.total:
        typer.echo("no such content in the index or the logs; paragone memory index reads the files")
        return
    columns: tuple[Column[ContentRating], ...] = (
        number("rating", lambda row: row.rating, ".0f"),
        number("Elo", lambda row: row.elo, ".0f"),
        number("need", lambda row: row.need, ".0f"),
        number("R", lambda row: row.r, ".2f", absent="unknown"),
        text("tier", lambda row: row.tier),
        number("uses", lambda row: row.uses),
        text("last use", lambda row: ago(row.last_use, page.as_of)),
        text("content", lambda row: _name(row.content)),
    )
    wide = out().width >= _NARROW
    show_rows(page.rows, [column for column in columns if wide or column.name in _MAIN_COLUMNS])
    remaining = page.total - offset - len(page.rows)
    if remaining > 0:
        typer.echo(f"... {remaining:,} more; see --limit and --offset")


def _name(content: Content) -> str:
    """The id of content; a chunk's hash says nothing without its file."""
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
    content: Annotated[
        str, typer.Argument(metavar="CONTENT", help="A path, @path::Name or @Name, ADR-027, or a chunk's hash.")
    ],
    store: MemoryStore,
    output: options.Output,
    limit: options.Limit = 20,
) -> None:
    """Show the rating of content, and why it changed."""
    with store.opened() as memory:
        now = memory.components.store.clock()
        rating = memory.rating(content, as_of=now)
        moves = memory.history(rating.content, limit=limit)
        constants = memory.store.config.ratings

    def print_rating(rating: "ContentRating") -> None:
        for name, value in _facts(rating, constants, now):
            typer.echo(f"{name:<10} {value}")
        if moves:
            _print_moves(moves, rating.updates, now)

    output.show(
        rating,
        print_rating,
        values=lambda each: {
            **rating_values(each),
            "as_of": iso(now),
            "moves": [_move_values(move) for move in moves],
        },
    )


def _facts(rating: "ContentRating", constants: "UsageConfig", now: float) -> list[tuple[str, str]]:
    from paragone.ratings.activation import true_half_life

    content, half = rating.content, true_half_life(constants.half_life)
    decay = (
        f"{rating.stored:.2f} after the last change; its distance above {constants.decay_base:.0f} halves in "
        f"{half:.1f} days without a use"
    )
    path = f", in {visible(content.path)}" if content.path not in ("", content.id) else ""
    return [
        ("content", f"{visible(content.id)} ({content.kind}{path})"),
        ("Elo", f"{rating.elo:.2f} ({decay})"),
        ("need", f"{rating.need:.0f} (how likely it is to be used next)"),
        ("R", _r(rating, constants)),
        ("tier", f"{rating.tier}, initially {rating.initial:.0f}{', pinned' if rating.pinned else ''}"),
        ("uses", f"{rating.uses:,}, last {ago(rating.last_use, now)}; changed {rating.updates:,} times"),
    ]


def _r(rating: "ContentRating", constants: "UsageConfig") -> str:
    if rating.r is None or rating.r_source is None:
        return "unknown: the gate is open"
    threshold = constants.thresholds[rating.r_source]
    gate = "is open" if rating.gate == 1.0 else f"passes {rating.gate:g} of each change"
    return f"{rating.r:.3f} by {rating.r_source}, threshold {threshold:.3f}: the gate {gate}"


def _print_moves(moves: "Sequence[UsageMove]", updates: int, now: float) -> None:
    from paragone.cli.tables import show_rows
    from paragone.presenting.table import number, text

    typer.echo()
    show_rows(
        moves,
        (
            text("when", lambda move: ago(move.time, now)),
            number("from", lambda move: move.old, ".2f"),
            number("to", lambda move: move.new, ".2f"),
            number("by", lambda move: move.delta, "+.2f"),
            text("reason", lambda move: move.reason),
            number("gate", lambda move: move.gate, "g"),
            number("R", lambda move: move.r, ".2f", absent="unknown"),
        ),
    )
    if updates > len(moves):
        typer.echo(f"... {updates - len(moves):,} earlier; see --limit")


def _entity(content: Content) -> dict[str, object]:
    return {"entity_type": content.kind, "entity_id": content.id}


def rating_values(rating: "ContentRating") -> dict[str, object]:
    """A rating under document M's names."""
    fields = ("rating", "elo", "stored", "need", "tier", "initial", "updates", "uses")
    return {
        **_entity(rating.content),
        "file_path": rating.content.path,
        **{name: getattr(rating, name) for name in fields},
        "last_use": iso(rating.last_use),
        **{name: getattr(rating, name) for name in ("r", "r_source", "is_high", "gate", "pinned")},
    }


def _move_values(move: "UsageMove") -> dict[str, object]:
    """A change, as the update log has it."""
    return {
        "timestamp": iso(move.time),
        **_entity(move.content),
        "elo_old": move.old,
        "elo_new": move.new,
        **{name: getattr(move, name) for name in ("delta", "reason", "event", "gate", "r", "clamped")},
    }
