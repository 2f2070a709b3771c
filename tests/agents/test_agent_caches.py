"""Answers are kept for as long as the document says, until something is written, and never shared."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from paragone.agents import EloSystem, Lifetimes
from paragone.agents.agent_pool import MOST, Cache


@pytest.fixture
def other(path):
    """Another system on the same database, as in another process: what it writes drops no cache of ours."""
    with EloSystem(path, durable=False, snapshot=False) as opened:
        yield opened


LOOKS = {
    "leaderboard": (300, lambda elo: [one.agent_name for one in elo.get_leaderboard()]),
    "leaderboard of a domain": (300, lambda elo: [one.agent_name for one in elo.get_leaderboard(domain="law")]),
    "recent debates": (60, lambda elo: [one["debate_id"] for one in elo.get_recent_matches()]),
    "statistics": (600, lambda elo: elo.get_stats()),
    "calibration": (300, lambda elo: [one.agent_name for one in elo.get_calibration_leaderboard()]),
}

FRESH = {
    "leaderboard": lambda elo: [one.agent_name for one in elo.get_leaderboard(use_cache=False)],
    "leaderboard of a domain": lambda elo: [one.agent_name for one in elo.get_leaderboard(20, "law", use_cache=False)],
    "recent debates": lambda elo: [one["debate_id"] for one in elo.get_recent_matches(use_cache=False)],
    "statistics": lambda elo: elo.get_stats(use_cache=False),
    "calibration": lambda elo: [one.agent_name for one in elo.get_calibration_leaderboard(use_cache=False)],
}


def change(elo):
    """Change all that is kept."""
    number = elo.get_stats(use_cache=False)["total_matches"]
    elo.record_match(f"d{number}", scores={f"a{number}": 1.0, "b": 0.0}, domain="law")
    one = {"agent_name": f"a{number}", "domain": "law", "confidence": 0.9, "correct": True}
    elo.record_domain_predictions([one] * 5)


@pytest.mark.parametrize("what", LOOKS)
def test_an_answer_is_kept_for_its_lifetime(elo, other, clock, what):
    lifetime, look = LOOKS[what]
    change(other)
    before = look(elo)
    change(other)
    clock.now += lifetime - 0.001
    assert look(elo) == before
    clock.now += 0.001
    assert look(elo) == look(other) != before


@pytest.mark.parametrize("what", LOOKS)
def test_without_the_cache_the_answer_is_new_and_kept_from_then_on(elo, other, what):
    look = LOOKS[what][1]
    before = look(elo)
    change(other)
    assert look(elo) == before
    assert FRESH[what](elo) == look(other) != before
    assert look(elo) == look(other)


WRITES = {
    "a debate": lambda elo: elo.record_match(winner="x", loser="y"),
    "debates": lambda elo: elo.record_matches([{"winner": "x", "loser": "y"}]),
    "a rollback": lambda elo: elo.roll_back("d0", "disputed"),
    "a red team": lambda elo: elo.record_redteam_result("x", 0.9, 0, 1),
    "a verification": lambda elo: elo.update_from_verification("x", "law", 1),
    "a prediction": lambda elo: elo.record_domain_prediction("x", "law", 0.9, True),
    "a resolution": lambda elo: elo.resolve_tournament_calibration("t", "x"),
    "a critique": lambda elo: elo.record_critique("x", True),
    "a relationship": lambda elo: elo.update_relationship("x", "y", 1),
    "a registration": lambda elo: elo.register_agent("x"),
    "a wish": lambda elo: elo.invalidate_leaderboard_cache(),
}


@pytest.mark.parametrize("write", WRITES)
def test_every_write_drops_what_is_kept(elo, other, write):
    change(other)
    kept = {what: look(elo) for what, (_, look) in LOOKS.items()}
    change(other)
    assert {what: look(elo) for what, (_, look) in LOOKS.items()} == kept
    WRITES[write](elo)
    found = {what: look(elo) for what, (_, look) in LOOKS.items()}
    assert found == {what: look(elo) for what, look in FRESH.items()}
    assert all(found[what] != kept[what] for what in kept)


def test_single_ratings_are_never_kept(elo, other):
    assert elo.get_rating("b").elo == elo.get_ratings_batch(["b"])["b"].elo == 1500.0
    change(other)
    assert elo.get_rating("b").elo == elo.get_ratings_batch(["b"])["b"].elo == 1484.0
    assert elo.invalidate_rating_cache() == elo.invalidate_rating_cache("b") == 0


def test_dropping_says_how_many_leaderboards_there_were(elo):
    elo.get_leaderboard()
    elo.get_leaderboard(domain="law")
    elo.get_calibration_leaderboard()
    elo.get_stats()
    assert elo.invalidate_leaderboard_cache() == 3
    assert elo.invalidate_leaderboard_cache() == 0


def test_what_is_returned_is_a_copy(elo):
    change(elo)
    looks = [elo.get_leaderboard, elo.get_all_ratings, elo.get_calibration_leaderboard, elo.get_recent_matches]
    looks += [elo.get_stats, elo.get_snapshot_leaderboard, elo.get_cached_recent_matches]
    looks += [lambda: [elo.get_rating("a0")], lambda: list(elo.get_ratings_batch(["a0"]).values())]
    for look in looks:
        spoilt, before = look(), repr(look())
        for one in spoilt if isinstance(spoilt, list) else [spoilt]:
            _spoil(one)
        if isinstance(spoilt, list):
            spoilt.clear()
        assert repr(look()) == before


def _spoil(one):
    if isinstance(one, dict):
        for value in one.values():
            if isinstance(value, dict | list):
                value.clear()
        one.clear()
    else:
        one.domain_elos.clear()
        one.elo = 0.0


def test_lifetimes_may_be_others(path, other, clock):
    with EloSystem(path, clock=clock, lifetimes=Lifetimes(leaderboard=5, statistics=0)) as elo:
        elo.get_leaderboard()
        elo.get_stats()
        change(other)
        assert elo.get_stats()["total_matches"] == 1
        assert elo.get_leaderboard() == []
        clock.now += 5
        assert len(elo.get_leaderboard()) == 2


class TestCache:
    def test_an_answer_that_was_begun_before_a_write_is_not_kept(self, clock):
        cache = Cache(10, clock)

        def made_while_written():
            cache.clear()
            return "from before"

        assert cache.get("key", made_while_written) == "from before"
        assert cache.get("key", lambda: "from after") == "from after"

    def test_it_keeps_so_many_and_drops_the_oldest(self, clock):
        cache = Cache(10, clock)
        for number in range(MOST + 1):
            cache.get(number, lambda: "old")
        assert cache.get(0, lambda: "new") == "new"
        assert cache.get(MOST, lambda: "new") == "old"
        assert cache.clear() == MOST

    def test_threads_may_share_it(self, clock):
        cache, written, stale = Cache(10, clock), [0], []
        guard = threading.Lock()

        def work(thread):
            for _ in range(200):
                if thread % 4 == 0:
                    with guard:
                        written[0] += 1
                    cache.clear()
                else:
                    least = written[0]  # a write counts as done once the cache was cleared after it
                    found = cache.get("key", lambda: written[0])
                    if found < least - 2:  # at most the two writers are between their two steps
                        stale.append((found, least))

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(8)))
        assert stale == []
