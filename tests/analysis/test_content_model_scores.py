"""Models compared: the means by hand, intervals that hold, and differences on the same draws."""

import numpy as np
import pytest

from paragone.analysis.content.prequential import SessionScore, compare


def session(used, reciprocal, first=0.5, five=0.5, ten=1.0, surprise=2.0):
    return SessionScore(
        used=used, reciprocal=reciprocal, first=first, recall_at_5=five, recall_at_10=ten, surprise=surprise
    )


def compared(scores, against, **options):
    return {one.model: one for one in compare(scores, against=against, rng=np.random.default_rng(3), **options)}


def test_means_by_file_and_by_session():
    found = compared({"a": [session(1, 1.0, first=1.0, five=1.0, surprise=0.5), session(3, 0.6, surprise=5.5)]}, "a")

    assert found["a"].mrr.value == pytest.approx(1.6 / 4)
    assert found["a"].first_mrr.value == pytest.approx(0.75)
    assert found["a"].recall_at_5.value == pytest.approx(0.75)
    assert found["a"].log_loss.value == pytest.approx(6.0 / 4)
    assert (found["a"].lead.value, found["a"].lead.low, found["a"].lead.high) == (0.0, 0.0, 0.0)


def test_the_best_comes_first_and_the_lead_is_on_the_same_sessions():
    rng = np.random.default_rng(0)
    worse = [session(1, one) for one in rng.uniform(0.0, 0.9, 300)]
    better = [session(1, one.reciprocal + 0.1) for one in worse]

    rows = compare({"worse": worse, "better": better}, against="worse", rng=np.random.default_rng(1))

    assert [one.model for one in rows] == ["better", "worse"]
    lead = rows[0].lead  # exactly 0.1 in each session, whatever is drawn
    assert (lead.low, lead.value, lead.high) == pytest.approx((0.1, 0.1, 0.1))
    assert rows[0].mrr.high - rows[0].mrr.low > 0.03


def test_intervals_hold_the_mean_as_often_as_they_say():
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(200):
        sessions = [session(1, one) for one in rng.uniform(0.0, 1.0, 60)]
        found = compare({"a": sessions}, against="a", rng=rng, draws=200)[0].mrr
        held += found.low <= 0.5 <= found.high

    assert 180 <= held <= 198


def test_the_same_seed_gives_the_same_intervals():
    scores = {"a": [session(1, one) for one in (0.1, 0.9, 0.4)]}

    assert compared(scores, "a") == compared(scores, "a")
