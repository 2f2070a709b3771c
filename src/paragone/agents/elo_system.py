"""The door for those who run agents: ``EloSystem``."""

from paragone.agents.system.calibration import Calibration
from paragone.agents.system.debates import Debates
from paragone.agents.system.ratings import Ratings
from paragone.agents.system.relationships import Relationships
from paragone.agents.system.strength_tests import StrengthTests


class EloSystem(Debates, Ratings, Calibration, Relationships, StrengthTests):
    """Ratings of agents, their calibration and their relationships, in a ledger. Threads may share one.

    Its methods are those of document A, with what its users also call. All that is recorded is evidence in the ledger,
    to be audited, replayed and rolled back. Agents that a recording call names and that are not there yet are added.
    ``OpenSystem`` says what it takes to open one.

    Every method may raise ``InvalidEvidence``, which is a ``ValueError``, for a name, a number or a count that cannot
    be; ``Busy`` where another process kept the database locked for longer than ``patience``; ``Unwritable`` and
    ``Corrupted`` where the database cannot be used; besides what it says itself.

    Example:
        >>> with EloSystem("sqlite://") as elo:
        ...     elo.record_match(participants=["claude", "gpt4"], scores={"claude": 0.75, "gpt4": 0.25})
        {'claude': 8.0, 'gpt4': -8.0}
    """
