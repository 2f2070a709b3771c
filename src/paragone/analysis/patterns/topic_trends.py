"""How topics fare over the rounds, and which of the criteria that judges score decide who wins."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from paragone.analysis.patterns.decided_matches import DecidedMatch
from paragone.analysis.patterns.mixed_model import regress
from paragone.analysis.quality.forecast_quality import wilson
from paragone.wire.pattern import CriterionWeight


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicTrend:
    """How a topic fares, round by round.

    Attributes:
        topic: Its typical words.
        items: Its items that played.
        share: Share of all sides of matches that are its.
        share_early: The same in the first half of the matches.
        share_late: In the second half.
        matches: Decided matches against other topics.
        won: Share of these that it won.
        low: Lower end of its interval.
        high: Upper end.
        won_early: Share won in the first half of these.
        won_late: In the second half.
        rounds: For each round its matches against others, and how many of these it won.
        trend: ``rising``, ``falling``, or empty where no trend is certain.
        chance: How often chance alone brings such a trend; None where too little was played to tell.
    """

    topic: str
    items: int
    share: float
    share_early: float
    share_late: float
    matches: int
    won: float
    low: float
    high: float
    won_early: float
    won_late: float
    rounds: tuple[tuple[int, int, int], ...]
    trend: str = ""
    chance: float | None = None

    @property
    def sentence(self) -> str:
        """In words."""
        record = f"{self.topic}: won {self.won:.0%} of {self.matches}"
        return f"{record}, {self.trend} ({self.won_early:.0%} to {self.won_late:.0%})" if self.trend else record


def weigh(decided: Sequence[DecidedMatch], *, level: float = 0.95) -> tuple[CriterionWeight, ...]:
    """How far each criterion goes with who wins, what decides most first.

    A judge scores and decides in one breath, so this tells what its verdicts are made of; it is no prediction.

    Args:
        decided: Decided matches; those without scores are left out.
        level: Probability that the intervals are meant to hold.
    """
    scored = [match for match in decided if match.scores]
    names = tuple(dict.fromkeys(name for match in scored for name, _, _ in match.scores))
    if not names:
        return ()
    leads = np.full((len(scored), len(names)), np.nan)
    for row, match in enumerate(scored):
        for name, winner, loser in match.scores:
            leads[row, names.index(name)] = winner - loser
    spread = np.sqrt(np.nanmean(leads**2, axis=0))
    standardised = np.nan_to_num(leads / np.where(spread > 0, spread, 1.0))
    pull = np.maximum(regress(standardised, penalty=1.0, sparse=False), 0.0)
    shares = pull / pull.sum() if pull.sum() > 0 else pull
    weights = []
    for at, name in enumerate(names):
        own = leads[~np.isnan(leads[:, at]), at]
        agreed = float(np.mean((1.0 + np.sign(own)) / 2.0))
        low, high = wilson(agreed, len(own), level)
        weights.append(
            CriterionWeight(
                criterion=name, matches=len(own), agreement=agreed, low=low, high=high, weight=float(shares[at])
            )
        )
    return tuple(sorted(weights, key=lambda criterion: -criterion.weight))


FloatArray = npt.NDArray[np.float64]

LEVEL = 0.05
LEAST_MATCHES = 20
LEAST_ITEMS = 5
LEAST_ROUNDS = 3
_STEPS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class _Sides:
    """Matches between topics, each seen from both sides.

    Attributes:
        topic: Topic of this side.
        item: Its item.
        won: 1 or 0.
        against: Strength of the other side, in nats.
        time: When it was played, from -1 to 1.
        round: The same as a round.
    """

    topic: npt.NDArray[np.str_]
    item: npt.NDArray[np.str_]
    won: FloatArray
    against: FloatArray
    time: FloatArray
    round: npt.NDArray[np.int64]


def trends(
    decided: Sequence[DecidedMatch], topics: Mapping[str, str], strengths: Mapping[str, float], *, level: float = 0.95
) -> tuple[TopicTrend, ...]:
    """How each topic fares over the rounds, the one that plays most first.

    A trend is one in what a topic wins against equal opposition and beyond what topics do on the whole: as a
    tournament goes on, the strong play more and meet the strong, which is no trend of theirs.

    Args:
        decided: Decided matches.
        topics: By item; items without one are left out.
        strengths: By item, in nats.
        level: Probability that intervals are meant to hold.
    """
    sides = _sides(decided, topics, strengths)
    common = _common_slope(sides) if len(sides.won) else 0.0
    names = [name for name, _ in Counter(topics[id] for b in decided for id in (b.winner, b.loser) if id in topics)
             .most_common()]  # fmt: skip
    summaries = [_summary(name, decided, topics, sides, level) for name in names]
    chances = [_chance(sides, name, common) for name in names]
    significant = _holm([chance for _, chance in chances])
    return tuple(
        replace(summary, trend=("rising" if slope > 0 else "falling") if certain else "", chance=chance)
        for summary, (slope, chance), certain in zip(summaries, chances, significant, strict=True)
        if summary.matches
    )


def _sides(decided: Sequence[DecidedMatch], topics: Mapping[str, str], strengths: Mapping[str, float]) -> _Sides:
    between = [
        b for b in decided if topics.get(b.winner) and topics.get(b.loser) and topics[b.winner] != topics[b.loser]
    ]
    both = (((b.winner, b.loser, 1.0, b.round), (b.loser, b.winner, 0.0, b.round)) for b in between)
    entries = [side for sides in both for side in sides]
    rounds = np.array([round for *_, round in entries], dtype=np.int64)
    low, high = (int(rounds.min()), int(rounds.max())) if entries else (0, 0)
    return _Sides(
        topic=np.array([topics[own] for own, *_ in entries], dtype=np.str_),
        item=np.array([own for own, *_ in entries], dtype=np.str_),
        won=np.array([won for _, _, won, _ in entries]),
        against=np.array([strengths.get(other, 0.0) for _, other, _, _ in entries]),
        time=(2.0 * rounds - low - high) / max(high - low, 1),
        round=rounds,
    )


def _summary(
    name: str, decided: Sequence[DecidedMatch], topics: Mapping[str, str], sides: _Sides, level: float
) -> TopicTrend:
    """What can be counted."""
    own = sides.topic == name
    won, order = sides.won[own], np.argsort(sides.round[own], kind="stable")
    early, late = np.array_split(won[order], 2)
    playing = [
        sum(topics.get(id) == name for id in (b.winner, b.loser)) for b in sorted(decided, key=lambda b: b.round)
    ]
    share, first, second = (float(np.mean(part)) / 2 if len(part) else 0.0 for part in _halves(playing))
    low, high = wilson(float(won.mean()), len(won), level) if len(won) else (0.0, 1.0)
    return TopicTrend(
        topic=name,
        items=len({id for b in decided for id in (b.winner, b.loser) if topics.get(id) == name}),
        share=share,
        share_early=first,
        share_late=second,
        matches=len(won),
        won=float(won.mean()) if len(won) else 0.0,
        low=low,
        high=high,
        won_early=float(early.mean()) if len(early) else 0.0,
        won_late=float(late.mean()) if len(late) else 0.0,
        rounds=tuple(
            (int(number), int((sides.round[own] == number).sum()), int(won[sides.round[own] == number].sum()))
            for number in np.unique(sides.round[own])
        ),
    )


def _halves(values: Sequence[int]) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    middle = (len(values) + 1) // 2
    return values, values[:middle], values[middle:]


def _chance(sides: _Sides, name: str, common: float) -> tuple[float, float | None]:
    """Direction of a topic's trend and how often chance brings one like it, items being what varies."""
    from scipy.special import stdtr

    own = sides.topic == name
    items, member = np.unique(sides.item[own], return_inverse=True)
    if own.sum() < LEAST_MATCHES or len(items) < LEAST_ITEMS or len(np.unique(sides.round[own])) < LEAST_ROUNDS:
        return 0.0, None
    time = sides.time[own]
    expected = _levelled(sides.won[own], common * time - sides.against[own])
    variance = expected * (1.0 - expected)
    pull = (sides.won[own] - expected) * (time - np.average(time, weights=variance))
    by_item = np.bincount(member, pull)
    noise = float(np.sqrt(((by_item - by_item.mean()) ** 2).sum() * len(items) / (len(items) - 1)))
    if noise == 0.0:
        return 0.0, None
    statistic = float(pull.sum()) / noise
    return statistic, float(2.0 * stdtr(len(items) - 1, -abs(statistic)))


