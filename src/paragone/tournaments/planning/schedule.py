"""The next round: each pairing policy is a pure step from the state of a tournament to a plan.

Also how many items go into one call, and which, where the judge orders lists.
"""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paragone.domain import Aim, Comparison, Lineup, Order, Outcome, Pairing, Planned, Ranking
from paragone.pairing import groups, informative, pilot, round_robin, swiss
from paragone.pairing.forecast import reached
from paragone.pairing.pilot import Noise
from paragone.pairing.presentation import PairHistory, alternating_orders
from paragone.pairing.weighted_round import most_each
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence, list_judge
from paragone.ratings.fitted import Fit, FitOptions
from paragone.tournaments.planning.round_plan import Plan
from paragone.tournaments.planning.weighted_policy import weighted_plan
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import AUTO, CALLS_PER_ITEM, TournamentSettings

PILOT_ROUND = 1
"""With a length to be chosen, the first round is the pilot."""


def group_size(state: State) -> int:
    """Items in a call: what the settings says, or what the pilot says; 2 are pairs."""
    if state.settings.group_size != AUTO:
        return int(state.settings.group_size)
    piloted = [match for match in state.matches if match.round == PILOT_ROUND]
    answers = [answer for match in piloted for answer in match.answers]
    comparisons = [comparison for match in piloted for comparison in match.comparisons]
    rankings = [match.ranking for match in piloted if match.ranking is not None]
    evidence = Evidence.of(comparisons, state.ids, rankings=rankings)
    noises = list_noise(fit(evidence, FitOptions(position=state.position)))
    by_length = {len(ranking.shown): noises.get(list_judge(ranking)) for ranking in rankings}
    measured = {size: noise for size, noise in by_length.items() if noise is not None}
    return pilot.choose(measured, overhead=_overhead(state.settings, answers))


def list_noise(fitted: Fit) -> dict[str, Noise]:
    """The noise of lists relative to the pairs of the judge with the most of them, by ``list_judge``.

    Empty where there are no pairs to be compared with, or no lists.
    """
    evidence = fitted.evidence
    pairs = np.bincount(evidence.judge, minlength=len(evidence.judges))
    if not pairs.any():
        return {}
    pair = int(np.argmax(pairs))
    return {
        evidence.judges[judge]: Noise(
            ratio=float(fitted.slope[pair] / fitted.slope[judge]),
            log_error=float(fitted.slope_se[pair] + fitted.slope_se[judge]),
        )
        for judge in np.unique(evidence.ranking_judge).tolist()
    }


