"""What columns of the items buy, and what useless or misleading ones cost, at 1, 2, 5 and 10 calls an item.

Each row of a table is played twice with the same items, judge and seed, planned as in a run: by answers alone, and with
the columns in the fit and in the choice of pairs. Figures are differences in Kendall's tau (and recall of the top ten)
with standard errors over seeds; where something must not count, tau is against the truth without it. Seeds below 100
are those of the design.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from contender import Floats, score
from contender_paragone import GOALS
from contender_scheduled import ScheduledRun
from simulated import Habits, SimulatedJudge

from paragone.domain import Item
from paragone.domain.side_column import SideColumn
from paragone.ratings import fit_informed
from paragone.tournaments.posterior import fit_options
from paragone.tournaments.side_information import DIMENSIONS, EMBEDDINGS, groups_of

MULTIPLES = (1, 2, 5, 10)
NATS = float(np.pi / np.sqrt(6) / 0.5)
"""Nats in a standard deviation of the skills, as the simulated judge has it."""


@dataclass(frozen=True, kw_only=True)
class World:
    """Items, a judge and columns.

    Attributes:
        seen: What the judge goes by, in standard deviations of the skills, shape (items,).
        truth: What is to be found out.
        columns: Of the items, shape (items, columns).
        counts: Whether they may count, or are taken out.
        group: Of which group they all are; empty for a group each.
    """

    seen: Floats
    truth: Floats
    columns: Floats
    counts: bool = True
    group: str = ""


def correlating(share: float) -> Callable[[int, np.random.Generator], World]:
    """A column that correlates with the truth."""

    def world(items: int, rng: np.random.Generator) -> World:
        truth = rng.standard_normal(items)
        column = share * truth + np.sqrt(1 - share**2) * rng.standard_normal(items)
        return World(seen=truth, truth=truth, columns=column[:, None])

    return world


def useless(count: int) -> Callable[[int, np.random.Generator], World]:
    """Columns of noise."""

    def world(items: int, rng: np.random.Generator) -> World:
        truth = rng.standard_normal(items)
        return World(seen=truth, truth=truth, columns=rng.standard_normal((items, count)))

    return world


def beside_noise(items: int, rng: np.random.Generator) -> World:
    """A column that correlates by .5, and five of noise."""
    good = correlating(0.5)(items, rng)
    return World(seen=good.seen, truth=good.truth, columns=np.hstack([good.columns, rng.standard_normal((items, 5))]))


def trap(items: int, rng: np.random.Generator) -> World:
    """A column that correlates by .8 in the bulk, and is reversed in the best tenth."""
    truth = rng.standard_normal(items)
    column = 0.8 * truth + 0.6 * rng.standard_normal(items)
    best = np.argsort(-truth)[: items // 10]
    column[best] = -column[best]
    return World(seen=truth, truth=truth, columns=column[:, None])


def swayed(correlation: float, *, counts: bool) -> Callable[[int, np.random.Generator], World]:
    """A judge that likes length by half a standard deviation of the skills, of a truth that goes with it or not."""

    def world(items: int, rng: np.random.Generator) -> World:
        truth, noise = rng.standard_normal((2, items))
        length = correlation * truth + np.sqrt(1 - correlation**2) * noise
        return World(seen=truth + 0.5 * length, truth=truth, columns=length[:, None], counts=counts)

    return world


def embedded(share: float) -> Callable[[int, np.random.Generator], World]:
    """Eight components of embeddings, which together explain this share of the truth."""

    def world(items: int, rng: np.random.Generator) -> World:
        components = rng.standard_normal((items, DIMENSIONS))
        worth = components @ rng.standard_normal(DIMENSIONS)
        truth = np.sqrt(share) * worth / worth.std() + np.sqrt(1 - share) * rng.standard_normal(items)
        return World(seen=truth, truth=truth, columns=components, group=EMBEDDINGS)

    return world


WORLDS: dict[str, tuple[str, Callable[[int, np.random.Generator], World]]] = {
    "half": ("a column, r = .5", correlating(0.5)),
    "seven": ("a column, r = .7", correlating(0.7)),
    "noise": ("a column, r = .5, and five useless ones", beside_noise),
    "useless": ("a useless column", useless(1)),
    "useless5": ("five useless columns", useless(5)),
    "trap": ("trap: r = .8, the best tenth reversed", trap),
    "alike": ("embeddings, which explain half of the variance", embedded(0.5)),
    "quarter": ("embeddings, which explain a quarter", embedded(0.25)),
    "unlike": ("embeddings, which explain nothing", embedded(0.0)),
    "adjusted": ("a judge that likes length, taken out; truth free of it", swayed(0.0, counts=False)),
    "used": ("a judge that likes length, used; truth free of it", swayed(0.0, counts=True)),
    "adjusted5": ("a judge that likes length, taken out; truth with r = .5", swayed(0.5, counts=False)),
}
"""Label and world by name."""


def simulate(name: str, items: int, seed: int, multiples: tuple[int, ...]) -> dict[str, Any]:
    """One world, played by answers alone and with its columns."""
    world = WORLDS[name][1](items, np.random.default_rng([seed, 1]))
    columns = tuple(
        SideColumn(
            group=world.group or f"column {number}",
            name=f"column {number}",
            values=tuple((f"i{item:05}", float(value)) for item, value in enumerate(values)),
            counts=world.counts,
        )
        for number, values in enumerate(world.columns.T)
    )
    points: dict[str, list[dict[str, float]]] = {}
    for kind, chosen in (("plain", ()), ("columns", columns)):
        rng = np.random.default_rng([seed, 2])
        judge = SimulatedJudge(items, rng, Habits(), strength=world.seen * NATS)
        run = ScheduledRun(judge, GOALS["balanced"], seed, columns=chosen)
        groups = groups_of(chosen, tuple(Item(id=f"i{item:05}", text="") for item in range(items)))
        points[kind] = []
        for multiple in multiples:
            run.play(multiple * items)
            informed = fit_informed(run.evidence(multiple * items), groups, fit_options(("j",)))
            points[kind].append(
                score(informed.fit.strength, world.truth) | {"ms": 1000 * run.planning / len(run.matches)}
            )
    return {"name": name, "items": items, "seed": seed, "multiples": list(multiples), "points": points}


def runs(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """All runs, the ones in the cache first."""
    multiples = tuple(chosen.multiples)
    wanted = {(name, seed) for name in chosen.worlds for seed in range(chosen.first, chosen.first + chosen.seeds)}
    there = chosen.cache is not None and chosen.cache.exists()
    for run in map(json.loads, chosen.cache.read_text(encoding="utf-8").splitlines() if there else ()):
        key = run["name"], run["seed"]
        if key in wanted and (run["items"], tuple(run["multiples"])) == (chosen.items, multiples):
            wanted.remove(key)
            yield run
    with ProcessPoolExecutor(chosen.jobs) as pool:
        waiting = [pool.submit(simulate, name, chosen.items, seed, multiples) for name, seed in sorted(wanted)]
        for future in waiting:
            run = future.result()
            if chosen.cache is not None:
                with chosen.cache.open("a", encoding="utf-8") as cache:
                    cache.write(json.dumps(run) + "\n")
            yield run


def table(made: list[dict[str, Any]], chosen: argparse.Namespace) -> Iterator[str]:
    """A row a world and figure: by answers alone, and what the columns change."""
    yield f"| {chosen.items} items, {chosen.seeds} seeds | {' | '.join(f'{m}N' for m in chosen.multiples)} |"
    yield f"|---|{'---|' * len(chosen.multiples)}"
    for name in chosen.worlds:
        points = [run["points"] for run in made if run["name"] == name]
        for figure in ("tau", "recall"):
            cells = []
            for at in range(len(chosen.multiples)):
                plain, with_columns = (
                    np.array([point[kind][at][figure] for point in points]) for kind in ("plain", "columns")
                )
                gain = with_columns - plain
                error = gain.std(ddof=1) / np.sqrt(gain.size)
                cells.append(f"{plain.mean():.3f}{gain.mean():+.3f} ± {error:.3f}".replace("0.", "."))
            yield f"| {WORLDS[name][0]}: {figure} | {' | '.join(cells)} |"


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--items", type=int, default=80)
    parser.add_argument("--multiples", type=int, nargs="+", default=list(MULTIPLES), help="judge calls an item")
    parser.add_argument("--seeds", type=int, default=16, help="two or more")
    parser.add_argument("--first", type=int, default=100, help="the first seed; 0 to 99 are those of the design")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keeps the runs, a line of JSON each")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> None:
    """Print the table."""
    chosen = arguments(given)
    print("\n".join(table(list(runs(chosen)), chosen)))


if __name__ == "__main__":
    main()
