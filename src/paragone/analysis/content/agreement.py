"""R, an estimate of truth, by agreement of evidence or by verified claims.

By agreement: ``R = mean / max(spread, 0.05)`` of the cosines between all pairs of pieces. Near copies, and all texts
from one source, are collapsed to one piece first, so that five copies of one claim are one piece, and one piece says
nothing. Agreement is not truth: a mistake that several made on their own agrees, too.

By verification: the lower bound of the share of an author's claims that hold, with an even prior. An author without a
checked claim has no R, and few checks do not pass the gate. With a threshold of one half, four proven claims and none
disproven are the first to do so.

Source: document M, "R vs ELO", with its settled reading.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paragone.domain.rounding import COSINE_DECIMALS, rounded

LEAST = 3
"""Independent pieces below which R is unknown."""
COPY = 0.95
"""Cosine from which on two pieces are one."""
LEAST_SPREAD = 0.05
"""The spread of the cosines counts as no less."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """What evidence comes to.

    Attributes:
        r: R; None where there are too few independent pieces.
        given: Pieces that were given.
        blank: Those of them that say nothing: their vector is zero. They do not count.
        pieces: Independent pieces, each as the places of what was collapsed into it, in the order given.
        mean: Mean cosine between pieces; None where there are fewer than two.
        spread: Their population standard deviation.
    """

    r: float | None
    given: int
    blank: int
    pieces: tuple[tuple[int, ...], ...]
    mean: float | None = None
    spread: float | None = None

    @property
    def independent(self) -> int:
        """How many pieces are independent."""
        return len(self.pieces)


def agreement(
    vectors: npt.ArrayLike,
    sources: Sequence[str] | None = None,
    *,
    claim: npt.ArrayLike | None = None,
    copy: float = COPY,
    least: int = LEAST,
) -> Agreement:
    """R of evidence.

    A piece of several texts is as like another as their texts are on the average, so that neither their order nor a
    further copy changes R.

    Args:
        vectors: One a text, shape (texts, dimensions), of any length.
        sources: Where each comes from; the empty one is unknown, and no other text's source. All unknown where None.
        claim: The vector of what the evidence is about, shape (dimensions,): R then is about how well it agrees with
            the evidence as well, and what merely copies it is no evidence for it.
        copy: Cosine from which on two texts are one piece.
        least: Independent pieces besides the claim below which R is unknown.

    Example:
        Cosines of 0.8, 0.6 and 0.7 have the mean 0.7 and the spread 0.0816, so that R is 8.57.

    Raises:
        ValueError: If the vectors are no table of finite numbers, or there are not as many sources.
    """
    table = _unit(vectors)
    names = [""] * len(table) if sources is None else list(sources)
    if len(names) != len(table):
        raise ValueError(f"{len(names)} sources for {len(table)} pieces of evidence")
    spoken = np.flatnonzero(table.any(axis=1))
    about = None if claim is None else _unit(np.asarray(claim, dtype=np.float64)[np.newaxis])[0]
    pieces = _pieces(table, spoken, names, copy)
    if about is not None:
        pieces = [piece for piece in pieces if not _copies(table, piece, about, copy)]
    mean, spread = _between(table, pieces, about)
    return Agreement(
        r=None if mean is None or spread is None or len(pieces) < least else mean / max(spread, LEAST_SPREAD),
        given=len(table),
        blank=len(table) - len(spoken),
        pieces=tuple(tuple(piece) for piece in pieces),
        mean=mean,
        spread=spread,
    )


def _unit(vectors: npt.ArrayLike) -> Floats:
    table = np.array(vectors, dtype=np.float64)
    if table.size == 0:
        return np.zeros((0, 1))
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError("vectors are a table of finite numbers, one row a text")
    table /= np.maximum(np.abs(table).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)  # squares could overflow
    length = np.linalg.norm(table, axis=1, keepdims=True)
    unit: Floats = table / np.where(length > 0.0, length, 1.0)
    return unit


def _pieces(table: Floats, spoken: npt.NDArray[np.intp], sources: Sequence[str], copy: float) -> list[list[int]]:
    """Places that hang together by copies and sources, through others as well."""
    parent = list(range(len(table)))

    def top(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    def join(first: int, second: int) -> None:
        low, high = sorted((top(first), top(second)))
        parent[high] = low

    first: dict[str, int] = {}
    for row in spoken.tolist():
        if sources[row]:
            join(first.setdefault(sources[row], row), row)
        for near in np.flatnonzero(rounded(table[:row] @ table[row], COSINE_DECIMALS) >= copy).tolist():
            join(near, row)
    groups: dict[int, list[int]] = {}
    for row in spoken.tolist():
        groups.setdefault(top(row), []).append(row)
    return list(groups.values())


def _copies(table: Floats, piece: Sequence[int], about: Floats, copy: float) -> bool:
    return bool((rounded(table[list(piece)] @ about, COSINE_DECIMALS) >= copy).any())


def _between(table: Floats, pieces: Sequence[Sequence[int]], about: Floats | None) -> tuple[float | None, float | None]:
    """Mean and spread of the cosines between pieces, the claim being one of them."""
    means = [np.unique(table[list(piece)], axis=0).mean(axis=0) for piece in pieces]
    if about is not None and about.any():
        means.append(about)
    if len(means) < 2:
        return None, None
    stacked = np.stack(means)
    cosines = (stacked @ stacked.T)[np.triu_indices(len(stacked), 1)]
    return float(cosines.mean()), float(cosines.std())


SURE = 0.95
"""How probably the share lies above the bound."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """How many claims were proven, and how many disproven."""

    verified: int = 0
    disproven: int = 0

    def __post_init__(self) -> None:
        if min(self.verified, self.disproven) < 0:
            raise ValueError("counts of claims are 0 or more")

    def __add__(self, other: "Checked") -> "Checked":
        return Checked(verified=self.verified + other.verified, disproven=self.disproven + other.disproven)


def verification(checked: Checked, *, sure: float = SURE) -> float | None:
    """R in [0, 1]; None where nothing was checked.

    Args:
        checked: What came of the checks.
        sure: How probably the share of claims that hold lies above R.

    Example:
        Of n claims that were all proven R is ``0.05 ** (1 / (n + 1))``: 0.47 for three, 0.55 for four.
    """
    if checked.verified + checked.disproven == 0:
        return None
    from scipy.special import betaincinv

    return float(betaincinv(checked.verified + 1, checked.disproven + 1, 1.0 - sure))
