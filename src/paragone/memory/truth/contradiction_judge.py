"""Asks a judge whether two sentences contradict each other, and which is right."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.domain import Choice, Item, Question
from paragone.errors import JudgeFailed
from paragone.judges.base import Judge
from paragone.memory.contradictions import Alarm, Sentence

CONTRADICTED = 0.1
"""R of content that a judge holds to be contradicted and wrong: well below the threshold."""
CONTRADICT = (
    "Which description of the two quoted statements is right? They contradict each other only if they are about the "
    "same thing, at the same time, and cannot both be true. Two options with different values, two examples, or an old "
    "and a new version that are named as such do not contradict each other."
)
RIGHT = "Which of the two statements is right? Judge by what you know and by what they say; a tie if you cannot tell."
_AT_ONCE = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class AlarmVerdict:
    """What a judge said of an alarm.

    Attributes:
        alarm: What it was asked about.
        contradict: Whether the two contradict each other, by both orders of presentation; None if it is unsettled.
        wrong: The side that is wrong; None if they do not contradict each other, or it is unsettled.
        judge: Identity of the judge.
    """

    alarm: Alarm
    contradict: bool | None
    wrong: Sentence | None
    judge: str

    @property
    def right(self) -> Sentence | None:
        """The other side of the one that is wrong."""
        if self.wrong is None:
            return None
        return self.alarm.second if self.wrong is self.alarm.first else self.alarm.first

    @property
    def detail(self) -> Mapping[str, object]:
        """What the truth log keeps of it."""
        wrong, right = self.wrong, self.right
        if wrong is None or right is None:
            return {}
        return {
            "judge": self.judge,
            "says": wrong.text,
            "line": wrong.line,
            "against": right.text,
            "in": f"{right.path}:{right.line}",
            "rule": self.alarm.kind,
        }


def ask_about(judge: Judge, alarms: Sequence[Alarm]) -> list[AlarmVerdict]:
    """The judge's answers on some alarms, in their order; a question without an answer settles nothing."""
    return asyncio.run(_ask(judge, alarms))


async def _ask(judge: Judge, alarms: Sequence[Alarm]) -> list[AlarmVerdict]:
    slots = asyncio.Semaphore(min(judge.card.concurrency or _AT_ONCE, _AT_ONCE))

    async def one(alarm: Alarm) -> AlarmVerdict:
        async with slots:
            return await _outcome(judge, alarm)

    try:
        return list(await asyncio.gather(*map(one, alarms)))
    finally:
        await judge.close()


async def _outcome(judge: Judge, alarm: Alarm) -> AlarmVerdict:
    first, second = alarm.first, alarm.second
    both = f"1. {first.text}\n2. {second.text}"
    names = f"{first.path}:{first.line}", f"{second.path}:{second.line}"
    yes = Item(id=f"{names[0]} contradicts {names[1]}", text=f"These statements contradict each other:\n{both}")
    no = Item(id=f"{names[0]} agrees with {names[1]}", text=f"These statements do not contradict each other:\n{both}")
    identity = judge.card.identity
    winner = await _winner(judge, yes, no, CONTRADICT)
    if winner is not yes:
        return AlarmVerdict(alarm=alarm, contradict=None if winner is None else False, wrong=None, judge=identity)
    sides = [Item(id=name, text=each.text) for name, each in zip(names, (first, second), strict=True)]
    right = await _winner(judge, sides[0], sides[1], RIGHT)
    wrong = None if right is None else second if right is sides[0] else first
    return AlarmVerdict(alarm=alarm, contradict=True, wrong=wrong, judge=identity)


async def _winner(judge: Judge, a: Item, b: Item, criteria: str) -> Item | None:
    """The item that wins in both orders; None for a tie, or if the order decides, or there is no answer."""
    wins = []
    for first, second in ((a, b), (b, a)):
        call = hashlib.sha256("\0".join((first.id, first.text, second.id, second.text)).encode()).hexdigest()
        try:
            verdict = await judge.compare(Question(call=call, first=first, second=second, criteria=criteria))
        except JudgeFailed:
            return None
        wins.append({Choice.FIRST: first, Choice.SECOND: second}.get(verdict.choice))
    return wins[0] if wins[0] is wins[1] else None
