"""Lists: everybody is served, near ones meet, no list is shown twice alike, and the goal is looked at first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Aim, Goal
from paragone.pairing.groups import ListHistory, batch_size, next_batch, start

ORDER, WINNER = Goal(aim=Aim.ORDER), Goal(aim=Aim.WINNER)
sizes = st.integers(2, 40).flatmap(lambda items: st.tuples(st.just(items), st.integers(2, items)))


def connected(items, groups):
    """Whether lists tie all items together."""
    found, last = {groups[0][0]}, 0
    while len(found) > last:
        last = len(found)
        for group in groups:
            if found & set(group):
                found |= set(group)
    return len(found) == items


def played(items, size, rounds, goal=ORDER, seed=0):
    """Batches asked one after the other by a model that knows the truth."""
    rng = np.random.default_rng(seed)
    mean = rng.standard_normal(items)
    draws = mean + 0.3 * rng.standard_normal((200, items))
    shown, batches = ListHistory(items), []
    for _ in range(rounds):
        batches.append(next_batch(mean, draws, shown, goal, size=size, rng=rng))
        for group in batches[-1]:
            shown.add(group)
    return mean, shown, batches


@given(sizes=sizes, seed=st.integers(0, 1000))
def test_the_first_lists_tie_all_items_together(sizes, seed):
    items, size = sizes
    groups = start(items, size, rng=np.random.default_rng(seed))
    assert connected(items, groups)
    assert all(len(set(group)) == size for group in groups)
    counts = np.bincount(np.concatenate(groups), minlength=items)
    assert counts.min() >= 1
    assert counts.sum() <= 2 * items + 2 * size


@given(sizes=sizes, seed=st.integers(0, 1000), aim=st.sampled_from([Aim.ORDER, Aim.BALANCED, Aim.WINNER]))
def test_every_list_is_whole_and_fresh_and_a_batch_is_full(sizes, seed, aim):
    items, size = sizes
    _, shown, batches = played(items, size, 4, Goal(aim=aim), seed)
    assert all(len(set(group)) == size for batch in batches for group in batch)
    assert [len(batch) for batch in batches[1:]] == [batch_size(items, size, Goal(aim=aim))] * 3
    lists = [group for batch in batches for group in batch]
    assert shown.total == len(lists)
    assert len(set(lists)) == len(lists) or size <= 4


def test_nobody_is_left_behind_in_a_whole_order():
    _, shown, _ = played(100, 8, 12)
    assert max(shown.counts) <= 2.5 * min(shown.counts)


def test_neighbours_meet():
    mean, _, batches = played(100, 6, 6)
    place = np.argsort(np.argsort(-mean))
    spread = [np.ptp(place[list(group)]) for batch in batches[1:] for group in batch]
    assert np.median(spread) <= 12
    assert np.median([np.ptp(place[list(group)]) for group in batches[0]]) > 40


def test_the_goal_is_looked_at():
    mean, shown, _ = played(100, 6, 10, WINNER)
    counts, best = np.array(shown.counts), np.argsort(-mean)
    assert counts[best[:5]].mean() > 3 * counts[best[50:]].mean()
    balanced = np.array(played(100, 6, 10, Goal())[1].counts)
    order = np.array(played(100, 6, 10)[1].counts)
    assert balanced[best[:5]].mean() > 1.3 * order[best[:5]].mean()
    assert balanced.min() >= 1


def test_the_place_in_a_list_follows_nothing():
    mean, _, batches = played(60, 6, 40)
    places = [(at, mean[item]) for batch in batches for group in batch for at, item in enumerate(group)]
    assert abs(np.corrcoef(*zip(*places, strict=True))[0, 1]) < 0.08


def test_the_same_state_plans_the_same_and_history_is_a_set():
    mean, _, batches = played(30, 5, 3)
    lists = [group for batch in batches for group in batch]
    one, other = ListHistory.of(30, lists), ListHistory.of(30, reversed(lists))
    draws = np.stack([mean, mean])
    plans = [next_batch(mean, draws, shown, ORDER, size=5, rng=np.random.default_rng(4)) for shown in (one, other)]
    assert plans[0] == plans[1]


def test_what_was_shown_in_pairs_counts_as_exposure():
    shown = ListHistory.of(10, [(0, 1, 2)], before=[0, 0, 9])
    assert shown.counts == [3, 1, 1, 0, 0, 0, 0, 0, 0, 1]
    assert shown.total == 1


def test_two_of_two_go_on_in_turn():
    shown, rng = ListHistory(2), np.random.default_rng(0)
    mean = np.zeros(2)
    for _ in range(3):
        for group in next_batch(mean, mean[np.newaxis], shown, ORDER, size=2, rng=rng, count=1):
            shown.add(group)
    assert shown.total == 3


@pytest.mark.parametrize("size", [1, 11])
def test_lengths_that_cannot_be_are_refused(size):
    mean = np.zeros(10)
    with pytest.raises(ValueError, match="from 2 to 10 of 10"):
        next_batch(mean, mean[np.newaxis], ListHistory(10), ORDER, size=size, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="from 2 to 10 of 10"):
        next_batch(mean, mean[np.newaxis], ListHistory.of(10, [(0, 1)]), ORDER, size=size, rng=np.random.default_rng(0))


@pytest.mark.parametrize("group", [(0,), (0, 0), (0, 10), (-1, 2)])
def test_a_list_that_is_none_is_refused(group):
    with pytest.raises(ValueError, match=r"two or more different items of 0\.\.9"):
        ListHistory(10).add(group)


def test_a_history_of_other_items_is_refused():
    mean = np.zeros(3)
    with pytest.raises(ValueError, match="of 4 items, the means are of 3"):
        next_batch(mean, mean[np.newaxis], ListHistory(4), ORDER, size=2, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="at least one list"):
        next_batch(mean, mean[np.newaxis], ListHistory(3), ORDER, size=2, rng=np.random.default_rng(0), count=0)
