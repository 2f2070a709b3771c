"""A board: columns of every leaderboard, facts in words, and the board as JSON, CSV or one self-contained HTML page."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from paragone.domain import Board, BoardRow, BootstrapRow, GoldSuggestion, JudgeReport, ListReport
from paragone.domain.board import TableRow
from paragone.domain.text import visible
from paragone.presenting.files import as_csv as records_as_csv
from paragone.presenting.files import as_json as values_as_json
from paragone.presenting.files import require_format, save
from paragone.presenting.table import Column, Table, item, number, numbers, text
from paragone.wire.agent import AgentRow

_STICKY = 0.2
JUDGES_SHOWN = 6
"""For more judges than this, facts only count how many lean which way; JSON has them all."""

Ranked = BoardRow | AgentRow
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
        item("item", lambda row: (row.id, row.text)),
    )
    return Table(columns=columns, rows=board.items)


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


def facts(board: Board) -> list[tuple[str, str]]:
    """Facts beside the rows, as names and values: certainty, reliability of the judges, cost."""
    return [*certainty(board), *reliability(board), *cost(board)]


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


def reliability(board: Board) -> list[tuple[str, str]]:
    """How reliable the answers are: position bias, sharpness, repeats, lists."""
    return [
        *_directions(board),
        *_positions(board.judges),
        *_slopes(board.judges),
        *_shared(board.method.get("repeats")),
        *((f"lists of {report.size} by {report.judge}", _list_noise(report)) for report in board.lists),
    ]


def cost(board: Board) -> list[tuple[str, str]]:
    """What the run cost, and abstentions."""
    lines = list(board.spending.facts().items()) if board.tournament else []
    if board.abstentions:
        lines.append(("abstentions", f"{board.abstentions}"))
    return lines


def _directions(board: Board) -> list[tuple[str, str]]:
    """Whether the board can be told from its mirror image, and which judges are turned round."""
    if board.direction is None:
        return []
    lines = [("direction", board.direction.in_words)]
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
