"""Error rates, power and calls of ``paragone compare``, beside fixed-sample tests and tests that are looked at early.

A question has a difficulty of its own, and a judge answers it in both orders: log-odds are the difference between the
systems on that question, and the judge's liking for the text shown first. Effects are in margins: 1 is a difference of
exactly the margin in the probability of winning. Calls are counted as a run with eight of them in flight makes them,
which asks no question that it does not need; ``--sections waiting`` measures how long it waits for them.
"""

import argparse
import heapq
import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from paragone.analysis.sequential_test import fixed_sample, least_further, look, settled
from paragone.domain import PairedDesign, PairedVerdict

EFFECTS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
MOST = 2000
"""Questions of the largest set; runs that are not settled by then are counted as such."""
LOOKS_EVERY = 4
"""Questions between two looks at the test that is not meant to be looked at; those of a block with a barrier."""
IN_FLIGHT = 8


@dataclass(frozen=True, kw_only=True)
class World:
    """Judge and questions.

    Attributes:
        name: In the table.
        spread: Standard deviation of differences between questions, in nats.
        bias: Log-odds in favour of the text shown first.
        ties: Share of ties.
    """

    name: str
    spread: float
    bias: float
    ties: float

    def scores(self, shift: float, runs: int, rng: np.random.Generator) -> np.ndarray:
        """Scores of the new system in both orders, shape (2, runs, questions)."""
        difference = shift + self.spread * rng.standard_normal((runs, MOST))
        odds = np.stack([difference + self.bias, difference - self.bias])
        wins = rng.random(odds.shape) < expit(odds)
        return np.where(rng.random(odds.shape) < self.ties, 0.5, wins)

    def shift_for(self, effect: float) -> float:
        """The mean difference in nats at which the new system wins so much more than half."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(101)

        def gain(shift: float) -> float:
            odds = shift + self.spread * nodes
            wins = (expit(odds + self.bias) + expit(odds - self.bias)) / 2
            return float((1 - self.ties) * (weights @ wins / weights.sum() - 0.5))

        return 0.0 if effect == 0.0 else brentq(lambda shift: gain(shift) - effect, 0.0, 60.0)


WORLDS = (
    World(name="coin-like judge", spread=0.0, bias=0.0, ties=0.0),
    World(name="bias 0.5, ties 10 %", spread=1.0, bias=0.5, ties=0.1),
    World(name="sure judge", spread=4.0, bias=0.5, ties=0.0),
    World(name="bias 2, ties 30 %", spread=1.0, bias=2.0, ties=0.3),
)


def row(world: World, multiple: float, design: PairedDesign, runs: int, seed: int) -> str:
    """One line of the table."""
    rng = np.random.default_rng([seed, WORLDS.index(world), int(100 * multiple)])
    effect = multiple * design.margin
    orders = world.scores(world.shift_for(effect), runs, rng)
    pairs, mean = orders.mean(axis=0), 0.5 + effect
    verdicts, calls, covered = [], [], 0
    for scores in pairs:
        after = settled(scores, design)[1] or MOST
        now = look(scores[:after], design)
        verdicts.append(now.verdict)
        calls.append(2 * after)
        covered += now.low <= mean <= now.high
    share = {verdict: verdicts.count(verdict) / runs for verdict in PairedVerdict}
    variance = float(pairs.var())
    fixed = 2 * fixed_sample(variance, design)
    cells = [f"{100 * share[verdict]:.1f}" for verdict in PairedVerdict]
    error = np.std(calls) / math.sqrt(runs)
    figures = [
        f"{100 * covered / runs:.1f}",
        f"{np.mean(calls):.0f} ± {error:.0f}",
        str(fixed),
        f"{np.mean(calls) / fixed:.2f}",
    ]
    apart = f"{100 * _apart(orders, design):.1f}" if multiple == 0.0 else ""
    looked = f"{100 * _looked_at(pairs, design, fixed // 2):.1f}" if multiple == 0.0 else ""
    return " | ".join(["", world.name, f"{multiple:g}", *cells, *figures, apart, looked, ""]).strip()


def _apart(orders: np.ndarray, design: PairedDesign) -> float:
    """Share of wrong findings if both orders of a question are taken as two observations, the first 500 runs."""
    each = orders[:, :500].transpose(1, 2, 0).reshape(min(500, orders.shape[1]), -1)
    verdicts = [settled(scores, design)[0] for scores in each]
    return sum(verdict in (PairedVerdict.BETTER, PairedVerdict.WORSE) for verdict in verdicts) / len(verdicts)


def _looked_at(pairs: np.ndarray, design: PairedDesign, questions: int) -> float:
    """Share of wrong findings of a z-test that is looked at now and then, up to its fixed sample."""
    count = np.arange(1, questions + 1)
    total, squares = (np.cumsum(values[:, :questions], axis=1) for values in (pairs, pairs**2))
    variance = squares / count - (total / count) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(total / count - 0.5) / np.sqrt(variance / count)
    looks = (count % LOOKS_EVERY == 0) & (count >= 20)
    return float((z[:, looks] > ndtri(1 - design.alpha / 2)).any(axis=1).mean())


def waiting(world: World, multiple: float, design: PairedDesign, runs: int, seed: int) -> str:
    """One line of the table of times: questions and time in blocks with a barrier, and as far ahead as is needed.

    A call takes a time whose logarithm has a standard deviation of 0.6; times are in medians of a call.
    """
    rng = np.random.default_rng([seed, WORLDS.index(world), int(100 * multiple)])
    pairs = world.scores(world.shift_for(multiple * design.margin), runs, rng).mean(axis=0)
    results = []
    for scores in pairs:
        after = settled(scores, design)[1] or MOST
        seconds = rng.lognormal(0.0, 0.6, (2 * LOOKS_EVERY + after, 2))
        asked = LOOKS_EVERY * math.ceil(after / LOOKS_EVERY)
        barriers = seconds[:asked].reshape(-1, 2 * LOOKS_EVERY).max(axis=1).sum()
        results.append([asked, barriers, *_ahead(scores[:after], seconds, design)])
    means = np.mean(results, axis=0)
    errors = np.std(results, axis=0) / math.sqrt(runs)
    cells = [f"{mean:.1f} ± {error:.1f}" for mean, error in zip(means, errors, strict=True)]
    return " | ".join(["", world.name, f"{multiple:g}", *cells, f"{means[3] / means[1]:.2f}", ""]).strip()


def _ahead(scores: np.ndarray, seconds: np.ndarray, design: PairedDesign) -> tuple[int, float]:
    """Questions that are asked until the test is settled after the last of these scores, and the time it takes."""
    free, passed, ends = [0.0] * IN_FLIGHT, 0.0, []
    for seen in range(len(scores)):
        needed = min(len(seconds), seen + least_further(scores[:seen], design))
        while len(ends) < needed:
            ends.append(max(_call(free, passed, each) for each in seconds[len(ends)]))
        passed = max(passed, ends[seen])
    return len(ends), max(ends)


def _call(free: list[float], earliest: float, seconds: float) -> float:
    """When a call ends that begins as soon as there is room for it."""
    end = max(earliest, heapq.heappop(free)) + seconds
    heapq.heappush(free, end)
    return end


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sections", nargs="*", default=["errors", "waiting"], choices=["errors", "waiting"])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--margin", type=float, default=PairedDesign().margin)
    parser.add_argument("--power", type=float, default=PairedDesign().power)
    options = parser.parse_args()
    design = PairedDesign(margin=options.margin, power=options.power)
    if "errors" in options.sections:
        heads = ["better", "worse", "no difference", "not settled", "covered", "calls", "fixed", "ratio"]
        _print_table([*heads, "orders apart", "looked at"], row, EFFECTS, design, options.runs, options.seed)
    if "waiting" in options.sections:
        heads = ["questions in blocks", "time", "questions ahead", "time", "times as long"]
        _print_table(heads, waiting, (0.0, 1.0, 2.0), design, max(1, options.runs // 10), options.seed)


def _print_table(heads, line, effects, design, runs, seed) -> None:
    print("|", " | ".join(["judge", "effect", *heads]), "|")
    print("|" + "---|" * (len(heads) + 2))
    for world in WORLDS:
        for multiple in effects:
            print(line(world, multiple, design, runs, seed), flush=True)


if __name__ == "__main__":
    main()
