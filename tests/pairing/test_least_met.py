"""Whom an item looks for when it has met its neighbours: the nearest whom it has met least, and few of them."""

import numpy as np
import pytest

from paragone.pairing.least_met import Meetings, least_met
from paragone.pairing.weighted import ENOUGH, Field

ITEMS = 300


def field_of(seed, items=ITEMS):
    rng = np.random.default_rng(seed)
    return Field(
        rating=rng.normal(1200, 200, items),
        matches=np.full(items, 10),
        age=np.zeros(items),
        luck=rng.random(items),
    )


def met_of(times, spent, who):
    """The meetings of some items, from a table of all."""
    rows = [(a, b, times[a, b], spent[a, b]) for a in who for b in np.flatnonzero(times[a]).tolist()]
    columns = np.array(rows, dtype=np.int64).reshape(len(rows), 4).T
    return Meetings(item=columns[0], other=columns[1], times=columns[2], spent=columns[3] == 1)


def history(seed, share, items=ITEMS):
    """Who met whom: neighbours in the order of the items more often, each pair so often; and which are spent."""
    rng = np.random.default_rng([seed, 1])
    times = np.triu(rng.integers(1, 4, (items, items)) * (rng.random((items, items)) < share), k=1)
    spent = np.triu((times > 1) & (rng.random((items, items)) < 0.5), k=1)
    return times + times.T, spent | spent.T


def plain(field, who, times, spent):
    """One item after the other, all others in the order of meetings and then of nearness; better rated ones first."""
    order = field.by_rating.tolist()
    rank = {item: place for place, item in enumerate(order)}
    found = set()
    for item in who:
        open_to = [other for other in order if other != item and not spent[item, other]]
        open_to.sort(key=lambda o: (times[item, o], abs(rank[o] - rank[item]), rank[o] > rank[item]))
        found |= {min(item, other) * field.size + max(item, other) for other in open_to[:ENOUGH]}
    return sorted(found)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.99, 1.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_finds_what_the_plain_one_does(seed, share):
    field, who = field_of(seed), np.arange(0, ITEMS, 3)
    times, spent = history(seed, share)
    found = least_met(field, who, met_of(times, spent, who.tolist()))
    assert found.tolist() == plain(field, who.tolist(), times, spent)
    assert found.size <= ENOUGH * who.size


def test_of_few_items_no_more_than_there_are():
    field = field_of(1, items=3)
    nobody = Meetings(item=np.zeros(0, int), other=np.zeros(0, int), times=np.zeros(0, int), spent=np.zeros(0, bool))
    assert least_met(field, np.arange(3), nobody).tolist() == [1, 2, 5]


def test_meetings_are_found_by_the_pair_whoever_they_are_seen_from():
    times, spent = history(3, 0.5, items=20)
    who = [4, 7]
    codes = np.array([a * 20 + b for a in range(20) for b in range(a + 1, 20) if a in who or b in who])
    found, gone = met_of(times, spent, who).of(codes, 20)
    assert found.tolist() == [times[code // 20, code % 20] for code in codes.tolist()]
    assert gone.tolist() == [spent[code // 20, code % 20] for code in codes.tolist()]