def _overhead(settings: TournamentSettings, answers: Sequence[Comparison | Ranking]) -> float:
    """What a call costs besides its texts: all there is where calls are limited, else what the tokens say."""
    if settings.budget is not None:
        return math.inf
    tokens: defaultdict[int, list[int]] = defaultdict(list)
    for answer in answers:
        usage = answer.verdict.usage
        if usage.calls:
            tokens[len(answer.shown)].append((usage.input_tokens + usage.output_tokens) // usage.calls)
    return pilot.overhead_of({size: sum(counts) / len(counts) for size, counts in tokens.items()})


def pilot_round(state: State, texts: int) -> tuple[Planned, ...]:
    """The pairs and lists that measure the judge.

    Args:
        state: A tournament of which nothing was played.
        texts: How many texts the budget shows.
    """
    plan_of_pilot = pilot.pilot(len(state.items), texts, rng=np.random.default_rng([state.settings.seed, PILOT_ROUND]))
    pairs = (Pairing(a=state.ids[a], b=state.ids[b], orders=(Order.AB,)) for a, b in plan_of_pilot.pairs)
    return (*pairs, *_lineups(state, plan_of_pilot.lists))


def lineups(state: State, size: int) -> tuple[Planned, ...]:
    """The next batch of lists."""
    index = {id: position for position, id in enumerate(state.ids)}
    before = (index[id] for match in state.played for comparison in match.comparisons for id in comparison.shown)
    lists = (tuple(index[id] for id in match.ranking.shown) for match in state.played if match.ranking is not None)
    planned = groups.plan(
        state.posterior.fit.strength,
        state.posterior.draws,
        groups.ListHistory.of(len(index), lists, before=before),
        state.settings.goal,
        size=size,
        rng=np.random.default_rng([state.settings.seed, len(state.rounds) + 1]),
    )
    return _lineups(state, planned)


def _lineups(state: State, lists: Sequence[groups.Group]) -> tuple[Lineup, ...]:
    return tuple(Lineup(items=tuple(state.ids[item] for item in group)) for group in lists)


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetLeft:
    """What may still be asked: calls, and texts shown; None is no limit."""

    calls: int | None = None
    texts: int | None = None

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be asked."""
        return any(limit is not None and limit <= 0 for limit in (self.calls, self.texts))


def plan(state: State) -> Plan:
    """The next round of a tournament."""
    remaining = budget_left(state)
    if remaining.is_spent:
        return Plan(reason=f"{_budget(state)} is spent")
    following = _POLICIES[state.settings.pairing](state)
    affordable = within(following.pairings, remaining)
    if following.pairings and not affordable:
        return Plan(reason=f"what is left of {_budget(state)} is too little for another match")
    return replace(following, pairings=affordable)


def _budget(state: State) -> str:
    settings = state.settings
    if settings.budget is None:
        return f"the budget of {text_budget(settings, len(state.items))} texts shown"
    return f"the budget of {settings.budget} {'comparisons' if settings.group_size == 2 else 'calls'}"


def budget_left(state: State) -> BudgetLeft:
    """What the budget still allows."""
    settings, texts = state.settings, text_budget(state.settings, len(state.items))
    return BudgetLeft(
        calls=None if settings.budget is None else settings.budget - state.answered,
        texts=None if texts is None else texts - state.texts,
    )


def text_budget(settings: TournamentSettings, items: int) -> int | None:
    """Texts shown at the most; a limit only where the length of the lists, and so the number of calls, is open."""
    return 2 * CALLS_PER_ITEM * items if settings.group_size == AUTO and settings.budget is None else None


def within(pairings: tuple[Planned, ...], budget: BudgetLeft) -> tuple[Planned, ...]:
    """The first matches that fit into what is left."""
    calls, texts = (math.inf if limit is None else limit for limit in (budget.calls, budget.texts))
    affordable: list[Planned] = []
    for planned in pairings:
        calls, texts = calls - planned.calls, texts - planned.calls * len(planned.items)
        if min(calls, texts) < 0:
            break
        affordable.append(planned)
    return tuple(affordable)


def most_comparisons(settings: TournamentSettings, items: int, rounds: int = 0) -> int:
    """How many calls the tournament makes at the most.

    Args:
        settings: What it was asked to do.
        items: Number of items.
        rounds: Rounds planned so far. A tournament of hypotheses goes on for as many sessions as are run: for it, the
            calls are those up to the end of the session that it is in.
    """
    pairs = items * (items - 1) // 2
    if settings.group_size != 2:
        return settings.budget or CALLS_PER_ITEM * items
    asks = {
        "weighted": (rounds + rounds_left(settings, rounds)) * most_in_round(settings, items),
        "informative": items * (items - 1),
        "round-robin": pairs * settings.comparison_rounds,
        "swiss": settings.comparison_rounds
        * swiss.most_matches(items, elimination_count=settings.elimination_count, draws=settings.draws),
    }
    return asks[settings.pairing] if settings.budget is None else min(settings.budget, asks[settings.pairing])


def rounds_left(settings: TournamentSettings, rounds: int) -> int:
    """Rounds that the present session of a tournament of hypotheses still has; all of one where the last is over."""
    if settings.system is None:
        return 0
    session = settings.system.scheduling.rounds_per_session
    return session - rounds % session


def most_in_round(settings: TournamentSettings, items: int) -> int:
    """Calls that one round of a tournament of hypotheses makes at the most."""
    if settings.system is None:
        return 0
    per_round, limit = (
        settings.system.scheduling.matches_per_round,
        settings.system.optimization.resource_budget_per_round,
    )
    matches = min(per_round, most_each(items, per_round) * items // 2, items * (items - 1) // 2)
    calls = matches * settings.comparison_rounds
    return calls if limit is None else min(calls, int(limit))


def _informative(state: State) -> Plan:
    if enough_played(state) and reached(state.posterior.forecast, state.settings.goal):
        return Plan(reason=reached_reason(state))
    if state.settings.group_size == AUTO and not state.rounds:
        return Plan(pairings=pilot_round(state, budget_left(state).texts or 2 * (state.settings.budget or 0)))
    size = group_size(state)
    return _pairs(state) if size == 2 else Plan(pairings=lineups(state, size))


def _pairs(state: State) -> Plan:
    pairs = next_pairs(state, turn=len(state.rounds) + 1)
    if not pairs:
        return Plan(reason="every pair has been asked in both orders")
    orders = alternating_orders(state.settings.comparison_rounds)
    return Plan(pairings=tuple(Pairing(a=first, b=second, orders=orders) for first, second in pairs))


def next_pairs(state: State, *, turn: int, waiting: Iterable[tuple[str, str]] = ()) -> tuple[tuple[str, str], ...]:
    """The pairs that tell most as things stand, first and second in the order of presentation; none when all is asked.

    Args:
        state: Where the tournament is.
        turn: Seeds the choice between equals, with the seed of the tournament.
        waiting: Pairs that were shown to somebody and are not answered yet.
    """
    rng = np.random.default_rng([state.settings.seed, turn])
    ids, index = state.ids, {id: position for position, id in enumerate(state.ids)}
    presented = [(c.first, c.second) for match in state.played for c in match.comparisons]
    counts = PairHistory.of(len(index), ((index[first], index[second]) for first, second in (*presented, *waiting)))
    pairs = informative.plan(
        state.posterior.fit.strength,
        state.posterior.draws,
        counts,
        state.settings.goal,
        audit_share=state.settings.audit_share,
        rng=rng,
    )
    return tuple((ids[first], ids[second]) for first, second in pairs)


def enough_played(state: State) -> bool:
    """Whether every item was told from two others, so that the forecast rests on evidence and not on the prior."""
    opponents: dict[str, set[str]] = {id: set() for id in state.ids}
    for match in state.matches:
        if match.outcome is not Outcome.VOID:
            for item in match.items:
                opponents[item].update(other for other in match.items if other != item)
    return min(map(len, opponents.values())) >= min(2, len(opponents) - 1)


def reached_reason(state: State) -> str:
    """The forecast that ended the tournament, in words."""
    forecast, goal = state.posterior.forecast, state.settings.goal
    if goal.aim is Aim.WINNER:
        what = f"the one on top is the best with probability {forecast.p_best:.3f}"
    elif goal.aim is Aim.TOP:
        what = f"{forecast.recall:.1%} of the true top {forecast.top} are expected among the first {forecast.top}"
    elif goal.aim is Aim.ORDER:
        what = f"a Kendall tau of {forecast.tau:.3f} with the true order is expected"
    else:
        what = f"tau {forecast.tau:.3f} and {forecast.recall:.1%} of the true top {forecast.top} are expected"
    return f"{what}; {goal.confidence:g} was asked for"


def _swiss(state: State) -> Plan:
    rng = random.Random(f"swiss {state.settings.seed} {len(state.rounds) + 1}")  # noqa: S311 - a shuffle, not a secret
    following = swiss.next_round(
        state.ids,
        state.matches,
        elimination_count=state.settings.elimination_count,
        draws=state.settings.draws,
        comparison_rounds=state.settings.comparison_rounds,
        rng=rng,
    )
    return Plan(pairings=following.pairings, reason=following.reason)


def _round_robin(state: State) -> Plan:
    rng = random.Random(f"round robin {state.settings.seed}")  # noqa: S311 - a shuffle, not a secret
    rounds = round_robin.rounds(state.ids, comparison_rounds=state.settings.comparison_rounds, rng=rng)
    every = (pairing for past in state.rounds for pairing in past.pairings if isinstance(pairing, Pairing))
    planned = {pairing.key: pairing for pairing in every}
    # Rounds are planned in their order and may be cut short by the budget, so what was planned is where they begin.
    done, offset = divmod(len(planned), len(state.ids) // 2)
    if done < len(rounds):
        return Plan(pairings=rounds[done][offset:])
    played_pairs = {Pairing(a=match.a, b=match.b).key for match in state.played}
    remaining = tuple(pairing for key, pairing in planned.items() if key not in played_pairs)
    return Plan(pairings=remaining, reason="" if remaining else "everyone has met everyone")


_POLICIES: dict[str, Callable[[State], Plan]] = {
    "informative": _informative,
    "swiss": _swiss,
    "round-robin": _round_robin,
    "weighted": weighted_plan,
}
