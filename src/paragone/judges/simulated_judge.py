"""A judge with known strengths, for simulations, budgets and tests of faults."""

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from paragone.domain import Choice, MatchProtocol, Question, Spending, Usage, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import DebateCard, JudgeCard, ListCard, fingerprint, uniform
from paragone.judges.debates.token_estimates import verdict_tokens

_LONGEST = 100
_SMALLEST = 2.0**-54
"""Below every number above 0 that is drawn: the logarithm of 0 does not exist."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SimulatedBehavior:
    """How a simulated judge deviates from the truth.

    Attributes:
        bias: Log-odds in favour of the item shown first, in nats.
        ties: Probability of a tie between two equals where there is no bias (Davidson's model); rarer as they differ.
        noise: Strengths are divided by this before they are compared; 0 is a judge that never errs.
        list_noise: How many times noisier it is where it orders a list than where it compares a pair.
        debate_noise: The same where it decides a debate; below 1 debates make it more accurate.
        panel_noise: The same where it holds a debate within its answer.
        failures: Share of calls that bring no answer.
        abstentions: Share of answers that decline to say.
        delay: Seconds that a call takes.
        tokens: Tokens that a call reports; None for about as many as a language model would take, prompt included.
        cost: Money that a call costs, in US dollars.
        sticky: Whether the same two items in the same order always get the same answer; otherwise each call draws anew.
    """

    bias: float = 0.0
    ties: float = 0.0
    noise: float = 1.0
    list_noise: float = 1.0
    debate_noise: float = 1.0
    panel_noise: float = 1.0
    failures: float = 0.0
    abstentions: float = 0.0
    delay: float = 0.0
    tokens: int | None = 0
    cost: float = 0.0
    sticky: bool = True

    def __post_init__(self) -> None:
        for name in ("failures", "abstentions"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InvalidConfig(f"{name} is a share from 0 to 1, not {getattr(self, name)}")
        if not 0.0 <= self.ties < 1.0:
            raise InvalidConfig(f"ties is a share from 0 to below 1, not {self.ties}")
        for name in ("noise", "list_noise", "debate_noise", "panel_noise", "delay", "tokens", "cost"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value < math.inf:
                raise InvalidConfig(f"{name} is a number from 0 up, not {getattr(self, name)}")
        if not math.isfinite(self.bias):
            raise InvalidConfig(f"bias is a finite number, not {self.bias}")


class SimulatedJudge:
    """Knows the strengths of the items, and answers with Bradley-Terry noise, position bias, ties and faults.

    A list is put in order by Plackett-Luce; the bias then favours the first over the last, the others evenly between.
    A debate, in turns or within the answer, is decided like a pair, with a random draw and a noise of its own and
    whatever its turns say.

    Every answer follows from the seed and the question, every fault from the seed, the call and how often it was asked,
    so that the order of calls does not matter and a retry may succeed.
    """

    def __init__(
        self,
        strengths: Mapping[str, float],
        *,
        bias: float = 0.0,
        ties: float = 0.0,
        noise: float = 1.0,
        list_noise: float = 1.0,
        debate_noise: float = 1.0,
        panel_noise: float = 1.0,
        failures: float = 0.0,
        abstentions: float = 0.0,
        delay: float = 0.0,
        tokens: int | None = 0,
        cost: float = 0.0,
        seed: int = 0,
        sticky: bool = True,
    ) -> None:
        """Take the true strengths and how to deviate from them.

        Args:
            strengths: Strength of each item by id, in nats where ``noise`` is 1.
            bias: Log-odds in favour of the first, in nats.
            ties: Probability of a tie between equals.
            noise: Divides the strengths.
            list_noise: Divides them once more where a list is ordered.
            debate_noise: Divides them once more where a debate is decided.
            panel_noise: Divides them once more where a debate is held within the answer.
            failures: Share of failing calls.
            abstentions: Share of abstentions.
            delay: Seconds a call.
            tokens: Tokens a call; None for about as many as a language model would take.
            cost: US dollars a call.
            seed: Decides every draw.
            sticky: Whether a repeated question gets the same answer.

        Raises:
            InvalidConfig: If a parameter is out of its range.
        """
        self._strengths = dict(strengths)
        self._seed = seed
        self._behavior = SimulatedBehavior(
            bias=bias, ties=ties, noise=noise, list_noise=list_noise, debate_noise=debate_noise,
            panel_noise=panel_noise, failures=failures, abstentions=abstentions, delay=delay, tokens=tokens,
            cost=cost, sticky=sticky,
        )  # fmt: skip
        self._asked: Counter[str] = Counter()
        # Faults, delays and prices change no answer, so they are no part of the identity.
        digest = fingerprint(self._strengths, bias, ties, noise, abstentions, sticky, seed)
        lists = ListCard(identity=f"simulated:{digest}/lists:{list_noise:g}", most=_LONGEST)
        debates = DebateCard(identity=f"simulated:{digest}/debates:{debate_noise:g}")
        panels = DebateCard(identity=f"simulated:{digest}/panel debates:{panel_noise:g}")
        self._card = JudgeCard(
            identity=f"simulated:{digest}", reads_ids=True, lists=lists, debates=debates, panel_debates=panels
        )

    @property
    def card(self) -> JudgeCard:
        """Names the strengths, the seed and whatever else changes answers by their fingerprint."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Answer, abstain or fail, after the delay.

        Raises:
            JudgeFailed: If this call fails this time, or an item is unknown.
        """
        behavior = self._behavior
        attempt = self._attempt(question.call) if behavior.failures else 1
        if behavior.delay:
            await asyncio.sleep(behavior.delay)
        if behavior.failures and uniform("failure", self._seed, question.call, attempt) < behavior.failures:
            raise JudgeFailed(f"simulated failure of call {question.call!r}, attempt {attempt}", tokens=(0, 0))
        sent, received = self._tokens(question)
        usage = Usage(calls=1, input_tokens=sent, output_tokens=received, cost=behavior.cost, seconds=behavior.delay)
        judge, order = self.card.identity_for(question), self._order(question) if question.others else ()
        choice = Choice.RANKED if order else Choice.ABSTAIN if question.others else self._choice(question)
        return Verdict(choice=choice, judge=judge, order=order, usage=usage)

    def _attempt(self, call: str) -> int:
        """How often a call has been asked now."""
        self._asked[call] += 1
        return self._asked[call]

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The ids among ``ids`` whose strength it does not know."""
        return tuple(id for id in ids if id not in self._strengths)

    def price(self, question: Question) -> float | None:  # noqa: ARG002  # the same for every question
        """The cost of a call."""
        return self._behavior.cost

    def forecast(self, question: Question) -> Spending:
        """What a call takes."""
        sent, received = self._tokens(question)
        return Spending(requests=1, input_tokens=sent, output_tokens=received, dollars=self._behavior.cost)

    async def close(self) -> None:
        """Nothing to give back."""

    def _order(self, question: Question) -> tuple[int, ...]:
        """Positions by strength plus Gumbel noise, which makes Plackett-Luce; empty for an abstention."""
        behavior, names = self._behavior, self._names(question)
        if uniform("abstention", self._seed, *names) < behavior.abstentions:
            return ()
        scale, step, value = behavior.noise * behavior.list_noise, behavior.bias / (len(question.items) - 1), {}
        for position, item in enumerate(question.items):
            drawn = uniform("place", self._seed, position, *names)
            gumbel = -math.log(-math.log(max(drawn, _SMALLEST)))
            value[position] = self._strength(item.id) + scale * (gumbel - step * position)
        return tuple(sorted(value, key=lambda position: -value[position]))

    def _names(self, question: Question) -> tuple[str, ...]:
        """What an answer depends on."""
        debate = ("debate",) if question.turns else ("panel debate",) if question.panel else ()
        return (*(item.id for item in question.items), *debate, *(() if self._behavior.sticky else (question.call,)))

    def _choice(self, question: Question) -> Choice:
        names = self._names(question)
        if uniform("abstention", self._seed, *names) < self._behavior.abstentions:
            return Choice.ABSTAIN
        lead = self._strength(question.first.id) - self._strength(question.second.id)
        noise = self._behavior.noise * self._protocol_noise(question)
        first, tie = probabilities(lead, bias=self._behavior.bias, ties=self._behavior.ties, noise=noise)
        chance = uniform("answer", self._seed, *names)
        if chance < first:
            return Choice.FIRST
        return Choice.TIE if chance < first + tie else Choice.SECOND

    def _protocol_noise(self, question: Question) -> float:
        behavior = self._behavior
        noises = {MatchProtocol.MULTI_TURN: behavior.debate_noise, MatchProtocol.PANEL: behavior.panel_noise}
        return noises.get(question.protocol, 1.0)

    def _tokens(self, question: Question) -> tuple[int, int]:
        """Tokens that a call takes in and gives out."""
        if self._behavior.tokens is not None:
            return 0, self._behavior.tokens
        return verdict_tokens([len(item.text) for item in question.items], question.turns, panel=question.panel)

    def _strength(self, id: str) -> float:
        if id not in self._strengths:
            raise JudgeFailed(f"the simulated judge knows no item {id!r}", retryable=False)
        return self._strengths[id]


def probabilities(lead: float, *, bias: float, ties: float, noise: float) -> tuple[float, float]:
    """Probability that the first wins and that it is a tie, by Davidson's model.

    ``P(first) : P(tie) : P(second) = exp(x/2) : exp(t) : exp(-x/2)`` with ``x = lead / noise + bias`` and ``t`` such
    that two equals tie with probability ``ties``.

    Args:
        lead: Strength of the first minus strength of the second.
        bias: Log-odds in favour of the first, in nats.
        ties: Probability of a tie between equals without bias, below 1.
        noise: Divides the lead; 0 makes any lead decide.

    Source: R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties", JASA 65 (1970).
    """
    if noise == 0.0 and lead != 0.0:
        return (1.0, 0.0) if lead > 0.0 else (0.0, 0.0)
    x = (lead / noise if lead != 0.0 else 0.0) + bias
    # Divided by the larger of the two, so that a large lead does not overflow.
    smaller = math.exp(-abs(x))
    tie = 2.0 * ties / (1.0 - ties) * math.exp(-abs(x) / 2.0)
    first = 1.0 if x >= 0.0 else smaller
    total = 1.0 + smaller + tie
    return first / total, tie / total
