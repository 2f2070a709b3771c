"""What a simulation knows of what happened: calls that were asked and answered, and what was said to be safe."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from paragone.domain import Comparison, DebateTurn, Ranking
from paragone.ledger import Pending, PendingTurn, PendingVerdict
from simulator.judge import turn_of

if TYPE_CHECKING:
    from simulator.part import Part
    from simulator.process import Process


class Broken(Exception):
    """A promise was not kept."""


class Record:
    """The outside's view of all processes of one simulation.

    Attributes:
        safe: Answers that a process said were safe, by call.
        safe_failures: Failed attempts that it said were safe.
        lost_attempts: Attempts that failed or were cut off in a living process, by call.
        repeatable: How many times more a call may be made, since two workers got it or one was killed.
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
        self._in_flight: Counter[Part] = Counter()
        self._unsafe: dict[str, Part] = {}
        self.repeatable: Counter[str] = Counter()
        self._kept_nowhere: list[Pending] = []

    def begin(self) -> None:
        """A process begins."""
        self._answered_here.clear()
        self._starts.clear()
        self._in_flight.clear()
        self._unsafe.clear()
        self._kept_nowhere.clear()

    def end(self, *, killed: bool) -> None:
        """It is over. What it had been answered and nobody called safe may be paid for again.

        Without a kill that is only what neither ledger nor spool could take.
        """
        nowhere = {_key_of(pending) for pending in self._kept_nowhere}
        for call in self._answered_here if killed else self._answered_here & nowhere:
            if call not in self.safe:
                self.unsafe_at_kills[call] += 1

    def kept_nowhere(self, pending: Pending) -> None:
        """No spool took an entry while the ledger could not be written."""
        self._kept_nowhere.append(pending)

    def may_repeat(self, calls: Iterable[str]) -> None:
        """Calls may be made once more than otherwise, such as those of a job that two workers get."""
        self.repeatable.update(calls)

    def is_repeatable(self, call: str) -> bool:
        """Whether a call, or the call of a turn, may be made more than once."""
        return bool(self.repeatable[call.partition("/")[0]])

    def killed(self, part: "Part") -> None:
        """A worker or planner is killed: what it was answered and had not recorded may be paid for again."""
        lost = [call for call, owner in self._unsafe.items() if owner is part]
        self.may_repeat(call.partition("/")[0] for call in lost)
        del self._in_flight[part]

    def asked(self, process: "Part", call: str) -> int:
        """A call is made; its attempt, from 1."""
        if not self.is_repeatable(call):
            if call in self.safe:
                raise process.broken(f"{call} is asked again though its answer is safe")
            if call in self._answered_here:
                raise process.broken(f"{call} is asked again though this machine has its answer")
        pace = process.world.scenario.pace
        self._in_flight[process] += 1
        if self._in_flight[process] > process.concurrency:
            raise process.broken(f"{self._in_flight[process]} calls in flight where {process.concurrency} are allowed")
        if pace.per_minute is not None:
            # Calls that the ledger held up may start together later, never earlier than the rate allows.
            if process.now < len(self._starts) * 60.0 / pace.per_minute - 1e-6:
                raise process.broken("calls start faster than the rate limit allows")
            self._starts.append(process.now)
        self._asked[call] += 1
        return self._asked[call]

    def ended(self, process: "Part", call: str) -> None:
        """A call is over."""
        if not process.is_dead:
            self._in_flight[process] -= 1

    def answered(self, process: "Part", call: str) -> None:
        """A call was answered, and is paid for."""
        self.paid[call] += 1
        self._answered_here.add(call)
        self._unsafe[call] = process

    def lost(self, process: "Part", call: str) -> None:
        """An attempt ended without an answer."""
        if not process.is_dead:
            self.lost_attempts[call] += 1

    def is_safe(self, process: "Process", pending: Pending) -> None:
        """A process says that an entry is safe."""
        if process.is_dead or pending in self._kept_nowhere:
            return  # in the second case it waits in memory, and the run says so
        if isinstance(pending, PendingVerdict):
            self._note_safe(pending.answer)
        elif isinstance(pending, PendingTurn):
            self._note_safe(pending.turn)

    def is_recorded(self, part: "Part", evidence: object) -> None:
        """A worker has recorded something."""
        if not part.is_dead:
            self._note_safe(evidence)

    def _note_safe(self, evidence: object) -> None:
        if isinstance(evidence, DebateTurn):
            key = turn_of(evidence.call, evidence.number)
            self.safe[key] = evidence.content
            self._unsafe.pop(key, None)
        elif isinstance(evidence, Comparison | Ranking) and evidence.verdict.choice.is_answer:
            self.safe[evidence.call] = evidence.verdict.choice.value
            self._unsafe.pop(evidence.call, None)
        elif isinstance(evidence, Comparison | Ranking):
            self.safe_failures[evidence.call] += 1


def _key_of(pending: Pending) -> str:
    if isinstance(pending, PendingTurn):
        return turn_of(pending.turn.call, pending.turn.number)
    return pending.answer.call if isinstance(pending, PendingVerdict) else ""
