"""Answer the questions of one tournament in a worker: the judge in all its wrappers, which record what they hear."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from paragone.domain import Choice, Comparison, DebateTurn, Item, Question, Ranking, Usage, Verdict
from paragone.errors import BudgetSpent, Busy, Conflict, JudgeFailed, LedgerError, UnknownJudge, UsageError
from paragone.judges.availability import Discovery, Outage, Outages
from paragone.judges.base import Judge
from paragone.judges.budget import Budget
from paragone.judges.debates.debate import Fallback
from paragone.judges.hedging import Hedged
from paragone.judges.limits import Limited, Slots
from paragone.judges.stack import Stack
from paragone.ledger import Event, Ledger, utc_now
from paragone.ledger.records import AskedQuestion, JudgingTerms
from paragone.tournaments.dossiers import Dossiers
from paragone.tournaments.running.control import Gate, GateClosed
from paragone.tournaments.running.match_play import match_of, round_of
from paragone.tournaments.running.participants import LIKE_THE_JUDGE, Participants, as_advocate, as_judge
from paragone.tournaments.running.recording import is_temporary
from paragone.tournaments.running.verdict_store import answer_to
from paragone.tournaments.state.history import FALLBACK, RESTORED, EventState
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.workers.batching import FIRST_PAUSE, LONGEST_PAUSE, BatchRunner
from paragone.workers.judge_list import JudgeList, require_listed
from paragone.workers.outcomes import NOTES, REFUSED, SPENT, AnswerNotes
from paragone.workers.shared_limits import SharedBudget, SharedLimited, starts_of

UNKNOWN_PAUSE = 3600.0
"""Seconds for which a judge is paused at other workers whose pause has no end."""


class Recorder:
    """Records what a judge answers; waits while the ledger is away, since it is paid for.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
    """

    def __init__(self, ledger: Ledger, tournament: str) -> None:
        self._ledger, self._tournament = ledger, tournament

    async def verdict(self, answer: Comparison | Ranking, key: str | None = None) -> None:
        """Record an answer with its cache key, or a failed attempt without one."""
        record = self._ledger.tournaments.record_verdict
        await self._patiently(
            lambda again: self._ledger.recorded(record, self._tournament, answer, key=key, again=again)
        )

    async def turn(self, turn: DebateTurn) -> None:
        """Record a turn; the same turn again changes nothing."""
        record = self._ledger.tournaments.record_turn
        await self._patiently(lambda _: self._ledger.recorded(record, self._tournament, turn))

    async def event(self, kind: str, detail: Mapping[str, Any]) -> None:
        """Record an event."""

        async def record(again: bool) -> None:
            tournaments = self._ledger.tournaments
            if again and await asyncio.to_thread(self._has, kind, detail):
                return
            await self._ledger.recorded(tournaments.add_event, self._tournament, kind, detail)

        await self._patiently(record)

    def _has(self, kind: str, detail: Mapping[str, Any]) -> bool:
        events = self._ledger.tournaments.events(self._tournament)
        return any(event.kind == kind and dict(event.detail) == dict(detail) for event in events)

    async def _patiently(self, write: Callable[[bool], Awaitable[object]]) -> None:
        """Write together with whatever else waits; ``write`` gets whether an earlier attempt may have been kept."""
        pause, again = FIRST_PAUSE, False
        while True:
            try:
                await write(again)
            except (LedgerError, Busy) as error:
                if not is_temporary(error):
                    raise
                again = True
            else:
                return
            await asyncio.sleep(pause)
            pause = min(2.0 * pause, LONGEST_PAUSE)

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Record something meanwhile; the question is done when it is on record."""
        notes = NOTES.get()
        earlier = list(notes.pending)

        async def in_order() -> None:
            if earlier:
                await asyncio.gather(*earlier)
            await work

        notes.pending.append(asyncio.ensure_future(in_order()))

    def event_first(self, kind: str, detail: Mapping[str, Any]) -> None:
        """Record an event before anything that is recorded later."""
        NOTES.get().events.append((kind, detail))
        self.later(self.event(kind, detail))


_OnRecord = tuple[Verdict | None, Verdict | None]
"""The answer to a call, and the newest one with its cache key."""


