"""Judge matches within their time limits, and record them."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import Any

from paragone.analysis.quality.debates import DebateQuality, confidence_of, debate_quality
from paragone.domain import (
    Comparison,
    Dossier,
    Item,
    Lineup,
    Match,
    Outcome,
    Pairing,
    Planned,
    Question,
    Ranking,
    RatingChange,
    Usage,
    Verdict,
)
from paragone.domain.pairing import protocol_of
from paragone.errors import BudgetSpent
from paragone.judges.base import Judge, JudgeCard, compare_pair, order_lineup
from paragone.judges.call_options import CallOptions
from paragone.judges.retrying import timed_out
from paragone.ledger import Ledger
from paragone.tournaments.dossiers import Dossiers
from paragone.tournaments.running.control import Gate
from paragone.tournaments.running.delegation import Delegating
from paragone.tournaments.running.participants import Participants
from paragone.tournaments.running.recording import LedgerWriter
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import FALLBACK
from paragone.tracing import Span, Value, is_traced, span


class MatchClock:
    """Limits the time of each match, from the moment when it may start.

    Args:
        seconds: Seconds a match may take; None for no limit.
        at_once: Maximum number of concurrent matches; None for no limit.

    Attributes:
        late: Matches that ran out of time when they were last played.
    """

    def __init__(self, seconds: float | None = None, at_once: int | None = None) -> None:
        self.late: set[str] = set()
        self._seconds = seconds
        self._slots = nullcontext() if at_once is None else asyncio.Semaphore(at_once)

    @property
    def complaint(self) -> str:
        """Why a match has no answer, in words."""
        return f"the match took longer than {self._seconds:g} s" if self._seconds is not None else "no answer"

    @asynccontextmanager
    async def match(self, id: str) -> AsyncIterator[None]:
        """Cancel the block when the time of the match is over; the match is then ``late``."""
        async with self._slots:
            self.late.discard(id)
            deadline = asyncio.timeout(self._seconds)
            try:
                async with deadline:
                    yield
            except TimeoutError:
                if not deadline.expired():
                    raise
                self.late.add(id)


def match_clock(state: TournamentState, participants: Participants, pace: CallOptions) -> MatchClock:
    """The clock of a run; without a limit of time where answers come in batches or from people, or calls wait."""
    system = state.settings.system
    if system is None:
        return MatchClock()
    at_once = system.tournament_parameters.match_batch_size
    if participants.judge.card.untimed or pace.per_minute is not None or isinstance(participants.judge, Delegating):
        return MatchClock(at_once=at_once)
    at_once = min(at_once, max(1, pace.concurrency // max(1, state.settings.comparison_rounds)))
    return MatchClock(system.scheduling.timeout_per_match, at_once)


def batch_note(state: TournamentState, pace: CallOptions) -> str:
    """That the batch size keeps fewer calls in flight than asked for, in words; empty if it does not."""
    system = state.settings.system
    if system is None:
        return ""
    batch = system.tournament_parameters.match_batch_size
    most = batch * state.settings.comparison_rounds
    if most >= pace.concurrency:
        return ""
    return (
        f"match_batch_size {batch} keeps at most {most} calls in flight, fewer than the concurrency {pace.concurrency}"
    )


Answers = tuple[Comparison | Ranking, ...]


class MatchPlay:
    """Judges matches, many at once, and commits them in the order of the plan.

    The order matters: each match moves the running Elo from where the one before left it, so a run that was killed and
    resumed ends with the same ratings only if matches are recorded as planned and not as answers arrive.

    Args:
        ledger: The ledger.
        state: The state of the tournament; kept in step with the ledger.
        judge: The judge in all its wrappers, which record each answer when it arrives.
        writer: Writes matches, and waits while the ledger cannot be written.
        gate: Closed if the budget is spent.
        clock: Limits the time of each match.
        on_late: Called when a match has run out of time, with why it has no answer.
        record_event: Records an event by kind and detail.

    Attributes:
        budget_spent: Whether the budget, and nothing else, closed the gate.
    """

    def __init__(
        self,
        ledger: Ledger,
        state: TournamentState,
        judge: Judge,
        *,
        writer: LedgerWriter,
        gate: Gate,
        clock: MatchClock,
        on_late: Callable[[str], None],
        record_event: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        self.budget_spent = False
        self.gate = gate
        self.record_event = record_event
        self._ledger = ledger
        self._state = state
        self._judge = judge
        self._writer = writer
        self._clock = clock
        self._on_late = on_late
        self._items: Mapping[str, Item] = {}
        self._dossiers = Dossiers(ledger, state.id, state.settings.dossier)

    def spend(self, limit: BudgetSpent) -> None:
        """Close the gate because the budget is spent."""
        self.budget_spent = self.budget_spent or not self.gate.closed
        self.gate.close(str(limit))

    async def answers_of(self, id: str, planned: Planned) -> Answers:
        """The answers of a match; none if it took too long, but verdicts and turns recorded by then stay."""
        with match_span(self._state, id, planned) as trace:
            async with self._clock.match(id):
                answers = await self._judge_match(id, planned)
                note_answers(trace, answers)
                return answers
            trace.fail("timeout")
        self._on_late(self._clock.complaint)
        return ()

    async def _judge_match(self, id: str, planned: Planned) -> Answers:
        if len(self._items) != len(self._state.items):
            self._items = {item.id: item for item in self._state.items}
        criteria, round = self._state.settings.criteria, round_of(id)
        await self._writer.look(lambda: self._dossiers.common(round))
        dossier = functools.partial(self._dossiers.of, round)
        if isinstance(planned, Lineup):
            return (await order_lineup(self._judge, planned, self._items, criteria, id, dossier),)
        return await compare_pair(self._judge, planned, self._items, criteria, id, dossier)

    async def commit(self, matches: Sequence[tuple[str, Planned, Answers]]) -> None:
        """Record matches, in this order and all in one go."""
        played = [await self._match(*match) for match in matches]
        await self._record(played)

    async def _match(self, id: str, planned: Planned, answers: Answers) -> Match:
        def made() -> Match:
            answered = answered_of(answers)
            rubric = self._dossiers.common(round_of(id)) if answered and self._state.settings.system else None
            return match_from_answers(
                self._ledger, self._state, self._judge, id, planned, answered, self._items, dossier=rubric
            )

        return await self._writer.look(made)

    async def give_up(self, id: str, planned: Planned, answers: Answers) -> None:
        """A match without an answer after all passes: a draw if that is what a timeout means, else left for later."""
        system = self._state.settings.system
        if system is None or self.gate.closed:
            return
        late = id in self._clock.late or any(timed_out(answer.verdict) for answer in answers)
        drawn = late and system.policy.on_timeout == "draw" and not isinstance(planned, Lineup)
        error = next((answer.verdict.error for answer in answers if answer.verdict.error), self._clock.complaint)
        self.record_event(FALLBACK, {"match": id, "step": "draw" if drawn else "later", "error": error})
        if drawn:
            a, b, *_ = planned.items
            await self._record([Match(id=id, round=round_of(id), a=a, b=b, outcome=Outcome.DRAW)])

    async def _record(self, matches: Sequence[Match]) -> None:
        record = self._ledger.matches.record

        def take(changes: list[tuple[RatingChange, ...]]) -> None:
            for match, changed in zip(matches, changes, strict=True):
                self._state.take(match, changed)

        def write() -> list[tuple[RatingChange, ...]]:
            if len(matches) == 1 or is_traced():  # a trace shows each write by itself
                return [record(self._state.id, match) for match in matches]
            # As one entry: of several, a later one might be written where an earlier one found the ledger locked.
            return self._ledger.matches.record_all(self._state.id, matches)

        await self._writer.call(write, take)


def answered_of(answers: Answers) -> Answers:
    """The verdicts that are answers, not failures."""
    return tuple(answer for answer in answers if answer.verdict.choice.is_answer)


def match_of(call: str) -> str:
    """The match of a call: ``ROUND.PLACE`` of ``ROUND.PLACE.NUMBER``."""
    return call.rpartition(".")[0]


def round_of(match: str) -> int:
    """The round of a planned match, ``ROUND.PLACE``."""
    return int(match.partition(".")[0])


def match_from_answers(
    ledger: Ledger,
    state: TournamentState,
    judge: Judge,
    id: str,
    planned: Planned,
    answered: tuple[Comparison | Ranking, ...],
    items: Mapping[str, Item],
    dossier: Dossier | None = None,
) -> Match:
    """The match that some answers make. In a tournament of hypotheses, answers of low quality lower its weight.

    Args:
        ledger: The ledger, for the turns of debates.
        state: The tournament.
        judge: The judge, for what its answers should contain.
        id: Id of the match.
        planned: The planned match.
        answered: The answers without failures.
        items: The items by id.
        dossier: What the judge saw beside the texts.
    """
    match = Match.of(id, planned, answered, round=round_of(id))
    if state.settings.system is None or not isinstance(planned, Pairing):
        return match
    questions = [_question_of(comparison, state, judge, planned, items, dossier) for comparison in match.comparisons]
    qualities = [
        _quality(ledger, state, judge, comparison.verdict, question)
        for comparison, question in zip(match.comparisons, questions, strict=True)
    ]
    turns = max((question.turns for question in questions), default=0)
    protocol = protocol_of(turns, panel=any(question.panel for question in questions))
    return replace(match, protocol=protocol, confidence=confidence_of(*qualities) if qualities else 1.0)


def _question_of(
    comparison: Comparison,
    state: TournamentState,
    judge: Judge,
    planned: Pairing,
    items: Mapping[str, Item],
    dossier: Dossier | None,
) -> Question:
    """The question that a comparison answered: a debate may have fallen back to fewer turns, a panel to two texts."""
    question = Question(
        call=comparison.call,
        first=items[comparison.first],
        second=items[comparison.second],
        criteria=state.settings.criteria,
        turns=state.turns_left.get(comparison.call, planned.turns),
        dossier=dossier,
        panel=planned.panel,
        level=planned.level,
    )
    is_fallback = planned.panel and not _is_of_panel(comparison.verdict, question, judge.card)
    return replace(question, panel=False) if is_fallback else question


def _quality(
    ledger: Ledger, state: TournamentState, judge: Judge, verdict: Verdict, question: Question
) -> DebateQuality:
    contents, turns = judge.card.contents_for(question), question.turns
    return debate_quality(
        verdict,
        ledger.tournaments.turns(state.id, question.call)[: 2 * turns] if turns else (),
        texts=(question.first.text, question.second.text),
        rationale=contents.rationale,
        weights=contents.weights,
    )


def _is_of_panel(verdict: Verdict, question: Question, card: JudgeCard) -> bool:
    """Whether a verdict is that of the panel debate that was asked for; what it answers has an identity of its own."""
    panel_debates = card.answering(question).panel_debates
    return panel_debates is not None and verdict.judge == panel_debates.identity


def run_span(state: TournamentState, judge: str) -> AbstractContextManager[Span]:
    """The trace span of a run."""
    return span("tournament.run", {"paragone.pool": state.id, "paragone.judge": judge})


def round_span(state: TournamentState, turn: int, matches: int) -> AbstractContextManager[Span]:
    """The span of a pass over the open matches of a round."""
    about = {"paragone.round": len(state.rounds), "paragone.pass": turn, "paragone.matches": matches}
    return span("tournament.round", {"paragone.pool": state.id, **about})


def match_span(state: TournamentState, id: str, planned: Planned) -> AbstractContextManager[Span]:
    """The span of a match, from its first question to its last answer; it is recorded later, in order of the plan."""
    return span("tournament.match", {"paragone.pool": state.id, "paragone.match": id, "paragone.calls": planned.calls})


def note_answers(match_span: Span, answers: Iterable[Comparison | Ranking]) -> None:
    """Note the usage of a match's answers; cached ones cost nothing."""
    if not is_traced():
        return
    verdicts = [answer.verdict for answer in answers]
    used = [verdict.usage for verdict in verdicts if not verdict.cached]
    match_span.note(
        {
            "paragone.answered": sum(verdict.choice.is_answer for verdict in verdicts),
            "paragone.cached": sum(verdict.cached for verdict in verdicts),
            "paragone.input_tokens": sum(usage.input_tokens for usage in used),
            "paragone.output_tokens": sum(usage.output_tokens for usage in used),
            "paragone.cost": _cost(used),
        }
    )


def _cost(used: Iterable[Usage]) -> Value:
    costs = [usage.cost for usage in used if usage.cost is not None]
    return sum(costs) if costs else None
