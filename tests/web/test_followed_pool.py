"""A state that is kept in step is the one that is read anew, whatever was written in between."""

from dataclasses import replace
from pathlib import Path

import pytest

from paragone.domain import Item, Match, Outcome, Review
from paragone.ledger import Ledger
from paragone.ledger.namespaces.matches import Matches
from paragone.ledger.namespaces.ratings import Ratings
from paragone.tournaments.state import TournamentState
from paragone.web.readers.followed_pool import PoolFollower
from paragone.web.readers.ledger_reader import LedgerReader

POOL = "tournament-1"


def match(number: int) -> Match:
    return Match(id=f"new {number}", a=f"i{number % 8}", b=f"i{(number + 1) % 8}", outcome=Outcome.A)


WRITES = {
    "nothing": lambda ledger: None,
    "matches": lambda ledger: [ledger.matches.record(POOL, match(number)) for number in range(3)],
    "a rollback of an old match": lambda ledger: ledger.matches.rollback(POOL, "1.1", "disputed"),
    "a match, rolled back at once": lambda ledger: (
        ledger.matches.record(POOL, match(9)),
        ledger.matches.rollback(POOL, "new 9", "disputed"),
    ),
    "an item": lambda ledger: ledger.tournaments.join(POOL, [Item(id="late", text="late")], round=2),
    "a review": lambda ledger: ledger.tournaments.join(
        POOL, (), round=1, reviews=(Review(item="i1", reviewer="r", score=0.5),)
    ),
    "another limit": lambda ledger: ledger.tournaments.add_event(POOL, "extended", {"budget": 77, "confidence": 0.9}),
    "an event": lambda ledger: ledger.tournaments.add_event(POOL, "admin", {"by": "ann", "did": "look"}),
}


def equal(state: TournamentState) -> TournamentState:
    """With nothing in it that is made when it is asked for."""
    return replace(state, _posterior=None)


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_it_is_what_reading_all_anew_would_give(library: LedgerReader, write) -> None:
    followed, ledger = PoolFollower(library.ledger, POOL), library.ledger
    before = followed.state()
    seen = (len(before.played), len(before.events), before.items)
    for _ in range(2):
        write(ledger)
        now, anew = followed.state(), TournamentState.load(ledger, POOL)
        assert equal(now) == equal(anew)
        assert now.settings == anew.settings
        assert now.posterior.strengths == anew.posterior.strengths
    assert (len(before.played), len(before.events), before.items) == seen  # who reads it still is not disturbed


def test_only_what_is_new_is_read(library: LedgerReader, monkeypatch: pytest.MonkeyPatch) -> None:
    followed = PoolFollower(library.ledger, POOL)
    followed.state()
    library.ledger.matches.record(POOL, match(1))

    def refuse(*_: object) -> None:
        raise AssertionError("all matches were read")

    monkeypatch.setattr(Matches, "each", refuse)
    assert followed.state().played[-1].id == "new 1"


def test_a_fit_is_kept_where_no_match_came_in(library: LedgerReader) -> None:
    followed = PoolFollower(library.ledger, POOL)
    fitted = followed.state().posterior
    library.ledger.tournaments.add_event(POOL, "admin", {"by": "ann"})
    assert followed.state().posterior is fitted


def test_where_reading_broke_off_all_is_read_anew(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.open(played) as ledger:
        followed = PoolFollower(ledger, POOL)
        followed.state()
        ledger.matches.record(POOL, match(1))
        with monkeypatch.context() as broken:
            broken.setattr(Ratings, "all", lambda *_: (_ for _ in ()).throw(OSError("gone")))
            with pytest.raises(OSError, match="gone"):
                followed.state()
        assert equal(followed.state()) == equal(TournamentState.load(ledger, POOL))
