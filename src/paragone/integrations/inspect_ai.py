"""Inspect: a scorer that compares outputs with their targets, or with another system's outputs, by a judge.

Source: the documentation of Inspect, "Scorers".
"""

from collections.abc import Callable, Mapping

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from paragone.integrations.preference import CRITERIA, preference
from paragone.judges import Judge


@scorer(metrics=[mean(), stderr()])
def preferred(
    judge: str | Judge | Callable[..., object],
    *,
    criteria: str = CRITERIA,
    against: Mapping[str, str] | None = None,
) -> Scorer:
    """Score 1 where the output is better than its reference in both orders, 0 where in neither, else between.

    The mean is the probability that the output wins, ties half.

    Args:
        judge: A judge: a spec, a judge, or a function of two items and the criteria.
        criteria: What makes one better, in words.
        against: Another system's outputs by the ids of samples; the samples' targets where None.
    """

    async def score(state: TaskState, target: Target) -> Score:
        reference = target.text if against is None else against[str(state.sample_id)]
        output = state.output.completion
        compared = await preference(judge, output, reference, criteria=criteria, prompt=state.input_text)
        return Score(value=compared.score, answer=output, explanation=compared.reason)

    return score
