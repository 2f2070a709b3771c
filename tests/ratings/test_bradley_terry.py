"""The fit: what it finds, what it makes of thin and strange evidence, and what cannot change it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paragone.domain import Choice, Comparison, Verdict
from paragone.errors import InvalidConfig, NotConverged
from paragone.ratings import Evidence, Fit, FitOptions, fit, rating_intervals, to_elo


def simulated(items=30, calls=300, *, seed=0, bias=0.4, spread=2.0, threshold=0.35):
    """Comparisons by a judge with logistic noise; ties where the answer is within a threshold of nothing."""
    rng = np.random.default_rng(seed)
    skill = spread * rng.standard_normal(items)
    first = rng.integers(items, size=calls)
    second = (first + rng.integers(1, items, size=calls)) % items
    latent = skill[first] - skill[second] + bias + rng.logistic(size=calls)
    return skill - skill.mean(), first, second, np.where(np.abs(latent) < threshold, 0.5, latent > 0)


def same(one: Fit, other: Fit, tolerance=1e-7):
    for name in ("strength", "standard_error", "covariance", "position", "tie", "dispersion", "prior_spread"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=tolerance, nan_ok=True), name


class TestOrdinaryEvidence:
    def test_the_truth_is_found(self):
        skill, *votes = simulated(calls=1500)
        found = fit(Evidence.from_arrays(30, *votes))
        assert np.corrcoef(found.strength, skill)[0, 1] > 0.98
        assert found.strength.mean() == pytest.approx(0, abs=1e-8)
        assert found.position[0] == pytest.approx(0.4, abs=3 * found.position_se[0])
        assert found.position_se[0] < 0.1
        assert found.prior_spread == pytest.approx(2.0, rel=0.3)
        assert found.identified
        assert found.converged
        assert found.components == 1

    def test_the_optimum_is_proven_by_its_gradient(self):
        _, *votes = simulated()
        found = fit(Evidence.from_arrays(30, *votes))
        assert found.gradient_norm < 1e-7

    def test_more_evidence_makes_narrower_intervals(self):
        errors = []
        for calls in (60, 300, 1500):
            _, *votes = simulated(calls=calls)
            errors.append(fit(Evidence.from_arrays(30, *votes)).standard_error.mean())
        assert errors[0] > 1.3 * errors[1] > 1.3 * errors[2]

    def test_each_judge_has_its_own_position_term_and_ties(self):
        _, first, second, score = simulated(calls=900, bias=0.0, threshold=0.5)
        judge = np.arange(900) % 3
        score = np.where((judge == 0) & (np.arange(900) % 2 == 0), 1.0, score)
        score = np.where((judge == 1) & (score == 0.5), 0.0, score)
        evidence = Evidence.from_arrays(30, first, second, score, judge=judge, judges=("fond", "decided", "fair"))
        found = fit(evidence)
        assert found.position[0] > found.position[1] + 4 * found.position_se[0]
        assert np.isneginf(found.tie[1])
        assert np.isnan(found.tie_se[1])
        assert np.isfinite(found.tie[[0, 2]]).all()
        only = fit(evidence, FitOptions(position=frozenset({"fond"})))
        assert np.isfinite(only.position[0])
        assert np.isnan(only.position[1:]).all()

    def test_without_a_position_term_a_biased_judge_misleads_where_orders_are_unbalanced(self):
        """The strong are shown first and the judge likes the first: the fit with the term sees through it."""
        rng = np.random.default_rng(1)
        skill = np.linspace(1, -1, 20)
        pair = np.sort(rng.integers(20, size=(2000, 2)), axis=1)
        pair = pair[pair[:, 0] != pair[:, 1]]
        swapped = rng.random(len(pair)) < 0.1
        first, second = np.where(swapped, pair[:, 1], pair[:, 0]), np.where(swapped, pair[:, 0], pair[:, 1])
        score = (skill[first] - skill[second] + 1.0 + rng.logistic(size=len(pair)) > 0).astype(float)
        evidence = Evidence.from_arrays(20, first, second, score)
        off = [
            np.abs(fit(evidence, FitOptions(position=position)).strength - skill).mean() for position in (True, False)
        ]
        assert off[0] < 0.5 * off[1]

    def test_a_fit_names_what_made_it(self):
        _, *votes = simulated()
        options = FitOptions(position=False)
        found = fit(Evidence.from_arrays(30, *votes), options)
        assert found.options is options
        assert found.method["position"] is False
        assert found.method["name"] == "bradley-terry-davidson"

    def test_widening_widens_and_moves_nothing(self):
        _, *votes = simulated()
        evidence = Evidence.from_arrays(30, *votes)
        plain, wide = fit(evidence), fit(evidence, FitOptions(widening=1.5))
        assert wide.strength == pytest.approx(plain.strength, abs=1e-12)
        assert wide.standard_error == pytest.approx(1.5 * plain.standard_error)
        assert wide.covariance == pytest.approx(2.25 * plain.covariance)
        assert wide.position_se == pytest.approx(1.5 * plain.position_se)
        assert wide.identified == plain.identified


class TestStrangeEvidence:
    """Everything finite, flagged, and right."""

    def test_none_at_all_gives_the_prior_back(self):
        found = fit(Evidence.from_arrays(5, [], [], []))
        assert found.strength.tolist() == [0.0] * 5
        assert found.prior_spread == pytest.approx(1.5)
        assert found.standard_error == pytest.approx(np.full(5, 1.5 * np.sqrt(4 / 5)))
        assert (found.components, found.identified) == (5, False)

    def test_a_single_item(self):
        found = fit(Evidence.from_arrays(1, [], [], []))
        assert found.strength.tolist() == found.standard_error.tolist() == [0.0]

    def test_a_single_comparison(self):
        found = fit(Evidence.from_arrays(2, [0], [1], [1]))
        low, high = rating_intervals(found)
        assert found.strength[0] == -found.strength[1] > 0
        assert low[0] < 0 < high[0]
        assert not found.identified

    def test_two_items_often_compared_are_identified_though_their_spread_is_not(self):
        """70 % of 1,000: a difference of ln(7/3) nats whatever the prior."""
        found = fit(Evidence.from_arrays(2, [0, 1] * 500, [1, 0] * 500, ([1] * 7 + [0] * 3 + [0] * 7 + [1] * 3) * 50))
        balanced = fit(
            Evidence.from_arrays(2, [0] * 1000, [1] * 1000, [1] * 700 + [0] * 300), FitOptions(position=False)
        )
        assert balanced.strength[0] - balanced.strength[1] == pytest.approx(np.log(7 / 3), abs=0.01)
        assert balanced.identified
        assert found.log_spread_se > 0.5

    def test_a_winless_item_is_last_and_finite(self):
        _, first, second, score = simulated(items=10, calls=200)
        score = np.where(first == 4, 0.0, np.where(second == 4, 1.0, score))
        found = fit(Evidence.from_arrays(10, first, second, score))
        assert found.strength.argmin() == 4
        assert np.isfinite(found.standard_error).all()
        assert found.standard_error.argmax() == 4
        assert found.identified

    def test_separation_leaves_the_scale_to_the_prior_and_says_so(self):
        """The lower number always wins: the further apart the likelier, without end."""
        pairs = [(i, j) for i in range(8) for j in range(8) if i < j]
        shown = [pair if sum(pair) % 2 else pair[::-1] for pair in pairs]
        found = fit(Evidence.from_arrays(8, *zip(*shown, strict=True), [float(a < b) for a, b in shown]))
        assert (np.diff(found.strength) < 0).all()
        assert np.isfinite(found.strength).all()
        assert not found.identified

    @pytest.mark.parametrize("items", [12, 40])
    def test_a_judge_that_never_errs_leaves_the_spread_at_its_bound(self, items):
        """All pairs in both orders, all answers of one order: the evidence would spread the items without end."""
        pairs = [(i, j) for i in range(items) for j in range(items) if i != j]
        evidence = Evidence.from_arrays(items, *zip(*pairs, strict=True), [float(a < b) for a, b in pairs])
        found = fit(evidence)
        assert found.prior_spread == pytest.approx(6.0)
        assert found.log_spread_se == 0.0
        assert np.abs(to_elo(found.strength, initial=0.0)).max() < 3000
        assert not found.identified
        same(found, fit(evidence, FitOptions(spread=6.0)))
        wider = fit(evidence, FitOptions(spread_most=8.0))
        assert wider.prior_spread == pytest.approx(8.0)
        same(fit(evidence, start=wider), found)

    def test_a_bound_out_of_reach_changes_nothing(self):
        _, *votes = simulated()
        evidence = Evidence.from_arrays(30, *votes)
        same(fit(evidence), fit(evidence, FitOptions(spread_most=50.0)))

    def test_a_chain(self):
        """Each beats the next: little is known of those in the middle, and the order is right all the same."""
        found = fit(Evidence.from_arrays(10, range(9), range(1, 10), [1] * 9), FitOptions(position=False))
        assert (np.diff(found.strength) < 0).all()
        assert found.components == 1
        assert not found.identified

    def test_parts_without_a_bridge(self):
        _, first, second, score = simulated(items=10, calls=300)
        evidence = Evidence.from_arrays(20, [*first, *(first + 10)], [*second, *(second + 10)], [*score, *score])
        found = fit(evidence)
        assert found.components == 2
        assert found.component.tolist() == [0] * 10 + [1] * 10
        assert not found.identified
        assert found.strength[:10] == pytest.approx(found.strength[10:], abs=1e-9)
        across = found.covariance[0, 0] + found.covariance[10, 10] - 2 * found.covariance[0, 10]
        within = found.covariance[0, 0] + found.covariance[1, 1] - 2 * found.covariance[0, 1]
        assert across > within + 0.1 * found.prior_spread**2

    def test_a_judge_that_only_ever_says_first_says_nothing_of_the_items(self):
        _, first, second, _ = simulated(calls=300)
        found = fit(Evidence.from_arrays(30, first, second, np.ones(300)))
        assert found.position[0] > 3
        assert np.isfinite(found.position_se[0])
        assert np.abs(found.strength).max() < 0.2 * found.standard_error.min()
        assert not found.identified

    def test_nothing_but_ties(self):
        _, first, second, _ = simulated(calls=300)
        found = fit(Evidence.from_arrays(30, first, second, np.full(300, 0.5)))
        assert found.strength == pytest.approx(np.zeros(30), abs=1e-9)
        assert found.tie[0] > 3

    def test_weights_from_nothing_to_absurd(self):
        found = fit(Evidence.from_arrays(4, [0, 1, 2], [1, 2, 3], [1, 0, 1], weight=[1e9, 0.0, 1e-9]))
        assert np.isfinite(found.strength).all()
        assert found.strength[0] - found.strength[1] > 5
        assert found.component.tolist() == [0, 0, 1, 1]

    def test_an_item_that_nobody_compared(self):
        _, first, second, score = simulated(items=10, calls=200)
        found = fit(Evidence.from_arrays(11, first, second, score))
        assert found.components == 2
        assert found.standard_error.argmax() == 10
        assert found.strength[10] == pytest.approx(0, abs=1e-9)


class TestSoftVerdicts:
    def soft(self, scatter, *, items=24, calls=240, spread=0.3, bias=1.5, seed=2):
        rng = np.random.default_rng(seed)
        skill = spread * rng.standard_normal(items)
        first = rng.integers(items, size=calls)
        second = (first + rng.integers(1, items, size=calls)) % items
        log_odds = skill[first] - skill[second] + bias + scatter * rng.standard_normal(calls)
        return skill - skill.mean(), first, second, 1 / (1 + np.exp(-log_odds))

    def test_a_judge_that_always_says_first_still_ranks_by_its_probabilities(self):
        skill, *votes = self.soft(0.2)
        assert (votes[2] > 0.5).mean() > 0.99
        found = fit(Evidence.from_arrays(24, *votes))
        assert np.corrcoef(found.strength, skill)[0, 1] > 0.97
        assert found.position[0] == pytest.approx(1.5, abs=0.1)
        assert found.identified

    def test_the_less_they_scatter_the_more_they_say(self):
        fits = {scatter: fit(Evidence.from_arrays(24, *self.soft(scatter)[1:])) for scatter in (0.1, 0.4)}
        assert fits[0.1].dispersion[0] < fits[0.4].dispersion[0] / 8
        assert fits[0.1].standard_error.mean() < fits[0.4].standard_error.mean() / 2

    def test_intervals_hold_the_truth(self):
        held = []
        for seed in range(8):
            skill, *votes = self.soft(0.3, seed=seed)
            low, high = rating_intervals(fit(Evidence.from_arrays(24, *votes)))
            held += ((low <= skill) & (skill <= high)).tolist()
        assert np.mean(held) > 0.88

    def test_decisions_stated_as_certainties_count_as_decisions(self):
        _, first, second, score = simulated(calls=1500, threshold=0.0)
        votes = (30, first, second, score)
        hard, soft = (fit(Evidence.from_arrays(*votes, soft=np.full(1500, flag))) for flag in (False, True))
        assert soft.dispersion[0] == pytest.approx(1.0, abs=0.2)
        assert soft.strength == pytest.approx(hard.strength, abs=0.25)

    def test_one_soft_verdict_says_no_more_than_a_decision(self):
        found = fit(Evidence.from_arrays(2, [0], [1], [0.7]))
        assert 0.3 < found.dispersion[0] <= 1.0
        assert np.isfinite(found.standard_error).all()

    def test_decisions_have_no_dispersion(self):
        _, *votes = simulated()
        assert fit(Evidence.from_arrays(30, *votes)).dispersion.tolist() == [1.0]


class TestNotConverging:
    def test_it_is_an_error_that_carries_the_partial_fit(self):
        _, *votes = simulated()
        with pytest.raises(NotConverged, match="300 comparisons did not converge in 1 steps") as caught:
            fit(Evidence.from_arrays(30, *votes), FitOptions(max_iterations=1))
        partial = caught.value.partial
        assert isinstance(partial, Fit)
        assert not partial.converged
        assert not partial.identified
        assert partial.iterations == 1
        assert partial.gradient_norm > 1e-3
        assert np.isfinite(partial.strength).all()


class TestStartingFromAnEarlierFit:
    def test_the_result_is_the_same_and_cheaper(self):
        _, first, second, score = simulated(calls=400)
        before = fit(Evidence.from_arrays(30, first[:375], second[:375], score[:375]))
        evidence = Evidence.from_arrays(30, first, second, score)
        cold, warm = fit(evidence), fit(evidence, start=before)
        same(cold, warm)
        assert warm.iterations < cold.iterations

    def test_new_items_and_new_judges_may_have_come(self):
        _, first, second, score = simulated(calls=400)
        few = (first < 25) & (second < 25)
        before = fit(Evidence.from_arrays(25, first[few], second[few], score[few], judges=("old",)))
        judge = np.arange(400) % 2
        evidence = Evidence.from_arrays(30, first, second, score, judge=judge, judges=("new", "old"))
        same(fit(evidence), fit(evidence, start=before), tolerance=1e-4)


@st.composite
def evidences(draw):
    """Small evidence of any shape: two judges, ties, probabilities, weights, a ranking."""
    items = draw(st.integers(2, 6))
    pair = st.lists(st.integers(0, items - 1), min_size=2, max_size=2, unique=True)
    rows = draw(
        st.lists(
            st.tuples(
                pair,
                st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.05, 0.95),
                st.integers(0, 1),
                st.sampled_from([0.5, 1.0, 2.0]),
            ),
            max_size=15,
        )
    )
    rankings = draw(st.lists(st.permutations(range(items)), max_size=2))
    return {
        "item_count": items,
        "first": [row[0][0] for row in rows],
        "second": [row[0][1] for row in rows],
        "score": [row[1] for row in rows],
        "judge": [row[2] for row in rows],
        "weight": [row[3] for row in rows],
        "judges": ("j", "k"),
        "rankings": rankings,
    }


class TestWhatCannotChangeIt:
    """Dispersions are given: with a handful of soft verdicts their estimate is a matter of rounding."""

    options = FitOptions(dispersion=0.5)
    examples = settings(max_examples=settings().max_examples // 4)

    def fit(self, **arrays):
        return fit(Evidence.from_arrays(**arrays), self.options)

    @examples
    @given(evidences(), st.randoms(use_true_random=False))
    def test_names_of_items(self, arrays, random):
        order = list(range(arrays["item_count"]))
        random.shuffle(order)
        named = arrays | {
            "first": [order[item] for item in arrays["first"]],
            "second": [order[item] for item in arrays["second"]],
            "rankings": [[order[item] for item in ranking] for ranking in arrays["rankings"]],
        }
        one, other = self.fit(**arrays), self.fit(**named)
        assert other.strength[order] == pytest.approx(one.strength, abs=1e-6)
        assert other.standard_error[order] == pytest.approx(one.standard_error, abs=1e-6)
        assert other.prior_spread == pytest.approx(one.prior_spread, abs=1e-6)
        assert other.components == one.components
        assert (other.component[order][:, None] == other.component[order]).tolist() == (
            one.component[:, None] == one.component
        ).tolist()

    @examples
    @given(evidences(), st.randoms(use_true_random=False))
    def test_the_order_of_comparisons(self, arrays, random):
        order = list(range(len(arrays["first"])))
        random.shuffle(order)
        columns = ("first", "second", "score", "judge", "weight")
        shuffled = arrays | {name: [arrays[name][place] for place in order] for name in columns}
        same(self.fit(**arrays), self.fit(**shuffled), 1e-6)

    @examples
    @given(evidences())
    def test_swapping_every_order_of_presentation_flips_the_position_terms_and_nothing_else(self, arrays):
        swapped = arrays | {
            "first": arrays["second"],
            "second": arrays["first"],
            "score": [1 - score for score in arrays["score"]],
        }
        one, other = self.fit(**arrays), self.fit(**swapped)
        assert other.position == pytest.approx(-one.position, abs=1e-6, nan_ok=True)
        assert other.strength == pytest.approx(one.strength, abs=1e-6)
        assert other.tie == pytest.approx(one.tie, abs=1e-6)

    @examples
    @given(evidences())
    def test_turning_every_verdict_round_turns_the_strengths_round(self, arrays):
        turned = arrays | {"score": [1 - score for score in arrays["score"]], "rankings": []}
        one, other = self.fit(**(arrays | {"rankings": []})), self.fit(**turned)
        assert other.strength == pytest.approx(-one.strength, abs=1e-6)
        assert other.standard_error == pytest.approx(one.standard_error, abs=1e-6)

    @examples
    @given(evidences())
    def test_a_weight_of_two_is_saying_it_twice(self, arrays):
        columns = ("first", "second", "score", "judge", "weight")
        twice = arrays | {name: list(arrays[name]) * 2 for name in columns} | {"rankings": arrays["rankings"] * 2}
        double = arrays | {"weight": [2 * weight for weight in arrays["weight"]]}
        double["ranking_weight"] = [2.0] * len(arrays["rankings"])
        same(self.fit(**twice), self.fit(**double), 1e-6)

    @examples
    @given(evidences())
    def test_a_comparison_of_no_weight_was_never_made(self, arrays):
        extra = {"first": 0, "second": 1, "score": 0.5, "judge": 1, "weight": 0.0}
        padded = arrays | {name: [*arrays[name], value] for name, value in extra.items()}
        same(self.fit(**arrays), self.fit(**padded), 1e-9)

    @examples
    @given(evidences())
    def test_a_ranking_of_two_is_a_comparison_without_a_position(self, arrays):
        hard = [place for place, score in enumerate(arrays["score"]) if score in (0.0, 1.0)]
        pairs = [(arrays["first"][k], arrays["second"][k])[:: 1 if arrays["score"][k] else -1] for k in hard]
        items = arrays["item_count"]
        ranked = Evidence.from_arrays(items, [], [], [], rankings=pairs)
        compared = Evidence.from_arrays(items, [a for a, _ in pairs], [b for _, b in pairs], [1.0] * len(pairs))
        one, other = fit(ranked), fit(compared, FitOptions(position=False))
        assert one.strength == pytest.approx(other.strength, abs=1e-6)
        assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-6)


def test_comparisons_of_the_domain_go_all_the_way():
    said = [("a", "b", Choice.FIRST), ("b", "c", Choice.FIRST), ("c", "a", Choice.SECOND), ("a", "c", Choice.FAILED)]
    comparisons = [
        Comparison(call=str(call), first=first, second=second, verdict=Verdict(choice=choice, judge="j"))
        for call, (first, second, choice) in enumerate(said)
    ]
    found = fit(Evidence.of(comparisons, ["a", "b", "c"]))
    assert found.strength.argsort().tolist() == [2, 1, 0]


def test_four_hundred_points_are_ten_to_one():
    assert to_elo(np.log(10.0)) == pytest.approx(1600.0)
    assert to_elo(np.array([0.0, -np.log(10.0)]), initial=1500.0).tolist() == pytest.approx([1500.0, 1100.0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"spread": 0.0}, "spread must be a positive number"),
        ({"spread": 1e6}, "spread must be at most 100"),
        ({"spread_most": 1e6}, "spread_most must be at most 100"),
        ({"spread_width": float("nan")}, "spread_width must be a positive number"),
        ({"dispersion": -1.0}, "dispersion must be a positive number"),
        ({"widening": float("inf")}, "widening must be a positive number"),
        ({"max_iterations": -1}, "max_iterations must be 0 or more"),
    ],
)
def test_options_out_of_range_are_refused_by_name(parameters, message):
    with pytest.raises(InvalidConfig, match=message):
        FitOptions(**parameters)
