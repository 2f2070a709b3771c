"""What is asked next: invariants of every batch, and that each goal is served."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Aim, Goal
from paragone.pairing.informative import LOOK_AHEAD, batch_size, next_batch, start
from paragone.pairing.presentation import PairHistory

ORDER, BALANCED, WINNER = Goal(aim=Aim.ORDER), Goal(), Goal(aim=Aim.WINNER)
TOP3 = Goal(aim=Aim.TOP, k=3)
GOALS = (ORDER, BALANCED, TOP3, WINNER)
seeds = st.integers(0, 2**32 - 1)


def pool(items, seed, *, spread=0.5, draws=60):
    """Means, draws about them, and a generator."""
    rng = np.random.default_rng(seed)
    mean = 2 * rng.standard_normal(items)
    return mean, mean + spread * rng.standard_normal((draws, items)), rng


def unordered(pairs):
    return [tuple(sorted(pair)) for pair in pairs]


def connected(items, pairs):
    parts = {item: {item} for item in range(items)}
    for a, b in pairs:
        joined = parts[a] | parts[b]
        parts.update(dict.fromkeys(joined, joined))
    return len(parts[0]) == items


def after(items, batches, goal=ORDER, seed=0, **options):
    """A history of some batches, with means that stay put."""
    mean, draws, rng = pool(items, seed)
    asked = PairHistory(items)
    for _ in range(batches):
        for pair in next_batch(mean, draws, asked, goal, rng=rng, **options):
            asked.add(*pair)
    return mean, draws, asked, rng


class TestStart:
    @given(st.integers(3, 60), seeds)
    def test_two_matchings_show_everybody_once_first_and_once_second(self, items, seed):
        pairs = start(items, rng=np.random.default_rng(seed))

        assert len(pairs) == items
        assert sorted(first for first, _ in pairs) == sorted(second for _, second in pairs) == list(range(items))
        assert len(set(unordered(pairs))) == items
        assert connected(items, pairs)

    @given(st.integers(2, 30).map(lambda half: 2 * half), seeds)
    def test_of_an_even_number_each_half_is_a_perfect_matching(self, items, seed):
        pairs = start(items, rng=np.random.default_rng(seed))

        for matching in (pairs[: items // 2], pairs[items // 2 :]):
            assert sorted(item for pair in matching for item in pair) == list(range(items))

    def test_the_odd_one_is_paired_at_the_head_of_the_next_matching(self):
        pairs = start(7, rng=np.random.default_rng(3))
        (left_over,) = set(range(7)) - {item for pair in pairs[:3] for item in pair}

        assert left_over in pairs[3]

    @given(st.integers(4, 40), seeds)
    def test_a_third_matching_pairs_those_who_have_not_met(self, items, seed):
        pairs = start(items, rng=np.random.default_rng(seed), matchings=3)
        third = [item for pair in pairs[items:] for item in pair]

        assert len(set(unordered(pairs))) == len(pairs) == items + items // 2
        assert len(set(third)) == len(third) == items // 2 * 2

    def test_two_or_three_items_have_no_more_than_their_pairs(self):
        for matchings in (2, 3):
            assert unordered(start(2, rng=np.random.default_rng(0), matchings=matchings)) == [(0, 1)]
            three = start(3, rng=np.random.default_rng(0), matchings=matchings)
            assert sorted(unordered(three)) == [(0, 1), (0, 2), (1, 2)]

    @pytest.mark.parametrize(("items", "matchings"), [(1, 2), (5, 1), (5, 4)])
    def test_what_cannot_be_is_refused(self, items, matchings):
        with pytest.raises(ValueError, match="two or three matchings"):
            start(items, rng=np.random.default_rng(0), matchings=matchings)


@pytest.mark.parametrize(
    ("items", "goal", "size"),
    [(10, ORDER, 12), (150, ORDER, 38), (150, BALANCED, 38), (150, TOP3, 19), (1000, WINNER, 125), (40, WINNER, 12)],
)
def test_batches_are_a_quarter_or_an_eighth_and_never_tiny(items, goal, size):
    assert batch_size(items, goal) == size
    mean, draws, asked, rng = after(items, 1)
    assert len(next_batch(mean, draws, asked, goal, rng=rng)) == size


def test_the_first_batch_is_the_start():
    mean, draws, rng = pool(9, 0)

    assert next_batch(mean, draws, PairHistory(9), BALANCED, rng=rng) == start(9, rng=_like(9, 0))


def _like(items, seed):
    return pool(items, seed)[2]


@given(st.integers(2, 30), st.sampled_from(GOALS), st.integers(1, 40), st.sampled_from((0.0, 0.04, 1.0)), seeds)
def test_no_order_of_a_pair_is_asked_twice_and_no_item_is_everywhere(items, goal, size, share, seed):
    mean, draws, rng = pool(items, seed)
    asked = PairHistory(items)
    for _ in range(12):
        batch = next_batch(mean, draws, asked, goal, rng=rng, size=size, audit_share=share)
        assert len(batch) <= size
        assert len(set(unordered(batch))) == len(batch)
        assert max(Counter(item for pair in batch for item in pair).values(), default=0) <= 3
        for first, second in batch:
            assert asked.times(first, second) == 0
            asked.add(first, second)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("items", [2, 3, 7, 30])
def test_it_goes_on_until_every_pair_was_asked_in_both_orders_and_then_is_empty(goal, items):
    mean, draws, rng = pool(items, 1)
    asked = PairHistory(items)
    while batch := next_batch(mean, draws, asked, goal, rng=rng, size=40):
        for pair in batch:
            asked.add(*pair)

    assert asked.total == items * (items - 1)
    assert asked.both == asked.pairs == items * (items - 1) // 2


def test_far_pairs_are_asked_only_when_all_near_ones_are_spent():
    items = 3 * LOOK_AHEAD
    mean, draws = np.arange(items, 0, -1.0), np.tile(np.arange(items, 0, -1.0), (2, 1))
    near = [(a, b) for a in range(items) for b in range(items) if 0 < abs(a - b) <= LOOK_AHEAD]
    asked = PairHistory.of(items, near[1:])

    assert next_batch(mean, draws, asked, ORDER, rng=np.random.default_rng(0), far_share=0) == (near[0],)
    asked.add(*near[0])
    beyond = next_batch(mean, draws, asked, ORDER, rng=np.random.default_rng(0), far_share=0)
    assert len(beyond) == 15
    assert all(LOOK_AHEAD < abs(a - b) <= 2 * LOOK_AHEAD for a, b in beyond)


@pytest.mark.parametrize(("goal", "size", "far"), [(ORDER, 60, 10), (BALANCED, 30, 5), (WINNER, 1, 1), (TOP3, 2, 1)])
def test_one_pair_in_six_and_at_least_one_joins_the_upper_to_the_lower_third(goal, size, far):
    mean, draws, asked, rng = after(300, 1)
    place = np.argsort(np.argsort(-mean))
    batch = next_batch(mean, draws, asked, goal, rng=rng, size=size, audit_share=0)
    thirds = [sorted(int(place[item]) // 100 for item in pair) for pair in batch]

    assert thirds.count([0, 2]) == far


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_of_far_pairs_that_is_none_is_refused(share):
    mean, draws, asked, rng = after(30, 1)
    with pytest.raises(ValueError, match="far pairs"):
        next_batch(mean, draws, asked, ORDER, rng=rng, far_share=share)


def test_neighbours_in_the_order_of_the_means_meet():
    mean, draws, asked, rng = after(400, 1)
    place = np.argsort(np.argsort(-mean))
    batch = next_batch(mean, draws, asked, ORDER, rng=rng, audit_share=0, far_share=0)
    gaps = [abs(int(place[a] - place[b])) for a, b in batch]

    assert np.median(gaps) == 1
    assert max(gaps) <= LOOK_AHEAD


def test_whom_one_has_not_met_comes_before_a_nearer_one_whom_one_has():
    mean = np.array([3.0, 2.0, 1.0])
    asked = PairHistory.of(3, [(0, 1), (1, 2)])
    batch = next_batch(mean, np.tile(mean, (2, 1)), asked, ORDER, rng=np.random.default_rng(0), size=1)

    assert unordered(batch) == [(0, 2)]


def test_a_rematch_turns_the_order():
    mean = np.array([2.0, 1.0])

    assert next_batch(mean, mean[np.newaxis], PairHistory.of(2, [(1, 0)]), ORDER, rng=np.random.default_rng(0)) == (
        (0, 1),
    )


def test_items_that_lag_behind_are_served_first():
    mean, draws, asked, rng = after(60, 6, goal=WINNER)
    mean, draws = np.append(mean, [-9.0, -9.5, 0.0]), np.pad(draws, ((0, 0), (0, 3)), constant_values=-9.0)
    grown = PairHistory.of(63, [(a, b) for a in range(60) for b in range(60) if asked.times(a, b)])
    batch = next_batch(mean, draws, grown, WINNER, rng=rng)

    assert {60, 61, 62} <= {item for pair in batch[:3] for item in pair}


@pytest.mark.parametrize("goal", [ORDER, BALANCED])
def test_nobody_is_starved_at_the_extremes_or_elsewhere(goal):
    *_, asked, _ = after(200, 40, goal=goal)
    usual = float(np.median(asked.counts))

    assert min(asked.counts) > 0.5 * usual
    extremes = np.argsort(pool(200, 0)[0])[[0, 1, 2, -3, -2, -1]]
    assert min(asked.counts[item] for item in extremes) > 0.7 * usual


def test_the_whole_order_is_served_evenly():
    *_, asked, _ = after(200, 40)

    assert max(asked.counts) - min(asked.counts) <= 6


@pytest.mark.parametrize(("goal", "boundary"), [(TOP3, 3), (WINNER, 1), (Goal(aim=Aim.TOP, k=20), 20)])
def test_a_top_is_sought_at_its_boundary(goal, boundary):
    items = 120
    mean = np.linspace(6, -6, items)
    rng = np.random.default_rng(0)
    draws = mean + 0.2 * rng.standard_normal((200, items))
    asked = PairHistory.of(items, start(items, rng=rng))
    batch = next_batch(mean, draws, asked, goal, rng=rng, size=6, audit_share=0, far_share=0)

    assert len(batch) == 6
    assert all(abs(item + 0.5 - boundary) <= 8 for pair in batch for item in pair)


def test_candidates_for_the_best_meet_each_other():
    mean = np.array([5.0, 4.9, 4.8, 4.7, *np.linspace(0, -9, 96)])
    rng = np.random.default_rng(1)
    draws = mean + 0.3 * rng.standard_normal((200, 100))
    batch = next_batch(
        mean, draws, PairHistory.of(100, start(100, rng=rng)), WINNER, rng=rng, size=2, audit_share=0, far_share=0
    )

    assert all(item < 4 for pair in batch for item in pair)


def test_balanced_looks_harder_at_the_top_and_serves_the_rest_too():
    mean, _, asked, _ = after(200, 12, goal=BALANCED)
    counts = np.array(asked.counts)[np.argsort(-mean)]

    assert counts[:12].mean() > 1.5 * counts[50:].mean()
    assert counts[50:].min() >= 3


def test_presentation_does_not_follow_skill_and_is_balanced():
    mean, _, asked, _ = after(200, 40)
    leader_first = sum(asked.times(a, b) for a in range(200) for b in range(200) if mean[a] > mean[b])

    assert leader_first / asked.total == pytest.approx(0.5, abs=0.05)
    assert max(map(abs, asked.leads)) <= 3


@pytest.mark.parametrize("share", [0.0, 0.04, 0.2])
def test_a_share_of_the_pairs_is_asked_again_in_the_other_order(share):
    *_, asked, _ = after(200, 30, audit_share=share)

    assert asked.both / asked.pairs == pytest.approx(share, abs=0.01)


def test_equal_means_are_ordered_by_the_generator():
    asked = PairHistory.of(50, start(50, rng=np.random.default_rng(0)))
    flat, draws = np.zeros(50), np.zeros((3, 50))
    batches = {next_batch(flat, draws, asked, ORDER, rng=np.random.default_rng(seed)) for seed in range(5)}

    assert len(batches) == 5


@pytest.mark.parametrize("goal", GOALS)
def test_the_same_seed_gives_the_same_batch_and_the_history_is_left_alone(goal):
    mean, draws, asked, _ = after(40, 3, goal=goal)
    before = {key: list(value) if isinstance(value, list) else value for key, value in vars(asked).items()}
    first, second = (next_batch(mean, draws, asked, goal, rng=np.random.default_rng(8)) for _ in range(2))

    assert first == second
    assert vars(asked) == before


@pytest.mark.parametrize("k", [40, 41, 1000])
def test_a_top_of_everybody_still_gives_a_batch(k):
    mean, draws, asked, rng = after(40, 1)

    assert len(next_batch(mean, draws, asked, Goal(aim=Aim.TOP, k=k), rng=rng)) == 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean": np.array([0.0, np.nan, 1.0])}, "finite"),
        ({"history": PairHistory(4)}, "history is of 4 items"),
        ({"size": 0}, "at least one comparison"),
        ({"audit_share": 1.5}, "share lies in"),
    ],
)
def test_what_cannot_be_planned_is_refused(change, message):
    given = {"mean": np.zeros(3), "draws": np.zeros((2, 3)), "history": PairHistory(3), "goal": ORDER} | change

    with pytest.raises(ValueError, match=message):
        next_batch(**given, rng=np.random.default_rng(0))


def test_many_items_take_no_square_of_them():
    items = 2_500
    mean, draws, rng = pool(items, 0, draws=20)
    asked = PairHistory.of(items, start(items, rng=rng))
    tracemalloc.start()
    batch = next_batch(mean, draws, asked, BALANCED, rng=rng)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(batch) == items // 4
    assert peak < items * items / 2  # bytes; the table of 20 draws alone takes 400,000
