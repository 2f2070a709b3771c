"""Strengths that change: against plain versions of the fit, and by simulation."""

import math
from dataclasses import replace

import numpy as np
import pytest

from paragone.errors import InvalidConfig, InvalidEvidence
from paragone.ratings import ELO_PER_NAT, FitOptions, fit
from paragone.ratings.domain_strength import DomainOptions, fit_domains
from paragone.ratings.inference.lattice import Axis, averaged
from paragone.ratings.model.moving_model import MovingModel, Scales
from paragone.ratings.moving_strength import MovingOptions, fit_moving
from paragone.ratings.score_pairs import AgentVersions, ScoreColumns, ScorePairs


def duels(pairs, wins, *, domains=(), domain=None, history=None):
    """Debates of two, in the order of record; ``wins`` has 1, 0 or 0.5 for the first of each pair."""
    pairs, wins = np.array(pairs), np.array(wins, dtype=float)
    return ScoreColumns(
        agents=tuple(f"a{number}" for number in range(pairs.max() + 1)),
        domains=domains,
        match=np.repeat(np.arange(len(pairs)), 2),
        agent=pairs.ravel(),
        score=np.stack([wins, 1 - wins], axis=1).ravel(),
        domain=np.full(len(pairs), -1) if domain is None else domain,
        confidence=np.ones(len(pairs)),
        history=history,
    )


