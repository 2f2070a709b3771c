"""The fast fit against a plain twin: the log posterior written out one comparison at a time, climbed by scipy."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from paragone.ratings import Evidence, FitOptions, fit
from paragone.ratings.inference.panel import POSITIONS, TIES, pooled


class Twin:
    """The model as the design note states it, in plain Python, with numerical derivatives."""

    def __init__(self, evidence, options, dispersion, panel, slope=(1.0, 1.0)):
        self.panel = panel
        self.evidence, self.options, self.dispersion, self.slope = evidence, options, dispersion, slope
        heard = {int(judge) for judge, weight in zip(evidence.judge, evidence.weight, strict=True) if weight > 0}
        self.positioned = [j for j in sorted(heard) if options.position]
        self.tying = sorted({int(j) for j, t in zip(evidence.judge, evidence.tie, strict=True) if t})
        self.dimension = evidence.item_count + len(self.positioned) + len(self.tying)

    def named(self, theta):
        n, p = self.evidence.item_count, len(self.positioned)
        position = dict(zip(self.positioned, theta[n : n + p], strict=True))
        return theta[:n], position, dict(zip(self.tying, theta[n + p :], strict=True))

    def log_likelihood(self, theta):
        strength, position, tie = self.named(theta)
        e, total = self.evidence, 0.0
        for k in range(e.first.size):
            judge = int(e.judge[k])
            x = self.slope[judge] * (strength[e.first[k]] - strength[e.second[k]]) + position.get(judge, 0.0)
            if e.soft[k]:
                p = 1 / (1 + math.exp(-x))
                one = (e.score[k] * math.log(p) + (1 - e.score[k]) * math.log(1 - p)) / self.dispersion[judge]
            else:
                parts = {1.0: math.exp(x / 2), 0.0: math.exp(-x / 2)}
                if judge in tie:
                    parts[0.5] = math.exp(tie[judge])
                one = math.log(parts[float(e.score[k])] / sum(parts.values()))
            total += e.weight[k] * one
        for ranking, weight, judge in zip(e.rankings, e.ranking_weight, e.ranking_judge, strict=True):
            left = [self.slope[judge] * strength[item] for item in ranking if item >= 0]
            while len(left) > 1:
                total += weight * (left[0] - math.log(sum(map(math.exp, left))))
                left.pop(0)
        return total

    def log_posterior(self, theta, spread):
        strength, position, tie = self.named(theta)
        prior = sum(-(s**2) / (2 * spread**2) - math.log(spread) for s in strength)
        for terms, belief in ((position, self.panel.position), (tie, self.panel.tie)):
            prior += sum(-((t - belief.center) ** 2) / (2 * belief.spread**2) for t in terms.values())
            prior -= len(terms) * math.log(belief.spread)
        return self.log_likelihood(theta) + prior

    def optimum(self, spread):
        start = np.zeros(self.dimension)
        found = minimize(lambda theta: -self.log_posterior(theta, spread), start, method="BFGS", options={"gtol": 1e-7})
        return found.x

    def curvature(self, theta, spread, step=1e-3):
        size, eye = self.dimension, np.eye(self.dimension) * step
        result = np.zeros((size, size))
        for i in range(size):
            for j in range(i + 1):
                corners = [
                    sign * other * self.log_posterior(theta + sign * eye[i] + other * eye[j], spread)
                    for sign in (1, -1)
                    for other in (1, -1)
                ]
                result[i, j] = result[j, i] = -sum(corners) / (4 * step**2)
        return result

    def covariance(self, theta, spread):
        """With what centers and spreads of the panel's terms, each known within an error, add to it."""
        alone = np.linalg.inv(self.curvature(theta, spread))
        result, start = alone.copy(), self.evidence.item_count
        kinds = (self.positioned, self.panel.position, POSITIONS), (self.tying, self.panel.tie, TIES)
        for judges, belief, kind in kinds:
            held = slice(start, start + len(judges))
            start = held.stop
            if len(judges) > 1:
                precise, whole = belief.spread**-2, 1 / np.diagonal(alone)[held]
                seen = (whole * theta[held] - precise * belief.center) / (whole - precise)
                found = pooled(seen, whole - precise, kind)
                of_center = precise * alone[:, held].sum(axis=1) * found.error
                of_spread = 2 * precise * alone[:, held] @ (theta[held] - belief.center) * found.log_error
                result += np.outer(of_center, of_center) + np.outer(of_spread, of_spread)
        return result

    def log_evidence(self, spread):
        theta = self.optimum(spread)
        return self.log_posterior(theta, spread) - np.linalg.slogdet(self.curvature(theta, spread))[1] / 2


