"""Other sites whose scripts may use the API: none unless they are named, and then with a token of their own only."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from paragone.errors import InvalidConfig

CORS: Mapping[str, Any] = {
    "allow_methods": ["GET", "POST", "PUT", "PATCH", "DELETE"],
    "allow_headers": ["authorization", "content-type", "idempotency-key", "if-none-match", "last-event-id"],
    "expose_headers": ["etag", "location", "retry-after", "x-request-id"],
    "allow_credentials": False,
    "max_age": 600,
}
"""What they may send and read; cookies are never sent along."""

_ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")


def checked_origins(origins: Iterable[str]) -> list[str]:
    """The origins, each as browsers write it.

    Raises:
        InvalidConfig: If one is no origin: without scheme, with a path, or a pattern.
    """
    found = [origin.lower() for origin in origins]
    for origin in found:
        if not _ORIGIN.fullmatch(origin):
            raise InvalidConfig(
                f"{origin!r} is no origin: one is a scheme, a host and a port where it is not the usual one, as in "
                "https://board.example:8443; no path, and no *",
                key="origins",
            )
    return found
