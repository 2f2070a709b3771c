"""The options that say which memory store a command works on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from paragone.cli.options import option
from paragone.cli.terminal import note

if TYPE_CHECKING:
    from paragone.memory import Memory


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryStore:
    """The store of a folder."""

    root: Annotated[Path, option("The folder; its store is searched from here upwards.", "-C", metavar="DIR")] = Path()
    store: Annotated[Path | None, option("The store.  [default: .paragone/ in the folder]", metavar="DIR")] = None

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
