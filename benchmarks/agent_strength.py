"""Strengths of debating agents: by domain beside plainer ways, their intervals, and the order beside the running Elo.

    .venv/bin/python benchmarks/agent_strength.py [--sections domains sizes order speed] [--quick] [--json]

Agents have normal strengths of 1 nat (174 Elo points), and in each domain a normal deviation besides. What an agent
scores in a debate is the logistic function of its strength plus Gumbel noise, so that duels follow Bradley and Terry.
All figures are means over seeds; errors are root mean squares in Elo points, with the standard errors of those; times
are CPU seconds of one run.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from paragone.domain import Counting, Normalization, RatingConfig, Scorecard
from paragone.ratings import ELO_PER_NAT, FitOptions, draws, fit, rank_intervals, rating_intervals
from paragone.ratings.domain_strength import fit_domains
from paragone.ratings.elo import update_scored
from paragone.ratings.score_pairs import ScoreColumns, ScorePairs

COUNTS = (300, 60, 15, 5)
DEVIATIONS = (0, 50, 150)
SIZES = (2, 3, 5, 8)
DEBATES_EACH = (3, 10, 30, 100)
SPEEDS = ((40, 6, 5_000), (1_000, 5, 20_000))
PLAIN = FitOptions(position=False)
CONFIG = RatingConfig(initial=1500.0)
Table = dict[str, dict[str, str]]


def debated(rng: np.random.Generator, strength: np.ndarray, counts: tuple[int, ...], sizes: tuple[int, ...]):
    """Debates by domain among agents of these strengths, shape (domains, agents), in an order drawn at random."""
    agents = strength.shape[1]
    domain = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    size = rng.choice(sizes, domain.size)
    agent = np.concatenate([rng.choice(agents, count, replace=False) for count in size])
    match = np.repeat(np.arange(domain.size), size)
    seen = strength[domain[match], agent] + rng.gumbel(size=agent.size)
    return ScoreColumns(
        agents=tuple(f"agent {number}" for number in range(agents)),
        domains=tuple(f"domain {number}" for number in range(len(counts))),
        match=match,
        agent=agent,
        score=1 / (1 + np.exp(-seen)),
        domain=domain,
        confidence=np.ones(domain.size),
    )


def pool(seed: int, tau: float, counts: tuple[int, ...], agents: int = 20, sizes: tuple[int, ...] = (2, 3, 4)):
    """True strengths less their mean by domain, and debates."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(agents) + tau * rng.standard_normal((len(counts), agents))
    return truth - truth.mean(axis=1, keepdims=True), debated(rng, truth, counts, sizes)


def places(strength: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(-strength, axis=-1), axis=-1) + 1


def within(low: np.ndarray, values: np.ndarray, high: np.ndarray) -> np.ndarray:
    return ((low <= values) & (values <= high)).mean(axis=-1)


def bare(columns: ScoreColumns, rng: np.random.Generator, truth: np.ndarray) -> tuple[np.ndarray, ...]:
    """Strengths of one fit of these debates, and whether intervals of strengths and of ranks hold."""
    found = fit(ScorePairs.of(columns).evidence(), PLAIN)
    best, worst = rank_intervals(draws(found, 500, rng))
    low, high = rating_intervals(found)
    return found.strength, within(low, truth, high), within(best, places(truth), worst)


def domain_runs(points: int, seeds: int) -> dict[str, np.ndarray]:
    """Squared errors and shares held, by way and figure, shape (seeds, domains)."""
    kept: dict[str, list[np.ndarray]] = {}
    for seed in range(seeds):
        truth, columns = pool(seed, points / ELO_PER_NAT, COUNTS)
        rng = np.random.default_rng(seed)
        found = fit_domains(columns, rng=rng)
        own = [bare(columns.within(domain), rng, truth[row]) for row, domain in enumerate(columns.domains)]
        one = [bare(columns, rng, truth[row]) for row in range(len(COUNTS))]
        ways = {"domain alone": [np.array(part) for part in zip(*own, strict=True)]}
        ways["all debates as one"] = [np.array(part) for part in zip(*one, strict=True)]
        ways["shrunken"] = [
            found.strength[1:],
            within(found.low[1:], truth, found.high[1:]),
            within(found.rank_low[1:], places(truth), found.rank_high[1:]),
        ]
        for way, (strength, held, ranked) in ways.items():
            kept.setdefault(f"{way}, error", []).append(((strength - truth) ** 2).mean(axis=1) * ELO_PER_NAT**2)
            kept.setdefault(f"{way}, held", []).append(held)
            kept.setdefault(f"{way}, ranks held", []).append(ranked)
        kept.setdefault("tau", []).append(np.array([found.tau * ELO_PER_NAT]))
    return {name: np.array(values) for name, values in kept.items()}


def domains(seeds: int) -> Table:
    """Errors and coverage by domain of three ways, by size of deviations."""
    table: Table = {}
    for points in DEVIATIONS:
        runs = domain_runs(points, seeds)
        for way in ("all debates as one", "domain alone", "shrunken"):
            cells = {}
            for at, count in enumerate(COUNTS):
                square = runs[f"{way}, error"][:, at]
                error = np.sqrt(square.mean())
                doubt = square.std(ddof=1) / np.sqrt(seeds) / (2 * error)
                held, ranked = (runs[f"{way}, {what}"][:, at].mean() for what in ("held", "ranks held"))
                cells[f"{count} debates"] = f"{error:.0f} ±{doubt:.0f} ({held:.3f}, {ranked:.3f})"
            table[f"tau {points}: {way}"] = cells
        low, middle, high = np.quantile(runs["tau"], [0.1, 0.5, 0.9])
        table[f"tau {points}: tau found"] = {"10 % to 90 %": f"{low:.0f}, {middle:.0f}, {high:.0f}"}
    return table


