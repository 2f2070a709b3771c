"""Reviews: where ratings start, who stands first among equals, and where matches say otherwise (T16)."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.reviews import Opinion, break_ties, calibration, discrepancies, opinions, seeds
from paragone.domain import AdjustmentKind, BoardRow, Review

scores = st.floats(0.0, 1.0)


def review(item, score, reviewer="r"):
    return Review(item=item, reviewer=reviewer, score=score)


def opinion(item, score, error=0.1, reliability=1.0, reviews=1):
    return Opinion(item=item, score=score, error=error, reliability=reliability, reviews=reviews)


def row(id, rank, rating, *, reach=50.0):
    return BoardRow(
        id=id,
        rank=rank,
        rank_low=rank,
        rank_high=rank,
        rating=rating,
        low=rating - reach,
        high=rating + reach,
        elo=rating,
        wins=0,
        losses=0,
        ties=0,
        matches=0,
    )


@pytest.mark.parametrize(("score", "target"), [(0.5, 1200.0), (1.0, 1400.0), (0.0, 1000.0), (0.75, 1300.0)])
def test_one_reviewer_seeds_on_a_straight_line(score, target):
    (seed,) = seeds([review("a", score)])
    assert (seed.item, seed.kind, seed.share) == ("a", AdjustmentKind.SEED, 1.0)
    assert seed.target == pytest.approx(target)
    assert seed.moved(1200.0) == pytest.approx(target)


def test_the_span_and_the_middle_are_the_callers():
    (seed,) = seeds([review("a", 1.0)], initial=1500.0, span=50.0)
    assert seed.target == 1550.0


def test_only_the_items_asked_for_are_seeded_in_the_order_of_review():
    made = seeds([review("b", 0.9), review("a", 0.1), review("c", 0.5)], items={"a", "b"})
    assert [seed.item for seed in made] == ["b", "a"]
    assert len({seed.id for seed in made}) == 2


def test_a_later_review_by_the_same_reviewer_replaces_the_earlier_one():
    found = opinions([review("a", 0.1), review("a", 0.9)])["a"]
    assert (found.score, found.reviews) == (0.9, 1)


def test_two_reviewers_who_disagree_by_hand():
    """Scores .9/.7 and .3/.1: each deviates by .1, so the variance of an error is .1^2 * 2 = .02, of a mean .01;

    the items lie .3 from the middle, of which .09 - .01 = .08 is signal: reliability .08 / .09.
    """
    found = opinions([review("a", 0.9, "x"), review("a", 0.7, "y"), review("b", 0.1, "x"), review("b", 0.3, "y")])
    assert found["a"].score == pytest.approx(0.8)
    assert found["a"].error == pytest.approx(0.1)
    assert found["a"].reliability == pytest.approx(8 / 9)
    reviews = [review("a", 0.9, "x"), review("a", 0.7, "y"), review("b", 0.1, "x"), review("b", 0.3, "y")]
    assert [seed.target for seed in seeds(reviews)] == pytest.approx(
        [1200 + 400 * 0.3 * 8 / 9, 1200 - 400 * 0.3 * 8 / 9]
    )


def test_the_reviewer_who_differs_from_all_others_weighs_less():
    rng = np.random.default_rng(1)
    truth = rng.uniform(0.2, 0.8, 40)
    reviews = []
    for at, true in enumerate(truth):
        for reviewer, noise in (("good", 0.03), ("fair", 0.05), ("wild", 0.3)):
            reviews.append(review(str(at), float(np.clip(true + rng.normal(0, noise), 0, 1)), reviewer))
    found = opinions(reviews)
    plain = [np.mean([r.score for r in reviews if r.item == item]) for item in found]
    weighed = [opinion.score for opinion in found.values()]
    assert np.mean((weighed - truth) ** 2) < 0.5 * np.mean((plain - truth) ** 2)


def test_reviews_that_are_noise_seed_hardly_anything():
    rng = np.random.default_rng(2)
    reviews = [review(str(at), float(rng.uniform()), name) for at in range(200) for name in "xy"]
    assert max(abs(seed.target - 1200) for seed in seeds(reviews)) < 60


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz"), scores), max_size=30))
def test_no_seed_is_further_off_than_the_span(given_reviews):
    reviews = [review(*one[::2], one[1]) for one in given_reviews]
    made = seeds(reviews)
    assert {seed.item for seed in made} == {one.item for one in reviews}
    assert all(abs(seed.target - 1200.0) <= 200.0 + 1e-9 for seed in made)


def test_calibration_by_hand():
    """Ranks 1 2 3 4 5 against 2 1 3 4 5: 1 - 6 * 2 / (5 * 24) = .9."""
    held = {item: opinion(item, score) for item, score in zip("abcde", (0.1, 0.2, 0.3, 0.4, 0.5), strict=True)}
    found = calibration(held, dict(zip("abcde", (1100, 1000, 1200, 1300, 1400), strict=True)))
    assert (found.items, found.correlation) == (5, pytest.approx(0.9))
    assert found.low < 0.9 < found.high < 1.0


def test_calibration_needs_something_to_go_by():
    held = {item: opinion(item, 0.5) for item in "abcd"}
    strengths = dict(zip("abcd", (1, 2, 3, 4), strict=True))
    assert calibration(held, strengths) is None
    assert calibration({"a": opinion("a", 0.9)}, strengths) is None


def test_perfect_agreement_of_four_items_proves_little():
    held = {item: opinion(item, score) for item, score in zip("abcd", (0.1, 0.2, 0.3, 0.4), strict=True)}
    found = calibration(held, dict(zip("abcd", (1, 2, 3, 4), strict=True)))
    assert found.correlation == 1.0
    assert found.low < 0 < found.high
    assert "cannot be told" in found.sentence()


def test_the_interval_of_the_correlation_covers():
    rng = np.random.default_rng(3)
    true, covered = 6 / np.pi * np.arcsin(0.6 / 2), 0  # Spearman's of a bivariate normal with .6
    for _ in range(300):
        x = rng.normal(size=40)
        y = 0.6 * x + 0.8 * rng.normal(size=40)
        held = {str(at): opinion(str(at), float(score)) for at, score in enumerate((x - x.min()) / np.ptp(x))}
        found = calibration(held, {str(at): float(value) for at, value in enumerate(y)})
        covered += found.low <= true <= found.high
    assert 0.91 <= covered / 300 <= 0.98


def test_items_that_share_a_rank_are_parted_by_review():
    rows = [row("a", 1, 1300), row("b", 1, 1300), row("c", 3, 1200)]
    made = break_ties(rows, {"a": opinion("a", 0.4), "b": opinion("b", 0.6), "c": opinion("c", 1.0)})
    assert [(one.id, one.rank) for one in made] == [("b", 1), ("a", 2), ("c", 3)]


def test_a_real_difference_is_never_overridden():
    rows = [row("a", 1, 1300.0), row("b", 2, 1298.0)]
    assert break_ties(rows, {"a": opinion("a", 0.0), "b": opinion("b", 1.0)}) == tuple(rows)
    certain = [row("a", 1, 1300.0, reach=0.1), row("b", 2, 1299.5, reach=0.1)]
    assert break_ties(certain, {"a": opinion("a", 0.0), "b": opinion("b", 1.0)}) == tuple(certain)


def test_practical_ties_do_not_chain():
    """Each is within a point of the next, but the third is not within a point of the first."""
    rows = [row("a", 1, 1300.0), row("b", 2, 1299.2), row("c", 3, 1298.4)]
    made = break_ties(rows, {"a": opinion("a", 0.1), "b": opinion("b", 0.2), "c": opinion("c", 0.9)})
    assert [one.id for one in made] == ["b", "a", "c"]


def test_an_item_without_a_review_counts_as_neutral():
    rows = [row("a", 1, 1300), row("b", 1, 1300), row("c", 1, 1300)]
    made = break_ties(rows, {"a": opinion("a", 0.4), "c": opinion("c", 0.6)})
    assert [(one.id, one.rank) for one in made] == [("c", 1), ("b", 2), ("a", 3)]


def test_what_reviews_cannot_part_still_shares_its_rank():
    rows = [row("a", 1, 1300), row("b", 1, 1300), row("c", 3, 1100)]
    assert break_ties(rows, {}) == tuple(rows)


@given(st.lists(st.tuples(st.integers(1000, 1010), scores), min_size=1, max_size=20))
def test_breaking_ties_moves_nobody_past_a_real_difference_and_settles_at_once(drawn):
    drawn.sort(key=lambda one: -one[0])
    values = [rating for rating, _ in drawn]
    rows = [row(str(at), values.index(rating) + 1, float(rating)) for at, (rating, _) in enumerate(drawn)]
    held = {str(at): opinion(str(at), score) for at, (_, score) in enumerate(drawn)}
    made = break_ties(rows, held)
    assert sorted(one.id for one in made) == sorted(one.id for one in rows)
    assert all(later.rating - earlier.rating <= 1.0 for earlier, later in pairwise(made))
    assert [one.rank for one in made] == sorted(one.rank for one in made)
    assert all(one.rank_low <= one.rank <= one.rank_high for one in made)


def test_a_discrepancy_beyond_both_uncertainties_by_hand():
    """Ten items 100 points apart with intervals of 40 to either side: ranks are certain. The reviews put the last

    item on top of all, and are off by .02 each.
    """
    rows = [row(str(at), at + 1, 2000.0 - 100 * at, reach=40.0) for at in range(10)]
    held = {str(at): opinion(str(at), 0.85 - 0.08 * at, error=0.01) for at in range(9)}
    held["9"] = opinion("9", 1.0, error=0.01)
    found = discrepancies(rows, held)
    assert found[0].item == "9"
    assert (found[0].by_matches.rank, found[0].by_reviews.rank, found[0].size) == (10, 1, 9)
    assert "rank 10 (10-10) by its matches, 1 (1-1) by its reviews, which score it 1.00" in found[0].sentence
    assert all(one.size == 1 for one in found[1:])  # the others are one place down for it


def test_what_either_may_be_off_is_no_discrepancy():
    rows = [row(str(at), at + 1, 2000.0 - 100 * at, reach=40.0) for at in range(10)]
    held = {str(at): opinion(str(at), 0.85 - 0.08 * at, error=0.01) for at in range(9)}
    doubtful = {**held, "9": opinion("9", 1.0, error=0.6)}
    assert discrepancies(rows, doubtful) == ()
    vague = [row(str(at), at + 1, 2000.0 - 100 * at, reach=1000.0) for at in range(10)]
    assert discrepancies(vague, {**held, "9": opinion("9", 1.0, error=0.01)}) == ()


def test_noise_alone_makes_hardly_any_discrepancies():
    rng, listed = np.random.default_rng(4), 0
    for _ in range(100):
        truth = rng.normal(size=30)
        ratings = 1200 + 100 * truth + rng.normal(0, 40, 30)
        rows = [row(str(at), 1, float(rating), reach=1.96 * 40) for at, rating in enumerate(ratings)]
        seen = np.clip(0.5 + 0.15 * truth + rng.normal(0, 0.1, 30), 0, 1)
        listed += len(discrepancies(rows, {str(at): opinion(str(at), float(s)) for at, s in enumerate(seen)}))
    assert listed / 3000 < 0.01


def test_ranks_are_among_the_items_that_have_both():
    rows = [row("new", 1, 3000.0, reach=10.0), row("a", 2, 1300.0, reach=10.0), row("b", 3, 1200.0, reach=10.0)]
    held = {"a": opinion("a", 0.1, error=0.01), "b": opinion("b", 0.9, error=0.01), "gone": opinion("gone", 1.0)}
    assert [(one.item, one.by_matches.rank, one.by_reviews.rank) for one in discrepancies(rows, held)] == [
        ("a", 1, 2),
        ("b", 2, 1),
    ]
    assert discrepancies([], held) == ()
