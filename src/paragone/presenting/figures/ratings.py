"""Ratings as figures: the leaderboard with its intervals, all items by rank, and how they spread over the tiers."""

import math
from collections.abc import Mapping, Sequence

from paragone.domain import BoardRow, Tier
from paragone.presenting.figures.theme import (
    BLUE,
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
"""Points of a line at the most; of more items, as many are shown, evenly by rank."""
_BINS = 40
_ROW = 22
NAMES: Mapping[Tier, str] = {tier: tier.value.capitalize() for tier in Tier}


def leaderboard(
    rows: Sequence[BoardRow], *, most: int = 30, level: float = 0.95, what: str = "items", with_elo: bool = True
) -> Figure:
    """The best items: strength with its interval, and the running Elo beside it where wanted.

    Args:
        rows: The board, best first.
        most: How many of them.
        level: What the intervals are meant to hold, for the words.
        what: What the rows are, for the words.
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
    labels = [f"{row.rank}  {label(row.id, 16)}" for row in drawn]
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
