"""The informative policy: the comparisons that tell most about the ranking asked for, until that is settled.

Also how many items go into one call, and which, where the judge orders lists.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache

import numpy as np

from paragone.domain import Comparison, Lineup, Order, Pairing, Planned, Ranking
from paragone.domain.board import ListDecision
from paragone.pairing import gain, groups, informative, pilot
from paragone.pairing.pilot import Noise
from paragone.pairing.presentation import PairHistory, alternating_orders
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence, list_judge
from paragone.ratings.fit_types import Fit, FitOptions
from paragone.tournaments.planning.carried_posterior import CarriedPosterior
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.planning.stopping import budget_left, is_settled, reached_reason
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import AUTO, CALLS_PER_ITEM, TournamentSettings

PILOT_ROUND = 1
"""With a length to be chosen, the first round is the pilot."""


def plan(state: TournamentState) -> Plan:
    """The next batch of pairs or lists, unless the ranking asked for is settled."""
    if is_settled(state):
        return Plan(reason=reached_reason(state))
    if state.settings.group_size == AUTO and not state.rounds:
        return Plan(pairings=pilot_round(state, budget_left(state).texts or 2 * (state.settings.budget or 0)))
    chosen = list_decision(state)
    size = group_size(state) if chosen is None else chosen.size
    following = _pairs(state) if size == 2 else Plan(pairings=lineups(state, size))
    if chosen is None or len(state.rounds) > PILOT_ROUND or not following.pairings:
        return following
    return replace(following, notes={"lists": asdict(chosen), "words": decision_in_words(state, chosen)})


def most_comparisons(settings: TournamentSettings, items: int, rounds: int) -> int:  # noqa: ARG001 - as all policies
    """Every pair in both orders; of lists as many as the budget allows."""
    return items * (items - 1) if settings.group_size == 2 else settings.budget or CALLS_PER_ITEM * items


def _pairs(state: TournamentState) -> Plan:
    pairs = _of_most_gain(state) or next_pairs(state, turn=len(state.rounds) + 1)
    if not pairs:
        return Plan(reason="every pair has been asked in both orders")
    orders = alternating_orders(state.settings.comparison_rounds)
    return Plan(pairings=tuple(Pairing(a=first, b=second, orders=orders) for first, second in pairs))


def _of_most_gain(state: TournamentState) -> tuple[tuple[str, str], ...]:
    """The next pairs: those that lower the risk of a wrong ranking most.

    None in pools that are too large for it.
    """
    fitted, settings = state.posterior.fit, state.settings
    carried = CarriedPosterior.of(fitted, dense=gain.MOST_ITEMS)
    if carried.covariance.ndim != 2 or not state.rounds:
        return ()
    ids, index = state.ids, {id: position for position, id in enumerate(state.ids)}
    presented = ((c.first, c.second) for match in state.played for c in match.comparisons)
    size = informative.batch_size(len(ids), settings.goal)
    far = gain.FAR_SHARE if fitted.no_signal > gain.DOUBT else 0.0
    pairs = gain.next_batch(
        carried.mean,
        carried.covariance,
        PairHistory.of(len(ids), ((index[first], index[second]) for first, second in presented)),
        settings.goal,
        size=size,
        audit_share=settings.audit_share,
        far=round(size * far),
        focus=round(size * (1.0 - far) * gain.FOCUS_SHARE[settings.goal.aim]),
        rng=np.random.default_rng([settings.seed, len(state.rounds) + 1]),
    )
    return tuple((ids[first], ids[second]) for first, second in pairs)


def next_pairs(
    state: TournamentState, *, turn: int, waiting: Iterable[tuple[str, str]] = (), at_least: int = 0
) -> tuple[tuple[str, str], ...]:
    """The most informative pairs now, in the order of presentation; none once all were asked.

    Args:
        state: The tournament.
        turn: Seeds the choice between equals, with the seed of the tournament.
        waiting: Pairs that were shown and are not answered yet.
        at_least: How many are asked for, if more than a batch; there may be fewer.
    """
    rng = np.random.default_rng([state.settings.seed, turn])
    ids, index = state.ids, {id: position for position, id in enumerate(state.ids)}
    presented = [(c.first, c.second) for match in state.played for c in match.comparisons]
    counts = PairHistory.of(len(index), ((index[first], index[second]) for first, second in (*presented, *waiting)))
    pairs = informative.next_batch(
        state.posterior.fit.strength,
        state.posterior.draws,
        counts,
        state.settings.goal,
        size=max(at_least, informative.batch_size(len(ids), state.settings.goal)),
        audit_share=state.settings.audit_share,
        rng=rng,
    )
    return tuple((ids[first], ids[second]) for first, second in pairs)


def group_size(state: TournamentState) -> int:
    """Items in a call, by the settings or by the pilot; 2 are pairs."""
    chosen = list_decision(state)
    return int(state.settings.group_size) if chosen is None else chosen.size


def list_decision(state: TournamentState) -> ListDecision | None:
    """What the pilot says of lists, by all of it that is answered; None if the number of items in a call was given."""
    if state.settings.group_size != AUTO:
        return None
    piloted = [match for match in state.matches if match.round == PILOT_ROUND]
    answers = [answer for match in piloted for answer in match.answers]
    comparisons = [comparison for match in piloted for comparison in match.comparisons]
    rankings = [match.ranking for match in piloted if match.ranking is not None]
    evidence = Evidence.of(comparisons, state.ids, rankings=rankings)
    noises = _noises(_Piloted(evidence=evidence, content=evidence.content, position=state.position))
    by_length = {len(ranking.shown): noises.get(list_judge(ranking)) for ranking in rankings}
    measured = {size: noise for size, noise in by_length.items() if noise is not None}
    return pilot.decide(measured, overhead=_overhead(state.settings, answers))


@dataclass(frozen=True, kw_only=True)
class _Piloted:
    """What the noise of lists is measured by; equal where all numbers are."""

    evidence: Evidence = field(compare=False)
    content: tuple[object, ...]
    position: bool


# Each plan after a pilot, its board and what is said of both ask for the same measurement.
@lru_cache(8)
def _noises(piloted: _Piloted) -> Mapping[str, Noise]:
    return list_noise(fit(piloted.evidence, FitOptions(position=piloted.position)))


def decision_in_words(state: TournamentState, chosen: ListDecision) -> str:
    """What a pilot found, and what follows."""
    on = "pairs" if chosen.size == 2 else f"lists of {chosen.size}"
    if chosen.best_list is None:
        return f"the pilot tells nothing of lists; {on} from here on"
    measured = any(
        match.round == PILOT_ROUND and _tokens(answer) for match in state.matches for answer in match.answers
    )
    counted = "calls" if state.settings.budget is not None else "tokens" if measured else "texts"
    return (
        f"the pilot: lists of {chosen.best_list} are {chosen.noise:.1f} times as noisy as pairs, take "
        f"{chosen.cost:.1f} times the {counted} of a pair, and tell {chosen.gain:.1f} times as much for them; {on} "
        "from here on"
    )


def list_noise(fitted: Fit) -> dict[str, Noise]:
    """The noise of lists relative to the pairs of the judge with the most pairs, by ``list_judge``.

    Empty without pairs to compare with, or without lists.
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
    """The cost of a call besides its texts: infinite if calls are limited, else by the tokens used."""
    if settings.budget is not None:
        return math.inf
    tokens: defaultdict[int, list[int]] = defaultdict(list)
    for answer in answers:
        if answer.verdict.usage.calls:
            tokens[len(answer.shown)].append(_tokens(answer))
    return pilot.overhead_of({size: sum(counts) / len(counts) for size, counts in tokens.items()})