def everything(seed=3, items=5, count=40):
    """Two judges, ties, soft verdicts, weights, and rankings of two lengths."""
    rng = np.random.default_rng(seed)
    first = rng.integers(items, size=count)
    second = (first + rng.integers(1, items, size=count)) % items
    judge = rng.integers(2, size=count)
    latent = (items - first) * 0.4 - (items - second) * 0.4 + np.array([0.5, -0.3])[judge]
    hard = np.where(rng.random(count) < 0.2, 0.5, rng.random(count) < 1 / (1 + np.exp(-latent)))
    soft = (judge == 1) & (rng.random(count) < 0.7)
    score = np.where(soft, 1 / (1 + np.exp(-latent - rng.normal(size=count) / 2)), hard)
    return Evidence.from_arrays(
        items,
        first,
        second,
        score,
        soft=soft,
        weight=rng.choice([0.0, 0.5, 1.0, 2.0], size=count, p=[0.1, 0.2, 0.5, 0.2]),
        judge=judge,
        judges=("plain", "soft"),
        rankings=[[0, 2, 1, 4], [3, 1, 2]],
        ranking_weight=[1.0, 0.5],
        ranking_judge=[0, 1],
    )


@pytest.mark.parametrize("position", [True, False])
@pytest.mark.parametrize("spread", [0.4, 3.0])
def test_the_optimum_and_its_errors_are_the_twins(position, spread):
    evidence = everything()
    options = FitOptions(spread=spread, dispersion=0.3, position=position, slope=False)
    found = fit(evidence, options)
    twin = Twin(evidence, options, {1: 0.3}, found.panel)
    theta = twin.optimum(spread)
    strength, bias, tie = twin.named(theta)
    assert found.strength == pytest.approx(strength, abs=1e-5)
    assert found.tie[list(tie)] == pytest.approx(list(tie.values()), abs=1e-5)
    if position:
        assert found.position == pytest.approx(list(bias.values()), abs=1e-5)
    else:
        assert np.isnan(found.position).all()
    covariance = twin.covariance(theta, spread)
    centring = np.eye(5) - 1 / 5
    assert found.covariance == pytest.approx(centring @ covariance[:5, :5] @ centring, abs=1e-5)
    assert found.standard_error**2 == pytest.approx(np.diagonal(found.covariance))
    errors = np.sqrt(np.diagonal(covariance))
    assert found.tie_se[list(tie)] == pytest.approx(errors[-len(tie) :], abs=1e-5)
    assert found.log_likelihood == pytest.approx(twin.log_likelihood(theta), abs=1e-6)
    assert found.log_evidence == pytest.approx(twin.log_evidence(spread), abs=1e-4)


def test_the_spread_is_where_the_twins_evidence_is_highest():
    evidence = everything()
    options = FitOptions(dispersion=0.3, slope=False)
    found = fit(evidence, options)
    twin = Twin(evidence, options, {1: 0.3}, found.panel)

    def lower(log_spread):
        hyper_prior = -((log_spread - math.log(1.5)) ** 2) / 2
        return -twin.log_evidence(math.exp(log_spread)) - hyper_prior

    best = minimize_scalar(lower, bounds=(-4.0, 2.0), method="bounded", options={"xatol": 1e-4})
    assert math.log(found.prior_spread) == pytest.approx(best.x, abs=2e-3)
    bend = (lower(best.x + 0.1) + lower(best.x - 0.1) - 2 * best.fun) / 0.1**2
    assert found.log_spread_se == pytest.approx(bend**-0.5, rel=0.05)