def _levelled(won: FloatArray, lead: FloatArray) -> FloatArray:
    """Chances of winning at given leads and a level of one's own that makes them right on the whole."""
    low, high = -20.0, 20.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _logistic(lead + middle).sum() < won.sum() else (low, middle)
    return _logistic(lead + (low + high) / 2)


def _common_slope(sides: _Sides) -> float:
    """What a side wins more as time goes on, against equal opposition, whatever its topic; in nats from -1 to 1."""
    slope = 0.0
    for _ in range(_STEPS):
        expected = _levelled(sides.won, slope * sides.time - sides.against)
        variance = expected * (1.0 - expected)
        centred = sides.time - np.average(sides.time, weights=variance)
        curvature = float((variance * centred**2).sum())
        step = float(((sides.won - expected) * centred).sum()) / (curvature + 1.0)
        slope = float(np.clip(slope + step, -10.0, 10.0))
        if abs(step) < 1e-6:
            break
    return slope


def _logistic(lead: FloatArray) -> FloatArray:
    chance: FloatArray = 1.0 / (1.0 + np.exp(-np.clip(lead, -30.0, 30.0)))
    return chance


def _holm(chances: Sequence[float | None]) -> list[bool]:
    """Which of several are certain. Source: Holm, Scandinavian Journal of Statistics 6 (1979)."""
    ordered = sorted((chance, at) for at, chance in enumerate(chances) if chance is not None)
    certain = [False] * len(chances)
    for rejected, (chance, at) in enumerate(ordered):
        if chance * (len(ordered) - rejected) > LEVEL:
            break
        certain[at] = True
    return certain
