"""The batch fit at scale, and its intervals: sections ``fit`` and ``intervals`` of ``rating.py``.

Two shapes of evidence. *Well mixed*: opponents from anywhere. *Near-equals*: opponents at most ten ranks away, as
pairing by rank makes them; numbers of items say nothing of their ranks. Skills have a spread of 2 nats, what is shown
first is preferred by 0.4, a tenth or so of the verdicts are ties.
"""

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rating_table import Table, absent, cpu, peer
from scipy.optimize import minimize

from paragone import ratings
from paragone.ratings import ELO_PER_NAT, Evidence, FitOptions, draws, rank_intervals, ranks, rating_intervals
from paragone.ratings.inference.optimum import Ascent
from paragone.ratings.model.likelihood import TIE_CENTER, Hyper
from paragone.ratings.model.pair_curvature import PairPattern
from paragone.ratings.model.pair_model import PairModel

Floats = NDArray[np.float64]
SPREAD, REACH = 2.0, 10
WIDE = 100.0
"""A spread that says next to nothing before evidence."""
PATIENCE = 120.0
"""CPU seconds that L-BFGS may take at the most."""
MATCHED = "near-equals after two matchings"
GIVEN = FitOptions(spread=SPREAD)


@dataclass(frozen=True, kw_only=True)
class Votes:
    """Simulated evidence and the truth behind it, in nats."""

    evidence: Evidence
    strength: Floats


def votes(shape: str, comparisons: int, items: int, seed: int = 0) -> Votes:
    """Comparisons of one of the shapes; items are even in number."""
    rng = np.random.default_rng(seed)
    skill = np.sort(rng.normal(scale=SPREAD, size=items))
    first = rng.integers(items, size=comparisons)
    if shape == "well mixed":
        second = (first + rng.integers(1, items, size=comparisons)) % items
    else:
        second = first + rng.integers(1, REACH + 1, size=comparisons) * rng.choice((-1, 1), size=comparisons)
        second = np.where((second < 0) | (second >= items), 2 * first - second, second)
    if shape == MATCHED:
        opening = rng.permuted(np.tile(np.arange(items), (2, 1)), axis=1).reshape(2, -1, 2).reshape(-1, 2)
        first[: len(opening)], second[: len(opening)] = opening.T
    latent = skill[first] - skill[second] + 0.4 + rng.logistic(size=comparisons)
    score = np.where(np.abs(latent) < 0.35, 0.5, latent > 0)
    number = rng.permutation(items)
    strength = np.empty(items)
    strength[number] = skill - skill.mean()
    return Votes(evidence=Evidence.from_arrays(items, number[first], number[second], score), strength=strength)


class Peer:
    """The same log posterior for scipy's L-BFGS: pairs added up, an analytic gradient, one exponential an item."""

    def __init__(self, evidence: Evidence, spread: float = SPREAD) -> None:
        items = self.items = evidence.item_count
        first, second, lead = evidence.first, evidence.second, evidence.score - 0.5
        self.pull = np.zeros(items + 2)
        self.pull[:items] = np.bincount(first, lead, items) - np.bincount(second, lead, items)
        self.pull[items:] = lead.sum(), evidence.tie.sum()
        keys = first * items + second
        if items**2 <= 10_000_000:
            counts = np.bincount(keys, minlength=items**2)
            keys = np.flatnonzero(counts)
            counts = counts[keys]
        else:
            keys, counts = np.unique(keys, return_counts=True)
        self.first, self.second = np.divmod(keys, items)
        self.count = counts.astype(np.float64)
        met = np.bincount(self.first, self.count, items) + np.bincount(self.second, self.count, items)
        self.met = met / 2
        self.pull += np.append(self.met, (self.count.sum() / 2, 0.0))
        self.center, self.precision = np.zeros(items + 2), np.full(items + 2, spread**-2)
        self.center[-1], self.precision[-2:] = TIE_CENTER, 0.25

    def at(self, theta: Floats) -> tuple[float, Floats]:
        """The negative log posterior and its gradient."""
        items, root = self.items, np.exp(theta[: self.items] / 2)
        one, other = root[self.first] * np.exp(theta[items] / 2), root[self.second]
        tied = one * other * np.exp(theta[-1])
        one *= one
        other *= other
        total = one + tied + other
        share = self.count / total
        margin = (one - other) * share / 2
        away = theta - self.center
        value = self.count @ np.log(total) - self.pull @ theta + (self.precision * away) @ away / 2
        slope = self.precision * away - self.pull
        slope[:items] += self.met + np.bincount(self.first, margin, items) - np.bincount(self.second, margin, items)
        slope[items:] += margin.sum() + self.count.sum() / 2, tied @ share
        return float(value), slope

    def solved(self) -> tuple[Floats, bool]:
        """The optimum as far as L-BFGS comes in ``PATIENCE`` CPU seconds, and whether it came to its end."""
        until = time.process_time() + PATIENCE

        def look_at_the_clock(_: Floats) -> None:
            if time.process_time() > until:
                raise StopIteration

        start = np.append(np.zeros(self.items + 1), TIE_CENTER)
        # Where rounding of the value hides any further gain it may stop: else it would search on for nothing.
        options = {"maxiter": 5000, "maxfun": 6000, "ftol": 1e-13, "gtol": 1e-3}
        found = minimize(self.at, start, jac=True, method="L-BFGS-B", options=options, callback=look_at_the_clock)
        return found.x, time.process_time() <= until


