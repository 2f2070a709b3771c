"""The components that work on one store, each created on first use, since most load packages."""

from functools import cached_property
from typing import TYPE_CHECKING

from paragone.memory.store.store import Store

if TYPE_CHECKING:
    from paragone.memory.index import FileReader, Index
    from paragone.memory.packing import Packer
    from paragone.memory.scores import Scores
    from paragone.memory.search import Grep, Searcher
    from paragone.memory.truth import Truth
    from paragone.memory.upkeep.prune import Pruner
    from paragone.similarity import Embedder


class Components:
    """What works on one store, and shares what is loaded.

    Args:
        store: The store.
        embedder: Makes vectors; the local one where None.
    """

    def __init__(self, store: Store, *, embedder: "Embedder | None" = None) -> None:
        self.store, self._embedder = store, embedder

    @cached_property
    def scores(self) -> "Scores":
        """Where content stands."""
        from paragone.memory.scores import Scores

        return Scores(self.store)

    @cached_property
    def index(self) -> "Index":
        """What there is."""
        from paragone.memory.index import Index

        return Index(self.store, embedder=self._embedder)

    @cached_property
    def reader(self) -> "FileReader":
        """Reads files, as far as they may be."""
        from paragone.memory.index import FileReader

        return FileReader(self.store)

    @cached_property
    def searcher(self) -> "Searcher":
        """Searches by meaning and by words."""
        from paragone.memory.search import Searcher

        return Searcher(self.store, self.index, self.scores, embedder=self._embedder)

    @cached_property
    def grep(self) -> "Grep":
        """Searches by pattern."""
        from paragone.memory.search import Grep

        return Grep(self.store, self.index)

    @cached_property
    def truth(self) -> "Truth":
        """Finds R."""
        from paragone.memory.truth import Truth

        return Truth(self.store, self.index, self.scores, embedder=self._embedder)

    @cached_property
    def packer(self) -> "Packer":
        """Packs for a context window."""
        from paragone.memory.packing import Packer

        return Packer(self.store, self.index, self.scores, searcher=lambda: self.searcher)

    @cached_property
    def pruner(self) -> "Pruner":
        """Archives what is neither used nor true."""
        from paragone.memory.upkeep.prune import Pruner

        return Pruner(self.store, self.index, self.scores)

    @property
    def rebuild_reason(self) -> str:
        """Why all scores were counted anew since this was opened, unasked; empty where they were not."""
        return self.scores.rebuild_reason if "scores" in self.__dict__ else ""

    def close(self) -> None:
        """Give back what was opened."""
        for name in ("index", "scores"):
            if name in self.__dict__:
                getattr(self, name).close()
        self.store.close()
