"""Pools as values: what each is, how much is in it, and how far its tournament is."""

from dataclasses import replace

from paragone.domain import RatingConfig
from paragone.ledger import PoolRecord
from paragone.tournaments.results.tournament_board import stopped
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.web.readers.ledger_reader import Library
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.whole_tournament import MOST_MATCHES
from paragone.web.voting.ballots import why_closed
from paragone.wire.pool import Pool, PoolPage, Tournament
from paragone.wire.spending import SpendingSummary

PATIENCE = 0.5
"""Seconds that a reader waits for what a large tournament took."""


def pools(library: Library) -> list[Pool]:
    """All pools, newest first."""
    return [_view(library, record) for record in reversed(library.pools())]


def page(library: Library, *, limit: int = 50, after: str | None = None) -> PoolPage:
    """A page of the pools, newest first.

    Raises:
        InvalidConfig: If the cursor belongs to another listing.
    """
    last = place_of(after, ("pools",))
    every = library.pools()
    end = len(every) if last is None else int(last[0] or 0)
    records = every[max(0, end - limit) : end]
    following = cursor(("pools",), [end - limit]) if end > limit else None
    return PoolPage(pools=[_view(library, record) for record in reversed(records)], next=following)


def pool(library: Library, id: str) -> Pool:
    """One pool.

    Raises:
        NotFound: If there is none of that id.
    """
    return _view(library, library.ledger.pools.get(id))


def _view(library: Library, record: PoolRecord) -> Pool:
    config: RatingConfig = record.config
    return Pool(
        id=record.id,
        title=library.kept("title", record.id, lambda: _title(library, record.id), stamp=0),
        kind=record.kind.value,
        created=record.created,
        version=library.version(record.id),
        items=library.items(record.id),
        matches=library.matches(record.id),
        initial=config.initial,
        k=config.k,
        tournament=_tournament(library, record.id) if library.is_tournament(record.id) else None,
    )


def _title(library: Library, id: str) -> str:
    """What a pool is called: a name that is all in its id already is said there once."""
    title = str(library.ledger.tournaments.get(id).settings.get("title", "")) if library.is_tournament(id) else ""
    return id if id.rpartition("-")[0] == title else title or id


def _tournament(library: Library, id: str) -> Tournament:
    if library.matches(id) <= MOST_MATCHES:
        summary = library.kept("tournament", id, lambda: _recorded(library, id))
    else:
        snapshot, _ = library.newest("large tournament", id, lambda: _recorded(library, id), PATIENCE)
        summary = _recorded(library, id, tallied=False) if snapshot is None else snapshot.value
    return replace(summary, running=is_running(library, id))


def _recorded(library: Library, id: str, *, tallied: bool = True) -> Tournament:
    ledger = library.ledger
    brief = TournamentSettings.from_json(ledger.tournaments.get(id).settings).after(ledger.tournaments.events(id))
    return Tournament(
        criteria=brief.criteria,
        judge=brief.judge,
        pairing=brief.pairing,
        votable=not why_closed(library, id, brief),
        budget=brief.budget_set,
        rounds=ledger.tournaments.count_rounds(id),
        running=False,
        stopped=stopped(ledger, id),
        spending=SpendingSummary.of(ledger.tournaments.spending(id)) if tallied else None,
    )


def is_running(library: Library, id: str) -> bool:
    """Whether somebody holds a tournament to run it."""
    return library.ledger.tournaments.is_claimed(id)
