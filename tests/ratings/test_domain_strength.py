"""Strengths by domain: shrunk as far as the evidence says, with intervals that hold."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.errors import InvalidConfig, InvalidEvidence, NotConverged
from paragone.ratings import ELO_PER_NAT, FitOptions, fit
from paragone.ratings.domain_strength import DomainOptions, fit_domains
from paragone.ratings.score_pairs import ScoreColumns, ScorePairs

COUNTS = (300, 60, 15, 5)


def debated(rng, strength, counts, *, sizes=(2, 3, 4)):
    """Debates by domain among agents of these strengths, shape (domains, agents); noise as in Plackett-Luce."""
    agents = strength.shape[1]
    domain = np.repeat(np.arange(len(counts)), counts)
    size = rng.choice(sizes, domain.size)
    agent = np.concatenate([rng.choice(agents, count, replace=False) for count in size])
    match = np.repeat(np.arange(domain.size), size)
    return ScoreColumns(
        agents=tuple(f"a{number}" for number in range(agents)),
        domains=tuple(f"d{number}" for number in range(len(counts))),
        match=match,
        agent=agent,
        score=strength[domain[match], agent] + rng.gumbel(size=agent.size),
        domain=domain,
        confidence=np.ones(domain.size),
    )


def simulated(seed, tau, counts=COUNTS, agents=20, **how):
    """Truth less its mean by domain, and debates."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(agents) + tau * rng.standard_normal((len(counts), agents))
    return truth - truth.mean(axis=1, keepdims=True), debated(rng, truth, counts, **how)


def fitted(columns, **options):
    return fit_domains(columns, DomainOptions(draws=200, **options), rng=np.random.default_rng(0))


class TestShrinking:
    def test_where_nobody_debated_it_is_the_global_strength_with_the_wider_interval(self):
        _, columns = simulated(1, 0.3, (80, 0), agents=8)
        found = fitted(columns, tau=0.4)
        assert found.strength[2] == pytest.approx(found.strength[0], abs=1e-9)
        wider = found.standard_error[0] ** 2 + 0.4**2 * (1 - 1 / 8)
        assert found.standard_error[2] ** 2 == pytest.approx(wider)

    def test_an_agent_that_sat_out_has_its_global_strength_there(self):
        _, columns = simulated(2, 0.3, (90, 40), agents=9)
        out = columns.agent == 8
        kept = ~(out & (columns.domain[columns.match] == 1))
        columns = replace(columns, match=columns.match[kept], agent=columns.agent[kept], score=columns.score[kept])
        found = fitted(columns, tau=0.4)
        assert found.strength[2, 8] == pytest.approx(found.strength[0, 8], abs=1e-6)
        assert found.standard_error[2, 8] > found.standard_error[0, 8]

    def test_evidence_of_its_own_tightens_and_leads_away(self):
        """An agent that is best everywhere else loses here: the more often, the less the rest counts."""
        rng = np.random.default_rng(3)
        truth = np.array([[2.0, 0, 0, 0, 0, -1], [-2.0, 0, 0, 0, 0, -1]])
        widths, strengths = [], []
        for count in (0, 5, 40, 400):
            found = fitted(debated(rng, truth, (200, count)), tau=0.5)
            widths.append(found.standard_error[2, 0])
            strengths.append(found.strength[2, 0])
        assert widths == sorted(widths, reverse=True)
        assert strengths == sorted(strengths, reverse=True)
        assert strengths[0] > 1.0
        assert strengths[-1] == pytest.approx(truth[1, 0] - truth[1].mean(), abs=0.35)

    def test_domains_that_say_the_same_have_no_deviations(self):
        _, columns = simulated(4, 0.0, (200,), agents=10)
        thrice = replace(
            columns,
            domains=("x", "y", "z"),
            match=np.concatenate([columns.match + 200 * turn for turn in range(3)]),
            agent=np.tile(columns.agent, 3),
            score=np.tile(columns.score, 3),
            domain=np.repeat([0, 1, 2], 200),
            confidence=np.ones(600),
        )
        found = fitted(thrice)
        assert found.tau * ELO_PER_NAT < 15
        assert found.strength[1:] == pytest.approx(np.tile(found.strength[0], (3, 1)), abs=0.01)

    def test_domains_that_differ_have_large_ones(self):
        """Tau is found: five domains of ten agents are 50 deviations."""
        _, columns = simulated(5, 1.0, (150,) * 5, agents=10)
        found = fitted(columns)
        assert found.tau == pytest.approx(1.0, rel=0.25)
        assert found.tau_low < 1.0 < found.tau_high

    def test_without_deviations_it_is_the_fit_of_all_debates(self):
        _, columns = simulated(6, 0.0)
        found = fitted(columns, tau=0.0)
        whole = fit(ScorePairs.of(columns).evidence(), FitOptions(position=False))
        assert found.spread == pytest.approx(whole.prior_spread, rel=0.05)
        assert found.standard_error == pytest.approx(np.tile(whole.standard_error, (5, 1)), rel=0.06)
        same = fit(ScorePairs.of(columns).evidence(), FitOptions(position=False, spread=found.spread))
        assert found.strength == pytest.approx(np.tile(same.strength, (5, 1)), abs=1e-6)


