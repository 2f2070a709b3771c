"""Intervals of running ratings hold the truth as often as they say."""

import random
from dataclasses import replace
from statistics import fmean

import pytest

from paragone.analysis.progress.accuracy import PRIOR_SPREAD, EloErrors
from paragone.domain import Match, Outcome, RatingChange, RatingConfig
from paragone.ratings.running_elo import replay


def played(seed, *, items=40, rounds=30):
    """True ratings, drawn from the prior, and matches in rounds in which everybody plays once."""
    draw = random.Random(seed)
    truth = {f"i{number}": draw.gauss(1200, PRIOR_SPREAD) for number in range(items)}
    matches = []
    for round in range(rounds):
        order = draw.sample(sorted(truth), items)
        for place, (a, b) in enumerate(zip(order[::2], order[1::2], strict=True)):
            chance = 1 / (1 + 10 ** ((truth[b] - truth[a]) / 400))
            outcome = Outcome.A if draw.random() < chance else Outcome.B
            matches.append(Match(id=f"{round}.{place}", a=a, b=b, outcome=outcome, round=round))
    return truth, matches


@pytest.mark.parametrize("k", [16.0, 32.0, 64.0])
def test_intervals_of_running_ratings_hold_the_truth(k):
    inside = {0: [], 4: [], 29: []}
    widths = {number: [] for number in inside}
    for seed in range(12):
        truth, matches = played(seed)
        by_id, errors = {match.id: match for match in matches}, EloErrors(len(truth))
        for change in replay(matches, RatingConfig(k=k)).changes:
            match = by_id[change.match]
            errors.take(change, match)
            if match.round in inside:
                spread = errors.of(change.item)
                inside[match.round].append(abs(change.new - truth[change.item]) <= 1.96 * spread)
                widths[match.round].append(spread)
    for number, hits in inside.items():
        assert fmean(hits) == pytest.approx(0.95, abs=0.035), number
    assert fmean(widths[0]) > fmean(widths[4]) > fmean(widths[29])


def test_before_anything_is_played_it_is_the_priors():
    assert EloErrors(40).of("anyone") == PRIOR_SPREAD


def test_however_long_one_plays_a_k_of_that_size_leaves_something():
    errors = EloErrors(1000)
    match = Match(id="m", a="a", b="b", outcome=Outcome.A)
    for number in range(2000):
        for item in "ab":
            change = RatingChange(item=item, match="m", old=1200, new=1200, k=32, expected=0.5, score=0.5)
            errors.take(change, replace(match, id=str(number)))
    # a K of 32 leaves sqrt(32 * 173.7 / 2) = 52.7 points of chance at the least
    assert 52.7 < errors.of("a") < 90