class WorkerVerdicts:
    """The verdicts of a tournament, and as a cache those of all others.

    Questions that are put at once are looked up at once, in a thread: the event loop has heartbeats and calls to serve.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        recorder: Records them.
    """

    def __init__(self, ledger: Ledger, tournament: str, recorder: Recorder) -> None:
        self._ledger, self._tournament, self._recorder = ledger, tournament, recorder
        self._looks: BatchRunner[tuple[str, str], _OnRecord | Exception] = BatchRunner(self._look)

    async def find(self, question: Question, key: str) -> Verdict | None:
        """The verdict of this call from an attempt before, or that of the same question in another call."""
        on_record = await self._looks.add((question.call, key))
        if isinstance(on_record, Exception):
            raise on_record
        verdict, cached = on_record
        if verdict is not None or cached is None:
            return verdict
        verdict = replace(cached, cached=True, usage=Usage(cost=0.0))
        self._recorder.later(self._record(question, key, verdict))
        return verdict

    def _look(self, entries: Sequence[tuple[str, str]]) -> Sequence[_OnRecord | Exception]:
        """What is on record of calls and keys; an error for each while the ledger is away, since the worker may end."""
        calls, keys = zip(*entries, strict=True)
        try:
            verdicts, cached = self._ledger.remote_judging.on_record(self._tournament, calls, keys)
        except (LedgerError, Busy) as error:
            return [error] * len(entries)
        return [(verdicts.get(call), cached.get(key)) for call, key in entries]

    def keep(self, question: Question, key: str, verdict: Verdict) -> Awaitable[None]:
        """Record an answer; what is returned ends when it is on record."""
        return self._kept(question, key, verdict)

    async def _kept(self, question: Question, key: str, verdict: Verdict) -> None:
        pending = NOTES.get().pending
        if pending:  # an event says at which length a debate was judged, so it comes first
            await asyncio.gather(*pending)
        await self._record(question, key, verdict)

    async def _record(self, question: Question, key: str, verdict: Verdict) -> None:
        turns, notes = question.turns, NOTES.get()
        turns_left = EventState(
            Event(kind=kind, detail=detail, at=utc_now()) for kind, detail in notes.events
        ).turns_left
        if turns != turns_left.get(question.call, turns):
            detail = {"match": match_of(question.call), "call": question.call, "turns": turns}
            notes.events.append((RESTORED, detail))
            await self._recorder.event(RESTORED, detail)
        try:
            await self._recorder.verdict(answer_to(question, verdict), key)
        except Conflict:  # another worker has answered meanwhile, after this one was taken for dead: its answer stays
            lost = failed_of(verdict, "another worker had answered before")
            await self._recorder.verdict(answer_to(question, lost))
            notes.lost.append(verdict.usage)

    def lost(self, question: Question, verdict: Verdict) -> None:
        """Record a failed attempt: its cost counts, and it is never found as an answer."""
        NOTES.get().lost.append(verdict.usage)
        self._recorder.later(self._recorder.verdict(answer_to(question, verdict)))


def failed_of(verdict: Verdict, error: str) -> Verdict:
    """An answer that cannot count, as a failed attempt with its usage."""
    return Verdict(
        choice=Choice.FAILED,
        judge=verdict.judge,
        prompt_hash=verdict.prompt_hash,
        usage=verdict.usage,
        error=error,
    )


class WorkerTurns:
    """The turns of a tournament's debates.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        recorder: Records them.
    """

    def __init__(self, ledger: Ledger, tournament: str, recorder: Recorder) -> None:
        self._ledger, self._tournament, self._recorder = ledger, tournament, recorder

    def find(self, call: str, number: int) -> DebateTurn | None:
        """A turn from an attempt before."""
        return self._ledger.tournaments.turn(self._tournament, call, number)

    async def keep(self, turn: DebateTurn) -> None:
        """Record a turn."""
        await self._recorder.turn(turn)
        NOTES.get().turns.append(turn.usage)


