"""Tests of agents: recorded once, with the ratings they move, on SQLite and PostgreSQL."""

import itertools
from dataclasses import replace

import pytest

from paragone.domain import (
    Item,
    ItemKind,
    Match,
    Rating,
    RatingConfig,
    RedTeamResult,
    Scorecard,
    VerificationResult,
)
from paragone.errors import Conflict, Corrupted, InvalidItems, NotFound
from paragone.ledger import Ledger, schema
from paragone.ledger.chain import appending

NUMBERS = itertools.count()
CONFIG = RatingConfig(initial=1500.0, k=32.0)
RED = RedTeamResult(id="r", item="claude", robustness=0.85, successful=3, total=20, session="s1", domain="security")
WEAK = RedTeamResult(id="w", item="claude", robustness=0.4, successful=10, total=20, critical=2)
PROOF = VerificationResult(id="v", item="claude", verified=5, disproven=1, domain="mathematics")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def ledger(request, tmp_path_factory):
    """A ledger for all tests, of which each has a pool of its own."""
    server = request.param == "postgresql"
    url = request.getfixturevalue("lent_url")() if server else tmp_path_factory.mktemp("tests") / "agents.db"
    with Ledger.open(url, durable=False) as opened:
        yield opened


@pytest.fixture
def pool(ledger):
    """An empty pool of agents."""
    id = f"agents {next(NUMBERS)}"
    ledger.pools.create(id, CONFIG, kind=ItemKind.AGENT)
    return id


def duel(id, domain=""):
    return Match.scored(id, Scorecard(participants=("claude", "gpt4"), scores=(1.0, 0.0), domain=domain))


def test_a_red_team_moves_the_global_rating_and_that_of_its_domain(ledger, pool):
    made = ledger.agents.record_test(pool, RED)
    assert [(change.item, change.match, change.track) for change in made] == [
        ("claude", "r", "global"),
        ("claude", "r", "security"),
    ]
    assert [change.change for change in made] == pytest.approx([8.16, 8.16])
    (agent,) = ledger.agents.records(pool)
    assert agent.rating == Rating(item="claude", elo=made[0].new)
    assert agent.tracks == (Rating(item="claude", elo=made[1].new, track="security"),)
    report = ledger.audit(pool)
    assert (report.differences, report.commits, report.rows, report.ratings) == ((), 2, 3, 2)


def test_a_verification_and_a_weak_result(ledger, pool):
    assert [change.change for change in ledger.agents.record_test(pool, PROOF)] == [32.0, 32.0]
    assert [change.change for change in ledger.agents.record_test(pool, WEAK)] == [-12.0]
    assert ledger.ratings.all(pool)["claude"] == Rating(item="claude", elo=1520.0)


def test_a_domain_begins_at_the_global_rating(ledger, pool):
    ledger.agents.record_matches(pool, [duel("d0")])
    assert [change.old for change in ledger.agents.record_test(pool, PROOF)] == [1516.0, 1516.0]
    ledger.agents.record_matches(pool, [duel("d1", "mathematics")])
    (claude,) = ledger.agents.records(pool, ["claude"])
    assert claude.tracks[0].matches == 1
    assert claude.tracks[0].elo == claude.rating.elo


def test_the_same_again_changes_nothing(ledger, pool):
    first = ledger.agents.record_test(pool, RED)
    ledger.agents.record_test(pool, WEAK)
    rows = ledger.audit(pool).rows
    assert ledger.agents.record_test(pool, RED) == first
    assert ledger.audit(pool).rows == rows


@pytest.mark.parametrize(
    "other",
    [
        replace(RED, item="gpt4"),
        replace(RED, robustness=0.9),
        replace(RED, successful=4),
        replace(RED, session="s2"),
        replace(RED, domain=""),
        replace(PROOF, id="r"),
    ],
)
def test_other_content_is_a_conflict(ledger, pool, other):
    ledger.agents.record_test(pool, RED)
    before = ledger.agents.records(pool)
    with pytest.raises(Conflict, match="test 'r' of pool"):
        ledger.agents.record_test(pool, other)
    assert ledger.agents.records(pool) == before


def test_a_conflict_says_what_differs(ledger, pool):
    ledger.agents.record_test(pool, RED)
    with pytest.raises(
        Conflict, match=r"already, with robustness 0\.85 instead of 0\.9, domain 'security' instead of none;"
    ):
        ledger.agents.record_test(pool, replace(RED, robustness=0.9, domain=""))
    with pytest.raises(Conflict, match=r"with kind 'red team' instead of 'verification'"):
        ledger.agents.record_test(pool, replace(PROOF, id="r"))


