"""What judging took, in four counts: decisions, requests, tokens, dollars. One value, one way to add and to word it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from paragone.domain.outcome import Usage
from paragone.domain.text import counted


@dataclass(frozen=True, kw_only=True, slots=True)
class Spending:
    """What a tournament, a match or a judge took, or what a run is expected to take.

    A request is what was sent to a model and may be charged for: a question, a turn of a debate, a retry, one that
    failed or was cut off. People, functions, programs, recordings and imported votes decide without requests; an answer
    from an earlier verdict is a decision without a request. What is not known is counted beside the sums, never in them
    as 0.

    Attributes:
        decisions: Verdicts that count, abstentions and those from earlier verdicts included. A budget in calls is
            spent in these.
        cached: Decisions taken from earlier verdicts.
        requests: What was sent to models.
        failed: Attempts, with a request or without, that brought no answer.
        turns: Turns of debates.
        input_tokens: Tokens sent, as far as they are known.
        output_tokens: Tokens received, reasoning included, as far as they are known.
        unmetered: Requests whose tokens are not known: cut off, timed out, or answered without a word about them.
        dollars: Money in US dollars as far as it is known; None where none of it is.
        unpriced: Requests whose price is not known.
        seconds: Time that judges and advocates took, all added up.
    """

    decisions: int = 0
    cached: int = 0
    requests: int = 0
    failed: int = 0
    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unmetered: int = 0
    dollars: float | None = None
    unpriced: int = 0
    seconds: float = 0.0

    @classmethod
    def of(cls, usage: Usage, **counts: int) -> "Spending":
        """What one answer, turn or failed attempt took.

        Args:
            usage: Its requests, tokens and money.
            counts: What it is besides: ``decisions=1``, ``turns=1`` or ``failed=1``.
        """
        unknown = usage.calls if usage.cost is None else 0
        return cls(
            requests=usage.calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            unmetered=0 if usage.input_tokens + usage.output_tokens else unknown,
            dollars=usage.cost,
            unpriced=unknown,
            seconds=usage.seconds,
            **counts,
        )

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            decisions=self.decisions + other.decisions,
            cached=self.cached + other.cached,
            requests=self.requests + other.requests,
            failed=self.failed + other.failed,
            turns=self.turns + other.turns,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            unmetered=self.unmetered + other.unmetered,
            dollars=_added(self.dollars, other.dollars),
            unpriced=self.unpriced + other.unpriced,
            seconds=self.seconds + other.seconds,
        )

    def __mul__(self, times: float) -> "Spending":
        """So many times this, in whole requests and tokens: for forecasts."""
        counts = {name: round(times * getattr(self, name)) for name in _COUNTS}
        dollars = None if self.dollars is None else times * self.dollars
        return Spending(**counts, dollars=dollars, seconds=times * self.seconds)

    @property
    def tokens(self) -> int:
        """Tokens sent and received, as far as they are known."""
        return self.input_tokens + self.output_tokens

    @property
    def cost(self) -> float | None:
        """Money in US dollars; None where a part of it is not known."""
        return None if self.unpriced else self.dollars

    @property
    def units(self) -> int:
        """Compute units: a decision that was asked for is one, and so is a turn."""
        return self.decisions - self.cached + self.turns

    def as_dict(self) -> dict[str, Any]:
        """The four counts, and which of them are incomplete, as plain values.

        ``dollars`` is None where a part of it is not known; ``dollars_known`` is the part that is.
        """
        return {
            "decisions": self.decisions,
            "cached": self.cached,
            "requests": self.requests,
            "failed": self.failed,
            "turns": self.turns,
            "units": self.units,
            "tokens": self.tokens,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "unmetered": self.unmetered,
            "dollars": self.cost,
            "dollars_known": self.dollars,
            "unpriced": self.unpriced,
            "seconds": self.seconds,
            "sentence": self.sentence(),
        }

    def facts(self) -> dict[str, str]:
        """The four counts in words, by name: what every page and the terminal shows."""
        return {
            "decisions": _with(f"{self.decisions:,}", self.cached, "from earlier verdicts"),
            "requests": _with(f"{self.requests:,}" if self.requests else "none", self.failed, "failed"),
            "tokens": self._tokens_in_words(),
            "dollars": self._dollars_in_words(),
        }

    def sentence(self) -> str:
        """The four counts in one line, such as ``96 decisions, 794 requests (3 failed), 412,331 tokens, $0.9200``."""
        return f"{_with(counted(self.decisions, 'decision'), self.cached, 'from earlier verdicts')}, {self.resources()}"

    def resources(self) -> str:
        """Requests, tokens and dollars in words, such as ``794 requests (3 failed), 412,331 tokens, $0.9200``."""
        if not self.requests:
            return _with("no requests", self.failed, "failed attempts")
        requests = _with(counted(self.requests, "request"), self.failed, "failed")
        tokens = self._tokens_in_words()
        tokens = f"tokens {tokens}" if tokens == _UNKNOWN else f"{tokens} tokens"
        dollars = self._dollars_in_words()
        return ", ".join([requests, tokens, f"price {dollars}" if dollars == _UNKNOWN else dollars])

    def _tokens_in_words(self) -> str:
        if not self.requests:
            return "none"
        if self.unmetered and not self.tokens:
            return _UNKNOWN
        return f"{'at least ' if self.unmetered else ''}{self.tokens:,}"

    def _dollars_in_words(self) -> str:
        if not self.requests:
            return "none"
        if self.dollars is None or (self.unpriced and not self.dollars):
            return _UNKNOWN
        if self.unpriced:
            return f"at least {money(self.dollars)} ({counted(self.unpriced, 'request')} not priced)"
        return money(self.dollars) if self.dollars else "free of charge"


NOTHING = Spending()


def total(parts: Iterable[Spending]) -> Spending:
    """The sum of some parts."""
    return sum(parts, NOTHING)


def money(dollars: float) -> str:
    """Dollars as a person reads them: tenths of a cent matter where requests are cheap."""
    return f"${dollars:,.2f}" if dollars >= 100 or dollars == 0 else f"${dollars:.4f}"


_UNKNOWN = "not known"
_COUNTS = (
    "decisions", "cached", "requests", "failed", "turns", "input_tokens", "output_tokens", "unmetered", "unpriced",
)  # fmt: skip


def _added(ours: float | None, theirs: float | None) -> float | None:
    return theirs if ours is None else ours if theirs is None else ours + theirs


def _with(words: str, count: int, what: str) -> str:
    return f"{words} ({count:,} {what})" if count else words


@dataclass(frozen=True, kw_only=True, slots=True)
class Expense:
    """What one round took.

    Attributes:
        round: Its number.
        units: Compute units by whom they were for: a tier, or a protocol.
        forecast: Compute units that were forecast; None where nothing was.
        budget: Compute units that it might take; None for no limit.
        money: US dollars; None where the price is not known.
    """

    round: int
    units: Mapping[str, float]
    forecast: float | None = None
    budget: float | None = None
    money: float | None = None

    @property
    def total(self) -> float:
        """Compute units in all."""
        return sum(self.units.values())