def simulated(seed, agents, debates, *, change=0.0, since=None, domains=0):
    """Debates by Plackett-Luce noise, a tenth of them ties; agent 0 changes after ``since`` debates."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(agents)
    now = truth + change * (np.arange(agents) == 0)
    pairs = np.array([rng.choice(agents, 2, replace=False) for _ in range(debates)])
    late = np.arange(debates) >= (debates if since is None else since)
    strength = np.where(late[:, None], now[pairs], truth[pairs])
    lead = strength[:, 0] - strength[:, 1] + rng.logistic(size=debates)
    wins = np.where(rng.random(debates) < 0.1, 0.5, lead > 0)
    history = AgentVersions(
        version=((pairs == 0) & late[:, None]).astype(int).ravel(),
        current=np.array([int(since is not None)] + [0] * (agents - 1)),
        start=np.full(agents, np.nan),
    )
    where = rng.integers(0, domains, debates) if domains else None
    names = tuple(f"d{number}" for number in range(domains))
    columns = duels(pairs, wins, domains=names, domain=where, history=history)
    return now - now.mean(), columns


def fitted(columns, *, by_domain=False, **options):
    return fit_moving(
        columns, MovingOptions(**{"draws": 100} | options), by_domain=by_domain, rng=np.random.default_rng(0)
    )


def plainly(columns, scales, every):
    """The naive twin: states by dictionaries, their covariance entry by entry, gradient ascent by Newton in full."""
    agents = len(columns.agents)
    history, last = columns.history, (columns.domain.size - 1) // every if every else 0

    def period(debate):
        return debate // every if every else 0

    states = {(agent, int(history.current[agent]), last) for agent in range(agents)}
    entry = {}
    for at, (debate, agent) in enumerate(zip(columns.match, columns.agent, strict=True)):
        entry[debate, agent] = (int(agent), int(history.version[at]), int(period(debate)))
        states.add(entry[debate, agent])
    order = sorted(states)
    start = {agent: min(state for state in order if state[0] == agent) for agent in range(agents)}
    prior = np.zeros((len(order), len(order)))
    for i, one in enumerate(order):
        for j, other in enumerate(order):
            if one[0] == other[0]:
                shared, first = min(one, other), start[one[0]]
                rated = not math.isnan(history.start[one[0]])
                prior[i, j] = (
                    scales.spread**2 * (1 - scales.share * rated)
                    + scales.drift**2 * (shared[1] - first[1])
                    + scales.walk**2 * (shared[2] - first[2])
                )
    mean = np.array([scales.share * np.nan_to_num(history.start[state[0]]) / ELO_PER_NAT for state in order])
    strength, precision = mean.copy(), np.linalg.inv(prior)
    debates = {}
    for at, debate in enumerate(columns.match):
        debates.setdefault(int(debate), []).append((order.index(entry[debate, columns.agent[at]]), columns.score[at]))
    for _ in range(50):
        gradient, curvature, value = -precision @ (strength - mean), precision.copy(), 0.0
        for (i, score), (j, other) in debates.values():
            chance = 1 / (1 + math.exp(strength[j] - strength[i]))
            won = 0.5 if score == other else float(score > other)
            gradient[i] += won - chance
            gradient[j] -= won - chance
            value += won * math.log(chance) + (1 - won) * math.log(1 - chance)
            for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                curvature[a, b] += sign * chance * (1 - chance)
        strength = strength + np.linalg.solve(curvature, gradient)
    away = strength - mean
    evidence = value - away @ precision @ away / 2 - np.linalg.slogdet(curvature @ prior)[1] / 2
    today = [order.index((agent, int(history.current[agent]), last)) for agent in range(agents)]
    return strength[today], np.linalg.inv(curvature)[np.ix_(today, today)], evidence


@pytest.mark.parametrize("every", [None, 7])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_states_laid_out_one_by_one_give(seed, every):
    """No ties here: of those the twin knows nothing."""
    _, columns = simulated(seed, 5, 30, since=18)
    columns = replace(columns, score=columns.score + 0.1 * np.tile([1, 0], 30) * (columns.score == 0.5))
    start = np.array([np.nan, 100.0, -50.0, np.nan, 0.0])
    columns = replace(columns, history=replace(columns.history, start=start))
    scales = Scales(spread=1.1, drift=0.6, walk=0.3, share=0.7)
    model = MovingModel.of(columns, columns.history, every=every, domains=False, nat=ELO_PER_NAT)
    mode = model.mode(scales, np.zeros(model.initial.size))
    prior, loadings, _ = model.strengths(scales, 0)
    strength, covariance, evidence = plainly(columns, scales, every)
    assert prior + loadings @ mode.z == pytest.approx(strength, abs=1e-7)
    own = loadings @ np.linalg.inv(mode.factor @ mode.factor.T) @ loadings.T
    assert own == pytest.approx(covariance, abs=1e-7)
    assert mode.log_evidence == pytest.approx(evidence, abs=1e-7)


class TestWithoutChange:
    def test_it_is_the_ordinary_fit(self):
        _, columns = simulated(4, 9, 150)
        ordinary = fit(ScorePairs.of(columns).evidence(), FitOptions(position=False))
        found = fitted(columns, spread=ordinary.prior_spread)
        assert found.strength[0] == pytest.approx(ordinary.strength, abs=1e-6)
        assert found.unchanged is None

    def test_so_it_is_by_domain(self):
        _, columns = simulated(5, 8, 240, domains=2)
        ordinary = fit_domains(columns, DomainOptions(tau=0.4, draws=100), rng=np.random.default_rng(0))
        found = fitted(columns, by_domain=True, spread=ordinary.spread, tau=0.4)
        assert found.strength == pytest.approx(ordinary.strength, abs=1e-6)
        # That fit has the uncertainty of the spread on top.
        assert (found.standard_error < ordinary.standard_error).all()
        assert found.standard_error == pytest.approx(ordinary.standard_error, rel=0.15)

    def test_a_new_version_that_changes_nothing_is_the_old_one(self):
        _, columns = simulated(6, 6, 80, since=40)
        same = replace(columns, history=None)
        assert fitted(columns, drift=0.0, spread=1.0).strength == pytest.approx(fitted(same, spread=1.0).strength)


class TestNewVersions:
    def test_one_that_may_be_anything_is_another_agent(self):
        _, columns = simulated(7, 6, 90, since=45)
        entries = np.where(columns.history.version == 1, 6, columns.agent)
        apart = replace(columns, agents=(*columns.agents, "new"), agent=entries, history=None)
        found, other = fitted(columns, drift=40.0, spread=1.0), fitted(apart, spread=1.0)
        new = other.strength[0, [6, 1, 2, 3, 4, 5]]
        # But for the prior of its first state, which is much wider here.
        assert found.strength[0] == pytest.approx(new - new.mean(), abs=0.35)
        assert abs(found.strength[0, 0] - other.strength[0, 0]) > 0.02

    def test_one_that_has_not_debated_is_the_old_one_with_a_wider_interval(self):
        _, columns = simulated(8, 5, 60)
        before = fitted(columns, drift=0.5, spread=1.0)
        changed = replace(columns.history, current=np.array([1, 0, 0, 0, 0]))
        after = fitted(replace(columns, history=changed), drift=0.5, spread=1.0)
        assert after.strength == pytest.approx(before.strength)
        wider = before.standard_error[0, 0] ** 2 + 0.5**2 * (1 - 1 / 5) ** 2
        assert after.standard_error[0, 0] ** 2 == pytest.approx(wider)

    def test_a_changed_agent_is_followed_and_an_unchanged_one_loses_little(self):
        """Root mean squares over seeds, against averaging both versions and against taking the new one for another."""

        def errors(change):
            squares = []
            for seed in range(8):
                truth, columns = simulated(seed, 8, 260, change=change, since=160)
                averaged_ = fit(ScorePairs.of(replace(columns, history=None)).evidence(), FitOptions(position=False))
                found = fitted(columns)
                squares.append([(found.strength[0, 0] - truth[0]) ** 2, (averaged_.strength[0] - truth[0]) ** 2])
            return np.sqrt(np.mean(squares, axis=0))

        followed, stuck = errors(1.5)
        assert followed < 0.75 * stuck
        kept, best = errors(0.0)
        assert kept < best + 0.1

    def test_what_is_said_of_the_change_follows_the_evidence(self):
        changed = [fitted(simulated(seed, 6, 400, change=2.0, since=200)[1]) for seed in range(3)]
        same = [fitted(simulated(seed, 6, 400, since=200)[1]) for seed in range(3)]
        assert max(each.unchanged for each in changed) < 0.02
        assert np.mean([each.scales.drift for each in changed]) > 2 * np.mean([each.scales.drift for each in same])


class TestWalk:
    def test_who_moves_is_followed(self):
        """An agent climbs from last to first in the course of the debates."""
        rng, debates = np.random.default_rng(9), 400
        pairs = np.array([rng.choice(6, 2, replace=False) for _ in range(debates)])
        climb = np.linspace(-2, 2, debates)[:, None] * (pairs == 0)
        wins = (climb[:, 0] - climb[:, 1] + rng.logistic(size=debates) > 0).astype(float)
        columns = duels(pairs, wins)
        still, moving = fitted(columns), fitted(columns, every=40)
        assert abs(still.strength[0, 0]) < 0.6
        assert moving.strength[0, 0] > 1.0
        assert moving.rank[0, 0] == 1
        assert moving.scales.walk > 0.1

    def test_who_stays_loses_little(self):
        errors = []
        for seed in range(6):
            truth, columns = simulated(seed, 6, 200)
            found = [fitted(columns).strength[0] - truth, fitted(columns, every=40).strength[0] - truth]
            errors.append([np.square(each).mean() for each in found])
        still, moving = np.sqrt(np.mean(errors, axis=0))
        assert moving < 1.25 * still


class TestStartingRatings:
    def rated(self, seed, debates, reliability):
        truth, columns = simulated(seed, 16, debates)
        rng = np.random.default_rng(seed + 100)
        noise = math.sqrt(1 / reliability - 1) if reliability else 1.0
        rating = (truth if reliability else 0.0) + noise * rng.standard_normal(16)
        return truth, replace(columns, history=replace(columns.history, start=rating * ELO_PER_NAT))

    def test_good_ones_count_and_useless_ones_do_not(self):
        good = [fitted(self.rated(seed, 150, 0.95)[1]).scales.share for seed in range(4)]
        useless = [fitted(self.rated(seed, 150, 0.0)[1]).scales.share for seed in range(4)]
        assert np.mean(good) > 0.75
        assert np.mean(useless) < 0.4

    def test_few_debates_leave_the_order_of_good_ones(self):
        with_and_without = []
        for seed in range(3):
            truth, columns = self.rated(seed, 12, 0.95)
            found = fitted(columns).strength[0], fitted(replace(columns, history=None)).strength[0]
            with_and_without.append([np.corrcoef(each, truth)[0, 1] for each in found])
        rated, unrated = np.mean(with_and_without, axis=0)
        assert rated > 0.75
        assert unrated < 0.6

    def test_before_any_debate_they_are_all_that_is_known(self):
        none = np.zeros(0, np.int64)
        history = AgentVersions(version=none, current=np.zeros(3, np.int64), start=np.array([200.0, np.nan, -200.0]))
        columns = ScoreColumns(
            agents=("a", "b", "c"), domains=(), match=none, agent=none, score=none.astype(float), domain=none,
            confidence=none.astype(float), history=history,
        )  # fmt: skip
        found = fitted(columns, share=0.75, spread=1.0)
        assert found.strength[0] == pytest.approx(np.array([150, 0, -150]) / ELO_PER_NAT, abs=1e-7)
        assert found.standard_error[0, 1] > found.standard_error[0, 0]


class TestDraws:
    def test_they_have_the_moments_of_the_strengths(self):
        _, columns = simulated(10, 6, 120, since=60, domains=2)
        found = fitted(columns, by_domain=True, draws=4000)
        assert found.sample.mean(axis=1) == pytest.approx(found.strength, abs=0.05)
        assert found.sample.std(axis=1) == pytest.approx(found.standard_error, rel=0.1)
        assert (found.low < found.strength).all()
        assert (found.strength < found.high).all()

    def test_of_a_newcomer_the_spread_is_known(self):
        _, columns = simulated(11, 6, 120)
        assert fitted(columns, draws=4000, spread=0.8).newcomer.std() == pytest.approx(0.8, rel=0.15)

    def test_the_same_seed_gives_the_same(self):
        _, columns = simulated(12, 5, 40, since=20)
        one, other = fitted(columns), fitted(columns)
        assert (one.sample == other.sample).all()


class Point:
    def __init__(self, height):
        self.log_evidence = height


class TestLattice:
    def test_weights_are_prior_times_evidence(self):
        axis = Axis(values=(0.0, 1.0, 2.0), log_prior=(math.log(0.5), math.log(0.3), math.log(0.2)), first=1)
        found = averaged([axis], lambda values, _: Point(math.log(1 + values[0])), most=10)
        weights = {round(math.exp(each.fit.log_evidence)) - 1: each.weight for each in found}
        total = 0.5 + 0.3 * 2 + 0.2 * 3
        assert weights == pytest.approx({0: 0.5 / total, 1: 0.6 / total, 2: 0.6 / total})

    def test_the_best_is_reached_and_what_is_far_from_it_is_not_looked_at(self):
        axis = Axis(values=tuple(map(float, range(200))), log_prior=(0.0,) * 200, first=10)
        seen = []

        def height(values, near):
            seen.append(values)
            return Point(-((values[0] - 120) ** 2) / 50)

        found = averaged([axis], height, most=1000)
        assert found[0].fit.log_evidence == 0.0
        assert max(seen) < (150.0,)
        assert sum(each.weight for each in found) == pytest.approx(1.0)

    def test_fewer_fits_still_reach_the_best(self):
        axes = [Axis(values=tuple(map(float, range(60))), log_prior=(0.0,) * 60, first=0)] * 2
        found = averaged(axes, lambda at, _: Point(-((at[0] - 40) ** 2 + (at[1] - 40) ** 2) / 20), most=10)
        assert found[0].fit.log_evidence == 0.0

    def test_an_exponential_axis_has_all_the_mass(self):
        axis = Axis.exponential(mean=0.75, least=0.05, most=3.0)
        assert math.fsum(map(math.exp, axis.log_prior)) == pytest.approx(1.0)
        assert axis.values[:2] == (0.0, 0.05)
        assert axis.values[-1] <= 3.0


class TestRefusals:
    def test_options_out_of_range(self):
        with pytest.raises(InvalidConfig, match="at least one debate, not 0"):
            MovingOptions(every=0)
        with pytest.raises(InvalidConfig, match="drift must be a number from 0, not -1"):
            MovingOptions(drift=-1)
        with pytest.raises(InvalidConfig, match="walk_mean"):
            MovingOptions(walk_mean=0)
        with pytest.raises(InvalidConfig, match="level"):
            MovingOptions(level=1.0)
        with pytest.raises(InvalidConfig, match="draws"):
            MovingOptions(draws=0)

    def test_no_agents(self):
        none = np.zeros(0, np.int64)
        empty = ScoreColumns(
            agents=(), domains=(), match=none, agent=none, score=none.astype(float), domain=none,
            confidence=none.astype(float),
        )  # fmt: skip
        with pytest.raises(InvalidEvidence, match="no agents"):
            fitted(empty)

    def test_a_history_of_other_agents(self):
        _, columns = simulated(1, 4, 10)
        with pytest.raises(InvalidEvidence, match="a version of each entry"):
            replace(columns, history=AgentVersions.none(20, 5))

    def test_a_domain_it_does_not_know(self):
        _, columns = simulated(1, 4, 20, domains=2)
        found = fitted(columns, by_domain=True)
        assert found.row("d1") == 2
        with pytest.raises(KeyError):
            found.row("law")
