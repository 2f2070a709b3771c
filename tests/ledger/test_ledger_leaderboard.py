"""Pages of the leaderboard: the same order however one pages, and found by the index."""

import pytest

from paragone.domain import Item, RatingConfig
from paragone.errors import NotFound
from paragone.ledger import Ledger


@pytest.fixture(scope="module")
def played(shared_ledger, forge):
    """Seven items of which three have played; four stay at 1200, so that ids decide between them."""
    shared_ledger.pools.create("p", RatingConfig())
    shared_ledger.pools.create("other", RatingConfig())
    for pool in ("p", "other"):
        shared_ledger.items.add(pool, [Item(id=f"i{number}", text="text") for number in (5, 3, 0, 6, 2, 1, 4)])
    shared_ledger.matches.record("p", forge.match("m0", "i4", "i1"))
    shared_ledger.matches.record("p", forge.match("m1", "i4", "i2"))
    return shared_ledger


ORDER = ["i4", "i0", "i3", "i5", "i6", "i2", "i1"]
"""i4 won twice, i2 lost to it when it was ahead, i1 when it was not; the others in the order of their ids."""


def names(page):
    return [rating.item for rating in page]


def test_the_order(played):
    assert names(played.ratings.leaderboard("p")) == ORDER
    ratings = played.ratings.all("p")
    assert list(played.ratings.leaderboard("p")) == [ratings[item] for item in ORDER]
    assert names(played.ratings.leaderboard("other")) == sorted(ORDER)


def test_pages_by_number_and_by_the_last_one_are_the_same(played):
    for count in (1, 2, 3, 7, 8):
        by_number, by_last, last = [], [], None
        for start in range(0, 8, count):
            by_number += played.ratings.leaderboard("p", after=start, count=count)
            page = played.ratings.leaderboard("p", count=count, below=last)
            by_last += page
            last = page[-1] if page else last
        assert names(by_number) == names(by_last) == ORDER, count


def test_some_passed_over_below_one(played):
    second = played.ratings.leaderboard("p", count=2)[-1]
    assert names(played.ratings.leaderboard("p", after=2, count=2, below=second)) == ORDER[4:6]
    assert played.ratings.leaderboard("p", after=7) == ()


def test_a_pool_that_is_not_there(played):
    with pytest.raises(NotFound):
        played.ratings.leaderboard("nowhere")


def test_sqlite_reads_the_index_in_its_order(tmp_path):
    with Ledger.open(tmp_path / "a.db") as ledger, ledger._database.read() as connection:
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT * FROM rating "
            "WHERE pool = 'p' AND elo <= 1200 AND (elo < 1200 OR item > 'i') ORDER BY elo DESC, item LIMIT 50"
        ).all()
    said = " ".join(str(row[-1]) for row in plan)
    assert "INDEX ix_rating_pool_elo_item (pool=? AND elo" in said
    assert "TEMP B-TREE" not in said


def test_a_page_below_any_item_is_what_follows_it_where_many_share_a_rating(ledger, forge):
    ledger.pools.create("p", RatingConfig())
    ledger.items.add("p", forge.items(7))
    ledger.matches.record("p", forge.bare("m1", a="i3", b="i5"))
    every = ledger.ratings.leaderboard("p")
    for place, rating in enumerate(every):
        for after in (0, 1, 6):
            for count in (1, 3, 9):
                follow = every[place + 1 + after : place + 1 + after + count]
                assert ledger.ratings.leaderboard("p", below=rating, after=after, count=count) == follow
