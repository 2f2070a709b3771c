"""The Ranking Agent: takes tasks from a supervisor and keeps a ranking of hypotheses.

``ranking_agent.py`` runs it; ``tasks.py`` is its queue, which lives in the ledger; ``task_execution.py`` does the
tasks, with the other agents that are connected. Source: the Ranking Agent specification.
"""

from paragone.tournaments.agent.ranking_agent import RankingAgent
from paragone.tournaments.agent.task_execution import MetaReviewConsumer, ReviewProvider, Supervisor
from paragone.tournaments.agent.tasks import TaskRecord, TaskState
from paragone.tournaments.proximity import ProximityProvider, RecordedProximity

__all__ = [
    "MetaReviewConsumer",
    "ProximityProvider",
    "RankingAgent",
    "RecordedProximity",
    "ReviewProvider",
    "Supervisor",
    "TaskRecord",
    "TaskState",
]
