"""What is known of items beside the answers, as a prior whose share the evidence chooses; and what must not count.

Columns Z of the items (mean 0, standard deviation 1) come in groups. A strength is ``t = e + sum_f Z_f b_f`` with e the
item's own and ``b_f`` the effects of a group's columns: before evidence t is N(0, spread^2 R) with

    R = (I + sum_f odds_f Z_f Z_f' / columns_f) / (1 + sum_f odds_f),

so that ``odds_f`` says how much of the variance a group explains, against the items' own. Zero is among the odds that
are tried, and costs nothing; what explains nothing goes out again. Fits under all odds that the evidence leaves are
averaged by their evidence, so that a column that may or may not count counts in part.

A group that must not count (style control) has odds of 1 from the beginning, and its part ``Z b`` is taken out of the
strengths, with its uncertainty.

Source: the evidence is Laplace's, as in ``inference.no_signal``; C. E. Rasmussen, C. K. I. Williams (2006), "Gaussian
Processes for Machine Learning", chapter 2.7 (explicit basis functions) and 5.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from paragone.domain.rounding import SHARE_DECIMALS, STRENGTH_DECIMALS, rounded
from paragone.ratings.bradley_terry import averaged, climbed, fit, given_signal, pattern_of
from paragone.ratings.contradicted_columns import contradicted
from paragone.ratings.evidence import Evidence, Floats
from paragone.ratings.fit_types import Fit, FitOptions, FitPart, Removal
from paragone.ratings.inference.no_signal import SpreadAverage, chance_of_none
from paragone.ratings.inference.optimum import Ascent
from paragone.ratings.inference.repeats import stretched
from paragone.ratings.model.covariates import PriorShape, ShapedModel
from paragone.ratings.model.curvature import one_thread
from paragone.ratings.model.likelihood import TIE_CENTER, Hyper, Model

MOST_ITEMS = 1500
"""The largest pool whose strengths may have a full covariance before evidence."""
ODDS = (0.0, 0.1, 0.3, 1.0, 3.0, 9.0)
"""What a group may explain of the variance, against the items' own."""
USUAL = 0.3
"""Odds of a group that must not count, and of all while there is hardly any evidence."""
PENALTY = 0.6
"""Nats against each odds above zero: a group counts with odds of about three to one before evidence."""
_EARLY = 0.5
"""Answers an item below which nothing is chosen by evidence."""
_NEGLIGIBLE = 4.0
"""Nats below the best at which odds are not averaged over."""
_MOST_PARTS = 6
_SWEEPS = 3
_EVEN = 0.5
_DECIMALS = 6


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ColumnGroup:
    """Columns that count together or not at all.

    Attributes:
        name: What they are called.
        columns: The name of each.
        values: Of each item, shape (items, columns); each column of mean 0 and standard deviation 1.
        counts: Whether they may count; if not, their effect is taken out.
        penalty: Nats against each odds above zero before evidence.
    """

    name: str
    columns: tuple[str, ...]
    values: Floats
    counts: bool = True
    penalty: float = PENALTY

    @property
    def covariance(self) -> Floats:
        """What they give to R, with a mean of 1 on its diagonal, shape (items, items)."""
        product: Floats = self.values @ self.values.T / self.values.shape[1]
        return product


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class WeighedPrior:
    """A prior of the strengths, and the logarithm of its own weight before evidence.

    Attributes:
        shape: The prior; None for independent strengths.
        log_weight: What it weighs before evidence.
        odds: Of each group; empty where there are none.
        rest: What a centre leaves of the variance that columns explain.
    """

    shape: PriorShape | None
    log_weight: float = 0.0
    odds: tuple[float, ...] = ()
    rest: float = 1.0


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Centre:
    """Where strengths are expected before any answers, for example by a model's ratings of the items.

    Attributes:
        mean: In units of the spread, of mean 0, shape (items,).
        variance: What is left of each item's own variance, against 1 where nothing is expected.
        rest: What is left of the variance that columns explain.
        log_weight: Logarithm of its weight before evidence.
    """

    mean: Floats
    variance: Floats
    rest: float
    log_weight: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnEffect:
    """What a column says about strengths.

    Attributes:
        group: Its group.
        column: Its name.
        effect: What strengths rise by for one standard deviation of it, in nats, whatever else is held of the item.
        standard_error: Of that.
        probability: Probability that the group counts at all; 1 for one whose effect is taken out.
        counts: Whether it counts, or its effect is taken out.
        contradicted: Whether the best items by answers alone contradict it, so that it was left out.
    """

    group: str
    column: str
    effect: float
    standard_error: float
    probability: float
    counts: bool
    contradicted: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class InformedFit:
    """Strengths by answers and columns.

    Attributes:
        fit: The fit.
        without: The fit by answers alone.
        effects: Of each column; empty where there is nothing to be said.
    """

    fit: Fit
    without: Fit
    effects: tuple[ColumnEffect, ...] = field(default=())


