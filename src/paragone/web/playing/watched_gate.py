"""A gate that knows which questions were asked and not answered yet."""

import threading
import time
from contextlib import suppress

from paragone.domain import Question, Verdict
from paragone.judges.base import Judge
from paragone.tournaments.running.control import Gate


class WatchedGate(Gate):
    """Every call of a run passes it, so it sees what is in flight. Any thread may look, and close it."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._asked: dict[object, tuple[str, float]] = {}

    def in_flight(self) -> dict[str, float]:
        """Seconds for which each call has been waiting for an answer, by its id, the longest first."""
        now = time.monotonic()
        with self._lock:
            return {call: now - since for call, since in self._asked.values()}

    async def waiting_for(self, judge: Judge, question: Question) -> Verdict:
        """The judge's answer, unless the gate is closed before or abandoned meanwhile.

        Raises:
            Closed: If it is.
        """
        one = object()
        with self._lock:
            self._asked[one] = (question.call, time.monotonic())
        try:
            return await super().waiting_for(judge, question)
        finally:
            with self._lock:
                del self._asked[one]

    def close_from_outside(self, reason: str, *, at_once: bool = False) -> None:
        """Ask nothing more; where ``at_once``, do not wait for the answers under way either."""
        with suppress(RuntimeError):  # the run has ended meanwhile, and its loop with it
            self.close(reason)
            if at_once:
                self.abandon()