class TestInvariance:
    def test_the_order_of_debates_and_of_entries_changes_nothing(self):
        _, columns = simulated(7, 0.4, agents=8)
        rng = np.random.default_rng(0)
        debates, entries = rng.permutation(columns.domain.size), rng.permutation(columns.match.size)
        place = np.argsort(debates)
        shuffled = replace(
            columns,
            match=place[columns.match][entries],
            agent=columns.agent[entries],
            score=columns.score[entries],
            domain=columns.domain[debates],
        )
        one, other = fitted(columns), fitted(shuffled)
        assert other.strength == pytest.approx(one.strength, abs=1e-6)
        assert other.low == pytest.approx(one.low, abs=1e-6)
        assert other.tau == pytest.approx(one.tau, rel=1e-6)
        assert (other.rank == one.rank).all()
        assert (other.rank_low == one.rank_low).all()

    def test_names_of_agents_and_domains_change_places_with_their_numbers(self):
        _, columns = simulated(8, 0.4, agents=6)
        turned = replace(
            columns,
            agents=columns.agents[::-1],
            agent=5 - columns.agent,
            domains=columns.domains[::-1],
            domain=3 - columns.domain,
        )
        one, other = fitted(columns), fitted(turned)
        assert other.strength[1:] == pytest.approx(one.strength[:0:-1, ::-1], abs=1e-5)
        assert other.high[0] == pytest.approx(one.high[0, ::-1], abs=1e-5)

    def test_the_generator_is_for_ranks_alone(self):
        _, columns = simulated(9, 0.4, agents=6)
        one, other = (fit_domains(columns, rng=np.random.default_rng(seed)) for seed in (1, 2))
        assert (one.low == other.low).all()
        assert one.method == other.method


class TestTruth:
    """Twenty agents, four domains with 300, 60, 15 and 5 debates; ten pools for each size of deviations."""

    @pytest.mark.parametrize("points", [0, 50, 150])
    def test_shrinking_is_at_least_as_good_as_one_fit_and_as_many_and_intervals_hold(self, points, deep):
        tau = points / ELO_PER_NAT
        squares, held, ranked = {"shrunken": [], "global": [], "domain": []}, [], []
        for seed in range(10 if deep else 5):
            truth, columns = simulated([seed, 11], tau)
            pairs, found = ScorePairs.of(columns), fitted(columns)
            of = {"shrunken": found.strength[1:]}
            of["global"] = np.tile(fit(pairs.evidence(), FitOptions(position=False)).strength, (4, 1))
            own = [ScorePairs.of(columns.within(domain)).evidence() for domain in columns.domains]
            of["domain"] = np.array([fit(evidence, FitOptions(position=False)).strength for evidence in own])
            for name, strength in of.items():
                squares[name].append(((strength - truth) ** 2).mean(axis=1))
            held.append(((found.low[1:] < truth) & (truth < found.high[1:])).mean())
            places = np.argsort(np.argsort(-truth, axis=1), axis=1) + 1
            ranked.append(((found.rank_low[1:] <= places) & (places <= found.rank_high[1:])).mean())
        error = {name: np.sqrt(np.mean(values, axis=0)) * ELO_PER_NAT for name, values in squares.items()}
        best = np.minimum(error["global"], error["domain"])
        assert (error["shrunken"] < 1.12 * best).all()
        assert error["shrunken"].mean() < 1.05 * best.mean()
        assert np.mean(held) > 0.89
        assert np.mean(ranked) > 0.89


