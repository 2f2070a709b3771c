"""Packs by tier: the document's table, one form down for low R, and a budget that holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import ContentTier
from paragone.memory.packing.by_tier import CandidateFile, by_tiers, minimum_tokens, tier_form
from paragone.wire.pack import PackForm

FULL, SIGNATURES, POINTER = PackForm.FULL, PackForm.SIGNATURES, PackForm.POINTER


def file(path, worth=1.0, full=1000, signatures=100, pointer=10, tier=ContentTier.MEDIUM, **named):
    prices = {FULL: full, SIGNATURES: signatures, POINTER: pointer}
    prices = {form: price for form, price in prices.items() if price is not None}
    return CandidateFile(path=path, worth=worth, prices=prices, tier=tier, **named)


@st.composite
def files(draw, most=8):
    return [
        CandidateFile(
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