def optimum(evidence: Evidence, spread: float = SPREAD) -> tuple[Floats, float]:
    """What L-BFGS computes, and no more: the parameters at the optimum, and the largest component of the gradient."""
    model = PairModel.of_pairs(evidence, evidence.judges)
    climb = Ascent(model=model, pattern=PairPattern(model), theta=model.guess(spread), steps=100, tolerance=1e-10)
    found = climb.to(Hyper(spread=spread, dispersion=np.ones(1)))
    return found.theta, found.gradient_norm


def timed(call: Callable[[], object]) -> tuple[float, object]:
    """CPU seconds of one call, and its result."""
    began = time.process_time()
    result = call()
    return time.process_time() - began, result


def memory() -> float:
    """The most memory that this process has held so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


SIZES = ((100_000, 1_000), (1_000_000, 200), (1_000_000, 10_000), (10_000_000, 100_000))
QUICK = ((100_000, 1_000), (200_000, 200), (200_000, 4_000))


def fit_row(shape: str, comparisons: int, items: int, spread: float = SPREAD) -> list[str | int | float | None]:
    """One line of the table of fits."""
    given = votes(shape, comparisons, items).evidence
    few = comparisons <= 1_000_000
    ours, (theta, norm) = timed(lambda: optimum(given, spread))
    if few:
        ours = min(ours, cpu(lambda: optimum(given, spread)))
    whole = cpu(lambda: ratings.fit(given, FitOptions(spread=spread)), 3 if few else 1)
    free, found = timed(lambda: ratings.fit(given))
    held = memory()
    added, theirs_objective = timed(lambda: Peer(given, spread))
    theirs, (other, ended) = timed(theirs_objective.solved)
    theirs += added
    peer_norm, exact = (float(np.abs(theirs_objective.at(there)[1]).max()) for there in (other, theta))
    apart = float(np.abs(other - theta)[:items].max() * ELO_PER_NAT)
    return [
        shape if spread == SPREAD else f"{shape}, spread {spread:g}",
        comparisons, items, ours, theirs, theirs / ours, max(norm, exact), peer_norm, apart, whole, free,
        found.converged, held, ended,
    ]  # fmt: skip


def fits(quick: bool) -> Table:
    """Time to the proven optimum beside L-BFGS on the same objective."""
    optimum(votes("well mixed", 2_000, 100).evidence)  # compiles
    ratings.fit(votes("near-equals", 60_000, 2_000).evidence)
    ratings.fit(votes("well mixed", 60_000, 100).evidence)
    shapes = ("well mixed", "near-equals")
    rows = [fit_row(shape, *QUICK[0], spread=WIDE) for shape in shapes]
    rows += [fit_row(shape, *size) for size in (QUICK if quick else SIZES) for shape in shapes]
    return Table(
        title="Batch Bradley-Terry: strengths, a position term, ties and a prior; CPU seconds",
        columns=[
            "shape", "comparisons", "items", "optimum", "scipy L-BFGS", "times as fast", "gradient",
            "L-BFGS's gradient", "apart, Elo", "fit, spread given", "fit, spread from evidence", "converged",
            "memory so far, GB", "L-BFGS ended",
        ],
        rows=rows,
        notes=[
            "*optimum* is what L-BFGS computes as well: from raw arrays to all parameters under a spread of 2 nats,",
            "or the one that is named.",
            "Both add pairs up first, and that counts. *gradient* is the largest component of the log posterior's,",
            "the larger of what the fit reports and what L-BFGS's own objective gives at our optimum.",
            f"L-BFGS is stopped after {PATIENCE:g} s; then its time and what it is slower by are lower bounds.",
            "*fit* is the public call, with standard errors and all.",
            "Bars: 10 times L-BFGS well mixed, 3 times among near-equals.",
        ],
    )  # fmt: skip


def others(quick: bool) -> Table:
    """What other packages take; they have no prior, no position term, and ties as half wins or not at all."""
    given = votes("well mixed", 20_000 if quick else 100_000, 1_000).evidence
    rows: list[list[str | int | float | None]] = [["paragone, optimum", cpu(lambda: optimum(given)[0])]]
    notes = []
    if (evalica := peer("evalica")) is None:
        notes.append(absent("evalica"))
    else:
        winners = winners_of(evalica, given)
        index = evalica.indexing(list(range(1000)), list(range(1000)))[2]
        xs, ys = given.first.tolist(), given.second.tolist()
        rows.append(["evalica bradley_terry", cpu(lambda: evalica.bradley_terry(xs, ys, winners, index=index), 1)])
        rows.append(["evalica newman", cpu(lambda: evalica.newman(xs, ys, winners, index=index), 1)])
    if (choix := peer("choix")) is None:
        notes.append(absent("choix"))
    else:
        won = given.score != 0.0  # it knows no ties; they go to the first
        pairs = np.where(
            won[:, None], np.stack([given.first, given.second], 1), np.stack([given.second, given.first], 1)
        )
        listed = list(map(tuple, pairs.tolist()))
        took, solved = timed(lambda: ilsr(choix, listed))
        rows.append(["choix ilsr_pairwise" + ("" if solved else ", not converged in 100 rounds"), took])
    return Table(
        title=f"Other packages on {len(given):,} well mixed comparisons of 1,000 items, CPU seconds",
        columns=["contender", "CPU s"],
        rows=rows,
        notes=["They fit another model: no prior, no position term, ties as half wins or none.", *notes],
    )


def ilsr(choix: object, pairs: list[tuple[int, int]]) -> bool:
    """Whether choix's spectral fit of these wins converged."""
    try:
        choix.ilsr_pairwise(1000, pairs, alpha=1e-6)
    except RuntimeError:
        return False
    return True


