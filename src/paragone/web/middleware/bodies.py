"""Bodies of requests: counted and timed as they come, since what a request says of its length need not be so."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

SWALLOWED = 16_000_000
"""Bytes over the limit that are read and dropped, so that who sends them comes to read the refusal."""
PATIENCE = 10.0
"""Seconds for that."""
WHOLE = 60.0
"""Seconds that a body has to come."""
CLOSE = {"connection": "close"}
"""Of an answer before the body was read, so that nothing of the body is taken for the next request."""


class CountedBody:
    """Receives a body, and refuses to go on where it is longer than it may be, or takes too long.

    Args:
        receive: What it comes from.
        most: Bytes at the most.
        seconds: For how long it may come, once somebody asks for it.

    Attributes:
        answered: Whether the answer has begun, so that nothing can be refused any more.
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
        """The next part of a body that is not whole. What comes after it may take as long as the answer does."""
        now = asyncio.get_running_loop().time()
        self._until = now + self._seconds if self._until is None else self._until
        try:
            async with asyncio.timeout_at(self._until):
                return await self._receive()
        except TimeoutError:
            if self.answered:
                return {"type": "http.disconnect"}
            raise HTTPException(408, f"a body has {self._seconds:g} seconds to come", CLOSE) from None


async def swallow(receive: Receive) -> None:
    """Read what is left of a body, within reason, and drop it."""
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
    """What is wrong with the length that a request says it has: a status and words."""
    if length is None:
        return None
    if not (length.isascii() and length.isdecimal()):
        return 400, "the length of the body is no number"
    if len(length) > 15 or int(length) > most:
        return 413, too_long(most)
    return None


def too_long(most: int) -> str:
    """Why a body is refused."""
    return f"a body has at most {most:,} bytes"
