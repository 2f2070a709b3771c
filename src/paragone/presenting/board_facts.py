"""What a board says beside its rows, in words: certainty, columns, slices, reliability of the judges, cost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from paragone.domain import Board, ColumnReport, Direction, JudgeReport, ListReport, PriorAgreement, SideReport, Slice
from paragone.domain.board import Remark
from paragone.domain.text import counted
from paragone.presenting.terms import AGREEMENT, LOG_ODDS, top_found

if TYPE_CHECKING:
    from paragone.wire.board import SideSummary

_STICKY = 0.2
"""Answers to repeated questions that correlate by more than this are worth a line."""
APART_SHOWN = 5
"""Items of a slice that stand out and are named in words; JSON has them all."""
SLICES_SHOWN = 8
"""Of more slices than this only those in which something stands out are named; JSON has them all."""
NOTHING_APART = "nothing clearly different from the whole"
UNLIKELY = 0.05
"""The effect of a column is left out if the probability that the column counts is lower than this."""
COLUMNS_SHOWN = 3
"""Of more columns in a group, facts name only those whose direction is known; JSON has them all."""
JUDGES_SHOWN = 6
"""For more judges than this, facts only count how many lean which way; JSON has them all."""


def facts(board: Board) -> list[tuple[str, str]]:
    """Facts beside the rows, as names and values: certainty, reliability of the judges, cost."""
    paragraphs = (certainty(board), side_information(board.side), slice_facts(board), reliability(board), cost(board))
    return [line for paragraph in paragraphs for line in paragraph]


def certainty(board: Board) -> list[tuple[str, str]]:
    """How certain the ranking is, and why the run stopped."""
    lines: list[tuple[str, str]] = []
    if board.forecast is not None:
        if board.forecast.signal_in_words:
            lines.append(("signal", board.forecast.signal_in_words))
        if not board.forecast.is_chance:
            lines.append((AGREEMENT.label, f"{board.forecast.tau:.2f}"))
            if board.forecast.top > 1:  # of a top of one, it is the probability below
                lines.append((top_found(board.forecast.top), f"{board.forecast.recall:.0%}"))
            lines.append(("probability that the first is the best", f"{board.forecast.p_best:.0%}"))
    if board.outlook is not None and not board.outlook.is_chance:
        outlook = board.outlook
        share = "of the true top" if outlook.top > 1 else "that the first is the best"
        more = f"an agreement of {outlook.tau:.2f}, {outlook.recall:.0%} {share}"
        lines.append(("as many calls again would bring about", more))
    if board.stopped:
        lines.append(("stopped", board.stopped))
    return lines


def slice_facts(board: Board) -> list[tuple[str, str]]:
    """How much slices differ, and which items stand out in which; empty unless the votes were cut."""
    report = board.slices
    if report is None:
        return []
    spread = f"{report.spread:.0f} points ({report.spread_low:.0f} to {report.spread_high:.0f})"
    lines = [(f"items differ between slices by {report.by} by", spread)]
    slice_lines = [(each, slice_line(report.by, each)) for each in report.slices]
    if len(slice_lines) > SLICES_SHOWN:
        alike = [each for each, _ in slice_lines if not any(row.differs for row in each.rows)]
        slice_lines = [(each, line) for each, line in slice_lines if each not in alike]
        lines.append((f"{len(alike)} of {len(report.slices)} slices", NOTHING_APART))
    return [*lines, *(line for _, line in slice_lines)]


def slice_line(by: str, part: Slice) -> tuple[str, str]:
    """Which items stand out in a slice, under the name of the column that it is of: that of a slice may be a number."""
    apart = sorted((row for row in part.rows if row.differs), key=lambda row: -abs(row.apart))
    words = [f"{row.id} {row.apart:+.0f} ({row.apart_low:+.0f} to {row.apart_high:+.0f})" for row in apart]
    more = f" and {len(words) - APART_SHOWN} more" if len(words) > APART_SHOWN else ""
    name = f"{by} {part.name}, {counted(part.votes, 'vote')}"
    return name, ", ".join(words[:APART_SHOWN]) + more if words else NOTHING_APART


def side_information(side: "SideReport | SideSummary | None") -> list[tuple[str, str]]:
    """What columns say about the ratings, and in which direction; empty where there are none."""
    if side is None:
        return []
    groups: dict[tuple[str, bool], list[ColumnReport]] = {}
    for report in side.columns:
        groups.setdefault((report.group, report.counts), []).append(report)
    lines = [line for members in groups.values() for line in _group(members)]
    lines.append((f"agreement of the orders with and without the columns ({AGREEMENT.exact})", f"{side.tau:.2f}"))
    return [*lines, *_carried(side.columns)]


def _group(members: Sequence[ColumnReport]) -> list[tuple[str, str]]:
    """The columns of a group; of many, those whose direction is known."""
    first = members[0]
    listed = [each for each in members if each.is_clear] if len(members) > COLUMNS_SHOWN else members
    if first.counts:
        counted = f"counts with probability {first.probability:.0%}"
        if first.contradicted:
            return [(f"column {first.column}", "left out: the best by the answers are behind the others in it")]
        if first.probability < UNLIKELY:
            return [(f"column {first.group}", f"does not count (probability {first.probability:.0%})")]
        if len(members) == 1:
            return [(f"column {first.column}", f"{_effect(first)}; {counted}")]
        each = [(f"column {report.column}", _effect(report)) for report in listed]
        return [(f"columns of {first.group}", counted), *each]
    return [(f"taken out: {report.column}", f"the judge's {_effect(report)}") for report in listed]


def _effect(report: ColumnReport) -> str:
    return f"{report.points:+.0f} points for {report.unit} ({report.low:+.0f} to {report.high:+.0f})"


def _carried(reports: Sequence[ColumnReport]) -> list[tuple[str, str]]:
    """A warning where a trait of the texts carries the judge."""
    names = [
        report.column.removeprefix("log ") for report in reports if report.trait and report.counts and report.is_clear
    ]
    if not names:
        return []
    remedy = f"if {'it' if len(names) == 1 else 'they'} must not count, use --adjust-for {','.join(names)}"
    return [("a trait of the text goes with the judge's answers", f"{', '.join(names)}; {remedy}")]


def reliability(board: Board) -> list[tuple[str, str]]:
    """How reliable the answers are: position bias, sharpness, repeats, lists."""
    return [
        *cautions(board.remarks, board.direction, board.prior),
        *_inverted(board),
        *_positions(board.judges),
        *_slopes(board.judges),
        *_shared(board.method.get("repeats")),
        *((f"lists of {report.size} by {report.judge}", _list_noise(report)) for report in board.lists),
        *(
            (f"places in lists of {report.size} by {report.judge}", _places(report))
            for report in board.lists
            if report.places
        ),
        *([] if board.list_choice is None else [("items in a call", board.list_choice.words)]),
    ]


def cost(board: Board) -> list[tuple[str, str]]:
    """What the run cost, and abstentions."""
    lines = list(board.spending.facts().items()) if board.tournament else []
    if board.abstentions:
        lines.append(("abstentions", f"{board.abstentions}"))
    return lines


_REMARKS = {"groups": "separate groups", "skewed": "strengths", "extremes": "strengths"}


def cautions(
    remarks: Sequence[Remark], direction: Direction | None, prior: PriorAgreement | None
) -> list[tuple[str, str]]:
    """What bears on how to read a board: what is unusual, the prior, and whether its mirror image is ruled out."""
    lines = [(_REMARKS.get(remark.kind, remark.kind), remark.text) for remark in remarks]
    if prior is not None:
        lines.append(("the prior's ratings", prior.in_words))
    if direction is not None:
        lines.append(("direction", direction.in_words))
        if direction.accuracy is not None:
            lines.append(("expected accuracy on the other pairs", f"{direction.accuracy:.0%}"))
    return lines


def _inverted(board: Board) -> list[tuple[str, str]]:
    """Which judges are turned round."""
    judges = [report.judge for report in board.judges if report.direction == "inverted"]
    if board.direction is None or not judges:
        return []
    verb = "against the panel" if board.direction.panel else "turned round"
    more = f" and {len(judges) - JUDGES_SHOWN} more" if len(judges) > JUDGES_SHOWN else ""
    return [(verb, ", ".join(judges[:JUDGES_SHOWN]) + more)]


def _slopes(judges: Sequence[JudgeReport]) -> list[tuple[str, str]]:
    slopes_by_judge = [(r.judge, r.slope, r.slope_low, r.slope_high) for r in judges if r.slope is not None]
    if len(slopes_by_judge) > JUDGES_SHOWN:
        slopes = sorted(slope for _, slope, _, _ in slopes_by_judge)
        return [(f"sharpness of {len(slopes_by_judge)} judges", f"{slopes[0]:.2f} to {slopes[-1]:.2f}")]
    return [
        (f"sharpness of {judge}", f"{slope:.2f} ({low:.2f} to {high:.2f})")
        for judge, slope, low, high in slopes_by_judge
    ]


def _shared(repeats: Mapping[str, float] | None) -> list[tuple[str, str]]:
    """What answers to the same pair have in common, if it is more than chance."""
    facts_found: list[tuple[str, str]] = []
    if repeats is None:
        return facts_found
    effect, error = repeats["pair_effect"], repeats["pair_effect_se"]
    if effect > 2 * error:
        facts_found.append(
            ("pair by pair, beside the strengths", f"{effect:.1f} ± {error:.1f} {LOG_ODDS}; intervals allow for it")
        )
    if repeats["stickiness"] > _STICKY:
        facts_found.append(
            ("answers to a repeated question", f"correlate by {repeats['stickiness']:.2f}; they count for less")
        )
    return facts_found


def _list_noise(report: ListReport) -> str:
    if report.noise is None or report.noise_low is None or report.noise_high is None:
        return f"{report.lists}"
    interval = f"{report.noise_low:.1f} to {report.noise_high:.1f}"
    return f"{report.lists}, {report.noise:.1f} times as noisy as a pair ({interval})"


def _places(report: ListReport) -> str:
    """What the first and the last place are worth, and any other that is worth more."""
    error = report.place_error or 0.0
    if max(map(abs, report.places)) < 2 * error:
        return f"none favoured (within {2 * error:.1f} {LOG_ODDS})"
    ends = f"first {report.places[0]:+.2f}, last {report.places[-1]:+.2f} {LOG_ODDS}"
    return f"{ends}, ± {error:.2f}; taken out"


def _positions(judges: Sequence[JudgeReport]) -> list[tuple[str, str]]:
    """A line for each judge, or the number of judges that lean each way where there are many.

    Where only slopes or directions of judges are known, which item was shown first was not recorded.
    """
    reports = [r for r in judges if r.position_bias is not None or (r.slope is None and r.direction is None)]
    leanings = [(r.judge, _position(r.position_bias, r.position_low, r.position_high)) for r in reports]
    if len(reports) <= JUDGES_SHOWN:
        return [(f"position bias of {judge}", leaning) for judge, leaning in leanings]
    counts = Counter(leaning.split(" (")[0] for _, leaning in leanings)
    return [(f"position bias of {len(reports)} judges", ", ".join(f"{kind}: {n}" for kind, n in counts.most_common()))]


def _position(estimate: float | None, low: float | None, high: float | None) -> str:
    """Which side a judge leans to; to none if the interval of the estimate holds 0."""
    if estimate is None or low is None or high is None:
        return "cannot be estimated"
    if low <= 0.0 <= high:
        return f"none found ({estimate:+.2f} {LOG_ODDS}, {low:+.2f} to {high:+.2f})"
    side = "first" if estimate > 0 else "second"
    return f"towards the {side} shown ({estimate:+.2f} {LOG_ODDS}, {low:+.2f} to {high:+.2f})"
