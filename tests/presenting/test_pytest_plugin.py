"""The assertions for pytest, by themselves and as pytest finds them."""

import subprocess
import sys
from statistics import NormalDist

import pytest

import paragone
from paragone.domain import Board, BoardRow
from paragone.errors import InvalidConfig, NotFound
from paragone.pytest_plugin import assert_compared, assert_ranked_above


def row(id, rating, half):
    return BoardRow(
        id=id, rank=1, rank_low=1, rank_high=2, rating=rating, low=rating - half, high=rating + half, elo=1200.0,
        wins=0, losses=0, ties=0, matches=0,
    )  # fmt: skip


BOARD = Board(items=(row("new", 1260.0, 60.0), row("old", 1200.0, 30.0), row("same", 1200.0, 0.0)))


def test_the_bound_from_a_board_by_hand():
    # Standard errors 60 / 1.96 and 30 / 1.96, added up: 60 / 45.918 = 1.3067.
    reached = NormalDist().cdf(60.0 / (90.0 / 1.959964))
    assert reached == pytest.approx(0.9043, abs=1e-4)
    assert_ranked_above("new", "old", BOARD, probability=0.904)
    with pytest.raises(
        AssertionError, match=r"new is above old with probability 0\.904 at the least, not 0\.91: new 1260"
    ):
        assert_ranked_above("new", "old", BOARD, probability=0.91)
    with pytest.raises(AssertionError, match=r"probability 0\.096"):
        assert_ranked_above("old", "new", BOARD)


def test_votes_are_fitted(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("a,b,winner\n" + "new,old,new\n" * 30 + "new,old,old\n" * 5)
    assert_ranked_above("new", "old", file, probability=0.95)
    with pytest.raises(NotFound, match=r"no item 'olf'; did you mean old\?"):
        assert_ranked_above("new", "olf", file)


def longer(first, second, criteria):
    return "first" if len(first.text) > len(second.text) else "second"


def test_results_of_a_comparison():
    old = {f"q{number}": "no" for number in range(30)}
    result = paragone.compare(dict.fromkeys(old, "longer"), old, judge=longer)
    assert_compared(result)
    assert_compared(result, "not-worse")
    assert_ranked_above("new", "old", result, probability=0.97)
    with pytest.raises(AssertionError, match=r"probability 0\.000"):
        assert_ranked_above("old", "new", result)
    worse = paragone.compare(old, dict.fromkeys(old, "longer"), judge=longer)
    with pytest.raises(AssertionError, match="asserted not-worse, but new is worse than old; it wins 0"):
        assert_compared(worse, "not-worse")
    with pytest.raises(NotFound, match="new or old"):
        assert_ranked_above("new", "other", result)


def test_wrong_use_is_no_failed_assertion():
    with pytest.raises(InvalidConfig, match="strictly between"):
        assert_ranked_above("new", "old", BOARD, probability=1.0)
    with pytest.raises(InvalidConfig, match=r"better, not-worse or settled, not 'beter'; did you mean better\?"):
        assert_compared(None, "beter")


def test_the_fixtures_are_those_functions(assert_ranked_above, assert_compared):
    from paragone import pytest_plugin

    assert assert_ranked_above is pytest_plugin.assert_ranked_above
    assert assert_compared is pytest_plugin.assert_compared


def test_pytest_loads_it_without_what_it_needs_later(tmp_path):
    program = "import sys, paragone.pytest_plugin; print(sorted({'numpy', 'scipy', 'sqlalchemy'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert shown.stdout == "[]\n"
