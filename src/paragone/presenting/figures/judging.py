"""Judges as figures: how they lean towards a place, how sharp they are, and whether forecasts of their answers hold."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paragone.analysis.quality.forecast_quality import Bin
from paragone.domain import JudgeReport
from paragone.domain.board import Estimate
from paragone.domain.text import without_fingerprint
from paragone.presenting.figures.theme import (
    BLUE,
    COLOURS,
    GREY,
    ORANGE,
    RED,
    Figure,
    axis,
    ends,
    figure,
    hover,
    label,
    named,
    nothing,
    places,
    spread,
)

MOST_JUDGES = 24
_ROW = 30


def position_bias(judges: Sequence[JudgeReport], *, level: float = 0.95) -> Figure:
    """How much each judge favours the item shown first, those with most answers first."""
    reports = [report for report in judges if report.position_bias is not None]
    if not reports:
        return nothing("The position bias of no judge can be estimated.")
    estimates = [
        _estimate(report, report.position_bias, report.position_low, report.position_high) for report in reports
    ]
    alt = f"Position bias of {len(reports)} judges with {level:.0%} intervals"
    return forest(estimates, alt=alt, title="← second   log-odds   first →", number=signed)


def sharpness(judges: Sequence[JudgeReport], *, level: float = 0.95) -> Figure:
    """How sharply each judge distinguishes items, relative to the others."""
    reports = [report for report in judges if report.slope is not None]
    if not reports:
        return nothing("One judge alone cannot be compared with others.")
    estimates = [_estimate(report, report.slope, report.slope_low, report.slope_high) for report in reports]
    alt = f"Sharpness of {len(reports)} judges with {level:.0%} intervals"
    return forest(estimates, alt=alt, title="sharpness, relative to the others", zero=1.0, number=_plain)


def _estimate(report: JudgeReport, value: float | None, low: float | None, high: float | None) -> Estimate:
    middle = value or 0.0
    return Estimate(
        name=report.judge,
        value=middle,
        low=middle if low is None else low,
        high=middle if high is None else high,
        note=f"{report.comparisons:,} answers",
    )


def signed(value: float) -> str:
    """A number with its sign."""
    return f"{value:+.2f}"


def _plain(value: float) -> str:
    return f"{value:.2f}"


def forest(
    estimates: Sequence[Estimate], *, alt: str, title: str, zero: float = 0.0, number: Callable[[float], str] = _plain
) -> Figure:
    """Estimates with their intervals, one a line; those whose interval leaves out ``zero`` stand out.

    Args:
        estimates: What to show, the first on top; of many, the first ones.
        alt: What the figure shows, in words.
        title: Of the axis.
        zero: Where nothing is found.
        number: How a value is written.
    """
    drawn = estimates[:MOST_JUDGES]
    at = list(range(len(drawn)))
    values = [e.value for e in drawn]
    hover_text = [
        f"{named(e.name, '')}<br>{number(e.value)} ({number(e.low)} to {number(e.high)})<br>{label(e.note, 80)}"
        for e in drawn
    ]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": values,
        "y": at,
        "error_x": spread(values, [e.low for e in drawn], [e.high for e in drawn]),
        "marker": {"size": 9, "color": [GREY if e.low <= zero <= e.high else _side(e.value > zero) for e in drawn]},
        "hovertext": hover_text,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    line = {"type": "line", "xref": "x", "yref": "paper", "x0": zero, "x1": zero, "y0": 0, "y1": 1}
    return figure(
        [dots],
        alt=alt,
        height=90 + _ROW * len(drawn),
        xaxis=axis(title, zeroline=False, range=_around(zero, drawn)),
        yaxis=places(
            [ends(without_fingerprint(e.name)) for e in drawn],
            range=[len(drawn) - 0.4, -0.6],
            showgrid=False,
            zeroline=False,
        ),
        shapes=[{**line, "line": {"dash": "dot"}}],
    )


def _around(zero: float, estimates: Sequence[Estimate]) -> list[float]:
    """A range that holds all intervals, and some of both sides of zero."""
    reach = max(max(abs(e.low - zero), abs(e.high - zero)) for e in estimates) or 1.0
    low = min(*(e.low - zero for e in estimates), -0.25 * reach)
    high = max(*(e.high - zero for e in estimates), 0.25 * reach)
    return [zero + 1.06 * low, zero + 1.06 * high]


def _side(above: bool) -> str:
    return BLUE if above else ORANGE


def calibration(lines: Sequence[tuple[str, Sequence[Bin]]]) -> Figure:
    """How often the favourite won, by what its chance was said to be before the match.

    Args:
        lines: The forecasters with their bins.
    """
    drawn = [(name, bins) for name, bins in lines if bins]
    if not drawn:
        return nothing("There are no forecasts yet.")
    most = min(1.0, max(0.7, *(b.expected + 0.05 for _, bins in drawn for b in bins)))
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": [0.5, most],
        "y": [0.5, most],
        "line": {"color": GREY, "width": 1.5, "dash": "dot"},
        "name": "as forecast",
        "hoverinfo": "skip",
    }
    traces = [_reliability(name, bins, COLOURS[index]) for index, (name, bins) in enumerate(drawn)]
    least = min(0.45, *(max(0.0, b.low) - 0.02 for _, bins in drawn for b in bins))
    return figure(
        [diagonal, *traces],
        alt="How often the favourite won, by its chance before the match: " + ", ".join(name for name, _ in drawn),
        height=340,
        xaxis=axis("chance of the favourite", range=[0.49, most + 0.01], zeroline=False, tickformat=".0%"),
        yaxis=axis(
            "won",
            range=[least, max(most, *(b.high for _, bins in drawn for b in bins)) + 0.03],
            zeroline=False,
            tickformat=".0%",
        ),
        showlegend=True,
    )


def _reliability(name: str, bins: Sequence[Bin], colour: str) -> Figure:
    observed = [b.observed for b in bins]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": label(name, 32),
        "x": [b.expected for b in bins],
        "y": observed,
        "error_y": spread(observed, [b.low for b in bins], [b.high for b in bins], colour),
        "line": {"color": colour, "width": 1.5},
        "marker": {"size": 8},
        "customdata": [b.count for b in bins],
        "hovertemplate": "forecast %{x:.0%}, came true %{y:.0%}<br>%{customdata:,} matches<extra></extra>",
    }


MOST_DOTS = 1500
"""Of more items the plain ones are counted in squares, and those that stand out are shown one by one."""
MOST_PATTERNS = 24


def patterns(effects: Sequence[Estimate]) -> Figure:
    """What wins and what loses: the effect of each characteristic on the log-odds, with its interval."""
    if not effects:
        return nothing("No pattern was found.")
    strongest = sorted(sorted(effects, key=lambda e: -abs(e.value))[:MOST_PATTERNS], key=lambda e: -e.value)
    alt = f"Effect of {len(strongest)} characteristics on winning"
    return forest(strongest, alt=alt, title="← loses   effect (log-odds)   wins →", number=signed)


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedItem:
    """An item by the tournament and by another score.

    Attributes:
        id: The item.
        text: Its text.
        other: What the other says: a review score, a known quality.
        rating: Its strength.
        low: Lower end of its interval.
        high: Upper end.
        stands_out: Whether the two disagree by more than chance.
        note: Why, in words.
    """

    id: str
    text: str
    other: float
    rating: float
    low: float
    high: float
    stands_out: bool = False
    note: str = ""


def against(views: Sequence[ComparedItem], *, title: str, alt: str) -> Figure:
    """Strength against what others say, item by item: reviews, or the truth where it is known.

    Args:
        views: The items.
        title: Of the axis of what others say.
        alt: What the figure shows, in words.
    """
    if not views:
        return nothing("There is nothing to compare with.")
    plain, notable = [v for v in views if not v.stands_out], [v for v in views if v.stands_out]
    notable = sorted(notable, key=lambda v: -abs(v.rating - v.low))[:MOST_DOTS]
    many = len(plain) > MOST_DOTS
    ends = [end for view in views for end in (view.low, view.high)]
    margin = 0.04 * (max(ends) - min(ends) or 1.0)
    calm = _squares(plain) if many else _dots(plain, GREY if notable else BLUE, "agree", bars=len(plain) <= 400)
    traces = [*([calm] if plain else []), *([_dots(notable, RED, "stand out", bars=True)] if notable else [])]
    return figure(
        traces,
        alt=alt,
        height=380,
        xaxis=axis(title, zeroline=False),
        yaxis=axis("strength", zeroline=False, range=[min(ends) - margin, max(ends) + margin]),
        showlegend=bool(notable),
    )


def _dots(views: Sequence[ComparedItem], colour: str, name: str, *, bars: bool) -> Figure:
    rating = [view.rating for view in views]
    interval = spread(rating, [view.low for view in views], [view.high for view in views], colour)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [view.other for view in views],
        "y": rating,
        "marker": {"size": 8 if bars else 5, "color": colour},
        **({"error_y": {**interval, "thickness": 0.8}} if bars else {}),
        "hovertext": [_told(view) for view in views],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _told(view: ComparedItem) -> str:
    lines = [named(view.id, view.text), f"strength {view.rating:.0f} ({view.low:.0f} to {view.high:.0f})"]
    lines.append(f"they say {view.other:.3g}")
    return "<br>".join([*lines, *([hover(view.note)] if view.note else [])])


def _squares(views: Sequence[ComparedItem], side: int = 36) -> Figure:
    """How many items lie where, as squares."""
    xs, ys = [view.other for view in views], [view.rating for view in views]
    x_least, below = min(xs), min(ys)
    width, height = (max(xs) - x_least) / side or 1.0, (max(ys) - below) / side or 1.0
    counts = [[0] * (side + 1) for _ in range(side + 1)]
    for x, y in zip(xs, ys, strict=True):
        counts[min(side, math.floor((y - below) / height))][min(side, math.floor((x - x_least) / width))] += 1
    return {
        "type": "heatmap",
        "name": "agree",
        "x": [x_least + (index + 0.5) * width for index in range(side + 1)],
        "y": [below + (index + 0.5) * height for index in range(side + 1)],
        "z": [[count or None for count in line] for line in counts],
        "colorscale": [[0, "rgba(42,134,200,0.15)"], [1, BLUE]],
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": "%{z:,} items<extra></extra>",
    }
