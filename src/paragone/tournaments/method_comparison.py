"""``fit_methods``: the same votes under several methods, how far these agree, and what explains the rest."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Unpack

import numpy as np

from paragone.analysis.progress.convergence import kendall, spearman
from paragone.domain import Board, RatingConfig
from paragone.domain.method_comparison import ComparedMethod, MethodComparison, MovedItem, ScoredItem
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig
from paragone.intake.tool_exports import export_options
from paragone.intake.vote import VoteOptions
from paragone.intake.vote_arrays import VoteArrays
from paragone.intake.votes import read_votes
from paragone.ratings.elo_arrays import replay_arrays
from paragone.ratings.other_methods import OTHER_METHODS, Floats, Games, Ints, ScoreMethod
from paragone.tournaments.fit_extras import FitFields
from paragone.tournaments.recorded_votes import fit

BT, ELO = "bt", "elo"
METHODS = (BT, ELO, *OTHER_METHODS)
"""Names of all methods."""
_MOST_MOVED = 10
_FEW = 0.5
"""Of the median number of matches: below it, they are few."""
_FAR = 0.75
"""Standard deviations: as far from the mean of all items, an item's opponents or its form stand out."""
_DIGITS = 9
_CONFIG = RatingConfig()


def fit_methods(
    votes: object,
    methods: Sequence[str] = METHODS,
    *,
    options: VoteOptions | None = None,
    seed: int = 0,
    config: RatingConfig = _CONFIG,
    **fields: Unpack[FitFields],
) -> MethodComparison:
    """Score votes by several methods side by side.

    Each vote is between two items: no format that is read has teams, and where an id stands for a team, the team is
    rated as one player. A probability in place of a result counts as a win of the likelier side for those methods that
    know wins and ties alone.

    Args:
        votes: As for ``fit``.
        methods: Two or more of ``bt`` (the strength of the board), ``elo`` (the running Elo), ``winrate``,
            ``pagerank``, ``eigenvector``, ``newman``, ``glicko2``, ``trueskill`` and ``openskill``. Differences are
            explained against the first.
        options: How to read the votes and what to take them for in ``bt``.
        seed: Seeds the draws of ``bt``.
        config: How ``elo`` moves.
        fields: As for ``fit``.

    Raises:
        InvalidConfig: If a method is unknown, is named twice, or stands alone.
        MissingExtra: If the package of a method is not installed.
        UsageError: As for ``fit``.
    """
    chosen = _checked(methods)
    options = export_options(votes, options or VoteOptions())
    names = options.__dataclass_fields__
    read = read_votes(votes, options=options, **{name: value for name, value in fields.items() if name in names})  # type: ignore[arg-type] # of the fields of options
    board = fit(read, options=options, seed=seed, config=config, **fields)
    played = _Played.of(VoteArrays.of(read), board, config)
    return _compared(played, board, chosen)


