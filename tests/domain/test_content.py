"""Content and its tiers."""

import pytest

from paragone.domain.content import Content, ContentKind, ContentTier, content_tier


@pytest.mark.parametrize(
    ("elo", "tier"),
    [
        (4000.0, ContentTier.HIGH),
        (1600.0, ContentTier.HIGH),
        (1599.5, ContentTier.HIGH),
        (1599.4, ContentTier.MEDIUM),
        (1199.998, ContentTier.MEDIUM),
        (1199.0, ContentTier.LOW),
        (800.0, ContentTier.LOW),
        (799.4, ContentTier.VERY_LOW),
        (100.0, ContentTier.VERY_LOW),
    ],
)
def test_a_tier_goes_by_the_rating_as_it_is_shown(elo: float, tier: ContentTier) -> None:
    assert content_tier(elo) is tier
    assert content_tier(float(f"{elo:.0f}")) is tier, "what a table shows lies in the tier that it names"


def test_content_is_the_same_by_kind_and_id_whatever_its_path() -> None:
    one = Content(kind=ContentKind.SYMBOL, id="@a.py::f", path="a.py")
    assert one == Content(kind=ContentKind.SYMBOL, id="@a.py::f")
    assert hash(one) == hash(Content(kind=ContentKind.SYMBOL, id="@a.py::f"))
    assert one != Content(kind=ContentKind.FILE, id="@a.py::f", path="a.py")
