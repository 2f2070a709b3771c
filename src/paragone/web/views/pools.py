"""Pools: sizes, and the state of their tournaments."""

from dataclasses import replace

from paragone.domain import RatingConfig
from paragone.ledger import PoolRecord
from paragone.ledger.evidence.tournaments import JOURNAL
from paragone.tournaments.lifecycle import Lifecycle, lifecycles
from paragone.tournaments.results.tournament_board import stopped
from paragone.web.middleware.roles import Caller
from paragone.web.readers.ledger_reader import MOST_MATCHES, LedgerReader
from paragone.web.views.cursors import After, page_of_newest
from paragone.web.voting.voters import settings_of, why_closed
from paragone.wire.pool import Pool, PoolPage, PoolState, Tournament
from paragone.wire.spending import SpendingSummary

PATIENCE = 0.5
"""Seconds to wait for the spending of a large tournament."""


def pools(reader: LedgerReader) -> list[Pool]:
    """All pools, newest first."""
    return [_view(reader, record) for record in reversed(reader.pools())]


def leaves_out(reader: LedgerReader, who: Caller) -> bool:
    """Whether lists leave out what the caller may see, since it was archived or deleted."""
    states = reader.ledger.tournaments.states()
    return any(state != JOURNAL and may_see(who, id) for id, state in states.items())


def page(
    reader: LedgerReader,
    *,
    limit: int = 50,
    after: After = None,
    who: Caller | None = None,
    with_archived: bool = False,
) -> PoolPage:
    """A page of the pools, newest first.

    Args:
        reader: The ledger.
        limit: Maximum number of pools.
        after: Where the page begins.
        who: Whose pools are listed; all of them if None.
        with_archived: Whether those that were archived or deleted are listed, too.

    Raises:
        InvalidConfig: If the cursor belongs to another listing.
    """
    states = reader.ledger.tournaments.states()
    hidden = {id for id, state in states.items() if state == JOURNAL or not with_archived}
    every = [record for record in reader.pools() if may_see(who, record.id) and record.id not in hidden]
    listing = ("pools", "all") if with_archived else ("pools",)
    records, following = page_of_newest(every, listing, limit, after)
    return PoolPage(pools=[_view(reader, record) for record in records], next=following, total=len(every))


def may_see(who: Caller | None, pool: str) -> bool:
    """Whether somebody may see a pool; anybody, where it is not said who."""
    return who is None or who.grants is None or who.grant(pool) is not None


def pool(reader: LedgerReader, id: str) -> Pool:
    """One pool.

    Raises:
        NotFound: If there is none of that id.
    """
    return _view(reader, reader.ledger.pools.get(id))


def _view(reader: LedgerReader, record: PoolRecord) -> Pool:
    config: RatingConfig = record.config
    at = _lifecycle(reader, record.id)
    state: PoolState = at.state  # type: ignore[assignment]
    return Pool(
        id=record.id,
        title=at.title or reader.kept("title", record.id, lambda: _title(reader, record.id), stamp=0),
        kind=record.kind.value,
        created=record.created,
        version=reader.version(record.id),
        items=reader.items(record.id),
        matches=reader.matches(record.id),
        initial=config.initial,
        k=config.k,
        tournament=_tournament(reader, record.id) if reader.is_tournament(record.id) else None,
        state=state,
    )


def _lifecycle(reader: LedgerReader, id: str) -> Lifecycle:
    def read() -> Lifecycle:
        return lifecycles(reader.ledger, id).get(id, Lifecycle())

    # What was done to a pool without events is in the journal, so that its version does not tell of it.
    return reader.kept("lifecycle", id, read) if reader.is_tournament(id) else read()


def _title(reader: LedgerReader, id: str) -> str:
    """The title of a pool; its id if that already contains the name."""
    title = str(reader.ledger.tournaments.get(id).settings.get("title", "")) if reader.is_tournament(id) else ""
    return id if id.rpartition("-")[0] == title else title or id


def _tournament(reader: LedgerReader, id: str) -> Tournament:
    if reader.matches(id) <= MOST_MATCHES:
        summary = reader.kept("tournament", id, lambda: _recorded(reader, id))
    else:
        snapshot, _ = reader.newest("large tournament", id, lambda: _recorded(reader, id), PATIENCE)
        summary = _recorded(reader, id, tallied=False) if snapshot is None else snapshot.value
    return replace(summary, running=is_running(reader, id))


def _recorded(reader: LedgerReader, id: str, *, tallied: bool = True) -> Tournament:
    ledger = reader.ledger
    settings = settings_of(reader, id)
    return Tournament(
        criteria=settings.criteria,
        judge=settings.judge,
        pairing=settings.pairing,
        votable=not why_closed(reader, id, settings),
        budget=settings.budget_set,
        rounds=ledger.tournaments.count_rounds(id),
        running=False,
        stopped=stopped(ledger, id),
        spending=SpendingSummary.of(ledger.tournaments.spending(id)) if tallied else None,
    )


def is_running(reader: LedgerReader, id: str) -> bool:
    """Whether a process is running a tournament."""
    return reader.ledger.tournaments.is_claimed(id)
