"""What every model client takes and returns: requests and replies."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from paragone.llm.prices import Price
from paragone.tracing import span

REQUEST_TIMEOUT = 120.0
"""Seconds that a request may take unless said otherwise; a call of a judge may take several requests, and longer."""

Schema = dict[str, Any]
"""A JSON schema."""

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
"""How hard a model that reasons should think before it answers."""

Structure = Literal["schema", "object", "prompt"]
"""How the form of an answer is asked for: enforced by a schema, as any JSON object, or in words alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """A request to a model.

    Attributes:
        messages: The conversation, the system's message first.
        schema: JSON schema that the answer should meet; a client that cannot enforce it asks without.
        temperature: Sampling temperature.
        max_tokens: Length of the answer at the most, reasoning included; raised where a model does not finish in it.
        logprobs: Whether log-probabilities of the answer's tokens are wanted, where they can be had.
        effort: How hard a model that reasons should think; None leaves it to the model.
        without_logprobs: What to ask instead where log-probabilities cannot be had; None for the same.
        call: What tells this question from one of the same words that is to be answered anew; it is not sent.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    temperature: float = 0.0
    max_tokens: int = 512
    logprobs: bool = False
    effort: Effort | None = None
    without_logprobs: "ModelRequest | None" = None
    call: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelLimits:
    """What is known about the requests that an endpoint accepts for a model.

    Attributes:
        refused: Parameters that it refuses, and log-probabilities where it never gives any.
        raises: Number of times that the limit of tokens was raised: 1 doubles it, 2 makes it the model's own.
        most: The model's own limit of tokens, where it said so.
    """

    refused: frozenset[str] = frozenset()
    raises: int = 0
    most: int | None = None

    def limit(self, requested: int) -> int | None:
        """The limit to send where ``requested`` is asked for; None for the model's own."""
        if self.raises >= 2:
            return self.most
        return min(requested << self.raises, self.most or requested << self.raises)

    def can_raise(self, requested: int) -> bool:
        """Whether a longer answer may be asked for than now."""
        return self.raises < 2 and self.limit(requested) != self.most


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
    """A model's reply.

    Attributes:
        text: The answer as it came, without the thought that it begins with. Untrusted.
        parsed: The one JSON object in it, or None where there is none or more than one.
        tokens: The answer's tokens, where the endpoint gives log-probabilities; else empty.
        input_tokens: Tokens sent, by all requests that it took.
        output_tokens: Tokens received, reasoning included.
        reasoning_tokens: Tokens of the last request that were reasoning; 0 where that is not known.
        cached_tokens: Tokens of the last request that the provider had in its cache of prompts; 0 where not known.
        reasoned: Whether the model thought before it answered.
        model: The model that answered, in the endpoint's words.
        calls: Requests it took: more than one where the endpoint refused a parameter at first, or cut an answer.
        cut: Whether the answer ended because it reached the limit of tokens.
        declined: Why the model or its provider declined to answer, in their words; else empty.
        ending: Why the answer ended, in the endpoint's words.
        without_logprobs: Whether ``ModelRequest.without_logprobs`` was asked in the request's place.
        structure: How its form was asked for: by the schema, as any JSON object, or by the prompt alone.
        terms: What is known about the endpoint by now.
    """

    text: str
    parsed: dict[str, Any] | None
    tokens: tuple[Token, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    reasoned: bool = False
    model: str = ""
    calls: int = 1
    cut: bool = False
    declined: str = ""
    ending: str = ""
    without_logprobs: bool = False
    structure: Structure = "prompt"
    terms: ModelLimits = ModelLimits()

    @property
    def is_unfinished(self) -> bool:
        """Whether it was cut before its JSON object was complete."""
        return self.cut and self.parsed is None

    @property
    def has_logprobs(self) -> bool:
        """Whether log-probabilities came with it."""
        return any(token.alternatives for token in self.tokens)


class ModelClient(Protocol):
    """A connection to one model."""

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

    async def ask(self, request: ModelRequest) -> Reply:
        """Ask once, without retries.

        Raises:
            JudgeFailed: If there was no answer; says whether asking again may help.
            UsageError: If remote calls are forbidden and this would be one.
        """
        ...

    async def close(self) -> None:
        """Give back the connections."""
        ...


async def ask(client: ModelClient, request: ModelRequest) -> Reply:
    """Ask once, without retries.

    Raises:
        JudgeFailed: If there was no answer; says whether asking again may help.
        UsageError: If remote calls are forbidden and this would be one.
    """
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": client.model, "server.address": client.host}
    with span(f"chat {client.model}", attributes, kind="client") as trace:
        reply = await client.ask(request)
        trace.note(
            {
                "gen_ai.response.model": reply.model,
                "gen_ai.usage.input_tokens": reply.input_tokens,
                "gen_ai.usage.output_tokens": reply.output_tokens,
            }
        )
        return reply
