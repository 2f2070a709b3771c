"""One match of a run: its time limit, its trace spans, and the match that its answers make."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import replace

from paragone.analysis.quality.debates import confidence_of, debate_quality
from paragone.domain import Comparison, Item, Match, Pairing, Planned, Protocol, Question, Ranking, Usage
from paragone.judges.base import Judge
from paragone.ledger import Ledger
from paragone.tournaments.running.participants import Participants
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import CallOptions
from paragone.tracing import Span, Value, is_traced, span


def match_from_answers(
    ledger: Ledger,
    state: State,
    judge: Judge,
    id: str,
    planned: Planned,
    answered: tuple[Comparison | Ranking, ...],
    items: Mapping[str, Item],
) -> Match:
    """The match that some answers make. In a tournament of hypotheses, answers of low quality lower its weight (T14).

    Args:
        ledger: The ledger, for the turns of debates.
        state: The tournament.
        judge: The judge, for what its answers should contain.
        id: Id of the match.
        planned: The planned match.
        answered: The answers without failures.
        items: The items by id.
    """
    match = Match.of(id, planned, answered, round=state.rounds[-1].number)
    if state.settings.system is None or not isinstance(planned, Pairing):
        return match
    turns_judged = [state.turns_left.get(comparison.call, planned.turns) for comparison in match.comparisons]
    qualities = []
    for comparison, turns in zip(match.comparisons, turns_judged, strict=True):
        first, second = items[comparison.first], items[comparison.second]
        question = Question(
            call=comparison.call, first=first, second=second, criteria=state.settings.criteria, turns=turns
        )
        contents = judge.card.contents_for(question)
        spoken = ledger.tournaments.turns(state.id, comparison.call)[: 2 * turns] if turns else ()
        qualities.append(
            debate_quality(
                comparison.verdict,
                spoken,
                texts=(first.text, second.text),
                rationale=contents.rationale,
                weights=contents.weights,
            )
        )
    protocol = Protocol.MULTI_TURN if any(turns_judged) else Protocol.SINGLE_TURN
    return replace(match, protocol=protocol, confidence=confidence_of(*qualities) if qualities else 1.0)


def run_span(state: State, judge: str) -> AbstractContextManager[Span]:
    """The trace span of a run."""
    return span("tournament.run", {"paragone.pool": state.id, "paragone.judge": judge})


def round_span(state: State, turn: int, matches: int) -> AbstractContextManager[Span]:
    """The span of a pass over the open matches of a round."""
    about = {"paragone.round": len(state.rounds), "paragone.pass": turn, "paragone.matches": matches}
    return span("tournament.round", {"paragone.pool": state.id, **about})


def match_span(state: State, id: str, planned: Planned) -> AbstractContextManager[Span]:
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


def match_clock(state: State, participants: Participants, pace: CallOptions) -> MatchClock:
    """The clock of a run; without a limit if a person judges, or if a rate limit delays calls."""
    system = state.settings.system
    if system is None or participants.judge.card.interactive or pace.per_minute is not None:
        return MatchClock()
    at_once = max(1, pace.concurrency // max(1, state.settings.comparison_rounds))
    return MatchClock(system.scheduling.timeout_per_match, at_once)
