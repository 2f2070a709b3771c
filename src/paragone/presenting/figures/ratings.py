"""Ratings as figures: the leaderboard, all items by rank, how they spread over the tiers, and how they changed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from paragone.domain import BoardRow, Tier
from paragone.domain.text import cut
from paragone.presenting.board_tables import written_ranks
from paragone.presenting.figures.theme import (
    BLUE,
    COLOURS,
    GREY,
    TIER_COLOURS,
    Figure,
    axis,
    band,
    figure,
    label,
    named,
    nothing,
    places,
    spread,
)

MOST_POINTS = 400
"""Points of a line at most; of more items or moves, as many are drawn, evenly."""
_BINS = 40
_ROW = 22
NAMES: Mapping[Tier, str] = {tier: tier.value.capitalize() for tier in Tier}


def leaderboard(
    rows: Sequence[BoardRow], *, most: int = 30, level: float = 0.95, what: str = "items", with_elo: bool = True
) -> Figure:
    """The best items: strength with its interval, and optionally the running Elo beside it.

    Args:
        rows: The board, best first.
        most: How many of them.
        level: Probability of the intervals.
        what: What the rows are, in the plural.
        with_elo: Whether the running Elo is shown.
    """
    if not rows:
        return nothing("No items.")
    drawn = rows[:most]
    at = list(range(len(drawn)))
    rating = [row.rating for row in drawn]
    hover_text = [_told(row, level) for row in drawn]
    strength = {
        "type": "scatter",
        "mode": "markers",
        "name": "Strength",
        "x": rating,
        "y": at,
        "error_x": spread(rating, [row.low for row in drawn], [row.high for row in drawn], BLUE),
        "marker": {"color": BLUE, "size": 8},
    }
    elo = {
        "type": "scatter",
        "mode": "markers",
        "name": "Running Elo",
        "x": [row.elo for row in drawn],
        "y": at,
        "marker": {"color": GREY, "size": 7, "symbol": "diamond-open", "line": {"width": 1.5}},
    }
    hover = {"hovertemplate": "%{hovertext}<extra></extra>", "hovertext": hover_text}
    written = written_ranks(rows)
    labels = [f"{written(row)}  {label(row.id, 16)}" for row in drawn]
    best = f"the best {len(drawn)} of {len(rows)} {what}"
    return figure(
        [{**trace, **hover} for trace in ((elo, strength) if with_elo else (strength,))],
        alt=f"Strength of {best} with {level:.0%} intervals" + ", and their running Elo" * with_elo,
        height=max(150, 70 + _ROW * len(drawn)),
        xaxis=axis("Elo points"),
        yaxis=places(labels, range=[len(drawn) - 0.4, -0.6], showgrid=False, zeroline=False),
        showlegend=True,
    )


def _told(row: BoardRow, level: float) -> str:
    return (
        f"{named(row.id, row.text)}<br>rank {row.rank} ({row.rank_low} to {row.rank_high})"
        f"<br>strength {row.rating:.0f} ({level:.0%}: {row.low:.0f} to {row.high:.0f})"
        f"<br>Elo {row.elo:.0f}, {row.wins} won, {row.losses} lost, {row.ties} drawn"
    )


def field(rows: Sequence[BoardRow], *, level: float = 0.95, what: str = "items") -> Figure:
    """All items, best first: strength by rank, its interval, and the running Elo."""
    if not rows:
        return nothing("No items.")
    step = max(1, math.ceil(len(rows) / MOST_POINTS))
    numbered = list(enumerate(rows, start=1))
    drawn = numbered[::step] if len(rows) <= 1 + step else [*numbered[:-1:step], numbered[-1]]
    x, drawn_rows = [rank for rank, _ in drawn], [row for _, row in drawn]
    interval = band(
        x, [row.low for row in drawn_rows], [row.high for row in drawn_rows], BLUE, name=f"{level:.0%} interval"
    )
    elo = {
        "type": "scatter",
        "mode": "markers",
        "name": "Running Elo",
        "x": x,
        "y": [row.elo for row in drawn_rows],
        "marker": {"color": GREY, "size": 4, "opacity": 0.7},
        "hoverinfo": "skip",
    }
    strength = {
        "type": "scatter",
        "mode": "lines",
        "name": "Strength",
        "x": x,
        "y": [row.rating for row in drawn_rows],
        "line": {"color": BLUE, "width": 2},
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hovertext": [_told(row, level) for row in drawn_rows],
    }
    return figure(
        [interval, elo, strength],
        alt=f"Strength of all {len(rows)} {what} by rank, with {level:.0%} intervals",
        height=300,
        xaxis=axis("rank", zeroline=False),
        yaxis=axis("Elo points", zeroline=False),
        showlegend=True,
    )


def distribution(ratings: Sequence[tuple[float, Tier]], thresholds: Mapping[Tier, float]) -> Figure:
    """How many items have which running Elo, by tier, with the lines between the tiers.

    Args:
        ratings: Running Elo and tier of each item.
        thresholds: Lower bound of each tier that has one.
    """
    if not ratings:
        return nothing("No ratings.")
    values = [value for value, _ in ratings]
    low, width, count = _bins(min(values), max(values))
    tally = {tier: [0] * count for tier in Tier}
    for value, tier in ratings:
        tally[tier][min(count - 1, int((value - low) / width))] += 1
    middles = [low + (index + 0.5) * width for index in range(count)]
    bars = [_bars(tier, middles, counts, width) for tier, counts in tally.items() if any(counts)]
    least, most = low, low + count * width
    tallest = max(map(sum, zip(*tally.values(), strict=True)))
    lines = {tier: bound for tier, bound in thresholds.items() if least < bound < most}
    return figure(
        bars,
        alt="Number of items by running Elo: " + ", ".join(f"{NAMES[t]} {sum(c)}" for t, c in tally.items() if any(c)),
        height=300,
        barmode="stack",
        bargap=0.06,
        xaxis=axis("running Elo", zeroline=False),
        yaxis=axis("items", range=[0, 1.15 * tallest]),
        showlegend=True,
        shapes=[_bound(at) for at in lines.values()],
        annotations=[_bound_name(tier, at) for tier, at in lines.items()],
    )


def _bound(at: float) -> Figure:
    ends = {"x0": at, "x1": at, "y0": 0, "y1": 1}
    return {"type": "line", "xref": "x", "yref": "paper", **ends, "line": {"dash": "dot"}}


def _bound_name(tier: Tier, at: float) -> Figure:
    return {
        "xref": "x",
        "yref": "paper",
        "x": at,
        "y": 1,
        "text": f"{NAMES[tier]} →",
        "xanchor": "left",
        "yanchor": "top",
        "showarrow": False,
    }


def _bins(low: float, high: float) -> tuple[float, float, int]:
    """Start, width and number of bins of a round width that hold all values from low to high."""
    width = next((w for w in (5.0, 10.0, 20.0, 25.0, 50.0) if (high - low) / w <= _BINS), 100.0)
    start = math.floor(low / width) * width
    return start, width, max(1, math.floor((high - start) / width) + 1)


def _bars(tier: Tier, middles: Sequence[float], counts: Sequence[int], width: float) -> Figure:
    return {
        "type": "bar",
        "name": NAMES[tier],
        "x": list(middles),
        "y": list(counts),
        "width": width * 0.94,
        "marker": {"color": TIER_COLOURS[tier]},
        "customdata": [[at - width / 2, at + width / 2] for at in middles],
        "hovertemplate": "%{y} " + NAMES[tier] + "<br>%{customdata[0]:.0f} to %{customdata[1]:.0f}<extra></extra>",
    }


MOST_AGENTS = 8

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingSeries:
    """The rating history of one agent.

    Attributes:
        agent: Its name; untrusted.
        rating: After each of its moves, the oldest first.
        low: Lower end of an interval after each; empty where there is none.
        high: Upper end.
        causes: The cause of each move, in words; empty if unknown. Untrusted.
    """

    agent: str
    rating: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    causes: tuple[str, ...] = ()


def rating_history(histories: Sequence[RatingSeries]) -> Figure:
    """Ratings of some agents after each of their moves, with intervals where there are some.

    The axis counts the moves of each agent, since many may have been recorded at one moment.

    Args:
        histories: Of the agents, those that matter most first; of more than ``MOST_AGENTS``, the first.
    """
    drawn = [history for history in histories if history.rating][:MOST_AGENTS]
    if not drawn:
        return nothing("No rating has changed yet.")
    behind = [_interval(history, COLOURS[index]) for index, history in enumerate(drawn) if history.low]
    lines = [_history_trace(history, COLOURS[index]) for index, history in enumerate(drawn)]
    return figure(
        [*behind, *lines],
        alt="Running Elo, move by move, of " + ", ".join(cut(history.agent, 22) for history in drawn),
        height=360 + 10 * len(drawn),
        xaxis=axis("moves of its rating", zeroline=False, rangemode="tozero"),
        yaxis=axis("Elo points", zeroline=False),
        showlegend=True,
    )


def _history_trace(history: RatingSeries, colour: str) -> Figure:
    moves = _some(range(1, len(history.rating) + 1))
    causes = _some(history.causes or ("",) * len(history.rating))
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(moves) <= 40 else "lines",
        "name": label(history.agent, 18),
        "x": moves,
        "y": _some(history.rating),
        "line": {"color": colour, "width": 2, "shape": "hv"},
        "marker": {"size": 5},
        "hovertext": [f"{named(history.agent, '')}<br>{label(cause, 48)}" for cause in causes],
        "hovertemplate": "%{hovertext}<br>move %{x}: %{y:.0f}<extra></extra>",
    }


def _interval(history: RatingSeries, colour: str) -> Figure:
    moves = _some(range(1, len(history.rating) + 1))
    return band(moves, _some(history.low), _some(history.high), colour, showlegend=False)


def _some(values: Sequence[Value]) -> list[Value]:
    """All values, or evenly as many as a line needs, always with the last."""
    step = max(1, math.ceil(len(values) / MOST_POINTS))
    return list(values[::-1][::step][::-1])


MOST_LINES = 8
MOST_TIMES = 300
"""Points of a line at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """Values over time.

    Attributes:
        name: Of what; untrusted.
        times: Seconds since 1970, rising.
        values: One for each.
        notes: A note on each; empty for none. Untrusted.
        target: A value to reach; None for none.
    """

    name: str
    times: tuple[float, ...]
    values: tuple[float, ...]
    notes: tuple[str, ...] = ()
    target: float | None = None