def _checked(methods: Sequence[str]) -> tuple[str, ...]:
    listed = ", ".join(METHODS)
    for method in methods:
        if method not in METHODS:
            raise InvalidConfig(f"no method is called {method!r}{did_you_mean(method, METHODS)}; there are {listed}")
    if len(set(methods)) < max(2, len(methods)):
        raise InvalidConfig(f"methods are compared with one another: name two or more, each once, of {listed}")
    return tuple(methods)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Played:
    """The votes of a board in the order of play, by the index of its rows.

    Attributes:
        ids: The items, best first.
        strength: Their strengths, in Elo points.
        games: The votes.
        config: How the running Elo moves.
    """

    ids: tuple[str, ...]
    strength: Floats
    games: Games
    config: RatingConfig

    @classmethod
    def of(cls, votes: VoteArrays, board: Board, config: RatingConfig) -> "_Played":
        ids = tuple(row.id for row in board.items)
        index = {id: at for at, id in enumerate(ids)}
        rows = np.array([index[name] for name in votes.names], np.int64)
        games = Games(first=rows[votes.a], second=rows[votes.b], score=votes.score, weight=votes.weight, items=len(ids))
        return cls(ids=ids, strength=np.array([row.rating for row in board.items]), games=games, config=config)

    def elo(self, games: Games) -> Floats:
        """The running Elo."""
        return replay_arrays(games.first, games.second, games.score, None, games.items, self.config)

    @cached_property
    def matches(self) -> Ints:
        """Votes that each item is in, shape (items,)."""
        return self._sums(np.ones_like(self.games.score), np.ones_like(self.games.score)).astype(np.int64)

    @cached_property
    def opponents(self) -> Floats:
        """Mean strength of those that each item met, shape (items,); its own for an item without votes."""
        games = self.games
        total = self._sums(self.strength[games.second], self.strength[games.first])
        return np.where(self.matches > 0, total / np.maximum(self.matches, 1), self.strength)

    @cached_property
    def form(self) -> Floats:
        """How much better each item scored in its later half of votes than before, beyond what strengths say."""
        games = self.games
        gap = (self.strength[games.first] - self.strength[games.second]) / 400.0
        surplus = games.score - 1.0 / (1.0 + 10.0 ** -np.clip(gap, -10.0, 10.0))
        form = np.zeros(len(self.ids))
        for item in range(len(self.ids)):
            rows = np.flatnonzero((games.first == item) | (games.second == item))
            own = np.where(games.first[rows] == item, surplus[rows], -surplus[rows])
            half = own.size // 2
            if half:
                form[item] = own[-half:].mean() - own[:half].mean()
        return form

    def _sums(self, of_first: Floats, of_second: Floats) -> Floats:
        games, count = self.games, len(self.ids)
        sums = np.bincount(games.first, of_first, count) + np.bincount(games.second, of_second, count)
        return sums.astype(np.float64)


def _compared(played: _Played, board: Board, methods: tuple[str, ...]) -> MethodComparison:
    scores, notes = _scores(played, methods)
    alike = {name: notes[name] for name in methods if not np.ptp(_ranks(scores[name]))}
    methods = _without(methods, alike)
    ranks = {name: _ranks(scores[name]) for name in methods}
    backwards = _backwards(played, methods)
    items = tuple(
        ScoredItem(
            id=id,
            matches=int(played.matches[at]),
            opponents=float(played.opponents[at]),
            ranks={name: int(ranks[name][at]) for name in methods},
            scores={name: float(scores[name][at]) for name in methods},
        )
        for at, id in enumerate(played.ids)
    )
    items = tuple(sorted(items, key=lambda item: item.ranks[methods[0]]))
    return MethodComparison(
        methods=tuple(_method(name, notes[name], played, ranks, methods[0]) for name in methods),
        items=items,
        agreement=tuple(tuple(_agreement(scores[method], scores[other]) for other in methods) for method in methods),
        moved=tuple(_moved(played, items, ranks, backwards)),
        votes=played.games.score.size,
        notes=(*board.notes, *(_alike(name, why) for name, why in alike.items()), *_not_taken(played.games, methods)),
    )


def _without(methods: tuple[str, ...], alike: Mapping[str, str]) -> tuple[str, ...]:
    """The methods that tell items apart; all of them if fewer than two do."""
    telling = tuple(name for name in methods if name not in alike)
    return telling if len(telling) > 1 else methods


def _alike(name: str, why: str) -> str:
    return f"{name} scores all items alike and ranks none" + (f": {why}" if why else "")


def _scores(played: _Played, methods: Sequence[str]) -> tuple[Mapping[str, Floats], Mapping[str, str]]:
    scores: dict[str, Floats] = {}
    notes = dict.fromkeys(methods, "")
    for name in methods:
        if name == BT:
            scores[name] = played.strength
        elif name == ELO:
            scores[name] = played.elo(played.games)
        else:
            scores[name], notes[name] = OTHER_METHODS[name].score(played.games)
    return scores, notes


def _backwards(played: _Played, methods: Sequence[str]) -> Mapping[str, Ints]:
    """Ranks by the methods in which the order of play counts, if the last vote had come first."""
    games = played.games.backwards
    return {
        name: _ranks(played.elo(games) if name == ELO else OTHER_METHODS[name].score(games)[0])
        for name in methods
        if _in_order(name)
    }