def _tokens(answer: Comparison | Ranking) -> int:
    usage = answer.verdict.usage
    return (usage.input_tokens + usage.output_tokens) // max(usage.calls, 1)


def pilot_round(state: TournamentState, texts: int) -> tuple[Planned, ...]:
    """The pairs and lists that measure the judge.

    Args:
        state: A tournament before its first round.
        texts: How many texts the budget pays for.
    """
    plan_of_pilot = pilot.pilot(len(state.items), texts, rng=np.random.default_rng([state.settings.seed, PILOT_ROUND]))
    pairs = (Pairing(a=state.ids[a], b=state.ids[b], orders=(Order.AB,)) for a, b in plan_of_pilot.pairs)
    return (*pairs, *_lineups(state, plan_of_pilot.lists))


def lineups(state: TournamentState, size: int) -> tuple[Planned, ...]:
    """The next batch of lists."""
    index = {id: position for position, id in enumerate(state.ids)}
    before = (index[id] for match in state.played for comparison in match.comparisons for id in comparison.shown)
    lists = (tuple(index[id] for id in match.ranking.shown) for match in state.played if match.ranking is not None)
    planned = groups.next_batch(
        state.posterior.fit.strength,
        state.posterior.draws,
        groups.ListHistory.of(len(index), lists, before=before),
        state.settings.goal,
        size=size,
        rng=np.random.default_rng([state.settings.seed, len(state.rounds) + 1]),
    )
    return _lineups(state, planned)


def _lineups(state: TournamentState, lists: Sequence[groups.Group]) -> tuple[Lineup, ...]:
    return tuple(Lineup(items=tuple(state.ids[item] for item in group)) for group in lists)
