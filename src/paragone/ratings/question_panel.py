"""A panel that was asked the same questions: two latent factors, weighed by pairs whose better item is known.

Where many judges answer the same pairs, one slope a judge says too little. Judges that are wrong together are so for a
reason that they share, such as the look of an answer, and a judge may follow that and the truth at once. So the answers
of all judges, a row a pair and a column a judge, are reduced to the two directions in which they vary most, and a
ridge regression of the known answers on these two says what they have to do with the truth. Neither factor has a
meaning of its own, and only the plane that they span matters.

The consensus speaks of pairs and not of items, so it needs no pair to be connected with another.

Source: C. Eckart, G. Young (1936), "The approximation of one matrix by another of lower rank", Psychometrika 1; A. E.
Hoerl, R. W. Kennard (1970), "Ridge regression", Technometrics 12; for the choice of pairs, K. Chaloner, I. Verdinelli
(1995), "Bayesian experimental design", Statistical Science 10.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.judge_directions import MOST_MIRRORED, chance_mirrored, direction_odds, logistic
from paragone.ratings.model.curvature import one_thread
from paragone.ratings.model.likelihood import totals

FACTORS = 2
LEAST_GOLD = 5
"""Gold pairs from which two weights can be told apart."""
LEAST_JUDGES, LEAST_PAIRS = 8, 30
SHARED = 0.5
"""The share of pairs that a judge must have answered to belong to the panel."""

_PRECISION = 1.0
"""Of each weight before evidence, where a factor has variance 1 over the pairs."""
_FAINT = 0.1
"""The same where the length of the weights is to be that of log-odds."""
_WIDE = 3.0
"""How much wider than that the weights are drawn where a batch is chosen before much is known."""
_DRAWS = 32
_TINY = 1e-300
_STEPS = 100
_SETTLED, _LEVEL = 1e-10, 1e-6
_CLEARLY = 2.0


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class QuestionPanel:
    """What a panel said of its questions, as two factors.

    Attributes:
        a: The item of each pair with the lower index, shape (pairs,).
        b: The other.
        factors: Of variance about 1, positive or negative for ``a``; shape (pairs, 2).
        votes: Mean answer of each judge, from -1 for ``b`` to 1 for ``a``; 0 where there is none; (pairs, judges).
        members: Index of the judges of the columns.
    """

    a: Ints
    b: Ints
    factors: Floats
    votes: Floats
    members: Ints

    @classmethod
    def of(cls, evidence: Evidence, positioned: Collection[str] = ()) -> "QuestionPanel | None":
        """The panel among the judges of the evidence; None where too few answered the same pairs.

        Args:
            evidence: What the judges said.
            positioned: Identities of the judges whose order of presentation is known; what they prefer by place alone
                is taken out.
        """
        members, pairs = _members(evidence)
        if members.size < LEAST_JUDGES or pairs.size < LEAST_PAIRS:
            return None
        votes, votes_known = _votes(evidence, positioned, members, pairs)
        answered = votes_known.mean(axis=1) >= SHARED
        if np.count_nonzero(answered) < max(LEAST_PAIRS, pairs.size / 2):
            return None
        votes = votes[answered]
        a, b = np.divmod(pairs[answered], evidence.item_count)
        return cls(a=a, b=b, factors=_factors(votes), votes=votes, members=members)

    def __len__(self) -> int:
        """How many questions."""
        return self.a.size

    def known(self, gold: Sequence[tuple[int, int]]) -> tuple[Ints, Floats]:
        """Which questions are gold pairs, and their answers: 1 for ``a``, -1 for ``b``.

        Args:
            gold: Pairs (better, worse) of items, by index; others than the panel's are left out.
        """
        number = {pair: at for at, pair in enumerate(zip(self.a.tolist(), self.b.tolist(), strict=True))}
        answers = {(min(pair), max(pair)): 1.0 if pair[0] < pair[1] else -1.0 for pair in gold}
        rows = {number[pair]: answer for pair, answer in answers.items() if pair in number}
        return np.array(sorted(rows), np.int64), np.array([rows[row] for row in sorted(rows)])


def _members(evidence: Evidence) -> tuple[Ints, Ints]:
    """The judges who answered at least a share of all pairs, and the pairs as first * items + second."""
    answers = np.bincount(evidence.judge, minlength=len(evidence.judges))
    none = np.zeros(0, np.int64)
    if np.count_nonzero(answers >= SHARED * LEAST_PAIRS) < LEAST_JUDGES:
        return none, none  # at a glance, as most evidence is of few judges, or of many who said little
    key = _pair_keys(evidence)
    pairs, row = np.unique(key, return_inverse=True)
    cells = np.unique(evidence.judge * pairs.size + row)
    return np.flatnonzero(np.bincount(cells // pairs.size) >= SHARED * pairs.size), pairs


def _pair_keys(evidence: Evidence) -> Ints:
    """The pair of each row, whichever of its items came first."""
    low, high = np.minimum(evidence.first, evidence.second), np.maximum(evidence.first, evidence.second)
    return low * evidence.item_count + high


def _votes(evidence: Evidence, positioned: Collection[str], members: Ints, pairs: Ints) -> tuple[Floats, Floats]:
    """Mean answers of the members, and where there is any, both of shape (pairs, members)."""
    judges, lead = len(evidence.judges), 2 * evidence.score - 1
    weighs = totals(evidence.judge, evidence.weight, judges)
    leaning = totals(evidence.judge, evidence.weight * lead, judges) / np.maximum(weighs, 1e-9)
    leaning *= [judge in positioned for judge in evidence.judges]
    lead = (lead - leaning[evidence.judge]) * np.where(evidence.first < evidence.second, 1.0, -1.0)
    rows = np.isin(evidence.judge, members)
    column = np.searchsorted(members, evidence.judge[rows])
    cell = np.searchsorted(pairs, _pair_keys(evidence)[rows]) * members.size + column
    size = pairs.size * members.size
    weight = totals(cell, evidence.weight[rows], size).reshape(-1, members.size)
    total = totals(cell, evidence.weight[rows] * lead[rows], size).reshape(-1, members.size)
    return total / np.maximum(weight, 1e-9), (weight > 0).astype(np.float64)


def _factors(votes: Floats) -> Floats:
    """The two directions of most variance over the pairs, scaled to a mean square of 1."""
    singular = np.linalg.svd(votes, full_matrices=False)[0][:, :FACTORS]
    result: Floats = singular * np.sqrt(len(votes))
    return result


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Consensus:
    """What the panel and the gold pairs together say of each question.

    Attributes:
        panel: The questions.
        gold: Which questions are gold pairs.
        probability: That ``a`` is the better, shape (pairs,); of gold pairs 1 or 0.
        clarity: How clearly each member goes with the verdicts, shape (members,): above 1 it does, below -1 it goes
            against them, both by two standard errors or more.
        mirrored: Probability that all verdicts are the wrong way round.
        weight: Of each factor by gold, shape (2,); 0 without gold.
        covariance: Of these weights, shape (2, 2).
        by_factors: Whether the verdicts come from the factors, and not from agreement alone.
    """

    panel: QuestionPanel
    gold: Ints
    probability: Floats
    clarity: Floats
    mirrored: float
    weight: Floats
    covariance: Floats
    by_factors: bool

    @property
    def expected_accuracy(self) -> float:
        """The share of questions without gold that it expects to be right about."""
        rest = np.setdiff1d(np.arange(len(self.panel)), self.gold)
        sure = np.maximum(self.probability, 1 - self.probability)[rest]
        return float(sure.mean()) if rest.size else 1.0


@one_thread
def consensus(panel: QuestionPanel, gold: Sequence[tuple[int, int]] = ()) -> Consensus:
    """The verdicts: by two factors where enough gold pairs weigh them, else by how far the judges agree.

    Args:
        panel: The questions.
        gold: Pairs (better, worse) of items, by index.
    """
    rows, answers = panel.known(gold)
    weight, covariance = _ridge(panel.factors[rows], answers, _PRECISION)
    by_factors = rows.size >= LEAST_GOLD
    if by_factors:
        scores = _scores(panel.factors, weight, *_ridge(panel.factors[rows], answers, _FAINT))
        mirrored = _backwards(weight, covariance)
    else:
        scores = by_agreement(panel.votes)
        odds = direction_odds(_clarity(panel.votes, scores)) + float(answers @ scores[rows])
        scores = scores if round(odds, 6) >= 0.0 else -scores
        mirrored = chance_mirrored(odds)
    probability = logistic(scores)
    probability[rows] = (1 + answers) / 2
    return Consensus(
        panel=panel,
        gold=rows,
        probability=rounded(probability, SHARE_DECIMALS),
        clarity=rounded(_clarity(panel.votes, scores), SHARE_DECIMALS),
        mirrored=round(mirrored, SHARE_DECIMALS),
        weight=weight,
        covariance=covariance,
        by_factors=by_factors,
    )


def by_agreement(votes: Floats) -> Floats:
    """Log-odds of each question by agreement alone: each judge has an accuracy, which may be below one half.

    EM from the majority's answers. Judges are wrong together, so that their number says less than if they were not: the
    odds are divided by its root.

    Args:
        votes: As in ``QuestionPanel``.

    Source: A. P. Dawid, A. M. Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM
    algorithm", Applied Statistics 28, with one rate a judge.
    """
    answers = np.maximum(np.count_nonzero(votes, axis=0), 1)
    odds = votes.sum(axis=1)
    for _ in range(_STEPS):
        # Twice the probability less 1, of each question and then of each judge's accuracy, drawn to 0 by four answers.
        sure = np.tanh(odds / 2)
        skill = votes.T @ sure / (answers + 4)
        before, odds = odds, votes @ (2 * np.arctanh(skill))
        if np.abs(odds - before).max() < _LEVEL:
            break
    result: Floats = odds / np.sqrt(votes.shape[1])
    return result


def _clarity(votes: Floats, scores: Floats) -> Floats:
    """How clearly each judge's answers go with the verdicts: in standard errors from even odds, by ``_CLEARLY``."""
    sides = np.sign(votes) * np.sign(scores)[:, None]
    result: Floats = sides.sum(axis=0) / np.sqrt(np.maximum(np.abs(sides).sum(axis=0), 1)) / _CLEARLY
    return result


