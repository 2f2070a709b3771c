"""What a run will take, said before it spends."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from paragone.domain import Pairing, Planned, Question
from paragone.judges.base import Judge
from paragone.judges.debates.advocate import Advocate
from paragone.tournaments.planning.schedule import most_comparisons, most_in_round, rounds_left
from paragone.tournaments.planning.weighted.rounds import weighted_plan
from paragone.tournaments.state import State

SAMPLE = 200
"""Pairs whose price stands for all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """What a session of a tournament of hypotheses takes: the next round stands for those after it.

    Attributes:
        rounds: Rounds to be planned.
        matches: Matches of the next one.
        debates: How many of these are debates.
        units: Compute units of the session, matches that are still open included.
        is_limit: Whether the units are a limit, rather than what the next round would come to each time.
        is_rough: Whether it is not known yet who is like whom, which may change the next round by some matches.
    """

    rounds: int
    matches: int
    debates: int
    units: int
    is_limit: bool
    is_rough: bool = False

    def sentence(self) -> str:
        """What it takes, in words."""
        rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        about = "at most" if self.is_limit else "about"
        matches = "1 match" if self.matches == 1 else f"{self.matches} matches"
        matches = f"about {matches}" if self.is_rough else matches
        debates = f"{self.debates} of them debates" if self.debates else "no debate among them"
        units = "1 compute unit" if self.units == 1 else f"{self.units:,} compute units"
        return f"; {rounds}, the next of {matches}, {debates}; {about} {units} in all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """What a run takes at the most.

    Attributes:
        items: Size of the pool.
        judge: Who decides.
        comparisons: Comparisons still to be asked at the most.
        done: Comparisons that were answered before, those of matches that are not finished included.
        cost: US dollars at the most, or None where the price is not known. Where there are debates, about so many.
        session: What a session takes, in a tournament of hypotheses.
    """

    items: int
    judge: str
    comparisons: int
    done: int
    cost: float | None
    session: Session | None = None

    def sentence(self) -> str:
        """One line for a person."""
        already = f", {self.done} done before" if self.done else ""
        most = "" if self.session is not None and self.session.debates else "at most "
        money = "" if self.cost is None else f", {most}about ${self.cost:,.2f}" if self.cost else ", free of charge"
        calls = "1 call" if self.comparisons == 1 else f"{self.comparisons} calls"
        session = "" if self.session is None else self.session.sentence()
        return f"{self.items} items, judge {self.judge}: at most {calls}{already}{session}{money}"


def estimate(state: State, judge: Judge, done: int, advocate: Advocate | None = None) -> Estimate:
    """What is still to come, with the price of a sample of pairs standing for all.

    Args:
        state: Where the tournament is.
        judge: Who decides.
        done: Comparisons that the ledger has an answer for; nobody pays for them again.
        advocate: Who speaks in debates; None where there are none.
    """
    if state.brief.system is not None:
        return _of_session(state, judge, done, advocate)
    comparisons = max(0, most_comparisons(state.brief, len(state.items)) - done)
    rng = random.Random(state.brief.seed)  # noqa: S311 - a sample, not a secret
    prices = [judge.price(_question(state, rng)) for _ in range(SAMPLE)]
    known = [price for price in prices if price is not None]
    cost = comparisons * sum(known) / SAMPLE if len(known) == SAMPLE else None
    return Estimate(items=len(state.items), judge=judge.card.identity, comparisons=comparisons, done=done, cost=cost)


def _of_session(state: State, judge: Judge, done: int, advocate: Advocate | None) -> Estimate:
    """What is open, and as many rounds like the next one as the session still has."""
    brief, waiting = state.brief, [planned for _, planned in state.open_matches]
    planned = weighted_plan(state)
    open_calls, each_calls = (sum(match.calls for match in matches) for matches in (waiting, planned.pairings))
    rounds = _rounds(state) if planned.pairings else 0
    calls = open_calls + rounds * most_in_round(brief, len(state.items))
    if brief.budget is not None:
        calls = max(0, min(calls, brief.budget - done))
        rounds = min(rounds, math.ceil(max(0, calls - open_calls) / max(1, each_calls)))
    each, now = cost_of(state, planned.pairings, judge, advocate), cost_of(state, waiting, judge, advocate)
    return Estimate(
        items=len(state.items),
        judge=judge.card.identity,
        comparisons=calls,
        done=done,
        cost=None if each is None or now is None else now + rounds * each,
        session=_session(state, planned.pairings, waiting, rounds),
    )


def _session(state: State, next_round: Sequence[Planned], waiting: Sequence[Planned], rounds: int) -> Session:
    limit = state.system.optimization.resource_budget_per_round
    each = _units(next_round) if limit is None else int(limit)
    return Session(
        rounds=rounds,
        matches=len(next_round),
        debates=sum(isinstance(match, Pairing) and match.turns > 0 for match in next_round),
        units=_units(waiting) + rounds * each,
        is_limit=limit is not None,
        is_rough=state.proximity is None and state.brief.similarity is not None,
    )


def _rounds(state: State) -> int:
    """Rounds that a run would plan: none where it has but to finish the last one of its session."""
    left = rounds_left(state.brief, len(state.rounds))
    ends_here = left == state.system.scheduling.rounds_per_session
    return 0 if ends_here and state.open_matches else left


def _units(matches: Sequence[Planned]) -> int:
    return sum(match.units for match in matches if isinstance(match, Pairing))


def cost_of(state: State, matches: Sequence[Planned], judge: Judge, advocate: Advocate | None) -> float | None:
    """US dollars for some matches, turns included; None where a price is not known."""
    items = {item.id: item for item in state.items}
    total = 0.0
    for match in matches:
        if isinstance(match, Pairing):
            question = Question(
                call="estimate", first=items[match.a], second=items[match.b], criteria=state.brief.criteria
            )
            call = judge.price(question)
            turn = advocate.price(question) if match.turns and advocate is not None else 0.0
            if call is None or turn is None:
                return None
            total += match.calls * (call + 2 * match.turns * turn)
    return total


def _question(state: State, rng: random.Random) -> Question:
    """A call on a pair, or on a list of the length that was asked for; of a length that is open, on a pair."""
    size = state.brief.group_size
    first, second, *others = rng.sample(state.items, 2 if isinstance(size, str) else size)
    criteria = state.brief.criteria
    return Question(call="estimate", first=first, second=second, others=tuple(others), criteria=criteria)
