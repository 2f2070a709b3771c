"""What was found out, as figures: what wins and what loses, and where others see the items otherwise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paragone.analysis.figures.judging import Estimate, forest, signed
from paragone.analysis.figures.labels import hover, named
from paragone.analysis.figures.theme import BLUE, GREY, RED, Figure, axis, figure, nothing, spread

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
class View:
    """An item as the tournament sees it and as somebody else does.

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


def against(views: Sequence[View], *, title: str, alt: str) -> Figure:
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


def _dots(views: Sequence[View], colour: str, name: str, *, bars: bool) -> Figure:
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


def _told(view: View) -> str:
    lines = [named(view.id, view.text), f"strength {view.rating:.0f} ({view.low:.0f} to {view.high:.0f})"]
    lines.append(f"they say {view.other:.3g}")
    return "<br>".join([*lines, *([hover(view.note)] if view.note else [])])


def _squares(views: Sequence[View], side: int = 36) -> Figure:
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
