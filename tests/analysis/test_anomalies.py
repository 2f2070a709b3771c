"""Sudden swings that fair results do not explain."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.analysis.quality.anomalies import AnomalyKind, Fair, Sides, _scores, anomalies, irregular, swings, unseen
from paragone.analysis.quality.contests import Contests
from paragone.domain import RatingChange


def look(played):
    win, draw = played.prediction.ends(played.prediction.strength)
    return anomalies(played.contests, Fair(win=win, draw=draw, error=played.error), played.changes)


def runs(item, results):
    """Matches of item 0 against ever new others, all even by the fit."""
    others = [1 + n for n in range(len(results))]
    contests = Contests.of(
        [f"h{n}" for n in range(len(results) + 1)],
        [f"m{n}" for n in range(len(results))],
        [item] * len(results),
        others,
        results,
    )
    even = np.full(len(results), 0.5)
    return contests, Fair(win=even, draw=0 * even, error=np.full(len(results) + 1, 0.05))


def change(item, match, **what):
    return RatingChange(
        **{"item": item, "match": match, "old": 1200.0, "new": 1216.0, "k": 32.0, "expected": 0.5, "score": 1.0, **what}
    )


def test_fair_tournaments_raise_no_alarm(play):
    """``benchmarks/checks.py`` plays hundreds of them."""
    alarms = sum(bool(look(play(16, 240, seed=seed))) for seed in range(30))
    assert alarms <= 1


def test_newcomers_who_find_their_place_raise_none_either(play):
    alarms = [anomaly for seed in range(6) for anomaly in look(play(24, 360, seed=seed, spread=2.5, late=8))]
    assert alarms == []


@pytest.mark.parametrize(("kind", "side", "length"), [(AnomalyKind.DROP, "best", 10), (AnomalyKind.SPIKE, "last", 14)])
def test_an_item_that_suddenly_does_what_it_cannot_is_found(play, kind, side, length):
    """The best of all loses ten in a row, or the last of all wins fourteen."""
    found = false = 0
    for seed in range(6):
        truth = np.random.default_rng(seed).normal(0, 1.5, 20)
        item = int(np.argmax(truth) if side == "best" else np.argmin(truth))

        def spoil(pair, count, score, item=item):
            spoilt = item in pair and 12 <= count[item] < 12 + length
            return float((pair[0] == item) == (kind is AnomalyKind.SPIKE)) if spoilt else score

        seen = look(play(20, 600, seed=seed, result=spoil))
        false += any(anomaly.item != f"h{item}" for anomaly in seen)
        hits = [anomaly for anomaly in seen if (anomaly.item, anomaly.kind) == (f"h{item}", kind)]
        found += bool(hits)
        for anomaly in hits:
            assert abs(anomaly.size) > abs(anomaly.expected)
            assert anomaly.match == anomaly.matches[-1]
            assert "by chance once in" in anomaly.reason
    assert found >= 4
    assert false <= 1


def test_a_run_is_as_improbable_as_it_is():
    """Forty even matches, twelve lost in a row: 2 / 2^12 each side, held against all swings of all widths."""
    results = [1.0, 0.0] * 10 + [0.0] * 12 + [1.0, 0.0] * 4
    contests, fair = runs(0, results)
    sides = Sides.of(contests, replace(fair, error=np.full(len(results) + 1, 1e-6)))
    (swing,) = swings(sides, np.full(41, 1e-6), windows=(12,), false_alarms=0.05)
    assert swing.p_value == pytest.approx(2 / 2**12, rel=1e-3)
    assert not swing.up
    assert swings(sides, np.full(41, 1e-6), windows=(12,), false_alarms=0.01) == []  # 29 swings: 0.0003 each


def test_what_is_known_badly_is_let_be():
    contests, fair = runs(0, [1.0, 0.0] * 10 + [0.0] * 20)
    moved = [change("h0", f"m{n}") for n in range(40)]
    assert len(anomalies(contests, fair, moved)) == 1
    assert anomalies(contests, replace(fair, error=np.full(41, 1.0)), moved) == ()


def test_sums_of_scores_are_counted_out():
    win, draw = np.array([[0.5, 0.2]]), np.array([[0.3, 0.0]])
    # in half points: 0.2 * 0.8 for none, 0.3 * 0.8 for one, ...
    assert _scores(win, draw)[0] == pytest.approx([0.16, 0.24, 0.4 + 0.04, 0.06, 0.1])


def test_a_change_that_its_record_does_not_explain_is_irregular():
    (odd,) = irregular([change("x", "1"), change("x", "2", new=1400.0), change("x", "3", new=1210.0, clamped=6.0)])
    assert (odd.item, odd.kind, odd.match, odd.size) == ("x", AnomalyKind.IRREGULAR, "2", 200.0)
    assert odd.reason == (
        "match 2 moved the rating by +200.0 points; its own record, K 32, expected 0.50 and scored 1, comes to +16.0"
    )
    assert list(irregular([change("x", "undone", k=0.0, new=900.0)])) == []


def test_what_was_reported_is_not_reported_again_while_it_goes_on():
    contests, fair = runs(0, [1.0, 0.0] * 10 + [0.0] * 20)
    found = anomalies(contests, fair, [])
    assert unseen(found, {("h1", found[0].match)}) == found
    assert unseen(found, {("h0", found[0].matches[2])}) == ()
    assert found[0].id == f"drop:h0:{found[0].matches[0]}-{found[0].matches[-1]}"
    assert unseen(found, set()) == found


def test_nothing_played_is_nothing_odd():
    contests, fair = runs(0, [])
    assert anomalies(contests, fair, []) == ()
