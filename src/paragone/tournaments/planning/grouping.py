"""How many items go into one call, and which: the schedule of tournaments whose judge orders lists."""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from paragone.domain import Comparison, Lineup, Order, Pairing, Planned, Ranking
from paragone.pairing import groups, pilot
from paragone.pairing.pilot import Noise
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence, list_judge
from paragone.ratings.fitted import Fit, FitOptions
from paragone.tournaments.brief import AUTO, Brief
from paragone.tournaments.state import State

PILOT_ROUND = 1
"""With a length to be chosen, the first round is the pilot."""


def group_size(state: State) -> int:
    """Items in a call: what the brief says, or what the pilot says; 2 are pairs."""
    if state.brief.group_size != AUTO:
        return int(state.brief.group_size)
    piloted = [match for match in state.matches if match.round == PILOT_ROUND]
    answers = [answer for match in piloted for answer in match.answers]
    comparisons = [comparison for match in piloted for comparison in match.comparisons]
    rankings = [match.ranking for match in piloted if match.ranking is not None]
    evidence = Evidence.of(comparisons, state.ids, rankings=rankings)
    noises = list_noise(fit(evidence, FitOptions(position=state.position)))
    by_length = {len(ranking.shown): noises.get(list_judge(ranking)) for ranking in rankings}
    measured = {size: noise for size, noise in by_length.items() if noise is not None}
    return pilot.choose(measured, overhead=_overhead(state.brief, answers))


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


def _overhead(brief: Brief, answers: Sequence[Comparison | Ranking]) -> float:
    """What a call costs besides its texts: all there is where calls are limited, else what the tokens say."""
    if brief.budget is not None:
        return math.inf
    tokens: defaultdict[int, list[int]] = defaultdict(list)
    for answer in answers:
        usage = answer.verdict.usage
        if usage.calls:
            tokens[len(answer.shown)].append((usage.input_tokens + usage.output_tokens) // usage.calls)
    return pilot.overhead_of({size: sum(taken) / len(taken) for size, taken in tokens.items()})


def pilot_round(state: State, texts: int) -> tuple[Planned, ...]:
    """The pairs and lists that measure the judge.

    Args:
        state: A tournament of which nothing was played.
        texts: How many texts the budget shows.
    """
    asked = pilot.pilot(len(state.items), texts, rng=np.random.default_rng([state.brief.seed, PILOT_ROUND]))
    pairs = (Pairing(a=state.ids[a], b=state.ids[b], orders=(Order.AB,)) for a, b in asked.pairs)
    return (*pairs, *_lineups(state, asked.lists))


def lineups(state: State, size: int) -> tuple[Planned, ...]:
    """The next batch of lists."""
    index = {id: place for place, id in enumerate(state.ids)}
    before = (index[id] for match in state.played for comparison in match.comparisons for id in comparison.shown)
    lists = (tuple(index[id] for id in match.ranking.shown) for match in state.played if match.ranking is not None)
    planned = groups.plan(
        state.standing.fit.strength,
        state.standing.draws,
        groups.ListHistory.of(len(index), lists, before=before),
        state.brief.goal,
        size=size,
        rng=np.random.default_rng([state.brief.seed, len(state.rounds) + 1]),
    )
    return _lineups(state, planned)


def _lineups(state: State, lists: Sequence[groups.Group]) -> tuple[Lineup, ...]:
    return tuple(Lineup(items=tuple(state.ids[item] for item in group)) for group in lists)
