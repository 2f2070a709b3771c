"""Scores by criterion as points of a drawing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.web.pages.item import RADIUS, radar


def test_four_scores_lie_on_the_four_arms():
    drawn = radar([("a", 1.0), ("b", 0.5), ("c", 0.0), ("d", 0.25)])
    assert drawn.area.replace("-0.0", "0.0") == "0.0,-100.0 50.0,0.0 0.0,0.0 -25.0,0.0"
    assert [spoke.anchor for spoke in drawn.spokes] == ["middle", "start", "middle", "end"]
    assert len(drawn.rings) == 4
    assert drawn.alt == "Mean scores: a 100%, b 50%, c 0%, d 25%"


@pytest.mark.parametrize("count", [0, 1, 2, 11])
def test_too_few_are_no_area_and_too_many_cannot_be_told_apart(count):
    assert radar([(f"c{place}", 0.5) for place in range(count)]) is None


@given(st.lists(st.tuples(st.text(), st.floats(-2, 3)), min_size=3, max_size=10))
def test_nothing_is_drawn_outside_the_circle(scores):
    drawn = radar(scores)
    points = [tuple(map(float, point.split(","))) for point in drawn.area.split()]
    assert len(points) == len(scores)
    assert all(x * x + y * y <= (RADIUS + 0.1) ** 2 for x, y in points)
    assert all(len(spoke.name) <= 16 for spoke in drawn.spokes)
