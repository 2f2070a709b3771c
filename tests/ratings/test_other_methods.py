"""Other scores, by numbers worked out by hand."""

import sys

import numpy as np
import pytest

from paragone.errors import MissingExtra
from paragone.ratings.other_methods import OTHER_METHODS, Games


def games(*votes, items=3):
    """Votes as (winner, loser) or (a, b, score of a)."""
    rows = [(*vote, 1.0) if len(vote) == 2 else vote for vote in votes]
    first, second, score = zip(*rows, strict=True)
    return Games(
        first=np.array(first), second=np.array(second), score=np.array(score, dtype=float),
        weight=np.ones(len(rows)), items=items,
    )  # fmt: skip


CHAIN = games(*[(0, 1)] * 2, (1, 0), *[(1, 2)] * 2, (2, 1), *[(0, 2)] * 3, (2, 0))
UPSETS_FIRST = games((2, 0), (1, 0), (2, 1), *[(0, 1), (1, 2), (0, 2)] * 6)


@pytest.mark.parametrize("name", OTHER_METHODS)
def test_who_beats_the_others_is_highest_and_who_loses_is_lowest(name):
    scores, _ = OTHER_METHODS[name].score(UPSETS_FIRST)
    assert scores[0] > scores[1] > scores[2]


@pytest.mark.parametrize("name", OTHER_METHODS)
def test_ties_make_equals(name):
    scores, _ = OTHER_METHODS[name].score(games((0, 1, 0.5), (1, 2, 0.5), (2, 0, 0.5)))
    order_counts = OTHER_METHODS[name].in_order
    assert scores == pytest.approx(np.full(3, scores[0]), abs=1.0 if order_counts else 1e-6)


@pytest.mark.parametrize("name", ["winrate", "pagerank", "eigenvector", "newman"])
def test_the_order_of_votes_counts_only_where_it_is_said_to(name):
    assert not OTHER_METHODS[name].in_order
    forward, backward = (OTHER_METHODS[name].score(each)[0] for each in (CHAIN, CHAIN.backwards))
    assert forward == pytest.approx(backward, rel=1e-6)


def test_the_win_rate_is_the_mean_over_opponents():
    scores, _ = OTHER_METHODS["winrate"].score(CHAIN)
    assert scores == pytest.approx([(2 / 3 + 3 / 4) / 2, (1 / 3 + 2 / 3) / 2, (1 / 4 + 1 / 3) / 2])


def test_the_eigenvector_is_that_of_the_wins():
    wins = np.array([[0, 2, 3], [1, 0, 2], [1, 1, 0]], dtype=float)
    values, vectors = np.linalg.eig(wins)
    expected = np.abs(vectors[:, np.argmax(values.real)].real)
    scores, note = OTHER_METHODS["eigenvector"].score(CHAIN)
    assert scores / np.linalg.norm(scores) == pytest.approx(expected, abs=1e-8)
    assert note == ""


def test_one_period_of_glicko_2_is_the_example_of_its_author():
    """Glickman's paper begins at other ratings; from 1500 and 350, one win of equals is 1662.31."""
    scores, note = OTHER_METHODS["glicko2"].score(games((0, 1), items=2))
    assert scores == pytest.approx([1662.31, 1337.69], abs=0.01)
    assert note == "1 rating period"


def test_one_win_in_trueskill_by_hand():
    """Equals without draws: the density over the distribution function at nought is the root of two over pi."""
    variance = (25 / 3) ** 2 + (25 / 300) ** 2
    spread = (2 * (25 / 6) ** 2 + 2 * variance) ** 0.5
    v = (2 / np.pi) ** 0.5
    step, deviation = variance / spread * v, (variance * (1 - variance / spread**2 * v**2)) ** 0.5
    scores, _ = OTHER_METHODS["trueskill"].score(games((0, 1), items=2))
    assert scores == pytest.approx([25 + step - 3 * deviation, 25 - step - 3 * deviation], abs=1e-6)


def test_a_package_that_is_absent_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "glicko2", None)
    with pytest.raises(MissingExtra, match=r"the package glicko2; .*pip install 'paragone\[methods\]'"):
        OTHER_METHODS["glicko2"].score(CHAIN)
