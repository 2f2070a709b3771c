"""Why an item is where it is, by the fit: what each match does to its strength, and what one more would do."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from paragone.analysis.quality.outliers import chance_of_result
from paragone.domain import Match, Outcome
from paragone.domain.rounding import POINT_DECIMALS, SHARE_DECIMALS, STRENGTH_DECIMALS, rounded
from paragone.errors import NotConverged
from paragone.ratings.elo import to_elo
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.influence import Influence
from paragone.ratings.intervals import ranks
from paragone.tournaments.posterior import Posterior
from paragone.tournaments.results.quality import prediction
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import counted_matches
from paragone.wire.standing import CarryingMatch, NextResult, OpponentRecord, Standing

MOST_REFITS = 40
"""Matches of an item whose effect is computed: those that pull most."""
MOST = 12
"""Matches that are listed."""
MOST_OPPONENTS = 50
"""Opponents that are listed."""
UPSET = 0.25
"""Chance of a result below which it is an upset."""
_OTHERS_COUNT = "columns of the items or a model's ratings have a part in strengths, so no single match carries them"


def standing_of(state: TournamentState, item: str) -> Standing:
    """Why an item is where it is.

    Args:
        state: The tournament.
        item: Id of the item.

    Raises:
        NotFound: If it is not in the tournament.
    """
    state.require([item])
    posterior, number = state.posterior, state.ids.index(item)
    own = _own_matches(state, item)
    chances = _chances(state) if own else {}
    opponents = _opponents(own.values(), item)
    strength = {id: each.rating for id, each in posterior.strengths.items()}
    alone = posterior.alone
    effects = _Effects.of(state, posterior, number)
    changes = {} if effects is None else _changes(effects, own)
    largest = sorted(changes, key=lambda row: (-abs(changes[row]), row))
    return Standing(
        item=item,
        rating=strength[item],
        rank=posterior.strengths[item].rank,
        matches=len(own),
        carrying=[_line(own[row], item, chances, changes[row]) for row in largest[:MOST]],
        upsets=[_line(own[row], item, chances, changes.get(row)) for row in _upsets(own, chances)],
        opponents=[
            OpponentRecord(
                id=id,
                rating=strength[id],
                wins=opponents[id]["won"],
                losses=opponents[id]["lost"],
                ties=opponents[id]["tie"],
            )
            for id in sorted(opponents, key=lambda each: (-strength[each], each))[:MOST_OPPONENTS]
        ],
        opponents_rating=_mean_met(opponents, strength),
        next=[] if effects is None else _next(effects),
        alone=None if alone is None else alone.strengths[item].rating,
        unknown=_OTHERS_COUNT if effects is None and state.has_evidence else "",
    )


def chance_of_better(state: TournamentState, a: str, b: str) -> float | None:
    """Probability that one item is stronger than another; None before any evidence.

    Args:
        state: The tournament.
        a: Id of the one.
        b: Id of the other.

    Raises:
        NotFound: If one is not in the tournament.
    """
    state.require([a, b])
    if not state.has_evidence:
        return None
    draws, ids = state.posterior.draws, state.ids
    ahead = draws[:, ids.index(a)] - draws[:, ids.index(b)]
    return round(float((ahead > 0).mean() + (ahead == 0).mean() / 2), SHARE_DECIMALS)


@dataclass(frozen=True, kw_only=True)
class _Effects:
    """Effects of single matches on one item.

    Attributes:
        posterior: The posterior.
        number: Number of the item.
        influence: Changes of strengths under other evidence.
        rows: Comparisons of each match of the item, by its number among those played.
        rankings: The same for rankings.
    """

    posterior: Posterior
    number: int
    influence: Influence
    rows: Mapping[int, Ints]
    rankings: Mapping[int, Ints]

    @classmethod
    def of(cls, state: TournamentState, posterior: Posterior, number: int) -> "_Effects | None":
        """The effects of matches, if strengths rest on answers alone."""
        if posterior.effects or posterior.rated or not state.has_evidence:
            return None
        influence, table = Influence(fit=posterior.fit), state.comparison_table
        match = table.match[table.is_evidence]
        evidence = influence.evidence
        if evidence.first.size != match.size:
            return None
        own = np.flatnonzero((evidence.first == number) | (evidence.second == number))
        rows = {played: own[match[own] == played] for played in np.unique(match[own]).tolist()}
        lists = _ranked_matches(state)
        ranked = [row for row, ranking in enumerate(evidence.rankings.tolist()) if number in ranking]
        rankings = {lists[row]: np.array([row]) for row in ranked}
        return cls(posterior=posterior, number=number, influence=influence, rows=rows, rankings=rankings)

    def pulls(self) -> dict[int, float]:
        """By match, how hard it pulls at the item's strength, to the first order."""
        evidence, strength = self.influence.evidence, self.posterior.fit.strength
        expected = 1.0 / (1.0 + np.exp(strength[evidence.second] - strength[evidence.first]))
        pull = evidence.weight * (evidence.score - expected)
        pulls = {match: abs(float(pull[rows].sum())) for match, rows in self.rows.items()}
        return {**pulls, **dict.fromkeys(self.rankings, 1.0)}

    def of_match(self, match: int) -> float:
        """Elo points that the item has by a match."""
        none = np.zeros(0, dtype=np.int64)
        change = self.influence.without(self.rows.get(match, none), self.rankings.get(match))
        return -self._points(change)

    def after(self, *, opponent: int, wins: bool) -> tuple[float, int]:
        """Strength in Elo points and rank of the item after one more answer."""
        sides = (self.number, opponent) if wins else (opponent, self.number)
        change = self.influence.with_win(*sides) * self._direction
        strength = rounded(self.posterior.strength + change, STRENGTH_DECIMALS)
        points = to_elo(float(strength[self.number]), initial=self.posterior.initial)
        return round(points, POINT_DECIMALS), int(ranks(strength)[self.number])

    @property
    def _direction(self) -> float:
        return 1.0 - 2.0 * self.posterior.mirrored

    def _points(self, change: Floats) -> float:
        return round(to_elo(float(change[self.number]) * self._direction, initial=0.0), POINT_DECIMALS)


