"""Limits on the size and duration of request bodies, measured as they arrive: Content-Length may lie."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

SWALLOWED = 16_000_000
"""Bytes beyond the limit that are read and dropped, so that the client gets to read the response."""
PATIENCE = 10.0
"""Maximum seconds for that."""
WHOLE = 60.0
"""Maximum seconds for a body to arrive."""
CLOSE = {"connection": "close"}
"""Header of a response sent before the body was read: the rest must not be parsed as the next request."""


class CountedBody:
    """Receives a body and fails if it is too long or takes too long.

    Args:
        receive: The ASGI channel to read from.
        most: Maximum bytes.
        seconds: Maximum seconds from the first read.

    Attributes:
        answered: Whether the response has started, so that no error can be sent.
    """

    def __init__(self, receive: Receive, most: int, seconds: float = WHOLE) -> None:
        self._receive, self._seconds = receive, seconds
        self._left = self._most = most
        self._until: float | None = None
        self._is_whole = False
        self.answered = False

    async def __call__(self) -> Message:
        message = await (self._receive() if self._is_whole else self._in_time())
        self._is_whole = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left >= 0:
            return message
        if self.answered:
            return {"type": "http.disconnect"}
        if message.get("more_body", False):
            await swallow(self._receive)
        raise HTTPException(413, too_long(self._most))

    async def _in_time(self) -> Message:
        """The next part of an incomplete body. Messages after the body have no time limit."""
        now = asyncio.get_running_loop().time()
        self._until = now + self._seconds if self._until is None else self._until
        try:
            async with asyncio.timeout_at(self._until):
                return await self._receive()
        except TimeoutError:
            if self.answered:
                return {"type": "http.disconnect"}
            raise HTTPException(408, f"the body did not arrive within {self._seconds:g} seconds", CLOSE) from None


async def swallow(receive: Receive) -> None:
    """Read the rest of a body, up to a limit, and drop it."""
    read = 0
    try:
        async with asyncio.timeout(PATIENCE):
            while read <= SWALLOWED:
                message = await receive()
                read += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def length_problem(length: str | None, most: int) -> tuple[int, str] | None:
    """What is wrong with a Content-Length, as a status and a message; None if nothing is."""
    if length is None:
        return None
    if not (length.isascii() and length.isdecimal()):
        return 400, "Content-Length is not a number"
    if len(length) > 15 or int(length) > most:
        return 413, too_long(most)
    return None


def too_long(most: int) -> str:
    """The message for a body that is too long."""
    return f"a body may have at most {most:,} bytes"
