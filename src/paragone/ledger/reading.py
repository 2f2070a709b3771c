"""Long records a page at a time, so that whoever goes through them holds a page and no more.

Each page is a transaction of its own: what is recorded meanwhile comes at the end, and a match that is rolled back
meanwhile may have been handed out as standing.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from sqlalchemy import Connection

from paragone.domain import DebateTurn, RatingChange
from paragone.ledger import matches, moves, pools
from paragone.ledger.databases.database import Database
from paragone.ledger.playing import debates
from paragone.ledger.records import RecordedMatch

PAGE = 2_000
"""Rows in memory at once."""

_Row = TypeVar("_Row")


def each_match(database: Database, pool: str) -> Iterator[RecordedMatch]:
    """All matches of a pool, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    yield from _each(database, pool, matches.page)


def each_turn(database: Database, pool: str) -> Iterator[DebateTurn]:
    """Every turn of the debates of a pool, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    yield from _each(database, pool, debates.page)


def each_change(database: Database, pool: str) -> Iterator[RatingChange]:
    """Every move of a rating of a pool, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    yield from _each(database, pool, moves.page)


def _each(
    database: Database, pool: str, page: Callable[[Connection, str, int, int], tuple[list[_Row], int]]
) -> Iterator[_Row]:
    for rows in _pages(database, pool, lambda connection, after: page(connection, pool, after, PAGE)):
        yield from rows


def _pages(
    database: Database, pool: str, read: Callable[[Connection, int], tuple[list[_Row], int]]
) -> Iterator[list[_Row]]:
    """The pages that come after each other, by where the one before ended."""
    with database.read() as connection:
        pools.record(connection, pool)
    last = 0
    while True:
        with database.read() as connection:
            page, last = read(connection, last)
        if not page:
            return
        yield page
