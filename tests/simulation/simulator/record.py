"""What a simulation knows of what happened: calls that were asked and answered, and what was said to be safe."""

from collections import Counter
from typing import TYPE_CHECKING

from paragone.domain import Question
from paragone.ledger import Pending, PendingVerdict

if TYPE_CHECKING:
    from simulator.process import Process


class Broken(Exception):
    """A promise was not kept."""


class Record:
    """The outside's view of all processes of one simulation.

    Attributes:
        safe: Answers that a process said were safe, by call.
        safe_failures: Failed attempts that it said were safe.
        lost_attempts: Attempts that failed or were cut off in a living process, by call.
        unsafe_at_kills: Answers that were paid for, and neither safe nor said to be when a process was killed.
        paid: Answers given, by call.
        visits: Events of somebody else: those asked for, and those said to be recorded.
    """

    def __init__(self) -> None:
        self.safe: dict[str, str] = {}
        self.safe_failures: Counter[str] = Counter()
        self.lost_attempts: Counter[str] = Counter()
        self.paid: Counter[str] = Counter()
        self.unsafe_at_kills: Counter[str] = Counter()
        self.visits: dict[str, bool] = {}
        self._asked: Counter[str] = Counter()
        self._answered_here: set[str] = set()
        self._starts: list[float] = []
        self.in_flight: Counter[str] = Counter()
        self._kept_nowhere: list[Pending] = []

    def begin(self) -> None:
        """A process begins."""
        self._answered_here.clear()
        self._starts.clear()
        self.in_flight.clear()
        self._kept_nowhere.clear()

    def end(self, *, killed: bool) -> None:
        """It is over. What it had been answered and nobody called safe may be paid for again.

        Without a kill that is only what neither ledger nor spool could take.
        """
        nowhere = {pending.answer.call for pending in self._kept_nowhere if isinstance(pending, PendingVerdict)}
        for call in self._answered_here if killed else self._answered_here & nowhere:
            if call not in self.safe:
                self.unsafe_at_kills[call] += 1

    def kept_nowhere(self, pending: Pending) -> None:
        """No spool took an entry while the ledger could not be written."""
        self._kept_nowhere.append(pending)

    def asked(self, process: "Process", question: Question) -> int:
        """A call is made; its attempt, from 1."""
        call = question.call
        if call in self.safe:
            raise process.broken(f"{call} is asked again though its answer is safe")
        if call in self._answered_here:
            raise process.broken(f"{call} is asked again though this process has its answer")
        pace = process.world.scenario.pace
        self.in_flight[call] += 1
        if self.in_flight.total() > pace.concurrency:
            raise process.broken(f"{self.in_flight.total()} calls in flight where {pace.concurrency} are allowed")
        if pace.per_minute is not None:
            # Calls that the ledger held up may start together later, never earlier than the rate allows.
            if process.now < len(self._starts) * 60.0 / pace.per_minute - 1e-6:
                raise process.broken("calls start faster than the rate limit allows")
            self._starts.append(process.now)
        self._asked[call] += 1
        return self._asked[call]

    def ended(self, process: "Process", call: str) -> None:
        """A call is over."""
        if not process.is_dead:
            self.in_flight[call] -= 1

    def answered(self, process: "Process", call: str) -> None:
        """A call was answered, and is paid for."""
        self.paid[call] += 1
        self._answered_here.add(call)

    def lost(self, process: "Process", call: str) -> None:
        """An attempt ended without an answer."""
        if not process.is_dead:
            self.lost_attempts[call] += 1

    def is_safe(self, process: "Process", pending: Pending) -> None:
        """A process says that an entry is safe."""
        if process.is_dead or not isinstance(pending, PendingVerdict):
            return
        call, verdict = pending.answer.call, pending.answer.verdict
        if pending in self._kept_nowhere:
            return  # it waits in memory, and the run says so
        if verdict.choice.is_answer:
            self.safe[call] = verdict.choice.value
        else:
            self.safe_failures[call] += 1
