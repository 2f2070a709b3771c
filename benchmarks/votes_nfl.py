"""American football since 1920: a published rule reproduced, and what its parts are worth.

FiveThirtyEight's rule, in the terms of this package: K 20; 65 points for the team at home, none on neutral ground; the
margin of victory as a factor on K; a third of the way back to 1505 between seasons. Eleven ratings at the start of a
season were set by hand in the published program, and are set here in the same places. The home team is named first.
"""

import csv
import gzip
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from rating_table import Table
from real_data import folder

from paragone.domain import Match, Outcome, Rating, RatingChange, RatingConfig
from paragone.ratings import Conditions, EloRule, MarginOfVictory, Reversion, replay

CONFIG = RatingConfig(initial=1500.0, k=20.0)
HOME = EloRule(advantage=65.0)
MARGIN = replace(HOME, margin=MarginOfVictory())
PUBLISHED = replace(MARGIN, reversion=Reversion(mean=1505.0, share=1 / 3))
RULES = {
    "K 20 alone": EloRule(),
    "and 65 points at home": HOME,
    "and the margin of victory": MARGIN,
    "and back to the mean: the published rule": PUBLISHED,
}
SET_BY_HAND = {
    "1925": {"CBD": 1502.032},
    "1926": {"RAC": 1403.384, "LOU": 1307.201},
    "1927": {"CIB": 1362.919},
    "1929": {"MNN": 1306.702, "BFF": 1331.943},
    "1944": {"LAR": 1373.977, "PHI": 1497.988},
    "1945": {"ARI": 1353.939, "PIT": 1353.939},
    "1999": {"CLE": 1300.0},
}
OUTCOMES = {"1.0": Outcome.A, "0.5": Outcome.DRAW, "0.0": Outcome.B}


@dataclass(frozen=True, kw_only=True)
class Games:
    """The games in the order of play, as matches and as the columns that they are measured against.

    Attributes:
        matches: By season, the home team first.
        conditions: Of each match: neutral ground, margin, season.
        start: Ratings of the teams before their first game.
        score: Score of the first, shape (games,).
        published: The published probability of the first; a tie counts as half a win.
        season: The year.
    """

    matches: dict[str, list[Match]]
    conditions: dict[str, Conditions]
    start: dict[str, Rating]
    score: np.ndarray
    published: np.ndarray
    season: np.ndarray

    @classmethod
    def read(cls) -> "Games":
        place = folder("nfl_elo")
        with gzip.open(place / "games.csv.gz", "rt", newline="") as file:
            rows = list(csv.DictReader(file))
        with (place / "initial_elos.csv").open(newline="") as file:
            start = {row["team"]: Rating(item=row["team"], elo=float(row["elo"])) for row in csv.DictReader(file)}
        matches = [
            Match(id=str(number), a=row["team1"], b=row["team2"], outcome=OUTCOMES[row["result1"]])
            for number, row in enumerate(rows)
        ]
        seasons = groupby(zip(rows, matches, strict=True), key=lambda pair: pair[0]["season"])
        return cls(
            matches={season: [match for _, match in pairs] for season, pairs in seasons},
            conditions={str(number): _conditions(row) for number, row in enumerate(rows)},
            start=start,
            score=np.array([float(row["result1"]) for row in rows]),
            published=np.array([float(row["elo_prob1"]) for row in rows]),
            season=np.array([int(row["season"]) for row in rows]),
        )


def _conditions(row: dict[str, str]) -> Conditions:
    margin = abs(float(row["score1"]) - float(row["score2"]))
    return Conditions(neutral=row["neutral"] == "1", margin=margin, period=row["season"])


def expected(games: Games, rule: EloRule) -> np.ndarray:
    """The probability that the first wins, before each game, shape (games,)."""
    return np.array([change.expected for change in list(_changes(games, rule))[::2]])


def _changes(games: Games, rule: EloRule) -> Iterator[RatingChange]:
    ratings, periods = games.start, {}
    for season, matches in games.matches.items():
        if rule.reversion is not None:
            for team, elo in SET_BY_HAND.get(season, {}).items():
                ratings[team], periods[team] = replace(ratings[team], elo=elo), season
        played = replay(matches, CONFIG, start=ratings, periods=periods, rule=rule, conditions=games.conditions)
        ratings, periods = played.ratings, played.periods
        yield from played.changes


def nfl(quick: bool) -> list[Table]:  # noqa: ARG001 - it takes seconds
    """Each part of the rule added in turn, beside the published probabilities."""
    games, rows = Games.read(), []
    modern = games.season >= 1970
    for name, rule in RULES.items():
        start = time.process_time()
        found = expected(games, rule)
        seconds = time.process_time() - start
        away = float(np.abs(found - games.published).max())
        rows.append([name, *_quality(found, games.score), *_quality(found[modern], games.score[modern]), away, seconds])
    published = games.published
    rows.append(
        ["published", *_quality(published, games.score), *_quality(published[modern], games.score[modern]), 0.0, None]
    )
    columns = ("rule", *(f"{what}, {when}" for when in ("all", "since 1970") for what in ("accuracy", "log loss")))
    references = json.loads((folder("nfl_elo") / "REFS.json").read_text())
    promised = references["replay_max_abs_diff_elo_prob1"]
    return [
        Table(
            title=f"{games.score.size:,} games of American football, 1920-2021",
            columns=(*columns, "largest difference to the published", "CPU s"),
            rows=rows,
            notes=(
                f"The published probabilities have six digits; a replay of the program itself differs by {promised}.",
            ),
        )
    ]


def _quality(probability: np.ndarray, score: np.ndarray) -> tuple[float, float]:
    """Accuracy of the games that were decided, and log loss of all, a tie as half of each."""
    decided = score != 0.5
    right = np.where(probability == 0.5, 0.5, (probability > 0.5) == (score == 1.0))[decided]
    loss = score * np.log(probability) + (1 - score) * np.log1p(-probability)
    return float(right.mean()), -math.fsum(loss) / loss.size
