"""How well calibrated an agent is, as far as its K goes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from paragone.agents import checks
from paragone.agents.rating import ratings_of
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.agents.agent_pool import AgentPool


@runtime_checkable
class CalibrationTracker(Protocol):
    """Whoever knows how well agents are calibrated.

    Source: document A, "Calibration-Based K-Factor".
    """

    def get_quality(self, agent: str) -> float:
        """From 0 to 1, where 1 is best; what lies outside is brought inside.

        Raises:
            LookupError: If it does not know the agent, whose K then stays as it is.
        """
        ...


class LedgerCalibration:
    """A tracker that goes by the predictions on record: quality is the calibration score.

    So an agent whose few predictions do not count yet, fewer than 5, has a quality of 0 and twice the K; one that has
    made none is not known.
    """

    def __init__(self, pool: "AgentPool") -> None:
        self._pool = pool

    def get_quality(self, agent: str) -> float:
        """The calibration score of an agent, in [0, 1].

        Raises:
            KeyError: If none of its predictions has an outcome yet.
        """
        ratings = ratings_of(self._pool.ledger.agents.rows(self._pool.id, [checks.agent(agent)]))
        if not ratings or not ratings[0].calibration_total:
            raise KeyError(agent)
        return ratings[0].calibration_score


def multipliers(tracker: CalibrationTracker | None, agents: Iterable[str]) -> tuple[float, ...]:
    """What each agent's K is multiplied by: 2 less its quality, 1 where that is not known; empty where all are 1.

    Raises:
        InvalidEvidence: If a quality is no number, or the tracker is none.
    """
    if tracker is None:
        return ()
    if not isinstance(tracker, CalibrationTracker):
        raise InvalidEvidence(f"a calibration tracker has a method get_quality(agent), and {tracker!r} has none")
    values = tuple(_multiplier(tracker, agent) for agent in agents)
    return values if any(multiplier != 1.0 for multiplier in values) else ()


def _multiplier(tracker: CalibrationTracker, agent: str) -> float:
    try:
        quality = tracker.get_quality(agent)
    except LookupError:
        return 1.0
    from paragone.analysis.calibration import k_multiplier

    return k_multiplier(checks.clamped(quality, 0.0, 1.0, f"the quality of {agent!r}"))
