"""What the namespaces of a ledger share."""

from collections.abc import Callable
from datetime import datetime

from paragone.ledger.databases.database import Database


class Namespace:
    """A group of a ledger's methods. Each method is one transaction.

    Args:
        database: The open database.
        clock: Gives the time that goes with each commit.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