def winners_of(evalica: object, evidence: Evidence) -> list[object]:
    """Evalica's names for the outcomes."""
    names = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    return [names[score] for score in evidence.score.tolist()]


def fit(quick: bool) -> list[Table]:
    """The section ``fit``."""
    return [fits(quick), others(quick)]


def coverage(shape: str, comparisons: int, items: int, seeds: int) -> list[str | int | float | None]:
    """How often 95 % intervals hold the truth, and what they cost."""
    covered, ranked, width, spent, norms = [], [], [], 0.0, []
    for seed in range(seeds):
        given = votes(shape, comparisons, items, seed)
        took, found = timed(lambda given=given: ratings.fit(given.evidence, GIVEN))
        spent += took
        low, high = rating_intervals(found)
        covered.append(((low <= given.strength) & (given.strength <= high)).mean())
        width.append((high - low).mean())
        best, worst = rank_intervals(draws(found, 400, np.random.default_rng(seed)), reported=ranks(found.strength))
        true = ranks(given.strength)
        ranked.append(((best <= true) & (true <= worst)).mean())
        norms.append(found.gradient_norm)
    return [
        shape, comparisons, items, seeds, float(np.mean(covered)), float(np.mean(ranked)),
        float(np.mean(width) * ELO_PER_NAT), spent / seeds, max(norms),
    ]  # fmt: skip


def calibration(quick: bool) -> Table:
    """Coverage on both shapes, by the full matrix and above its limit."""
    sizes = ((10_000, 500), (40_000, 2_000)) if quick else ((20_000, 1_000), (40_000, 4_000), (400_000, 20_000))
    seeds = 2 if quick else 5
    rows = [coverage(shape, *size, seeds) for size in sizes for shape in ("well mixed", MATCHED, "near-equals")]
    return Table(
        title="95 % intervals, spread given",
        columns=[
            "shape", "comparisons", "items", "seeds", "ratings covered", "ranks covered", "width, Elo", "fit, CPU s",
            "gradient",
        ],
        rows=rows,
        notes=[
            "Where nobody ever met any but near-equals, the prior is wrong: it takes skills to be independent of who",
            "met whom, and pulls the ends of the line to its middle.",
        ],
    )  # fmt: skip


def bootstrap(quick: bool) -> Table:
    """Ratings with intervals beside evalica's bootstrap."""
    comparisons, items, rounds = (20_000, 500, 10) if quick else (100_000, 1_000, 100)
    given = votes("well mixed", comparisons, items).evidence

    def ends(options: FitOptions) -> Callable[[], object]:
        return lambda: rating_intervals(ratings.fit(given, options))

    sparse = FitOptions(spread=SPREAD, dense_limit=0)
    rows: list[list[str | float | None]] = [
        ["paragone, full matrix, spread from evidence", cpu(ends(FitOptions()), 1), None],
        ["paragone, full matrix, spread given", cpu(ends(GIVEN)), None],
        ["paragone, no matrix, spread given", cpu(ends(sparse)), None],
    ]
    notes = ["From the raw arrays to lower and upper ends, the fit included."]
    if (evalica := peer("evalica")) is None:
        notes.append(absent("evalica"))
    else:
        winners, xs, ys = winners_of(evalica, given), given.first.tolist(), given.second.tolist()
        took, _ = timed(
            lambda: evalica.bootstrap(
                evalica.bradley_terry,
                xs,
                ys,
                winners,
                n_resamples=rounds,
                bootstrap_method="percentile",
                random_state=0,
            )
        )
        rows.append([f"evalica bootstrap, {rounds} rounds", took, None])
        rows = [[name, spent, took / spent] for name, spent, _ in rows]
        notes.append("Bar: 15 times as fast as the bootstrap.")
    return Table(
        title=f"Ratings with 95 % intervals, {comparisons:,} comparisons of {items:,} items",
        columns=["contender", "CPU s", "times as fast as the bootstrap"],
        rows=rows,
        notes=notes,
    )


def intervals(quick: bool) -> list[Table]:
    """The section ``intervals``."""
    return [bootstrap(quick), calibration(quick)]
