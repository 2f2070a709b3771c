"""What the methods of a client ask by."""

from collections.abc import Iterator
from typing import Any, TypeVar

from paragone.client.connection import Connection
from paragone.errors import ServerFailed

T = TypeVar("T")
PAGE = 500
"""Rows of a page where all are wanted."""


class Asking:
    """A connection, and how listings are gone through."""

    _at: Connection

    def _every(self, page: type[Any], path: str, part: str, **params: object) -> Iterator[Any]:
        """All of a listing, fetched page by page."""
        cursor = None
        while True:
            found = self._at.get(page, path, limit=PAGE, cursor=cursor, **params)
            yield from getattr(found, part)
            if (cursor := found.next) is None:
                return


def there(found: T | None) -> T:
    """What a server answers where it always says something.

    Raises:
        ServerFailed: If it said nothing.
    """
    if found is None:
        raise ServerFailed("the server answered nothing where it always says something: it is of another version")
    return found
