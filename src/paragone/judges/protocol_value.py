"""Measure what direct comparisons, panel debates and debates in turns are worth, on pairs whose better one is known."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paragone.domain import Choice, Item, Question, Verdict
from paragone.errors import InvalidConfig
from paragone.intake import read_votes
from paragone.judges.base import Judge
from paragone.judges.debates.debate import Advocate, MemoryTurns
from paragone.judges.stack import stacked
from paragone.judges.wrappers import MemoryVerdicts
from paragone.wire.protocol_value import ProtocolValue

PROTOCOLS = ("direct", "panel", "debate")
_Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledPair:
    """Two items and the one that is known to be better.

    Attributes:
        first: The item that is shown first.
        second: The other.
        winner: Id of the better one.
    """

    first: Item
    second: Item
    winner: str

    @property
    def turned(self) -> "LabelledPair":
        """The same, shown in the other order."""
        return replace(self, first=self.second, second=self.first)


def labelled_pairs(items: Sequence[Item], votes: Path) -> tuple[LabelledPair, ...]:
    """The pairs of a file of votes; ties say nothing about which is better, and are left out.

    Args:
        items: The items.
        votes: A file that ``read_votes`` reads.

    Raises:
        InvalidConfig: If it votes on an unknown item.
        UsageError: If it cannot be read.
    """
    known = {item.id: item for item in items}
    pairs = []
    for vote in read_votes(votes):
        missing = next((id for id in (vote.a, vote.b) if id not in known), None)
        if missing is not None:
            raise InvalidConfig(f"{votes} votes on {missing!r}, which is none of the {len(known)} items")
        if vote.score != 0.5:
            winner = vote.a if vote.score > 0.5 else vote.b
            pairs.append(LabelledPair(first=known[vote.a], second=known[vote.b], winner=winner))
    return tuple(pairs)


async def measured(
    judge: Judge,
    pairs: Sequence[LabelledPair],
    *,
    criteria: str,
    advocate: Advocate | None = None,
    turns: int = 3,
    concurrency: int = 8,
) -> tuple[ProtocolValue, ...]:
    """What each protocol that the judge has is worth. Every second pair is shown in the other order.

    Args:
        judge: The judge.
        pairs: The labelled pairs; the same for all protocols.
        criteria: What "better" means.
        advocate: Argues in debates; without one there are none.
        turns: Turns a side of a debate.
        concurrency: Calls in flight.

    Raises:
        InvalidConfig: If there is no pair, or a label names neither item.
    """
    if not pairs:
        raise InvalidConfig("there is no labelled pair to measure a protocol on")
    unknown = next((pair for pair in pairs if pair.winner not in (pair.first.id, pair.second.id)), None)
    if unknown is not None:
        raise InvalidConfig(f"the label {unknown.winner!r} is neither {unknown.first.id!r} nor {unknown.second.id!r}")
    forms: dict[str, dict[str, Any]] = {
        "direct": {},
        **({"panel": {"panel": True}} if judge.card.panel_debates is not None else {}),
        **({"debate": {"turns": turns}} if advocate is not None and judge.card.debates is not None else {}),
    }
    shown = [pair.turned if number % 2 else pair for number, pair in enumerate(pairs)]
    values = []
    for protocol, form in forms.items():
        questions = [
            Question(call=f"{protocol}.{number}", first=pair.first, second=pair.second, criteria=criteria, **form)
            for number, pair in enumerate(shown, start=1)
        ]
        values.append(await _of_protocol(protocol, judge, advocate, shown, questions, concurrency))
    return tuple(_relative_to(values[0], value) for value in values)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tally:
    right: float
    answered: int


async def _of_protocol(
    protocol: str,
    judge: Judge,
    advocate: Advocate | None,
    pairs: Sequence[LabelledPair],
    questions: Sequence[Question],
    concurrency: int,
) -> ProtocolValue:
    turns = MemoryTurns()
    speaker = advocate if protocol == "debate" else None
    asked = stacked(judge, store=MemoryVerdicts(), advocate=speaker, turns=turns, concurrency=concurrency)
    verdicts = await asyncio.gather(*map(asked.compare, questions))
    usages = [verdict.usage for verdict in verdicts]
    usages += [turn.usage for question in questions for turn in turns.of(question.call)]
    # One that fell back to another form says nothing about this one.
    own = [
        verdict.choice.is_evidence and verdict.judge == judge.card.identity_for(question)
        for verdict, question in zip(verdicts, questions, strict=True)
    ]
    tally = _Tally(
        right=sum(_right(v, pair) for v, pair, counts in zip(verdicts, pairs, own, strict=True) if counts),
        answered=sum(own),
    )
    accuracy, low, high = interval(tally.right, tally.answered)
    tokens = sum(usage.input_tokens + usage.output_tokens for usage in usages) / len(questions)
    return ProtocolValue(
        protocol=protocol,
        answered=tally.answered,
        failed=len(questions) - tally.answered,
        accuracy=accuracy,
        low=low,
        high=high,
        requests=sum(usage.calls for usage in usages) / len(questions),
        tokens=tokens,
        sharpness=_log_odds(tally),
        information=_information(tally) / tokens * 1000 if tokens else 0.0,
    )


def _right(verdict: Verdict, pair: LabelledPair) -> float:
    if verdict.choice is Choice.TIE:
        return 0.5
    return float((verdict.choice is Choice.FIRST) == (pair.winner == pair.first.id))


def interval(right: float, answered: int) -> tuple[float, float, float]:
    """A share and its 95 % interval, by Wilson's formula.

    Args:
        right: How many were right; ties count half.
        answered: Of how many.
    """
    if not answered:
        return 0.5, 0.0, 1.0
    share, factor = right / answered, _Z**2 / answered
    center = (share + factor / 2) / (1 + factor)
    reach = math.sqrt(share * (1 - share) * factor + factor**2 / 4) / (1 + factor)
    return share, max(0.0, center - reach), min(1.0, center + reach)


def _log_odds(tally: _Tally) -> float:
    """Log-odds of being right; half an answer is added on either side, so that they are finite."""
    return math.log((tally.right + 0.5) / (tally.answered - tally.right + 0.5))


def _information(tally: _Tally) -> float:
    """What a verdict says about the label, in bits; nothing where it is no better than chance."""
    share = (tally.right + 0.5) / (tally.answered + 1.0)
    return 1.0 + share * math.log2(share) + (1 - share) * math.log2(1 - share) if share > 0.5 else 0.0


def _relative_to(direct: ProtocolValue, value: ProtocolValue) -> ProtocolValue:
    """The value with its sharpness as a multiple of that of direct verdicts."""
    known = value.protocol != "direct" and direct.sharpness is not None and direct.sharpness > 0.0
    ratio = None
    if known and value.sharpness is not None and direct.sharpness is not None:
        ratio = round(max(0.0, value.sharpness) / direct.sharpness, 3)
    return replace(value, sharpness=ratio)
