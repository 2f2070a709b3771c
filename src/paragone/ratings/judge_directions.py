"""In which direction each judge of several answers: with the others, or the other way round.

Comparisons tell how judges agree with one another, and not who is right: turn every judge and every strength round, and
the likelihood is the same. So slopes are signed here, with a prior that is the same for both signs, and strengths are
found up to their mirror image. What decides between the two is what is known from elsewhere: *gold pairs*, whose better
item is known, and the belief that a share of Beta(1, 5) of all judges answers the wrong way round.

How clear a judge's direction is, is the height of the posterior where its sign is free over that where it is held the
other way and all else follows. So a judge that guesses is not taken for one that is wrong, however far the strengths
have followed its own few answers. And nobody is turned round at all unless that raises the posterior of the panel by
``OPPOSITION`` nats, which takes more than chance.

Source: V. C. Raykar, S. Yu (2012), "Eliminating spammers and ranking annotators for crowdsourced labeling tasks",
Journal of Machine Learning Research 13, for signed abilities; C. R. Rao (1948), "Large sample tests of statistical
hypotheses concerning several parameters", Proceedings of the Cambridge Philosophical Society 44, for the score test.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.model.curvature import one_thread
from paragone.ratings.model.likelihood import totals

AGREED = 0.8
"""The share of judges that must agree in direction for it to count as identified without gold."""
CERTAIN = 0.05
"""With gold, the probability of the mirror image up to which the direction counts as identified."""
MOST_JUDGES = 100
"""Of more judges than this most said little; their directions are not looked at."""
MOST_WORK = 2e10
"""Judges times items cubed: what it costs to hold each judge against all others."""

MOST_MIRRORED = 0.45
"""The most that is said for the mirror image: between even sides most answers decide."""
OPPOSITION = 4.0
"""Nats by which signed slopes must be better than positive ones before a judge is turned round without gold."""

_CLEAR = 1.0
_MOST_ODDS = 700.0
_FEW = 12
_SPREAD = 1.5
"""Of strengths, in nats; the slopes' own size follows it."""
_SLOPE_VARIANCE = 2.0
"""Around 0: the second moment of a slope of N(1, 1), without its sign."""
_GOLD_SLOPE = 2.0
_INVERTED = (1.0, 5.0)
_STEPS, _ROUNDS, _STARTS = 12, 60, 2
_SETTLED, _LEVEL = 1e-5, 1e-3


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Directions:
    """In which direction the judges of a fit answer.

    Attributes:
        sign: 1 for a judge that is taken at its word, -1 for one that is turned round, shape (judges,).
        clarity: How many nats each judge's direction is likelier than the other; below 0 for a judge that is turned
            round, within 1 nat of 0 for one that goes in neither, shape (judges,).
        mirrored: Probability that all of it is the wrong way round.
        gold: How many gold pairs there were.
    """

    sign: Ints
    clarity: Floats
    mirrored: float
    gold: int

    @property
    def agreed(self) -> int:
        """Judges whose direction is clear, and that of the board."""
        return int(np.count_nonzero(self.clarity >= _CLEAR))

    @property
    def opposed(self) -> int:
        """Judges whose direction is clear, and opposite."""
        return int(np.count_nonzero(self.clarity <= -_CLEAR))

    @property
    def identified(self) -> bool:
        """Whether the board can be told from its mirror image."""
        if self.gold:
            return self.mirrored <= CERTAIN
        return self.agreed >= AGREED * (self.agreed + self.opposed)

    def turned(self, evidence: Evidence) -> Evidence:
        """The evidence with the answers of judges turned round who answer the wrong way round."""
        if (self.sign > 0).all():
            return evidence
        score = np.where(self.sign[evidence.judge] < 0, 1.0 - evidence.score, evidence.score)
        lists = self.sign[evidence.ranking_judge] < 0
        length = np.where(lists, (evidence.rankings >= 0).sum(axis=1), 0)
        rankings, places_of = (_reversed(table, length) for table in (evidence.rankings, evidence.ranking_place))
        return replace(evidence, score=score, rankings=rankings, ranking_place=places_of)


def taken_at_their_word(judges: int, gold: int = 0) -> Directions:
    """Where nothing suggests that any judge is wrong."""
    return Directions(sign=np.ones(judges, np.int64), clarity=np.zeros(judges), mirrored=0.0, gold=gold)


