"""The posterior of a pool: the fit over all evidence, with intervals and a forecast."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import exp, isfinite
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from paragone.domain import Comparison, Forecast, Goal, GoldPair, PlainRow
from paragone.domain.rounding import POINT_DECIMALS, SCALE_DECIMALS, rounded
from paragone.intake.vote import UNNAMED
from paragone.pairing.forecast import forecast, outlook
from paragone.ratings.bradley_terry import fit
from paragone.ratings.drift import Drift, drifts, stretch
from paragone.ratings.elo import to_elo
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import Fit, FitOptions
from paragone.ratings.intervals import rank_intervals, ranks, rating_intervals
from paragone.ratings.posterior_draws import draws
from paragone.tournaments.anchoring import Anchored, anchored, indexed

if TYPE_CHECKING:
    from paragone.ratings.side_information import ColumnEffect, ColumnGroup, InformedFit

FloatArray = npt.NDArray[np.float64]

NO_SIGNAL = 2 / 3
"""Probability, before evidence, that the answers hold nothing but chance. With one far pair in six in each batch, it
keeps the expected tau of coin flips below .1 and costs real signals nothing from ten calls an item on."""


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """The posterior of a pool's strengths.

    Attributes:
        ids: Item ids; every array is in this order.
        fit: The fit itself.
        seed: Seeds the draws.
        goal: The ranking asked for.
        level: Probability that the intervals are meant to hold.
        initial: The rating of an average item, in Elo points.
        anchored: What was fitted, and in which direction the judges answer; None where nobody asked.
        without: The fit by answers alone, where columns have a part in the other or who judged is taken out; else None.
        effects: What each column says about strengths.
        rated: Items that a model had rated before the answers came.
    """

    ids: tuple[str, ...]
    fit: Fit
    seed: int
    goal: Goal
    level: float
    initial: float
    anchored: Anchored | None = None
    rated: int = 0

    @property
    def mirrored(self) -> float:
        """Probability that the whole board is upside down."""
        return 0.0 if self.anchored is None else self.anchored.directions.mirrored

    @cached_property
    def strength(self) -> FloatArray:
        """Posterior means in nats, the board's mirror image included, shape (items,)."""
        return self.fit.strength * ((1.0 - 2.0 * self.mirrored) * self.stretch)

    @cached_property
    def drifts(self) -> Mapping[str, Drift]:
        """By judge, whether its answers followed other strengths later than at first, where that can be looked at."""
        if self.anchored is None or self.anchored.consensus is not None:
            return {}
        return drifts(self.fit)

    @cached_property
    def stretch(self) -> float:
        """What strengths and draws are those of the fit times for drifts that are clear; 1 where none is."""
        return stretch(self.fit, self.drifts)

    without: Fit | None = None
    effects: "tuple[ColumnEffect, ...]" = ()

    @cached_property
    def draws(self) -> FloatArray:
        """Posterior draws of the strengths in nats, shape (draws, items)."""
        items = len(self.ids)
        drawn = self.stretch * draws(self.fit, draw_count(items), np.random.default_rng([self.seed, items]))
        if not self.mirrored:
            return drawn
        # Every so many-th row is turned round: as evenly spaced as can be.
        turned = np.diff(np.floor(self.mirrored * np.arange(len(drawn) + 1) + 0.5)) > 0
        return np.where(turned[:, None], -drawn, drawn)

    @cached_property
    def forecast(self) -> Forecast:
        """How good the ranking is expected to be."""
        return forecast(self.strength, self.draws, self.goal)

    def outlook(self, answers: int) -> Forecast:
        """Roughly what the forecast would be after as many answers again."""
        return outlook(self.strength, self.draws, self.goal, calls_made=answers, calls=answers)

    @cached_property
    def strengths(self) -> Mapping[str, PlainRow]:
        """By item id, in Elo points."""
        low, high = rating_intervals(replace(self.fit, strength=self.strength), self.level, self.draws)
        ends = (self.strength, low, high)
        points = (rounded(to_elo(nats, initial=self.initial), POINT_DECIMALS).tolist() for nats in ends)
        reported = ranks(self.strength)
        rank_columns = (rank.tolist() for rank in (reported, *rank_intervals(self.draws, self.level, reported)))
        names = ("id", "rating", "low", "high", "rank", "rank_low", "rank_high")
        columns = zip(self.ids, *points, *rank_columns, strict=True)
        return {row[0]: PlainRow(**dict(zip(names, row, strict=True))) for row in columns}

    @cached_property
    def positions(self) -> dict[str, tuple[float, float, float]]:
        """By judge, the position term in nats with its interval; left out where it is not identified."""
        reach = NormalDist().inv_cdf((1 + self.level) / 2)
        terms = zip(self.fit.judges, self.fit.position.tolist(), self.fit.position_se.tolist(), strict=True)
        ends = {judge: (at, at - reach * se, at + reach * se) for judge, at, se in terms if isfinite(at)}
        return {judge: _rounded(*self._as_given(judge, term)) for judge, term in ends.items()}

    @cached_property
    def slopes(self) -> dict[str, tuple[float, float, float]]:
        """By judge, how sharply it distinguishes items, with its interval; empty if there is only one judge."""
        reach = NormalDist().inv_cdf((1 + self.level) / 2)
        terms = zip(self.fit.judges, self.fit.slope.tolist(), self.fit.slope_se.tolist(), strict=True)
        ends = {judge: (at, at / exp(reach * se), at * exp(reach * se)) for judge, at, se in terms if se > 0}
        return {judge: _rounded(*self._as_given(judge, term)) for judge, term in ends.items()}

    def _as_given(self, judge: str, term: tuple[float, float, float]) -> tuple[float, float, float]:
        """A judge's term with its interval, of its answers as it gave them: the fit may have turned them round."""
        at, low, high = term
        return (-at, -high, -low) if judge in self.inverted else term

    @property
    def is_anchored(self) -> bool:
        """Whether there are gold pairs, or judges that are turned round."""
        return self.anchored is not None and self.anchored.direction is not None

    @cached_property
    def inverted(self) -> frozenset[str]:
        """Judges whose answers are turned round."""
        if self.anchored is None:
            return frozenset()
        judges = self.anchored.as_answered.judges
        return frozenset(judges[at] for at in np.flatnonzero(self.anchored.directions.sign < 0).tolist())

    @cached_property
    def alone(self) -> "Posterior | None":
        """The posterior by answers alone, where columns have a part in this one."""
        return None if self.without is None else replace(self, fit=self.without, without=None, effects=())

    @property
    def method(self) -> dict[str, Any]:
        """What made the strengths: enough to make them again."""
        return self.fit.method


