"""Vectors without a key and without a network: WordLlama's 256 dimensions, from weights that come in its package."""

import logging
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paragone.errors import MissingExtra
from paragone.similarity.base import Vectors

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference


class LocalEmbedder:
    """A bag of word pieces with learned weights: about 2,700 texts a second; blind to the order of words."""

    name = "wordllama/l2_supercat_256"

    def __init__(self) -> None:
        """Check that the package is there; it is loaded when the first text comes.

        Raises:
            MissingExtra: If it is not.
        """
        if find_spec("wordllama") is None:
            raise MissingExtra(
                "similarity needs the package wordllama; install it with: pip install 'paragone[similarity]'"
            )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of some texts, shape (texts, 256)."""
        if not texts:
            return np.zeros((0, 256), np.float32)
        # The tokenizer is written in Rust, where half a surrogate pair is no text.
        sound = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return np.asarray(self._model.embed(sound), dtype=np.float32)

    @cached_property
    def _model(self) -> "WordLlamaInference":
        handlers, level = list(logging.root.handlers), logging.root.level
        try:
            import wordllama
        finally:  # its import sets up the root logger, which belongs to the application
            logging.root.handlers[:], logging.root.level = handlers, level
        folder = Path(wordllama.__file__).parent
        model: WordLlamaInference = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
        return model
