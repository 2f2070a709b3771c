"""What every model client takes and returns: requests, replies, prices, and the switch against remote calls."""

import ipaddress
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from paragone.errors import InvalidConfig, UsageError
from paragone.tracing import span

REQUEST_TIMEOUT = 120.0
"""Seconds that a request may take unless said otherwise; a call of a judge may take several requests, and longer."""
_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What a model costs, in US dollars a million tokens."""

    input_per_million: float
    output_per_million: float

    def __post_init__(self) -> None:
        for name in ("input_per_million", "output_per_million"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise InvalidConfig(f"{name} must be a number of dollars, zero or more, not {value}")

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Cost of a call in US dollars. Tokens that the provider had cached cost as much as any other."""
        return (input_tokens * self.input_per_million + output_tokens * self.output_per_million) / _MILLION


def known_price(model: str, *, provider: str | None = None, url: str | None = None) -> Price | None:
    """The list price of a model; None where it is not known.

    The prices are those that the installed ``genai-prices`` carries; nothing is looked up over a network. Discounts
    for cached input, and prices that rise with the length of the prompt, are left out.

    Args:
        model: The model's name.
        provider: Whose model it is, such as ``anthropic``; or
        url: where calls go. The same model may cost something else elsewhere, so one of the two is needed.
    """
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None

    def of(usage: Usage) -> float:
        if provider is not None:
            return float(calc_price(usage, model, provider_id=provider).total_price)
        return float(calc_price(usage, model, provider_api_url=url or "").total_price)

    try:
        inward, outward = of(Usage(input_tokens=_SAMPLE)), of(Usage(output_tokens=_SAMPLE))
    except LookupError:
        return None
    return Price(input_per_million=inward * _MILLION / _SAMPLE, output_per_million=outward * _MILLION / _SAMPLE)


_SAMPLE = 1000
"""Tokens in the call whose price is asked: few, since some models cost more beyond a length."""


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


@dataclass(slots=True)
class _Switch:
    """How many nested blocks forbid remote calls now."""

    forbidding: int = 0


_SWITCH = _Switch()


def host_of(url: str) -> str:
    """Host and port of a URL, and nothing else of it: a URL may hold a password.

    Raises:
        ValueError: If the port is no number.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    return host if parts.port is None else f"{host}:{parts.port}"


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


@contextmanager
def forbid_remote_calls() -> Iterator[None]:
    """Refuse, before anything is sent, every model call that would leave this machine.

    For tests: an accidental call that costs money becomes an error, and one that is not swallowed as a failed
    comparison. Blocks may be nested, and hold for all threads.
    """
    _SWITCH.forbidding += 1
    try:
        yield
    finally:
        _SWITCH.forbidding -= 1


def check_allowed(url: str | None) -> None:
    """Refuse a call that would leave this machine while remote calls are forbidden.

    Args:
        url: Where the call goes; None where that is not known, which counts as far away.

    Raises:
        UsageError: If it is forbidden.
    """
    if _SWITCH.forbidding and (url is None or not is_loopback(url)):
        where = "an unknown address" if url is None else host_of(url)
        raise UsageError(f"a model call to {where} was refused: remote calls are forbidden here; use a loopback URL")
