"""Tournaments renamed, archived and deleted: by events, with all evidence left, and nothing new after the last."""

import threading

import pytest

from paragone.domain import Item, ItemKind, Match, Outcome, RatingConfig
from paragone.errors import Conflict, InvalidConfig, InvalidEvidence, NotFound
from paragone.ledger import Ledger, chain
from paragone.tournaments.journal import notes
from paragone.tournaments.lifecycle import Lifecycle, archive, delete, lifecycle, lifecycles, rename
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for


@pytest.fixture
def db(tmp_path):
    return tmp_path / "lifecycle.db"


@pytest.fixture
def ledger(db):
    with Ledger.open(db) as opened:
        yield opened


def begun(ledger, name="pool"):
    items = tuple(Item(id=f"i{number}", text=f"text {number}") for number in range(3))
    return TournamentState.begin(
        ledger, name, settings_for(3, criteria="x", judge="random", seed=1), items, RatingConfig()
    ).id


def match(id):
    return Match(id=id, a="i0", b="i1", outcome=Outcome.A)


def kinds(ledger, pool):
    return [event.kind for event in ledger.tournaments.events(pool)[1:]]


def test_each_change_is_an_event_and_the_same_again_is_none(ledger):
    pool = begun(ledger)
    assert lifecycle(ledger, pool) == Lifecycle()
    for _ in range(2):
        assert rename(ledger, pool, " Better name ", "ada").title == "Better name"
    for _ in range(2):
        assert archive(ledger, pool, "ada").state == "archived"
    assert ledger.tournaments.states() == {pool: "archived"}
    with pytest.raises(NotFound, match=r"the only tournament of the ledger was archived.*list --all.*unarchive"):
        ledger.tournaments.get()
    assert archive(ledger, pool, is_archived=False) == Lifecycle(title="Better name")
    assert ledger.tournaments.states() == {}
    for _ in range(2):
        assert delete(ledger, pool, "ada", "a trial").state == "deleted"
    assert kinds(ledger, pool) == ["renamed", "archived", "unarchived", "deleted"]
    assert ledger.tournaments.events(pool)[-1].detail == {"by": "ada", "reason": "a trial"}
    for is_archived in (True, False):
        with pytest.raises(Conflict, match="cannot be taken back"):
            archive(ledger, pool, is_archived=is_archived)
    assert rename(ledger, pool, "Old trial").state == "deleted"
    assert lifecycles(ledger) == {pool: Lifecycle(title="Old trial", state="deleted")}
    for title in (" ", "x" * 201, "a\nb"):
        with pytest.raises(InvalidConfig):
            rename(ledger, pool, title)
    with pytest.raises(NotFound):
        delete(ledger, "none")
    assert ledger.audit(pool).ok


def test_what_was_deleted_takes_events_and_no_evidence_and_keeps_what_it_has(ledger):
    pool, other = begun(ledger), begun(ledger, "other")
    ledger.matches.record(pool, match("m1"))
    delete(ledger, pool)
    version = ledger.pools.version(pool)
    for write in (
        lambda: ledger.matches.record(pool, match("m2")),
        lambda: ledger.items.add(pool, [Item(id="new", text="new")]),
        lambda: ledger.tournaments.join(pool, [Item(id="new", text="new")], round=1),
        lambda: ledger.tournaments.plan_round(pool, 1, []),
        lambda: ledger.matches.rollback(pool, "m1", "late"),
    ):
        with pytest.raises(InvalidEvidence, match=f"{pool} was deleted: it takes no new evidence"):
            write()
    assert ledger.pools.version(pool) == version
    assert [each.match.id for each in ledger.matches.all(pool)] == ["m1"]
    ledger.tournaments.add_event(pool, "people", {"act": "revoke"})
    assert ledger.matches.record(pool, match("m1")) is not None, "the same again is nothing new"
    ledger.matches.record(other, match("m1"))
    assert ledger.tournaments.get(None).id == other


def test_the_newest_tournament_is_one_that_lists_show(ledger):
    pool, other = begun(ledger), begun(ledger, "other")
    archive(ledger, other)
    assert ledger.tournaments.get(None).id == pool
    assert ledger.tournaments.get(other).id == other


def test_a_deletion_by_another_process_is_seen_by_the_next_write(db, ledger):
    pool = begun(ledger)
    for number in range(3):
        ledger.matches.record(pool, match(f"m{number}"))
    with Ledger.open(db) as elsewhere:
        elsewhere.matches.record(pool, match("theirs"))
        delete(elsewhere, pool)
    with pytest.raises(InvalidEvidence, match="was deleted"):
        ledger.matches.record(pool, match("late"))


def test_a_state_is_looked_up_once_and_not_for_each_write(ledger, monkeypatch):
    pool = begun(ledger)
    ledger.matches.record(pool, match("m0"))

    def looked_up(*_):
        raise AssertionError("nobody else has written")

    monkeypatch.setattr(chain, "_DELETED", type("Statement", (), {"rows": staticmethod(looked_up)}))
    for number in range(1, 5):
        ledger.matches.record(pool, match(f"m{number}"))


def test_of_many_writers_only_those_to_the_deleted_pool_are_refused(ledger):
    pool, other = begun(ledger), begun(ledger, "other")
    delete(ledger, pool)
    refused, barrier = [], threading.Barrier(8)

    def write(number):
        barrier.wait()
        try:
            ledger.matches.record((pool, other)[number % 2], match(f"m{number}"))
        except InvalidEvidence:
            refused.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(refused) == [0, 2, 4, 6]
    assert (ledger.matches.count(pool), ledger.matches.count(other)) == (0, 4)


def test_a_pool_of_agents_is_renamed_and_archived_by_events_of_the_journal(ledger):
    ledger.pools.create("agents", RatingConfig(), kind=ItemKind.AGENT)
    assert rename(ledger, "agents", "Debaters", "ada") == Lifecycle(title="Debaters")
    for _ in range(2):
        assert archive(ledger, "agents", "ada") == Lifecycle(title="Debaters", state="archived")
    assert ledger.tournaments.states()["agents"] == "archived"
    assert archive(ledger, "agents", is_archived=False) == lifecycle(ledger, "agents") == Lifecycle(title="Debaters")
    with pytest.raises(InvalidConfig, match="archive it instead"):
        delete(ledger, "agents")
    with pytest.raises(NotFound, match=r"there is no tournament in the ledger yet .agents are here"):
        ledger.tournaments.get()
    with pytest.raises(NotFound):
        rename(ledger, "nothing", "x")
    (journal,) = ledger.tournaments.all()
    assert [event.detail for event in notes(ledger, "renamed")] == [
        {"by": "ada", "title": "Debaters", "about": "agents"}
    ]
    assert lifecycle(ledger, journal.id).state == "archived", "lists leave the journal out"
    assert archive(ledger, journal.id, is_archived=False).state == "active"
    assert journal.id in ledger.tournaments.states(), "for good"
    assert ledger.audit().ok
