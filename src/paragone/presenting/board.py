"""A board: columns of every leaderboard, facts in words, and the board as JSON, CSV or one self-contained HTML page."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from paragone.domain import (
    Board,
    BoardRow,
    BootstrapRow,
    ColumnReport,
    GoldSuggestion,
    JudgeReport,
    ListReport,
    SliceRow,
)
from paragone.domain.board import TableRow
from paragone.domain.text import cut, visible
from paragone.presenting.files import as_csv as records_as_csv
from paragone.presenting.files import as_json as values_as_json
from paragone.presenting.files import require_format, save
from paragone.presenting.table import Column, Table, item, number, numbers, text

if TYPE_CHECKING:
    from paragone.wire.agent import AgentRow

_STICKY = 0.2
_NAME = 12  # characters of a slice or an item at the head of a column
APART_SHOWN = 5
"""Items of a slice that stand out and are named in words; JSON has them all."""
UNLIKELY = 0.05
"""A probability that a column counts below which its effect is not worth a word."""
ACROSS = 8
"""Slices, or opponents, that a terminal shows side by side; a page and JSON have them all."""
COLUMNS_SHOWN = 3
"""Of more columns in a group, facts name only those whose direction is known; JSON has them all."""
JUDGES_SHOWN = 6
"""For more judges than this, facts only count how many lean which way; JSON has them all."""

Ranked: TypeAlias = "BoardRow | AgentRow"
"""A row of a leaderboard: of items, hypotheses or agents. Figures that no fit gives are None."""

RANK: Column[Ranked] = number("rank", lambda row: row.rank, "")
BETWEEN: Column[Ranked] = numbers(
    "between", lambda row: span(row.rank_low, row.rank_high, "d", "-"), lambda row: row.rank_low
)
ELO: Column[Ranked] = number("Elo", lambda row: row.elo, ".0f")


def interval(level: float) -> Column[Ranked]:
    """The interval of the strength, sorted by its width."""
    return numbers(f"{level:.0%} interval", lambda row: span(row.low, row.high), lambda row: width(row.low, row.high))


def record(draws: str = "T") -> Column[Ranked]:
    """Wins, losses and ties, sorted by the share of wins."""
    return numbers(
        f"W-L-{draws}",
        lambda row: f"{row.wins}-{row.losses}-{row.ties}",
        lambda row: row.wins / max(1, row.wins + row.losses + row.ties),
    )


def span(low: float | None, high: float | None, form: str = ".0f", between: str = " to ") -> str:
    """An interval in words; empty where there is none."""
    return "" if low is None or high is None else f"{low:{form}}{between}{high:{form}}"


def width(low: float | None, high: float | None) -> float | None:
    """How wide an interval is; None where there is none."""
    return None if low is None or high is None else high - low


def ranked_items(board: Board, *, elo: bool | None = None) -> Table[BoardRow]:
    """The items, best first; those that share a rank are marked with '='.

    Args:
        board: The board.
        elo: Whether to show the running Elo; by default where it is informative.
    """
    ranks = Counter(row.rank for row in board.items)
    columns: tuple[Column[BoardRow], ...] = (
        numbers("rank", lambda row: f"{row.rank}{'=' if ranks[row.rank] > 1 else ''}", lambda row: row.rank),
        BETWEEN,
        number("rating", lambda row: row.rating, ".0f"),
        interval(board.level),
        *([ELO] if (board.is_elo_telling if elo is None else elo) else ()),
        record(),
        *_without(board),
        item("item", lambda row: (row.id, row.text)),
    )
    return Table(columns=columns, rows=board.items)


def _without(board: Board) -> tuple[Column[BoardRow], ...]:
    """Rank and rating by answers alone, where columns have a part in the board."""
    if board.side is None:
        return ()
    plain = {row.id: row for row in board.side.without}
    return (
        number("rank without", lambda row: plain[row.id].rank),
        number("rating without", lambda row: plain[row.id].rating, ".0f"),
    )


def wins(board: Board) -> Table[TableRow]:
    """The items by wins, as in a Swiss tournament."""
    columns: tuple[Column[TableRow], ...] = (
        number("rank", lambda row: row.rank),
        number("wins", lambda row: row.wins),
        number("losses", lambda row: row.losses),
        text("item", lambda row: row.id),
    )
    return Table(columns=columns, rows=board.table)


def bootstrapped(board: Board) -> Table[BootstrapRow]:
    """Bootstrap intervals beside those of the posterior, in the order of the board; no rows unless they were made."""
    row_of = {row.id: row for row in board.items}
    columns: tuple[Column[BootstrapRow], ...] = (
        numbers("between", lambda row: span(row.rank_low, row.rank_high, "d", "-"), lambda row: row.rank_low),
        numbers(f"{board.level:.0%} interval", lambda row: span(row.low, row.high), lambda row: row.low),
        numbers("posterior", lambda row: span(row_of[row.id].low, row_of[row.id].high), lambda row: row_of[row.id].low),
        item("item", lambda row: (row.id, row_of[row.id].text)),
    )
    return Table(columns=columns, rows=() if board.bootstrap is None else board.bootstrap.items)


def sliced(board: Board, most: int | None = None) -> Table[BoardRow]:
    """Ranks by slice beside those of the whole; no rows unless the votes were cut, into at most so many slices."""
    report = board.slices
    if report is None or len(report.slices) > (most or len(report.slices)):
        return Table(columns=(), rows=())
    places = [(each.name, {row.id: row for row in each.rows}) for each in report.slices]
    columns: tuple[Column[BoardRow], ...] = (
        number("rank", lambda row: row.rank),
        *(
            numbers(cut(visible(name), _NAME), partial(_place, rows), lambda row, rows=rows: rows[row.id].rank)  # type: ignore[misc]
            for name, rows in places
        ),
        item("item", lambda row: (row.id, row.text)),
    )
    return Table(columns=columns, rows=board.items)


def _place(rows: Mapping[str, SliceRow], row: BoardRow) -> str:
    """Rank in a slice with its interval; + or - where the item is clearly better or worse there than elsewhere."""
    own = rows[row.id]
    mark = "" if not own.differs else " +" if own.apart > 0 else " -"
    return f"{own.rank} ({own.rank_low}-{own.rank_high}){mark}"


def slice_facts(board: Board) -> list[tuple[str, str]]:
    """How much slices differ, and which items stand out in which; empty unless the votes were cut."""
    report = board.slices
    if report is None:
        return []
    spread = f"{report.spread:.0f} points ({report.spread_low:.0f} to {report.spread_high:.0f})"
    lines = [(f"items differ between slices by {report.by} by", spread)]
    for each in report.slices:
        apart = sorted((row for row in each.rows if row.differs), key=lambda row: -abs(row.apart))
        words = [f"{row.id} {row.apart:+.0f} ({row.apart_low:+.0f} to {row.apart_high:+.0f})" for row in apart]
        more = f" and {len(words) - APART_SHOWN} more" if len(words) > APART_SHOWN else ""
        told = ", ".join(words[:APART_SHOWN]) + more if words else "nothing clearly different from the whole"
        lines.append((f"{each.name}, {each.votes:,} votes", told))
    return lines


def rates(board: Board, most: int | None = None) -> Table[tuple[str, Sequence[float | None]]]:
    """How often the row's item beat the column's, of the best so many; no rows unless that was asked for."""
    table = board.win_rates
    if table is None:
        return Table(columns=(), rows=())
    columns: list[Column[tuple[str, Sequence[float | None]]]] = [text("item", lambda row: row[0])]
    for at, id in enumerate(table.ids[:most]):
        columns.append(numbers(cut(visible(id), _NAME), partial(_rate, at), lambda row, at=at: row[1][at]))  # type: ignore[misc]
    return Table(columns=columns, rows=list(zip(table.ids, table.rates, strict=True))[:most], sortable=False)


def _rate(at: int, row: tuple[str, Sequence[float | None]]) -> str:
    share = row[1][at]
    return "" if share is None else f"{share:.0%}"


def facts(board: Board) -> list[tuple[str, str]]:
    """Facts beside the rows, as names and values: certainty, reliability of the judges, cost."""
    return [*certainty(board), *side_information(board), *slice_facts(board), *reliability(board), *cost(board)]


def certainty(board: Board) -> list[tuple[str, str]]:
    """How certain the ranking is, and why the run stopped."""
    lines: list[tuple[str, str]] = []
    if board.forecast is not None:
        if board.forecast.signal_in_words:
            lines.append(("signal", board.forecast.signal_in_words))
        if not board.forecast.is_chance:
            lines.append(("expected tau with the true order", f"{board.forecast.tau:.2f}"))
            lines.append((f"expected recall of the true top {board.forecast.top}", f"{board.forecast.recall:.0%}"))
            lines.append(("probability that the first is the best", f"{board.forecast.p_best:.0%}"))
    if board.outlook is not None and not board.outlook.is_chance:
        outlook = board.outlook
        lines.append(("as many calls again would bring about", f"tau {outlook.tau:.2f}, recall {outlook.recall:.0%}"))
    if board.stopped:
        lines.append(("stopped", board.stopped))
    return lines


def side_information(board: Board) -> list[tuple[str, str]]:
    """What columns say about the ratings, and in which direction; empty where there are none."""
    if board.side is None:
        return []
    groups: dict[tuple[str, bool], list[ColumnReport]] = {}
    for report in board.side.columns:
        groups.setdefault((report.group, report.counts), []).append(report)
    lines = [line for members in groups.values() for line in _group(members)]
    lines.append(("order with and without the columns", f"tau {board.side.tau:.2f}"))
    return [*lines, *_carried(board.side.columns)]


def _group(members: Sequence[ColumnReport]) -> list[tuple[str, str]]:
    """The columns of a group; of many, those whose direction is known."""
    first = members[0]
    told = [each for each in members if each.is_clear] if len(members) > COLUMNS_SHOWN else members
    if first.counts:
        counted = f"counts with probability {first.probability:.0%}"
        if first.probability < UNLIKELY:
            return [(f"column {first.group}", f"does not count (probability {first.probability:.0%})")]
        if len(members) == 1:
            return [(f"column {first.column}", f"{_effect(first)}; {counted}")]
        each = [(f"column {report.column}", _effect(report)) for report in told]
        return [(f"columns of {first.group}", counted), *each]
    return [(f"taken out: {report.column}", f"the judge's {_effect(report)}") for report in told]


def _effect(report: ColumnReport) -> str:
    return f"{report.points:+.0f} points for one standard deviation ({report.low:+.0f} to {report.high:+.0f})"


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
        *((_REMARKS.get(remark.kind, remark.kind), remark.text) for remark in board.remarks),
        *_directions(board),
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


def _directions(board: Board) -> list[tuple[str, str]]:
    """Whether the board can be told from its mirror image, and which judges are turned round."""
    lines = [] if board.prior is None else [("the prior's ratings", board.prior.in_words)]
    if board.direction is None:
        return lines
    lines.append(("direction", board.direction.in_words))
    if board.direction.accuracy is not None:
        lines.append(("expected accuracy on the other pairs", f"{board.direction.accuracy:.0%}"))
    inverted = [report.judge for report in board.judges if report.direction == "inverted"]
    if inverted:
        verb = "against the panel" if board.direction.panel else "turned round"
        more = f" and {len(inverted) - JUDGES_SHOWN} more" if len(inverted) > JUDGES_SHOWN else ""
        lines.append((verb, ", ".join(inverted[:JUDGES_SHOWN]) + more))
    return lines


def suggestions(board: Board) -> Table[GoldSuggestion]:
    """The pairs that a person should decide, the most telling first."""
    columns: tuple[Column[GoldSuggestion], ...] = (
        number("P(a)", lambda pair: pair.probability, ".2f"),
        text("a", lambda pair: pair.a),
        text("b", lambda pair: pair.b),
    )
    return Table(columns=columns, rows=board.suggestions)


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
            ("pair by pair, beside the strengths", f"{effect:.1f} ± {error:.1f} nats; intervals allow for it")
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
        return f"none favoured (within {2 * error:.1f} nats)"
    ends = f"first {report.places[0]:+.2f}, last {report.places[-1]:+.2f} nats"
    return f"{ends}, ± {error:.2f}; taken out"


def _positions(judges: Sequence[JudgeReport]) -> list[tuple[str, str]]:
    reports = [
        r for r in judges if r.position_bias is not None or (r.slope is None and r.direction is None)
    ]  # slopes alone: no orders were recorded
    leanings = [(r.judge, _position(r.position_bias, r.position_low, r.position_high)) for r in reports]
    if len(reports) <= JUDGES_SHOWN:
        return [(f"position bias of {judge}", leaning) for judge, leaning in leanings]
    counts = Counter(leaning.split(" (")[0] for _, leaning in leanings)
    return [(f"position bias of {len(reports)} judges", ", ".join(f"{kind}: {n}" for kind, n in counts.most_common()))]


def _position(estimate: float | None, low: float | None, high: float | None) -> str:
    if estimate is None or low is None or high is None:
        return "cannot be estimated"
    if low <= 0.0 <= high:
        return f"none found ({estimate:+.2f} nats, {low:+.2f} to {high:+.2f})"
    side = "first" if estimate > 0 else "second"
    return f"towards the {side} shown ({estimate:+.2f} nats, {low:+.2f} to {high:+.2f})"


COLUMNS = (
    "rank",
    "id",
    "rating",
    "low",
    "high",
    "rank_low",
    "rank_high",
    "elo",
    "wins",
    "losses",
    "ties",
    "matches",
    "text",
)


def as_json(board: Board) -> str:
    """The board as one JSON object; numbers are not rounded."""
    return values_as_json(board.as_dict())


def as_csv(board: Board) -> str:
    """The rows of the board, best first, under a header; texts that a spreadsheet would compute begin with ``'``."""
    return records_as_csv([{**asdict(row), "text": visible(row.text)} for row in board.items], COLUMNS)