_DEFAULTS = FitOptions()


@one_thread
def fit_informed(
    evidence: Evidence,
    groups: Sequence[ColumnGroup],
    options: FitOptions = _DEFAULTS,
    centres: Sequence[Centre] = (),
) -> InformedFit:
    """Strengths of all items by what judges said and by columns, whose share the evidence chooses.

    With several centres the average goes over each of them with each of the odds.

    Args:
        evidence: Comparisons and rankings.
        groups: Columns of its items.
        options: Parameters of the fit; ``spread`` and ``shape`` are found here.
        centres: Where strengths are expected, which may be one or the other; nowhere if there are none.

    Raises:
        NotConverged: If an optimum was not reached in the steps allowed.
        ValueError: If a group is of other items.
    """
    if any(group.values.shape != (evidence.item_count, len(group.columns)) for group in groups):
        raise ValueError(f"columns must be of shape ({evidence.item_count}, columns of the group)")
    if not (groups or centres) or evidence.item_count > MOST_ITEMS:
        without = fit(evidence, options)
        return InformedFit(fit=without, without=without)
    plain, climb = given_signal(evidence, options)
    spike = options.no_signal or _EVEN
    average = climb.average(plain.log_spread_se, spike, compared=True)
    without = averaged(plain, average) if options.no_signal else plain
    is_early = float(evidence.weight.sum()) < _EARLY * evidence.item_count
    left_out = set() if is_early else _contradicted(plain, groups)
    silent = [_no_effect(group) for group in groups if group.name in left_out]
    # The order in which columns are named must not matter to the search.
    ordered = sorted((group for group in groups if group.name not in left_out), key=lambda group: group.name)
    if not (ordered or centres):
        return InformedFit(fit=without, without=without, effects=tuple(silent))
    priors = _worthwhile(plain, ordered, is_early=is_early) if ordered else [WeighedPrior(shape=None)]
    if centres:
        priors = [_centred(prior, centre, ordered) for centre in centres for prior in priors]
    nodes = [_Node.of(plain, prior, options, spike, (plain, average) if groups else None) for prior in priors]
    informed = _mixture(nodes, [_removal(node, ordered) for node in nodes], options)
    names = [group.name for group in groups]
    effects = sorted([*silent, *_effects(nodes, ordered, informed)], key=lambda effect: names.index(effect.group))
    return InformedFit(fit=informed, without=without, effects=tuple(effects))


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _Node:
    """The fit under one prior, given that there is signal.

    Attributes:
        prior: The prior.
        fit: The fit under the best spread.
        average: Over all spreads.
    """

    prior: WeighedPrior
    fit: Fit
    average: SpreadAverage

    @classmethod
    def of(
        cls,
        plain: Fit,
        prior: WeighedPrior,
        options: FitOptions,
        spike: float,
        known: tuple[Fit, SpreadAverage] | None = None,
    ) -> "_Node":
        """The fit of the evidence of a plain one, answers that repeat each other discounted as there."""
        if prior.shape is None and known is not None:
            return cls(prior=prior, fit=known[0], average=known[1])
        shaped = replace(options, shape=prior.shape)
        fitted, climb = climbed(plain.evidence, shaped, plain)
        average = climb.average(fitted.log_spread_se, spike, compared=True)
        return cls(prior=prior, fit=stretched(fitted, plain.repeats), average=average)

    @property
    def log_weight(self) -> float:
        """Logarithm of its weight by its own and by the evidence."""
        return self.prior.log_weight + self.average.log_evidence


