"""What the answers say about the judges."""

from collections import Counter

import pytest

from paragone.analysis.board_rows import judge_reports
from paragone.domain import Choice


def answers(judge, choices):
    letters = {"1": Choice.FIRST, "2": Choice.SECOND, "t": Choice.TIE}
    return {judge: Counter(letters[letter] for letter in choices)}


def test_the_busiest_judge_comes_first():
    found = judge_reports(answers("x", "11") | answers("y", "112t"), {"y": (0.4, 0.1, 0.7)})
    assert [report.judge for report in found] == ["y", "x"]
    assert found[0].comparisons == 4
    assert found[0].first_share == pytest.approx(2 / 3)
    assert found[0].tie_rate == 0.25
    assert (found[0].position_bias, found[0].position_low, found[0].position_high) == (0.4, 0.1, 0.7)
    assert found[1].position_bias is None


def test_slopes_are_reported_where_several_judges_compared():
    slopes = {"x": (1.5, 1.2, 1.9), "y": (0.7, 0.5, 0.9)}
    several = judge_reports(answers("x", "11") | answers("y", "112"), {}, slopes)
    assert [(report.slope, report.slope_low, report.slope_high) for report in several] == [slopes["y"], slopes["x"]]
    assert judge_reports(answers("x", "11"), {}, slopes)[0].slope is None


def test_a_judge_that_only_ties_has_no_first_share():
    assert judge_reports(answers("x", "tt"), {})[0].first_share is None
