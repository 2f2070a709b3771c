"""What is on record of agents beside their debates: a rating to begin from, and when each became another."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from paragone.ratings.evidence import Floats, Ints


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class AgentVersions:
    """Versions and starting ratings of the agents of some debates.

    Attributes:
        version: Version of the agent in each entry of the debates, from 0, shape (entries,).
        current: Version of each agent now, shape (agents,).
        start: Starting rating of each agent less the pool's initial one, in Elo points; NaN for none, shape (agents,).
    """

    version: Ints
    current: Ints
    start: Floats

    @classmethod
    def none(cls, entries: int, agents: int) -> Self:
        """The history of agents that never changed and had no rating before."""
        return cls(
            version=np.zeros(entries, np.int64), current=np.zeros(agents, np.int64), start=np.full(agents, np.nan)
        )

    @property
    def says_nothing(self) -> bool:
        """Whether nobody changed or had a rating before."""
        return not self.current.any() and bool(np.isnan(self.start).all())

    def of_entries(self, selected: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> "AgentVersions":
        """The same of some entries alone."""
        return replace(self, version=self.version[selected])
