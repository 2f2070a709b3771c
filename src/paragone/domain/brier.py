"""The Brier score of predictions, such as those of agents."""


def brier(confidence: float, correct: bool) -> float:
    """The Brier score of one prediction, from 0, perfect, to 1.

    Source: Aragora's specification, "Brier Score".
    """
    return (confidence - float(correct)) ** 2


def mean_brier(count: int, brier_sum: float) -> float:
    """The mean Brier score, from 0, perfect, to 1; 1 without predictions.

    Args:
        count: Predictions.
        brier_sum: Sum of their Brier scores.
    """
    return brier_sum / count if count else 1.0
