"""A language model behind a judge or an advocate: its spec, identity, requests and price."""

import hashlib
import json
import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar, get_args

from paragone.domain import Spending, Usage
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig, JudgeFailed, UnknownJudge
from paragone.judges.spec_options import Option, choice, flag, number, read_options, whole
from paragone.judges.templates import PromptTemplate
from paragone.llm import Effort, Message, ModelClient, ModelRequest, Price, Reply, ask
from paragone.llm.client import REQUEST_TIMEOUT
from paragone.llm.failures import clean

T = TypeVar("T")

_CHARACTERS_A_TOKEN = 4
_STRUCTURES = {"schema": "JSON by schema", "object": "JSON without a schema", "prompt": "JSON by the prompt alone"}


class ModelCaller:
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
        client: ModelClient,
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

    def identity(self, kind: str, prompt: PromptTemplate, schema: Mapping[str, Any], **more: object) -> str:
        """Model, address where it is not the provider's own, and a hash of all else that changes answers."""
        options = {
            "prompt": prompt.hash,
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
        return f"{kind}:{self.client.model}{host}#{prompt.hash[:8]}{digest[:8]}"

    def request(self, prompt: tuple[str, str], schema: dict[str, Any], *, least_tokens: int = 0) -> ModelRequest:
        """What is sent.

        Args:
            prompt: The system's message and the user's.
            schema: The form of the answer.
            least_tokens: Tokens that the answer may have in any case.
        """
        system, user = prompt
        return ModelRequest(
            messages=(Message(role="system", content=system), Message(role="user", content=user)),
            schema=schema,
            temperature=self.temperature,
            max_tokens=max(self.max_tokens, least_tokens),
            effort=self.effort,
        )

    async def ask(self, request: ModelRequest, read: Callable[[Reply], T]) -> tuple[T, Usage]:
        """What was read in the answer, and what it took.

        Args:
            request: What to ask.
            read: Reads the answer; raises ``ValueError`` where it is malformed.

        Raises:
            JudgeFailed: If there was no answer, or none that can be read.
        """
        start = time.perf_counter()
        try:
            reply = await ask(self.client, request)
            self._first = self._first or reply
            parsed = self._readable(reply, read)
        except JudgeFailed as failure:
            if failure.tokens is not None:  # an answer that is of no use is paid for all the same
                failure.cost = self._cost(*failure.tokens)
            raise
        return parsed, self._usage(reply, time.perf_counter() - start)

    def price(self, request: ModelRequest, likely: int) -> float | None:
        """What an answer of so many tokens will cost, in US dollars; None where the price is not known."""
        return self.forecast(request, likely).dollars

    def forecast(self, request: ModelRequest, likely: int) -> Spending:
        """What an answer of so many tokens will take; a token is taken for four characters."""
        sent = sum(len(message.content) for message in request.messages) // _CHARACTERS_A_TOKEN + 1
        received = min(request.max_tokens, likely)
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
        if self.rate is None:  # what announces a run says that it is not known
            return ""
        return f"${self.rate.input_per_million:g} and ${self.rate.output_per_million:g} a million tokens in and out"

    def _readable(self, reply: Reply, read: Callable[[Reply], T]) -> T:
        """What was read, or the failure that a malformed answer is."""
        tokens = (reply.input_tokens, reply.output_tokens)
        try:
            return read(reply)
        except ValueError as error:
            text = f"{self.client.model} gave a malformed answer: {error}"
            hint = f"It answered: {clean(reply.text)}"
            raise JudgeFailed(text, attempts=reply.calls, tokens=tokens, hint=hint) from None

    def _usage(self, reply: Reply, seconds: float) -> Usage:
        return Usage(
            calls=reply.calls,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cost=self._cost(reply.input_tokens, reply.output_tokens),
            seconds=seconds,
            cached_tokens=reply.cached_tokens,
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


CRITERIA = ("novelty", "correctness", "testability", "impact", "clarity")
"""The criteria for hypotheses. Source: the tournament and Ranking Agent specifications."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelOptions:
    """With what a model is asked; None leaves it to whoever asks: a judge or an advocate.

    Attributes:
        max_tokens: Length of an answer at the most, in tokens, reasoning included; 64 or more.
        temperature: Sampling temperature, from 0 to 2.
        effort: How hard a model that reasons should think.
        scores: Criteria that a judge scores both texts on.
        logprobs: Whether a judge asks for log-probabilities.
        max_chars: Characters of a text that are shown; the rest is left out.
        timeout: Seconds that one call may take.
        batch_hours: Hours that a judge waits for a batch of questions; None to send each question alone.
        template: A file with a judge's prompt for pairs.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    effort: Effort | None = None
    scores: tuple[str, ...] | None = None
    logprobs: bool | None = None
    max_chars: int | None = None
    timeout: float | None = None
    batch_hours: float | None = None
    template: str | None = None

    def chosen(self) -> dict[str, Any]:
        """The options that are not left open, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSpec:
    """What follows ``llm:`` in a spec.

    Attributes:
        model: The model's name, with its provider where that is not OpenAI.
        url: The address of its endpoint; None for the provider's own.
        options: With what it is asked.
    """

    model: str
    url: str | None = None
    options: ModelOptions = ModelOptions()


def _scores(text: str) -> tuple[str, ...]:
    if text in {"yes", "no"}:
        return CRITERIA if text == "yes" else ()
    names = tuple(text.split(","))
    unknown = next((name for name in names if name not in CRITERIA), None)
    if unknown is not None:
        raise ValueError(
            f"yes, no, or some of {','.join(CRITERIA)}{did_you_mean(unknown, ('yes', 'no', *CRITERIA)) or '.'}"
        )
    return names


def _file(text: str) -> str:
    if not text.strip():
        raise ValueError("the path of a file")
    return text


OPTIONS = (
    Option(
        name="max_tokens",
        form="4000",
        help="the longest answer in tokens, reasoning included, 64 or more; 512 for judges and 1024 for advocates "
        "where not given, and raised by itself where a model does not finish",
        read=whole(64),
    ),
    Option(
        name="temperature",
        form="0",
        help="sampling temperature, 0 to 2; 0 where not given, and left out where a model refuses it",
        read=number("a number from 0 to 2", 0.0, 2.0),
    ),
    Option(
        name="effort",
        form="low",
        help="how hard a reasoning model thinks: none, minimal, low, medium, high or xhigh; its own default where "
        "not given",
        read=choice(*get_args(Effort)),
    ),
    Option(
        name="scores",
        form="yes",
        help=f"score both texts of a pair: yes for {', '.join(CRITERIA)}, or some of these with commas, or no; "
        "where not given, the criteria of the tournament's rubric, if it has one",
        read=_scores,
    ),
    Option(
        name="logprobs",
        form="yes",
        help="ask for log-probabilities, with the verdict before the reasons; yes where not given, and no by itself "
        "where they cannot be had",
        read=flag,
    ),
    Option(
        name="max_chars",
        form="20000",
        help="characters of a text that are shown, 20000 where not given; the model is told what was left out",
        read=whole(1),
    ),
    Option(
        name="timeout",
        form=f"{REQUEST_TIMEOUT:g}",
        help=f"seconds that one request may take, {REQUEST_TIMEOUT:g} where not given; --timeout limits the whole call",
        read=number("a number of seconds, more than 0 and at most 86400", 1e-3, 86_400.0),
    ),
    Option(
        name="batch_hours",
        form="24",
        help="send questions together through the provider's batch interface, at about half the price, and wait this "
        "many hours for a batch; each is sent alone where not given",
        read=number("a number of hours, more than 0 and at most 168", 1e-6, 168.0),
    ),
    Option(
        name="template",
        form="prompt.jinja",
        help="a file with a prompt for pairs, in place of paragone's own; reasons come before the verdict",
        read=_file,
    ),
)
"""The options of ``llm:`` specs."""
JUDGE = tuple(option.name for option in OPTIONS)
ADVOCATE = tuple(name for name in JUDGE if name not in {"scores", "logprobs", "batch_hours", "template"})
WRITER = tuple(name for name in ADVOCATE if name != "max_chars")
"""Who has which of them: a judge, an advocate, and a model that puts findings into words."""

_STRAY_OPTION = re.compile(r"[?&;,\s]\s*(\w+)\s*=")


def read_model_spec(argument: str, allowed: Collection[str] = JUDGE) -> ModelSpec:
    """The model, its options and its address.

    Args:
        argument: ``MODEL``, ``PROVIDER:MODEL``, ``MODEL@URL``, ``MODEL?name=value&name=value@URL``.
        allowed: Names of the options that it may have.

    Raises:
        UnknownJudge: If no model is named, what follows the ``@`` is no address, or an option is unknown or has a value
            that cannot be.
    """
    name_and_query, url = _split_address(argument)
    model, mark, query = name_and_query.partition("?")
    stray = _STRAY_OPTION.search(model)
    if not model or stray is not None:
        raise UnknownJudge(
            f"llm:{argument} names no model: write llm:MODEL?name=value&name=value, and @URL after that where it is "
            "not the provider's own"
        )
    _check_address(argument, url)
    options = [option for option in OPTIONS if option.name in allowed]
    values = read_options(f"llm:{argument}", query, options) if mark else {}
    return ModelSpec(model=model, url=url, options=ModelOptions(**values))


def _split_address(argument: str) -> tuple[str, str | None]:
    endpoint = re.fullmatch(r"(?P<model>.*?)@(?P<url>https?://\S+)", argument)
    if endpoint is None and re.search(r"@[^@]*[:/]", argument):
        raise UnknownJudge(f"in llm:{argument} the address after '@' must begin with http:// or https://")
    return (argument, None) if endpoint is None else (endpoint["model"], endpoint["url"])


def _check_address(argument: str, url: str | None) -> None:
    """Options after the address would be a part of it."""
    query = "" if url is None else url.partition("?")[2]
    names = {part.partition("=")[0] for part in query.split("&")}
    misplaced = sorted(names & {option.name for option in OPTIONS})
    if misplaced:
        raise UnknownJudge(
            f"in llm:{argument} the option {misplaced[0]} is a part of the address: options stand before it, as in "
            f"llm:MODEL?{misplaced[0]}=...@URL"
        )
