"""Pages of a ledger for those who look, on every backend."""

import os
import time

import pytest

from paragone.domain import Item, Outcome, RatingConfig, Review
from paragone.ledger.databases.sqlite import is_file_claimed
from paragone.ledger.namespaces import ratings


@pytest.fixture(scope="module")
def ledger(shared_ledger):
    return shared_ledger


@pytest.fixture(scope="module")
def pool(ledger, forge):
    """A pool that nobody changes."""
    return filled(ledger, forge, "p")


@pytest.fixture
def own_pool(ledger, forge):
    """A pool that a test may change."""
    return filled(ledger, forge, f"p{len(ledger.pools.versions())}")


def filled(ledger, forge, id):
    """Six items of which i0 beat i1 twice and drew with i2; the second win was rolled back."""
    ledger.pools.create(id, RatingConfig())
    ledger.items.add(id, [*forge.items(5), Item(id="Straße_9", text="100% wool\x00")])
    ledger.matches.record(id, forge.bare("m1"))
    ledger.matches.record(id, forge.bare("m2"))
    ledger.matches.record(id, forge.bare("m3", b="i2", outcome=Outcome.DRAW))
    ledger.matches.record(id, forge.bare("m4", a="i3", b="i4", outcome=Outcome.VOID))
    ledger.matches.rollback(id, "m2", "a mistake")
    return id


def test_what_was_counted_once_need_not_be_counted_again(ledger, own_pool, forge):
    assert (ledger.items.count(own_pool), ledger.matches.count(own_pool)) == (6, 4)
    (_, last_item), (_, last_match) = ledger.items.count_after(own_pool, 0), ledger.matches.count_after(own_pool, 0)
    ledger.items.add(own_pool, [Item(id="late", text="late")])
    ledger.matches.record(own_pool, forge.bare("m5"))
    assert (ledger.items.count_after(own_pool, last_item)[0], ledger.matches.count_after(own_pool, last_match)[0]) == (
        1,
        1,
    )
    assert (ledger.items.count(own_pool), ledger.matches.count(own_pool)) == (7, 5)
    end = ledger.matches.count_after(own_pool, 0)[1]
    assert ledger.matches.count_after(own_pool, end) == (0, end)
    assert (ledger.items.count("nowhere"), ledger.matches.count("nowhere")) == (0, 0)


def test_some_items_and_ratings_are_those_that_are_there(ledger, pool):
    assert {id: item.text for id, item in ledger.items.by_id(pool, ["Straße_9", "none"]).items()} == {
        "Straße_9": "100% wool\x00"
    }
    found = ledger.ratings.by_id(pool, ["i0", "none"])
    assert found == {"i0": ledger.ratings.all(pool)["i0"]}
    assert ledger.items.by_id(pool, []) == {}


def test_items_come_in_the_order_of_record_page_by_page(ledger, pool):
    first = ledger.items.after(pool, 0, 4)
    rest = ledger.items.after(pool, first[-1][0], 4)
    assert [item.id for _, item in first + rest] == ["i0", "i1", "i2", "i3", "i4", "Straße_9"]


def test_a_search_takes_no_letter_for_another(ledger, pool):
    texts = {"I3": ["i3"], "/": [], "i_": []}
    texts |= {text: ["Straße_9"] for text in ("0% WOOL", "_9", "%", "straße", "\x00")}
    assert {text: [rating.item for rating in ledger.ratings.search(pool, text, 10)] for text in texts} == texts


def test_a_search_finds_the_highest_first_and_no_more_than_asked(ledger, pool):
    order = [rating.item for rating in ledger.ratings.leaderboard(pool) if rating.item.startswith("i")]
    assert [rating.item for rating in ledger.ratings.search(pool, "i", 3) if rating.item.startswith("i")] == order[:3]


@pytest.mark.parametrize(("first", "found"), [(0, 10), (2, 10), (3, 0), (0, 0)])
def test_a_search_finds_the_same_whichever_way_it_goes(ledger, pool, monkeypatch, first, found):
    monkeypatch.setattr(ratings, "FIRST", first)
    monkeypatch.setattr(ratings, "MATCHING", found)
    texts = {item.id: item.text for item in ledger.items.all(pool)}
    order = [rating.item for rating in ledger.ratings.leaderboard(pool)]
    for text in ("i", "I1", "wool", "nothing of the kind"):
        like = [id for id in order if text.casefold() in id.casefold() or text.casefold() in texts[id].casefold()]
        for count in (1, 2, 10):
            assert [rating.item for rating in ledger.ratings.search(pool, text, count)] == like[:count], text