def _backwards(weight: Floats, covariance: Floats) -> float:
    """Probability that the weights point the other way."""
    length = float(weight @ weight)
    if not length:
        return MOST_MIRRORED
    return min(NormalDist().cdf(-length / math.sqrt(float(weight @ covariance @ weight))), MOST_MIRRORED)


def _scores(factors: Floats, weight: Floats, longer: Floats, covariance: Floats) -> Floats:
    """Log-odds of each question: in the direction of one fit, of the length and uncertainty of another.

    The penalty that finds the best direction makes the weights too short to be odds.
    """
    length = float(np.linalg.norm(weight))
    stretch = float(np.linalg.norm(longer)) / length if length > 0.0 else 0.0
    # The mean of a logistic over a normal score, by MacKay's approximation.
    scores: Floats = stretch * (factors @ weight) / np.sqrt(1 + np.pi * _quadratic(factors, covariance) / 8)
    return scores


def _ridge(factors: Floats, answers: Floats, precision: float) -> tuple[Floats, Floats]:
    """The optimum of a logistic regression with a normal prior, by Newton's method, and its covariance."""
    weight = np.zeros(FACTORS)
    for _ in range(_STEPS):
        wrong = logistic(-answers * (factors @ weight))
        gradient = factors.T @ (answers * wrong) - precision * weight
        curvature = (factors.T * (wrong * (1 - wrong))) @ factors + precision * np.eye(FACTORS)
        step = np.linalg.solve(curvature, gradient)
        weight = weight + step
        if np.abs(step).max() < _SETTLED:
            break
    covariance: Floats = np.linalg.inv(curvature).astype(np.float64)
    return weight, covariance


