"""How good a ranking the same number of tokens buys when the judge orders k items in one call, beside pairs.

The judge puts a list in order by Plackett and Luce's model, its strengths those of ``benchmarks/simulated.py`` divided
by how many times noisier a list is than a pair. "5N" is what five pairs an item show, ten texts an item, so 10 N / k
lists of k; what a call costs besides its texts is left out. Pairs answer with position bias and ties as in the other
benchmarks; "auto" asks the pilot first and goes on with what it chose. With ``--equal`` the calls and the tokens are
printed that a tau takes, a prompt being of 300 tokens, a text of 150, and an answer of 30 and 8 more for each item of a
list; and lists are also shown to a judge that favours places, by a nat from the first to the last.

Run ``python benchmarks/groups.py --help``. Every figure is a mean over seeds with its standard error; bars in brackets.
"""

import argparse
import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from simulated import SimulatedJudge

from paragone.domain import Aim, Goal
from paragone.pairing import gain, groups, informative
from paragone.pairing.forecast import forecast
from paragone.pairing.pilot import Noise, choose, pilot
from paragone.pairing.presentation import PairHistory
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import Fit

MULTIPLES = (2, 5, 10, 20)
GOAL = Goal(aim=Aim.ORDER)
PAIRS, AUTO = 2, 0

