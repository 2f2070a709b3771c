"""What the namespaces of a ledger share: one transaction per call."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from paragone.ledger.databases.database import Database
from paragone.ledger.evidence import pools

P = ParamSpec("P")
T = TypeVar("T")
Row = TypeVar("Row")

PAGE = 2_000
"""Rows in memory at once while a long record is iterated over."""


class Namespace:
    """A group of a ledger's methods. Each method is one transaction.

    Args:
        database: The open database.
        clock: Gives the time that goes with each commit.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def _read(self, query: Callable[Concatenate[Connection, P], T], *args: P.args, **options: P.kwargs) -> T:
        with self._database.read() as connection:
            return query(connection, *args, **options)

    def _write(self, command: Callable[Concatenate[Connection, P], T], *args: P.args, **options: P.kwargs) -> T:
        with self._database.write() as connection:
            return command(connection, *args, **options)

    def _write_alone(self, command: Callable[Concatenate[Connection, P], T], *args: P.args, **options: P.kwargs) -> T:
        """``_write`` for what makes pools: one such transaction at a time."""
        with self._database.write(alone=True) as connection:
            return command(connection, *args, **options)

    def _pages(self, query: Callable[[Connection, str, int, int], tuple[list[Row], int]], pool: str) -> Iterator[Row]:
        """All rows of a long record, a page in memory at a time; each page is a transaction of its own.

        What is recorded meanwhile comes at the end; a match that is rolled back meanwhile may have been yielded before.

        Raises:
            NotFound: If there is no such pool.
        """
        self._read(pools.record, pool)
        last = 0
        while True:
            rows, last = self._read(query, pool, last, PAGE)
            if not rows:
                return
            yield from rows