@one_thread
def directions(
    evidence: Evidence, gold: Sequence[tuple[int, int]] = (), *, positioned: Collection[str] = ()
) -> Directions:
    """In which direction each judge answers.

    Args:
        evidence: What the judges said. Orderings of many items do not speak here.
        gold: Pairs (better, worse) of items, by index.
        positioned: Identities of the judges whose order of presentation is known; what they prefer by place alone is
            taken out.

    Returns:
        The directions. Nobody is turned round where there is one judge alone and no gold, or too many to look at.
    """
    judges = len(evidence.judges)
    plain = taken_at_their_word(judges, len(gold))
    answering = np.unique(evidence.judge[evidence.weight > 0])
    if answering.size < (1 if gold else 2) or answering.size > MOST_JUDGES:
        return plain
    if answering.size * float(evidence.item_count) ** 3 > MOST_WORK:
        return plain
    answers = _Answers.of(evidence, positioned, gold)
    first = answers.settled(answers.strengths(np.ones(judges)))
    if not gold and answers.surely_agree(first, answering):
        return plain
    states = [first, *(answers.settled(answers.strengths(alone)) for alone in answers.alone(answering))]
    best = max(states, key=lambda state: round(state.height, 3))
    if gold:
        return _by_gold(answers, best, len(gold))
    if not answers.majority(best):
        best = best.mirrored
    if best.height - answers.settled(best.strength, np.ones(best.slope.size)).height < OPPOSITION:
        return plain
    return _by_majority(answers, best)


def _by_gold(answers: "_Answers", best: "_State", gold: int) -> Directions:
    """Directions where gold pairs decide between the best state and its mirror image."""
    other = answers.settled(-best.strength)
    if float(np.sign(other.slope) @ best.slope) >= 0.0:
        # Gold fixes the strengths by itself, and led back to where they came from: hold the slopes to the other signs.
        other = answers.settled(-best.strength, -np.sign(best.slope))
    odds = best.height - other.height + direction_odds(answers.clarity(best))
    state = best if round(odds, 6) >= 0.0 else other
    return _directions(answers.clarity(state), odds, gold)


def _by_majority(answers: "_Answers", best: "_State") -> Directions:
    """Directions where the number of judges on each side decides, and their answers where these are even."""
    clarity = answers.clarity(best)
    odds = direction_odds(clarity)
    return _directions(clarity if odds >= 0.0 else -clarity, odds, 0)


def _directions(clarity: Floats, odds: float, gold: int) -> Directions:
    clarity = rounded(clarity, SHARE_DECIMALS)
    least = 0.0 if gold else -_CLEAR
    return Directions(
        sign=np.where(clarity < least, -1, 1),
        clarity=clarity,
        mirrored=chance_mirrored(odds),
        gold=gold,
    )


def logistic(x: Floats) -> Floats:
    """The logistic function; nothing overflows."""
    # Without scipy, which takes longer to load than a small fit takes to make.
    result: Floats = (1.0 + np.tanh(x / 2)) / 2
    return result


def chance_mirrored(odds: float) -> float:
    """Probability that the less likely direction is right; never so even that all strengths would be equal."""
    return round(min(1.0 / (1.0 + math.exp(min(abs(odds), _MOST_ODDS))), MOST_MIRRORED), SHARE_DECIMALS)


def direction_odds(clarity: Floats) -> float:
    """Log odds, before gold, that the judges of the larger part of clear directions are those who are right."""
    up, down = int(np.count_nonzero(clarity >= _CLEAR)), int(np.count_nonzero(clarity <= -_CLEAR))
    return _log_prior(up, down) - _log_prior(down, up)


def _log_prior(up: int, down: int) -> float:
    """Logarithm of the probability that these judges answer the right and the wrong way round, but for a constant."""
    wrong, right = _INVERTED[0] + down, _INVERTED[1] + up
    return math.lgamma(wrong) + math.lgamma(right) - math.lgamma(wrong + right)


def _held(slope: Floats, signs: Floats | None) -> Floats:
    """Slopes with those that are held to a sign on that side of 0; a sign of 0 holds nothing."""
    return slope if signs is None else np.where(signs * slope < 0.0, 0.0, slope)