class TestEdges:
    def test_one_agent_alone(self):
        columns = ScoreColumns(
            agents=("a",),
            domains=("x",),
            match=np.array([0]),
            agent=np.array([0]),
            score=np.array([1.0]),
            domain=np.array([0]),
            confidence=np.array([1.0]),
        )
        found = fitted(columns)
        assert found.strength.tolist() == [[0.0], [0.0]]
        assert found.rank.tolist() == [[1], [1]]
        assert found.standard_error == pytest.approx(np.zeros((2, 1)), abs=1e-6)

    def test_no_agents(self):
        nothing, none = np.zeros(0), np.zeros(0, dtype=np.int64)
        columns = ScoreColumns(
            agents=(), domains=(), match=none, agent=none, score=nothing, domain=none, confidence=nothing
        )
        with pytest.raises(InvalidEvidence, match="no agents"):
            fitted(columns)

    def test_debates_without_a_domain_are_between_global_strengths(self):
        _, columns = simulated(12, 0.0, (100,), agents=6)
        bare = replace(columns, domains=(), domain=np.full(100, -1))
        found = fitted(bare)
        whole = fit(ScorePairs.of(bare).evidence(), FitOptions(position=False, spread=found.spread))
        assert found.strength.shape == (1, 6)
        assert found.strength[0] == pytest.approx(whole.strength, abs=1e-6)

    def test_a_winner_of_everything_stays_finite(self):
        truth = np.array([[30.0, 20, 10, 0]] * 2)
        found = fitted(debated(np.random.default_rng(0), truth, (60, 60)))
        assert np.isfinite(found.high).all()
        assert found.rank[1].tolist() == [1, 2, 3, 4]

    def test_an_interval_holds_its_own_estimate(self):
        _, columns = simulated(13, 0.5, agents=7)
        found = fitted(columns)
        assert ((found.low < found.strength) & (found.strength < found.high)).all()
        assert ((found.rank_low <= found.rank) & (found.rank <= found.rank_high)).all()

    def test_it_says_what_made_it(self):
        _, columns = simulated(14, 0.5, agents=5)
        method = fitted(columns).method
        assert method["name"] == "bradley-terry-davidson by domain"
        assert method["tau_from"] == "evidence"
        assert method["tau_low"] < method["tau"] < method["tau_high"]
        assert sum(weight for _, weight in method["nodes"]) == pytest.approx(1.0)
        given = fitted(columns, tau=0.25).method
        assert (given["tau"], given["tau_from"], given["nodes"]) == (0.25, "given", [[0.25, 1.0]])

    def test_rows_are_found_by_name(self):
        _, columns = simulated(15, 0.5, (5, 5), agents=4)
        found = fitted(columns)
        assert found.row("d1") == 2
        with pytest.raises(KeyError):
            found.row("chess")

    def test_too_few_steps(self):
        _, columns = simulated(16, 0.5, agents=6)
        with pytest.raises(NotConverged, match="allow more"):
            fitted(columns, strengths=FitOptions(max_iterations=3))

    @pytest.mark.parametrize(
        "wrong",
        [{"tau": -0.1}, {"tau": 4}, {"tau": np.nan}, {"tau_mean": 0}, {"tau_most": 0.01}, {"level": 1}, {"draws": 0}],
    )
    def test_options_out_of_range(self, wrong):
        with pytest.raises(InvalidConfig):
            DomainOptions(**wrong)

    def test_at_its_bound_tau_says_so(self):
        """Domains that contradict each other every time: more than the bound is not believed."""
        sign = np.array([[4.0, 2, -2, -4], [-4.0, -2, 2, 4]])
        found = fitted(debated(np.random.default_rng(0), 3 * sign, (60, 60)), tau_most=1.5)
        assert found.tau == pytest.approx(1.5, rel=0.05)
        assert found.tau_high == 1.5

    def test_equal_records_share_a_rank(self):
        """The second and the third do the same in every debate."""
        debate = {0: 3.0, 1: 2.0, 2: 2.0, 3: 1.0}
        columns = ScoreColumns(
            agents=("a", "b", "c", "d"),
            domains=("x", "y"),
            match=np.repeat(np.arange(6), 4),
            agent=np.tile(list(debate), 6),
            score=np.tile(list(debate.values()), 6),
            domain=np.array([0, 0, 0, 0, 1, 1]),
            confidence=np.ones(6),
        )
        assert fitted(columns).rank.tolist() == [[1, 2, 2, 4]] * 3