def shape_of(groups: Sequence[ColumnGroup], odds: Sequence[float]) -> PriorShape | None:
    """The prior under these odds, one a group; None where all are 0."""
    total = sum(odds)
    if total == 0.0:
        return None
    items = len(groups[0].values)
    # The last term keeps the variance of the average what it is without columns: rows then add up to 1.
    covariance = np.eye(items) + total / items
    for group, share in zip(groups, odds, strict=True):
        if share:
            covariance += share * group.covariance
    return PriorShape.of(covariance / (1.0 + total))


def _contradicted(plain: Fit, groups: Sequence[ColumnGroup]) -> set[str]:
    """The names of the columns that the best items contradict; groups of several columns are not looked at."""
    single = [group for group in groups if group.counts and len(group.columns) == 1]
    verdicts = contradicted(plain.strength, [group.values[:, 0] for group in single])
    return {group.name for group, is_contradicted in zip(single, verdicts, strict=True) if is_contradicted}


def _no_effect(group: ColumnGroup) -> ColumnEffect:
    return ColumnEffect(
        group=group.name,
        column=group.columns[0],
        effect=0.0,
        standard_error=0.0,
        probability=0.0,
        counts=True,
        contradicted=True,
    )


def _centred(prior: WeighedPrior, centre: Centre, groups: Sequence[ColumnGroup]) -> WeighedPrior:
    """The prior around a centre: columns explain their share of what the centre leaves."""
    total, items = sum(prior.odds), centre.mean.size
    centred = np.eye(items) - 1 / items
    covariance = centred * centre.variance @ centred
    for group, share in zip(groups, prior.odds, strict=True):
        covariance += centre.rest * share * group.covariance
    # Rows must add up to 1, so that the average keeps its variance and stays independent of the differences.
    shape = PriorShape.of(covariance / (1.0 + total) + 1 / items, centre.mean) if total or centre.mean.any() else None
    return replace(prior, shape=shape, log_weight=prior.log_weight + centre.log_weight, rest=centre.rest)


def _worthwhile(plain: Fit, groups: Sequence[ColumnGroup], *, is_early: bool) -> Sequence[WeighedPrior]:
    """The priors that are worth an exact fit: the best odds of all groups, and those with one group put in or out.

    The odds of each group in turn are put where Laplace's evidence is highest. What the other odds of a group are worth
    is added to the weight of its best.
    """
    if is_early:
        odds = tuple(USUAL for _ in groups)
        return [WeighedPrior(shape=shape_of(groups, odds), odds=odds)]
    search = _Search(plain, groups)
    best = tuple(0.0 if group.counts else USUAL for group in groups)
    for _ in range(_SWEEPS):
        before = best
        for at, group in enumerate(groups):
            best = max(search.tried(best, at) if group.counts else [best], key=search.value)
        if best == before:
            break
    return search.priors(best)


