"""Whether an output is better than a reference, by a judge in both orders: what scorers and assertions share."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from inspect import isroutine
from typing import cast

from paragone.domain import Choice, Item, Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges import Judge, MemoryVerdicts, Stack, open_judge
from paragone.judges.function_judge import FunctionJudge

CRITERIA = "which answer is better"


@dataclass(frozen=True, kw_only=True, slots=True)
class Preference:
    """How an output did against a reference.

    Attributes:
        score: 1 if it was better in both orders, 0 if in neither; ties and abstentions count half.
        reason: The verdicts in words, with the judge's reasons.
    """

    score: float
    reason: str


async def preference(
    judge: str | Judge | Callable[..., object],
    output: str,
    reference: str,
    *,
    criteria: str = CRITERIA,
    prompt: str = "",
) -> Preference:
    """Compare an output with a reference, each shown first once, so that a judge's position bias cancels.

    Args:
        judge: A judge: a spec, a judge, or a function of two items and the criteria.
        output: The output.
        reference: What it is compared with.
        criteria: What makes one better, in words.
        prompt: What both answer; it is added to the criteria.

    Raises:
        UsageError: If the judge cannot be opened.
        JudgeFailed: If it gave no answer after its retries.
    """
    if output == reference:
        return Preference(score=0.5, reason="both are the same")
    opened = _opened(judge)
    try:
        stack = Stack(store=MemoryVerdicts()).around(opened)
        question = f"{criteria}\n\nBoth answer this:\n{prompt}" if prompt else criteria
        items = (Item(id="output", text=output), Item(id="reference", text=reference))
        presented = {"output shown first": items, "reference shown first": items[::-1]}
        verdicts = {
            order: await stack.compare(
                Question(call=_call(order, question, *pair), first=pair[0], second=pair[1], criteria=question)
            )
            for order, pair in presented.items()
        }
    finally:
        await opened.close()
    scores = [_score(verdict, at) for at, verdict in enumerate(verdicts.values())]
    reasons = (_words(order, verdict, at) for at, (order, verdict) in enumerate(verdicts.items()))
    return Preference(score=sum(scores) / len(scores), reason="; ".join(reasons))


def _opened(judge: str | Judge | Callable[..., object]) -> Judge:
    if isinstance(judge, str):
        return open_judge(judge)
    return FunctionJudge(judge) if isroutine(judge) else cast("Judge", judge)


def _call(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _score(verdict: Verdict, output_at: int) -> float:
    if verdict.choice is Choice.FAILED:
        raise JudgeFailed(f"the judge gave no answer: {verdict.error}")
    if verdict.choice not in (Choice.FIRST, Choice.SECOND):
        return 0.5
    return float((verdict.choice is Choice.FIRST) == (output_at == 0))


def _words(order: str, verdict: Verdict, output_at: int) -> str:
    outcome = {1.0: "the output is better", 0.0: "the reference is better", 0.5: str(verdict.choice)}
    because = f" ({verdict.rationale})" if verdict.rationale else ""
    return f"{order}: {outcome[_score(verdict, output_at)]}{because}"
