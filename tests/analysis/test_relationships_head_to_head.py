"""Who scored more than whom."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.relationships import met_by_scores
from paragone.domain import Match
from paragone.domain.records import WinLossRecord
from paragone.domain.scorecard import Scorecard
from paragone.presenting.figures import records

AGENTS = ("a", "b", "c", "d")

debates = st.lists(
    st.dictionaries(st.integers(0, 3), st.integers(0, 3).map(lambda n: n / 4), min_size=1, max_size=4), max_size=25
)


def columns(played):
    rows = [(match, agent, score) for match, scores in enumerate(played) for agent, score in scores.items()]
    match, agent, score = zip(*rows, strict=True) if rows else ((), (), ())
    return np.array(match, np.int64), np.array(agent, np.int64), np.array(score, np.float64)


def plainly(played):
    met = {}
    for scores in played:
        for one, other in combinations(scores, 2):
            for x, y in ((one, other), (other, one)):
                won, drew, lost = met.get((AGENTS[x], AGENTS[y]), (0, 0, 0))
                more, less = scores[x] > scores[y], scores[x] < scores[y]
                met[AGENTS[x], AGENTS[y]] = (won + more, drew + (not more and not less), lost + less)
    return {pair: WinLossRecord(wins=won, draws=drew, losses=lost) for pair, (won, drew, lost) in met.items()}


def test_a_worked_matrix():
    met = met_by_scores(AGENTS, *columns([{0: 0.8, 1: 0.6, 2: 0.4}, {1: 0.5, 0: 0.5}, {1: 0.9, 0: 0.1}]))
    assert met["a", "b"] == WinLossRecord(wins=1, draws=1, losses=1)
    assert met["c", "a"] == WinLossRecord(wins=0, losses=1, draws=0)
    assert (met["a", "b"].matches, met["a", "b"].share, met["a", "c"].share) == (3, 0.5, 1.0)
    assert ("a", "d") not in met


@given(debates, st.randoms())
def test_it_is_what_plain_loops_count_in_any_order(played, random):
    match, agent, score = columns(played)
    order = list(range(match.size))
    random.shuffle(order)
    assert met_by_scores(AGENTS, match[order], agent[order], score[order]) == plainly(played)


@given(debates)
def test_the_figure_counts_scorecards_in_the_same_way(played):
    cards = [scores for scores in played if len(scores) > 1]
    matches = [
        Match.scored(str(n), Scorecard(participants=tuple(AGENTS[x] for x in scores), scores=tuple(scores.values())))
        for n, scores in enumerate(cards)
    ]
    assert records(matches, AGENTS) == plainly(cards)


def test_many_debates_are_counted_at_once():
    rng = np.random.default_rng(0)
    match = np.repeat(np.arange(50_000), 3)
    agent = np.array([[0, 1, 2], [1, 2, 3]])[rng.integers(2, size=50_000)].ravel()
    met = met_by_scores(AGENTS, match, agent, rng.random(150_000))
    assert sum(record.matches for record in met.values()) == 2 * 150_000
    assert met["b", "c"].share == pytest.approx(0.5, abs=0.01)
