"""Estimate what a run will take before it spends anything."""

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from paragone.domain import Pairing, Planned, Question, Spending
from paragone.domain.spending import NOTHING, total
from paragone.domain.text import counted
from paragone.judges.base import Judge, forecast_of
from paragone.judges.debates.debate import Advocate, AdvocateAsJudge
from paragone.pairing.pilot import SIZES
from paragone.tournaments.planning.informative_policy import PILOT_ROUND, decision_in_words, list_decision
from paragone.tournaments.planning.schedule import most_comparisons
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import AUTO

SAMPLE = 200
"""Pairs whose mean price is taken for all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionCost:
    """The cost of a session of a tournament of hypotheses; later rounds are taken to cost as much as the next.

    Attributes:
        rounds: Rounds to be planned.
        matches: Matches of the next one.
        debates: How many of these are debates.
        units: Compute units of the session, open matches included.
        is_limit: Whether the units are a limit, rather than those of the next round times the rounds.
        is_rough: Whether similarities are not known yet, which may change the next round by some matches.
    """

    rounds: int
    matches: int
    debates: int
    units: int
    is_limit: bool
    is_rough: bool = False

    def sentence(self) -> str:
        """The cost in words."""
        rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        about = "at most" if self.is_limit else "about"
        matches = "1 match" if self.matches == 1 else f"{self.matches} matches"
        matches = f"about {matches}" if self.is_rough else matches
        debates = f"{self.debates} of them debates" if self.debates else "no debate among them"
        units = "1 compute unit" if self.units == 1 else f"{self.units:,} compute units"
        return f"; {rounds}, the next of {matches}, {debates}; {about} {units} in all"


@dataclass(frozen=True, kw_only=True, slots=True)
class CostEstimate:
    """The expected cost of a run.

    Attributes:
        items: Number of items.
        judge: Identity of the judge.
        expected: Maximum number of decisions to come, with the requests, tokens and dollars that they take if none has
            to be repeated.
        done: Decisions made before, also in open matches.
        session: The cost of a session, in a tournament of hypotheses.
        lists: What a pilot is to find out or has chosen, in words; empty where the number of items in a call is given.
        paired: Whether each two items are the outputs of two systems for one question.
    """

    items: int
    judge: str
    expected: Spending
    done: int
    session: SessionCost | None = None
    lists: str = ""
    paired: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        values = {**asdict(self), "expected": self.expected.as_dict(), "sentence": self.sentence()}
        del values["paired"]  # the sentence says it
        return values

    def sentence(self) -> str:
        """One line for a person."""
        already = f", {self.done:,} done before" if self.done else ""
        session = "" if self.session is None else self.session.sentence()
        about = "about " if self.expected.requests else ""
        decisions = f"at most {counted(self.expected.decisions, 'decision')}{already}"
        lists = f"; {self.lists}" if self.lists else ""
        return f"{self.subject}, judge {self.judge}: {decisions}{session}; {about}{self.expected.resources()}{lists}"

    @property
    def subject(self) -> str:
        """What is judged: items, or questions with two outputs each."""
        return f"{counted(self.items // 2, 'question')}, two outputs each" if self.paired else f"{self.items:,} items"


def estimate(state: TournamentState, judge: Judge, before: Spending, advocate: Advocate | None = None) -> CostEstimate:
    """Estimate the rest of a tournament by its spending so far, else by a sample of pairs.

    Args:
        state: The tournament.
        judge: Its judge.
        before: Its spending so far.
        advocate: Argues in debates; None without debates.
    """
    if state.settings.system is not None:
        return _of_session(state, judge, before, advocate)
    decisions = max(0, most_comparisons(state.settings, len(state.items)) - before.decisions)
    rng = random.Random(state.settings.seed)  # noqa: S311 - a sample, not a secret
    sample = total(forecast_of(judge, _question(state, rng)) for _ in range(SAMPLE))
    expected = _estimate(state, judge, before, _scaled(sample, decisions / SAMPLE, decisions))
    return replace(expected, lists=_lists(state))


def _lists(state: TournamentState) -> str:
    if state.settings.group_size != AUTO:
        return ""
    if len(state.rounds) <= PILOT_ROUND:
        return f"a pilot finds out whether lists of up to {max(SIZES)} tell more for their tokens than pairs"
    chosen = list_decision(state)
    return "" if chosen is None else decision_in_words(state, chosen)


def _of_session(state: TournamentState, judge: Judge, before: Spending, advocate: Advocate | None) -> CostEstimate:
    """The open matches, and as many rounds like the next one as are left of the session."""
    from paragone.tournaments.planning import weighted_policy

    settings, waiting = state.settings, [planned for _, planned in state.open_matches]
    planned = weighted_policy.plan(state)
    open_calls, each_calls = (sum(match.calls for match in matches) for matches in (waiting, planned.pairings))
    rounds_left = weighted_policy.rounds_left(settings, len(state.rounds))
    rounds = _rounds(state, rounds_left) if planned.pairings else 0
    calls = open_calls + rounds * weighted_policy.most_in_round(settings, len(state.items))
    if settings.budget is not None:
        calls = max(0, min(calls, settings.budget - before.decisions))
        rounds = min(rounds, math.ceil(max(0, calls - open_calls) / max(1, each_calls)))
    each, now = (expected_of(state, matches, judge, advocate) for matches in (planned.pairings, waiting))
    planned_calls = open_calls + rounds * each_calls
    share = min(1.0, calls / planned_calls) if planned_calls else 0.0
    session = _session(state, planned.pairings, waiting, rounds)
    return _estimate(state, judge, before, _scaled(now + each * rounds, share, calls), session)


def _estimate(
    state: TournamentState, judge: Judge, before: Spending, expected: Spending, session: SessionCost | None = None
) -> CostEstimate:
    return CostEstimate(
        items=len(state.items),
        paired=state.settings.paired is not None,
        judge=judge.card.identity,
        expected=_as_measured(expected, before),
        done=before.decisions,
        session=session,
    )


def _scaled(spending: Spending, times: float, decisions: int) -> Spending:
    return replace(spending * times, decisions=decisions)


def _as_measured(expected: Spending, before: Spending) -> Spending:
    """The same with the mean tokens and dollars of the requests so far, if they are known for most."""
    metered, priced = before.requests - before.unmetered, before.requests - before.unpriced
    if 2 * metered > before.requests:
        each = expected.requests / metered
        expected = replace(
            expected,
            input_tokens=round(each * before.input_tokens),
            output_tokens=round(each * before.output_tokens),
            unmetered=0,
        )
    if 2 * priced > before.requests and before.dollars is not None:
        expected = replace(expected, dollars=expected.requests / priced * before.dollars, unpriced=0)
    return expected


def _session(
    state: TournamentState, next_round: Sequence[Planned], waiting: Sequence[Planned], rounds: int
) -> SessionCost:
    limit = state.system.optimization.resource_budget_per_round
    each = _units(next_round) if limit is None else int(limit)
    return SessionCost(
        rounds=rounds,
        matches=len(next_round),
        debates=sum(isinstance(match, Pairing) and match.protocol.is_debate for match in next_round),
        units=_units(waiting) + rounds * each,
        is_limit=limit is not None,
        is_rough=state.proximity is None and state.settings.similarity is not None,
    )


def _rounds(state: TournamentState, remaining: int) -> int:
    """Rounds that a run would plan: none if it only has to finish the last one of its session."""
    ends_here = remaining == state.system.scheduling.rounds_per_session
    return 0 if ends_here and state.open_matches else remaining


def _units(matches: Sequence[Planned]) -> int:
    return sum(match.units for match in matches if isinstance(match, Pairing))


def expected_of(
    state: TournamentState, matches: Sequence[Planned], judge: Judge, advocate: Advocate | None
) -> Spending:
    """The expected spending on some matches, turns included."""
    items = {item.id: item for item in state.items}
    speaking = None if advocate is None else AdvocateAsJudge(advocate)
    expected = NOTHING
    for match in matches:
        if not isinstance(match, Pairing):
            continue
        question = Question(
            call="estimate",
            first=items[match.a],
            second=items[match.b],
            criteria=state.settings.criteria,
            dossier=state.settings.dossier,
            panel=match.panel,
            level=match.level,
        )
        expected += replace(forecast_of(judge, question) * match.calls, decisions=match.calls)
        if match.turns and speaking is not None:
            turns = 2 * match.turns * match.calls
            expected += replace(
                forecast_of(speaking, replace(question, turns=match.turns, panel=False)) * turns, turns=turns
            )
    return expected


def _question(state: TournamentState, rng: random.Random) -> Question:
    """A sample call on a pair, or on a list if its length is fixed."""
    size = state.settings.group_size
    first, second, *rest = rng.sample(state.items, 2 if isinstance(size, str) else size)
    criteria, dossier = state.settings.criteria, state.settings.dossier
    return Question(call="estimate", first=first, second=second, others=tuple(rest), criteria=criteria, dossier=dossier)
