"""``paragone memory show``: where one piece of content stands, and how it came there."""

from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.cli.memory.board import ago
from paragone.cli.memory.standing_json import move_json, rating_json, time_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paragone.domain.content import UsageConfig, UsageMove
    from paragone.memory.scores import ContentRating

_COLUMNS = ("when", "from", "to", "by", "reason", "gate", "R")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(show)


def show(
    content: Annotated[
        str, typer.Argument(metavar="CONTENT", help="A path, @path::Name or @Name, ADR-027, or a chunk's hash.")
    ],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="Show so many moves at most.")] = 20,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Show where content stands, with what its rating was and why it moved."""
    with opening.opened(root, store) as memory:
        now = memory.parts.store.clock()
        found = memory.rating(content, as_of=now)
        moves = memory.history(found.content, limit=limit)
        constants = memory.config.ratings
    if as_json:
        moved = [move_json(move) for move in moves]
        print_json({**rating_json(found), "as_of": time_json(now), "moves": moved})
        return
    for name, value in _facts(found, constants, now):
        typer.echo(f"{name:<10} {value}")
    if moves:
        _print_moves(moves, found.updates, now)


def _facts(one: "ContentRating", constants: "UsageConfig", now: float) -> list[tuple[str, str]]:
    from paragone.domain.text import visible
    from paragone.ratings.activation import true_half_life

    half = true_half_life(constants.half_life)
    decay = (
        f"the last move left {one.stored:.2f}; of its height above {constants.decay_base:.0f} half is gone after "
        f"{half:.1f} days without a use"
    )
    lies = f", in {visible(one.content.path)}" if one.content.path not in ("", one.content.id) else ""
    return [
        ("content", f"{visible(one.content.id)} ({one.content.kind}{lies})"),
        ("Elo", f"{one.elo:.2f} ({decay})"),
        ("need", f"{one.need:.0f} (how likely it is to be used next)"),
        ("R", _r(one, constants)),
        ("tier", f"{one.tier}, initially {one.initial:.0f}{', pinned' if one.pinned else ''}"),
        ("uses", f"{one.uses:,}, last {ago(one.last_use, now)}; moved {one.updates:,} times"),
    ]


def _r(one: "ContentRating", constants: "UsageConfig") -> str:
    if one.r is None or one.r_source is None:
        return "unknown: the gate stands open"
    threshold = constants.thresholds[one.r_source]
    gate = "open" if one.gate == 1.0 else f"lets {one.gate:g} of each change through"
    return f"{one.r:.3f} by {one.r_source}, threshold {threshold:.3f}: the gate {'stands ' * (gate == 'open')}{gate}"


def _print_moves(moves: "Sequence[UsageMove]", updates: int, now: float) -> None:
    from paragone.cli.show import print_table

    lines = [
        (
            ago(move.time, now),
            f"{move.old:.2f}",
            f"{move.new:.2f}",
            f"{move.delta:+.2f}",
            move.reason,
            f"{move.gate:g}",
            "unknown" if move.r is None else f"{move.r:.2f}",
        )
        for move in moves
    ]
    typer.echo()
    print_table(_COLUMNS, lines, right=frozenset({"from", "to", "by", "gate", "R"}))
    if updates > len(moves):
        typer.echo(f"... {updates - len(moves):,} earlier; see --limit")
