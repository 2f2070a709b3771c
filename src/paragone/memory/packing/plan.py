"""Chooses the form of each file in a pack: a pure function of what each form would cost.

A file is worth its odds of being needed next. Its forms have a share of that: the whole file all of it, signatures four
fifths, a pointer a twentieth. The budget is spent step by step where a token buys the most; each file advances from
nothing to pointer, signatures and the whole file in the order that its prices make worthwhile. This is the greedy rule
for a knapsack with several sizes of each item, at most one step away from the optimum.

Source: P. Sinha and A. A. Zoltners, "The Multiple-Choice Knapsack Problem", 1979.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from paragone.domain.content import ContentTier
from paragone.ratings.activation import UNUSED
from paragone.ratings.elo import NATS_PER_POINT
from paragone.wire.pack import PackForm

USEFULNESS = {PackForm.FULL: 1.0, PackForm.SIGNATURES: 0.8, PackForm.POINTER: 0.05}
"""The usefulness of each form, relative to the whole file. Measured: ``benchmarks/memory_pack.py``."""

FORM_OF_TIER = {
    ContentTier.HIGH: PackForm.FULL,
    ContentTier.MEDIUM: PackForm.SIGNATURES,
    ContentTier.LOW: PackForm.POINTER,
    ContentTier.VERY_LOW: PackForm.EXCLUDED,
}
"""Source: document M, "ELO Tier Thresholds"."""

_FORMS = tuple(PackForm)


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A file that may be packed.

    Attributes:
        path: Its id, which breaks ties.
        worth: Its odds of being needed next.
        prices: Tokens of each form that it has.
        tier: By its rating.
        pinned: Always in and first, as much of it as fits.
        is_low: Whether its R is known to be low.
    """

    path: str
    worth: float
    prices: Mapping[PackForm, int]
    tier: ContentTier
    pinned: bool = False
    is_low: bool = False


@dataclass(slots=True)
class Allotment:
    """The forms given out, and the tokens left.

    Attributes:
        remaining: Tokens; infinite without a budget.
        forms: By path.
    """

    remaining: float
    forms: dict[str, PackForm] = field(default_factory=dict)

    def take(self, candidate: Candidate, form: PackForm) -> bool:
        """Give a file this form instead of the one it has, if there is room."""
        now = self.forms.get(candidate.path)
        more = candidate.prices[form] - (candidate.prices[now] if now is not None else 0)
        if more > self.remaining:
            return False
        self.forms[candidate.path] = form
        self.remaining -= more
        return True

    def take_most(self, candidate: Candidate, forms: Iterable[PackForm]) -> None:
        """Give a file the first of these forms that fits and is more than it has."""
        now = self.forms.get(candidate.path, PackForm.EXCLUDED)
        for form in forms:
            if form in candidate.prices and _FORMS.index(form) < _FORMS.index(now) and self.take(candidate, form):
                return


def odds(rating: float) -> float:
    """The odds of a rating in points, ``10^((rating - 1200) / 400)``: 1 at the initial rating of the medium tier."""
    return math.exp((rating - UNUSED) * NATS_PER_POINT)


def minimum_tokens(candidates: Iterable[Candidate]) -> int:
    """Tokens that the pinned files take at least."""
    return sum(min(candidate.prices.values()) for candidate in candidates if candidate.pinned)


def by_budget(candidates: Sequence[Candidate], budget: int) -> dict[str, PackForm]:
    """Forms by path within a budget: pinned files first, then whatever a token buys the most of.

    A file of low R is never whole, unless it is pinned. Files without a form stay out.

    Args:
        candidates: Files, in any order.
        budget: Tokens for all of them; at least ``minimum_tokens(candidates)``.
    """
    allotment = _pinned(candidates, budget)
    unpinned = sorted((file for file in candidates if not file.pinned), key=_by_worth)
    for _, candidate, form in sorted((step for file in unpinned for step in _steps(file)), key=lambda step: step[0]):
        allotment.take(candidate, form)
    for file in unpinned:
        allotment.take_most(file, _open_forms(file))
    return allotment.forms


def by_tiers(candidates: Sequence[Candidate], budget: int | None) -> dict[str, PackForm]:
    """Forms by path by document M's thresholds: whole, signatures, pointer, nothing; low R is one form down.

    Args:
        candidates: Files, in any order.
        budget: Tokens for all of them, at least ``minimum_tokens(candidates)``: what does not fit gets a smaller form.
            No limit if None.
    """
    allotment = _pinned(candidates, budget)
    for candidate in sorted((candidate for candidate in candidates if not candidate.pinned), key=_by_worth):
        allotment.take_most(candidate, _FORMS[_FORMS.index(tier_form(candidate)) : -1])
    return allotment.forms


def tier_form(candidate: Candidate) -> PackForm:
    """The form for the tier of a file, given its R."""
    if candidate.pinned:
        return PackForm.FULL
    form = FORM_OF_TIER[candidate.tier]
    return _FORMS[min(_FORMS.index(form) + candidate.is_low, len(_FORMS) - 1)]


def _pinned(candidates: Sequence[Candidate], budget: int | None) -> Allotment:
    allotment = Allotment(math.inf if budget is None else budget)
    pinned = sorted((candidate for candidate in candidates if candidate.pinned), key=_by_worth)
    for candidate in pinned:
        allotment.take(candidate, min(candidate.prices, key=lambda form: candidate.prices[form]))
    for candidate in pinned:
        allotment.take_most(candidate, _FORMS)
    return allotment


def _open_forms(candidate: Candidate) -> tuple[PackForm, ...]:
    return _FORMS[1:-1] if candidate.is_low else _FORMS[:-1]


def _steps(candidate: Candidate) -> Iterator[tuple[tuple[float, str, int], Candidate, PackForm]]:
    """A file's forms along the upper hull of usefulness over price, each with its sort key among all steps.

    Slopes fall along the hull, so the greedy order over all files takes the steps of each file in their order. A form
    below the hull is never a step: a mixture of its neighbours buys more for as many tokens.
    """
    price, use = 0, 0.0
    forms = [form for form in _open_forms(candidate) if form in candidate.prices]
    while forms := [form for form in forms if candidate.prices[form] > price and USEFULNESS[form] > use]:
        slopes = {form: (USEFULNESS[form] - use) / (candidate.prices[form] - price) for form in forms}
        best = max(forms, key=lambda form: (slopes[form], USEFULNESS[form]))
        yield (-candidate.worth * slopes[best], candidate.path, candidate.prices[best]), candidate, best
        price, use = candidate.prices[best], USEFULNESS[best]


def _by_worth(candidate: Candidate) -> tuple[float, str]:
    return -candidate.worth, candidate.path
