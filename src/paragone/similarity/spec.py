"""Embedders by their specs: the texts that name one on the command line."""

from paragone.errors import InvalidConfig
from paragone.similarity.base import Embedder


def open_embedder(spec: str = "local") -> Embedder:
    """The embedder that a spec names.

    Args:
        spec: ``local`` (runs here, no key, no network), ``llm:MODEL`` or ``llm:MODEL@URL`` (an OpenAI-compatible
            endpoint), or ``llm:PROVIDER:MODEL`` (needs the extra ``providers``).

    Raises:
        InvalidConfig: If it names none.
        MissingExtra: If it needs a package that is not installed.
        MissingKey: If its provider's key is not in the environment.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind == "local" and not rest:
        from paragone.similarity.local import LocalEmbedder

        return LocalEmbedder()
    if kind == "llm" and rest:
        from paragone.similarity.remote import RemoteEmbedder

        model, _, url = rest.partition("@")
        return RemoteEmbedder(model, base_url=url or None)
    raise InvalidConfig(f"there is no embedder {spec!r}; write local, llm:MODEL, llm:MODEL@URL or llm:PROVIDER:MODEL")
