"""What the answers say about the judges who gave them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from paragone.domain import Choice, Comparison, JudgeReport

Interval = tuple[float, float, float]
"""An estimate with the lower and upper end of its interval."""


def judge_reports(comparisons: Iterable[Comparison], positions: Mapping[str, Interval]) -> tuple[JudgeReport, ...]:
    """Report on each judge, the one with the most evidence first.

    Args:
        comparisons: Answered comparisons.
        positions: By judge identity, the position term in nats with its interval, where the fit could tell.
    """
    counts: defaultdict[str, Counter[Choice]] = defaultdict(Counter)
    for comparison in comparisons:
        if comparison.verdict.choice.is_evidence:
            counts[comparison.verdict.judge][comparison.verdict.choice] += 1
    reports = [_report(judge, tally, positions.get(judge)) for judge, tally in counts.items()]
    return tuple(sorted(reports, key=lambda report: (-report.comparisons, report.judge)))


def _report(judge: str, tally: Counter[Choice], position: Interval | None) -> JudgeReport:
    total = tally.total()
    decided = tally[Choice.FIRST] + tally[Choice.SECOND]
    estimate, low, high = position or (None, None, None)
    return JudgeReport(
        judge=judge,
        comparisons=total,
        first_share=tally[Choice.FIRST] / decided if decided else None,
        tie_rate=tally[Choice.TIE] / total,
        position_bias=estimate,
        position_low=low,
        position_high=high,
    )
