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
from paragone.memory.packing.pack import PackForm
from paragone.ratings.activation import UNUSED
from paragone.ratings.elo import NATS_PER_POINT

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
        left: Tokens; infinite where nothing bounds them.
        forms: By path.
    """

    left: float
    forms: dict[str, PackForm] = field(default_factory=dict)

    def take(self, one: Candidate, form: PackForm) -> bool:
        """Give a file this form instead of the one it has, where there is room for it."""
        now = self.forms.get(one.path)
        more = one.prices[form] - (one.prices[now] if now is not None else 0)
        if more > self.left:
            return False
        self.forms[one.path] = form
        self.left -= more
        return True

    def take_most(self, one: Candidate, forms: Iterable[PackForm]) -> None:
        """Give a file the first of these forms that there is room for and that is more than it has."""
        now = self.forms.get(one.path, PackForm.EXCLUDED)
        for form in forms:
            if form in one.prices and _FORMS.index(form) < _FORMS.index(now) and self.take(one, form):
                return


def odds(rating: float) -> float:
    """The odds that a rating in Elo points stands for; those of the initial rating of the medium tier are 1."""
    return math.exp((rating - UNUSED) * NATS_PER_POINT)


def least(candidates: Iterable[Candidate]) -> int:
    """Tokens without which not all that is pinned is in."""
    return sum(min(one.prices.values()) for one in candidates if one.pinned)


def by_budget(candidates: Sequence[Candidate], budget: int) -> dict[str, PackForm]:
    """Forms by path under a budget: what is pinned first, then whatever a token buys the most of.

    A file of low R is never whole, unless it is pinned. Files that are not named stay out.

    Args:
        candidates: Files, in any order.
        budget: Tokens for all of them; at least ``least(candidates)``.
    """
    given = _pinned(candidates, budget)
    others = sorted((one for one in candidates if not one.pinned), key=_by_worth)
    for _, candidate, form in sorted((step for one in others for step in _steps(one)), key=lambda step: step[0]):
        given.take(candidate, form)
    for one in others:
        given.take_most(one, _open_forms(one))
    return given.forms


def by_tiers(candidates: Sequence[Candidate], budget: int | None) -> dict[str, PackForm]:
    """Forms by path by document M's thresholds: whole, signatures, pointer, nothing; low R is one form down.

    Args:
        candidates: Files, in any order.
        budget: Tokens for all of them, at least ``least(candidates)``: what does not fit has a lesser form. None
            bounds nothing.
    """
    given = _pinned(candidates, budget)
    for one in sorted((one for one in candidates if not one.pinned), key=_by_worth):
        given.take_most(one, _FORMS[_FORMS.index(wanted(one)) : -1])
    return given.forms


def wanted(one: Candidate) -> PackForm:
    """The form that the tier of a file asks for, and its R allows."""
    if one.pinned:
        return PackForm.FULL
    form = FORM_OF_TIER[one.tier]
    return _FORMS[min(_FORMS.index(form) + one.is_low, len(_FORMS) - 1)]


def _pinned(candidates: Sequence[Candidate], budget: int | None) -> Allotment:
    given = Allotment(math.inf if budget is None else budget)
    pinned = sorted((one for one in candidates if one.pinned), key=_by_worth)
    for one in pinned:
        given.take(one, min(one.prices, key=lambda form: one.prices[form]))
    for one in pinned:
        given.take_most(one, _FORMS)
    return given


def _open_forms(one: Candidate) -> tuple[PackForm, ...]:
    return _FORMS[1:-1] if one.is_low else _FORMS[:-1]


def _steps(one: Candidate) -> Iterator[tuple[tuple[float, str, int], Candidate, PackForm]]:
    """A file's forms along the upper hull of usefulness over price, each with its place in the order of all steps."""
    price, use = 0, 0.0
    forms = [form for form in _open_forms(one) if form in one.prices]
    while forms := [form for form in forms if one.prices[form] > price and USEFULNESS[form] > use]:
        slopes = {form: (USEFULNESS[form] - use) / (one.prices[form] - price) for form in forms}
        best = max(forms, key=lambda form: (slopes[form], USEFULNESS[form]))
        yield (-one.worth * slopes[best], one.path, one.prices[best]), one, best
        price, use = one.prices[best], USEFULNESS[best]


def _by_worth(one: Candidate) -> tuple[float, str]:
    return -one.worth, one.path
