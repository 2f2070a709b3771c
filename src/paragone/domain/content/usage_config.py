"""The constants of usage ratings, validated where they are made."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from paragone.domain.content.event import TruthSource
from paragone.errors import InvalidConfig

DEFAULT_THRESHOLDS = {
    TruthSource.SUPPLIED: math.sqrt(3.0),
    TruthSource.VERIFICATION: 0.5,
    TruthSource.AGREEMENT: math.sqrt(3.0),
}
"""R above which the gate is open, by source; calibrate those of agreement for the embedder in use."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageConfig:
    """How ratings of content move. The defaults are document M's, and those of its settled readings.

    Attributes:
        zero_sum: Whether content that was shown and not used pays for what was; False gives the document's literal
            boosts.
        k_new: K of content with few updates, in Elo points.
        k_established: K afterwards.
        established: Updates after which content is established.
        floor: No rating falls below this.
        ceiling: No rating rises above this.
        boost_first: Elo points for rank 1 of a search, at the K of new content.
        boost_near: For ranks 2 to 5.
        boost_far: For ranks 6 to 10.
        cited_bonus: What a citation weighs, where a read weighs 1.
        used_bonus: What being used in a successful run weighs.
        gated: The share of a change that passes a closed gate.
        thresholds: R above which the gate is open, by source; a source that is left out has its default.
        half_life: Document M's name for the time constant of decay, in days; half is gone after ``ln 2`` of it.
        decay_base: What decay approaches from above, in Elo points.
        fold_decay: Whether a move starts from the decayed rating; by default decay only shows, and erodes nothing.
        search_days: For how many days a use may refer to a search.
        need_decay: The exponent of base-level activation.
        need_recent: How many uses need remembers exactly.
    """

    zero_sum: bool = True
    k_new: float = 16.0
    k_established: float = 8.0
    established: int = 10
    floor: float = 100.0
    ceiling: float = 4000.0
    boost_first: float = 16.0
    boost_near: float = 8.0
    boost_far: float = 4.0
    cited_bonus: float = 1.5
    used_bonus: float = 2.0
    gated: float = 0.25
    thresholds: dict[TruthSource, float] = field(default_factory=lambda: dict(DEFAULT_THRESHOLDS))
    half_life: float = 30.0
    decay_base: float = 800.0
    fold_decay: bool = False
    search_days: float = 1.0
    need_decay: float = 0.5
    need_recent: int = 16

    def __post_init__(self) -> None:
        for name in (own.name for own in fields(self) if own.type is float or own.type == "float"):
            if not math.isfinite(getattr(self, name)):
                raise InvalidConfig(f"{name} must be a finite number, not {getattr(self, name)}", key=name)
        object.__setattr__(self, "thresholds", _thresholds(self.thresholds))
        self._refuse_below(0.0, "boost_first", "boost_near", "boost_far", "cited_bonus", "used_bonus", "search_days")
        self._refuse_below(1, "established", "need_recent")
        for name in ("k_new", "k_established", "half_life"):
            if getattr(self, name) <= 0.0:
                raise InvalidConfig(f"{name} must be positive, not {getattr(self, name)}", key=name)
        for name in ("gated", "need_decay"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise InvalidConfig(f"{name} lies in [0, 1), not {getattr(self, name)}", key=name)
        if not self.floor <= self.decay_base <= self.ceiling:
            raise InvalidConfig(
                f"decay_base {self.decay_base:g} lies outside of what ratings may be, floor {self.floor:g} to ceiling "
                f"{self.ceiling:g}",
                key="decay_base",
            )

    def _refuse_below(self, least: float, *names: str) -> None:
        for name in names:
            if getattr(self, name) < least:
                raise InvalidConfig(f"{name} is {least:g} or more, not {getattr(self, name)}", key=name)


def _thresholds(thresholds: Mapping[TruthSource, float]) -> dict[TruthSource, float]:
    """All thresholds, in the order of the sources.

    Raises:
        InvalidConfig: If a source is none, or a threshold no finite number.
    """
    for source, threshold in thresholds.items():
        key = f"thresholds.{source}"
        if source not in set(TruthSource):
            raise InvalidConfig(f"R has no source {source!r}; there are {', '.join(TruthSource)}", key=key)
        if not math.isfinite(threshold):
            raise InvalidConfig(f"{key} must be a finite number, not {threshold}", key=key)
    return {source: float(thresholds.get(source, DEFAULT_THRESHOLDS[source])) for source in TruthSource}