class TournamentJudging:
    """Answers the questions of one tournament.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        terms: How it is judged.
        judges: The judges that this worker has.
        worker: The worker.
        gate: Closed when the worker ends.
        slots: The calls that the worker may have in flight.
        concurrency: How many these are.

    Raises:
        UsageError: If the judge is not on the list, or cannot be opened.
    """

    def __init__(
        self,
        ledger: Ledger,
        tournament: str,
        terms: JudgingTerms,
        judges: JudgeList,
        *,
        worker: str,
        gate: Gate,
        slots: Slots,
        concurrency: int,
    ) -> None:
        self.terms = terms
        self._ledger, self._tournament, self._gate = ledger, tournament, gate
        events = ledger.tournaments.events(tournament)
        self._settings = TournamentSettings.from_json(ledger.tournaments.get(tournament).settings).after(events)
        self._items: dict[str, Item] = {}
        self._dossiers = Dossiers(ledger, tournament, self._settings.dossier)
        self._outages = Outages()
        self._budget = SharedBudget(ledger, tournament, worker, gate)
        listed = require_listed(judges, terms.judge)
        price = self._settings.price or listed.price
        judge = as_judge(listed.spec, replace(self._settings, price=price))
        if self._settings.advocate not in (None, LIKE_THE_JUDGE):  # a spec from elsewhere could send keys anywhere
            raise UnknownJudge(
                f"a worker asks only judges of its list, and {self._settings.advocate!r} is no one's own model"
            )
        advocate = as_advocate(None, judge, self._settings)
        self._participants = Participants(judge=judge, advocate=advocate)
        self._stack = self._wrapped(terms, slots, concurrency)

    def _wrapped(self, terms: JudgingTerms, slots: Slots, concurrency: int) -> Judge:
        ledger, tournament, options = self._ledger, self._tournament, terms.options
        recorder = self._recorder = Recorder(ledger, tournament)
        verdicts = WorkerVerdicts(ledger, tournament, recorder)
        per_minute = options.get("per_minute")
        starts = starts_of(ledger, tournament, per_minute)
        return Stack(
            store=verdicts,
            advocate=self._participants.advocate,
            turns=WorkerTurns(ledger, tournament, recorder),
            on_fallback=self._on_fallback,
            on_outage=self._on_outage,
            on_failure=self._on_failure,
            on_lost=verdicts.lost,
            is_new=bool(options.get("is_new")),
            on_discovery=self._on_discovery,
            on_unusable=self._on_unusable,
            guard=self._gate.guard,
            sleep=self._gate.sleep,
            frugal=lambda judge, turn: self._budget.around(
                judge, Budget(tokens=terms.max_tokens, money=terms.max_cost), turn
            ),
            limited=lambda judge: SharedLimited(
                judge, slots=slots, most=concurrency, per_minute=per_minute, starts=starts, sleep=self._gate.sleep
            ),
            timeout=options["timeout"],
            attempts=options["attempts"],
            wait=options["wait"],
            outages=self._outages,
            hedge=self._hedge,
        ).around(self._participants.judge)

    def _hedge(self, limited: Limited) -> Judge:
        self._hedged = Hedged(limited)
        return self._hedged

    def overdue(self) -> frozenset[str]:
        """The calls that take so long that they must not hold up others."""
        return self._hedged.overdue()

    def note_outages(self, terms: JudgingTerms) -> None:
        """Take over which judges are paused, as other workers found."""
        now = asyncio.get_running_loop().time()
        for who, (seconds, reason) in terms.outages.items():
            self._outages.pause(who, now + seconds, reason)

    def read_items(self, questions: Iterable[AskedQuestion]) -> None:
        """Read what questions are about, unless that is known; before they are answered."""
        missing = {id for question in questions for id in question.shown} - self._items.keys()
        if missing:
            self._items.update(self._ledger.items.by_id(self._tournament, sorted(missing)))

    async def answer(self, question: AskedQuestion) -> dict[str, Any] | None:
        """Ask a question; returns its outcome, or None if it was not asked since the worker ends."""
        notes = AnswerNotes()
        NOTES.set(notes)
        try:
            verdict = await self._patiently(question, notes)
        except GateClosed:
            return None
        except BudgetSpent as limit:
            return notes.ended(SPENT, str(limit))
        except UsageError as error:
            return notes.ended(REFUSED, str(error))
        finally:
            if notes.pending:
                await asyncio.gather(*notes.pending)
        return notes.outcome(verdict)

    async def _patiently(self, asked_question: AskedQuestion, notes: AnswerNotes) -> Verdict:
        """The verdict; while the ledger cannot be read, wait and look again."""
        pause, question = FIRST_PAUSE, None
        while True:
            try:
                question = question or self._question(asked_question, notes)
                return await self._stack.compare(question)
            except (LedgerError, Busy) as error:
                if not is_temporary(error):
                    raise
            await self._gate.sleep(pause)
            pause = min(2.0 * pause, LONGEST_PAUSE)

    def _question(self, asked_question: AskedQuestion, notes: AnswerNotes) -> Question:
        self.read_items([asked_question])  # which nearly always were read with those of the whole job
        first, second, *further = (self._items[id] for id in asked_question.shown)
        dossier = self._dossiers.of(round_of(match_of(asked_question.call)), asked_question.shown)
        if (
            asked_question.turns or asked_question.panel
        ):  # what became of the debate before, such as at a worker that died
            events = self._ledger.tournaments.events(self._tournament)
            of_debates = [event for event in events if event.kind in (FALLBACK, RESTORED)]
            notes.events += [
                (event.kind, event.detail) for event in of_debates if event.detail.get("call") == asked_question.call
            ]
        return Question(
            call=asked_question.call,
            first=first,
            second=second,
            others=tuple(further),
            criteria=self._settings.criteria,
            turns=asked_question.turns,
            dossier=dossier,
            panel=asked_question.panel,
            level=asked_question.level,
        )

    def _on_fallback(self, fallback: Fallback) -> None:
        step = {"step": fallback.step, "turns": fallback.turns, "error": fallback.error}
        self._recorder.event_first(FALLBACK, {"match": match_of(fallback.call), "call": fallback.call, **step})

    def _on_failure(self, failure: JudgeFailed) -> None:
        NOTES.get().failure = failure

    def _on_unusable(self, failure: JudgeFailed) -> None:
        NOTES.get().failure, NOTES.get().unusable = failure, True

    def _on_discovery(self, discovery: Discovery) -> None:
        NOTES.get().discovered.append((discovery.who, discovery.words))

    def _on_outage(self, outage: Outage) -> None:
        """Tell all workers; the planner records it."""
        NOTES.get().outages.append((outage.who, outage.reason, outage.seconds))
        seconds = UNKNOWN_PAUSE if outage.seconds is None else outage.seconds
        pause = self._ledger.remote_judging.pause
        self._recorder.later(asyncio.to_thread(pause, self._tournament, outage.who, seconds, outage.reason))

    async def close(self) -> None:
        """Close judge and advocate, when what they took is on record."""
        await self._budget.changes.finished()
        await self._participants.close()
