"""Agreement between people who judged the same pairs: Krippendorff's alpha, and who disagrees with the others.

Alpha is 1 less the disagreement within pairs over that expected by chance (K. Krippendorff, Computing Krippendorff's
Alpha-Reliability, 2011; nominal data). Its library is one function of this size, and has no bootstrap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.wire.agreement import Estimate

Floats = NDArray[np.float64]
DRAWS = 1000
"""Bootstrap samples."""
FEWEST = 5
"""Pairs that two people judged, below which nothing is said of the uncertainty."""
_BLOCK = 2_000_000
"""Numbers drawn at once."""
_DECIMALS = 6
"""Sums differ in their last bits between processors."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonAgreement:
    """How far one person agrees with the others.

    Attributes:
        person: Their name.
        pairs: Pairs that they and somebody else judged.
        agreement: Share of the others' answers on these pairs that are theirs, each pair counting once.
        difference: How much that is above the same share of all others together.
        without: Alpha of the others alone.
    """

    person: str
    pairs: int
    agreement: Estimate
    difference: Estimate
    without: float | None

    @property
    def disagrees(self) -> bool:
        """Whether they clearly agree less than the others do: the whole interval of the difference is below 0."""
        return self.difference.high is not None and self.difference.high < 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """How far people agree.

    Attributes:
        people: The people, those who disagree most first.
        pairs: Pairs that at least two judged.
        answers: Answers on these.
        alpha: Krippendorff's alpha: 1 is perfect, 0 is what chance gives.
    """

    people: tuple[PersonAgreement, ...]
    pairs: int
    answers: int
    alpha: Estimate


def alpha(counts: Floats, *, mirrored: int = 0) -> float | None:
    """Krippendorff's alpha of nominal data.

    Args:
        counts: How often each value was given to each unit, of shape (units, values).
        mirrored: How many of the first values are interchangeable, as "the first item" and "the other" of a pair are,
            whose order is arbitrary: chance gives each of them equally often.

    Returns:
        Alpha; None if no unit has two values, or all values are the same.
    """
    return _alphas(counts, np.ones((1, len(counts))), mirrored)[0]


def agreement_of(
    answers: Mapping[str, Mapping[tuple[str, str], int]], *, level: float = 0.95, seed: int = 0
) -> Agreement:
    """How far people agree who judged pairs of items.

    Args:
        answers: By person, then by pair with its items in order of their ids: 0 if the first is better, 1 if the other
            is, 2 for a tie.
        level: Probability of the intervals.
        seed: Of the bootstrap, which draws pairs.
    """
    people = sorted(answers)
    number_of = {pair: number for number, pair in enumerate(sorted({pair for own in answers.values() for pair in own}))}
    rows = [(row, number_of[pair], value) for row, name in enumerate(people) for pair, value in answers[name].items()]
    cells = np.array(rows, np.int64).reshape(-1, 3)
    counts = np.zeros((len(number_of), 3))
    np.add.at(counts, (cells[:, 1], cells[:, 2]), 1.0)
    is_shared = counts.sum(axis=1) >= 2
    shared = cells[is_shared[cells[:, 1]]]
    shared[:, 1] = (np.cumsum(is_shared) - 1)[shared[:, 1]]
    counts = counts[is_shared]
    weights = _drawn(len(counts), seed) if len(counts) >= FEWEST else np.empty((0, len(counts)))
    return Agreement(
        people=tuple(sorted(_people(people, shared, counts, weights, level), key=_order)),
        pairs=len(counts),
        answers=len(shared),
        alpha=_estimate(alpha(counts, mirrored=2), _alphas(counts, weights, 2), level),
    )


def _people(
    names: Sequence[str], cells: NDArray[np.int64], counts: Floats, weights: Floats, level: float
) -> list[PersonAgreement]:
    from scipy.sparse import csr_array

    row, unit, value = cells.T
    other_raters = counts[unit].sum(axis=1) - 1
    shares = (counts[unit, value] - 1) / other_raters
    shape = (len(names), len(counts))
    agreed = csr_array((shares, (row, unit)), shape=shape)
    judged = csr_array((np.ones(len(row)), (row, unit)), shape=shape)
    every = np.vstack([np.ones((1, len(counts))), weights]).T
    own, pairs = agreed @ every, judged @ every
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = own / pairs
        rest = (own.sum(axis=0) - own) / (pairs.sum(axis=0) - pairs)
    result = []
    for number, name in enumerate(names):
        mine = row == number
        without = counts.copy()
        without[unit[mine], value[mine]] -= 1
        count = int(pairs[number, 0])
        samples = (mean[number, 1:], (mean - rest)[number, 1:]) if count >= FEWEST else (np.empty(0), np.empty(0))
        result.append(
            PersonAgreement(
                person=name,
                pairs=count,
                agreement=_estimate(_finite(mean[number, 0]), samples[0], level),
                difference=_estimate(_finite((mean - rest)[number, 0]), samples[1], level),
                without=_rounded(alpha(without, mirrored=2)),
            )
        )
    return result


def _order(person: PersonAgreement) -> tuple[float, str]:
    return (2.0 if person.difference.value is None else person.difference.value, person.person)


def _alphas(counts: Floats, weights: Floats, mirrored: int) -> list[float | None]:
    """Alpha for each row of weights of the units."""
    sizes = counts.sum(axis=1)
    counts, weights, sizes = counts[sizes >= 2], weights[:, sizes >= 2], sizes[sizes >= 2]
    within = weights @ ((sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1))
    totals = weights @ counts
    totals[:, :mirrored] = totals[:, :mirrored].mean(axis=1, keepdims=True) if mirrored else totals[:, :mirrored]
    size = totals.sum(axis=1)
    expected = size**2 - (totals**2).sum(axis=1)
    return [
        None if least <= 0 else float(1 - (n - 1) * observed / least)
        for observed, n, least in zip(within, size, expected, strict=True)
    ]


def _drawn(units: int, seed: int) -> Floats:
    """How often each unit is drawn in each bootstrap sample, of shape (samples, units)."""
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // units)
    blocks = [
        rng.multinomial(units, np.full(units, 1 / units), size=min(rows, DRAWS - begin))
        for begin in range(0, DRAWS, rows)
    ]
    return np.concatenate(blocks).astype(np.float64)


def _estimate(value: float | None, samples: Sequence[float | None] | Floats, level: float) -> Estimate:
    valid = np.array([each for each in samples if each is not None and np.isfinite(each)])
    if value is None or len(valid) < DRAWS // 2:
        return Estimate(value=_rounded(value), low=None, high=None)
    low, high = np.quantile(valid, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value=_rounded(value), low=_rounded(float(low)), high=_rounded(float(high)))


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS) + 0.0
