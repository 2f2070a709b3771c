"""The look of all figures: colours that colour-blind people can distinguish, on light and on dark pages.

A figure is plain JSON for plotly.js, ``{"data": [...], "layout": {...}}``; nothing here needs plotly. What depends on
the page's background (ink, grid) is in a template, which the page puts into the layout: ``TEMPLATES["light"]`` or
``TEMPLATES["dark"]``. All other colours are visible on both.

Colours: M. Okabe, K. Ito, "Color Universal Design" (2008), a little lighter to be visible on black.
"""

import html
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from paragone.domain import Tier
from paragone.domain.text import ELLIPSIS, cut, visible

Figure = dict[str, Any]
"""A figure as plain values."""

BLUE, ORANGE, GREEN, PURPLE = "#2a86c8", "#e69f00", "#009e73", "#cc79a7"
RED, SKY, GREY, OLIVE = "#d55e00", "#56b4e9", "#8a93a0", "#a8a012"
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, RED, SKY, OLIVE, GREY)

TIER_COLOURS: Mapping[str, str] = {
    Tier.ELITE: RED,
    Tier.STRONG: ORANGE,
    Tier.AVERAGE: BLUE,
    Tier.DEVELOPING: GREY,
    Tier.NEW: GREEN,
}
CLEAR = "rgba(0,0,0,0)"
FAVOUR = ((0.0, ORANGE), (0.5, "#aab2bd"), (1.0, BLUE))
"""From against to in favour, through a grey on which text is readable on either page."""

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


def _template(*, ink: str, soft: str, grid: str, card: str) -> Figure:
    axis = {
        "gridcolor": grid,
        "zerolinecolor": grid,
        "linecolor": grid,
        "tickcolor": grid,
        "automargin": True,
        "ticklabelstandoff": 4,
        "title": {"standoff": 10, "font": {"color": soft, "size": 12}},
        "tickfont": {"color": soft},
    }
    layout = {
        "font": {"family": _FONT, "size": 12, "color": ink},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "colorway": list(COLOURS),
        "xaxis": axis,
        "yaxis": axis,
        "hoverlabel": {"bgcolor": card, "bordercolor": grid, "align": "left", "font": {"color": ink, "size": 12}},
        "legend": {
            "orientation": "h",
            "entrywidth": 0,
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
            "font": {"color": ink, "size": 12},
        },
        "annotationdefaults": {"font": {"color": soft, "size": 11}, "showarrow": False},
        "shapedefaults": {"line": {"color": soft, "width": 1}},
    }
    return {"layout": layout}


TEMPLATES: Mapping[str, Figure] = {
    "light": _template(ink="#1d2430", soft="#5d6776", grid="#e3e6ea", card="#ffffff"),
    "dark": _template(ink="#e6e9ee", soft="#a3adbb", grid="#2e3641", card="#1c222a"),
}


def figure(data: Sequence[Figure], *, alt: str, height: int = 320, **layout: Any) -> Figure:  # noqa: ANN401 - plotly's own
    """A figure in this look.

    Args:
        data: Its traces.
        alt: What it shows, in words, for people who cannot see it; kept in ``layout.meta.alt``.
        height: In pixels; the width is the page's.
        layout: Whatever else plotly's layout takes.
    """
    base = {
        "height": height,
        "margin": {"l": 48, "r": 12, "t": 24, "b": 44},
        "showlegend": False,
        "hovermode": "closest",
        "bargap": 0.15,
        "dragmode": False,
        "meta": {"alt": alt},
    }
    return {"data": list(data), "layout": {**base, **layout}}


def nothing(words: str) -> Figure:
    """A figure that says why there is none."""
    hidden = {"visible": False}
    note = {"text": words, "showarrow": False, "x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper"}
    return figure([], alt=words, height=120, xaxis=hidden, yaxis=hidden, annotations=[note])


def axis(title: str = "", **rest: Any) -> Figure:  # noqa: ANN401 - plotly's own
    """An axis with its title."""
    return {"title": {"text": title}, **rest}


def places(labels: Sequence[str], **rest: Any) -> Figure:  # noqa: ANN401 - plotly's own
    """An axis of named places 0, 1, 2, ...: the names are only labels, so none is taken for a number or a date."""
    return {"tickmode": "array", "tickvals": list(range(len(labels))), "ticktext": list(labels), **rest}


def round_axis(rounds: Sequence[int], labels: int = 12, **rest: Any) -> Figure:  # noqa: ANN401 - plotly's own
    """An axis of rounds, with as many labels as fit on a phone."""
    step = max(1, -(-len(rounds) // labels))
    return axis("round", zeroline=False, tickmode="linear", tick0=rounds[0], dtick=step, **rest)


def faint(colour: str, share: float) -> str:
    """A transparent colour.

    Args:
        colour: As ``#rrggbb``.
        share: Its opacity, from 0 to 1.
    """
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share:g})"


def band(x: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str, **rest: Any) -> Figure:  # noqa: ANN401
    """The area between two lines."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*x, *reversed(x)],
        "y": [*high, *reversed(low)],
        "fill": "toself",
        "fillcolor": faint(colour, 0.2),
        "line": {"width": 0},
        "hoverinfo": "skip",
        **rest,
    }


def spread(values: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str = GREY) -> Figure:
    """Error bars from each value to both ends of its interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [end - value for value, end in zip(values, high, strict=True)],
        "arrayminus": [value - end for value, end in zip(values, low, strict=True)],
        "thickness": 1.6,
        "width": 0,
        "color": colour,
    }


HOVER_WIDTH = 56
"""Characters in a line of hover text."""
HOVER_MOST = 320
"""Characters of a text shown on hovering; the rest is in the table."""


def label(text: str, most: int = 22) -> str:
    """A label of an axis or a legend: cut, and escaped, since figures interpret markup."""
    return html.escape(cut(text, most), quote=False)


def ends(text: str, most: int = 24) -> str:
    """A name cut in its middle, since judges of one kind differ at the end; escaped."""
    line = visible(text)
    if len(line) > most:
        head = (most - 1) // 2
        line = line[:head].rstrip() + ELLIPSIS + line[len(line) - (most - 1 - head) :].lstrip()
    return html.escape(line, quote=False)


def hover(text: str) -> str:
    """A text for hovering: longer, in lines, escaped."""
    lines = textwrap.wrap(cut(text, HOVER_MOST), HOVER_WIDTH)
    return "<br>".join(html.escape(line, quote=False) for line in lines)


def named(id: str, text: str) -> str:
    """An item for hovering: its id in bold, and its text if that says more."""
    head = f"<b>{html.escape(cut(id, HOVER_WIDTH), quote=False)}</b>"
    return head if text in ("", id) else f"{head}<br>{hover(text)}"