def as_html(board: Board) -> str:
    """One page that needs no other file and no script."""
    from jinja2 import Environment, PackageLoader

    from paragone.presenting.page import shown

    pages = Environment(loader=PackageLoader("paragone.presenting"), autoescape=True, finalize=shown)
    page = pages.get_template("board.html")
    low = min(row.low for row in board.items)
    high = max(row.high for row in board.items)
    width = (high - low) or 1.0

    def place(row: BoardRow) -> dict[str, float]:
        return {
            "low": round(100 * (row.low - low) / width, 2),
            "width": round(100 * (row.high - row.low) / width, 2),
            "mark": round(min(99.2, 100 * (row.rating - low) / width), 2),
        }

    centre = sum(row.rating for row in board.items) / len(board.items)
    return page.render(
        board=board,
        title=board.tournament or "Ranking",
        facts=facts(board),
        rows=[(row, place(row)) for row in board.items],
        tables=[table for table in (sliced(board), rates(board)) if table.rows],
        without={} if board.side is None else {row.id: row for row in board.side.without},
        low=f"{low:.0f}",
        high=f"{high:.0f}",
        centre=round(100 * (centre - low) / width, 2),
        percent=lambda share: f"{share:.0%}",
    )


FORMATS: dict[str, Callable[[Board], str]] = {".json": as_json, ".csv": as_csv, ".html": as_html}


def check(path: Path) -> None:
    """Refuse a file that could not be written, before anything is spent.

    Raises:
        InvalidConfig: If its ending names no format.
        Unwritable: If its folder does not exist or may not be written.
    """
    require_format(path, FORMATS, "a board is")


def write(board: Board, path: str | os.PathLike[str]) -> None:
    """Write a board whole or not at all, in the format that the file's ending names.

    Raises:
        InvalidConfig: If the ending names no format.
        Unwritable: If the file cannot be written.
    """
    target = Path(path)
    check(target)
    save(FORMATS[target.suffix.lower()](board), target)
