"""What the commands for memory share: where the store is."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from paragone.memory import Memory

Root = Annotated[
    Path,
    typer.Option(
        "--root", "-C", metavar="DIR", help="The folder that is remembered; its store is searched upwards from here."
    ),
]
Store = Annotated[
    Path | None, typer.Option("--store", metavar="DIR", help="The store, where it is not .paragone/ in that folder.")
]
HERE = Path()


@contextmanager
def opened(root: Path, store: Path | None) -> "Iterator[Memory]":
    """The memory of a folder, in a session that carries on from those of the commands before.

    Where its scores had to be counted anew, that is said on standard error.

    Raises:
        NotFound: Where there is no store, saying how to begin.
    """
    from paragone.memory import Memory

    with Memory.open(root, store=store, resume=True) as memory:
        yield memory
        if memory.components.rebuild_reason:
            typer.echo(f"note: all ratings were counted anew, since {memory.components.rebuild_reason}", err=True)
