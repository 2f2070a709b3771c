"""Embedders turn texts into vectors: a local one without key and network, and models behind an API."""

import logging
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from paragone import extras
from paragone.errors import EmbeddingFailed, InvalidConfig
from paragone.plugins import Registry, require_callable
from paragone.similarity.word_vectors import WordVectors

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors; similar texts get similar directions."""

    @property
    def name(self) -> str:
        """Names the model: vectors of one name are comparable, and are cached under it."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of some texts, shape (texts, dimensions), of any length."""
        ...


class LocalEmbedder:
    """A bag of word pieces with learned weights: about 2,700 texts a second; blind to the order of words.

    Raises:
        MissingExtra: If wordllama is not installed.
    """

    name = "wordllama/l2_supercat_256"

    def __init__(self) -> None:
        extras.require("similarity needs", "wordllama")

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, 256), np.float32)
        # The tokenizer is written in Rust, where half a surrogate pair is no text.
        sound = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return np.asarray(self._model.embed(sound), dtype=np.float32)

    @property
    def _model(self) -> "WordVectors | WordLlamaInference":
        return _local_model()


@cache
def _local_model() -> "WordVectors | WordLlamaInference":
    """The model, loaded once in a process: its tokenizer takes longer than to index some files."""
    spec = find_spec("wordllama")
    folders = spec.submodule_search_locations if spec is not None else None
    return (WordVectors.found(Path(folders[0])) if folders else None) or _wordllama()


def _wordllama() -> "WordLlamaInference":
    handlers, level = list(logging.root.handlers), logging.root.level
    try:
        import wordllama
    finally:  # its import sets up the root logger, which belongs to the application
        logging.root.handlers[:], logging.root.level = handlers, level
    folder = Path(wordllama.__file__).parent
    model: WordLlamaInference = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return model


_BATCH = 256


class RemoteEmbedder:
    """An embedding model behind an API, called with some hundred texts at a time."""

    def __init__(self, model: str, *, base_url: str | None = None, timeout: float = 120.0) -> None:
        """Open a client; see ``paragone.llm.embeddings.connect_embeddings``."""
        from paragone.llm.embeddings import connect_embeddings  # a local embedder needs no client

        self._client = connect_embeddings(model, base_url=base_url, timeout=timeout)
        self.name = self._client.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of some texts, shape (texts, dimensions).

        Raises:
            EmbeddingFailed: If a call failed, or its answer holds no vectors of one length.
        """
        rows = [
            row for start in range(0, len(texts), _BATCH) for row in self._client.embed(texts[start : start + _BATCH])
        ]
        try:
            vectors = np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise EmbeddingFailed(f"{self.name} gave vectors of different lengths") from error
        return vectors.reshape(len(texts), -1) if texts else np.zeros((0, 0), np.float32)


def open_embedder(spec: str = "local") -> Embedder:
    """The embedder that a spec names.

    Args:
        spec: ``local`` (runs on this machine, without key or network), ``llm:MODEL`` or ``llm:MODEL@URL`` (an
            OpenAI-compatible endpoint), ``llm:PROVIDER:MODEL`` (needs the extra ``providers``), or ``NAME`` or
            ``NAME:REST`` of a plugin.

    Raises:
        InvalidConfig: If there is no such embedder.
        PluginRefused: If the plugin that brings it cannot be used.
        MissingExtra: If it needs a package that is not installed.
        MissingKey: If its provider's key is not in the environment.
    """
    name, _, rest = spec.strip().partition(":")
    opening = EMBEDDERS.get(name)
    if opening is None or (name, bool(rest)) in (("local", True), ("llm", False)):
        plugins = "".join(f", {each}" for each in EMBEDDERS if each not in EMBEDDERS.built_in)
        raise InvalidConfig(
            f"there is no embedder {spec!r}; write local, llm:MODEL, llm:MODEL@URL or llm:PROVIDER:MODEL{plugins}"
        )
    return opening(rest)


def _local(rest: str) -> Embedder:  # noqa: ARG001  # all are opened alike
    return LocalEmbedder()


def _llm(rest: str) -> Embedder:
    model, _, url = rest.partition("@")
    return RemoteEmbedder(model, base_url=url or None)


def _of_plugin(name: str, opening: object) -> Callable[[str], Embedder]:
    require_callable(name, opening)
    return opening  # type: ignore[return-value] # what it returns shows when it is called


EMBEDDERS: Registry[Callable[[str], Embedder]] = Registry(
    "similarity", {"local": _local, "llm": _llm}, _of_plugin, reserved=frozenset({"vectors", "pairs"})
)
"""What opens an embedder, given what follows its name in the spec; ``vectors:`` and ``pairs:`` are files."""
