"""The components that work on one store, each created on first use, since most load packages."""

from collections.abc import Callable, Container, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from paragone.domain.content import Action, ContentKind
from paragone.memory.store.lines import AccessLine
from paragone.memory.store.store import Store

if TYPE_CHECKING:
    from paragone.memory.index import Decision, FileReader, Index, IndexProgress, IndexRun
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

        return Packer(self.store, self.index, self.scores, searcher=self.searcher)

    @cached_property
    def pruner(self) -> "Pruner":
        """Archives what is neither used nor true."""
        from paragone.memory.upkeep.prune import Pruner

        return Pruner(self.store, self.index, self.scores)

    def update_index(self, progress: "Callable[[IndexProgress], None]", *, vectors: bool) -> "IndexRun":
        """Index what changed, log new citations between decision records, and prepare the next search.

        Raises:
            Busy: If another process is indexing.
            MissingExtra: If a required package is not installed.
        """
        run = self.index.update(progress=progress, vectors=vectors)
        lines = list(_citations(self.index.decisions(), {*run.added, *run.changed}))
        if lines:
            self.store.logs.append(lines)
        if run.files:
            self.searcher.prepare()
        return run

    def moment(self, as_of: float | None) -> float:
        """A time in seconds since 1970; now, where none is said."""
        return self.store.clock() if as_of is None else as_of

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


def _citations(decisions: "Sequence[Decision]", paths: Container[str]) -> Iterator[AccessLine]:
    """Citations of decision records by the records in some files.

    Source: document M, "ADRs cited in new ADRs get bonus ELO (citation graph)".
    """
    by_id = {decision.id: decision for decision in decisions}
    for citing in decisions:
        if citing.path not in paths:
            continue
        for id in citing.cites:
            cited = by_id.get(id)
            if cited is not None and id != citing.id:
                yield AccessLine(
                    id=f"citation:{citing.id}:{id}",  # the same in every run, so that it counts once
                    session_id="",
                    action=Action.CITED,
                    entity_type=ContentKind.ADR,
                    entity_id=id,
                    file_path=cited.path,
                    also=((ContentKind.FILE, cited.path),),
                    tool="index",
                )
