"""Connections that hold the server up: who never ends a request's head, or never takes an answer, is cut off.

Uvicorn waits for both without an end, and has room for so many connections: a few hundred that say nothing would keep
everybody else out.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 10.0
"""Seconds that somebody who is connected has to send the head of a request."""
TAKE = 60.0
"""Seconds that somebody has to take what is ready to be sent: 48 kilobytes of a long answer, the last ones of any."""


class Patient(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with an end to its patience.

    Attributes:
        head: Seconds for the head of a request.
        take: Seconds for what is ready to be sent.
    """

    head = HEAD
    take = TAKE
    _heading: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Wait for the first head."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Wait on, unless the head is whole now: each byte that comes is no new time."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """The answer comes quicker than it is taken."""
        super().pause_writing()
        self._must_take()

    def resume_writing(self) -> None:
        """It is taken."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._taking = _stopped(self._taking)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._heading, self._taking = _stopped(self._heading), _stopped(self._taking)
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._heading = _stopped(self._heading)
        elif self._heading is None and not self.transport.is_closing():
            self._heading = self.loop.call_later(self.head, self._close)
        if self.transport.is_closing():
            self._must_take()

    def _must_take(self) -> None:
        if self._taking is None:
            self._taking = self.loop.call_later(self.take, self.transport.abort)

    def _close(self) -> None:
        """What was answered before may still be taken."""
        self._heading = None
        self.transport.close()
        self._must_take()


def _stopped(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """A timer that is over, which is none."""
    if timer is not None:
        timer.cancel()
    return None
