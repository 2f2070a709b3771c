"""Other scores of the same votes, from the libraries that do them well, so that they can stand side by side.

Each takes votes in the order of play and gives a score an item, higher is better. The libraries come with the extra
``methods`` and are imported when they are used.

Sources: the documentation of evalica (average win rate, eigenvector, PageRank, Newman); Glickman, "Example of the
Glicko-2 system", by the package glicko2; Herbrich, Minka and Graepel, "TrueSkill" (2007), by the package trueskill;
Weng and Lin, JMLR 12 (2011), by the package openskill.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from paragone import extras

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

GAMES_A_PERIOD = 10
"""Games an item plays on average in a rating period of Glicko-2; its author recommends ten to fifteen."""
_TOLERANCE, _MOST_STEPS = 1e-10, 10_000


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Games:
    """Votes in the order of play.

    Attributes:
        first: Index of one item of each vote, shape (votes,).
        second: Index of the other.
        score: Score of the first in [0, 1].
        weight: How much each counts.
        items: How many items there are.
    """

    first: Ints
    second: Ints
    score: Floats
    weight: Floats
    items: int

    @property
    def backwards(self) -> "Games":
        """The same votes, the last one first."""
        return replace(
            self, first=self.first[::-1], second=self.second[::-1], score=self.score[::-1], weight=self.weight[::-1]
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreMethod:
    """A way to score items by votes.

    Attributes:
        name: Its name, as for ``--methods``.
        title: What it is, in words.
        package: The package that computes it.
        in_order: Whether the order of play counts.
        weighs: Whether it takes weights.
        score: Scores by votes, shape (items,), and a note on how they were come by; empty for none.
    """

    name: str
    title: str
    package: str
    in_order: bool
    weighs: bool
    score: Callable[[Games], tuple[Floats, str]]


def _library(name: str) -> ModuleType:
    with extras.importing("this score needs", name):
        return import_module(name)


def _evalica(name: str, games: Games) -> tuple[Floats, str]:
    evalica = _library("evalica")
    x, y, draw = evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw
    winners = [x if score > 0.5 else y if score < 0.5 else draw for score in games.score.tolist()]
    options: dict[str, Any] = {"index": _index(games.items), "weights": games.weight.tolist()}
    if name != "average_win_rate":  # its compiled solver does not say whether it has arrived
        options |= {"tolerance": _TOLERANCE, "limit": _MOST_STEPS, "solver": "naive"}
    sides = (games.first.tolist(), games.second.tolist())
    if name == "eigen":  # it rates highest who loses to many; the other way round it is who beats many
        sides = sides[::-1]
    result = getattr(evalica, name)(*sides, winners, **options)
    scores = result.scores.reindex(range(games.items)).fillna(0.0).to_numpy(dtype=np.float64)
    steps = getattr(result, "iterations", 0)
    no_end = f"no fixed point after {steps:,} steps, as where an item won or lost every time"
    return scores, no_end if steps >= _MOST_STEPS else ""


def _index(items: int) -> Any:  # noqa: ANN401 - of pandas, which evalica needs
    return import_module("pandas").Index(range(items))


def _glicko2(games: Games) -> tuple[Floats, str]:
    """Ratings, in periods of about ten games an item; within one the order does not count."""
    player = _library("glicko2").Player
    players = [player() for _ in range(games.items)]
    periods = max(1, round(2 * games.score.size / (GAMES_A_PERIOD * games.items)))
    for rows in np.array_split(np.arange(games.score.size), periods):
        games_of: list[tuple[list[float], list[float], list[float]]] = [([], [], []) for _ in players]
        triples = zip(games.first[rows].tolist(), games.second[rows].tolist(), games.score[rows].tolist(), strict=True)
        for a, b, score in triples:
            for item, other, result in ((a, b, score), (b, a, 1.0 - score)):
                for values, value in zip(
                    games_of[item], (players[other].rating, players[other].rd, result), strict=True
                ):
                    values.append(value)
        for each, (ratings, deviations, results) in zip(players, games_of, strict=True):
            if results:
                each.update_player(ratings, deviations, results)
            else:
                each.did_not_compete()
    periods_in_words = "1 rating period" if periods == 1 else f"{periods} rating periods"
    return np.array([each.rating for each in players]), periods_in_words


def _trueskill(games: Games) -> tuple[Floats, str]:
    draws = float(np.mean(games.score == 0.5))
    trueskill = _library("trueskill")
    environment = trueskill.TrueSkill(draw_probability=min(draws, 0.9))
    ratings = [environment.create_rating() for _ in range(games.items)]
    for a, b, score in _decided(games):
        winner, loser = (a, b) if score >= 0.5 else (b, a)
        ratings[winner], ratings[loser] = trueskill.rate_1vs1(
            ratings[winner], ratings[loser], drawn=score == 0.5, env=environment
        )
    return np.array([environment.expose(rating) for rating in ratings]), "mean less three standard deviations"


def _openskill(games: Games) -> tuple[Floats, str]:
    model = _library("openskill.models").PlackettLuce()
    ratings = [model.rating() for _ in range(games.items)]
    for a, b, score in _decided(games):
        ranks = [0, 0] if score == 0.5 else [0, 1] if score > 0.5 else [1, 0]
        (ratings[a],), (ratings[b],) = model.rate([[ratings[a]], [ratings[b]]], ranks=ranks)
    return np.array([rating.ordinal() for rating in ratings]), "mean less three standard deviations"


def _decided(games: Games) -> "zip[tuple[int, int, float]]":
    return zip(games.first.tolist(), games.second.tolist(), games.score.tolist(), strict=True)


def _of_evalica(name: str, function: str, title: str) -> ScoreMethod:
    score = partial(_evalica, function)
    return ScoreMethod(name=name, title=title, package="evalica", in_order=False, weighs=True, score=score)


def _of_play(name: str, title: str, score: Callable[[Games], tuple[Floats, str]]) -> ScoreMethod:
    return ScoreMethod(name=name, title=title, package=name, in_order=True, weighs=False, score=score)


OTHER_METHODS: Mapping[str, ScoreMethod] = {
    method.name: method
    for method in (
        _of_evalica("winrate", "average_win_rate", "average win rate over opponents"),
        _of_evalica("pagerank", "pagerank", "PageRank of the graph of wins"),
        _of_evalica("eigenvector", "eigen", "eigenvector of the matrix of wins"),
        _of_evalica("newman", "newman", "Bradley-Terry with ties, by Newman's iteration"),
        _of_play("glicko2", "Glicko-2", _glicko2),
        _of_play("trueskill", "TrueSkill", _trueskill),
        _of_play("openskill", "OpenSkill (Plackett-Luce)", _openskill),
    )
}
"""Methods that paragone does not compute itself, by name."""