def test_the_version_of_a_pool_is_that_among_all(ledger, own_pool):
    before = ledger.pools.version(own_pool)
    assert before == ledger.pools.versions()[own_pool]
    ledger.items.add(own_pool, [Item(id="one more", text="of them")])
    assert ledger.pools.version(own_pool) == ledger.pools.versions()[own_pool] == before + 1
    assert ledger.pools.version("no such pool") is None


def test_higher_counts_those_above(ledger, pool):
    ratings = ledger.ratings.all(pool)
    for rating in ratings.values():
        assert ledger.ratings.count_higher(pool, rating.elo) == sum(
            other.elo > rating.elo for other in ratings.values()
        )
    each = ledger.ratings.count_higher_than(pool, [rating.elo for rating in ratings.values()])
    assert each == {rating.elo: ledger.ratings.count_higher(pool, rating.elo) for rating in ratings.values()}
    assert ledger.ratings.count_higher_than(pool, []) == {}


def test_latest_scores_leave_out_what_was_rolled_back(ledger, pool):
    assert ledger.ratings.latest_scores(pool, ["i0", "i1", "i3"], 5) == {"i0": [0.5, 1.0], "i1": [0.0]}
    assert ledger.ratings.latest_scores(pool, ["i0"], 1) == {"i0": [0.5]}


def test_matches_come_newest_first_page_by_page(ledger, pool):
    first = ledger.matches.before(pool, None, 3)
    rest = ledger.matches.before(pool, first[-1].sequence, 3)
    assert [one.match.id for one in first + rest] == ["m4", "m3", "m2", "m1"]
    assert {one.match.id: one for one in first + rest} == {one.match.id: one for one in ledger.matches.all(pool)}
    assert [one.match.id for one in ledger.matches.before(pool, None, 9, "i1")] == ["m2", "m1"]
    assert ledger.matches.before(pool, None, 9, "i3") == []


def test_what_a_match_did_and_what_its_rollback_did_stand_apart(ledger, pool):
    did, undid = ledger.matches.effects(pool, "m1")
    assert ([change.new for change in did], undid) == ([1216.0, 1184.0], ())
    did, undid = ledger.matches.effects(pool, "m2")
    assert len(did) == 2
    assert {change.item for change in undid} == {"i0", "i1", "i2"}
    assert [change.match for change in ledger.ratings.changes_of_matches(pool, ["m1", "m3"])] == [
        "m1",
        "m1",
        "m3",
        "m3",
    ]
    assert (ledger.matches.rollback_reason(pool, "m2"), ledger.matches.rollback_reason(pool, "m1")) == ("a mistake", "")
    assert (ledger.matches.exists(pool, "m4"), ledger.matches.exists(pool, "m5")) == (True, False)


def test_reviews_of_an_item_are_the_last_of_each_reviewer(ledger, own_pool, forge):
    for review in (forge.review(score=0.2), forge.review(reviewer="other"), forge.review(), forge.review(item="i1")):
        ledger.items.record_review(own_pool, review)
    assert ledger.items.reviews_of(own_pool, "i0") == tuple(
        one for one in ledger.items.reviews(own_pool) if one.item == "i0"
    )
    assert isinstance(ledger.items.reviews_of(own_pool, "i0")[0], Review)


def test_whether_a_tournament_is_held_is_told_without_holding_it(ledger, tournament):
    assert not ledger.tournaments.is_claimed(tournament)
    with ledger.tournaments.claim(tournament):
        assert ledger.tournaments.is_claimed(tournament)
        assert ledger.tournaments.is_claimed(tournament)
    late = time.monotonic() + 10
    while ledger.tournaments.is_claimed(tournament) and time.monotonic() < late:
        time.sleep(0.01)  # a server hears a little later that a session has ended
    assert not ledger.tournaments.is_claimed(tournament)


def test_a_lock_file_of_a_process_that_is_gone_holds_nothing(tmp_path):
    child = os.fork() if hasattr(os, "fork") else pytest.skip("needs fork")
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    lock = tmp_path / "t.lock"
    lock.write_text(f"{child}\n")
    assert not is_file_claimed(lock)
    lock.write_text(f"{os.getpid()}\n")
    assert is_file_claimed(lock)
    lock.write_text("nonsense")
    assert not is_file_claimed(lock)
