"""The fit against published worked examples and against peers, in the limits where all must agree."""

import numpy as np
import pytest

from paragone.ratings import Evidence, FitOptions, fit

# American League 1987, home team, away team, home wins, away wins.
# Source: A. Agresti (2002), "Categorical Data Analysis", 2nd edition, section 10.6; as `baseball` in the R package
# BradleyTerry2 (H. Turner, D. Firth, Journal of Statistical Software 48(9), 2012), whose vignette prints both fits.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME_AND_AWAY_WINS = (
    ((), (4, 3), (4, 2), (4, 3), (6, 1), (4, 2), (6, 0)),
    ((3, 3), (), (4, 2), (4, 3), (6, 0), (6, 1), (4, 3)),
    ((2, 5), (4, 3), (), (2, 4), (4, 3), (4, 2), (6, 0)),
    ((3, 3), (5, 1), (2, 5), (), (4, 3), (4, 2), (6, 1)),
    ((5, 1), (2, 5), (3, 3), (4, 2), (), (5, 2), (6, 0)),
    ((2, 5), (3, 3), (3, 4), (4, 3), (4, 2), (), (2, 4)),
    ((2, 5), (1, 5), (1, 6), (2, 4), (1, 6), (3, 4), ()),
)
ABILITIES = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)
ABILITIES_AT_HOME = (1.6196, 1.4754, 1.3271, 1.2813, 1.1438, 0.7047, 0.0)
HOME_ADVANTAGE, HOME_ADVANTAGE_SE = 0.3023, 0.1309

# Six brands of chocolate pudding: i, j, preferred i, preferred j, no preference.
# Source: R. R. Davidson (1970), Journal of the American Statistical Association 65; as `pudding` in the R package
# PlackettLuce (H. Turner et al., Computational Statistics 35, 2020), whose vignette prints the fit.
PUDDINGS = (
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
)  # fmt: skip

FLAT = FitOptions(spread=100.0, position=False)


def baseball():
    pairs = [(home, away) for home in range(7) for away in range(7) if home != away]
    rows = [(home, away, won, HOME_AND_AWAY_WINS[home][away][1 - won]) for home, away in pairs for won in (1, 0)]
    home, away, score, weight = zip(*rows, strict=True)
    return Evidence.from_arrays(7, home, away, score, weight=weight)


def test_baseball_without_home_advantage():
    found = fit(baseball(), FLAT)
    assert found.strength - found.strength[6] == pytest.approx(ABILITIES, abs=2e-3)


def test_baseball_with_home_advantage():
    """The prior of the position term, N(0, 2), draws by less than half a percent."""
    found = fit(baseball(), FitOptions(spread=100.0))
    assert found.strength - found.strength[6] == pytest.approx(ABILITIES_AT_HOME, abs=2e-3)
    assert found.position[0] == pytest.approx(HOME_ADVANTAGE, abs=2e-3)
    assert found.position_se[0] == pytest.approx(HOME_ADVANTAGE_SE, abs=1e-3)


def puddings():
    rows = [
        (i - 1, j - 1, score, n) for i, j, *counts in PUDDINGS for score, n in zip((1, 0, 0.5), counts, strict=True)
    ]
    first, second, score, weight = zip(*rows, strict=True)
    return Evidence.from_arrays(6, first, second, score, weight=weight)


def test_puddings_with_ties():
    found = fit(puddings(), FLAT)
    worth = np.exp(found.strength) / np.exp(found.strength).sum()
    assert worth == pytest.approx([0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855], abs=1e-4)
    assert np.exp(found.tie[0]) == pytest.approx(0.7468147, abs=2e-3)


def votes(items=12, count=400, seed=4):
    rng = np.random.default_rng(seed)
    skill = rng.standard_normal(items)
    first = rng.integers(items, size=count)
    second = (first + rng.integers(1, items, size=count)) % items
    return first, second, (skill[first] - skill[second] + rng.logistic(size=count) > 0).astype(float)


@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_choix_with_the_same_prior(spread):
    import choix

    first, second, score = votes()
    wins = [(int(a), int(b)) if s else (int(b), int(a)) for a, b, s in zip(first, second, score, strict=True)]
    oracle = choix.opt_pairwise(12, wins, alpha=1 / (2 * spread**2), tol=1e-10)
    found = fit(Evidence.from_arrays(12, first, second, score), FitOptions(spread=spread, position=False))
    assert found.strength == pytest.approx(oracle - oracle.mean(), abs=1e-5)


def test_choix_of_rankings():
    import choix

    rng = np.random.default_rng(6)
    skill = rng.standard_normal(10)
    rankings = []
    for length in [3] * 20 + [5] * 15 + [10] * 3:
        some = rng.choice(10, size=length, replace=False)
        rankings.append(some[np.argsort(-(skill[some] + rng.gumbel(size=length)))].tolist())
    oracle = choix.opt_rankings(10, rankings, alpha=1 / (2 * 1.5**2), tol=1e-6)
    found = fit(Evidence.from_arrays(10, [], [], [], rankings=rankings), FitOptions(spread=1.5))
    assert found.strength == pytest.approx(oracle - oracle.mean(), abs=1e-5)


def test_evalica_without_a_prior():
    import evalica

    first, second, score = votes()
    names = [str(item) for item in range(12)]
    winners = [evalica.Winner.X if s else evalica.Winner.Y for s in score]
    oracle = evalica.bradley_terry(
        [names[a] for a in first], [names[b] for b in second], winners, tolerance=1e-12, limit=10_000
    )
    worth = np.log(oracle.scores[names].to_numpy())
    found = fit(Evidence.from_arrays(12, first, second, score), FLAT)
    assert found.strength == pytest.approx(worth - worth.mean(), abs=1e-3)