def _reversed(table: Ints, length: Ints) -> Ints:
    """Each row with so many entries from its beginning turned round."""
    columns = np.arange(table.shape[1])
    order = np.where(columns < length[:, None], length[:, None] - 1 - columns, columns)
    turned: Ints = np.take_along_axis(table, order, axis=1)
    return turned


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _State:
    """Strengths and slopes that suit each other, and the height of the log posterior there."""

    strength: Floats
    slope: Floats
    height: float

    @property
    def mirrored(self) -> "_State":
        """The same with all signs turned; as likely, where there is no gold."""
        return replace(self, strength=-self.strength, slope=-self.slope)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _Answers:
    """What each judge said of each pair, its repeats together and its preference for a place taken out.

    Attributes:
        items: How many items there are.
        judges: How many judges.
        judge: Of each row, shape (rows,).
        low: The item of the lower index.
        high: The other.
        lead: Sum of weight times (score of ``low`` - 1/2).
        weight: Sum of weights.
        gold: Better and worse item of each gold pair, shape (pairs, 2).
    """

    items: int
    judges: int
    judge: Ints
    low: Ints
    high: Ints
    lead: Floats
    weight: Floats
    gold: Ints

    @classmethod
    def of(cls, evidence: Evidence, positioned: Collection[str], gold: Sequence[tuple[int, int]]) -> "_Answers":
        """The rows of the evidence, one a judge and pair."""
        judges = len(evidence.judges)
        lead = evidence.score - 0.5
        weighs = np.maximum(totals(evidence.judge, evidence.weight, judges), 1e-9)
        leaning = totals(evidence.judge, evidence.weight * lead, judges) / weighs
        leaning *= [judge in positioned for judge in evidence.judges]
        lead = np.clip(lead - leaning[evidence.judge], -0.5, 0.5)
        swapped = evidence.first > evidence.second
        low, high = np.minimum(evidence.first, evidence.second), np.maximum(evidence.first, evidence.second)
        used = evidence.weight > 0
        key = (evidence.judge * evidence.item_count + low) * evidence.item_count + high
        keys, row = np.unique(key[used], return_inverse=True)
        signed = np.where(swapped, -lead, lead) * evidence.weight
        rest, high = np.divmod(keys, evidence.item_count)
        judge, low = np.divmod(rest, evidence.item_count)
        # Answers to one pair may repeat each other: four count for two.
        count = totals(row, evidence.weight[used], keys.size)
        return cls(
            items=evidence.item_count,
            judges=judges,
            judge=judge,
            low=low,
            high=high,
            lead=totals(row, signed[used], keys.size) / np.sqrt(count),
            weight=np.sqrt(count),
            gold=np.array(gold, np.int64).reshape(-1, 2),
        )

    def alone(self, answering: Ints) -> list[Floats]:
        """Slopes of which only one is not 0, for each of the judges with the most answers."""
        answers = totals(self.judge, self.weight, self.judges)[answering]
        busiest = answering[np.argsort(-answers, kind="stable")[:_STARTS]]
        return [np.where(np.arange(self.judges) == judge, 1.0, 0.0) for judge in busiest.tolist()]

    def majority(self, state: "_State") -> bool:
        """Whether most answers go with the strengths."""
        return round(float(self.lead @ np.sign(rounded(self.gaps(state.strength), SHARE_DECIMALS))), 6) >= 0.0

    def surely_agree(self, state: "_State", answering: Ints) -> bool:
        """Whether every judge's slope is above 0 by two standard errors, so that there is nothing to look into."""
        return bool((state.slope > 0.0)[answering].all() and (self.apparent(state)[answering] > 2.0).all())

    def gaps(self, strength: Floats) -> Floats:
        """How far the strengths of each row's items are apart."""
        return strength[self.low] - strength[self.high]

    def settled(self, strength: Floats, signs: Floats | None = None) -> _State:
        """Slopes and strengths in turn, from these strengths on, until they rise no more.

        Args:
            strength: Where to begin.
            signs: Of the slopes, where they are held; 0 for one that is free, shape (judges,).
        """
        slope = _held(self.slopes(strength), signs)
        height = -math.inf
        for _ in range(_ROUNDS):
            strength = self.strengths(slope, strength)
            slope = _held(self.slopes(strength, slope), signs)
            before, height = height, self.height(strength, slope)
            if height - before < _LEVEL:
                break
        return _State(strength=strength, slope=slope, height=height)

    def height(self, strength: Floats, slope: Floats) -> float:
        """Log posterior of strengths and slopes, but for a constant."""
        x = slope[self.judge] * self.gaps(strength)
        # log P = lead x - weight log(2 cosh(x / 2)), with a score of s counted as s of a win.
        likelihood = float(self.lead @ x - self.weight @ np.logaddexp(x / 2, -x / 2))
        gold_margin = _GOLD_SLOPE * (strength[self.gold[:, 0]] - strength[self.gold[:, 1]])
        prior = float(strength @ strength) / _SPREAD**2 + float(slope @ slope) / _SLOPE_VARIANCE
        return likelihood - float(np.logaddexp(0.0, -gold_margin).sum()) - prior / 2

    def strengths(self, slope: Floats, strength: Floats | None = None) -> Floats:
        """The optimum in the strengths, by Newton's method from the given ones or from 0."""
        strength = np.zeros(self.items) if strength is None else strength
        for _ in range(_STEPS):
            gradient, curvature = self._derivatives(slope, strength)
            step = np.linalg.solve(curvature, gradient)
            strength = strength + np.clip(step, -2.0, 2.0)
            if np.abs(step).max() < _SETTLED:
                break
        return strength

    def _derivatives(self, slope: Floats, strength: Floats) -> tuple[Floats, Floats]:
        """Gradient and negative second derivative of the log posterior in the strengths."""
        each = slope[self.judge]
        p = logistic(each * self.gaps(strength))
        pull, bend = each * (self.lead - self.weight * (p - 0.5)), each**2 * self.weight * p * (1 - p)
        better, worse = self.gold.T
        q = logistic(_GOLD_SLOPE * (strength[better] - strength[worse]))
        first, second = np.concatenate([self.low, better]), np.concatenate([self.high, worse])
        pull = np.concatenate([pull, _GOLD_SLOPE * (1 - q)])
        bend = np.concatenate([bend, _GOLD_SLOPE**2 * q * (1 - q)])
        gradient = totals(first, pull, self.items) - totals(second, pull, self.items) - strength / _SPREAD**2
        curvature = -totals(first * self.items + second, bend, self.items**2).reshape(self.items, -1)
        curvature += curvature.T
        curvature[np.diag_indices(self.items)] += (
            totals(first, bend, self.items) + totals(second, bend, self.items) + _SPREAD**-2
        )
        return gradient, curvature

    def slopes(self, strength: Floats, slope: Floats | None = None) -> Floats:
        """The optimum in each judge's slope, by Newton's method."""
        gap = self.gaps(strength)
        slope = np.zeros(self.judges) if slope is None else slope
        for _ in range(_STEPS):
            p = logistic(slope[self.judge] * gap)
            pull = totals(self.judge, gap * (self.lead - self.weight * (p - 0.5)), self.judges)
            bend = totals(self.judge, gap**2 * self.weight * p * (1 - p), self.judges)
            step = (pull - slope / _SLOPE_VARIANCE) / (bend + 1 / _SLOPE_VARIANCE)
            slope = slope + np.clip(step, -1.0, 1.0)
            if np.abs(step).max() < _SETTLED:
                break
        return slope

    def apparent(self, state: _State) -> Floats:
        """How many nats each slope's likelihood is above that of 0, the strengths held; below 0 where the slope is."""
        x = state.slope[self.judge] * self.gaps(state.strength)
        gain = self.lead * x - self.weight * (np.logaddexp(x / 2, -x / 2) - math.log(2.0))
        return np.sign(state.slope) * np.maximum(totals(self.judge, gain, self.judges), 0.0)

    def clarity(self, state: _State) -> Floats:
        """How many nats each judge's sign is likelier than the other, all else free to follow."""
        clarity = self.apparent(state)
        # One judge of many moves the strengths little, so that all else need not follow.
        if np.count_nonzero(clarity) <= _FEW:
            for judge in np.flatnonzero(clarity).tolist():
                clarity[judge] = self._clarity(state, judge)
        return clarity

    def _clarity(self, state: _State, judge: int) -> float:
        sign = math.copysign(1.0, state.slope[judge])
        other_slopes = np.where(np.arange(self.judges) == judge, 0.0, state.slope)
        fixed = np.where(np.arange(self.judges) == judge, -sign, 0.0)
        other = self.settled(self.strengths(other_slopes, state.strength), fixed)
        return sign * (state.height - other.height)
