"""What a tournament took, as figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.analysis.figures.labels import label
from paragone.analysis.figures.theme import (
    COLOURS,
    GREEN,
    GREY,
    PURPLE,
    TIER_COLOURS,
    Figure,
    axis,
    figure,
    nothing,
    round_axis,
)
from paragone.domain import Tier


@dataclass(frozen=True, kw_only=True, slots=True)
class Expense:
    """What one round took.

    Attributes:
        round: Its number.
        units: Compute units by whom they were for: a tier, or a protocol.
        forecast: Compute units that were foreseen; None where nothing was.
        budget: Compute units that it might take; None for no limit.
        money: US dollars; None where the price is not known.
    """

    round: int
    units: Mapping[str, float]
    forecast: float | None = None
    budget: float | None = None
    money: float | None = None

    @property
    def total(self) -> float:
        """Compute units in all."""
        return sum(self.units.values())


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
