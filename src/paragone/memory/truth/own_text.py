"""What content says itself, as one vector: evidence is about how well it agrees with that."""

import numpy as np

from paragone.domain.content import Content, ContentKind
from paragone.memory.index import FileReader, Index
from paragone.similarity import Embedder
from paragone.similarity.embedders import Vectors
from paragone.similarity.vectors import unit


def own_texts(content: Content, index: Index, reader: FileReader) -> list[str]:
    """The texts of content, in pieces that an embedder takes; none where the index does not hold it.

    Raises:
        ParagoneError: If a symbol's file may not, or cannot, be read.
    """
    if content.kind is ContentKind.VECTOR:
        return [place.text for place in index.places(content.id)][:1]
    if content.kind is ContentKind.SYMBOL:
        return [_lines(reader, one.path, one.start, one.end) for one in index.symbol(content.id)][:1]
    path = content.path
    if content.kind is ContentKind.ADR:
        decision = index.decision(content.id)
        path = "" if decision is None else decision.path
    return [chunk.text for chunk in index.chunks(path)] if path else []


def _lines(reader: FileReader, path: str, start: int, end: int) -> str:
    return "\n".join(reader.read(path).text.split("\n")[start - 1 : end])


def meaning(texts: list[str], embedder: Embedder) -> Vectors | None:
    """The direction in which all of them point together, shape (dimensions,); None without any."""
    if not texts:
        return None
    vectors = unit(embedder.embed(texts))
    together: Vectors = unit(np.mean(vectors, axis=0, keepdims=True))[0]
    return together
