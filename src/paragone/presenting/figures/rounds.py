"""What happened round by round, as figures: ratings, how sure they are, and whether they settle."""

from collections.abc import Sequence
from dataclasses import dataclass

from paragone.domain import Tier
from paragone.domain.spending import Expense
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
    cut,
    figure,
    label,
    named,
    nothing,
    round_axis,
)
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


def progression(
    rounds: Sequence[int], courses: Sequence[Course], pool: tuple[Line, Line, Line] | None = None
) -> Figure:
    """The running Elo of some items round by round.

    Args:
        rounds: Numbers of the rounds; 0 is before the first.
        courses: The items.
        pool: Running Elo below which a tenth, half and nine tenths of all items are, after each round.
    """
    if len(rounds) < 2 or not courses:
        return nothing("Nothing was played yet.")
    behind = [] if pool is None else [_quantiles(rounds, pool), _median(rounds, pool[1])]
    lines = [_elo(rounds, course, COLOURS[place % len(COLOURS)], place) for place, course in enumerate(courses)]
    return figure(
        [*behind, *lines],
        alt="Running Elo round by round of " + ", ".join(cut(course.id, 22) for course in courses),
        height=360 + 10 * len(courses),
        xaxis=round_axis(rounds),
        yaxis=axis("running Elo", zeroline=False),
        showlegend=True,
    )


def _quantiles(rounds: Sequence[int], pool: tuple[Line, Line, Line]) -> Figure:
    kept = [place for place, value in enumerate(pool[0]) if value is not None]
    at, low, high = ([line[place] or 0.0 for place in kept] for line in (rounds, pool[0], pool[2]))
    return band(at, low, high, GREY, name="middle 80 %", legendrank=2000)


def _median(rounds: Sequence[int], line: Line) -> Figure:
    look = {"color": GREY, "width": 1.5, "dash": "dot"}
    return _drawn(rounds, line, look, name="median", legendrank=2000, hoverinfo="skip")


def _drawn(rounds: Sequence[int], line: Line, look: Figure, **rest: object) -> Figure:
    return {"type": "scatter", "mode": "lines", "x": list(rounds), "y": list(line), "line": look, **rest}


def _elo(rounds: Sequence[int], course: Course, colour: str, place: int) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(rounds) <= 40 else "lines",
        "name": label(course.id, 18),
        "x": list(rounds),
        "y": list(course.elo),
        "line": {"color": colour, "width": 2, "dash": "solid" if place < len(COLOURS) else "dash"},
        "marker": {"size": 5},
        "customdata": [named(course.id, course.text)] * len(rounds),
        "hovertemplate": "%{customdata}<br>round %{x}: Elo %{y:.0f}<extra></extra>",
    }


