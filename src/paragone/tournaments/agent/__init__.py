"""The Ranking Agent: takes tasks from a supervisor and keeps a ranking of hypotheses (T18-T21).

``agent.py`` runs it; ``tasks.py`` is its queue, which lives in the ledger; ``newcomers.py`` and ``rounds.py`` do what
the tasks ask for; ``protocols.py`` says what plugs in. Source: document R.
"""

from paragone.tournaments.agent.agent import RankingAgent
from paragone.tournaments.agent.protocols import MetaReviewConsumer, ProximityProvider, ReviewProvider, Supervisor
from paragone.tournaments.agent.tasks import TaskRecord, TaskState

__all__ = [
    "MetaReviewConsumer",
    "ProximityProvider",
    "RankingAgent",
    "ReviewProvider",
    "Supervisor",
    "TaskRecord",
    "TaskState",
]
