"""``paragone memory rate``: take in logs, bring the scores up to date, or make them anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.domain.text import counted

if TYPE_CHECKING:
    from paragone.domain.content import Content, Standing
    from paragone.memory import Memory
    from paragone.memory.scores import ScoreUpdate
    from paragone.memory.store import LogImport

_COLUMNS = ("from", "to", "by", "content")
_LISTED = 10
"""Lines that were refused, and moves, that are listed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Moved:
    content: "Content"
    old: float
    new: float


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(rate)


def rate(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="LOG", help="Search logs or session audits of somebody else (JSONL), to be taken in."),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make the scores anew from the logs, and say whether they are the same.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="Show so many of what moved at the most.")
    ] = _LISTED,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Count what the logs have gained, and show what moved. A log that is taken in twice changes nothing."""
    with opening.opened(root, store) as memory:
        before = {one.content: one for one in memory.components.scores.counted()}
        taken = [(path, memory.import_log(path)) for path in logs or ()]
        done = memory.components.scores.update()
        after = {one.content: one for one in memory.components.scores.rated()}
        same = _rebuilt(memory, after) if rebuild else None
    moved = _moved(before, after)
    if as_json:
        print_json(_json(taken, done, moved[:limit], len(moved), same))
    else:
        _print(taken, done, moved, limit, same)
    if same is False:
        raise typer.Exit(1)


def _rebuilt(memory: "Memory", before: "dict[Content, Standing]") -> bool:
    """Whether scores from nothing are those that were there, to the last bit."""
    memory.rebuild()
    return {one.content: one for one in memory.components.scores.rated()} == before


def _moved(before: "dict[Content, Standing]", after: "dict[Content, Standing]") -> list[_Moved]:
    """What stands elsewhere than before, the longest way first."""
    moved = [
        _Moved(content=content, old=before[content].elo if content in before else now.initial, new=now.elo)
        for content, now in after.items()
    ]
    return sorted(
        (one for one in moved if one.old != one.new),
        key=lambda one: (-abs(one.new - one.old), one.content.kind, one.content.id),
    )


def _json(
    taken: "Sequence[tuple[Path, LogImport]]",
    done: "ScoreUpdate",
    moved: Sequence[_Moved],
    count: int,
    same: bool | None,
) -> dict[str, object]:
    return {
        "taken_in": [
            {
                "file": str(path),
                "read": one.read,
                "new": one.new,
                "known": one.known,
                "outside": one.outside,
                "refused": [{"line": line, "why": why} for line, why in one.refused],
            }
            for path, one in taken
        ],
        "lines": done.lines,
        "moves": done.moves,
        "anew_because": done.because,
        "moved": count,
        "largest": [
            {
                "entity_type": one.content.kind,
                "entity_id": one.content.id,
                "elo_old": one.old,
                "elo_new": one.new,
                "delta": one.new - one.old,
            }
            for one in moved
        ],
        "rebuilt_the_same": same,
    }


def _print(
    taken: "Sequence[tuple[Path, LogImport]]",
    done: "ScoreUpdate",
    moved: Sequence[_Moved],
    limit: int,
    same: bool | None,
) -> None:
    for path, one in taken:
        typer.echo(f"{path}: {one.read:,} lines, {one.new:,} new, {one.known:,} known, {len(one.refused):,} refused")
        if one.outside:
            typer.echo(f"  {counted(one.outside, 'path')} outside of the root left out", err=True)
        for line, why in one.refused[:_LISTED]:
            typer.echo(f"  line {line}: {why}", err=True)
        if len(one.refused) > _LISTED:
            typer.echo(f"  ... and {len(one.refused) - _LISTED:,} more", err=True)
    if done.because:
        typer.echo(f"counted anew, since {done.because}")
    typer.echo(f"{done.lines:,} lines counted; {done.moves:,} moves, of {len(moved):,} pieces of content")
    if moved:
        _print_moved(moved[:limit])
    if same is not None:
        typer.echo("made anew from the logs: " + ("the same to the last bit" if same else "NOT the same as before"))


def _print_moved(moved: Sequence[_Moved]) -> None:
    from paragone.cli.show import print_table

    lines = [(f"{one.old:.2f}", f"{one.new:.2f}", f"{one.new - one.old:+.2f}", one.content.id) for one in moved]
    print_table(_COLUMNS, lines, right=frozenset({"from", "to", "by"}))