def test_the_errors_hold_what_the_spread_adds_to_them():
    evidence = everything()
    evidence = replace(evidence, judge=np.zeros_like(evidence.judge))  # a panel's beliefs would follow the spread
    found = fit(evidence, FitOptions(dispersion=0.3, slope=False))
    step = 1e-3
    wider, tighter, fixed = (
        fit(evidence, FitOptions(dispersion=0.3, slope=False, spread=found.prior_spread * math.exp(move)))
        for move in (step, -step, 0)
    )
    moves = (wider.strength - tighter.strength) / (2 * step) * found.log_spread_se
    assert found.covariance == pytest.approx(fixed.covariance + np.outer(moves, moves), abs=1e-5)


def test_with_slopes_the_optimum_is_the_twins_and_the_slopes_are_where_its_evidence_is_highest():
    evidence, options = everything(), FitOptions(spread=1.2, dispersion=0.3)
    found = fit(evidence, options)
    assert found.slope.prod() == pytest.approx(1)
    twin = Twin(evidence, options, {1: 0.3}, found.panel, found.slope)
    assert found.strength == pytest.approx(twin.named(twin.optimum(1.2))[0], abs=1e-5)

    def lower(log_slope):
        twin.slope = (math.exp(log_slope), math.exp(-log_slope))
        return -twin.log_evidence(1.2) + 2 * log_slope**2 / (2 * found.panel.slope**2)

    here = math.log(found.slope[0])
    values = [lower(here + step) for step in (-0.05, 0.0, 0.05)]
    bend = (values[0] + values[2] - 2 * values[1]) / 0.05**2
    best = here - (values[2] - values[0]) / (2 * 0.05) / bend
    assert here == pytest.approx(best, abs=2e-3)
    # The error comes from the expected curvature at the optimum, not from that of the evidence.
    assert found.slope_se[0] == pytest.approx(bend**-0.5, rel=0.25)


def test_the_errors_hold_what_the_slopes_add_to_them():
    evidence = everything()
    options = FitOptions(spread=1.2, dispersion=0.3)
    found = fit(evidence, options)
    step, moved = 1e-4, []
    for sign in (1, -1):
        twin = Twin(evidence, options, {1: 0.3}, found.panel, found.slope * np.exp([sign * step, -sign * step]))
        moved.append(twin.named(twin.optimum(1.2))[0])
    moves = (moved[0] - moved[1]) / (2 * step) * found.slope_se[0]
    held = Twin(evidence, options, {1: 0.3}, found.panel, found.slope)
    centring = np.eye(5) - 1 / 5
    covariance = centring @ held.covariance(held.optimum(1.2), 1.2)[:5, :5] @ centring
    assert found.covariance == pytest.approx(covariance + np.outer(moves, moves), abs=1e-3)


def test_the_dispersion_is_pearsons_with_the_degrees_of_freedom_taken_off():
    """Recomputed at the fit's own optimum with the design matrix written out; drawn towards 1 by two observations."""
    rng = np.random.default_rng(5)
    items, count = 8, 60
    skill = rng.normal(size=items)
    first = rng.integers(items, size=count)
    second = (first + rng.integers(1, items, size=count)) % items
    score = 1 / (1 + np.exp(-(skill[first] - skill[second] + 0.3 + rng.normal(size=count) * 0.8)))
    found = fit(Evidence.from_arrays(items, first, second, score, soft=np.ones(count, bool)))

    design = np.zeros((count, items + 1))
    design[np.arange(count), first], design[np.arange(count), second], design[:, items] = 1, -1, 1
    p = 1 / (1 + np.exp(-design @ np.append(found.strength, found.position)))
    weight = p * (1 - p) / found.dispersion[0]
    prior = np.append(np.full(items, found.prior_spread**-2.0), 2.0**-2)
    information = design.T @ (weight[:, None] * design)
    taken = np.trace(np.linalg.solve(information + np.diag(prior), information))
    pearson = ((score - p) ** 2 / (p * (1 - p))).sum() / (count - taken)
    drawn = pearson ** ((count - taken) / (count - taken + 2))
    assert found.dispersion[0] == pytest.approx(drawn, rel=1e-3)
