"""How good a judge is, from its answers on pairs whose better item is known."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paragone.analysis.quality.forecast_quality import wilson
from paragone.domain import Choice, Item, Verdict
from paragone.wire.judge_trial import ShareEstimate, TrialFigures

LEVEL = 0.95


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledPair:
    """Two items and which of them is better.

    Attributes:
        a: One item.
        b: The other.
        a_is_better: Whether it is the first of these.
    """

    a: Item
    b: Item
    a_is_better: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialAnswer:
    """A judge's answer in a trial.

    Attributes:
        pair: Number of the pair, from 0.
        a_first: Whether ``a`` was shown first.
        repeat: Which time this question was asked, from 0.
        verdict: The answer, or a failure.
    """

    pair: int
    a_first: bool
    repeat: int
    verdict: Verdict

    @property
    def chose_a(self) -> float | None:
        """1 if it chose ``a``, 0 for ``b``, 0.5 for a tie; None where it said nothing."""
        if self.verdict.choice is Choice.TIE:
            return 0.5
        if self.verdict.choice not in (Choice.FIRST, Choice.SECOND):
            return None
        return float((self.verdict.choice is Choice.FIRST) == self.a_first)


def trial_figures(pairs: Sequence[LabelledPair], answers: Iterable[TrialAnswer]) -> TrialFigures:
    """The figures of a judge's answers.

    All but ``repeats`` rest on the first time that a question was asked.

    Args:
        pairs: The pairs.
        answers: The answers to them.
    """
    every = list(answers)
    first_answers = [(each, each.chose_a) for each in every if each.repeat == 0]
    scored = [(each, score) for each, score in first_answers if score is not None]
    decided = [(each, score) for each, score in scored if score != 0.5]
    uneven = [(score == 1.0) == (_lead(pairs[each.pair]) > 0) for each, score in decided if _lead(pairs[each.pair])]
    errors = [each.verdict.error for each in every if not each.verdict.choice.is_answer]
    pair_ids = {each.pair for each, _ in first_answers}
    return TrialFigures(
        agreement=_estimate(_agreements(pairs, scored)),
        first=_estimate([float((score == 1.0) == each.a_first) for each, score in decided]),
        longer=_estimate(list(map(float, uneven))),
        longer_labels=_longer_labels([pairs[number] for number in sorted(pair_ids)]),
        ties=_estimate([float(score == 0.5) for _, score in scored]),
        orders=_estimate(_same(_grouped((each.pair, score) for each, score in scored))),
        repeats=_estimate(_same(_grouped(((each.pair, each.a_first), each.chose_a) for each in every))),
        abstained=sum(each.verdict.choice is Choice.ABSTAIN for each, _ in first_answers),
        failed=len(errors),
        reasons=dict(Counter(errors).most_common()),
    )


def relative_sharpness(agreement: ShareEstimate, direct: ShareEstimate) -> float | None:
    """How many times sharper verdicts are than direct ones; None where the direct ones are no better than chance."""
    reference = _log_odds(direct)
    return round(max(0.0, _log_odds(agreement)) / reference, 3) if reference > 0.0 else None


def information(agreement: ShareEstimate) -> float:
    """What a verdict says about the label, in bits; nothing where it is no better than chance."""
    share = (_right(agreement) + 0.5) / (agreement.count + 1.0)
    return 1.0 + share * math.log2(share) + (1 - share) * math.log2(1 - share) if share > 0.5 else 0.0


def _log_odds(agreement: ShareEstimate) -> float:
    """Log-odds of being right; half an answer is added on either side, so that they are finite."""
    right = _right(agreement)
    return math.log((right + 0.5) / (agreement.count - right + 0.5))


def _right(agreement: ShareEstimate) -> float:
    return (agreement.share or 0.0) * agreement.count


def _estimate(scores: Sequence[float]) -> ShareEstimate:
    """The mean of scores from 0 to 1, with Wilson's interval, in which a half counts as one."""
    if not scores:
        return ShareEstimate(share=None, low=0.0, high=1.0, count=0)
    share = sum(scores) / len(scores)
    low, high = wilson(share, len(scores), LEVEL)
    return ShareEstimate(share=share, low=low, high=high, count=len(scores))


def _agreements(pairs: Sequence[LabelledPair], decided: Iterable[tuple[TrialAnswer, float]]) -> list[float]:
    """For each pair, how far the answers agree with its label."""
    scores = _grouped((each.pair, score if pairs[each.pair].a_is_better else 1.0 - score) for each, score in decided)
    return [sum(own) / len(own) for own in scores.values()]


def _grouped(rows: Iterable[tuple[object, float | None]]) -> Mapping[object, list[float]]:
    groups: defaultdict[object, list[float]] = defaultdict(list)
    for key, score in rows:
        if score is not None:
            groups[key].append(score)
    return groups


def _same(groups: Mapping[object, Sequence[float]]) -> list[float]:
    """For each group of several, whether all of it is the same."""
    return [float(len(set(scores)) == 1) for scores in groups.values() if len(scores) > 1]


def _longer_labels(pairs: Sequence[LabelledPair]) -> float | None:
    uneven = [pair for pair in pairs if _lead(pair)]
    if not uneven:
        return None
    return sum((_lead(pair) > 0) == pair.a_is_better for pair in uneven) / len(uneven)


def _lead(pair: LabelledPair) -> int:
    """By how many characters the text of ``a`` is longer."""
    return len(pair.a.text) - len(pair.b.text)