def _rounded(at: float, low: float, high: float) -> tuple[float, float, float]:
    return round(at, SCALE_DECIMALS), round(low, SCALE_DECIMALS), round(high, SCALE_DECIMALS)


def fit_options(judges: Collection[str], *, position: bool = True, repeats: bool | None = None) -> FitOptions:
    """The terms of a fit.

    Args:
        judges: Identities of the judges.
        position: Whether the order of presentation was recorded, so that each judge has a position term.
        repeats: Whether answers to one pair by one judge may be repeats of the same question. By default they may for
            all judges if the order was recorded; if not, votes without a named judge are independent, by many people.
    """
    if repeats is None:
        repeating = True if position else frozenset(judges) - {UNNAMED}
        return FitOptions(position=position, repeats=repeating, no_signal=NO_SIGNAL)
    return FitOptions(position=position, repeats=repeats, no_signal=NO_SIGNAL)


_BY_ORDER = fit_options(())


def fit_posterior(
    ids: Sequence[str],
    comparisons: Sequence[Comparison] | Evidence,
    *,
    goal: Goal,
    level: float = 0.95,
    initial: float = 1200.0,
    seed: int = 0,
    options: FitOptions = _BY_ORDER,
    gold: Sequence[GoldPair] = (),
    by_panel: bool = False,
    groups: "Sequence[ColumnGroup]" = (),
    differences: tuple[str, ...] = (),
    by_judge: bool = False,
    prior: Mapping[str, float] | None = None,
) -> Posterior:
    """Fit the evidence.

    The fit starts cold each time. Starting from an earlier fit would be quicker, but the last digits of the result
    would then depend on where a run was interrupted.

    Args:
        ids: The pool's items.
        comparisons: All answered comparisons, or evidence over the same items.
        goal: The ranking that the forecast is about.
        level: Probability that intervals are meant to hold.
        initial: The rating of an average item, in Elo points.
        seed: Seeds the draws.
        options: The terms of the fit; see ``fit_options``.
        gold: Pairs whose better item is known; those about other items are left out.
        by_panel: Whether a panel on the same questions gives verdicts on these without gold, too.
        groups: Columns of the items.
        differences: What the differences between the sides of comparisons are called, which the evidence then has.
        by_judge: Whether to compare with a fit that takes all judges for one, whose answers are independent.
        prior: Ratings of a model, by item, that the answers correct; None for none.

    Raises:
        InvalidVotes: If there are gold pairs, and all are about other items.
    """
    evidence = comparisons if isinstance(comparisons, Evidence) else Evidence.of(comparisons, ids)
    is_cached = is_small(evidence)
    question = _Question(
        ids=tuple(ids),
        evidence=evidence,
        content=evidence.content if is_cached else (),
        goal=goal,
        level=level,
        initial=initial,
        seed=seed,
        options=options,
        gold=indexed(gold, ids),
        by_panel=by_panel,
        groups=tuple(groups),
        differences=differences,
        by_judge=by_judge,
        columns=tuple((each.name, each.columns, each.counts, each.values.tobytes()) for each in groups)
        if is_cached
        else (),
        prior=None if prior is None else tuple(prior.get(id) for id in ids),
    )
    return _recent(question) if is_cached else _fitted(question)


