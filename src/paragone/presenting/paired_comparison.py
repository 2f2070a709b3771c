"""A paired comparison in words: the verdict, the estimate, and what it took."""

from collections.abc import Iterator
from typing import Any

from paragone.domain import PairedResult, PairedVerdict
from paragone.domain.text import counted
from paragone.presenting.table import Table
from paragone.presenting.table import facts as fact_table

CLAIMS = {
    "better": (PairedVerdict.BETTER,),
    "not-worse": (PairedVerdict.BETTER, PairedVerdict.SAME),
    "settled": (PairedVerdict.BETTER, PairedVerdict.SAME, PairedVerdict.WORSE),
}
"""What may be asserted of a result, and the verdicts that bear it out."""


def facts(result: PairedResult) -> list[tuple[str, str]]:
    """Everything there is to know of a result, as names and values."""
    lines = [("verdict", result.in_words)]
    if result.look.estimate is not None:
        lines.append((f"{result.design.new} wins", _estimate(result)))
    lines += [("questions", _questions(result)), ("judge calls", _calls(result))]
    if result.by_order:
        lines.append(("decided by the order", f"{counted(result.by_order, 'question')}; each counts as a tie"))
    if result.unanswered:
        lines.append(("without an answer", f"{counted(result.unanswered, 'question')}, left out"))
    lines.append(("errors", _errors(result)))
    if result.tournament:
        lines += [(name, value) for name, value in result.spending.facts().items() if name != "decisions"]
        lines.append(("on record as", result.tournament))
    if result.stopped:
        lines.append(("stopped", result.stopped))
    return lines


def report(result: PairedResult) -> Iterator[str | Table[Any]]:
    """A result for the terminal: the verdict, and below it everything else."""
    (_, verdict), *rest = facts(result)
    yield verdict
    yield ""
    yield fact_table("", "", rest)


def _estimate(result: PairedResult) -> str:
    look = result.look
    record = f"{result.wins}-{result.losses}-{result.ties}"
    level = 1 - result.design.alpha
    return f"{look.estimate:.1%}, ties as half ({look.low:.1%} to {look.high:.1%}, {level:.0%}); W-L-T {record}"


def _questions(result: PairedResult) -> str:
    same = f"; {result.identical} with the same output on both sides" if result.identical else ""
    return f"{result.questions:,} of {result.available:,}{same}"


def _calls(result: PairedResult) -> str:
    if result.fixed_calls is None:
        return f"{result.calls:,}"
    return f"{result.calls:,}; a fixed-sample test with the same errors takes {result.fixed_calls:,}"


def _errors(result: PairedResult) -> str:
    design = result.design
    return (
        f"at most {design.alpha:.1%} to be wrong about better or worse, and {1 - design.power:.1%} about no difference "
        f"larger than {design.margin:g}, whenever one looks"
    )