def _in_order(name: str) -> bool:
    return name == ELO or (name in OTHER_METHODS and OTHER_METHODS[name].in_order)


def _ranks(scores: Floats) -> Ints:
    """Ranks from 1, best first. Scores that differ in their last digits, as between processors, are equal."""
    spread = float(np.ptp(scores)) or 1.0
    falling = -np.round(scores / spread, _DIGITS)
    ranks: Ints = np.searchsorted(np.sort(falling), falling) + 1
    return ranks


def _agreement(first: Floats, second: Floats) -> float | None:
    tau = float(kendall(-_ranks(first).astype(np.float64), -_ranks(second).astype(np.float64)))
    return tau if math.isfinite(tau) else None


def _method(name: str, note: str, played: _Played, ranks: Mapping[str, Ints], first: str) -> ComparedMethod:
    own = {BT: "strength of the board", ELO: "running Elo"}
    method: ScoreMethod | None = OTHER_METHODS.get(name)
    gain = ranks[first] - ranks[name]
    causes = {"opponents": played.opponents, "matches": played.matches.astype(np.float64), "form": played.form}
    return ComparedMethod(
        name=name,
        title=own[name] if method is None else method.title,
        by=f"paragone {version('paragone')}" if method is None else f"{method.package} {version(method.package)}",
        in_order=_in_order(name),
        note=note,
        explained={} if name == first else {cause: _correlation(gain, values) for cause, values in causes.items()},
    )


def _correlation(gain: Ints, cause: Floats) -> float | None:
    if np.ptp(gain) == 0 or np.ptp(cause) == 0.0:
        return None
    return float(spearman(gain.astype(np.float64), cause))


def _moved(
    played: _Played, items: Sequence[ScoredItem], ranks: Mapping[str, Ints], backwards: Mapping[str, Ints]
) -> Iterator[MovedItem]:
    index = {id: at for at, id in enumerate(played.ids)}
    order = sorted(items, key=lambda item: -item.moves)
    for item in order[:_MOST_MOVED]:
        if not item.moves:
            return
        highest, lowest = min(item.ranks.values()), max(item.ranks.values())
        yield MovedItem(
            id=item.id,
            highest=highest,
            lowest=lowest,
            above=tuple(name for name, rank in item.ranks.items() if rank == highest),
            below=tuple(name for name, rank in item.ranks.items() if rank == lowest),
            reasons=tuple(_reasons(played, index[item.id], ranks, backwards)),
        )


def _reasons(played: _Played, at: int, ranks: Mapping[str, Ints], backwards: Mapping[str, Ints]) -> Iterator[str]:
    matches, median = int(played.matches[at]), float(np.median(played.matches))
    if matches < _FEW * median:
        yield f"few matches: {matches}, where half of the items have {median:g} or more"
    distance = played.opponents[at] - played.opponents.mean()
    if abs(distance) > _FAR * played.strength.std():
        yield (
            f"{'stronger' if distance > 0 else 'weaker'} opponents: {played.opponents[at]:.0f} on average, where items "
            f"meet {played.opponents.mean():.0f}"
        )
    for name, reversed_ranks in backwards.items():
        forward, back = int(ranks[name][at]), int(reversed_ranks[at])
        if abs(forward - back) > 1:
            yield f"order of play: {name} has it at {forward}, and at {back} with the votes in reverse"


def _not_taken(games: Games, methods: Sequence[str]) -> Iterator[str]:
    """What not all of the methods take of the votes."""
    if np.any(games.weight != 1.0):
        names = [name for name in methods if name == ELO or (name in OTHER_METHODS and not OTHER_METHODS[name].weighs)]
        if names:
            yield f"weights do not count in {', '.join(names)}"
    soft = np.count_nonzero(~np.isin(games.score, (0.0, 0.5, 1.0)))
    names = [name for name in methods if name in OTHER_METHODS and name != "glicko2"]
    if soft and names:
        yield f"{soft:,} probabilities count as wins of the likelier side in {', '.join(names)}"
