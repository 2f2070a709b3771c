"""How good each judge is, and what its answers are worth for what they cost.

Agreement is with the consensus of *the others*: the strengths of a fit without the judge's own answers. Information is
the variance of a judge's score of two equals, times the square of its slope: the inverse variance, per squared nat,
that one call adds to what is known of a difference in strength. A judge that leans towards one place, ties often,
declines or fails tells less a call, and the number says by how much; so judges of any kind and price can be ranked.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from paragone.analysis.quality.forecast_quality import wilson
from paragone.domain import Comparison, JudgeReport


@dataclass(frozen=True, kw_only=True, slots=True)
class Habits:
    """What a fit found of a judge.

    Attributes:
        slope: What it multiplies differences in strength by.
        position: Its log-odds in favour of the item shown first, in nats.
        tie: Its log tie parameter; -inf for one that gives no ties.
        scatter: Variance of its stated probabilities, relative to decisions; 1 for plain decisions.
    """

    slope: float = 1.0
    position: float = 0.0
    tie: float = -math.inf
    scatter: float = 1.0

    @property
    def information(self) -> float:
        """What one answer about two equals tells of the difference in their strengths, per squared nat.

        0.25 for a judge of slope 1 that knows neither ties nor places.
        """
        half, top = self.position / 2, max(abs(self.position) / 2, self.tie)
        first, tie, second = math.exp(half - top), math.exp(self.tie - top), math.exp(-half - top)
        total = first + tie + second
        first, tie, second = first / total, tie / total, second / total
        # The Fisher information of one answer about the difference in strength: the variance of the score times
        # slope^2, less where stated probabilities scatter.
        return self.slope**2 * (first * second + (first + second) * tie / 4) / self.scatter


@dataclass(frozen=True, kw_only=True, slots=True)
class Took:
    """What a judge's calls took, and what came back.

    Attributes:
        answered: Answers that are evidence.
        decided: Of these, those that are no ties.
        abstentions: Answers that declined to say.
        failures: Calls that brought no answer.
        debates: Debates that it decided.
        cost: Money in US dollars, or None where a price is not known.
    """

    answered: int
    decided: int
    abstentions: int = 0
    failures: int = 0
    debates: int = 0
    cost: float | None = None

    @property
    def asked(self) -> int:
        """Comparisons that were put to it."""
        return self.answered + self.abstentions + self.failures


def rated(
    reports: Iterable[JudgeReport],
    took: Mapping[str, Took],
    habits: Mapping[str, Habits],
    agreements: Mapping[str, tuple[float, int]],
) -> tuple[JudgeReport, ...]:
    """Reports with what else is known of each judge, the one that tells most for its price first.

    By information a dollar where the cost of all is known and not 0, else by information a call.

    Args:
        reports: What a fit found, as ``judge_reports`` gives it.
        took: What its calls took.
        habits: What the fit found of its habits.
        agreements: Share of decided answers for the side that the others prefer, and of how many.
    """
    full = [
        _rated(report, took.get(report.judge), habits.get(report.judge), agreements.get(report.judge))
        for report in reports
    ]
    priced = all(report.information_per_dollar is not None for report in full)

    def worth(report: JudgeReport) -> tuple[float, str]:
        value = report.information_per_dollar if priced else report.information
        return -(value or 0.0), report.judge

    return tuple(sorted(full, key=worth))


def agreement(comparisons: Iterable[Comparison], strength: Mapping[str, float]) -> tuple[float, int]:
    """Share of decided answers that prefer the stronger one, and of how many; pairs of equals count for neither.

    Args:
        comparisons: The answers of one judge.
        strength: Of each item, by a fit that did not hear that judge.
    """
    agreed = decided = 0
    for comparison in comparisons:
        score = comparison.score_of(comparison.first)
        lead = strength[comparison.first] - strength[comparison.second]
        if score in (0.0, 1.0) and lead != 0.0:
            decided += 1
            agreed += (score == 1.0) == (lead > 0.0)
    return (agreed / decided if decided else math.nan), decided


def _rated(
    report: JudgeReport,
    took: Took | None,
    habits: Habits | None,
    agreed: tuple[float, int] | None,
) -> JudgeReport:
    if took is not None:
        report = replace(
            report,
            abstentions=took.abstentions,
            failures=took.failures,
            debates=took.debates,
            cost=took.cost,
            cost_per_decided=None if took.cost is None or not took.decided else took.cost / took.decided,
        )
    if agreed is not None and agreed[1]:
        low, high = wilson(*agreed)
        report = replace(report, agreement=agreed[0], agreement_low=low, agreement_high=high)
    if habits is not None and took is not None and took.asked:
        information = habits.information * took.answered / took.asked
        price = None if not took.cost else took.cost / took.asked
        report = replace(
            report, information=information, information_per_dollar=None if price is None else information / price
        )
    return report
