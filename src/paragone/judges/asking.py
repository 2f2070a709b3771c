"""A language model as judges and advocates ask it: identity, request, price and what a malformed answer is."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from paragone.domain import Spending, Usage
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.rubrics import Rubric
from paragone.llm import Client, Effort, Message, Price, Reply, Request, asked

T = TypeVar("T")

_CHARACTERS_A_TOKEN = 4
_STRUCTURES = {"schema": "JSON by schema", "object": "JSON without a schema", "prompt": "JSON by the prompt alone"}


class Asking:
    """One model with the options of all that it is asked.

    Attributes:
        client: The way to it.
        rate: What it costs, where that is known.
        temperature: Sampling temperature.
        max_tokens: Length of an answer at the most.
        max_chars: Characters of a text that are shown.
        effort: How hard a model that reasons should think; None leaves it to the model.
    """

    def __init__(
        self,
        client: Client,
        *,
        price: Price | None,
        temperature: float,
        max_tokens: int,
        max_chars: int,
        effort: Effort | None = None,
    ) -> None:
        """Take the model.

        Args:
            client: The way to it.
            price: What it costs; None for its list price, where that is known.
            temperature: Sampling temperature, from 0 to 2.
            max_tokens: Length of an answer at the most, 64 tokens or more.
            max_chars: Characters of a text that are shown.
            effort: How hard a model that reasons should think; None leaves it to the model.

        Raises:
            InvalidConfig: If an option is out of its range.
        """
        _check(temperature, max_tokens, max_chars)
        self.client = client
        self.max_chars = max_chars
        self.rate = client.price if price is None else price
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.effort = effort
        self._first: Reply | None = None

    def identity(self, kind: str, rubric: Rubric, schema: Mapping[str, Any], **more: object) -> str:
        """Model, address where it is not the provider's own, and a hash of all else that changes answers."""
        options = {
            "prompt": rubric.hash,
            "schema": schema,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "max_chars": self.max_chars,
            "url": self.client.base_url,
            **({} if self.effort is None else {"effort": self.effort}),
            **more,
        }
        digest = hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()
        host = f"@{self.client.host}" if self.client.host else ""
        return f"{kind}:{self.client.model}{host}#{rubric.hash[:8]}{digest[:8]}"

    def request(self, prompt: tuple[str, str], schema: dict[str, Any]) -> Request:
        """What is sent: the system's message, the user's, and the form of the answer."""
        system, user = prompt
        return Request(
            messages=(Message(role="system", content=system), Message(role="user", content=user)),
            schema=schema,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            effort=self.effort,
        )

    async def ask(self, request: Request, read: Callable[[Reply], T]) -> tuple[T, Usage]:
        """What was read in the answer, and what it took.

        Args:
            request: What to ask.
            read: Reads the answer; raises ``ValueError`` where it is malformed.

        Raises:
            JudgeFailed: If there was no answer, or none that can be read.
        """
        begun = time.perf_counter()
        try:
            reply = await asked(self.client, request)
            self._first = self._first or reply
            found = self._readable(reply, read)
        except JudgeFailed as failure:
            if failure.tokens is not None:  # an answer that is of no use is paid for all the same
                failure.cost = self._cost(*failure.tokens)
            raise
        return found, self._usage(reply, time.perf_counter() - begun)

    def price(self, request: Request, likely: int) -> float | None:
        """What an answer of so many tokens will cost, in US dollars; None where the price is not known."""
        return self.forecast(request, likely).dollars

    def forecast(self, request: Request, likely: int) -> Spending:
        """What an answer of so many tokens will take; a token is taken for four characters."""
        sent = sum(len(message.content) for message in request.messages) // _CHARACTERS_A_TOKEN + 1
        received = min(self.max_tokens, likely)
        dollars = self._cost(sent, received)
        return Spending(
            requests=1, input_tokens=sent, output_tokens=received, dollars=dollars, unpriced=int(dollars is None)
        )

    def discovered(self) -> str:
        """What the model's first answer showed of it, in words; empty before that."""
        if self._first is None:
            return ""
        parts = [_STRUCTURES[self._first.structure], self._logprobs(self._first), self._reasoning(self._first)]
        return ", ".join(part for part in [*parts, self._price()] if part)

    def _logprobs(self, reply: Reply) -> str:
        if reply.has_logprobs:
            return "log-probabilities"
        return "no log-probabilities (reasons come before the verdict)"

    def _reasoning(self, reply: Reply) -> str:
        limit = reply.terms.limit(self.max_tokens)
        raised = "its own limit" if limit is None else f"a limit of {limit:,} tokens"
        counted = f" for {reply.reasoning_tokens:,} tokens" if reply.reasoning_tokens else ""
        reasoning = [f"reasoned{counted}"] if reply.reasoned else []
        refused = [f"takes no {name}" for name in ("temperature", "effort") if name in reply.terms.refused]
        return ", ".join([*reasoning, *([f"needs {raised}"] if reply.terms.raises else []), *refused])

    def _price(self) -> str:
        if self.rate is None:
            return "price not known"
        return f"${self.rate.input_per_million:g} and ${self.rate.output_per_million:g} a million tokens in and out"

    def _readable(self, reply: Reply, read: Callable[[Reply], T]) -> T:
        """What was read, or the failure that a malformed answer is."""
        taken = (reply.input_tokens, reply.output_tokens)
        try:
            return read(reply)
        except ValueError as error:
            text = f"{self.client.model} gave a malformed answer: {error}"
            raise JudgeFailed(text, attempts=reply.calls, tokens=taken) from None

    def _usage(self, reply: Reply, seconds: float) -> Usage:
        return Usage(
            calls=reply.calls,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cost=self._cost(reply.input_tokens, reply.output_tokens),
            seconds=seconds,
        )

    def _cost(self, sent: int, received: int) -> float | None:
        """US dollars; None where the price is not known, or the answer did not say what it took."""
        return None if self.rate is None or not sent + received else self.rate.of(sent, received)


def _check(temperature: float, max_tokens: int, max_chars: int) -> None:
    if not 0.0 <= temperature <= 2.0:
        raise InvalidConfig(f"temperature lies between 0 and 2, not {temperature}")
    if max_tokens < 64:
        raise InvalidConfig(f"max_tokens must be at least 64, not {max_tokens}: a shorter answer is cut off")
    if max_chars < 1:
        raise InvalidConfig(f"max_chars must be at least 1, not {max_chars}")
