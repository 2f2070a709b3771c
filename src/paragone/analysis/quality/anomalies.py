"""Sudden swings of the running Elo that fair results do not explain.

A rating that falls 150 points in eight matches is no anomaly where the item met stronger ones, or is new. So the
question is how likely the *results* of 4 to 24 matches in a row were, given the item's strength by all its other
matches, how well that is known, and the strength of its opponents. The probability is exact for outcomes that are
independent given the strengths: the strength without those matches is normal (one step from the fit's), outcomes follow
Davidson's model, averaged over the uncertainty of both sides, and their sum is counted out. There are many runs to look
at, most of them overlapping, so each is corrected for their number; in a fair tournament the chance of any alarm is
about one in a hundred. An item with nearly all its matches within the swing raises no alarm.

A change that its own record does not explain (``new - old`` is not K times the surprise) is reported as irregular.

The running Elo is left as it is. Strengths, by which boards rank, smooth such a swing by themselves; a match that turns
out to be wrong is rolled back.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.quality.contests import Contests, Floats, Ints
from paragone.domain import RatingChange
from paragone.wire.consistency import Swing

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
        index: How many matches of the same item come before.
    """

    item: Ints
    match: Ints
    score: Floats
    win: Floats
    draw: Floats
    doubt: Floats
    index: Ints

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
        index = np.arange(item.size) - np.repeat(np.cumsum(counts) - counts, counts)
        return cls(**turned, index=index)


@dataclass(frozen=True, kw_only=True, slots=True)
class Streak:
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
) -> list[Streak]:
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
    # Bonferroni: overlapping runs make it conservative, see FALSE_ALARMS.
    bound = false_alarms / tests
    # the normal approximation is a sieve: generous, since sums of few outcomes are not normal
    sieve = -float(ndtri(min(0.25, 100 * bound)))
    candidates = []
    for width, (starts, distance) in zip(windows, looked, strict=True):
        for start in starts[np.abs(distance) > sieve].tolist():
            swing = _weighed(sides, error, start, start + width)
            if swing.p_value <= bound:
                candidates.append(swing)
    return _apart(candidates)


def _standing_out(sides: Sides, error: Floats, width: int) -> tuple[Ints, Floats]:
    """Where swings of this width begin, and how far their scores lie from what was expected, in standard deviations."""
    starts = np.flatnonzero(sides.index >= width - 1) - (width - 1)
    surprise, information = (_sums(values, starts, width) for values in _moments(sides))
    # A normal posterior of variance v that contains these matches with information I has the variance v / (1 - I v)
    # without them: 1 - I v is the share of what is known that comes from outside.
    variance_left = 1.0 - information * error[sides.item[starts]] ** 2
    informative = variance_left >= LEFT
    spread = np.sqrt(information[informative] * variance_left[informative])
    return starts[informative], surprise[informative] / np.maximum(spread, 1e-9)


def _moments(sides: Sides) -> tuple[Floats, Floats]:
    """Score less expectation, and variance of the score, of each side."""
    expected = sides.win + sides.draw / 2
    variance = sides.win + sides.draw / 4 - expected**2
    return sides.score - expected, np.maximum(variance, 0.0)


def _sums(values: Floats, starts: Ints, width: int) -> Floats:
    running = np.concatenate([[0.0], np.cumsum(values)])
    sums: Floats = running[starts + width] - running[starts]
    return sums


def _weighed(sides: Sides, error: Floats, start: int, stop: int) -> Streak:
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
    # Scores are multiples of 1/2, so twice their sum is an exact index.
    halves = round(2 * float(sides.score[window].sum()))
    up = surprise > 0
    tail = distribution[halves:].sum() if up else distribution[: halves + 1].sum()
    return Streak(start=start, stop=stop, up=up, p_value=min(1.0, 2 * float(tail)))


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
    (win_low, draw_low), (win_high, draw_high) = ends
    return (win_low + win_high) / 2, (draw_low + draw_high) / 2


def _scores(win: Floats, draw: Floats) -> Floats:
    """Distribution of the sum of the scores in half points, shape (nodes, 2 * matches + 1)."""
    nodes, matches = win.shape
    total = np.zeros((nodes, 2 * matches + 1))
    total[:, 0] = 1.0
    for match in range(matches):
        won, drawn = win[:, match, None], draw[:, match, None]
        following = (1.0 - won - drawn) * total
        following[:, 1:] += drawn * total[:, :-1]
        following[:, 2:] += won * total[:, :-2]
        total = following
    return total


