"""Timeouts for connections that never finish a request head or never read a response.

Uvicorn waits for both forever and limits the number of connections, so a few hundred silent ones would lock
everybody out (slowloris).
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 10.0
"""Seconds in which a client must send the head of a request."""
TAKE = 60.0
"""Seconds in which a client must read the data that is ready: 48 kB of a long response, or its end."""


class Patient(H11Protocol):
    """Uvicorn's HTTP/1.1 protocol with timeouts.

    Attributes:
        head: Seconds for the head of a request.
        take: Seconds for the client to read pending data.
    """

    head = HEAD
    take = TAKE
    _heading: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Start the timeout of the first request head."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Keep the timeout running until the head is complete: single bytes do not extend it."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Start the timeout of the next request head."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Start the timeout for reading: the client is slower than the response."""
        super().pause_writing()
        self._must_take()

    def resume_writing(self) -> None:
        """Stop the timeout for reading."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._taking = _stopped(self._taking)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timeouts."""
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
        """Close the connection; the client may still read earlier responses."""
        self._heading = None
        self.transport.close()
        self._must_take()


def _stopped(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer; None, for the attribute that held it."""
    if timer is not None:
        timer.cancel()
    return None
