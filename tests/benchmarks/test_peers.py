"""The peers that the benchmark of sample efficiency runs beside: each does what its source says."""

import numpy as np
import pytest


@pytest.fixture
def judge():
    from simulated import SimulatedJudge

    return SimulatedJudge(12, np.random.default_rng(5))


@pytest.mark.parametrize(
    ("module", "name", "package"),
    [
        ("contender_paragone", "random_fitted", "numpy"),
        ("peer_elo", "random_elo", "numpy"),
        ("peer_elo", "weights_elo", "numpy"),
        ("peer_asap", "asap", "numpy"),
        ("peer_trueskill", "trueskill_quality", "trueskill"),
        ("peer_filter", "filtered_quality", "numpy"),
        ("peer_bald", "bald", "numpy"),
        ("peer_sorts", "merge_sort", "numpy"),
        ("peer_sorts", "quick_sort", "numpy"),
    ],
)
def test_each_spends_its_budgets_and_finds_more_than_chance_would(judge, module, name, package):
    pytest.importorskip(package)
    from contender import score

    contend = getattr(__import__(module), name)
    reports = list(contend(judge, [24, 120], np.random.default_rng(1)))

    assert [report.calls for report in reports] == [24, 120]
    assert all(np.isfinite(report.strength).all() for report in reports)
    assert score(reports[-1].strength, judge.strength)["tau"] > 0.5


def test_a_score_is_one_for_the_truth_and_breaks_ties_evenly():
    from contender import score

    truth = np.arange(20.0)

    assert score(truth, truth) == {"tau": 1.0, "recall": 1.0, "winner": 1.0}
    assert score(-truth, truth) == {"tau": -1.0, "recall": 0.0, "winner": 0.0}
    assert score(np.zeros(20), truth) == pytest.approx({"tau": 0.0, "recall": 0.5, "winner": 0.05})


class TestElo:
    def test_between_equals_half_of_k_moves_and_a_draw_moves_nothing(self):
        from peer_elo import update

        ratings = np.full(4, 1200.0)
        update(ratings, np.array([[0, 1], [2, 3]]), np.array([1.0, 0.5]))

        assert ratings.tolist() == [1216.0, 1184.0, 1200.0, 1200.0]

    def test_a_match_counts_for_those_after_it(self):
        from peer_elo import update

        ratings = np.full(2, 1200.0)
        update(ratings, np.array([[0, 1], [1, 0]]), np.array([1.0, 0.0]))

        assert ratings[0] == pytest.approx(1216 + 32 / (1 + 10 ** (32 / 400)))
        assert ratings.sum() == pytest.approx(2400.0)

    def test_pairs_are_the_best_in_which_nobody_occurs_twice(self):
        from peer_elo import _best_disjoint

        value = np.array([[0, 9, 8, 1], [9, 0, 7, 2], [8, 7, 0, 3], [1, 2, 3, 0]], dtype=float)

        assert _best_disjoint(value, 2).tolist() == [[0, 1], [2, 3]]


