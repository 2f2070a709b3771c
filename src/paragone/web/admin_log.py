"""What admins did is an event of the tournament that they did it to: who, what, and about what."""

from paragone.web.middleware.tokens import Caller
from paragone.web.readers.ledger_reader import LedgerReader

ADMIN = "admin"
"""Kind of these events."""


def note(reader: LedgerReader, pool: str, who: Caller, act: str, **about: object) -> None:
    """Keep an act of an admin on record. A pool that is no tournament has no events: there the act itself is kept.

    Raises:
        NotFound: If there is no such pool.
    """
    if reader.is_tournament(pool):
        reader.ledger.tournaments.add_event(pool, ADMIN, {"by": who.name, "act": act, **about})