def test_they_are_listed_oldest_first(ledger, pool):
    made = [ledger.agents.record_test(pool, test) for test in (RED, PROOF, replace(WEAK, item="gpt4"))]
    listed = ledger.agents.tests(pool)
    assert [entry.test for entry in listed] == [RED, PROOF, replace(WEAK, item="gpt4")]
    assert [entry.changes for entry in listed] == made
    assert [entry.test.id for entry in ledger.agents.tests(pool, "claude")] == ["r", "v"]
    assert ledger.agents.tests(pool, "nobody") == ()
    assert ledger.ratings.changes(pool) == tuple(change for changes in made for change in changes)


def test_progress_names_the_test(ledger, pool):
    ledger.agents.record_test(pool, RED)
    ledger.agents.record_test(pool, PROOF)
    assert [(step.cause, step.elo) for step in ledger.agents.rating_history(pool, "claude")] == [
        ("v", 1540.16),
        ("r", 1508.16),
    ]
    assert [step.elo for step in ledger.agents.rating_history(pool, "claude", track="security")] == [1508.16]


def test_under_another_k_a_red_team_counts_by_it_and_a_verification_by_its_own(ledger, pool):
    ledger.agents.record_test(pool, RED)
    ledger.agents.record_test(pool, PROOF)
    made = ledger.ratings.whatif(pool, config=RatingConfig(initial=1500.0, k=64.0))
    assert made.ratings["claude"].elo == 1500.0 + 16.32 + 32.0
    assert made.tracks["claude", "security"].elo == 1516.32
    assert ledger.ratings.whatif_final(pool) == ledger.ratings.all(pool)


def test_a_rollback_before_a_test_moves_what_the_test_came_to(ledger, pool):
    """At the floor, a test that cost nothing then does so now."""
    low = f"low {next(NUMBERS)}"
    ledger.pools.create(low, RatingConfig(initial=1500.0, k=32.0, floor=1480.0), kind=ItemKind.AGENT)
    lost = Match.scored("d0", Scorecard(participants=("gpt4", "claude"), scores=(1.0, 0.0)))
    ledger.agents.record_matches(low, [lost])
    assert [change.change for change in ledger.agents.record_test(low, replace(WEAK, critical=0))] == [-4.0]
    ledger.matches.rollback(low, "d0", "disputed")
    assert ledger.ratings.all(low)["claude"].elo == 1492.0
    assert ledger.audit(low).ok


def test_a_pool_of_texts_takes_tests_of_its_items_and_no_others(ledger):
    texts = f"texts {next(NUMBERS)}"
    ledger.pools.create(texts, CONFIG)
    ledger.items.add(texts, [Item(id="claude", text="an answer")])
    assert len(ledger.agents.record_test(texts, RED)) == 2
    with pytest.raises(InvalidItems, match="'gpt4'"):
        ledger.agents.record_test(texts, replace(WEAK, item="gpt4"))


def test_an_absent_pool_is_said_by_name(ledger):
    for call in (lambda: ledger.agents.record_test("nowhere", RED), lambda: ledger.agents.tests("nowhere")):
        with pytest.raises(NotFound, match="there is no pool 'nowhere'"):
            call()


class TestAudit:
    """Rows that our own writer would not have made, added by way of its chain."""

    @pytest.fixture
    def forge(self, ledger, pool):
        ledger.agents.record_test(pool, RED)

        def add(**values):
            row = {
                "test": "forged",
                "item": "claude",
                "kind": "verification",
                "measured": {"verified": 1, "disproven": 0, "k": 16.0},
                "session": "",
                "domain": "",
                "old": 1508.16,
                "new": 1516.16,
                "clamped": 0.0,
                **values,
            }
            with ledger._database.write() as connection, appending(connection, pool, ledger._clock()) as page:
                page.add(schema.test, **row)

        return add

    def test_what_a_test_came_to_must_follow_from_what_was_measured(self, ledger, pool, forge):
        forge(new=1600.0)
        (found,) = ledger.audit(pool).differences
        assert (found.table, found.row) == ("test", "forged")
        assert "1516.16" in found.message

    def test_a_test_whose_projection_was_not_moved_is_told(self, ledger, pool, forge):
        forge()
        (found,) = ledger.audit(pool).differences
        assert (found.table, found.row) == ("rating", "claude")
        ledger.rebuild(pool)
        assert ledger.ratings.all(pool)["claude"].elo == 1516.16
        assert ledger.audit(pool).ok

    @pytest.mark.parametrize("measured", [{"verified": -1, "disproven": 0, "k": 16.0}, {"other": 1}, []])
    def test_a_test_that_cannot_be_is_said(self, ledger, pool, forge, measured):
        forge(measured=measured)
        with pytest.raises(Corrupted, match="test 'forged' is not valid"):
            ledger.agents.tests(pool)
