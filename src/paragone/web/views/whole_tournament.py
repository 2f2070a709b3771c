"""What is made from a whole tournament at once, and so of tournaments of some size only; it may take a while."""

from collections.abc import Callable
from typing import TypeVar

from paragone.errors import Busy, InvalidConfig, NotFound
from paragone.web.readers.ledger_reader import LedgerReader

T = TypeVar("T")
MOST_ITEMS = 20_000
MOST_MATCHES = 200_000
PATIENCE = 10.0
"""Seconds that a reader waits for what is being made, where there is nothing from before."""


def is_small(reader: LedgerReader, pool: str) -> bool:
    """Whether a pool is a tournament that may be read whole for a page."""
    return reader.is_tournament(pool) and reader.items(pool) <= MOST_ITEMS and reader.matches(pool) <= MOST_MATCHES


def require_small(reader: LedgerReader, pool: str) -> None:
    """Refuse a tournament that is too large to be read whole for a page.

    Raises:
        NotFound: If there is no such pool, or it is no tournament.
        InvalidConfig: If it is too large.
    """
    if not reader.is_tournament(pool):
        raise NotFound(f"pool {pool!r} is no tournament: nothing of that kind is known of it")
    if not is_small(reader, pool):
        size = f"{reader.items(pool):,} items and {reader.matches(pool):,} matches"
        raise InvalidConfig(
            f"{pool} has {size}: here this is made for up to {MOST_ITEMS:,} and {MOST_MATCHES:,}; `paragone report` "
            "and `paragone consistency` take any"
        )


def of_whole(reader: LedgerReader, what: str, pool: str, make: Callable[[], T]) -> T:
    """What is made from a whole tournament: as things stand, or where that takes long, as they stood before.

    Raises:
        NotFound: If there is no such pool, or it is no tournament.
        InvalidConfig: If it is too large.
        Busy: If it is still being made, and there is nothing from before.
    """
    require_small(reader, pool)
    snapshot, _ = reader.newest(what, pool, make, PATIENCE)
    if snapshot is None:
        raise Busy(f"{what} of {pool} is being made: ask again in a moment")
    return snapshot.value
