"""What every model client takes and gives."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from paragone.llm.prices import Price

Schema = dict[str, Any]
"""A JSON schema."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a model is asked.

    Attributes:
        messages: The conversation, the system's message first.
        schema: JSON schema that the answer should meet; a client that cannot enforce it asks without.
        temperature: Sampling temperature.
        max_tokens: Length of the answer at the most.
        logprobs: Whether log-probabilities of the answer's tokens are wanted, where they can be had.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    temperature: float = 0.0
    max_tokens: int = 512
    logprobs: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """One token of an answer.

    Attributes:
        text: The token's bytes.
        alternatives: The likeliest tokens at this place with their log-probabilities in nats, likeliest first.
    """

    text: bytes
    alternatives: tuple[tuple[bytes, float], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        text: The answer as it came. Untrusted.
        parsed: The one JSON object in it, or None where there is none or more than one.
        tokens: The answer's tokens, where the endpoint gives log-probabilities; else empty.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        model: The model that answered, in the endpoint's words.
        calls: Requests it took: more than one where the endpoint refused a parameter at first.
        cut: Whether the answer ended because it reached ``max_tokens``.
    """

    text: str
    parsed: dict[str, Any] | None
    tokens: tuple[Token, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    model: str = ""
    calls: int = 1
    cut: bool = False


class Client(Protocol):
    """A way to one model."""

    @property
    def model(self) -> str:
        """Name of the model, with its provider where that is not an OpenAI-compatible endpoint."""
        ...

    @property
    def base_url(self) -> str | None:
        """Where calls go; None where that is not known."""
        ...

    @property
    def host(self) -> str | None:
        """Host and port of the address, where it is not the provider's own; else None."""
        ...

    @property
    def gives_logprobs(self) -> bool:
        """Whether log-probabilities may come; some kinds of client never give them."""
        ...

    @property
    def price(self) -> Price | None:
        """The model's list price; None where it is not known."""
        ...

    async def ask(self, request: Request) -> Reply:
        """Ask once, without retries.

        Raises:
            JudgeFailed: If there was no answer; says whether asking again may help.
            UsageError: If remote calls are forbidden and this would be one.
        """
        ...

    async def close(self) -> None:
        """Give back the connections."""
        ...