class _Search:
    """Looks for odds under which the evidence is high, at the spread and the judges' terms of a plain fit."""

    def __init__(self, plain: Fit, groups: Sequence[ColumnGroup]) -> None:
        self._plain, self._groups = plain, groups
        self._hyper = Hyper(spread=plain.prior_spread, dispersion=plain.dispersion, panel=plain.panel)
        positioned = plain.options.positioned(plain.evidence.judges)
        self._model = Model.of(plain.evidence, positioned, plain.slope)
        self._theta = _theta(plain, self._model)
        self._values: dict[tuple[float, ...], float] = {}

    def value(self, odds: tuple[float, ...]) -> float:
        """Log weight before evidence and log evidence, rounded."""
        if odds not in self._values:
            shape = shape_of(self._groups, odds) or PriorShape.of(np.eye(self._model.item_count))
            model, options = ShapedModel.around(self._model, shape), replace(self._plain.options, shape=shape)
            ascent = Ascent(
                model=model,
                pattern=pattern_of(model, options),
                theta=self._theta,
                steps=options.max_iterations,
                tolerance=options.tolerance,
            )
            value = self.log_weight(odds) + ascent.to(self._hyper).log_evidence
            self._theta = ascent.theta
            self._values[odds] = round(value, _DECIMALS)
        return self._values[odds]

    def log_weight(self, odds: tuple[float, ...]) -> float:
        """Logarithm of the weight of odds before evidence."""
        return -sum(group.penalty for share, group in zip(odds, self._groups, strict=True) if share and group.counts)

    def tried(self, odds: tuple[float, ...], at: int) -> list[tuple[float, ...]]:
        """These odds with all that are tried for one group."""
        return [(*odds[:at], share, *odds[at + 1 :]) for share in ODDS]

    def priors(self, best: tuple[float, ...]) -> list[WeighedPrior]:
        """The best odds, and those with one group put in or out that are not negligible; the heaviest first."""
        counted = [at for at, group in enumerate(self._groups) if group.counts]
        present = {at: max(self.tried(best, at)[1:], key=self.value) for at in counted}
        # The sum over a group's odds above zero, in units of the best of them.
        spread_out = {
            at: _log_total([self.value(each) for each in self.tried(best, at)[1:]]) - self.value(present[at])
            for at in counted
        }
        mass = math.fsum(spread_out[at] for at in counted if best[at])
        weights = {best: self.log_weight(best) + mass}
        for at in counted:
            other = self.tried(best, at)[0] if best[at] else present[at]
            change = -spread_out[at] if best[at] else spread_out[at]
            weights[other] = self.log_weight(other) + mass + change
        heights = {odds: self.value(odds) - self.log_weight(odds) + weight for odds, weight in weights.items()}
        best_odds = sorted(heights, key=lambda odds: (-round(heights[odds], _DECIMALS), odds))[:_MOST_PARTS]
        return [
            WeighedPrior(shape=shape_of(self._groups, odds), log_weight=weights[odds], odds=odds)
            for odds in best_odds
            if heights[odds] > heights[best_odds[0]] - _NEGLIGIBLE
        ]


def _theta(plain: Fit, model: Model) -> Floats:
    theta = np.zeros(model.dimension + 1)
    theta[: model.item_count] = plain.strength / plain.repeats.stretch
    theta[model.position] = np.nan_to_num(plain.position / plain.repeats.stretch)
    theta[model.tie] = np.where(np.isfinite(plain.tie), plain.tie, TIE_CENTER)
    return theta[:-1]


def _mixture(nodes: Sequence[_Node], removals: Sequence[Removal | None], options: FitOptions) -> Fit:
    """The average of fits under several priors, no signal at all among them if the options allow for it."""
    weights = _shares([node.log_weight for node in nodes])
    parts = tuple(
        FitPart(weight=weight, fit=node.fit, removal=removal)
        for weight, node, removal in zip(weights.tolist(), nodes, removals, strict=True)
    )
    mode = _mean_of(parts, nodes[int(np.argmax(weights))].fit, [part.fit.strength for part in parts])
    if options.no_signal == 0.0:
        return mode
    stretch = nodes[0].fit.repeats.stretch
    mean = _mean_of(parts, mode, [stretch * node.average.strength for node in nodes])
    total = max(node.log_weight for node in nodes)
    log_evidence = total + math.log(sum(math.exp(node.log_weight - total) for node in nodes))
    log_evidence -= _log_total([node.prior.log_weight for node in nodes])
    none = chance_of_none(log_evidence, nodes[0].average.log_nothing, options.no_signal)
    average = replace(nodes[0].average, no_signal=none, strength=mean.strength / stretch)
    return averaged(mode, average)


def _shares(log_weights: Sequence[float]) -> Floats:
    weights = np.exp(np.array(log_weights) - max(log_weights))
    return rounded(weights / weights.sum(), SHARE_DECIMALS)


def _log_total(log_weights: Sequence[float]) -> float:
    most = max(log_weights)
    return most + math.log(math.fsum(math.exp(value - most) for value in log_weights))


def _mean_of(parts: Sequence[FitPart], like: Fit, strengths: Sequence[Floats]) -> Fit:
    """One fit with the mean and the covariance of several, whose strengths are these before anything is taken out."""
    weights = np.array([part.weight for part in parts])
    weights /= weights.sum()
    strengths_left = [_left(part, strength) for part, strength in zip(parts, strengths, strict=True)]
    mean: Floats = np.einsum("k,ki->i", weights, [strength for strength, _ in strengths_left])
    covariance = np.zeros((mean.size, mean.size))
    for weight, (strength, spread_out) in zip(weights, strengths_left, strict=True):
        covariance += weight * (spread_out + np.outer(strength - mean, strength - mean))
    total: Floats = np.einsum("k,ki->i", weights, strengths)
    removed = None if all(part.removal is None for part in parts) else rounded(total - mean, STRENGTH_DECIMALS)
    return replace(
        like,
        strength=rounded(mean - mean.mean(), STRENGTH_DECIMALS),
        standard_error=np.sqrt(np.maximum(np.diagonal(covariance), 0.0)),
        covariance=covariance,
        parts=tuple(parts),
        removed=removed,
    )


