"""CORP against pools of adjacent violators that are written down plainly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.calibration import ResolvedForecasts
from paragone.analysis.calibration.forecasts import corp

said = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.booleans()), min_size=1, max_size=60)


def pooled(confidence, correct):
    """What each confidence is worth: pools of adjacent violators, by hand."""
    pools = []
    for at in sorted(set(confidence)):
        came = [bool(y) for c, y in zip(confidence, correct, strict=True) if c == at]
        pools.append([[at], sum(came), len(came)])
        while len(pools) > 1 and pools[-2][1] * pools[-1][2] >= pools[-1][1] * pools[-2][2]:
            last = pools.pop()
            pools[-1] = [pools[-1][0] + last[0], pools[-1][1] + last[1], pools[-1][2] + last[2]]
    return {at: right / count for places, right, count in pools for at in places}


def test_a_worked_decomposition():
    """.2 wrong, .4 right, .6 wrong, .8 right: .4 and .6 are pooled to a half.

    Score (.04 + .36 + .36 + .04)/4 = .2; recalibrated (0 + .25 + .25 + 0)/4 = .125; of the base rate .25.
    """
    made = corp(ResolvedForecasts.of([0.2, 0.4, 0.6, 0.8], [False, True, False, True]))
    assert made.brier == pytest.approx(0.2)
    assert made.miscalibration == pytest.approx(0.075)
    assert made.discrimination == pytest.approx(0.125)
    assert made.uncertainty == pytest.approx(0.25)
    assert [made.worth(c) for c in (0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0)] == [0, 0, 0.5, 0.5, 0.5, 1, 1]
    assert made.worth(0.7) == pytest.approx(0.75)


@given(said)
def test_it_is_what_pooling_by_hand_gives_and_its_parts_add_up(predictions):
    from sklearn.metrics import brier_score_loss

    confidence, correct = zip(*predictions, strict=True)
    made, twin = corp(ResolvedForecasts.of(confidence, correct)), pooled(confidence, correct)
    assert [made.worth(c) for c in twin] == pytest.approx(list(twin.values()), abs=1e-9)
    recalibrated = np.mean([(twin[c] - y) ** 2 for c, y in predictions])
    base = np.mean(correct) * (1 - np.mean(correct))
    assert made.miscalibration == pytest.approx(
        np.mean([(c - y) ** 2 for c, y in predictions]) - recalibrated, abs=1e-9
    )
    assert made.discrimination == pytest.approx(base - recalibrated, abs=1e-9)
    assert made.brier == pytest.approx(brier_score_loss(correct, confidence, labels=[0, 1]), abs=1e-12)
    assert min(made.miscalibration, made.discrimination) >= -1e-12


@given(said)
def test_what_was_recalibrated_has_no_miscalibration_left(predictions):
    confidence, correct = zip(*predictions, strict=True)
    first = corp(ResolvedForecasts.of(confidence, correct))
    again = corp(ResolvedForecasts.of([min(1.0, max(0.0, first.worth(c))) for c in confidence], correct))
    assert again.miscalibration == pytest.approx(0.0, abs=1e-9)
    assert again.discrimination == pytest.approx(first.discrimination, abs=1e-9)


@given(said)
def test_it_is_that_of_scikit_learn_to_the_last_bit(predictions):
    from sklearn.isotonic import IsotonicRegression

    near = [
        (c + 1e-16 * (n % 5) if 0 < c < 1 else c, y) for n, (c, y) in enumerate(predictions)
    ]  # as .1 + .2 is near .3
    forecasts = ResolvedForecasts.of(*zip(*near, strict=True))
    twin = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    worth = twin.fit_transform(forecasts.confidence, forecasts.correct)
    made = corp(forecasts)
    assert made.confidence == tuple(twin.X_thresholds_.tolist())
    assert made.recalibrated == tuple(twin.y_thresholds_.tolist())
    recalibrated = float(((worth - forecasts.correct) ** 2).mean())
    assert made.miscalibration == float(forecasts.brier.mean()) - recalibrated
