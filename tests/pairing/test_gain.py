"""What is gained by a comparison and which are chosen: a plain twin, worked numbers, and invariants of every batch."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paragone.domain import Aim, Goal
from paragone.pairing import gain
from paragone.pairing.gain import TOP, WHOLE, CandidatePairs, information, next_batch, order_form, top_rows
from paragone.pairing.informative import start
from paragone.pairing.presentation import PairHistory

ORDER, BALANCED, WINNER = Goal(aim=Aim.ORDER), Goal(), Goal(aim=Aim.WINNER)
TOP3 = Goal(aim=Aim.TOP, k=3)
GOALS = (ORDER, BALANCED, TOP3, WINNER)
seeds = st.integers(0, 2**32 - 1)


def posterior(items, seed, width=1.0):
    """Means and a covariance without variance along their average, and a generator."""
    rng = np.random.default_rng(seed)
    root = width * rng.standard_normal((items, items)) / np.sqrt(items)
    centre = np.eye(items) - 1 / items
    mean = 2 * rng.standard_normal(items)
    return mean - mean.mean(), centre @ (root @ root.T + 0.1 * width**2 * np.eye(items)) @ centre, rng


def batch_of(items, seed, goal, *, history=None, size=12, far=0, focus=0, audit_share=0.0):
    mean, covariance, rng = posterior(items, seed)
    history = PairHistory.of(items, start(items, rng=rng)) if history is None else history
    return next_batch(
        mean, covariance, history, goal, rng=rng, size=size, audit_share=audit_share, far=far, focus=focus
    )


def difference(items, first, second):
    d = np.zeros(items)
    d[first], d[second] = 1.0, -1.0
    return d


class TestTwin:
    """The covariance found anew by inverting, and every form from it: the same gains and the same choices."""

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_a_sequence_of_choices(self, seed):
        items = 9
        mean, covariance, rng = posterior(items, seed)
        order, top = order_form(mean, covariance), top_rows(mean, covariance, 3)
        risks = np.stack([top.T @ top, order])
        forms = np.stack([covariance @ risk @ covariance for risk in risks])
        pairs = CandidatePairs.of(mean, covariance, forms, PairHistory(items))
        ones = np.ones((items, items)) / items
        for _ in range(20):
            at = int(rng.integers(pairs.first.size))
            d = difference(items, pairs.first[at], pairs.second[at])
            told = float(information(d @ mean, d @ covariance @ d))
            # V - c V d d' V is the inverse of V^-1 + w d d' where c = w / (1 + w d' V d).
            weight = told / (1 - told * (d @ covariance @ d))
            covariance = np.linalg.inv(np.linalg.inv(covariance + ones) + weight * np.outer(d, d)) - ones
            pairs.choose(at)
            plain = [covariance @ risk @ covariance for risk in risks]
            for k, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
                d = difference(items, i, j)
                assert pairs.variance[k] == pytest.approx(d @ covariance @ d, rel=1e-8)
                c = float(information(d @ mean, d @ covariance @ d))
                for of in (TOP, WHOLE):
                    assert pairs.quadratic[of][k] == pytest.approx(d @ plain[of] @ d, rel=1e-6, abs=1e-14)
                    assert pairs.gain(of)[k] == pytest.approx(c * (d @ plain[of] @ d), rel=1e-6, abs=1e-14)
        assert covariance.sum(axis=1) == pytest.approx(np.zeros(items), abs=1e-10), "double-centred"
        assert np.linalg.eigvalsh(covariance).min() > -1e-12

    def test_a_long_batch_needs_more_room_than_there_was(self, monkeypatch):
        long = batch_of(14, 5, BALANCED, size=18, focus=6)
        monkeypatch.setattr(gain, "_ROOM", 1)
        assert batch_of(14, 5, BALANCED, size=18, focus=6) == long

    @pytest.mark.parametrize("goal", GOALS)
    def test_few_candidates_give_the_batch_that_all_pairs_give(self, goal, monkeypatch):
        few = batch_of(60, 6, goal, size=15, focus=6)
        monkeypatch.setattr(gain, "KEPT", 60)
        assert batch_of(60, 6, goal, size=15, focus=6) == few


def test_a_gain_worked_out_by_hand():
    """Two items with a difference of mean 0 and variance 4; see the form in test_gain_formulas."""
    mean, covariance = np.zeros(2), np.array([[1.0, -1.0], [-1.0, 1.0]])
    form = covariance @ order_form(mean, covariance) @ covariance  # 4 / (2 pi) times the covariance
    pairs = CandidatePairs.of(mean, covariance, np.stack([form, form]), PairHistory(2))
    told = 0.25 / (1 + np.pi / 2)
    assert pairs.quadratic[WHOLE] == pytest.approx([8 / np.pi])
    assert pairs.gain(WHOLE) == pytest.approx([told * 8 / np.pi])
    pairs.choose(0)
    assert pairs.variance == pytest.approx([4 - 16 * told])
    assert pairs.quadratic[WHOLE] == pytest.approx([(1 - 4 * told) ** 2 * 8 / np.pi])


def test_a_second_comparison_counts_half_and_a_third_nothing():
    mean, covariance, _ = posterior(3, 0)
    forms = np.stack([covariance @ covariance] * 2)
    fresh, once, both = (
        CandidatePairs.of(mean, covariance, forms, PairHistory.of(3, asked)).gain(WHOLE)[0]
        for asked in ([], [(0, 1)], [(0, 1), (1, 0)])
    )
    assert fresh > 0
    assert once == pytest.approx(gain.REMATCH * fresh)
    assert both == 0


@given(seeds, st.integers(3, 12))
@settings(max_examples=settings().max_examples // 2)
def test_gains_are_not_negative_and_only_fall(seed, items):
    mean, covariance, rng = posterior(items, seed)
    top = top_rows(mean, covariance, 1) @ covariance
    forms = np.stack([top.T @ top, covariance @ order_form(mean, covariance) @ covariance])
    pairs = CandidatePairs.of(mean, covariance, forms, PairHistory(items))
    for _ in range(6):
        before = pairs.variance.copy()
        pairs.choose(int(rng.integers(pairs.first.size)))
        assert (pairs.variance <= before + 1e-12).all()
        assert (pairs.gain(TOP) >= 0).all()
        assert (pairs.gain(WHOLE) >= 0).all()


@given(seeds, st.integers(3, 12), st.sampled_from(GOALS))
@settings(max_examples=settings().max_examples // 2)
def test_items_in_another_order_are_chosen_alike(seed, items, goal):
    """Who is item 0 makes no difference, and so neither does the side of a pair that an item is on."""
    mean, covariance, rng = posterior(items, seed)
    history, order = PairHistory.of(items, start(items, rng=rng)), rng.permutation(items)
    place = np.argsort(order)
    turned = PairHistory.of(
        items,
        [(int(place[a]), int(place[b])) for a in range(items) for b in range(items) if a != b and history.times(a, b)],
    )
    options = {"size": 4, "audit_share": 0.0, "far": 0, "focus": 2, "rng": rng}
    one = next_batch(mean, covariance, history, goal, **options)
    other = next_batch(mean[order], covariance[np.ix_(order, order)], turned, goal, **options)
    assert [{*pair} for pair in one] == [{int(order[a]), int(order[b])} for a, b in other]


@given(st.integers(2, 24), st.sampled_from(GOALS), st.integers(1, 30), st.sampled_from((0.0, 0.04, 1.0)), seeds)
@settings(max_examples=settings().max_examples // 2)
def test_no_order_of_a_pair_is_asked_twice_and_no_item_is_everywhere(items, goal, size, share, seed):
    mean, covariance, rng = posterior(items, seed)
    asked = PairHistory(items)
    for _ in range(8):
        batch = next_batch(
            mean, covariance, asked, goal, rng=rng, size=size, audit_share=share, far=size // 6, focus=size // 3
        )
        assert len(batch) <= size
        assert len({frozenset(pair) for pair in batch}) == len(batch)
        assert max(Counter(item for pair in batch for item in pair).values(), default=0) <= gain.MOST[goal.aim]
        for first, second in batch:
            assert asked.times(first, second) == 0
            asked.add(first, second)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("items", [2, 3, 7, 20])
def test_it_goes_on_until_every_pair_was_asked_in_both_orders_and_then_is_empty(goal, items, deep):
    """Also where all is known and nothing is left to be gained: in half of the cases, in all with --deep."""
    widths = (1.0, 1e-9)
    for width in widths if deep else (widths[(GOALS.index(goal) + items) % 2],):
        mean, covariance, rng = posterior(items, 1, width)
        asked = PairHistory(items)
        while batch := next_batch(mean, covariance, asked, goal, rng=rng, size=40, audit_share=0.04, far=6, focus=9):
            for pair in batch:
                asked.add(*pair)
        assert asked.total == items * (items - 1)


def test_a_batch_does_not_ask_the_same_twice_over():
    """Items 0 and 1 are all but the same item, so 2 learns nothing from meeting both; somebody else is chosen."""
    rng = np.random.default_rng(0)
    loading = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    centre = np.eye(4) - 0.25
    covariance = centre @ (loading @ loading.T + 1e-6 * np.eye(4)) @ centre
    batch = next_batch(np.zeros(4), covariance, PairHistory(4), ORDER, rng=rng, size=2, audit_share=0, far=0, focus=0)
    assert {frozenset(pair) for pair in batch} not in ({frozenset({0, 2}), frozenset({1, 2})}, {frozenset({0, 1})})
    assert len({0 if item == 1 else item for pair in batch for item in pair}) == 3


def test_far_pairs_join_the_upper_to_the_lower_third():
    mean, *_ = posterior(90, 3)
    place = np.argsort(np.argsort(-mean))
    batch = batch_of(90, 3, ORDER, size=30, far=10)
    thirds = [sorted(int(place[item]) // 30 for item in pair) for pair in batch[:10]]
    assert thirds == [[0, 2]] * 10
    assert batch_of(90, 3, ORDER, size=30, far=0) != batch


def test_the_audit_asks_again_what_was_asked_once():
    mean, covariance, rng = posterior(40, 4)
    asked = PairHistory(40)
    for _ in range(12):
        for pair in next_batch(mean, covariance, asked, ORDER, rng=rng, size=20, audit_share=0.2, far=0, focus=0):
            asked.add(*pair)
    assert asked.both / asked.pairs == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize(("goal", "boundary"), [(TOP3, 3), (WINNER, 1), (Goal(aim=Aim.TOP, k=20), 20)])
def test_a_top_is_sought_at_its_boundary(goal, boundary):
    items, rng = 120, np.random.default_rng(0)
    mean, covariance = np.linspace(6, -6, items), 0.04 * (np.eye(items) - 1 / items)
    asked = PairHistory.of(items, start(items, rng=rng))
    batch = next_batch(mean, covariance, asked, goal, rng=rng, size=6, audit_share=0, far=0, focus=6)
    assert len(batch) == 6
    assert all(abs(item + 0.5 - boundary) <= 8 for pair in batch for item in pair)


def test_whoever_is_least_known_is_served_by_the_whole_order():
    items, rng = 60, np.random.default_rng(0)
    mean, covariance = np.linspace(3, -3, items), np.diag(np.where(np.arange(items) % 20 == 7, 1.0, 0.01))
    batch = next_batch(mean, covariance, PairHistory(items), ORDER, rng=rng, size=3, audit_share=0, far=0, focus=0)
    assert {7, 27, 47} <= {item for pair in batch for item in pair}


@pytest.mark.parametrize("k", [40, 41, 1000])
def test_a_top_of_everybody_still_gives_a_batch(k):
    assert len(batch_of(40, 1, Goal(aim=Aim.TOP, k=k), focus=6)) == 12


@pytest.mark.parametrize("goal", GOALS)
def test_the_same_seed_gives_the_same_batch_and_the_history_is_left_alone(goal):
    mean, covariance, rng = posterior(40, 9)
    asked = PairHistory.of(40, start(40, rng=rng))
    before = {name: list(value) if isinstance(value, list) else value for name, value in vars(asked).items()}
    options = {"size": 12, "audit_share": 0.04, "far": 2, "focus": 4}
    first, second = (
        next_batch(mean, covariance, asked, goal, rng=np.random.default_rng(8), **options) for _ in range(2)
    )
    assert first == second
    assert vars(asked) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean": np.array([0.0, np.nan, 1.0])}, "finite"),
        ({"covariance": np.full((3, 3), np.inf)}, "finite"),
        ({"covariance": np.eye(2)}, "their covariance"),
        ({"history": PairHistory(4)}, "history is of 4 items"),
    ],
)
def test_what_cannot_be_planned_is_refused(change, message):
    given = {"mean": np.zeros(3), "covariance": np.eye(3), "history": PairHistory(3), "goal": ORDER} | change
    with pytest.raises(ValueError, match=message):
        next_batch(**given, rng=np.random.default_rng(0), size=3, audit_share=0, far=0, focus=0)