class TestAsap:
    def test_the_posterior_of_one_comparison_is_the_exact_one(self):
        from peer_asap import MARGIN, PERFORMANCE_VARIANCE, PRIOR_VARIANCE, Posterior

        grid = np.linspace(-6, 6, 1201)
        weight = np.exp(-(grid[:, None] ** 2 + grid**2) / 2 / PRIOR_VARIANCE)
        difference, deviation = grid[:, None] - grid, np.sqrt(2 * PERFORMANCE_VARIANCE)
        for given, chance in {
            1.0: _normal((difference - MARGIN) / deviation),
            0.5: _normal((MARGIN - difference) / deviation) - _normal((-MARGIN - difference) / deviation),
            0.0: _normal((-MARGIN - difference) / deviation),
        }.items():
            found = Posterior(2)
            found.add(np.array([[0, 1]]), np.array([given]))
            exact = (weight * chance).sum(axis=1) / (weight * chance).sum()
            mean = exact @ grid

            assert found.mean[0] == pytest.approx(mean, abs=2e-4)
            assert found.variance[0] == pytest.approx(exact @ (grid - mean) ** 2, abs=2e-4)

    def test_a_gain_is_the_expected_divergence_of_the_answers(self):
        from peer_asap import PERFORMANCE_VARIANCE, gains, moments

        mean, variance = np.array([0.3, -0.2, 1.0]), np.array([0.5, 0.2, 0.9])
        difference = mean[0] - mean[1]
        deviation = np.sqrt(variance[0] + variance[1] + 2 * PERFORMANCE_VARIANCE)
        expected = 0.0
        for given, chance in _chances(difference, deviation).items():
            slope, bend = moments(np.array([difference]), np.array([deviation]), given)
            for own, sign in ((variance[0], 1), (variance[1], -1)):
                moved, left = sign * own * slope[0], own * (1 - own * bend[0])
                expected += chance * (left / own + moved**2 / own - 1 - np.log(left / own)) / 2
        gain = gains(mean, variance)

        assert gain[0, 1] == pytest.approx(expected, rel=1e-9)
        assert np.allclose(gain, gain.T)
        assert (gain > 0).all()

    def test_the_uncertain_and_near_tell_more_than_the_known_and_far(self):
        from peer_asap import gains

        gain = gains(np.array([0.0, 0.1, 4.0, 0.0]), np.array([0.5, 0.5, 0.5, 0.01]))

        assert gain[0, 1] > gain[0, 2]
        assert gain[0, 1] > gain[0, 3]


def _normal(at):
    from scipy.special import ndtr

    return ndtr(at)


def _chances(difference, deviation):
    from peer_asap import MARGIN

    loss, upto_draw = (float(_normal((edge - difference) / deviation)) for edge in (-MARGIN, MARGIN))
    return {1.0: 1 - upto_draw, 0.5: upto_draw - loss, 0.0: loss}


class TestTrueSkill:
    def test_quality_is_the_packages_own(self):
        trueskill = pytest.importorskip("trueskill")
        from peer_filter import quality
        from peer_trueskill import ENVIRONMENT

        mean, deviation = np.array([25.0, 31.0, 12.0]), np.array([8.3, 2.0, 5.0])
        found = quality(mean, deviation, 2 * ENVIRONMENT.beta**2)

        for a in range(3):
            for b in {0, 1, 2} - {a}:
                ratings = (trueskill.Rating(mean[i], deviation[i]) for i in (a, b))
                assert found[a, b] == pytest.approx(trueskill.quality_1vs1(*ratings, env=ENVIRONMENT))

    def test_in_a_round_everybody_meets_once(self):
        from peer_filter import matched

        rng = np.random.default_rng(0)
        pairs = matched(rng.random((9, 9)), rng.random(9), 4, rng)

        assert len({*pairs.ravel().tolist()}) == 8


class TestSwiss:
    def test_its_ranking_is_by_wins_and_its_calls_are_those_the_judge_answered(self, judge):
        pytest.importorskip("llm_qualitative_sort")
        from peer_swiss import play

        played = play(judge, 2, np.random.default_rng(0))
        wins = np.zeros(12)
        for match in played.result.match_history:
            if match.winner is not None:
                wins[int(match.item_a if match.winner == "A" else match.item_b)] += 1

        assert played.calls == played.result.statistics.total_api_calls == 2 * len(played.result.match_history)
        assert np.array_equal(np.sign(np.subtract.outer(wins, wins)), _signs(played.by_wins))

    def test_the_tournament_nearest_to_the_budget_is_taken(self, judge):
        pytest.importorskip("llm_qualitative_sort")
        from peer_swiss import swiss, swiss_fitted

        for contend in (swiss, swiss_fitted):
            calls = [report.calls for report in contend(judge, [24, 60, 120], np.random.default_rng(2))]
            assert calls == pytest.approx([24, 60, 120], abs=20)


def _signs(strength):
    return np.sign(np.subtract.outer(strength, strength))