def _own_matches(state: TournamentState, item: str) -> dict[int, Match]:
    """The matches of an item that count, by their number among those played."""
    played, side = state.played, state.played.items.known(item)
    sides = (played.played.column("a") == side) | (played.played.column("b") == side)
    rows = {
        *np.flatnonzero(sides).tolist(),
        *(row for row, match in played.list_matches.items() if item in match.items),
    }
    counted = counted_matches(played, state.rolled_back)
    matches = {row: played[row] for row in sorted(rows) if counted[row]}
    return {row: match for row, match in matches.items() if match.outcome is not Outcome.VOID}


def _ranked_matches(state: TournamentState) -> list[int]:
    """The number of each ranking's match, in the order of the evidence."""
    return [
        row
        for row, match in sorted(state.played.list_matches.items())
        if match.id not in state.rolled_back and match.ranking is not None and match.ranking.verdict.order
    ]


def _chances(state: TournamentState) -> dict[str, float]:
    predicted = prediction(state)
    return dict(zip(predicted.contests.matches, chance_of_result(predicted).tolist(), strict=True))


def _result(match: Match, item: str) -> str:
    if match.ranking is not None:
        return f"{match.items.index(item) + 1} of {len(match.items)}"
    if match.outcome is Outcome.DRAW:
        return "tie"
    return "won" if (match.outcome is Outcome.A) == (match.a == item) else "lost"


def _opponent(match: Match, item: str) -> str | None:
    if len(match.items) > 2:
        return None
    return match.b if match.a == item else match.a


def _opponents(matches: Iterable[Match], item: str) -> dict[str, Counter[str]]:
    opponents: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for match in matches:
        opponent = _opponent(match, item)
        if opponent is not None:
            opponents[opponent][_result(match, item)] += 1
    return opponents


def _mean_met(opponents: Mapping[str, Counter[str]], strength: Mapping[str, float]) -> float | None:
    """Mean strength of opponents, each as often as it was met."""
    strengths = [strength[id] for id, record in opponents.items() for _ in range(record.total())]
    return round(sum(strengths) / len(strengths), POINT_DECIMALS) if strengths else None


def _changes(effects: _Effects, own: Collection[int]) -> dict[int, float]:
    """What the matches that pull most at an item do to its strength, by their number among those played."""
    pulls = effects.pulls()
    hardest = sorted((row for row in pulls if row in own), key=lambda row: (-pulls[row], row))[:MOST_REFITS]
    try:
        return {row: effects.of_match(row) for row in hardest}
    except NotConverged:
        return {}


def _line(match: Match, item: str, chances: Mapping[str, float], change: float | None) -> CarryingMatch:
    chance = chances.get(match.id)
    return CarryingMatch(
        match=match.id,
        opponent=_opponent(match, item),
        result=_result(match, item),
        change=change,
        chance=None if chance is None else round(chance, SHARE_DECIMALS),
    )


def _upsets(own: Mapping[int, Match], chances: Mapping[str, float]) -> list[int]:
    """The matches of an item whose result was improbable."""
    chance = {row: chances.get(match.id, 1.0) for row, match in own.items()}
    return sorted((row for row in own if chance[row] < UPSET), key=lambda row: (chance[row], row))[:MOST]


def _next(effects: _Effects) -> list[NextResult]:
    """One more win and one more loss, against the next above and the next below on the board."""
    posterior = effects.posterior
    order = np.argsort(-posterior.strength, kind="stable")
    at = int(np.flatnonzero(order == effects.number)[0])
    beside = [int(order[rank]) for rank in (at - 1, at + 1) if 0 <= rank < order.size]
    try:
        cases = [(opponent, wins) for opponent in beside for wins in (True, False)]
        results = [(opponent, wins, effects.after(opponent=opponent, wins=wins)) for opponent, wins in cases]
    except NotConverged:
        return []
    return [
        NextResult(opponent=posterior.ids[opponent], result="won" if wins else "lost", rating=rating, rank=rank)
        for opponent, wins, (rating, rank) in results
    ]
