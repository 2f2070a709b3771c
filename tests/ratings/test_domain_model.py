"""Strengths by domain under given scales: the blocks against one plain matrix, and the fit that has no domains."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.ratings import FitOptions, fit
from paragone.ratings.domain_strength import _node_rows
from paragone.ratings.inference.domain_deviation import Node
from paragone.ratings.inference.optimum import maximise
from paragone.ratings.model.domain_model import DomainModel, DomainPattern
from paragone.ratings.model.likelihood import Hyper
from paragone.ratings.score_pairs import ScorePairs

AGENTS, DOMAINS = 6, 3
SPREAD, TAU = 1.2, 0.6


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


def laid_out(pairs, domains, tau=TAU):
    model = DomainModel.of_pairs(pairs, domains).deviating(tau)
    return model, Hyper(spread=SPREAD, dispersion=np.ones(domains + 1))


def climbed(model, hyper, *, steps=100, tolerance=1e-12):
    pattern = DomainPattern(model)
    return maximise(model, hyper, model.start, pattern=pattern, max_iterations=steps, tolerance=tolerance, lasting=True)


def plain_curvature(model, theta, hyper):
    """By differences of the gradient, in all parameters at once."""
    nudge, columns = 1e-5, []
    for place in range(theta.size):
        step = nudge * (np.arange(theta.size) == place)
        ahead, behind = (model.derivatives(theta + way, hyper).gradient for way in (step, -step))
        columns.append((behind - ahead) / (2 * nudge))
    return np.array(columns)


def plain_strengths(model, row):
    """How the strengths of all agents follow from all parameters, shape (agents, parameters)."""
    domain, before = model.domains[row], sum(earlier.present.size for earlier in model.domains[:row])
    matrix = np.zeros((AGENTS, model.dimension))
    matrix[:, :AGENTS] = np.eye(AGENTS)
    for place, agent in enumerate(domain.present):
        matrix[agent, model.shared + before + place] = domain.tau
    return matrix


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("tau", [0.0, 0.005, 0.6, 3.0])
class TestBlocks:
    def case(self, ties, tau):
        model, hyper = laid_out(pairs(1, ties=ties), DOMAINS, tau)
        optimum = climbed(model, hyper)
        return model, optimum, plain_curvature(model, optimum.theta, hyper)

    def test_the_gradient_is_that_of_the_value(self, ties, tau):
        model, hyper = laid_out(pairs(1, ties=ties), DOMAINS, tau)
        theta = np.random.default_rng(0).standard_normal(model.dimension) / 2
        gradient = model.derivatives(theta, hyper).gradient
        for place in range(theta.size):
            step = 1e-6 * (np.arange(theta.size) == place)
            ahead, behind = (model.derivatives(theta + way, hyper).value for way in (step, -step))
            assert (ahead - behind) / 2e-6 == pytest.approx(gradient[place], abs=1e-6)

    def test_determinant_and_solutions(self, ties, tau):
        _, optimum, plain = self.case(ties, tau)
        assert optimum.converged
        assert optimum.curvature.log_determinant() == pytest.approx(np.linalg.slogdet(plain)[1], abs=1e-6)
        right = np.random.default_rng(2).standard_normal(len(plain))
        assert plain @ optimum.curvature.solve(right) == pytest.approx(right, abs=1e-6)

    def test_variances_and_draws(self, ties, tau):
        model, optimum, plain = self.case(ties, tau)
        drawn = optimum.curvature.samples(np.random.default_rng(3).standard_normal((len(plain), 20_000)))
        for row, domain in enumerate(model.domains):
            matrix = plain_strengths(model, row)
            covariance = matrix @ np.linalg.inv(plain) @ matrix.T
            of_row = np.cov(model.strengths(drawn, row))
            assert of_row == pytest.approx(covariance, abs=0.04 * covariance.max())
            absent = np.setdiff1d(np.arange(AGENTS), domain.present)
            covariance[absent, absent] += domain.tau**2
            variances = optimum.curvature.strength_variances(row)
            assert variances == pytest.approx(np.diagonal(covariance), abs=1e-6)


def test_draws_of_a_fit_spread_as_its_variances_say_also_where_an_agent_did_not_debate():
    model, hyper = laid_out(pairs(1), DOMAINS)
    theta = climbed(model, hyper).theta
    node = Node(model=model, hyper=hyper, theta=theta, gradient_norm=0.0, log_density=0.0, weight=1.0)
    _, variances, draws = _node_rows(node, 0.0, 20_000, np.random.default_rng(3))
    assert any(domain.present.size < AGENTS for domain in model.domains)
    assert draws.var(axis=1) == pytest.approx(variances, rel=0.05)


@pytest.mark.parametrize("ties", [True, False])
def test_without_domains_it_is_the_fit_of_all(ties):
    """The same optimum and the same evidence as the fit that knows no domains."""
    debates = pairs(4, ties=ties, domains=(-1,))
    expected = fit(debates.evidence(), FitOptions(position=False, spread=SPREAD))
    optimum = climbed(*laid_out(debates, 0))
    assert optimum.theta[:AGENTS] == pytest.approx(expected.strength, abs=1e-8)
    assert optimum.log_evidence == pytest.approx(expected.log_evidence, abs=1e-8)
    own = optimum.curvature.strength_variances(0) - SPREAD**2 / AGENTS
    assert np.sqrt(own) == pytest.approx(expected.standard_error, abs=1e-8)


def test_where_deviations_are_none_domains_are_one():
    several = pairs(5)
    cases = laid_out(several, DOMAINS, 0.0), laid_out(replace(several, domain=np.full(60, -1)), 0, 0.0)
    split, joined = (climbed(*case) for case in cases)
    shared = cases[0][0].shared
    assert split.theta[:shared] == pytest.approx(joined.theta[:shared], abs=1e-8)
    assert split.log_evidence == pytest.approx(joined.log_evidence, abs=1e-8)


def test_a_climb_of_too_few_steps_says_so():
    optimum = climbed(*laid_out(pairs(6), DOMAINS), steps=1)
    assert (optimum.converged, optimum.iterations) == (False, 1)


def test_nothing_was_said():
    optimum = climbed(*laid_out(pairs(0, count=0), DOMAINS), steps=5)
    assert not optimum.theta.any()
    assert optimum.log_evidence == pytest.approx(0.0, abs=1e-12)
    assert optimum.curvature.strength_variances(0) == pytest.approx(np.full(AGENTS, SPREAD**2))
    assert optimum.curvature.strength_variances(1) == pytest.approx(np.full(AGENTS, SPREAD**2 + TAU**2))


def test_the_curvature_of_a_far_off_point_can_still_be_factored():
    model, hyper = laid_out(pairs(7), DOMAINS)
    far = 40 * np.random.default_rng(0).standard_normal(model.dimension)
    curvature = DomainPattern(model).curvature(model.derivatives(far, hyper).entries)
    assert np.isfinite(curvature.log_determinant())


@pytest.mark.parametrize("everyone", [True, False])
def test_domains_of_hundreds_are_solved_as_small_ones_are(everyone):
    """What the blocks solve is checked by the gradient, along the solution."""
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
    model, hyper = laid_out(many, 2)
    optimum = climbed(model, hyper, steps=50, tolerance=1e-10)
    right = rng.standard_normal(model.dimension)
    solved, nudge = optimum.curvature.solve(right), 1e-5
    ahead, behind = (model.derivatives(optimum.theta + way * solved, hyper).gradient for way in (nudge, -nudge))
    assert (behind - ahead) / (2 * nudge) == pytest.approx(right, abs=1e-5)