def _apart(candidates: list[Streak]) -> list[Streak]:
    """The least likely ones of those that overlap."""
    separate: list[Streak] = []
    covered: NDArray[np.bool_] = np.zeros(max((swing.stop for swing in candidates), default=0), dtype=np.bool_)
    for swing in sorted(candidates, key=lambda swing: (swing.p_value, swing.start)):
        if not covered[swing.start : swing.stop].any():
            covered[swing.start : swing.stop] = True
            separate.append(swing)
    return separate


_ROUNDING = 1e-6


class AnomalyKind(StrEnum):
    """What is odd: a rise, a fall, or a change that its own record does not explain."""

    SPIKE = "spike"
    DROP = "drop"
    IRREGULAR = "irregular"


def _swing(
    item: str, kind: AnomalyKind, matches: tuple[str, ...], size: float, expected: float, p_value: float, reason: str
) -> Swing:
    return Swing(
        item=item,
        kind=kind.value,
        matches=matches,
        size=size,
        expected=expected,
        p_value=p_value,
        reason=reason,
        id=f"{kind}:{item}:{matches[0]}-{matches[-1]}",
    )


def anomalies(
    contests: Contests,
    fair: Fair,
    changes: Iterable[RatingChange],
) -> tuple[Swing, ...]:
    """Swings that fair results do not explain, and changes that their record does not; the least likely first.

    Args:
        contests: The matches that stand.
        fair: How they would end, were they fair.
        changes: The rating changes; those of other matches are looked at for irregularity alone.
    """
    sides = Sides.of(contests, fair)
    odd = swings(sides, fair.error)
    indices = [at for swing in odd for at in range(swing.start, swing.stop)]
    within = {(contests.items[sides.item[at]], contests.matches[sides.match[at]]) for at in indices}
    change_of: dict[tuple[str, str], RatingChange] = {}
    strange: list[Swing] = []
    for change in changes:  # of a long tournament these are many, and of each no more than a look is wanted
        strange += irregular([change])
        if (change.item, change.match) in within:
            change_of[change.item, change.match] = change
    described = [_described(swing, sides, contests, change_of) for swing in odd]
    return (*strange, *sorted(described, key=lambda anomaly: anomaly.p_value))


def irregular(changes: Iterable[RatingChange]) -> Iterator[Swing]:
    """Changes that are not what K, expectation and score come to.

    Changes without a K were made by no contest (rollbacks, adjustments) and are passed over.
    """
    for change in changes:
        meant = change.k * (change.score - change.expected) - change.clamped
        if change.k > 0 and not abs(change.change - meant) <= _ROUNDING * max(1.0, abs(change.old)):
            yield _swing(
                item=change.item,
                kind=AnomalyKind.IRREGULAR,
                matches=(change.match,),
                size=change.change,
                expected=meant,
                p_value=0.0,
                reason=f"match {change.match} moved the rating by {change.change:+.1f} points; its own record, K "
                f"{change.k:g}, expected {change.expected:.2f} and scored {change.score:g}, comes to {meant:+.1f}",
            )


def unseen(anomalies: Iterable[Swing], reported: Collection[tuple[str, str]]) -> tuple[Swing, ...]:
    """Those that have not been reported yet; a swing that has gone on since is the same one.

    Args:
        anomalies: Anomalies.
        reported: Item and match of each that was reported.
    """
    return tuple(
        anomaly for anomaly in anomalies if not any((anomaly.item, match) in reported for match in anomaly.matches)
    )


def _described(
    swing: Streak, sides: Sides, contests: Contests, change_of: Mapping[tuple[str, str], RatingChange]
) -> Swing:
    window = slice(swing.start, swing.stop)
    item = contests.items[sides.item[swing.start]]
    matches = tuple(contests.matches[index] for index in sides.match[window].tolist())
    scored, fair = float(sides.score[window].sum()), float((sides.win + sides.draw / 2)[window].sum())
    match_changes = [change_of.get((item, match)) for match in matches]
    size = sum(change.change for change in match_changes if change is not None)
    means = (sides.win + sides.draw / 2)[window].tolist()
    expected = sum(
        change.k * (mean - change.expected)
        for change, mean in zip(match_changes, means, strict=True)
        if change is not None
    )
    kind = AnomalyKind.SPIKE if swing.up else AnomalyKind.DROP
    once = 1 / max(swing.p_value, 1e-12)
    reason = (
        f"{scored:g} of {len(matches)} points in matches {matches[0]} to {matches[-1]}, where its strength made "
        f"{fair:.1f} likely: {size:+.0f} Elo points instead of {expected:+.0f}; by chance once in {once:,.0f}"
    )
    return _swing(
        item=item, kind=kind, matches=matches, size=size, expected=expected, p_value=swing.p_value, reason=reason
    )
