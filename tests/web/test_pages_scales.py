"""Scales: round numbers in their places, few enough to be read."""

import pytest

from paragone.web.pages.rendering import MOST_MARKS, scale, scale_of
from paragone.wire.board import BoardRow


def row(low, high):
    return BoardRow(id="a", text="", rank=1, low=low, high=high, elo=1200, wins=0, losses=0, ties=0, matches=0)


def test_marks_are_round_numbers_at_their_places():
    found = scale(900, 1700)
    assert [name for _, name in found.marks] == ["1000", "1200", "1400", "1600"]
    assert [at for at, _ in found.marks] == pytest.approx([12.5, 37.5, 62.5, 87.5])
    assert found.grid.startswith("linear-gradient(var(--tick),var(--tick)) 12.50% 0/1px 100% no-repeat,")


def test_marks_below_zero_have_a_long_minus_and_zero_is_one():
    assert [name for _, name in scale(-1, 1).marks] == ["−1", "−0.5", "0", "0.5", "1"]


@pytest.mark.parametrize("width", [1e-6, 0.37, 1.0, 3.99, 41.0, 998.0, 5e7])
def test_there_are_some_marks_and_never_too_many(width):
    assert 2 <= len(scale(13.7, 13.7 + width).marks) <= MOST_MARKS


@pytest.mark.parametrize(("least", "most"), [(5, 5), (0, float("inf")), (2, 1)])
def test_a_scale_of_no_width_has_no_marks(least, most):
    assert scale(least, most).marks == ()
    assert scale(least, most).grid == ""


def test_the_scale_of_rows_holds_them_all():
    assert (scale_of([row(900, 1100), row(None, None), row(1000, 1300)]).least, scale_of([row(1, 2)]).most) == (900, 2)
    assert scale_of([row(None, None)]) is None
