"""Do not ask a model that cannot answer: put the first question alone, and pause those that keep failing."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from paragone.domain import Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import Judge, JudgeCard, Wrapper, in_debate
from paragone.judges.debates.debate import Advocate
from paragone.judges.panel_judge import PanelJudge

UNANSWERED = 3
"""Questions in a row that a judge may fail before its first answer."""


@runtime_checkable
class Remote(Protocol):
    """A judge or an advocate whose abilities show only in its first answer."""

    def discovered(self) -> str:
        """What its first answer showed, in words; empty before."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Discovery:
    """What the first answer of a judge or an advocate showed.

    Attributes:
        who: Its identity.
        words: The form of its answers, log-probabilities, reasoning, and its price.
    """

    who: str
    words: str


@dataclass(slots=True)
class _Probe:
    """Whether questions may pass to one model: one at a time until it has answered."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_open: bool = False
    unanswered: int = 0


class Preflight(Wrapper):
    """Lets one question through to each model, and the others once it is answered.

    The first question is a real one: it costs nothing extra, its answer is kept like any other, and a resumed run does
    not pay for it again. One request reveals a wrong key or an unknown model, a few an endpoint that is down;
    parameters that the endpoint refuses and the token limit that the model needs are found once, not by every call in
    flight.

    Put it outside ``CircuitBreaker`` and ``Retrying``, so that a question counts with all its retries, and inside
    ``Cached``, so that a cached verdict asks nobody.
    """

    def __init__(
        self,
        judge: Judge,
        remotes: Mapping[str, Remote],
        *,
        is_new: bool = True,
        on_discovery: Callable[[Discovery], None] = lambda discovery: None,  # noqa: ARG005
        on_unusable: Callable[[JudgeFailed], None] = lambda failure: None,  # noqa: ARG005
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            remotes: Judges and advocates to try alone first, by every identity of theirs; others are asked at once.
            is_new: Whether the tournament has no answer yet.
            on_discovery: Called with what each first answer showed.
            on_unusable: Called with the failure if a judge on its own fails for good, or fails ``UNANSWERED`` questions
                before its first answer. A panel's member or an advocate is paused instead; see ``CircuitBreaker``.
        """
        super().__init__(judge)
        self._remotes = remotes
        self._is_new = is_new
        self._on_discovery = on_discovery
        self._on_unusable = on_unusable
        self._probes: dict[int, _Probe] = {}

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, after the first one.

        Raises:
            JudgeFailed: If there was no answer.
        """
        who, alone = answering(self.card, question)
        remote = self._remotes.get(who)
        if remote is not None:
            probe = self._probes.setdefault(id(remote), _Probe())
            async with probe.lock:
                if not probe.is_open:
                    return await self._first(question, probe, remote)
        try:
            return await self._judge.compare(question)
        except JudgeFailed as failure:
            if alone and failure.permanent:
                self._on_unusable(failure)
            raise

    async def _first(self, question: Question, probe: _Probe, remote: Remote) -> Verdict:
        """Ask a model that has not answered yet."""
        who, alone = answering(self.card, question)
        try:
            verdict = await self._judge.compare(question)
        except JudgeFailed as failure:
            probe.unanswered += 1
            probe.is_open = failure.permanent or probe.unanswered == UNANSWERED
            if alone and probe.is_open and self._is_out(failure):
                self._on_unusable(failure)
            raise
        probe.is_open = True
        self._on_discovery(Discovery(who=who, words=remote.discovered()))
        return verdict

    def _is_out(self, failure: JudgeFailed) -> bool:
        """Whether the failure is the endpoint's, or the model's before its first answer.

        The open questions of a resumed tournament may be those that the model declines: they stop nothing.
        """
        silent = failure.retryable and not any(failure.tokens or ())
        return failure.permanent or silent or self._is_new


def answering(card: JudgeCard, question: Question) -> tuple[str, bool]:
    """Identity of who answers a question, and whether it is a judge on its own, which nothing can replace."""
    if in_debate(question):
        return ("" if card.debates is None else card.debates.advocate), False
    member = card.answering(question)
    return member.identity_for(question), member is card


def remotes_of(judge: Judge, advocate: Advocate | None) -> dict[str, Remote]:
    """Judges and advocates to ask alone first, by every identity of theirs."""
    members = judge.members if isinstance(judge, PanelJudge) else (judge,)
    remotes: dict[str, Remote] = {
        name: member for member in members if isinstance(member, Remote) for name in member.card.identities
    }
    return remotes | ({advocate.identity: advocate} if isinstance(advocate, Remote) else {})


PAUSE_AFTER = 5
"""Questions in a row that a judge or advocate fails before it is paused."""
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0
"""Seconds of the first pause, twice as many for each further one, and at the most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outage:
    """A judge or an advocate is paused.

    Attributes:
        who: A judge of a panel, or an advocate.
        reason: The last failure, in words.
        seconds: For how long; None for the rest of the run.
        hint: What may be shown beside the reason and is not kept.
    """

    who: str
    reason: str
    seconds: float | None
    hint: str = ""