def certainty(rounds: Sequence[int], courses: Sequence[Course], *, level: float = 0.95) -> Figure:
    """How the strength of some items came to be known: its interval after each round, one panel an item.

    Args:
        rounds: Numbers of the rounds; 0 is before the first.
        courses: The items, those with strengths.
        level: What the intervals are meant to hold.
    """
    seen = [course for course in courses if sum(value is not None for value in course.rating) > 1]
    if not seen:
        return nothing("Strengths were looked at once only, at the end.")
    columns = 2 if len(seen) > 1 else 1
    lines = -(-len(seen) // columns)
    names = [_panel_name(place) for place in range(len(seen))]
    traces = [trace for place, course in enumerate(seen) for trace in _panel(rounds, course, names[place])]
    ends = [value for course in seen for line in (course.low, course.high) for value in line if value is not None]
    room = 0.06 * (max(ends) - min(ends) or 1.0)
    axes: Figure = {}
    span = [rounds[0], rounds[-1]]
    for place, name in enumerate(names):
        left, below = place % columns == 0, place + columns >= len(seen)
        axes[f"xaxis{name}"] = round_axis(rounds, 6, anchor=f"y{name}", range=span, showticklabels=below)
        axes[f"yaxis{name}"] = axis(
            anchor=f"x{name}", showticklabels=left, zeroline=False, range=[min(ends) - room, max(ends) + room], nticks=4
        )
        if not below:
            axes[f"xaxis{name}"]["title"] = {"text": ""}
    return figure(
        traces,
        alt=f"Strength with its {level:.0%} interval, round by round, of " + ", ".join(cut(c.id, 22) for c in seen),
        height=60 + 150 * lines,
        grid={"rows": lines, "columns": columns, "pattern": "independent", "xgap": 0.06, "ygap": 0.28},
        annotations=[_panel_title(course, name) for course, name in zip(seen, names, strict=True)],
        **axes,
    )


def _panel_name(place: int) -> str:
    return "" if place == 0 else str(place + 1)


def _panel_title(course: Course, name: str) -> Figure:
    return {
        "text": f"<b>{label(course.id, 20)}</b>",
        "xref": f"x{name} domain",
        "yref": f"y{name} domain",
        "x": 0,
        "y": 1.0,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _panel(rounds: Sequence[int], course: Course, name: str) -> list[Figure]:
    kept = [place for place, value in enumerate(course.rating) if value is not None]
    at = [rounds[place] for place in kept]
    rating, low, high = ([line[place] or 0.0 for place in kept] for line in (course.rating, course.low, course.high))
    here = {"xaxis": f"x{name}", "yaxis": f"y{name}"}
    middle = {
        "type": "scatter",
        "mode": "lines+markers" if len(kept) <= 24 else "lines",
        "x": at,
        "y": rating,
        "line": {"color": BLUE, "width": 2},
        "marker": {"size": 4},
        "customdata": [[named(course.id, course.text), a, b] for a, b in zip(low, high, strict=True)],
        "hovertemplate": "%{customdata[0]}<br>after round %{x}: strength %{y:.0f} (%{customdata[1]:.0f} to "
        "%{customdata[2]:.0f})<extra></extra>",
    }
    elo = _drawn(rounds, course.elo, {"color": GREY, "width": 1.5, "dash": "dot"}, hoverinfo="skip")
    return [{**band(at, low, high, BLUE), **here}, {**elo, **here}, {**middle, **here}]


def convergence(course: Sequence[Settling], *, threshold: float | None = None) -> Figure:
    """Whether the ranking settles: how like the one before it is, and how far ratings still move.

    Args:
        course: One value a round.
        threshold: Rank stability from which the ranking counts as settled.
    """
    if not course:
        return nothing("Nothing was played yet.")
    rounds = [step.round for step in course]
    shares = (
        ("rank stability", BLUE, [step.rank_stability for step in course]),
        ("top-10 stability", ORANGE, [step.top_stability for step in course]),
        ("expected tau", GREEN, [step.tau for step in course]),
    )
    lines = [_share(rounds, *share) for share in shares if any(value is not None for value in share[2])]
    bars = {
        "type": "bar", "name": "mean change of a rating", "x": rounds, "y": [step.mean_change for step in course],
        "yaxis": "y2", "marker": {"color": PURPLE}, "showlegend": False,
        "hovertemplate": "round %{x}: ±%{y:.1f} points<extra></extra>",
    }  # fmt: skip
    known = [value for _, _, values in shares for value in values if value is not None]
    line = {"type": "line", "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": threshold, "y1": threshold}
    return figure(
        [*lines, bars],
        alt="Rank stability, top-10 stability and mean change of a rating, round by round",
        height=420,
        xaxis=round_axis(rounds, anchor="y2"),
        yaxis=axis("share", domain=[0.42, 1.0], range=[min(0.0, *known, 0.0), 1.04], zeroline=False),
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
    shown = [line for line in lines if any(value is not None for value in line["y"])]
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
        [*(_stack(expenses, group, place) for place, group in enumerate(groups)), *shown, *money],
        alt=f"Compute units of each of {len(rounds)} rounds, {sum(s.total for s in expenses):,.0f} in all",
        height=400 if money else 320,
        barmode="stack",
        showlegend=True,
        **layout,
    )


def _stack(expenses: Sequence[Expense], group: str, place: int) -> Figure:
    name = group.replace("_", " ").capitalize()
    return {
        "type": "bar",
        "name": label(name),
        "x": [spent.round for spent in expenses],
        "y": [spent.units.get(group, 0.0) for spent in expenses],
        "marker": {"color": TIER_COLOURS.get(group, COLOURS[place % len(COLOURS)])},
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
