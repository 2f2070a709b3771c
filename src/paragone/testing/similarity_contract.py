"""The contract of embedders: one finite vector a text, the same for the same text whatever stands beside it."""

from collections.abc import Callable
from functools import partial

import numpy as np

from paragone.similarity.embedders import Embedder, open_embedder
from paragone.testing.samples import HOSTILE, require, sample_items

_TOLERANCE = 1e-4
"""How much a vector may change with the texts beside it: sums are rounded differently in batches."""


def check_similarity(embedder: str | Callable[[], Embedder]) -> None:
    """Check that an embedder keeps the contract.

    Args:
        embedder: Its spec, or what makes it. It is made twice.

    Raises:
        AssertionError: With the rule that does not hold.
    """
    make = partial(open_embedder, embedder) if isinstance(embedder, str) else embedder
    source, again = make(), make()
    require(source.name.strip(), "name names the model, and is not empty: vectors are cached under it")
    require(source.name == again.name, "an embedder that is made again has the same name")
    texts = [item.text for item in sample_items()]
    vectors = _vectors(source, texts)
    require(vectors.shape[1] >= 1, "vectors have a dimension or more")
    require(np.allclose(_vectors(again, texts), vectors, atol=_TOLERANCE), "the same texts have the same vectors")
    alone = _vectors(source, texts[2:3])
    require(np.allclose(alone[0], vectors[2], atol=_TOLERANCE), "a vector does not depend on the texts beside it")
    backwards = _vectors(source, texts[::-1])[::-1]
    require(np.allclose(backwards, vectors, atol=_TOLERANCE), "vectors come in the order of the texts")
    hostile = _vectors(source, list(HOSTILE))
    require(hostile.shape[1] == vectors.shape[1], "all vectors have one length")
    require(_vectors(source, []).shape[0] == 0, "no texts have no vectors")


def _vectors(source: Embedder, texts: list[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    vectors = np.asarray(source.embed(texts), dtype=np.float64)
    require(
        vectors.ndim == 2 and len(vectors) == len(texts),
        f"embed gives an array of shape (texts, dimensions): {len(texts)} texts have shape {vectors.shape}",
    )
    require(np.isfinite(vectors).all(), "vectors are finite")
    return vectors