_RECENT, _MOST_ITEMS, _MOST_EVIDENCE = 16, 100, 5000
"""Posteriors that are kept, and up to which size: the largest has about two megabytes with its draws."""


def is_small(evidence: Evidence) -> bool:
    """Whether what is made of evidence is kept for whoever asks again."""
    return evidence.item_count <= _MOST_ITEMS and len(evidence) <= _MOST_EVIDENCE


@dataclass(frozen=True, kw_only=True)
class _Question:
    """What a posterior is made of; equal where all numbers are."""

    ids: tuple[str, ...]
    evidence: Evidence = field(compare=False)
    content: tuple[object, ...]
    goal: Goal
    level: float
    initial: float
    seed: int
    options: FitOptions
    gold: tuple[tuple[int, int], ...]
    by_panel: bool
    prior: tuple[float | None, ...] | None

    groups: "tuple[ColumnGroup, ...]" = field(compare=False)
    differences: tuple[str, ...]
    by_judge: bool
    columns: tuple[object, ...]


def _fitted(question: _Question) -> Posterior:
    anchors = informed = None
    evidence, options = question.evidence, question.options
    if question.differences:
        from paragone.ratings.side_differences import fit_styled

        informed = fit_styled(evidence, question.differences, options)
    else:
        if len(evidence):  # else columns or a prior alone, before the first answer
            anchors = anchored(evidence, options, question.gold, by_panel=question.by_panel)
            evidence, options = anchors.evidence, anchors.options
        if question.groups or question.prior is not None:
            informed = _informed(question, evidence, options)
    without = informed.without if informed is not None and informed.effects else None
    if question.by_judge:
        without = fit(question.evidence.by_one_judge(UNNAMED), replace(question.options, repeats=False))
    return Posterior(
        ids=question.ids,
        fit=fit(evidence, options) if informed is None else informed.fit,
        seed=question.seed,
        goal=question.goal,
        level=question.level,
        initial=question.initial,
        anchored=anchors,
        without=without,
        effects=() if informed is None else informed.effects,
        rated=sum(rating is not None for rating in question.prior or ()),
    )


def _informed(question: _Question, evidence: Evidence, options: FitOptions) -> "InformedFit":
    """The fit with what is known of the items; where a model has rated them before, the answers correct its ratings."""
    from paragone.ratings.side_information import fit_informed

    if question.prior is None:
        return fit_informed(evidence, question.groups, options)
    from paragone.ratings.model_prior import centres

    ratings = np.array([np.nan if rating is None else rating for rating in question.prior])
    return fit_informed(evidence, question.groups, options, centres(ratings))


# The last stop of a run and its board read the same evidence on their own, as do a run on a server and the pages that
# show it. Their posterior is the same object then, whose draws, most of the work, are made once.
_recent = lru_cache(_RECENT)(_fitted)


def draw_count(items: int) -> int:
    """Draws that keep rank intervals steady in small pools and memory small in large ones."""
    return 1000 if items <= 2000 else 200
