"""Cursors: where a page of a listing ended, as an opaque text that a client hands back.

A cursor names the last entry of a page, not an offset: so nothing is listed twice when entries are added before it. It
belongs to one listing and is signed, so that one of another listing, or an invented one, is refused.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import TypeVar

from paragone.errors import InvalidConfig

_CHECK = 8
"""Bytes of the signature."""
_SIGNED: dict[str, bytes] = {"with": b""}
"""The secret of the server: one in a process."""

Place = list[int | float | str | None]
Key = tuple[int | float | str, ...]
T = TypeVar("T")
After = str | int | None
"""Where a page begins: after the entry that a cursor names, or after so many entries; at the beginning if None.

Addresses of pages count, so that they can say how many there are; clients of the API go by cursors.
"""


def sign_with(secret: bytes) -> None:
    """Sign cursors with this secret from now on."""
    _SIGNED["with"] = secret


def cursor(listing: tuple[str, ...], position: Place) -> str:
    """The cursor of a place in a listing.

    Args:
        listing: What is listed, and how it is ordered and narrowed.
        position: The values by which the next page is found.
    """
    body = json.dumps(position, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_check(listing, body) + body).decode("ascii").rstrip("=")


def place_of(text: str | None, listing: tuple[str, ...]) -> Place | None:
    """The place that a cursor of this listing names; None where there is no cursor, and the listing begins.

    Raises:
        InvalidConfig: If it is none of this listing.
    """
    if text is None:
        return None
    try:
        signed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        signed = b""
    check, body = signed[:_CHECK], signed[_CHECK:]
    if not body or not hmac.compare_digest(check, _check(listing, body)):
        raise InvalidConfig(
            "this cursor belongs to another listing, or was altered: take `next` of the answer before, with the same "
            "parameters; without a cursor a listing begins anew",
            key="cursor",
        )
    position: Place = json.loads(body)
    return position


def number_of(text: str | None, listing: tuple[str, ...]) -> int | None:
    """The number that a cursor of this listing holds; None where there is no cursor.

    Raises:
        InvalidConfig: If it is none of this listing.
    """
    position = place_of(text, listing)
    return None if position is None else int(position[0] or 0)


def page_of(
    entries: Sequence[tuple[Key, T]], listing: tuple[str, ...], limit: int, after: After
) -> tuple[list[T], str | None]:
    """A page of a listing that is sorted by keys, and the cursor of the next page.

    A key may have gone since the page before; the page begins with the next one.

    Args:
        entries: The whole listing, each entry behind its key, in ascending order.
        listing: What is listed.
        limit: Entries of a page.
        after: Where the page begins.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    if isinstance(after, int):
        remaining = entries[after:]
    else:
        last = place_of(after, listing)
        remaining = entries if last is None else [entry for entry in entries if list(entry[0]) > last]  # type: ignore[operator]
    page = remaining[:limit]
    following = cursor(listing, list(page[-1][0])) if len(remaining) > limit else None
    return [value for _, value in page], following


def _check(listing: tuple[str, ...], body: bytes) -> bytes:
    signed = b"cursor:" + json.dumps(listing).encode() + b"\0" + body
    return hmac.new(_SIGNED["with"], signed, hashlib.sha256).digest()[:_CHECK]


def page_of_growing(
    entries: Sequence[T], listing: tuple[str, ...], limit: int, after: After
) -> tuple[Sequence[T], str | None]:
    """A page of a list that only grows at its end."""
    start = after if isinstance(after, int) else number_of(after, listing) or 0
    end = start + limit
    return entries[start:end], cursor(listing, [end]) if end < len(entries) else None


def page_of_newest(
    entries: Sequence[T], listing: tuple[str, ...], limit: int, after: After
) -> tuple[Sequence[T], str | None]:
    """A page of a list that only grows at its end, the newest first."""
    end = len(entries)
    if isinstance(after, int):
        end -= after
    elif (before := number_of(after, listing)) is not None:
        end = min(end, before)
    start = max(0, end - limit)
    return entries[start : max(0, end)][::-1], cursor(listing, [start]) if start else None
