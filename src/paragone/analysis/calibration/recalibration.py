"""Confidences corrected by the outcomes of earlier ones, where predictions left out show that this helps.

Three corrections are tried, each shrunk towards the confidences as stated, so that few predictions change little.
Ten-fold cross-validation decides: a correction is used only if the logarithmic loss of predictions that it has not
seen falls by more than chance explains.

Sources: J. Platt, "Probabilistic outputs for support vector machines", 1999; M. Kull, T. Silva Filho, P. Flach, "Beta
    calibration", AISTATS 2017; B. Zadrozny, C. Elkan, "Transforming classifier scores into accurate multiclass
    probability estimates", KDD 2002, for isotonic regression.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paragone.analysis.calibration.forecasts import Floats, ResolvedForecasts, buckets, chances, clipped, ece, log_odds
from paragone.analysis.calibration.scores import log_losses
from paragone.domain.rounding import SCALE_DECIMALS, SHARE_DECIMALS, rounded
from paragone.wire.calibration import AS_STATED, CorrectionTrial, Recalibration

FOLDS = 10
"""Parts of the predictions, of which each is left out once."""

LEAST_PREDICTIONS = 2 * FOLDS
"""Predictions below which confidences stay as stated."""

SURE = 1.645
"""Standard errors by which a correction must lower the loss: one in twenty does so by chance."""

PRIOR_SD = 0.5
"""How far slopes lie from 1, and offsets from 0 nats, before any prediction: the standard deviation."""

PRIOR_PREDICTIONS = 20.0
"""Predictions that came true as often as stated, which isotonic regression counts beside the real ones."""

SHOWN = np.round(np.arange(0.0, 1.01, 0.1), 1)
"""Stated confidences for which a report shows the corrected ones."""

_FOLD_SEED = 0


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Correction:
    """A monotone function of confidences.

    Attributes:
        method: Its name.
        corrected: Confidences in [0, 1] to corrected ones, of the same shape.
    """

    method: str
    corrected: Callable[[Floats], Floats]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Recalibrated:
    """The correction that is used, and why it was chosen.

    Attributes:
        correction: The correction.
        report: What was tried, with the loss on predictions left out.
    """

    correction: Correction
    report: Recalibration

    def confidence(self, stated: float) -> float:
        """What a stated confidence is worth.

        Args:
            stated: From 0 to 1.
        """
        return float(rounded(self.correction.corrected(np.array([stated])), SHARE_DECIMALS)[0])


def platt(forecasts: ResolvedForecasts) -> Correction:
    """A slope and an offset for the log-odds."""
    slope, offset = _logistic(log_odds(forecasts.confidence)[:, None], forecasts.correct)
    return Correction(method="platt", corrected=lambda stated: chances(slope * log_odds(stated) + offset))


def beta(forecasts: ResolvedForecasts) -> Correction:
    """As Platt's, with a slope each for the logarithms of the confidence and of its complement."""
    of_true, of_false, offset = _logistic(_logarithms(forecasts.confidence), forecasts.correct)
    slopes = np.array([of_true, of_false])
    return Correction(method="beta", corrected=lambda stated: chances(_logarithms(stated) @ slopes + offset))


def isotonic(forecasts: ResolvedForecasts) -> Correction:
    """Any monotone function: straight lines between the corners of an isotonic regression."""
    from scipy.optimize import isotonic_regression

    stated, step, count = np.unique(clipped(forecasts.confidence), return_inverse=True, return_counts=True)
    prior = PRIOR_PREDICTIONS / len(forecasts)
    mean = np.bincount(step, weights=forecasts.correct) / count
    fitted = isotonic_regression((mean + prior * stated) / (1.0 + prior), weights=count).x
    corners = rounded(fitted, SHARE_DECIMALS)
    return Correction(method="isotonic", corrected=lambda forecast: np.interp(clipped(forecast), stated, corners))


CORRECTIONS = (platt, beta, isotonic)
"""The corrections that are tried, the simplest first."""


def recalibrate(forecasts: ResolvedForecasts) -> Recalibrated:
    """The correction that held-out predictions support; none if there are few, or if it helps no more than chance.

    Args:
        forecasts: Predictions whose outcome is known; their order changes nothing.
    """
    unchanged = Correction(method=AS_STATED, corrected=lambda stated: stated)
    trials: list[CorrectionTrial] = []
    chosen = unchanged
    if len(forecasts) >= LEAST_PREDICTIONS:
        losses = {each.__name__: _left_out(forecasts, each) for each in CORRECTIONS}
        before = log_losses(forecasts)
        trials = [_trial(AS_STATED, forecasts, before), *(_trial(name, of, before) for name, of in losses.items())]
        best = max(trials, key=lambda trial: (trial.gain, trial.method == AS_STATED))
        if best.gain > SURE * best.gain_error:
            chosen = next(each for each in CORRECTIONS if each.__name__ == best.method)(forecasts)
    report = Recalibration(
        method=chosen.method,
        predictions=len(forecasts),
        trials=tuple(trials),
        stated=tuple(SHOWN.tolist()),
        corrected=tuple(rounded(chosen.corrected(SHOWN), SHARE_DECIMALS).tolist()),
    )
    return Recalibrated(correction=chosen, report=report)


def _left_out(forecasts: ResolvedForecasts, fitted: Callable[[ResolvedForecasts], Correction]) -> ResolvedForecasts:
    """The same predictions, each corrected by a fit to the other folds."""
    # Shuffled: neighbours by confidence would fall into folds as even as no sample is.
    fold = np.random.default_rng(_FOLD_SEED).permutation(len(forecasts)) % FOLDS
    confidence = np.empty(len(forecasts))
    for left_out in range(FOLDS):
        training = fold != left_out
        correction = fitted(
            ResolvedForecasts(confidence=forecasts.confidence[training], correct=forecasts.correct[training])
        )
        confidence[~training] = correction.corrected(forecasts.confidence[~training])
    return ResolvedForecasts(confidence=confidence, correct=forecasts.correct)


def _trial(method: str, forecasts: ResolvedForecasts, before: Floats) -> CorrectionTrial:
    losses = log_losses(forecasts)
    gain = before - losses
    error = ece(buckets(ResolvedForecasts.of(forecasts.confidence, forecasts.correct.astype(bool))))
    loss, mean, gain_error, error = rounded(
        [losses.mean(), gain.mean(), gain.std(ddof=1) / np.sqrt(gain.size), error], SHARE_DECIMALS
    ).tolist()
    return CorrectionTrial(method=method, log_loss=loss, gain=mean, gain_error=gain_error, ece=error)


def _logarithms(confidence: Floats) -> Floats:
    within = clipped(confidence)
    return np.stack([np.log(within), -np.log1p(-within)], axis=1)


def _logistic(columns: Floats, correct: Floats) -> Floats:
    """Slopes, of 0 or more, and the offset of a logistic regression, held near 1 and 0; shape (columns + 1,)."""
    from scipy.optimize import minimize

    design = np.column_stack([columns, np.ones(correct.size)])
    center = np.append(np.ones(columns.shape[1]), 0.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds, away = design @ weights, weights - center
        value = np.logaddexp(0.0, odds).sum() - correct @ odds + 0.5 * (away @ away) / PRIOR_SD**2
        return float(value), design.T @ (chances(odds) - correct) + away / PRIOR_SD**2

    bounds = [(0.0, None)] * columns.shape[1] + [(None, None)]
    fitted = minimize(loss, center, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14, "gtol": 1e-9})
    return rounded(fitted.x, SCALE_DECIMALS)
