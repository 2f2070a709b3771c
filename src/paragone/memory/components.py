"""The components of an open store, each created on first use, since most load packages."""

from functools import cached_property
from typing import TYPE_CHECKING

from paragone.memory.store.store import Store

if TYPE_CHECKING:
    from paragone.domain.content import Content
    from paragone.memory.index import FileReader, Index
    from paragone.memory.notes import Notes
    from paragone.memory.packing import Packer
    from paragone.memory.prune import Pruner
    from paragone.memory.scores import Scores
    from paragone.memory.search import Grep, Searcher
    from paragone.memory.session import Session
    from paragone.memory.truth import Truth
    from paragone.similarity import Embedder


class Components:
    """What works on one store, sharing what is loaded.

    Args:
        store: The store.
        embedder: Embeds chunks, queries and evidence; the local model if None.
    """

    def __init__(self, store: Store, *, embedder: "Embedder | None" = None) -> None:
        self.store, self._embedder = store, embedder

    @cached_property
    def scores(self) -> "Scores":
        from paragone.memory.scores import Scores

        return Scores(self.store)

    @cached_property
    def index(self) -> "Index":
        from paragone.memory.index import Index

        return Index(self.store, embedder=self._embedder)

    @cached_property
    def reader(self) -> "FileReader":
        from paragone.memory.index import FileReader

        return FileReader(self.store)

    @cached_property
    def searcher(self) -> "Searcher":
        from paragone.memory.search import Searcher

        return Searcher(self.store, self.index, lambda: self.scores, embedder=self._embedder)

    @cached_property
    def grep(self) -> "Grep":
        from paragone.memory.search import Grep

        return Grep(self.store, self.index)

    @cached_property
    def truth(self) -> "Truth":
        from paragone.memory.truth import Truth

        return Truth(self.store, self.index, self.scores, embedder=self._embedder)

    @cached_property
    def packer(self) -> "Packer":
        from paragone.memory.packing import Packer

        return Packer(self.store, self.index, self.scores)

    def notes(self, session: "Session") -> "Notes":
        """The notes, written and contradicted in a session."""
        from paragone.memory.notes import Notes

        return Notes(self.store, self.index, session=session, on_replaced=self._replace)

    def _replace(self, old: "Content", new: "Content", session: str) -> None:
        self.truth.replaced(old, new, session=session)

    @cached_property
    def pruner(self) -> "Pruner":
        from paragone.memory.prune import Pruner

        return Pruner(self.store, self.index, self.scores)

    @property
    def rebuild_reason(self) -> str:
        """Why all scores were rebuilt unasked since this was opened; empty if they were not."""
        return self.scores.rebuild_reason if "scores" in self.__dict__ else ""

    def close(self) -> None:
        """Close what was opened."""
        for name in ("index", "scores"):
            if name in self.__dict__:
                getattr(self, name).close()
        self.store.close()
