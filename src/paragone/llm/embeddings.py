"""Connections to embedding models."""

from collections.abc import Sequence
from typing import Protocol

from paragone import extras
from paragone.errors import EmbeddingFailed, InvalidConfig, JudgeFailed
from paragone.llm.client import REQUEST_TIMEOUT
from paragone.llm.failures import of_answer, of_silence, of_status
from paragone.llm.openai_sdk import open_sdk, target_of
from paragone.llm.remote_calls import check_allowed

_RETRIES = 3


class EmbeddingClient(Protocol):
    """A connection to one embedding model."""

    @property
    def name(self) -> str:
        """Names the model and where it is, without a key."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Vectors of some texts, in their order.

        Raises:
            EmbeddingFailed: If the call failed after its retries, or its answer holds no vectors.
        """
        ...


def connect_embeddings(model: str, *, base_url: str | None = None, timeout: float = REQUEST_TIMEOUT) -> EmbeddingClient:
    """A client for an embedding model.

    Args:
        model: A name that an OpenAI-compatible endpoint knows, or ``provider:name`` for another provider. With
            ``base_url`` the name is taken as it stands.
        base_url: Address of an OpenAI-compatible endpoint; None for the provider's own.
        timeout: Seconds that one call may take.

    Raises:
        MissingKey: If the endpoint is not on this machine and its key is not in the environment.
        MissingExtra: If the provider's package is not installed.
        InvalidConfig: If the provider is none.
    """
    if base_url is None and ":" in model and not model.startswith("openai:"):
        return ProviderEmbeddings(model)
    return EndpointEmbeddings(model.removeprefix("openai:"), base_url=base_url, timeout=timeout)


class EndpointEmbeddings:
    """Embeddings of an OpenAI-compatible endpoint."""

    def __init__(self, model: str, *, base_url: str | None, timeout: float) -> None:
        """Open a client; see ``connect_embeddings``."""
        from openai import OpenAI

        self._sdk = open_sdk(OpenAI, base_url, timeout=timeout, retries=_RETRIES)
        self._model, self._timeout, self._url = model, timeout, str(self._sdk.base_url)
        self._target = target_of(self._sdk, model)
        self.name = f"{model}@{self._target.host}"

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Vectors of some texts, in their order."""
        check_allowed(self._url)
        try:
            rows = self._ask(texts)
            if len(rows) != len(texts):
                raise of_answer(f"{len(rows)} vectors for {len(texts)} texts", self._target)
        except JudgeFailed as failure:
            raise EmbeddingFailed(str(failure)) from None
        return rows

    def _ask(self, texts: Sequence[str]) -> list[Sequence[float]]:
        import openai

        try:
            answer = self._sdk.embeddings.create(model=self._model, input=list(texts), encoding_format="float")
            return [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]
        except openai.APIStatusError as error:
            raise of_status(error.status_code, str(error.message), self._target) from None
        except openai.APITimeoutError:
            raise of_silence(self._target, timeout=self._timeout) from None
        except openai.APIConnectionError:
            raise of_silence(self._target) from None
        except (openai.OpenAIError, AttributeError, TypeError, ValueError) as error:
            raise of_answer(f"{type(error).__name__}: {error}", self._target) from None


class ProviderEmbeddings:
    """Embeddings of any provider that pydantic-ai knows: Google, Cohere, Voyage and more."""

    def __init__(self, model: str) -> None:
        """Open a client; see ``connect_embeddings``."""
        with extras.importing(f"{model!r} needs", "pydantic-ai-slim"):
            from pydantic_ai import Embedder
            from pydantic_ai.exceptions import UserError
        try:
            self._embedder = Embedder(model, defer_model_check=False)
        except (UserError, ValueError, ImportError) as error:
            raise InvalidConfig(f"the embedding model {model!r} cannot be used: {error}") from None
        self.name = model

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Vectors of some texts, in their order."""
        from pydantic_ai.exceptions import AgentRunError

        check_allowed(None)
        try:
            answer = self._embedder.embed_documents_sync(list(texts))
        except AgentRunError as error:
            raise EmbeddingFailed(f"{self.name} gave no vectors: {error}") from None
        return [list(row) for row in answer.embeddings]
