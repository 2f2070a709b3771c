"""Opening a memory and closing it."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from paragone.memory.components import Parts
from paragone.memory.session import USER, Session
from paragone.memory.store import MemoryConfig, Store
from paragone.memory.store.store import fresh_id

if TYPE_CHECKING:
    from paragone.similarity import Embedder


class OpenMemory:
    """A memory that is open: the parts that work on a store, and the session of whoever acts.

    ``create`` and ``open`` make one.
    """

    def __init__(self, parts: Parts, session: Session, *, owner: bool = True) -> None:
        self._parts, self._session, self._owner = parts, session, owner

    @classmethod
    def create(
        cls,
        root: str | os.PathLike[str],
        *,
        store: str | os.PathLike[str] | None = None,
        config: MemoryConfig | None = None,
        agent_id: str = USER,
        embedder: "Embedder | None" = None,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = fresh_id,
    ) -> Self:
        """Begin to remember a folder.

        Args:
            root: The folder.
            store: Where the store goes; ``.paragone`` in it by default.
            config: What it is configured to do; ``memory.toml`` in the store has it.
            agent_id: Whose session this is.
            embedder: Makes vectors; the local one where None.
            clock: Seconds since 1970.
            new_id: Makes ids.

        Raises:
            NotFound: If there is no such folder.
            UsageError: If there is a store already.
            Unwritable: If it cannot be written.
        """
        made = Store.create(os.fspath(root), store=_path(store), config=config, clock=clock, new_id=new_id)
        return cls(Parts(made, embedder=embedder), Session(made, agent_id))

    @classmethod
    def open(
        cls,
        root: str | os.PathLike[str] = ".",
        *,
        store: str | os.PathLike[str] | None = None,
        agent_id: str = USER,
        carry_on: bool = False,
        embedder: "Embedder | None" = None,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = fresh_id,
    ) -> Self:
        """The memory of a folder, or of the first above it that has one.

        Args:
            root: The folder.
            store: Where the store is; ``.paragone`` in the folder by default.
            agent_id: Whose session this is.
            carry_on: Whether what this agent searched and read before, for ``search_days``, counts as if it had been
                in this session. For programs that open a memory for each step, as commands do.
            embedder: Makes vectors; the local one where None.
            clock: Seconds since 1970.
            new_id: Makes ids.

        Raises:
            NotFound: If there is none.
            NewerSchema: If a newer paragone wrote it.
            InvalidConfig: If its configuration says what cannot be.
        """
        found = Store.open(os.fspath(root), store=_path(store), clock=clock, new_id=new_id)
        return cls(Parts(found, embedder=embedder), Session(found, agent_id, carry_on=carry_on))

    def session(self, agent_id: str = USER) -> Self:
        """Another session on the same store, with the same parts; closing it leaves them open."""
        return self.__class__(self._parts, Session(self._parts.store, agent_id), owner=False)

    @property
    def parts(self) -> Parts:
        """What works on the store: the index, the scores, the searcher, and so on."""
        return self._parts

    @property
    def config(self) -> MemoryConfig:
        """What ``memory.toml`` said when it was opened."""
        return self._parts.store.config

    @property
    def root(self) -> Path:
        """The folder that is remembered."""
        return self._parts.store.root

    @property
    def store_path(self) -> Path:
        """The folder of the store."""
        return self._parts.store.path

    @property
    def indexed_at(self) -> float | None:
        """When the index was brought up to date last, in seconds since 1970; None before the first time."""
        return self._parts.index.updated()

    @property
    def remade(self) -> str:
        """Why all scores were counted anew since this was opened, unasked; empty where they were not."""
        return self._parts.remade

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self._session.id

    @property
    def agent_id(self) -> str:
        """Whose session it is."""
        return self._session.agent_id

    def close(self) -> None:
        """End the session, where it has not ended, and give back what was opened."""
        try:
            self._session.end()
        finally:
            if self._owner:
                self._parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _path(given: str | os.PathLike[str] | None) -> Path | None:
    return None if given is None else Path(given)
