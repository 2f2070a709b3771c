"""The Ranking Agent: takes tasks from a supervisor and keeps a ranking of hypotheses (T18-T21).

``agent.py`` runs it; ``tasks.py`` is its queue, which lives in the ledger; ``desk.py`` does the tasks, with
``newcomers.py`` and ``rounds.py``; ``plugs.py`` says what plugs in. Source: document R.
"""

from paragone.tournaments.agent.integrations import MetaReviewConsumer, ProximityProvider, ReviewProvider, Supervisor
from paragone.tournaments.agent.ranking_agent import RankingAgent
from paragone.tournaments.agent.tasks import TaskRecord, TaskState
from paragone.tournaments.state.proximity import RecordedProximity

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
