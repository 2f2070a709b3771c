"""How well agents that change are followed, and what ratings to begin from are worth.

One of ten agents becomes another after 200 debates; its strength now is estimated by averaging both versions, by taking
the new one for another agent, and by the fit in which the evidence chooses how far versions differ. Twenty agents with
starting ratings of several reliabilities are ranked with and without them.

    python benchmarks/agent_changes.py [--seeds 40] [--first 1000]
"""

import argparse
from dataclasses import replace

import numpy as np

from paragone.ratings import ELO_PER_NAT, FitOptions, fit
from paragone.ratings.moving_strength import MovingOptions, fit_moving
from paragone.ratings.score_pairs import AgentVersions, ScoreColumns, ScorePairs

OPTIONS = MovingOptions(draws=50)


def debated(rng, truth, now, debates, since):
    """Duels with the noise of Bradley and Terry; strengths are ``now`` after ``since`` of them."""
    agents = truth.size
    pairs = np.array([rng.choice(agents, 2, replace=False) for _ in range(debates)])
    late = np.arange(debates)[:, None] >= since
    return ScoreColumns(
        agents=tuple(f"a{number}" for number in range(agents)),
        domains=(),
        match=np.repeat(np.arange(debates), 2),
        agent=pairs.ravel(),
        score=(np.where(late, now[pairs], truth[pairs]) + rng.gumbel(size=pairs.shape)).ravel(),
        domain=np.full(debates, -1),
        confidence=np.ones(debates),
        history=AgentVersions(
            version=((pairs == 0) & late).astype(int).ravel(),
            current=np.array([1] + [0] * (agents - 1)),
            start=np.full(agents, np.nan),
        ),
    )


def plain(columns):
    return fit(ScorePairs.of(replace(columns, history=None)).evidence(), FitOptions(position=False)).strength


def moving(columns):
    return fit_moving(columns, OPTIONS, by_domain=False, rng=np.random.default_rng(0))


def changed(seed, change, after):
    """Errors of the new version's strength: averaged, as another agent, by the fit; and whether its interval holds."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(10)
    now = truth + change * rng.choice([-1, 1]) * (np.arange(10) == 0)
    columns = debated(rng, truth, now, 200 + after, 200)
    entries = np.where(columns.history.version == 1, 10, columns.agent)
    apart = replace(columns, agents=(*columns.agents, "new"), agent=entries, history=None)
    other = plain(apart)[[10, *range(1, 10)]]
    found, target = moving(columns), now[0] - now.mean()
    errors = [plain(columns)[0] - target, other[0] - other.mean() - target, found.strength[0, 0] - target]
    return [ELO_PER_NAT * error for error in errors], bool(found.low[0, 0] <= target <= found.high[0, 0])


def rated(seed, reliability, debates):
    """Kendall's tau with the truth: without ratings, with them, of the ratings alone; and the share that counted."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(20)
    noise = rng.standard_normal(20)
    rating = truth + np.sqrt(1 / reliability - 1) * noise if reliability else noise
    columns = debated(rng, truth, truth, debates, debates)
    start = AgentVersions(version=np.zeros(2 * debates, int), current=np.zeros(20, int), start=rating * ELO_PER_NAT)
    found = moving(replace(columns, history=start))
    return [tau(plain(columns), truth), tau(found.strength[0], truth), tau(rating, truth), found.scales.share]


def tau(one, other):
    first, second = np.triu_indices(one.size, 1)
    return float(np.mean(np.sign(one[first] - one[second]) * np.sign(other[first] - other[second])))


def print_row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1000)
    chosen = parser.parse_args()
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    print_row("change", "debates since", "averaged", "as another", "by the evidence", "interval holds")
    print_row(*["---"] * 6)
    for change in (0.0, 0.5, 1.0, 2.0):
        for after in (20, 60, 200):
            errors, held = zip(*(changed(seed, change, after) for seed in seeds), strict=True)
            squares = np.square(errors)
            root = np.sqrt(squares.mean(axis=0))
            error = squares.std(axis=0, ddof=1) / np.sqrt(len(seeds)) / (2 * root)
            cells = [f"{value:.0f} ± {spread:.0f}" for value, spread in zip(root, error, strict=True)]
            print_row(f"{change * ELO_PER_NAT:.0f}", after, *cells, f"{np.mean(held):.2f}")
    print()
    print_row("reliability", "debates", "without", "with", "ratings alone", "share that counts")
    print_row(*["---"] * 6)
    for reliability in (0.0, 0.5, 0.8, 0.95):
        for debates in (20, 50, 100, 200):
            rows = np.array([rated(seed, reliability, debates) for seed in seeds])
            cells = [
                f"{value:.3f} ± {spread:.3f}"
                for value, spread in zip(rows.mean(0), rows.std(0, ddof=1) / np.sqrt(len(seeds)), strict=True)
            ]
            print_row(reliability, debates, *cells)


if __name__ == "__main__":
    main()
