"""Means over runs with their standard errors, and the tables made of them."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from contender import FIGURES
from efficiency_cells import CONTENDERS, JUDGES, MOST_LOST, MULTIPLES, Cell, Row, bars, position_bars, stretch
from efficiency_runs import Run

TITLES = {"tau": "Kendall's tau", "recall": "recall of the top ten", "winner": "best item on top"}
Made = dict[Cell, list[Run]]


def summary(cell: Cell, runs: list[Run], multiples: Sequence[int]) -> dict[str, Any]:
    """A cell as plain values: by figure the means and standard errors at each multiple, and the bars."""
    figures = {}
    for figure in FIGURES:
        mean, error = _mean(runs, lambda point, name=figure: point[name])
        figures[figure] = {
            "mean": mean.round(4).tolist(),
            "error": error.round(4).tolist(),
            "bar": _at(bars(cell, figure), multiples),
            "stretch": _at(stretch(cell, figure), multiples),
        }
    return {
        "contender": cell.contender,
        "items": cell.items,
        "judge": cell.judge,
        "seeds": len(runs),
        "calls_per_item": _mean(runs, lambda point: point["calls"])[0].round(2).tolist(),
        "cpu_a_run": round(float(np.mean([run["cpu"] for run in runs])), 2),
        "figures": figures,
    }


def ranking(made: Made, multiples: Sequence[int]) -> Iterator[str]:
    """By judge and size, each figure of all contenders."""
    groups: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for cell, runs in made.items():
        if runs:
            groups.setdefault((cell.items, cell.judge), []).append(summary(cell, runs, multiples))
    for (items, judge), summaries in groups.items():
        yield f"\n{items} items, {judge}: by calls an item, [bar], {{stretch}}"
        for figure in FIGURES:
            yield (
                f"  {TITLES[figure]:28s} seeds   " + "".join(f"{f'{multiple}N':30s}" for multiple in multiples).rstrip()
            )
            for one in summaries:
                label = CONTENDERS[one["contender"]].label
                yield f"    {label:26s} {one['seeds']:5d}   {_cells(one, figure, multiples)}"
        yield from _spent(summaries)


def _cells(one: dict[str, Any], figure: str, multiples: Sequence[int]) -> str:
    values, texts = one["figures"][figure], []
    for at, multiple in enumerate(multiples):
        text = f"{values['mean'][at]:.3f} ±{values['error'][at]:.3f}"
        text += marked(values["mean"][at], values["bar"][at], "[]") + marked(
            values["mean"][at], values["stretch"][at], "{}"
        )
        if abs(one["calls_per_item"][at] - multiple) >= 0.05:
            text += f" ({one['calls_per_item'][at]:.1f})"  # a tournament that ends by itself
        texts.append(f"{text:30s}")
    return "".join(texts).rstrip()


def marked(value: float, bar: float | None, brackets: str) -> str:
    if bar is None:
        return ""
    return f" {brackets[0]}{bar:g}{'' if value >= bar else ' MISSED'}{brackets[1]}"


def _spent(summaries: list[dict[str, Any]]) -> Iterator[str]:
    yield "  CPU s a run: " + ", ".join(f"{CONTENDERS[one['contender']].label} {one['cpu_a_run']}" for one in summaries)


def position(made: Made, multiples: Sequence[int]) -> Iterator[str]:
    """The position term against the truth, and what a judge's faults cost."""
    told = {cell: runs for cell, runs in made.items() if runs and "position" in runs[0]["points"][0]}
    yield "\nPosition term: mean [truth, and how far off at most], root mean square error, runs within 2 SE"
    for cell, runs in told.items():
        truth = JUDGES[cell.judge].bias
        texts = []
        for at, bar in enumerate(_at(position_bars(cell), multiples)):
            points = [run["points"][at] for run in runs]
            error = np.array([point["position"] - truth for point in points])
            within = np.mean(np.abs(error) <= 2 * np.array([point["position_se"] for point in points]))
            mark = "" if bar is None else f" [{truth:g} ±{bar:g}{'' if abs(error.mean()) <= bar else ' MISSED'}]"
            squared = math.sqrt(np.mean(error**2))
            texts.append(f"{multiples[at]}N {truth + error.mean():.3f}{mark} {squared:.3f} {within:.0%}".ljust(34))
        yield f"  {cell.key:44s} {len(runs):3d} seeds  " + "".join(texts).rstrip()
    yield from _lost(made, multiples)


def _lost(made: Made, multiples: Sequence[int]) -> Iterator[str]:
    if 5 not in multiples:
        return
    at = list(multiples).index(5)
    for cell, runs in made.items():
        plain = made.get(Cell(contender=cell.contender, items=cell.items))
        if cell.judge in MOST_LOST and runs and plain:
            seeds = min(len(runs), len(plain))
            lost = [plain[seed]["points"][at]["tau"] - runs[seed]["points"][at]["tau"] for seed in range(seeds)]
            mean, error = float(np.mean(lost)), float(np.std(lost, ddof=1) / math.sqrt(seeds)) if seeds > 1 else 0.0
            bar = MOST_LOST[cell.judge] if cell.contender == "order" else None
            mark = "" if bar is None else f" [{bar:g}{'' if mean <= bar else ' MISSED'}]"
            yield f"  tau lost at 5N, {cell.key:46s} {seeds:3d} seeds  {mean:+.3f} ±{error:.3f}{mark}"


def outlook(made: Made, multiples: Sequence[int]) -> Iterator[str]:
    """What was forecast of the present and foreseen of later budgets, against what came."""
    yield "\nForecast and outlook: said, come, and said less come ± its standard error"
    for cell, runs in made.items():
        if not runs or "outlook" not in runs[0]["points"][0]:
            continue
        yield f"  {cell.key}, {len(runs)} seeds"
        for figure in FIGURES:
            texts = []
            for now, later in itertools.combinations_with_replacement(range(len(multiples)), 2):
                said = np.array([_said(run["points"][now], figure, now, later, multiples) for run in runs])
                come = np.array([run["points"][later][figure] for run in runs])
                off = said - come
                error = off.std(ddof=1) / math.sqrt(len(runs)) if len(runs) > 1 else 0.0
                span = f"{multiples[now]}N" + ("" if now == later else f"->{multiples[later]}N")
                texts.append(f"{span} {said.mean():.3f} {come.mean():.3f} {off.mean():+.3f} ±{error:.3f}")
            yield f"    {TITLES[figure]:22s} " + " | ".join(texts)


def _said(point: dict[str, Any], figure: str, now: int, later: int, multiples: Sequence[int]) -> float:
    told = point["forecast"] if now == later else point["outlook"][str(multiples[later])]
    return float(told[figure])


def _mean(runs: list[Run], value: Callable[[dict[str, Any]], float]) -> tuple[np.ndarray, np.ndarray]:
    values = np.array([[value(point) for point in run["points"]] for run in runs])
    error = values.std(axis=0, ddof=1) / math.sqrt(len(runs)) if len(runs) > 1 else np.zeros(values.shape[1])
    return values.mean(axis=0), error


def _at(row: Row, multiples: Sequence[int]) -> list[float | None]:
    return [row[MULTIPLES.index(multiple)] if multiple in MULTIPLES else None for multiple in multiples]
