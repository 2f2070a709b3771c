"""The commands of the command line with their options, as the application itself knows them."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import typer


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if path:
        yield " ".join(path), command
    for name, below in _below(command):
        yield from _walk(below, (*path, name))


def _below(command: Any) -> Iterator[tuple[str, Any]]:
    """The commands of a group, which loads each when it is called for."""
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield name, command.get_command(None, name)


@cache
def commands() -> dict[str, Any]:
    """Every command by its name, such as ``judges install``."""
    from paragone.cli import app

    return dict(_walk(typer.main.get_command(app), ()))


@cache
def options() -> dict[str, frozenset[str]]:
    """By command, every spelling of every option."""
    return {
        name: frozenset(
            spelling
            for parameter in command.params
            for spelling in (*parameter.opts, *parameter.secondary_opts)
            if spelling.startswith("-") and spelling not in {"--help", "-h"}
        )
        for name, command in commands().items()
    }
