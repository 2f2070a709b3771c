"""``paragone memory init``: begin to remember a folder."""

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(init)


def init(root: opening.Root = opening.HERE, store: opening.Store = None, as_json: options.Json = False) -> None:
    """Begin to remember a folder: make its store, and say what comes next."""
    from paragone.memory import Memory

    with Memory.create(root, store=store) as memory:
        made, top = memory.store.path, memory.root
    if as_json:
        print_json({"root": str(top), "store": str(made), "config": str(made / "memory.toml")})
        return
    typer.echo(f"made {made}")
    typer.echo(f"what is indexed, which tier a path begins in, and all constants: {made / 'memory.toml'}")
    typer.echo()
    typer.echo("next:")
    for command, does in _NEXT:
        typer.echo(f"  paragone memory {command:<10} {does}")


_NEXT = (
    ("index", "read the files"),
    ("learn-git", "have ratings at once, from the repository's history"),
    ("search", "find something; what is read of it then gains"),
    ("board", "see where everything stands"),
)