def over_time(series: Sequence[Series], *, title: str, alt: str, steps: bool = False, shares: bool = False) -> Figure:
    """Lines over time.

    Args:
        series: The series, the most important first; only eight are drawn.
        title: Of the axis of values.
        alt: What is shown, in words.
        steps: Whether a value holds until the next one.
        shares: Whether values are shares from 0 to 1.
    """
    drawn = [line for line in series if line.times][:MOST_LINES]
    if not drawn:
        return nothing("Nothing has happened yet.")
    form = {"tickformat": ".0%", "range": [-0.03, 1.06]} if shares else {}
    lines = [_series_trace(line, COLOURS[index], steps=steps, shares=shares) for index, line in enumerate(drawn)]
    targets = {line.target for line in drawn if line.target is not None}
    return figure(
        lines,
        alt=f"{alt}: " + ", ".join(cut(line.name, 22) for line in drawn),
        height=320 + 10 * len(drawn),
        xaxis=axis("", type="date", showgrid=False, nticks=6),
        yaxis=axis(title, zeroline=False, **form),
        showlegend=True,
        shapes=[_level(at) for at in sorted(targets)],
    )


def _level(at: float) -> Figure:
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": at, "y1": at, "line": {"dash": "dot"}}


def _series_trace(series: Series, colour: str, *, steps: bool, shares: bool) -> Figure:
    step = max(1, math.ceil(len(series.times) / MOST_TIMES))
    indices = range(len(series.times))[::-1][::step][::-1]
    value = "%{y:.1%}" if shares else "%{y:.0f}"
    notes = series.notes or ("",) * len(series.times)
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(indices) <= 40 else "lines",
        "name": label(series.name, 30),
        "x": [_date(series.times[index]) for index in indices],
        "y": [round(series.values[index], 4) for index in indices],
        "line": {"color": colour, "width": 2, "shape": "hv" if steps else "linear"},
        "marker": {"size": 5},
        "hovertext": [_hover(series.name, notes[index]) for index in indices],
        "hovertemplate": "%{hovertext}<br>%{x|%d %b %Y %H:%M}: " + value + "<extra></extra>",
    }


def _hover(name: str, note: str) -> str:
    return named(name, "") + (f"<br>{label(note, 48)}" if note else "")


def _date(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S")