def _quadratic(factors: Floats, form: Floats) -> Floats:
    result: Floats = np.einsum("vi,ij,vj->v", factors, form, factors)
    return result


@one_thread
def worth_asking(verdicts: Consensus, count: int) -> list[int]:
    """The questions whose true answers would teach most about all others, the most telling first.

    An answer's gain is what it takes from the risk of wrong answers, ``c (z' V L V z)``: V is the covariance of the
    weights, L adds up the questions by how likely a small change turns them, and c is the information of the answer.
    After each choice V follows as if it had been answered. As long as more are chosen than are known, the gain is
    averaged over draws of the weights, so that the batch does not hang on what is not known yet.

    Args:
        verdicts: The consensus so far.
        count: How many questions.

    Returns:
        Their indices; never one that is known.
    """
    weights, factors = _plausible(verdicts, count), verdicts.panel.factors
    covariance = np.repeat(verdicts.covariance[None], len(weights), axis=0)
    is_open = np.ones(len(factors), np.bool_)
    is_open[verdicts.gold] = False
    chosen: list[int] = []
    for _ in range(min(count, int(is_open.sum()))):
        gain, information, reach = _gains(factors, weights, covariance)
        value = np.where(is_open, gain, -1.0)
        at = int(np.argmax(rounded(value / max(float(value.max()), _TINY), SHARE_DECIMALS)))
        chosen.append(at)
        is_open[at] = False
        covariance = covariance - information[at, :, None, None] * reach[:, at, :, None] * reach[:, at, None, :]
    return chosen


