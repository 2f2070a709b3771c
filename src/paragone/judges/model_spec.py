"""A model in a spec: its name, the options with which it is asked, and where it is."""

import re
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, get_args

from paragone.errors import UnknownJudge
from paragone.judges.spec_options import Option, choice, flag, nearest, number, read_options, whole
from paragone.llm import Effort

CRITERIA = ("novelty", "correctness", "testability", "impact", "clarity")
"""The criteria for hypotheses. Source: documents T and R."""


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
    """

    max_tokens: int | None = None
    temperature: float | None = None
    effort: Effort | None = None
    scores: tuple[str, ...] | None = None
    logprobs: bool | None = None
    max_chars: int | None = None
    timeout: float | None = None

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
        raise ValueError(f"yes, no, or some of {','.join(CRITERIA)}{nearest(unknown, ('yes', 'no', *CRITERIA))}")
    return names


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
        help=f"score both texts of a pair: yes for {', '.join(CRITERIA)}, or some of these with commas; no where not "
        "given",
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
        form="120",
        help="seconds that one request may take, 120 where not given; --timeout limits the whole call",
        read=number("a number of seconds, more than 0 and at most 86400", 1e-3, 86_400.0),
    ),
)
"""The options of ``llm:`` specs."""
JUDGE = tuple(option.name for option in OPTIONS)
ADVOCATE = tuple(name for name in JUDGE if name not in {"scores", "logprobs"})
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
    named, url = _split_address(argument)
    model, mark, query = named.partition("?")
    stray = _STRAY_OPTION.search(model)
    if not model or stray is not None:
        raise UnknownJudge(
            f"llm:{argument} names no model: write llm:MODEL?name=value&name=value, and @URL after that where it is "
            "not the provider's own"
        )
    _check_address(argument, url)
    known = [option for option in OPTIONS if option.name in allowed]
    values = read_options(f"llm:{argument}", query, known) if mark else {}
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
