"""An advocate without a model: it argues with the item's own sentences. For simulations, demonstrations and tests."""

import asyncio
import math
import re
from collections import Counter
from dataclasses import replace

from paragone.domain import DebateTurn, Question, Speaker, Spending, Stage, Usage
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import fingerprint, uniform
from paragone.judges.debates.token_estimates import turn_tokens

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class ScriptedAdvocate:
    """Builds every turn from the sentences of the item that it speaks for; the same debate is always the same.

    The opening claims what the text says first; an exchange answers the other side's last claim with the next sentence,
    and goes round when the text ends; the closing comes back to the opening. Each sentence is cited as its own
    evidence. It convinces nobody: it is there so that debates can be held, stored, resumed and looked at without a
    model, and, with delays and failures, so that what can go wrong can be tried.

    Every fault follows from the seed, the turn and how often it was asked, so that a retry may succeed.
    """

    def __init__(
        self, *, delay: float = 0.0, failures: float = 0.0, tokens: int | None = 0, cost: float = 0.0, seed: int = 0
    ) -> None:
        """Take how it fails and what it costs.

        Args:
            delay: Seconds that a turn takes.
            failures: Share of calls that bring no turn.
            tokens: Tokens that a turn reports; None for about as many as a language model would take.
            cost: US dollars that a turn costs.
            seed: Decides the failures.

        Raises:
            InvalidConfig: If a parameter is out of its range.
        """
        if not 0.0 <= failures <= 1.0:
            raise InvalidConfig(f"failures is a share from 0 to 1, not {failures}")
        for name, value in (("delay", delay), ("tokens", tokens or 0), ("cost", cost)):
            if not 0.0 <= value < math.inf:
                raise InvalidConfig(f"{name} is a number from 0 up, not {value}")
        self._delay, self._failures, self._seed = delay, failures, seed
        self._is_metered = tokens is not None
        self._usage = Usage(calls=1, output_tokens=tokens or 0, cost=cost, seconds=delay)
        self._asked: Counter[tuple[str, int]] = Counter()
        self._identity = f"scripted:{fingerprint('sentences', 1)}"

    @property
    def identity(self) -> str:
        """Names the script; faults, delays and prices change nothing that is said."""
        return self._identity

    def prompt_hash(self, stage: Stage) -> None:  # noqa: ARG002  # no stage has one
        """None: there is no prompt."""
        return

    async def argue(
        self, question: Question, speaker: Speaker, stage: Stage, so_far: tuple[DebateTurn, ...]
    ) -> DebateTurn:
        """Speak, or fail, after the delay.

        Raises:
            JudgeFailed: If this call fails this time.
        """
        number = len(so_far) + 1
        self._asked[question.call, number] += 1
        attempt = self._asked[question.call, number]
        if self._delay:
            await asyncio.sleep(self._delay)
        if uniform("turn", self._seed, question.call, number, attempt) < self._failures:
            raise JudgeFailed(
                f"scripted failure of turn {number} of {question.call!r}, attempt {attempt}", tokens=(0, 0)
            )
        item = question.first if speaker is Speaker.FIRST else question.second
        passages = sentences(item.text)
        claim = _claim(passages, stage, len(so_far) // 2)
        answered = _last_claim(so_far) if stage is not Stage.OPENING else ""
        rebuttals = (f"That {_quoted(answered)} does not settle it: {_quoted(claim)}",) if answered else ()
        return DebateTurn(
            call=question.call,
            number=number,
            speaker=speaker,
            stage=stage,
            content=_content(stage, claim, answered),
            claims=(claim,),
            rebuttals=rebuttals,
            evidence=(claim,) if passages else (),
            advocate=self._identity,
            usage=self._usage if self._is_metered else self._modelled(question, len(so_far)),
        )

    def price(self, question: Question) -> float | None:  # noqa: ARG002  # the same for every turn
        """The cost of a turn."""
        return self._usage.cost

    def forecast(self, question: Question) -> Spending:
        """What a turn takes."""
        spoken = len(question.transcript) or question.turns  # before the debate: the mean over its turns
        return Spending.of(self._usage if self._is_metered else self._modelled(question, spoken))

    def _modelled(self, question: Question, spoken: int) -> Usage:
        sent, received = turn_tokens([len(item.text) for item in question.items], spoken)
        return replace(self._usage, input_tokens=sent, output_tokens=received)

    async def close(self) -> None:
        """Nothing to give back."""


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, roughly."""
    return tuple(part for part in _SENTENCE.split(" ".join(text.split())) if part)


def _claim(sentences: tuple[str, ...], stage: Stage, turn: int) -> str:
    if not sentences:
        return "The text is empty."
    return sentences[0] if stage is Stage.CLOSING else sentences[turn % len(sentences)]


def _last_claim(so_far: tuple[DebateTurn, ...]) -> str:
    return so_far[-1].claims[-1] if so_far and so_far[-1].claims else ""


def _quoted(sentence: str) -> str:
    return f"“{sentence.rstrip('.!?')}”"


def _content(stage: Stage, claim: str, answered: str) -> str:
    if stage is Stage.OPENING:
        return f"What this text holds: {claim}"
    if stage is Stage.EXCHANGE:
        return f"Against {_quoted(answered)} stands: {claim}"
    return f"After all that was said, the case rests on this: {claim}"
