"""What happened round by round, as figures: ratings, how sure they are, and whether they settle."""

from collections.abc import Sequence
from dataclasses import dataclass

from paragone.domain import Tier
from paragone.domain.spending import Expense
from paragone.domain.text import cut
from paragone.presenting.figures.theme import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    TIER_COLOURS,
    Figure,
    axis,
    band,
    figure,
    label,
    named,
    nothing,
    round_axis,
)
from paragone.presenting.terms import BRIEF_AGREEMENT
from paragone.wire.live import Settling

Line = tuple[float | None, ...]
"""A value a round; None where there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """How one item went.

    Attributes:
        id: The item.
        text: Its text.
        elo: Its running Elo after each round; None before it joined.
        rating: Its strength as it was known after each round; None where it was not looked at.
        low: Lower end of the strength's interval.
        high: Upper end.
    """

    id: str
    text: str
    elo: Line
    rating: Line = ()
    low: Line = ()
    high: Line = ()


def progression(rounds: Sequence[int], series: Sequence[Course], pool: tuple[Line, Line, Line] | None = None) -> Figure:
    """The running Elo of some items round by round.

    Args:
        rounds: Numbers of the rounds; 0 is before the first.
        series: The items.
        pool: Running Elo below which a tenth, half and nine tenths of all items are, after each round.
    """
    if len(rounds) < 2 or not series:
        return nothing("Nothing was played yet.")
    behind = [] if pool is None else [_quantiles(rounds, pool), _median(rounds, pool[1])]
    lines = [_elo(rounds, item, COLOURS[index % len(COLOURS)], index) for index, item in enumerate(series)]
    return figure(
        [*behind, *lines],
        alt="Running Elo round by round of " + ", ".join(cut(item.id, 22) for item in series),
        height=360 + 10 * len(series),
        xaxis=round_axis(rounds),
        yaxis=axis("running Elo", zeroline=False),
        showlegend=True,
    )


def _quantiles(rounds: Sequence[int], pool: tuple[Line, Line, Line]) -> Figure:
    columns = [column for column, value in enumerate(pool[0]) if value is not None]
    at, low, high = ([line[column] or 0.0 for column in columns] for line in (rounds, pool[0], pool[2]))
    return band(at, low, high, GREY, name="middle 80 %", legendrank=2000)


def _median(rounds: Sequence[int], line: Line) -> Figure:
    look = {"color": GREY, "width": 1.5, "dash": "dot"}
    return _drawn(rounds, line, look, name="median", legendrank=2000, hoverinfo="skip")


def _drawn(rounds: Sequence[int], line: Line, look: Figure, **rest: object) -> Figure:
    return {"type": "scatter", "mode": "lines", "x": list(rounds), "y": list(line), "line": look, **rest}


def _elo(rounds: Sequence[int], item: Course, colour: str, index: int) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(rounds) <= 40 else "lines",
        "name": label(item.id, 18),
        "x": list(rounds),
        "y": list(item.elo),
        "line": {"color": colour, "width": 2, "dash": "solid" if index < len(COLOURS) else "dash"},
        "marker": {"size": 5},
        "customdata": [named(item.id, item.text)] * len(rounds),
        "hovertemplate": "%{customdata}<br>round %{x}: Elo %{y:.0f}<extra></extra>",
    }


def certainty(rounds: Sequence[int], series: Sequence[Course], *, level: float = 0.95) -> Figure:
    """How the strength of some items came to be known: its interval after each round, one panel an item.

    Args:
        rounds: Numbers of the rounds; 0 is before the first.
        series: The items, those with strengths.
        level: What the intervals are meant to hold.
    """
    drawn = [item for item in series if sum(value is not None for value in item.rating) > 1]
    if not drawn:
        return nothing("Strengths were looked at once only, at the end.")
    columns = 2 if len(drawn) > 1 else 1
    lines = -(-len(drawn) // columns)
    names = [_panel_name(index) for index in range(len(drawn))]
    traces = [trace for index, item in enumerate(drawn) for trace in _panel(rounds, item, names[index])]
    ends = [value for item in drawn for line in (item.low, item.high) for value in line if value is not None]
    margin = 0.06 * (max(ends) - min(ends) or 1.0)
    axes: Figure = {}
    span = [rounds[0], rounds[-1]]
    for index, name in enumerate(names):
        leftmost, below = index % columns == 0, index + columns >= len(drawn)
        axes[f"xaxis{name}"] = round_axis(rounds, 6, anchor=f"y{name}", range=span, showticklabels=below)
        axes[f"yaxis{name}"] = axis(
            anchor=f"x{name}",
            showticklabels=leftmost,
            zeroline=False,
            range=[min(ends) - margin, max(ends) + margin],
            nticks=4,
        )
        if not below:
            axes[f"xaxis{name}"]["title"] = {"text": ""}
    return figure(
        traces,
        alt=f"Strength with its {level:.0%} interval, round by round, of " + ", ".join(cut(c.id, 22) for c in drawn),
        height=60 + 150 * lines,
        grid={"rows": lines, "columns": columns, "pattern": "independent", "xgap": 0.06, "ygap": 0.28},
        annotations=[_panel_title(item, name) for item, name in zip(drawn, names, strict=True)],
        **axes,
    )


def _panel_name(index: int) -> str:
    return "" if index == 0 else str(index + 1)


def _panel_title(item: Course, name: str) -> Figure:
    return {
        "text": f"<b>{label(item.id, 20)}</b>",
        "xref": f"x{name} domain",
        "yref": f"y{name} domain",
        "x": 0,
        "y": 1.0,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _panel(rounds: Sequence[int], item: Course, name: str) -> list[Figure]:
    columns = [column for column, value in enumerate(item.rating) if value is not None]
    at = [rounds[column] for column in columns]
    rating, low, high = ([line[column] or 0.0 for column in columns] for line in (item.rating, item.low, item.high))
    axes = {"xaxis": f"x{name}", "yaxis": f"y{name}"}
    middle = {
        "type": "scatter",
        "mode": "lines+markers" if len(columns) <= 24 else "lines",
        "x": at,
        "y": rating,
        "line": {"color": BLUE, "width": 2},
        "marker": {"size": 4},
        "customdata": [[named(item.id, item.text), a, b] for a, b in zip(low, high, strict=True)],
        "hovertemplate": "%{customdata[0]}<br>after round %{x}: strength %{y:.0f} (%{customdata[1]:.0f} to "
        "%{customdata[2]:.0f})<extra></extra>",
    }
    elo = _drawn(rounds, item.elo, {"color": GREY, "width": 1.5, "dash": "dot"}, hoverinfo="skip")
    return [{**band(at, low, high, BLUE), **axes}, {**elo, **axes}, {**middle, **axes}]


def convergence(steps: Sequence[Settling], *, threshold: float | None = None) -> Figure:
    """Whether the ranking settles: how like the one before it is, and how far ratings still move.

    Args:
        steps: One value a round.
        threshold: Rank stability from which the ranking counts as settled.
    """
    if not steps:
        return nothing("Nothing was played yet.")
    rounds = [step.round for step in steps]
    shares = (
        ("rank stability", BLUE, [step.rank_stability for step in steps]),
        ("top-10 stability", ORANGE, [step.top_stability for step in steps]),
        (BRIEF_AGREEMENT, GREEN, [step.tau for step in steps]),
    )
    lines = [_share(rounds, *share) for share in shares if any(value is not None for value in share[2])]
    bars = {
        "type": "bar", "name": "mean change of running Elo", "x": rounds, "y": [step.mean_change for step in steps],
        "yaxis": "y2", "marker": {"color": PURPLE}, "showlegend": False,
        "hovertemplate": "round %{x}: ±%{y:.1f} points<extra></extra>",
    }  # fmt: skip
    values_present = [value for _, _, values in shares for value in values if value is not None]
    line = {"type": "line", "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": threshold, "y1": threshold}
    return figure(
        [*lines, bars],
        alt="Rank stability, top-10 stability and mean change of running Elo, round by round",
        height=420,
        xaxis=round_axis(rounds, anchor="y2"),
        yaxis=axis("share", domain=[0.42, 1.0], range=[min(0.0, *values_present, 0.0), 1.04], zeroline=False),
        yaxis2=axis("mean change, points", domain=[0.0, 0.3], anchor="x", rangemode="tozero"),
        showlegend=True,
        shapes=[] if threshold is None else [{**line, "line": {"dash": "dot"}}],
    )


def _share(rounds: Sequence[int], name: str, colour: str, values: Sequence[float | None]) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(rounds) <= 40 else "lines",
        "name": name,
        "x": list(rounds),
        "y": list(values),
        "connectgaps": True,
        "line": {"color": colour, "width": 2},
        "marker": {"size": 5},
        "hovertemplate": f"{name} %{{y:.2f}}, round %{{x}}<extra></extra>",
    }


def costs(expenses: Sequence[Expense]) -> Figure:
    """Compute units by round, against what was foreseen and what was allowed; money where it is known."""
    if not expenses:
        return nothing("Nothing was spent yet.")
    rounds = [spent.round for spent in expenses]
    groups = list(dict.fromkeys(group for spent in expenses for group in spent.units))
    order = [str(tier) for tier in Tier]
    groups.sort(key=lambda group: (order.index(group) if group in order else len(order), group))
    paid = [spent.money for spent in expenses]
    lines = [
        _marks(rounds, "foreseen", [spent.forecast for spent in expenses], {"symbol": "diamond-open", "color": PURPLE}),
        _marks(rounds, "budget", [spent.budget for spent in expenses], {"symbol": "line-ew-open", "color": GREY}),
    ]
    drawn = [line for line in lines if any(value is not None for value in line["y"])]
    layout: Figure = {"xaxis": round_axis(rounds), "yaxis": axis("compute units", rangemode="tozero")}
    money: list[Figure] = []
    if any(paid):
        layout["xaxis"]["anchor"] = "y2"
        layout["yaxis"]["domain"] = [0.38, 1.0]
        layout["yaxis2"] = axis("US dollars", domain=[0.0, 0.26], anchor="x", rangemode="tozero")
        money = [{
            "type": "bar", "x": rounds, "y": paid, "yaxis": "y2", "marker": {"color": GREEN}, "showlegend": False,
            "hovertemplate": "round %{x}: $%{y:.4f}<extra></extra>",
        }]  # fmt: skip
    return figure(
        [*(_stack(expenses, group, index) for index, group in enumerate(groups)), *drawn, *money],
        alt=f"Compute units of each of {len(rounds)} rounds, {sum(s.total for s in expenses):,.0f} in all",
        height=400 if money else 320,
        barmode="stack",
        showlegend=True,
        **layout,
    )


def _stack(expenses: Sequence[Expense], group: str, index: int) -> Figure:
    name = group.replace("_", " ").capitalize()
    return {
        "type": "bar",
        "name": label(name),
        "x": [spent.round for spent in expenses],
        "y": [spent.units.get(group, 0.0) for spent in expenses],
        "marker": {"color": TIER_COLOURS.get(group, COLOURS[index % len(COLOURS)])},
        "hovertemplate": f"round %{{x}}: %{{y:,.0f}} units, {label(name)}<extra></extra>",
    }


def _marks(rounds: Sequence[int], name: str, values: Sequence[float | None], marker: Figure) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": list(rounds),
        "y": list(values),
        "marker": {"size": 11, "line": {"width": 2}, **marker},
        "hovertemplate": f"round %{{x}}: {name} %{{y:,.0f}}<extra></extra>",
    }
