"""The memory that a command works with."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli.terminal import note

if TYPE_CHECKING:
    from paragone.memory import Memory


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryStore:
    """The store of a folder."""

    root: Annotated[
        Path,
        typer.Option("--root", "-C", metavar="DIR", help="The folder; its store is searched from here upwards."),
    ] = Path()
    store: Annotated[
        Path | None, typer.Option("--store", metavar="DIR", help="The store.  [default: .paragone/ in the folder]")
    ] = None

    @contextmanager
    def opened(self) -> "Iterator[Memory]":
        """The memory, in a session that continues those of earlier commands.

        Raises:
            NotFound: If there is no store, saying how to create one.
        """
        from paragone.memory import Memory

        with Memory.open(self.root, store=self.store, resume=True) as memory:
            yield memory
            if memory.components.rebuild_reason:
                note(f"all ratings were recomputed, since {memory.components.rebuild_reason}")


def iso(seconds: float | None) -> str | None:
    """A time as the logs have it."""
    from paragone.memory.store.instant import as_iso

    return None if seconds is None else as_iso(seconds)
