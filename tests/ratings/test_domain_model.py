"""Strengths by domain under given scales: the blocks against one plain matrix, and the fit that has no domains."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.ratings import FitOptions, fit
from paragone.ratings.algebra.domain_curvature import DomainCurvature, climb
from paragone.ratings.model.domain_model import DomainModel, Point, Scales
from paragone.ratings.score_pairs import ScorePairs

AGENTS, DOMAINS = 6, 3
SCALES = Scales(spread=1.2, tau=0.6)


def pairs(seed, *, ties=True, count=60, domains=(-1, 0, 1)):
    """Pairs in two of three domains and in none; agent 5 is in domain 0 alone."""
    rng = np.random.default_rng(seed)
    domain = rng.choice(domains, size=count)
    first = rng.integers(AGENTS - 1, size=count)
    second = (first + rng.integers(1, AGENTS - 1, size=count)) % (AGENTS - 1)
    second[domain == 0] = np.where(first[domain == 0] == 3, second[domain == 0], AGENTS - 1)
    low, high = np.minimum(first, second), np.maximum(first, second)
    score = rng.choice([0.0, 0.5, 1.0] if ties else [0.0, 1.0], size=count)
    weight = rng.choice([0.3, 0.75, 1.0], size=count)
    return ScorePairs(agents=AGENTS, first=low, second=high, score=score, weight=weight, domain=domain)


def flat(point):
    return np.concatenate([point.shared, *point.own])


def folded(model, values):
    ends = np.cumsum([model.start.shared.size, *(field.present.size for field in model.fields)])
    shared, *own = np.split(values, ends[:-1])
    return Point(shared=shared, own=tuple(own))


def plain_curvature(model, at, scales):
    """By differences of the gradient, in all parameters at once."""
    whole, nudge = flat(at), 1e-5
    columns = []
    for place in range(whole.size):
        step = nudge * (np.arange(whole.size) == place)
        ahead, behind = (flat(model.slope(folded(model, whole + way), scales)[1]) for way in (step, -step))
        columns.append((behind - ahead) / (2 * nudge))
    return np.array(columns)


def plain_strengths(model, scales, row):
    """How the strengths of all agents follow from all parameters, shape (agents, parameters)."""
    start, tau = model.start, model.taus(scales)[row]
    matrix = np.zeros((AGENTS, flat(start).size))
    matrix[:, :AGENTS] = np.eye(AGENTS)
    behind = start.shared.size + sum(field.present.size for field in model.fields[:row])
    for place, agent in enumerate(model.fields[row].present):
        matrix[agent, behind + place] = tau
    return matrix


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("tau", [0.0, 0.005, 0.6, 3.0])
class TestBlocks:
    def case(self, ties, tau):
        model, scales = DomainModel.of(pairs(1, ties=ties), DOMAINS), Scales(spread=1.2, tau=tau)
        found = climb(model, scales, model.start, steps=100, tolerance=1e-12)
        return model, scales, found, plain_curvature(model, found.point, scales)

    def test_the_gradient_is_that_of_the_value(self, ties, tau):
        model, scales = DomainModel.of(pairs(1, ties=ties), DOMAINS), Scales(spread=1.2, tau=tau)
        whole = np.random.default_rng(0).standard_normal(flat(model.start).size) / 2
        gradient = flat(model.slope(folded(model, whole), scales)[1])
        for place in range(whole.size):
            step = 1e-6 * (np.arange(whole.size) == place)
            ahead, behind = (model.slope(folded(model, whole + way), scales)[0] for way in (step, -step))
            assert (ahead - behind) / 2e-6 == pytest.approx(gradient[place], abs=1e-6)

    def test_determinant_and_solutions(self, ties, tau):
        model, _, found, plain = self.case(ties, tau)
        assert found.converged
        assert found.curvature.log_determinant() == pytest.approx(np.linalg.slogdet(plain)[1], abs=1e-6)
        right = np.random.default_rng(2).standard_normal(len(plain))
        assert plain @ flat(found.curvature.solve(folded(model, right))) == pytest.approx(right, abs=1e-6)

    def test_variances_and_draws(self, ties, tau):
        model, scales, found, plain = self.case(ties, tau)
        rng = np.random.default_rng(3)
        shared = found.curvature.shared_samples(rng.standard_normal((found.point.shared.size, 20_000)))
        for row, field in enumerate(model.fields):
            matrix = plain_strengths(model, scales, row)
            covariance = matrix @ np.linalg.inv(plain) @ matrix.T
            absent = np.setdiff1d(np.arange(AGENTS), field.present)
            covariance[absent, absent] += model.taus(scales)[row] ** 2
            assert found.curvature.variances(row) == pytest.approx(np.diagonal(covariance), abs=1e-6)
            drawn = found.curvature.samples(row, shared, rng.standard_normal((AGENTS, 20_000)))
            assert np.cov(drawn) == pytest.approx(covariance, abs=0.04 * covariance.max())


@pytest.mark.parametrize("ties", [True, False])
def test_without_domains_it_is_the_fit_of_all(ties):
    """The same optimum and the same evidence as the fit that knows no domains."""
    whole = pairs(4, ties=ties, domains=(-1,))
    expected = fit(whole.evidence(), FitOptions(position=False, spread=1.2))
    model = DomainModel.of(whole, 0)
    found = climb(model, SCALES, model.start, steps=100, tolerance=1e-12)
    assert found.point.shared[:AGENTS] == pytest.approx(expected.strength, abs=1e-8)
    assert found.log_evidence == pytest.approx(expected.log_evidence, abs=1e-8)
    own = found.curvature.variances(0) - SCALES.spread**2 / AGENTS
    assert np.sqrt(own) == pytest.approx(expected.standard_error, abs=1e-8)


def test_where_deviations_are_none_domains_are_one():
    several = pairs(5)
    models = DomainModel.of(several, DOMAINS), DomainModel.of(replace(several, domain=np.full(60, -1)), 0)
    scales = Scales(spread=1.2, tau=0.0)
    split, whole = (climb(model, scales, model.start, steps=100, tolerance=1e-12) for model in models)
    assert split.point.shared == pytest.approx(whole.point.shared, abs=1e-8)
    assert split.log_evidence == pytest.approx(whole.log_evidence, abs=1e-8)


def test_a_climb_of_too_few_steps_says_so():
    model = DomainModel.of(pairs(6), DOMAINS)
    found = climb(model, SCALES, model.start, steps=1, tolerance=1e-12)
    assert (found.converged, found.iterations) == (False, 1)


def test_nothing_was_said():
    model = DomainModel.of(pairs(0, count=0), DOMAINS)
    found = climb(model, SCALES, model.start, steps=5, tolerance=1e-12)
    assert found.point.size == 0
    assert found.log_evidence == pytest.approx(0.0, abs=1e-12)
    assert found.curvature.variances(0) == pytest.approx(np.full(AGENTS, 1.2**2))
    assert found.curvature.variances(1) == pytest.approx(np.full(AGENTS, 1.2**2 + 0.6**2))


def test_the_curvature_of_a_far_off_point_can_still_be_factored():
    model = DomainModel.of(pairs(7), DOMAINS)
    far = folded(model, 40 * np.random.default_rng(0).standard_normal(flat(model.start).size))
    assert np.isfinite(DomainCurvature(model, model.curvatures(far, SCALES), SCALES).log_determinant())


@pytest.mark.parametrize("everyone", [True, False])
def test_domains_of_hundreds_are_solved_as_small_ones_are(everyone):
    """Above 300 agents LAPACK inverts; what it solves is checked by the gradient, along the solution."""
    rng, agents = np.random.default_rng(8), 320
    first = np.arange(agents) if everyone else np.arange(310)
    low, high = np.sort(np.stack([np.tile(first, 4), np.roll(np.tile(first, 4), 7)]), axis=0)
    many = ScorePairs(
        agents=agents,
        first=low,
        second=high,
        score=rng.choice([0.0, 0.5, 1.0], low.size),
        weight=np.ones(low.size),
        domain=rng.integers(0, 2, low.size) if everyone else np.zeros(low.size, dtype=np.int64),
    )
    model = DomainModel.of(many, 2)
    found = climb(model, SCALES, model.start, steps=50, tolerance=1e-10)
    right = rng.standard_normal(flat(model.start).size)
    solved, nudge = found.curvature.solve(folded(model, right)), 1e-5
    ahead, behind = (flat(model.slope(found.point.ahead(solved, way), SCALES)[1]) for way in (nudge, -nudge))
    assert (behind - ahead) / (2 * nudge) == pytest.approx(right, abs=1e-5)
