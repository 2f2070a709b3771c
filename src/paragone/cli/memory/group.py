"""``paragone memory``: the group of its commands."""

from types import ModuleType

import typer

from paragone.cli.memory import (
    board,
    dashboard,
    doctor,
    evaluate,
    index,
    init,
    learn_git,
    metrics,
    pack,
    prune,
    rate,
    read,
    restore,
    search,
    show,
    truth,
)

ROOMS: tuple[ModuleType, ...] = (
    init,
    index,
    search,
    read,
    rate,
    board,
    show,
    pack,
    prune,
    restore,
    learn_git,
    evaluate,
    metrics,
    doctor,
    truth,
    dashboard,
)

app = typer.Typer(help="Content that agents read: index, search, ratings by use, packs.", no_args_is_help=True)


def register(whole: typer.Typer) -> None:
    """Add the commands."""
    for room in ROOMS:
        room.register(app)
    whole.add_typer(app, name="memory")
