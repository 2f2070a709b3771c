"""The run loop: plan and play rounds until there is a reason to stop; what is recorded and reported meanwhile."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from paragone.domain import Board, DebateTurn, Planned, Question, Verdict
from paragone.domain.text import visible
from paragone.errors import Busy, JudgeFailed, LedgerError
from paragone.judges.availability import Discovery, Outage
from paragone.judges.base import Judge
from paragone.judges.budget import Budget
from paragone.judges.call_options import CallOptions
from paragone.judges.debates.debate import Fallback
from paragone.judges.hedging import Hedged
from paragone.judges.limits import Limited
from paragone.judges.stack import Stack
from paragone.ledger import Event, Ledger, PendingEvent, PlannedRound, utc_now
from paragone.tournaments.planning.blocks import window_note, window_of_state
from paragone.tournaments.planning.schedule import Plan, afforded, most_comparisons, plan_round
from paragone.tournaments.planning.stopping import budget_left, within
from paragone.tournaments.results.tournament_board import board_of
from paragone.tournaments.running.control import (
    ASKING,
    RESTED,
    Gate,
    GateClosed,
    Meter,
    Observer,
    Progress,
    Stop,
    Throttle,
    session_over,
    unobserved,
)
from paragone.tournaments.running.delegation import DelegatedRun, Delegating, RunReports
from paragone.tournaments.running.flight import Ahead, Flight
from paragone.tournaments.running.maintenance import AnomalyWatch
from paragone.tournaments.running.match_play import MatchPlay, batch_note, match_clock, match_of, round_span, run_span
from paragone.tournaments.running.participants import Participants
from paragone.tournaments.running.recording import LedgerWriter, is_temporary
from paragone.tournaments.running.spool import Spool, spool_folders
from paragone.tournaments.running.verdict_store import LedgerTurns, LedgerVerdicts
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import FALLBACK, PROMPT_CACHE, RESTORED

_LOG = logging.getLogger("paragone")

_BOARD_PAUSE = 0.25
"""Seconds between two looks at whether another board may be shown."""

UNDECIDED = 50
"""Abstentions without a single decision in a run that are taken for a judge that cannot judge this."""


class Runner:
    """Plays one tournament on from what its ledger holds.

    Args:
        ledger: The ledger.
        state: The state of the tournament; kept in step with the ledger.
        participants: Judge and advocate; wrapped here with cache, debates, budget, retries, limits and timeout.
        gate: Closed from outside to stop the run.
        pace: How calls are made.
        observer: Called after every verdict and every round.
        reclaim: Claims the tournament again after a database server was away and released the claim.

    Attributes:
        stop: Why it stopped; None while it runs.
        participants: Judge and advocate, not wrapped.
    """

    def __init__(
        self,
        ledger: Ledger,
        state: TournamentState,
        participants: Participants,
        *,
        gate: Gate,
        pace: CallOptions,
        observer: Observer,
        reclaim: Callable[[], None] = lambda: None,
    ) -> None:
        pace = pace.in_batches() if participants.judge.card.batched else pace
        self.stop: Stop | None = None
        self.participants = participants
        self._ledger = ledger
        self._state = state
        self._gate = gate
        self._pace = pace
        self._observer = observer
        self._board: Board | None = None
        self._waiting = ""
        self._boards = Throttle()
        self._broken = self._is_misuse = False
        self._overdue: Callable[[], frozenset[str]] = frozenset
        self._ready: Callable[[], Awaitable[None]] = _nothing_to_prepare
        self._is_fresh = False
        self._window = window_of_state(state, pace.concurrency)
        self._meter = Meter(ledger.tournaments.spending(state.id))
        self._watch = None if state.settings.system is None else AnomalyWatch(ledger, state)
        spool = Spool(ledger.tournaments.get(state.id), spool_folders(pace.spool, ledger.file))
        self._writer = LedgerWriter(
            ledger,
            state.id,
            spool,
            gate=gate,
            patience=pace.patience,
            on_waiting=self._on_waiting,
            on_recovered=reclaim,
        )
        self._verdicts = LedgerVerdicts(self._writer, self._on_verdict, self._before_verdict, self._on_lost_attempt)
        self._matches = MatchPlay(
            ledger,
            state,
            self._wrapped(participants),
            writer=self._writer,
            gate=gate,
            clock=match_clock(state, participants, pace),
            on_late=self._meter.add_late_match,
            record_event=self._record_event,
        )

    async def run(self) -> Stop:
        """Play until the tournament or its session is over, the gate closes, or the judge is out."""
        # A window of pairs that were planned ahead says it by itself; to look for open matches of many takes a while.
        resumed = self._window is None and bool(self._state.open_matches)
        widened = window_note(self._window, len(self._state.items), self._pace.concurrency)
        for words in (batch_note(self._state, self._pace), widened):
            if words:
                self.note(words)
        with run_span(self._state, self.participants.judge.card.identity) as trace:
            while self.stop is None:
                self.stop = await (self._next_stop(resumed=resumed) if self._window is None else self._play_ahead())
                resumed = True
            trace.note({"paragone.finished": self.stop.finished, "paragone.failed": self.stop.failed})
        return self.stop

    async def _next_stop(self, *, resumed: bool) -> Stop | None:
        """Play the open matches and begin the next round; why the run stops, if it does."""
        try:
            return await self.play_open() or await self._begin_next(session_over(self._state) if resumed else "")
        except GateClosed:  # while waiting for the ledger
            return self._closed()

    async def _play_ahead(self) -> Stop:
        """Play what is open, and plan and play ahead of the answers; why the run stops."""
        state, window = self._state, self._window
        if window is None:
            raise ValueError("the rounds of this pairing cannot be planned ahead")
        ahead = Ahead(
            self._ledger,
            state,
            writer=self._writer,
            window=window,
            concurrency=self._pace.concurrency,
            record_event=self._record_event,
        )
        # Other matches may have been planned in place of those set aside, which are played only if the budget lasts.
        set_aside = ahead.order.passed
        playable = self._affordable([*ahead.order.open, *self._available(set_aside)])
        playable, set_aside = playable[: len(ahead.order.open)], playable[len(ahead.order.open) :]
        boards = asyncio.create_task(self._keep_showing_boards())
        try:
            if playable:
                await self._ready()
            with round_span(state, 1, len(ahead.order.open)):
                await self._flight(playable, ahead=ahead, set_aside=set_aside).run()
            if self._gate.closed:
                return self._closed()
            last = ahead.last or self._unaffordable(ahead.order.open)
            return Stop(reason=last.reason, finished=last.finished, paused=not last.finished)
        except GateClosed:
            return self._closed()
        finally:
            boards.cancel()
            await asyncio.gather(boards, return_exceptions=True)
            await self._show_last_board()

    def _flight(
        self,
        matches: Sequence[tuple[str, Planned]],
        *,
        ahead: Ahead | None = None,
        set_aside: Sequence[tuple[str, Planned]] = (),
        fresh: bool = False,
    ) -> Flight:
        return Flight(
            self._matches,
            matches,
            set_aside=set_aside,
            ahead=ahead,
            fresh=fresh,
            is_healthy=lambda: not (self._meter.failing or self._meter.refused),
            on_silence=self._on_silence,
            is_slow=self._is_slow,
        )

    def _is_slow(self, match: str) -> bool:
        """Whether a match takes so long that it must not hold up the others."""
        return any(match_of(call) == match for call in self._overdue())

    async def _keep_showing_boards(self) -> None:
        """Report with a fresh board now and then."""
        matches = 0
        while self._observer is not unobserved:
            await asyncio.sleep(_BOARD_PAUSE)
            if self._boards.due and len(self._state.played) > matches:
                matches = len(self._state.played)
                try:
                    await self._show_board()
                except (LedgerError, Busy) as error:
                    self._tolerate(error)

    def _closed(self) -> Stop:
        failed = self._broken or self._writer.failed
        reason = self._writer.complaint if self._writer.failed else self._gate.reason
        return Stop(
            reason=reason,
            finished=self._matches.budget_spent and not failed,
            failed=failed,
            misuse=self._is_misuse,
            hint=self._meter.hint,
        )

    async def _begin_next(self, session: str) -> Stop | None:
        """Begin the next round; returns why there is none, if there is none."""
        if session:
            return Stop(reason=session, finished=False, paused=True)
        following = await self.following(plan_round)
        if not following.pairings:
            return Stop(reason=following.reason, finished=following.finished, paused=not following.finished)
        await self.begin(following)
        return None

    async def following(self, planner: Callable[[TournamentState], Plan]) -> Plan:
        """The next round, by all that is on record now, also by other processes."""
        if self._state.settings.system is not None:
            await self._writer.look(lambda: self._state.refresh(self._ledger))
        return await asyncio.to_thread(planner, self._state)

    def still(self) -> AbstractAsyncContextManager[None]:
        """Nothing is recorded during the block, so that the state can be read from the ledger again."""
        return self._writer.still()

    async def begin(self, following: Plan) -> None:
        """Record the plan of a round."""
        number = len(self._state.rounds) + 1
        # Before any question: a run that is killed and resumed then plays the same round instead of planning another.
        await self._writer.call(
            lambda: self._ledger.tournaments.plan_round(self._state.id, number, following.pairings, following.notes)
        )
        self._state.rounds.append(PlannedRound(number=number, pairings=following.pairings))
        self._is_fresh = True
        if "words" in following.notes:
            self.note(following.notes["words"])

    async def play_open(self) -> Stop | None:
        """Play the open matches of the last round; why the run must stop there, if it must."""
        self._meter.failing = self._meter.refused = 0
        remaining = self._affordable(self._available(self._state.open_matches))
        if remaining and not self._gate.closed:
            await self._ready()
            with round_span(self._state, 1, len(remaining)):
                await self._flight(remaining, fresh=self._is_fresh).run()
        self._is_fresh = False
        try:
            if self._watch is not None:
                await self._watch.check_now_and_then()
        except (LedgerError, Busy) as error:
            self._tolerate(error)
        await self._show_last_board()
        return self._closed() if self._gate.closed else None

    async def ended(self) -> None:
        """Check for anomalies once more, and record why the run ended."""
        try:
            if self._watch is not None:
                await self._watch.check(self._state)
        except (LedgerError, Busy) as error:
            self._tolerate(error)
        if self._meter.cached:
            detail = {"input_tokens": self._meter.sent, "cached_tokens": self._meter.cached}
            self._writer.write(PendingEvent(kind=PROMPT_CACHE, detail=detail))
            self._meter.sent = self._meter.cached = 0
        if self.stop is not None:
            self._writer.write(
                PendingEvent(kind="stopped", detail={"reason": self.stop.reason, "finished": self.stop.finished})
            )
        if not await self._writer.flushed() and self.stop is not None:
            self.stop = replace(self.stop, reason=self._writer.complaint, finished=False, failed=True)

    def close(self) -> None:
        """End the writer's thread; what was answered before an error ended the run is written."""
        self._writer.close()

    def _tolerate(self, error: Exception) -> None:
        """Go on after an optional read of the ledger failed; the next write waits until the ledger is back."""
        if not is_temporary(error):
            raise error
        self._writer.interrupted(error)

    async def _show_last_board(self) -> None:
        try:
            if self._state.played:
                await self._show_board()
        except (LedgerError, Busy) as error:
            self._tolerate(error)

    async def _show_board(self) -> None:
        """Report with a fresh board; less often where the fit is needed for nothing else."""
        if self._observer is unobserved:
            return
        settings = self._state.settings  # the outputs of a paired comparison are no ranking
        if settings.paired is None and (settings.system is None or self._boards.due):
            with self._boards.timed():
                snapshot = self._state if settings.system is None else self._state.snapshot()
                self._board = await asyncio.to_thread(board_of, self._ledger, snapshot)
        self._report()

    def _on_silence(self, matches: int) -> None:
        """Stop where all that was asked came back without a single answer: more would only add failures."""
        self._stop_judging(f"the judge answered none of {matches} matches")

    def _available(self, matches: list[tuple[str, Planned]]) -> list[tuple[str, Planned]]:
        """The matches without items that were retired since the plan; the others wait for a later round."""
        retired = self._state.event_state.retired
        return [(id, planned) for id, planned in matches if retired.keys().isdisjoint(planned.items)]

    def _affordable(self, matches: list[tuple[str, Planned]]) -> list[tuple[str, Planned]]:
        fitting = within(tuple(pairing for _, pairing in matches), budget_left(self._state))
        return matches[: len(fitting)]

    def _unaffordable(self, matches: Sequence[tuple[str, Planned]]) -> Plan:
        """Why nothing was asked of what is planned: the budget may have been lowered since."""
        affordable = afforded(self._state, Plan(pairings=tuple(pairing for _, pairing in matches)))
        return affordable if affordable.reason else Plan(reason="nothing is left to be planned")

    def _record_event(self, kind: str, detail: Mapping[str, Any]) -> None:
        self._writer.write(PendingEvent(kind=kind, detail=detail))
        self._state.events.append(Event(kind=kind, detail=detail, at=utc_now()))

    def _on_fallback(self, fallback: Fallback) -> None:
        """A debate takes a step down the ladder."""
        step = {"step": fallback.step, "turns": fallback.turns, "error": fallback.error}
        self._record_event(FALLBACK, {"match": match_of(fallback.call), "call": fallback.call, **step})

    def _on_outage(self, outage: Outage) -> None:
        """A panel member or an advocate failed too often and is not asked for a while: note and record it once."""
        who, seconds = outage.who, outage.seconds
        detail = {"round": len(self._state.rounds), "who": who, "reason": outage.reason, "seconds": seconds}
        self._record_event(RESTED, detail)
        paused = "is not asked any more" if seconds is None else f"is paused for {seconds:g} s"
        self._meter.notes.append(f"{who} {paused}: {outage.reason} {outage.hint}".rstrip())
        self._report()

    def _on_discovery(self, discovery: Discovery) -> None:
        self._meter.discovered.append(discovery)
        self._report()

    def _on_unusable(self, failure: JudgeFailed) -> None:
        """The judge cannot answer at all: stop asking."""
        self._is_misuse = failure.misuse and not self._meter.spending.decisions
        self._broken = True
        self._gate.close(str(failure))

    def _on_failure(self, failure: JudgeFailed) -> None:
        self._meter.add_failure(failure)
        if self._meter.failing >= self._pace.outage and not ASKING.get().retry:  # a retry asks only those that failed
            self._stop_judging(f"the judge failed {self._meter.failing} times in a row")

    def _before_verdict(self, question: Question, verdict: Verdict) -> None:
        """Record that a debate is judged at another length than its last fallback left, as after a crash."""
        turns = question.turns
        if turns != self._state.turns_left.get(question.call, turns):
            self._record_event(RESTORED, {"match": match_of(question.call), "call": question.call, "turns": turns})
        self._heard(verdict)

    def _heard(self, verdict: Verdict) -> None:
        self._meter.heard(verdict)
        if self._meter.abstained >= UNDECIDED and not self._meter.decided:
            what = f"the judge abstained {self._meter.abstained} times and decided nothing"
            self._stop_judging(what, "look at the criteria")

    def _on_verdict(self, verdict: Verdict) -> None:
        self._meter.add(verdict)
        self._report()

    def _on_lost_attempt(self, verdict: Verdict) -> None:
        self._meter.add_failed_attempt(verdict)
        self._report()

    def _stop_judging(self, what: str, why: str = "") -> None:
        """Stop the run because of the judge."""
        self._broken = True
        self._gate.close(f"{what}: {why or self._meter.last_error}")

    def _on_turn(self, turn: DebateTurn) -> None:
        self._meter.add_turn(turn)
        self._report()

    def _hedge(self, limited: Limited) -> Judge:
        hedged = Hedged(limited)
        self._overdue = hedged.overdue
        return hedged

    def _wrapped(self, participants: Participants) -> Judge:
        """The judge in all its wrappers; debates share the budget, the limits and the retries of calls."""
        pace, settings, system = self._pace, self._state.settings, self._state.settings.system
        if isinstance(participants.judge, Delegating):
            asker = participants.judge.delegate(self._delegated())
            self._overdue, self._ready = asker.overdue, asker.ready
            return self._writer.around(self._gate.guard(asker))
        judge = Stack(
            store=self._verdicts,
            advocate=participants.advocate,
            turns=LedgerTurns(self._writer, self._on_turn),
            on_fallback=self._on_fallback,
            on_outage=self._on_outage,
            on_failure=self._on_failure,
            on_lost=self._verdicts.lost,
            is_new=not self._meter.spending.decisions,
            on_discovery=self._on_discovery,
            on_unusable=self._on_unusable,
            guard=lambda judge: self._gate.guard(self._writer.around(judge)),
            sleep=self._gate.sleep,
            budget=Budget(tokens=settings.max_tokens, money=settings.max_cost),
            spent=self._meter.spending,
            concurrency=pace.concurrency,
            per_minute=pace.per_minute,
            timeout=pace.timeout if system is None else min(pace.timeout, system.scheduling.timeout_per_match),
            attempts=pace.attempts,
            wait=pace.wait,
            hedge=self._hedge,
        ).around(participants.judge)
        return self._writer.around(judge)

    def _delegated(self) -> DelegatedRun:
        """This run, for a judge that is asked elsewhere. What it reports is on record already."""

        def answered(_: Question, verdict: Verdict) -> None:
            self._heard(verdict)
            self._on_verdict(verdict)

        def happened(kind: str, detail: Mapping[str, Any]) -> None:
            self._state.events.append(Event(kind=kind, detail=detail, at=utc_now()))

        reports = RunReports(
            on_verdict=answered,
            on_lost=self._on_lost_attempt,
            on_turn=self._on_turn,
            on_event=happened,
            on_failure=self._on_failure,
            on_unusable=self._on_unusable,
            on_discovery=self._on_discovery,
            on_outage=self._on_outage,
            on_waiting=self._on_waiting,
        )
        state, gate, pace = self._state, self._gate, self._pace
        return DelegatedRun(
            ledger=self._ledger, tournament=state.id, settings=state.settings, gate=gate, pace=pace, reports=reports
        )

    def _on_waiting(self, words: str) -> None:
        """Report that the run waits for the ledger, or with no words that it goes on."""
        self._waiting = words
        if words and self._observer is unobserved:  # nobody else tells whoever waits, as with --quiet
            _LOG.warning("%s", visible(words))
        self.note(words)

    def note(self, words: str) -> None:
        """Pass a note on to the observer, if there is anything to say, and how far the run is."""
        self._meter.notes += [words] if words else []
        self._report()

    def _report(self) -> None:
        if self._observer is unobserved:
            return
        meter, state = self._meter, self._state
        self._observer(
            Progress(
                tournament=state.id,
                round=len(state.rounds),
                most=most_comparisons(state.settings, len(state.items), len(state.rounds)),
                spending=meter.spending,
                rate=meter.rate,
                board=self._board,
                notes=tuple(meter.notes),
                waiting=self._waiting,
                discovered=tuple(meter.discovered),
                unit="round" if state.settings.paired is None else "question",
            )
        )


async def _nothing_to_prepare() -> None:
    """The judge is asked in this process."""
