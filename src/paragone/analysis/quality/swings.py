"""Runs of results that are improbable, given the item's other matches and whom it met.

The probability is exact for outcomes that are independent given the strengths: the strength without those matches is
normal (one step from the fit's), outcomes follow Davidson's model, tilted by what is not known of either side, and
their sum is counted out. There are many runs to look at, most of them overlapping, so each is held against their
number.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.quality.contests import Contests, Floats, Ints

WINDOWS = (4, 6, 8, 12, 16, 24)
"""Matches in a row that are looked at."""
FALSE_ALARMS = 0.05
"""Bound on the chance of any alarm in a fair tournament; swings overlap, so it comes to about a fifth of this."""
LEFT = 0.4
"""Least share of what is known of an item that must come from outside of the swing."""
_HERMITE = 15
_FARTHEST = 3.0


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Fair:
    """What fair results would be.

    Attributes:
        win: Probability that ``a`` wins each match, shape (matches,).
        draw: Probability of a draw.
        error: Standard error of each item's strength in nats, shape (items,).
    """

    win: Floats
    draw: Floats
    error: Floats


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Sides:
    """Matches seen from each side, an item's after one another in the order of record.

    Attributes:
        item: Whose side, shape (sides,).
        match: The match.
        score: Its score.
        win: Probability that it wins.
        draw: Of a draw.
        doubt: Standard error of its opponent's strength, in nats.
        place: How many matches of the same item come before.
    """

    item: Ints
    match: Ints
    score: Floats
    win: Floats
    draw: Floats
    doubt: Floats
    place: Ints

    @classmethod
    def of(cls, contests: Contests, fair: Fair) -> "Sides":
        """Both sides of each match."""
        loss = np.maximum(1.0 - fair.win - fair.draw, 0.0)
        item = np.concatenate([contests.a, contests.b])
        number = np.arange(len(contests))
        order = np.lexsort((np.concatenate([number, number]), item))
        columns = {
            "item": item,
            "match": np.concatenate([number, number]),
            "score": np.concatenate([contests.score, 1.0 - contests.score]),
            "win": np.concatenate([fair.win, loss]),
            "draw": np.concatenate([fair.draw, fair.draw]),
            "doubt": np.concatenate([fair.error[contests.b], fair.error[contests.a]]),
        }
        turned = {name: column[order] for name, column in columns.items()}
        counts = np.bincount(item, minlength=len(contests.items))
        place = np.arange(item.size) - np.repeat(np.cumsum(counts) - counts, counts)
        return cls(**turned, place=place)


@dataclass(frozen=True, kw_only=True, slots=True)
class Swing:
    """Matches of one item in a row whose results are improbable.

    Attributes:
        start: The first of its sides.
        stop: The one after the last.
        up: Whether it won more than expected.
        p_value: Probability of results so one-sided.
    """

    start: int
    stop: int
    up: bool
    p_value: float


def swings(
    sides: Sides, error: Floats, *, false_alarms: float = FALSE_ALARMS, windows: Sequence[int] = WINDOWS
) -> list[Swing]:
    """Improbable runs of results, none overlapping another of the same item.

    Args:
        sides: Matches seen from each side.
        error: Standard error of each item's strength in nats, shape (items,).
        false_alarms: Bound on the chance of any in a fair tournament.
        windows: Matches in a row that are looked at.
    """
    from scipy.special import ndtri

    looked = [_standing_out(sides, error, width) for width in windows]
    tests = sum(starts.size for starts, _ in looked)
    if tests == 0:
        return []
    bound = false_alarms / tests
    # the normal approximation is a sieve: generous, since sums of few outcomes are not normal
    sieve = -float(ndtri(min(0.25, 100 * bound)))
    found = []
    for width, (starts, distance) in zip(windows, looked, strict=True):
        for start in starts[np.abs(distance) > sieve].tolist():
            swing = _weighed(sides, error, start, start + width)
            if swing.p_value <= bound:
                found.append(swing)
    return _apart(found)


def _standing_out(sides: Sides, error: Floats, width: int) -> tuple[Ints, Floats]:
    """Where swings of this width begin, and how far their scores lie from what was expected, in standard deviations."""
    starts = np.flatnonzero(sides.place >= width - 1) - (width - 1)
    surprise, information = (_sums(values, starts, width) for values in _moments(sides))
    left = 1.0 - information * error[sides.item[starts]] ** 2
    told = left >= LEFT
    spread = np.sqrt(information[told] * left[told])
    return starts[told], surprise[told] / np.maximum(spread, 1e-9)


def _moments(sides: Sides) -> tuple[Floats, Floats]:
    """Score less expectation, and variance of the score, of each side."""
    expected = sides.win + sides.draw / 2
    variance = sides.win + sides.draw / 4 - expected**2
    return sides.score - expected, np.maximum(variance, 0.0)


def _sums(values: Floats, starts: Ints, width: int) -> Floats:
    running = np.concatenate([[0.0], np.cumsum(values)])
    sums: Floats = running[starts + width] - running[starts]
    return sums


def _weighed(sides: Sides, error: Floats, start: int, stop: int) -> Swing:
    """How improbable the results of these matches are, given all others of the item."""
    window = slice(start, stop)
    surprises, informations = (values[window] for values in _moments(sides))
    surprise, information = float(surprises.sum()), float(informations.sum())
    variance = float(error[sides.item[start]]) ** 2
    without = variance / (1.0 - information * variance)  # what is known of the strength without these matches
    nodes, weights = np.polynomial.hermite_e.hermegauss(_HERMITE)
    # one step away from the fit; no further than the step can be trusted, which errs on the side of silence
    spread = math.sqrt(without)
    step = max(-_FARTHEST * spread, min(_FARTHEST * spread, -without * surprise))
    shift = step + spread * nodes
    win, draw = _tilted(sides.win[window], sides.draw[window], shift[:, None], sides.doubt[window])
    distribution = (weights / weights.sum()) @ _scores(win, draw)
    halves = round(2 * float(sides.score[window].sum()))
    up = surprise > 0
    tail = distribution[halves:].sum() if up else distribution[: halves + 1].sum()
    return Swing(start=start, stop=stop, up=up, p_value=min(1.0, 2 * float(tail)))


def _tilted(win: Floats, draw: Floats, shift: Floats, doubt: Floats) -> tuple[Floats, Floats]:
    """Win and draw were the item stronger by so much, averaged over an opponent one standard error up and down.

    In Davidson's model a difference in strength multiplies odds: e^d for a win, e^(d/2) for a draw.
    """
    loss = np.maximum(1.0 - win - draw, 0.0)
    ends = []
    for side in (-1.0, 1.0):
        step = np.clip(shift + side * doubt, -50.0, 50.0)
        won, drawn = win * np.exp(step), draw * np.exp(step / 2)
        total = won + drawn + loss
        ends.append((won / total, drawn / total))
    (one, two), (three, four) = ends
    return (one + three) / 2, (two + four) / 2


def _scores(win: Floats, draw: Floats) -> Floats:
    """Distribution of the sum of the scores in half points, shape (nodes, 2 * matches + 1)."""
    nodes, matches = win.shape
    total = np.zeros((nodes, 2 * matches + 1))
    total[:, 0] = 1.0
    for place in range(matches):
        won, drawn = win[:, place, None], draw[:, place, None]
        moved = (1.0 - won - drawn) * total
        moved[:, 1:] += drawn * total[:, :-1]
        moved[:, 2:] += won * total[:, :-2]
        total = moved
    return total


def _apart(found: list[Swing]) -> list[Swing]:
    """The least likely ones of those that overlap."""
    kept: list[Swing] = []
    taken: NDArray[np.bool_] = np.zeros(max((swing.stop for swing in found), default=0), dtype=np.bool_)
    for swing in sorted(found, key=lambda swing: (swing.p_value, swing.start)):
        if not taken[swing.start : swing.stop].any():
            taken[swing.start : swing.stop] = True
            kept.append(swing)
    return kept
