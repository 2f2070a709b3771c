"""Acts of admins, recorded as events of the tournament that they changed."""

from paragone.web.middleware.tokens import Caller
from paragone.web.readers.ledger_reader import LedgerReader

ADMIN = "admin"
"""Kind of these events."""


def note(reader: LedgerReader, pool: str, who: Caller, act: str, **about: object) -> None:
    """Record an act of an admin. A pool that is no tournament has no events; there only its effect is recorded.

    Raises:
        NotFound: If there is no such pool.
    """
    if reader.is_tournament(pool):
        reader.ledger.tournaments.add_event(pool, ADMIN, {"by": who.name, "act": act, **about})