# Kendall tau at 2, 5, 10, 20 pairs' worth of texts an item, by (length of list, its noise relative to a pair's).
BARS: dict[tuple[int, float], tuple[float | None, ...]] = {
    (10, 1.0): (0.770, 0.864, 0.907, 0.935),
    (10, 1.5): (0.676, 0.800, 0.864, 0.904),
    (10, 2.0): (0.602, 0.738, 0.817, 0.872),
    (4, 1.0): (None, 0.826, None, None),
    (4, 1.5): (None, 0.753, None, None),
    (4, 2.0): (None, 0.695, None, None),
    (PAIRS, 1.0): (0.60, 0.771, 0.85, 0.90),
}
CELLS = (*BARS, (AUTO, 1.0), (AUTO, 1.5), (AUTO, 2.0))


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One cell: lists of one length, or pairs (2), or what the pilot chooses (0)."""

    size: int
    noise: float
    lean: float = 0.0  # nats by which the first place of a list is favoured over the last
    places: bool = True  # whether the fit has a term for each place
    items: int = 150
    multiples: tuple[int, ...] = MULTIPLES


class Run:
    """One simulated tournament: everything asked so far, and what it comes to."""

    def __init__(self, setting: Setting, seed: int) -> None:
        self.setting = setting
        self.rng = np.random.default_rng(seed)
        self.judge = SimulatedJudge(setting.items, self.rng)
        self.pairs: list[tuple[int, int]] = []
        self.scores: list[float] = []
        self.shown: list[tuple[int, ...]] = []
        self.orders: list[list[int]] = []
        self.places: list[list[int]] = []
        self.fitted: Fit | None = None
        self.size = setting.size
        self.track: list[tuple[int, int, float]] = []

    def _calls(self) -> int:
        return len(self.pairs) + len(self.shown)

    def _tokens(self) -> int:
        answers = 30 * self._calls() + 8 * sum(map(len, self.shown))
        return 300 * self._calls() + 150 * self.texts + answers

    def _tau(self) -> float:
        return forecast(self.fitted.strength, self.judge.strength[np.newaxis], GOAL).tau

    def to_reach(self, tau: float) -> tuple[float, float] | None:
        """Calls and tokens at which a tau is reached for good, between two batches in proportion; None if it is not."""
        below = [at for at, (_, _, reached) in enumerate(self.track) if reached < tau]
        if not below or below[-1] + 1 == len(self.track):
            return None
        before, after = self.track[below[-1]], self.track[below[-1] + 1]
        share = (tau - before[2]) / (after[2] - before[2])
        return tuple(old + share * (new - old) for old, new in zip(before[:2], after[:2], strict=True))

    @property
    def texts(self) -> int:
        return 2 * len(self.pairs) + sum(map(len, self.shown))

    def to(self, texts: int) -> None:
        """Ask until so many texts have been shown."""
        if self.size == AUTO:
            self._pilot(texts=20 * self.setting.items)  # the default budget: ten pairs an item
        while self.texts + self.size <= texts:
            room = (texts - self.texts) // self.size
            if self.size == PAIRS:
                self._compare(self._next_pairs()[:room])
            else:
                self._order(self._next_lists()[:room])
            self.fitted = fit(self._evidence(), start=self.fitted)
            self.track.append((self._calls(), self._tokens(), self._tau()))

    def _pilot(self, texts: int) -> None:
        asked = pilot(self.setting.items, texts, rng=self.rng)
        self._compare(asked.pairs)
        self._order(asked.lists)
        self.fitted = fit(self._evidence())
        fitted = self.fitted
        self.size = choose(
            {
                int(name): Noise(
                    ratio=fitted.slope[0] / fitted.slope[at], log_error=fitted.slope_se[0] + fitted.slope_se[at]
                )
                for at, name in enumerate(fitted.judges)
                if at
            }
        )

    def _next_pairs(self) -> tuple[tuple[int, int], ...]:
        history, items = PairHistory.of(self.setting.items, self.pairs), self.setting.items
        if self.fitted is None:
            return informative.start(items, rng=self.rng)
        return gain.next_batch(
            self.fitted.strength,
            self.fitted.covariance,
            history,
            GOAL,
            rng=self.rng,
            size=informative.batch_size(items, GOAL),
            audit_share=0.04,
            far=0,
            focus=0,
        )

    def _next_lists(self) -> tuple[tuple[int, ...], ...]:
        before = (item for pair in self.pairs for item in pair)
        history = groups.ListHistory.of(self.setting.items, self.shown, before=before)
        return groups.next_batch(*self._seen(), history, GOAL, size=self.size, rng=self.rng)

    def _seen(self) -> tuple[np.ndarray, np.ndarray]:
        """Means, and the draws that the whole order does not look at."""
        mean = np.zeros(self.setting.items) if self.fitted is None else self.fitted.strength
        return mean, mean[np.newaxis]

    def _compare(self, pairs: tuple[tuple[int, int], ...]) -> None:
        table = np.array(pairs)
        self.pairs.extend(pairs)
        self.scores.extend(self.judge.answer(table[:, 0], table[:, 1]).tolist())

    def _order(self, lists: tuple[tuple[int, ...], ...]) -> None:
        for group in lists:
            items = np.array(group)
            gained = self.setting.lean * np.linspace(0.5, -0.5, items.size)
            seen = self.judge.strength[items] / self.setting.noise + gained + self.rng.gumbel(size=items.size)
            self.shown.append(group)
            self.places.append(np.argsort(-seen).tolist())
            self.orders.append(items[self.places[-1]].tolist())

    def _evidence(self) -> Evidence:
        table = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        lengths = sorted(set(map(len, self.orders)))
        judges = ("pairs", *map(str, lengths)) if self.pairs else tuple(map(str, lengths))
        return Evidence.from_arrays(
            self.setting.items,
            table[:, 0],
            table[:, 1],
            self.scores,
            judges=judges,
            rankings=self.orders,
            ranking_judge=[judges.index(str(len(order))) for order in self.orders],
            ranking_place=self.places if self.setting.places else None,
        )


def simulate(setting: Setting, seed: int) -> tuple[list[float], int]:
    """Tau at each multiple, and the length that was asked in the end."""
    run, found = Run(setting, seed), []
    for multiple in setting.multiples:
        run.to(2 * multiple * setting.items)
        if run.fitted is None:
            raise ValueError(f"{multiple} pairs an item are too few texts for a list of {setting.size}")
        found.append(forecast(run.fitted.strength, run.judge.strength[np.newaxis], GOAL).tau)
    return found, run.size


EQUAL = (0.75, 0.8, 0.85)
LEAN = 1.0
EQUAL_CELLS = (
    Setting(size=PAIRS, noise=1.0),
    *(
        Setting(size=size, noise=noise, lean=lean)
        for size in (4, 10)
        for noise in (1.0, 1.5, 2.0)
        for lean in (0.0, LEAN)
    ),
    *(Setting(size=10, noise=noise, lean=LEAN, places=False) for noise in (1.0, 2.0)),
    *(Setting(size=AUTO, noise=noise) for noise in (1.0, 2.0, 4.0)),
)


def print_equal(items: int, seeds: int, multiple: int, sizes: list[int] | None) -> None:
    """What each tau takes, and the tau reached at the end, as a table."""
    print(f"| | tau at {multiple}N | {' | '.join(f'calls and tokens, tau {tau:.2f}' for tau in EQUAL)} |")
    print(f"|{'---|' * (2 + len(EQUAL))}")
    for cell in EQUAL_CELLS:
        if sizes and cell.size not in sizes:
            continue
        setting = replace(cell, items=items, multiples=(multiple,))
        runs = [Run(setting, seed) for seed in range(1000, 1000 + seeds)]
        for run in runs:
            run.to(2 * multiple * items)
        name = {PAIRS: "pairs", AUTO: f"the pilot's choice, x {cell.noise:g}"}.get(
            cell.size, f"k = {cell.size}, x {cell.noise:g}"
        )
        name += f", first favoured by {cell.lean:g}" if cell.lean else ""
        name += "" if cell.places else ", not taken out"
        cells = [_mean([run.track[-1][2] for run in runs], 3)]
        for tau in EQUAL:
            reached = [found for run in runs if (found := run.to_reach(tau)) is not None]
            if len(reached) < seeds:
                cells.append(f"in {len(reached)} of {seeds}")
                continue
            calls, tokens = zip(*reached, strict=True)
            cells.append(f"{_mean(calls, 0)}; {_mean([each / 1000 for each in tokens], 0)}k")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _mean(values: list[float], digits: int) -> str:
    error = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"


def measure(setting: Setting, seeds: int) -> dict[str, object]:
    """Means and standard errors over seeds."""
    began = time.process_time()
    runs = [simulate(setting, seed) for seed in range(seeds)]
    taus = np.array([taus for taus, _ in runs])
    return {
        "size": setting.size or "auto",
        "noise": setting.noise,
        "items": setting.items,
        "seeds": seeds,
        "multiples": list(setting.multiples),
        "tau": taus.mean(axis=0).round(4).tolist(),
        "error": (taus.std(axis=0, ddof=1) / math.sqrt(seeds)).round(4).tolist() if seeds > 1 else None,
        "bar": _bars(setting),
        "chosen": {str(size): count for size, count in sorted(Counter(size for _, size in runs).items())},
        "cpu_seconds_a_run": round((time.process_time() - began) / seeds, 2),
    }


def _bars(setting: Setting) -> list[float | None]:
    bars = BARS.get((setting.size, setting.noise), (None,) * len(MULTIPLES)) if setting.items == 150 else (None,) * 4
    return [bars[MULTIPLES.index(multiple)] for multiple in setting.multiples]


def lines(result: dict[str, object]) -> Iterator[str]:
    """A result as text, bars in brackets and an asterisk where one is missed."""
    names = {PAIRS: "pairs", "auto": f"auto, lists x {result['noise']:g}"}
    name = names.get(result["size"], f"k = {result['size']}, x {result['noise']:g}")
    cells = []
    for at, multiple in enumerate(result["multiples"]):
        tau, bar = result["tau"][at], result["bar"][at]
        error = 0.0 if result["error"] is None else result["error"][at]
        mark = "" if bar is None else f" [{bar:.3f}]{'' if tau >= bar else '*'}"
        cells.append(f"{multiple:>3d}N {tau:.3f} ±{error:.3f}{mark:9s}")
    yield f"{name:18s} " + " ".join(cells) + f"  {result['seeds']} seeds, {result['cpu_seconds_a_run']} s a run"
    if result["size"] == "auto":
        yield f"{'':18s} chosen: " + ", ".join(f"{size} in {count}" for size, count in result["chosen"].items())


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--multiples", type=int, nargs="+", default=list(MULTIPLES), choices=MULTIPLES)
    parser.add_argument("--sizes", type=int, nargs="+", help="lengths of lists; 2 are pairs, 0 is the pilot's choice")
    parser.add_argument("--equal", action="store_true", help="what equal tau takes, and places that are favoured")
    parser.add_argument("--quick", action="store_true", help="40 items, 3 seeds, up to five pairs an item")
    parser.add_argument("--json", action="store_true", help="one JSON object with all results")
    chosen = parser.parse_args(given)
    if chosen.quick:
        chosen.items, chosen.seeds, chosen.multiples = 40, 3, [2, 5]
    return chosen


def main(given: list[str] | None = None) -> int:
    chosen = arguments(given)
    if chosen.equal:
        print_equal(chosen.items, chosen.seeds, max(chosen.multiples), chosen.sizes)
        return 0
    results = []
    for size, noise in CELLS:
        if chosen.sizes and size not in chosen.sizes:
            continue
        setting = Setting(size=size, noise=noise, items=chosen.items, multiples=tuple(sorted(chosen.multiples)))
        results.append(measure(setting, chosen.seeds))
        if not chosen.json:
            print("\n".join(lines(results[-1])), flush=True)
    if chosen.json:
        print(json.dumps({"results": results}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
