"""R, an estimate of truth: by agreement of evidence, by verified claims, and the threshold where its gate opens.

By agreement: ``R = mean / max(spread, 0.05)`` of the cosines between all pairs of pieces. Near copies, and all texts
from one source, are collapsed to one piece first, so that five copies of one claim are one piece, and one piece says
nothing. Evidence about something else does not count, and leaves R unknown; evidence against the claim lowers R.
Agreement is not truth: a mistake that several made on their own agrees, too.

By verification: the lower bound of the share of an author's claims that hold, with an even prior. An author without a
checked claim has no R, and few checks do not pass the gate. With a threshold of one half, four proven claims and none
disproven are the first to do so.

Cosines of one embedder are not those of another, so each has a threshold of its own, found from content of which it is
known whether it is true. It is the one with the largest Youden's J, the share of true content above it less that of
false content above it; of several as good the one in the widest gap. What a threshold does on the pairs that chose it
flatters it, so J is told of pairs left out, too.

Source: the memory specification, "R vs ELO", with its settled reading; W. J. Youden, "Index for rating diagnostic
tests", Cancer 1950.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from paragone.domain.rounding import COSINE_DECIMALS, rounded

LEAST = 3
"""Independent pieces below which R is unknown."""
COPY = 0.95
"""Cosine from which on two pieces are one."""
LEAST_SPREAD = 0.05
"""The spread of the cosines counts as no less."""
SAME_CLAIM = 0.35
"""Cosine to the claim from which on a text is about it. With the local embedder paraphrases have 0.37 to 0.9, and texts
about other things of the same subject at most 0.28."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceAgreement:
    """What a body of evidence says about content.

    Attributes:
        r: R; None where there are too few independent pieces.
        given: Pieces that were given.
        blank: Those of them that say nothing: their vector is zero. They do not count.
        pieces: Independent pieces, each as the places of what was collapsed into it, in the order given.
        mean: Mean cosine between pieces; None where there are fewer than two.
        spread: Their population standard deviation.
        unrelated: Texts about something else, which do not count.
        against: Pieces that are not for the claim.
    """

    r: float | None
    given: int
    blank: int
    pieces: tuple[tuple[int, ...], ...]
    mean: float | None = None
    spread: float | None = None
    unrelated: int = 0
    against: int = 0

    @property
    def independent(self) -> int:
        """How many pieces are independent."""
        return len(self.pieces)

    @property
    def reason(self) -> str:
        """Why R is unknown; empty where it is known."""
        if self.r is not None:
            return ""
        unrelated = f", {self.unrelated} about something else" if self.unrelated else ""
        return f"{self.independent} independent of {self.given} pieces of evidence{unrelated}; {LEAST} are needed"


