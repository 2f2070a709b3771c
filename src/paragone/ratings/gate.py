"""The gate of R: content that is not known to be true gains, and loses, a quarter as fast.

Unknown R is not low R: the gate stands open, and whoever shows the content says that R is unknown.

Source: document M, "R-Gated ELO Update".
"""

from collections.abc import Sequence

from paragone.domain.content import TruthSource, UsageConfig

Truth = Sequence[tuple[TruthSource, float]]

_ORDER = tuple(TruthSource)


def holding(truth: Truth) -> tuple[TruthSource, float] | None:
    """The source whose R holds, and R; None where R is unknown."""
    return min(truth, key=lambda one: _ORDER.index(one[0]), default=None)


def is_high(truth: Truth, config: UsageConfig) -> bool | None:
    """Whether R lies above its source's threshold; None where R is unknown."""
    one = holding(truth)
    return None if one is None else one[1] > config.thresholds[one[0]]


def gate(truth: Truth, config: UsageConfig) -> float:
    """What a change is multiplied by: 1, or the configured share where R is at or below its threshold."""
    return config.gated if is_high(truth, config) is False else 1.0
