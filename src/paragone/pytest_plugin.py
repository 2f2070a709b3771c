"""Assertions about rankings for pytest: the fixtures ``assert_ranked_above`` and ``assert_compared``.

pytest finds them by itself where paragone is installed. What they need is imported when a test uses them.
"""

from collections.abc import Callable
from statistics import NormalDist
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from paragone.domain import Board, BoardRow, PairedResult


def assert_ranked_above(better: str, worse: str, source: object, *, probability: float = 0.9) -> None:
    """Fail unless one item is better than another with this probability.

    Args:
        better: Id of the one that is to be above.
        worse: Id of the other.
        source: A board; recorded votes, as ``paragone.fit`` takes them, such as the path of a file; or the result of
            ``paragone.compare``.
        probability: How sure it must be. From a board it is a lower bound: the two intervals are taken to err in
            opposite directions. From a result it is one minus the anytime-valid p-value.

    Raises:
        AssertionError: Saying how sure it is.
        UsageError: If an item is not there, or votes cannot be read.
    """
    from paragone.domain import Board, PairedResult
    from paragone.errors import InvalidConfig

    if not 0.0 < probability < 1.0:
        raise InvalidConfig(f"probability lies strictly between 0 and 1, not {probability}")
    if isinstance(source, PairedResult):
        reached, words = _of_result(source, better, worse), str(source)
    else:
        board = source if isinstance(source, Board) else _fitted(source)
        above, below = _row(board, better), _row(board, worse)
        reached, words = _of_rows(above, below, board.level), f"{_rated(above)}, {_rated(below)}"
    if reached < probability:
        raise AssertionError(
            f"{better} is above {worse} with probability {reached:.3f} at the least, not {probability:g}: {words}"
        )


def assert_compared(result: "PairedResult", claim: str = "better") -> None:
    """Fail unless a comparison bears a claim out: ``better``, ``not-worse`` or ``settled``.

    Raises:
        AssertionError: With the verdict, the estimate and what it took.
        InvalidConfig: If there is no such claim.
    """
    from paragone.domain.refusals import listed
    from paragone.domain.suggestions import did_you_mean
    from paragone.errors import InvalidConfig
    from paragone.presenting.paired_comparison import CLAIMS

    if claim not in CLAIMS:
        raise InvalidConfig(f"the claim must be {listed(CLAIMS)}, not {claim!r}{did_you_mean(claim, CLAIMS)}")
    if result.verdict not in CLAIMS[claim]:
        raise AssertionError(f"asserted {claim}, but {result}")


def _fitted(source: object) -> "Board":
    from paragone.tournaments.recorded_votes import fit

    return fit(source)


def _row(board: "Board", id: str) -> "BoardRow":
    from paragone.domain.refusals import quoted
    from paragone.domain.suggestions import did_you_mean
    from paragone.errors import NotFound

    try:
        return board[id]
    except KeyError:
        raise NotFound(
            f"the board has no item {quoted(id)}{did_you_mean(id, [row.id for row in board.items])}"
        ) from None


def _of_rows(above: "BoardRow", below: "BoardRow", level: float) -> float:
    """The least probability that the intervals of two ratings allow: errors are added up, as if they were opposite."""
    wide = (above.high - above.low) + (below.high - below.low)
    if wide <= 0.0:
        return float(above.rating > below.rating)
    error = wide / (2 * NormalDist().inv_cdf((1 + level) / 2))
    return NormalDist().cdf((above.rating - below.rating) / error)


def _of_result(result: "PairedResult", better: str, worse: str) -> float:
    from paragone.domain.refusals import listed
    from paragone.errors import NotFound

    sides = (result.design.new, result.design.old)
    if {better, worse} != set(sides):
        raise NotFound(f"the comparison is of {listed(sides)}, not of {better!r} and {worse!r}")
    return 1.0 - (result.look.p_better if better == result.design.new else result.look.p_worse)


def _rated(row: "BoardRow") -> str:
    return f"{row.id} {row.rating:.0f} ({row.low:.0f} to {row.high:.0f})"


@pytest.fixture(name="assert_ranked_above")
def _ranked_above() -> Callable[..., None]:
    """``assert_ranked_above(better, worse, source, probability=0.9)``: fail unless one item is above another."""
    return assert_ranked_above


@pytest.fixture(name="assert_compared")
def _compared() -> Callable[..., None]:
    """``assert_compared(result, "better")``: fail unless a comparison bears a claim out."""
    return assert_compared