def _left(part: FitPart, strength: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of what is left of the strengths of a part."""
    covariance, removal = _covariance(part.fit), part.removal
    if removal is None:
        return strength, covariance
    keep = np.eye(strength.size) - removal.values @ removal.gain
    scattered = removal.values @ removal.root
    return part.left(strength), keep @ covariance @ keep.T + scattered @ scattered.T


def _covariance(fitted: Fit) -> Floats:
    if fitted.covariance is None:
        raise ValueError("a fit under a shape has a covariance")
    return fitted.covariance


def _removal(node: _Node, groups: Sequence[ColumnGroup]) -> Removal | None:
    """How the effects of all groups that must not count are taken out under a prior; None if there are none."""
    chosen = [(group, odds) for group, odds in zip(groups, node.prior.odds, strict=True) if odds and not group.counts]
    return _by_effects(node, chosen) if chosen else None


def _by_effects(node: _Node, chosen: Sequence[tuple[ColumnGroup, float]]) -> Removal:
    """Columns, and what strengths say of their effects.

    With D the prior variances of the effects b in units of spread^2, b given the strengths is normal with mean
    ``D Z' inv(R) (t - mean)`` and covariance ``spread^2 (D - D Z' inv(R) Z D)``.
    """
    shape = node.prior.shape
    if shape is None:
        raise ValueError("without a shape there are no effects")
    values = np.concatenate([group.values for group, _ in chosen], axis=1)
    each = [np.full(len(group.columns), odds / len(group.columns)) for group, odds in chosen]
    variance = node.prior.rest * np.concatenate(each) / (1.0 + sum(node.prior.odds))
    gain = variance[:, None] * (values.T @ shape.precision)
    spread = node.fit.prior_spread * node.fit.repeats.stretch
    remaining = np.diag(variance) - gain @ values * variance
    # Columns that say nearly the same leave next to nothing: a root by eigenvalues bears that.
    eigenvalues, axes = np.linalg.eigh((remaining + remaining.T) / 2)
    root = axes * np.sqrt(np.maximum(eigenvalues, 0.0)) @ axes.T
    return Removal(values=values, gain=gain, mean=spread * shape.mean, root=rounded(spread * root, STRENGTH_DECIMALS))


def _effects(nodes: Sequence[_Node], groups: Sequence[ColumnGroup], informed: Fit) -> Iterable[ColumnEffect]:
    """Mean and standard error of each column's effect over all priors; where it does not count it has none."""
    weights = _shares([node.log_weight for node in nodes]) * (1.0 - informed.no_signal)
    names = [(group, column) for group in groups for column in group.columns]
    mean, square, counted = np.zeros(len(names)), np.zeros(len(names)), np.zeros(len(names))
    for weight, node in zip(weights.tolist(), nodes, strict=True):
        of = np.repeat(node.prior.odds, [len(group.columns) for group in groups])
        if not of.any():
            continue
        removal = _by_effects(node, list(zip(groups, node.prior.odds, strict=True)))
        effect = removal.effect(node.fit.strength)
        scatter = removal.gain @ _covariance(node.fit) @ removal.gain.T + removal.root @ removal.root.T
        mean += weight * effect
        square += weight * (effect**2 + np.diagonal(scatter))
        counted += weight * (of > 0)
    error = np.sqrt(np.maximum(square - mean**2, 0.0))
    figures = rounded([mean, error, counted], _DECIMALS).T.tolist()
    for (group, column), (effect, standard_error, probability) in zip(names, figures, strict=True):
        yield ColumnEffect(
            group=group.name,
            column=column,
            effect=effect,
            standard_error=standard_error,
            probability=probability if group.counts else 1.0,
            counts=group.counts,
        )
