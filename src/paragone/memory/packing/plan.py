"""Which file goes into a pack in which form. Pure: what each form of a file would cost is given.

A file is worth its odds of being needed next. A form has a share of that: all of it whole, four fifths as signatures,
a twentieth as a pointer. The budget is spent step by step where a token buys the most, each file going from nothing to
its pointer, its signatures and the whole of it in the order that its prices make worth while. That is the greedy rule
for a knapsack of which each item has several sizes, at most one step away from the best there is.

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
"""What a form is worth, where the whole file is worth 1. Measured: ``benchmarks/memory_pack.py``."""

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
        path: Its id, which settles what is equal otherwise.
        worth: Its odds of being needed next.
        prices: Tokens of each form that there is of it.
        tier: How it stands by its rating.
        pinned: Always in and first, as much of it as there is room for.
        is_low: Whether its R is known, and low.
    """

    path: str
    worth: float
    prices: Mapping[PackForm, int]
    tier: ContentTier
    pinned: bool = False
    is_low: bool = False


@dataclass(slots=True)
class Allotment:
    """Forms that were given out, and the tokens left.

    Attributes:
        remaining: Tokens; infinite where nothing bounds them.
        forms: By path.
    """

    remaining: float
    forms: dict[str, PackForm] = field(default_factory=dict)

    def take(self, candidate: Candidate, form: PackForm) -> bool:
        """Give a file this form instead of the one it has, where there is room for it."""
        now = self.forms.get(candidate.path)
        more = candidate.prices[form] - (candidate.prices[now] if now is not None else 0)
        if more > self.remaining:
            return False
        self.forms[candidate.path] = form
        self.remaining -= more
        return True

    def take_most(self, candidate: Candidate, forms: Iterable[PackForm]) -> None:
        """Give a file the first of these forms that there is room for and that is more than it has."""
        now = self.forms.get(candidate.path, PackForm.EXCLUDED)
        for form in forms:
            if form in candidate.prices and _FORMS.index(form) < _FORMS.index(now) and self.take(candidate, form):
                return


def odds(rating: float) -> float:
    """The odds that a rating in Elo points stands for; those of the initial rating of the medium tier are 1."""
    return math.exp((rating - UNUSED) * NATS_PER_POINT)


def minimum_tokens(candidates: Iterable[Candidate]) -> int:
    """Tokens without which not all that is pinned is in."""
    return sum(min(candidate.prices.values()) for candidate in candidates if candidate.pinned)


def by_budget(candidates: Sequence[Candidate], budget: int) -> dict[str, PackForm]:
    """Forms by path under a budget: what is pinned first, then whatever a token buys the most of.

    A file of low R is never whole, unless it is pinned. Files that are not named stay out.

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
        budget: Tokens for all of them, at least ``minimum_tokens(candidates)``: what does not fit gets a
            smaller form. No limit if None.
    """
    allotment = _pinned(candidates, budget)
    for candidate in sorted((candidate for candidate in candidates if not candidate.pinned), key=_by_worth):
        allotment.take_most(candidate, _FORMS[_FORMS.index(tier_form(candidate)) : -1])
    return allotment.forms


def tier_form(candidate: Candidate) -> PackForm:
    """The form that the tier of a file asks for, and its R allows."""
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
    """A file's forms along the upper hull of usefulness over price, each with its place in the order of all steps."""
    price, use = 0, 0.0
    forms = [form for form in _open_forms(candidate) if form in candidate.prices]
    while forms := [form for form in forms if candidate.prices[form] > price and USEFULNESS[form] > use]:
        slopes = {form: (USEFULNESS[form] - use) / (candidate.prices[form] - price) for form in forms}
        best = max(forms, key=lambda form: (slopes[form], USEFULNESS[form]))
        yield (-candidate.worth * slopes[best], candidate.path, candidate.prices[best]), candidate, best
        price, use = candidate.prices[best], USEFULNESS[best]


def _by_worth(candidate: Candidate) -> tuple[float, str]:
    return -candidate.worth, candidate.path