def sizes(seeds: int) -> Table:
    """Coverage of 95 % intervals by size of debates, twelve agents with fifteen debates each."""
    table: Table = {}
    for size in SIZES:
        figures = []
        for seed in range(seeds):
            truth, columns = pool(seed, 0.0, (180 // size,), agents=12, sizes=(size,))
            pairs = ScorePairs.of(columns)
            row = []
            for evidence in (pairs, replace(pairs, weight=np.ones(pairs.weight.size))):
                found = fit(evidence.evidence(), PLAIN)
                row += [within(*_ends(found, truth[0])), found.standard_error.mean() * ELO_PER_NAT]
                row.append(((found.strength - truth[0]) ** 2).mean() * ELO_PER_NAT**2)
            figures.append(row)
        mean = np.mean(figures, axis=0)
        table[f"debates among {size}"] = {
            name: f"{held:.3f} (se {error:.0f}, error {square**0.5:.0f})"
            for name, (held, error, square) in (("weighted", mean[:3]), ("all pairs in full", mean[3:]))
        }
    return table


def _ends(found, truth):
    low, high = rating_intervals(found)
    return low, truth, high


def running(columns: ScoreColumns, counting: Counting, normalization: Normalization) -> np.ndarray:
    """The running Elo after all debates."""
    ratings = np.full(len(columns.agents), CONFIG.initial)
    for entries in np.split(np.arange(columns.match.size), np.flatnonzero(np.diff(columns.match)) + 1):
        here = columns.agent[entries]
        card = Scorecard(
            participants=tuple(columns.agents[agent] for agent in here),
            scores=tuple(columns.score[entries].tolist()),
            counting=counting,
            normalization=normalization,
        )
        ratings[here] = [move.new for move in update_scored(ratings[here].tolist(), card, CONFIG)]
    return ratings


WAYS: dict[str, Callable[[ScoreColumns], np.ndarray]] = {
    "running Elo, ratio": lambda columns: running(columns, Counting.RATIO, Normalization.SUM),
    "running Elo, win": lambda columns: running(columns, Counting.WIN, Normalization.SUM),
    'running Elo, win, "n-1"': lambda columns: running(columns, Counting.WIN, Normalization.MEAN),
    "batch strength": lambda columns: fit(ScorePairs.of(columns).evidence(), PLAIN).strength,
}


def kendall(one: np.ndarray, other: np.ndarray) -> float:
    """Kendall's tau-b between two orders; the second has no ties."""
    here, there = np.sign(one[:, None] - one), np.sign(other[:, None] - other)
    return float((here * there).sum() / np.sqrt((here**2).sum() * (there**2).sum()))


def order(seeds: int, agents: int = 20) -> Table:
    """Kendall's tau with the truth, by debates an agent, debates among 2 to 4."""
    table: Table = {way: {} for way in WAYS}
    for each in DEBATES_EACH:
        runs = [pool(seed, 0.0, (each * agents // 3,), agents) for seed in range(seeds)]
        for way, rate in WAYS.items():
            taus = np.array([kendall(rate(columns), truth[0]) for truth, columns in runs])
            table[way][f"{each} debates"] = f"{taus.mean():.3f} ±{taus.std(ddof=1) / np.sqrt(seeds):.3f}"
    return table


def speed(cases: tuple[tuple[int, int, int], ...]) -> Table:
    """CPU seconds of a fit by domain; scipy is loaded before."""
    fit_domains(pool(0, 0.3, (5, 5), 4)[1], rng=np.random.default_rng(0))
    table: Table = {}
    for agents, count, debates in cases:
        truth, columns = pool(1, 0.4, (debates // count,) * count, agents)
        began = time.process_time()
        found = fit_domains(columns, rng=np.random.default_rng(0))
        spent = time.process_time() - began
        held = within(found.low[1:], truth, found.high[1:]).mean()
        table[f"{agents:,} agents, {count} domains, {debates:,} debates"] = {
            "CPU seconds": f"{spent:.2f}",
            "held": f"{held:.3f}",
            "gradient": f"{found.gradient_norm:.0e}",
        }
    return table


def lines(title: str, table: Table) -> Iterator[str]:
    yield f"\n{title}"
    for name, cells in table.items():
        yield f"  {name:42s} " + "  ".join(f"{figure}: {value}" for figure, value in cells.items())


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sections = ("domains", "sizes", "order", "speed")
    parser.add_argument("--sections", nargs="+", choices=sections, default=list(sections))
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--quick", action="store_true", help="4 seeds, and the smaller of the two speeds")
    parser.add_argument("--json", action="store_true", help="one JSON object with all tables")
    chosen = parser.parse_args(given)
    if chosen.quick:
        chosen.seeds = 4
    return chosen


def main(given: list[str] | None = None) -> int:
    chosen = arguments(given)
    made = {
        "domains": lambda: domains(chosen.seeds),
        "sizes": lambda: sizes(chosen.seeds),
        "order": lambda: order(chosen.seeds),
        "speed": lambda: speed(SPEEDS[:1] if chosen.quick else SPEEDS),
    }
    tables = {}
    for section in chosen.sections:
        tables[section] = made[section]()
        if not chosen.json:
            print("\n".join(lines(section, tables[section])), flush=True)
    if chosen.json:
        print(json.dumps({"seeds": chosen.seeds, "tables": tables}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
