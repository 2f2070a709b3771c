"""Cursors: where a page of a listing ended, as text that a program hands back and does not read.

A cursor says after what to go on, not how many to pass over: so nothing is shown twice because something came in before
it. It belongs to one listing, and is signed, so that one of another listing, or one that somebody made up, is refused.
"""

import base64
import binascii
import hashlib
import hmac
import json

from paragone.errors import InvalidConfig

_CHECK = 8
"""Bytes of the signature."""
_SIGNED: dict[str, bytes] = {"with": b""}
"""The secret of the server: one in a process."""

Place = list[int | float | str | None]


def sign_with(secret: bytes) -> None:
    """From now on cursors are of servers that have this secret."""
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


def _check(listing: tuple[str, ...], body: bytes) -> bytes:
    signed = b"cursor:" + json.dumps(listing).encode() + b"\0" + body
    return hmac.new(_SIGNED["with"], signed, hashlib.sha256).digest()[:_CHECK]
