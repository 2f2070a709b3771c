"""Which file goes into a pack in which form: the budget holds, what is pinned is in, a token buys what it can."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import ContentTier
from paragone.memory.packing.plan import USEFULNESS, Candidate, by_budget, by_tiers, minimum_tokens, odds, tier_form
from paragone.wire.pack import PackForm

FULL, SIGNATURES, POINTER, EXCLUDED = PackForm


def file(path, worth=1.0, full=1000, signatures=100, pointer=10, tier=ContentTier.MEDIUM, **named):
    prices = {FULL: full, SIGNATURES: signatures, POINTER: pointer}
    prices = {form: price for form, price in prices.items() if price is not None}
    return Candidate(path=path, worth=worth, prices=prices, tier=tier, **named)


@st.composite
def files(draw, most=8):
    return [
        Candidate(
            path=f"{number}.py",
            worth=draw(st.floats(0.01, 100.0)),
            prices={POINTER: draw(st.integers(8, 30))}
            | draw(st.sampled_from([{}, {SIGNATURES: draw(st.integers(10, 300))}]))
            | {FULL: draw(st.integers(10, 2000))},
            tier=draw(st.sampled_from(ContentTier)),
            pinned=draw(st.sampled_from([False, False, True])),
            is_low=draw(st.booleans()),
        )
        for number in range(draw(st.integers(0, most)))
    ]


def cost(candidates, forms):
    return sum(one.prices[forms[one.path]] for one in candidates if one.path in forms)


def value(candidates, forms):
    return sum(one.worth * USEFULNESS[forms[one.path]] for one in candidates if one.path in forms)


def best_of_all(candidates, budget):
    """The plain twin: every combination of forms is tried."""
    choices = [[None, *(form for form in one.prices if form is not FULL or not one.is_low)] for one in candidates]
    worth = 0.0
    for chosen in itertools.product(*choices):
        forms = {one.path: form for one, form in zip(candidates, chosen, strict=True) if form is not None}
        if cost(candidates, forms) <= budget:
            worth = max(worth, value(candidates, forms))
    return worth


def test_odds_are_those_of_the_elo_scale():
    assert odds(1200.0) == pytest.approx(1.0)
    assert odds(1600.0) == pytest.approx(10.0)
    assert odds(800.0) == pytest.approx(0.1)


class TestBudget:
    def test_a_worked_example(self):
        # a token of a.py's signatures buys 4 x 0.8 / 100, the rest of it 4 x 0.2 / 900; of b.py's a quarter of that
        pack = [file("a.py", 4.0), file("b.py", 1.0), file("c.py", 0.02)]
        assert by_budget(pack, 1110) == {"a.py": FULL, "b.py": SIGNATURES, "c.py": POINTER}
        assert by_budget(pack, 1109) == {"a.py": FULL, "b.py": SIGNATURES}
        assert by_budget(pack, 1099) == {"a.py": SIGNATURES, "b.py": SIGNATURES, "c.py": SIGNATURES}
        assert by_budget(pack, 120) == {"a.py": SIGNATURES, "b.py": POINTER, "c.py": POINTER}
        assert by_budget(pack, 9) == {}

    def test_where_all_fits_all_is_whole(self):
        pack = [file(f"{number}.py", 1.0 + number) for number in range(20)]
        assert set(by_budget(pack, 20_000).values()) == {FULL}

    def test_small_files_are_whole_where_their_signatures_cost_as_much(self):
        assert by_budget([file("a.py", full=90, signatures=100)], 95) == {"a.py": FULL}

    def test_what_has_no_signatures_is_whole_or_a_pointer(self):
        assert by_budget([file("a.toml", signatures=None)], 999) == {"a.toml": POINTER}

    def test_low_r_is_never_whole(self):
        assert by_budget([file("a.py", is_low=True), file("b.toml", signatures=None, is_low=True)], 5000) == {
            "a.py": SIGNATURES,
            "b.toml": POINTER,
        }

    def test_what_is_pinned_is_in_before_all_else_whatever_its_worth_and_r(self):
        pack = [file("law.md", 0.001, pinned=True, is_low=True), file("hot.py", 100.0)]
        assert by_budget(pack, 1050) == {"law.md": FULL, "hot.py": POINTER}
        assert by_budget(pack, 130) == {"law.md": SIGNATURES, "hot.py": POINTER}
        assert by_budget(pack, 10) == {"law.md": POINTER}

    @given(files(), st.integers(0, 6000))
    def test_the_budget_is_never_exceeded_and_all_that_is_pinned_is_in(self, pack, more):
        budget = minimum_tokens(pack) + more
        forms = by_budget(pack, budget)
        assert cost(pack, forms) <= budget
        assert {one.path for one in pack if one.pinned} <= set(forms)
        assert all(form is not EXCLUDED for form in forms.values())
        assert all(forms.get(one.path) is not FULL for one in pack if one.is_low and not one.pinned)

    @given(files(), st.integers(0, 6000), st.randoms())
    def test_the_order_of_files_changes_nothing(self, pack, more, random):
        turned = random.sample(pack, len(pack))
        assert by_budget(turned, minimum_tokens(pack) + more) == by_budget(pack, minimum_tokens(pack) + more)

    @given(files(most=5), st.integers(0, 3000))
    def test_it_is_short_of_the_best_of_all_by_less_than_one_file(self, pack, budget):
        loose = [one for one in pack if not one.pinned]
        assert value(loose, by_budget(loose, budget)) <= best_of_all(loose, budget) + 1e-9
        lost = best_of_all(loose, budget) - value(loose, by_budget(loose, budget))
        assert lost <= max((one.worth for one in loose), default=0.0) + 1e-9


class TestTiers:
    @pytest.mark.parametrize(
        ("tier", "form", "low"),
        [
            (ContentTier.HIGH, FULL, SIGNATURES),
            (ContentTier.MEDIUM, SIGNATURES, POINTER),
            (ContentTier.LOW, POINTER, None),
            (ContentTier.VERY_LOW, None, None),
        ],
    )
    def test_the_documents_table_and_one_form_down_for_low_r(self, tier, form, low):
        assert by_tiers([file("a", tier=tier)], None) == ({"a": form} if form else {})
        assert by_tiers([file("a", tier=tier, is_low=True)], None) == ({"a": low} if low else {})

    def test_what_is_pinned_is_whole_whatever_its_tier_and_r(self):
        assert tier_form(file("a", tier=ContentTier.VERY_LOW, pinned=True, is_low=True)) is FULL
        assert by_tiers([file("a", tier=ContentTier.VERY_LOW, pinned=True)], None) == {"a": FULL}

    def test_what_has_no_signatures_is_a_pointer(self):
        assert by_tiers([file("a", signatures=None)], None) == {"a": POINTER}

    def test_under_a_budget_the_worthiest_keep_their_form(self):
        pack = [file("a", 2.0, tier=ContentTier.HIGH), file("b", 3.0, tier=ContentTier.HIGH)]
        assert by_tiers(pack, 1150) == {"b": FULL, "a": SIGNATURES}
        assert by_tiers(pack, 1015) == {"b": FULL, "a": POINTER}

    @given(files(), st.integers(0, 6000))
    def test_the_budget_is_never_exceeded_and_nothing_has_more_than_its_tier(self, pack, more):
        budget = minimum_tokens(pack) + more
        forms = by_tiers(pack, budget)
        order = list(PackForm)
        assert cost(pack, forms) <= budget
        assert {one.path for one in pack if one.pinned} <= set(forms)
        named = {one.path: one for one in pack}
        assert all(order.index(form) >= order.index(tier_form(named[path])) for path, form in forms.items())
