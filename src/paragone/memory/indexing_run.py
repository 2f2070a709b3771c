"""Bringing the index up to date, with all that follows from it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from paragone.memory.citations import log_citations
from paragone.memory.components import Parts

if TYPE_CHECKING:
    from paragone.memory.index import IndexProgress, IndexRun


def update(parts: Parts, progress: "Callable[[IndexProgress], None]", *, vectors: bool) -> "IndexRun":
    """Index what changed, log which decision records cite which, and have the next search ready."""
    run = parts.index.update(progress=progress, vectors=vectors)
    log_citations(parts, (*run.added, *run.changed))
    if run.files:
        parts.searcher.prepare()
    return run