def _gains(factors: Floats, weights: Floats, covariance: Floats) -> tuple[Floats, Floats, Floats]:
    """Each question's gain (pairs,), the share of its update (pairs, draws), and its direction (draws, pairs, 2)."""
    score, drawn = factors @ weights.T, len(weights) > 1
    variance = np.einsum("vi,kij,vj->vk", factors, covariance, factors)
    information = _information(score, variance, drawn=drawn)
    # How likely a small change turns a question: the density of its score at 0. It is squared where the score is a
    # mean, which keeps the batch near what is open; over draws the average does that.
    turning = np.exp(-(score**2) / ((2 if drawn else 1) * variance)) / variance
    form = np.einsum("vk,vi,vj->kij", turning, factors, factors)
    reach = np.einsum("kij,vj->kvi", covariance, factors)
    answer_gain = information / (1 + information * variance)
    gain = answer_gain * np.einsum("kvi,kij,kvj->vk", reach, form, reach)
    return gain.mean(axis=1), answer_gain, reach


def _information(score: Floats, variance: Floats, *, drawn: bool) -> Floats:
    """Of an answer about its score: expected under its posterior, or where the score is a draw from it."""
    # A score that is uncertain is expected to lie where answers tell less.
    flatter = 1.0 if drawn else 1 / np.sqrt(1 + np.pi * variance / 8)
    p = logistic(flatter * score)
    result: Floats = flatter**2 * p * (1 - p)
    return result


def _plausible(verdicts: Consensus, count: int) -> Floats:
    """Weights to average over, shape (draws, 2)."""
    if count <= verdicts.gold.size or count == 1:
        return verdicts.weight[None]
    root = np.linalg.cholesky(verdicts.covariance)
    normal = np.random.default_rng(0).standard_normal((_DRAWS, FACTORS))
    drawn: Floats = verdicts.weight + _WIDE * normal @ root.T
    return drawn
