"""Pools as values: what each is, how much is in it, and how far its tournament is."""

from datetime import datetime

from paragone.domain import RatingConfig
from paragone.ledger import PoolRecord
from paragone.tournaments.results.tournament_board import stopped
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.web.books.library import Library
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.small import MOST_MATCHES
from paragone.web.views.spending import SpentView
from paragone.web.views.values import View, Words
from paragone.web.voting.ballots import why_closed

PATIENCE = 0.5
"""Seconds that a reader waits for what a large tournament took."""


class TournamentView(View):
    """What a tournament was asked to do, and what it took so far.

    Attributes:
        criteria: What "better" means.
        judge: Spec of the judge, or the identity of one that was given as an object.
        pairing: How items are paired.
        votable: Whether people can vote on it: its pairing leaves room for that, and its items have texts to show.
        budget: Decisions at most; None where none was set.
        rounds: Rounds planned so far.
        running: Whether somebody runs it now.
        stopped: Why the last run ended; empty where none did.
        spending: What it took; None of a large tournament while that is being counted.
    """

    criteria: Words
    judge: Words
    pairing: str
    votable: bool
    budget: int | None
    rounds: int
    running: bool
    stopped: Words
    spending: SpentView | None


class PoolView(View):
    """A pool.

    Attributes:
        id: Its id.
        title: What whoever made it calls it; its id where nothing else is known.
        kind: What its items are.
        created: When it was made.
        version: A number that grows with every write to it.
        items: Items in it.
        matches: Matches recorded, those that were rolled back too.
        initial: The rating that items begin with.
        k: The K factor.
        tournament: What its tournament is about; None where it is none.
    """

    id: Words
    title: Words
    kind: str
    created: datetime
    version: int
    items: int
    matches: int
    initial: float
    k: float
    tournament: TournamentView | None


class PoolPage(View):
    """Pools, the newest first.

    Attributes:
        pools: The pools.
        next: Cursor of the next page; None on the last.
    """

    pools: list[PoolView]
    next: str | None = None


def pools(library: Library) -> list[PoolView]:
    """All pools, newest first."""
    return [_view(library, found) for found in reversed(library.pools())]


def page(library: Library, *, limit: int = 50, after: str | None = None) -> PoolPage:
    """A page of the pools, newest first.

    Raises:
        InvalidConfig: If the cursor belongs to another listing.
    """
    last = place_of(after, ("pools",))
    every = library.pools()
    end = len(every) if last is None else int(last[0] or 0)
    shown = every[max(0, end - limit) : end]
    following = cursor(("pools",), [end - limit]) if end > limit else None
    return PoolPage(pools=[_view(library, found) for found in reversed(shown)], next=following)


def pool(library: Library, id: str) -> PoolView:
    """One pool.

    Raises:
        NotFound: If there is none of that id.
    """
    return _view(library, library.ledger.pool(id))


def _view(library: Library, found: PoolRecord) -> PoolView:
    config: RatingConfig = found.config
    return PoolView(
        id=found.id,
        title=library.kept("title", found.id, lambda: _title(library, found.id), stamp=0),
        kind=found.kind.value,
        created=found.created,
        version=library.version(found.id),
        items=library.items(found.id),
        matches=library.matches(found.id),
        initial=config.initial,
        k=config.k,
        tournament=_tournament(library, found.id) if library.is_tournament(found.id) else None,
    )


def _title(library: Library, id: str) -> str:
    """What a pool is called: a name that is all in its id already is said there once."""
    given = str(library.ledger.tournament(id).settings.get("title", "")) if library.is_tournament(id) else ""
    return id if id.rpartition("-")[0] == given else given or id


def _tournament(library: Library, id: str) -> TournamentView:
    if library.matches(id) <= MOST_MATCHES:
        known = library.kept("tournament", id, lambda: _recorded(library, id))
    else:
        made, _ = library.newest("large tournament", id, lambda: _recorded(library, id), PATIENCE)
        known = _recorded(library, id, tallied=False) if made is None else made.value
    return known.model_copy(update={"running": is_running(library, id)})


def _recorded(library: Library, id: str, *, tallied: bool = True) -> TournamentView:
    ledger = library.ledger
    brief = TournamentSettings.from_json(ledger.tournament(id).settings).after(ledger.events(id))
    return TournamentView(
        criteria=brief.criteria,
        judge=brief.judge,
        pairing=brief.pairing,
        votable=not why_closed(library, id, brief),
        budget=brief.budget_set,
        rounds=ledger.count_rounds(id),
        running=False,
        stopped=stopped(ledger, id),
        spending=SpentView.of(ledger.spending(id)) if tallied else None,
    )


def is_running(library: Library, id: str) -> bool:
    """Whether somebody holds a tournament to run it."""
    return library.ledger.is_claimed(id)