def agreement(
    vectors: npt.ArrayLike,
    sources: Sequence[str] | None = None,
    *,
    claim: npt.ArrayLike | None = None,
    stances: Sequence[float] | None = None,
    same: float = -1.0,
) -> EvidenceAgreement:
    """R from the agreement of pieces of evidence.

    A piece of several texts is as like another as their texts are on the average, so that neither their order nor a
    further copy changes R.

    Args:
        vectors: One a text, shape (texts, dimensions), of any length.
        sources: Where each comes from; the empty one is unknown, and no other text's source. All unknown where None.
        claim: The vector of what the evidence is about, shape (dimensions,): R then is about how well it agrees with
            the evidence as well, and what merely copies it is no evidence for it.
        stances: 1 for a text that supports the claim, -1 for one that denies it, 0 where that is unsettled; all support
            it where None.
        same: Cosine to the claim from which on a text is about it; without a claim, to the text most like the others.
            ``SAME_CLAIM`` for texts; all are by default.

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
    signs = np.ones(len(table)) if stances is None else np.asarray(stances, dtype=np.float64)
    related = _related(table, spoken, about, same)
    pieces = _pieces(table, related, names)
    if about is not None:
        pieces = [piece for piece in pieces if not _copies(table, piece, about)]
    sides = np.array([signs[piece].mean() for piece in pieces])
    mean, spread = _between(table, pieces, about, sides)
    return EvidenceAgreement(
        r=None if mean is None or spread is None or len(pieces) < LEAST else mean / max(spread, LEAST_SPREAD),
        given=len(table),
        blank=len(table) - len(spoken),
        pieces=tuple(tuple(piece) for piece in pieces),
        mean=mean,
        spread=spread,
        unrelated=len(spoken) - len(related),
        against=int((sides < 1.0).sum()),
    )


def _related(table: Floats, spoken: npt.NDArray[np.intp], about: Floats | None, same: float) -> npt.NDArray[np.intp]:
    """The texts that are about the claim; without one, about what most of them are about."""
    if not len(spoken) or (about is not None and not about.any()):
        return spoken
    if about is None:
        cosines = rounded(table[spoken] @ table[spoken].T, COSINE_DECIMALS)
        about = table[spoken[int(cosines.sum(axis=1).argmax())]]
    return spoken[rounded(table[spoken] @ about, COSINE_DECIMALS) >= same]


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


def _pieces(table: Floats, spoken: npt.NDArray[np.intp], sources: Sequence[str]) -> list[list[int]]:
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
        for near in np.flatnonzero(rounded(table[:row] @ table[row], COSINE_DECIMALS) >= COPY).tolist():
            join(near, row)
    groups: dict[int, list[int]] = {}
    for row in spoken.tolist():
        groups.setdefault(top(row), []).append(row)
    return list(groups.values())


def _copies(table: Floats, piece: Sequence[int], about: Floats) -> bool:
    return bool((rounded(table[list(piece)] @ about, COSINE_DECIMALS) >= COPY).any())


def _between(
    table: Floats, pieces: Sequence[Sequence[int]], about: Floats | None, sides: Floats
) -> tuple[float | None, float | None]:
    """Mean and spread of the cosines between pieces, the claim being one of them; opposite sides disagree by them."""
    means = [np.unique(table[list(piece)], axis=0).mean(axis=0) for piece in pieces]
    if about is not None and about.any():
        means.append(about)
        sides = np.append(sides, 1.0)
    if len(means) < 2:
        return None, None
    stacked = np.stack(means)
    cosines = (stacked @ stacked.T * np.outer(sides, sides))[np.triu_indices(len(stacked), 1)]
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


def verification(checked: Checked) -> float | None:
    """R in [0, 1]; None where nothing was checked.

    Args:
        checked: What came of the checks.

    Example:
        Of n claims that were all proven R is ``0.05 ** (1 / (n + 1))``: 0.47 for three, 0.55 for four.
    """
    if checked.verified + checked.disproven == 0:
        return None
    from scipy.special import betaincinv

    # With an even prior the share of claims that hold is Beta(verified + 1, disproven + 1); R is its lower quantile.
    return float(betaincinv(checked.verified + 1, checked.disproven + 1, 1.0 - SURE))


LEAST_LABELLED = 10
"""Fewest true ones, and fewest false ones, for which a threshold is reported."""
FEW = 30
"""Below this it is reported with a warning."""
DRAWS = 1000
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True, slots=True)
class ThresholdCalibration:
    """A threshold, and how well it separates.

    Attributes:
        threshold: R above which the gate should open; None where that cannot be told.
        low: Lower end of its interval over bootstrap samples.
        high: Upper end.
        youden: J of the threshold on the pairs themselves.
        held_out: Mean J of thresholds on the pairs that their sample did not draw: what to expect of new content.
        sensitivity: Share of true ones above the threshold.
        specificity: Share of false ones at or below it.
        auc: Probability that R of a true one is above that of a false one, ties as half; 0.5 tells nothing.
        auc_low: Lower end of its interval.
        auc_high: Upper end.
        true: True ones.
        false: False ones.
        level: What the intervals are meant to hold.
        refusal: Why there is no threshold; empty where there is one.
        warning: What to know before it is used; empty for nothing.
    """

    threshold: float | None = None
    low: float | None = None
    high: float | None = None
    youden: float | None = None
    held_out: float | None = None
    sensitivity: float | None = None
    specificity: float | None = None
    auc: float | None = None
    auc_low: float | None = None
    auc_high: float | None = None
    true: int = 0
    false: int = 0
    level: float = LEVEL
    refusal: str = ""
    warning: str = ""


def calibrate(
    values: Sequence[float], labels: Sequence[bool], rng: np.random.Generator, *, draws: int = DRAWS
) -> ThresholdCalibration:
    """The threshold that best separates true content from false.

    Args:
        values: R of each piece of content, finite.
        labels: Whether it is true.
        rng: Draws the bootstrap samples, of true and of false ones apart.
        draws: How many.

    Returns:
        Without a threshold where there are fewer than ten of either, or where R does not tell them apart: the interval
        of the area under the curve holds 0.5.

    Raises:
        ValueError: If there are not as many labels, or a value is not finite.
    """
    r, is_true = np.asarray(values, dtype=np.float64), np.asarray(labels, dtype=bool)
    if r.shape != is_true.shape or r.ndim != 1 or not np.isfinite(r).all():
        raise ValueError("R is a finite number, and each has a label")
    true, false = np.sort(r[is_true]), np.sort(r[~is_true])
    if min(len(true), len(false)) < LEAST_LABELLED:
        words = f"{len(true)} true and {len(false)} false ones are too few: {LEAST_LABELLED} of each are needed"
        return ThresholdCalibration(true=len(true), false=len(false), refusal=words)
    area = _area(true, false)
    samples = [_sample(true, false, rng) for _ in range(draws)]
    bounds, areas, outside = (np.array(column) for column in zip(*samples, strict=True))
    auc_low, auc_high = _interval(areas)
    measured = ThresholdCalibration(auc=area, auc_low=auc_low, auc_high=auc_high, true=len(true), false=len(false))
    if auc_low <= 0.5:
        between = f"{auc_low:.2f} to {auc_high:.2f}"
        words = f"R does not tell true from false here: the area under the curve is {area:.2f} ({between})"
        return replace(measured, refusal=words)
    threshold = _best(true, false)
    low, high = _interval(bounds)
    few = min(len(true), len(false)) < FEW
    return replace(
        measured,
        threshold=threshold,
        low=min(low, threshold),
        high=max(high, threshold),
        youden=_youden(true, false, threshold),
        held_out=float(np.nanmean(outside)),
        sensitivity=float(np.mean(true > threshold)),
        specificity=float(np.mean(false <= threshold)),
        warning=f"fewer than {FEW} of a kind: the threshold may be anywhere in its interval" if few else "",
    )


def _best(true: Floats, false: Floats) -> float:
    """The threshold with the largest J, in the middle between two neighbouring values; both sides sorted."""
    values = np.unique(np.concatenate([true, false]))
    if len(values) == 1:
        return float(values[0])
    bounds, gaps = (values[:-1] + values[1:]) / 2.0, np.diff(values)
    above = 1.0 - np.searchsorted(true, bounds, side="right") / len(true)
    wrong = 1.0 - np.searchsorted(false, bounds, side="right") / len(false)
    # Rounded, so that thresholds of equal J tie on every processor and the widest gap decides.
    gain = np.round(above - wrong, 12)
    at = np.flatnonzero(gain == gain.max())
    return float(bounds[at[np.argmax(gaps[at])]])


def _youden(true: Floats, false: Floats, threshold: float) -> float:
    return float(np.mean(true > threshold) - np.mean(false > threshold))


def _area(true: Floats, false: Floats) -> float:
    below, not_above = (np.searchsorted(false, true, side=side).sum() for side in ("left", "right"))
    # Mann and Whitney: pairs in which the true one is higher, ties counting half.
    return float(below + not_above) / (2.0 * len(true) * len(false))


def _sample(true: Floats, false: Floats, rng: np.random.Generator) -> tuple[float, float, float]:
    """Threshold and area of one sample, and J of its threshold on what it left out."""
    drawn = [rng.integers(len(side), size=len(side)) for side in (true, false)]
    own, unverified = (np.sort(side[at]) for side, at in zip((true, false), drawn, strict=True))
    bound = _best(own, unverified)
    remaining, rest = (np.delete(side, at) for side, at in zip((true, false), drawn, strict=True))
    outside = _youden(remaining, rest, bound) if len(remaining) and len(rest) else np.nan
    return bound, _area(own, unverified), outside


def _interval(drawn: Floats) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0]).tolist()
    return low, high
