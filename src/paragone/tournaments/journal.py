"""The journal of a ledger: what is on record beside the tournaments, in the hash chain of a tournament without items.

A pool of agents is no tournament, so it has no events, and a sign-in is to no pool. Both are events of the journal. It
is made with the first of them, and lists leave it out unless asked.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from paragone.domain import RatingConfig
from paragone.errors import NotFound
from paragone.ledger import Event, Ledger
from paragone.ledger.evidence.tournaments import ABOUT, JOURNAL
from paragone.tournaments.tournament_settings import settings_for

_REQUEST = {"key": "the journal of this ledger", "of": JOURNAL}
"""What tells the request that makes it from others, so that two at once make one."""


def is_tournament(ledger: Ledger, pool: str) -> bool:
    """Whether a pool is a tournament, which has events of its own.

    Raises:
        NotFound: If there is no such pool.
    """
    try:
        return ledger.tournaments.get(pool).id == pool
    except NotFound:
        if ledger.pools.version(pool) is None:
            raise
        return False


def note(ledger: Ledger, kind: str, detail: Mapping[str, Any], pool: str = "") -> None:
    """Record an event that is of no tournament.

    Args:
        ledger: The ledger.
        kind: Its kind.
        detail: What happened.
        pool: The pool that it is about; empty for none.
    """
    journal = ledger.tournaments.for_request(_REQUEST)
    if journal is None:
        settings = settings_for(2, criteria="What is on record beside the tournaments.", judge="human", seed=0)
        journal = ledger.tournaments.create(
            JOURNAL,
            settings=settings.as_json(),
            items=(),
            config=RatingConfig(),
            wish=_REQUEST,
            events=[(JOURNAL, {})],
        )
    ledger.tournaments.add_event(journal.id, kind, {**detail, **({ABOUT: pool} if pool else {})})


def notes(ledger: Ledger, kind: str) -> Sequence[Event]:
    """The events of the journal of a kind, the newest first."""
    journal = ledger.tournaments.for_request(_REQUEST)
    events = () if journal is None else ledger.tournaments.events(journal.id)
    return [event for event in reversed(events) if event.kind == kind]