@dataclass(slots=True)
class _Circuit:
    failures: int = 0
    pauses: int = 0
    until: float | None = None
    reason: str = ""
    on_trial: bool = False


class Outages:
    """Who is paused, by identity."""

    def __init__(self) -> None:
        self._circuits: dict[str, _Circuit] = {}

    def of(self, who: str) -> _Circuit:
        """The circuit of one judge or advocate."""
        return self._circuits.setdefault(who, _Circuit())

    def pause(self, who: str, until: float, reason: str) -> None:
        """Pause somebody whose outage was noticed elsewhere; a longer pause stays.

        Args:
            who: Its identity.
            until: When it may be tried again, by the clock of the breaker.
            reason: Why.
        """
        circuit = self.of(who)
        if circuit.until is None or circuit.until < until:
            circuit.until, circuit.reason = until, reason
            circuit.pauses = max(1, circuit.pauses)


class CircuitBreaker(Wrapper):
    """A circuit breaker for the members of a panel and the advocates of debates, which a run can do without.

    After a permanent failure (a refused key, an unknown model) a member is not asked again. After ``PAUSE_AFTER``
    failed questions in a row, each with all its retries, it is paused, then tried with one question, and paused for
    twice as long if that fails too. A question to a paused member fails at once, without a call. A judge on its own is
    never paused: if it cannot answer, the run ends.

    Put it outside ``Retrying``, so that a question counts once.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        on_outage: Callable[[Outage], None] = lambda outage: None,  # noqa: ARG005
        clock: Callable[[], float] | None = None,
        outages: Outages | None = None,
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            on_outage: Called as each pause begins.
            clock: Seconds from any origin; the event loop's by default.
            outages: Who is paused already, and may become so meanwhile.
        """
        super().__init__(judge)
        self._on_outage = on_outage
        self._clock = clock
        self._outages = Outages() if outages is None else outages

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, unless the member to ask is paused.

        Raises:
            JudgeFailed: If there was no answer; with no attempt where the member is paused.
        """
        who = self._member(question)
        if who is None:
            return await self._judge.compare(question)
        circuit = self._outages.of(who)
        trial = self._admit(who, circuit)
        try:
            verdict = await self._judge.compare(question)
        except JudgeFailed as failure:
            self._failed(who, circuit, failure, trial=trial)
            raise
        else:
            circuit.failures, circuit.pauses, circuit.until = 0, 0, None
            return verdict
        finally:
            if trial:
                circuit.on_trial = False

    def _member(self, question: Question) -> str | None:
        """Identity of the member that answers; None for a judge on its own."""
        card = self.card
        if in_debate(question):
            return None if card.debates is None else card.debates.advocate
        member = card.answering(question)
        return None if member is card else member.identity

    def _admit(self, who: str, circuit: _Circuit) -> bool:
        """Whether this question is a trial after a pause.

        Raises:
            JudgeFailed: If the member is paused.
        """
        if circuit.until is None:
            return False
        if circuit.on_trial or self._now() < circuit.until:
            raise JudgeFailed(f"{who} is paused: {circuit.reason}", retryable=False, attempts=0)
        circuit.on_trial = True
        return True

    def _failed(self, who: str, circuit: _Circuit, failure: JudgeFailed, *, trial: bool) -> None:
        circuit.failures += 1
        paused = circuit.until is not None and not trial
        if failure.permanent and circuit.until != float("inf"):
            seconds = None
        elif not paused and (trial or circuit.failures >= PAUSE_AFTER):
            seconds = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**circuit.pauses)
        else:
            return  # it was in flight when the pause began
        circuit.pauses += 1
        circuit.reason = str(failure)
        circuit.until = float("inf") if seconds is None else self._now() + seconds
        self._on_outage(Outage(who=who, reason=circuit.reason, seconds=seconds, hint=failure.hint))

    def _now(self) -> float:
        return asyncio.get_running_loop().time() if self._clock is None else self._clock()
