"""The append-only store: evidence with a hash chain, and the ratings that follow from it, in one database.

It keeps everything that tournaments ask, answer and conclude, behind the façade ``Ledger``. Statements, tables and
dialects may change; no other package names them.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.ledger.databases.dialects import is_url, without_password
    from paragone.ledger.evidence.bulk_matches import Batch
    from paragone.ledger.evidence.match_columns import CHOICES, VOID, MatchColumns
    from paragone.ledger.evidence.spending import By
    from paragone.ledger.evidence.tournaments import FileToImport, ImportedFile
    from paragone.ledger.ledger import Ledger, utc_now
    from paragone.ledger.pending import Pending, PendingEvent, PendingTurn, PendingVerdict, unpacked
    from paragone.ledger.records import (
        AgentRecord,
        AgentRows,
        AgentStatistics,
        AgentTally,
        Event,
        PlannedRound,
        PoolRecord,
        RatingPoint,
        RecordedAdjustment,
        RecordedDomainPrediction,
        RecordedEvidence,
        RecordedMatch,
        RecordedPrediction,
        RecordedTest,
        ScoredMatch,
        TournamentRecord,
    )
else:
    __getattr__ = names(
        __name__,
        {
            ".databases.dialects": "is_url without_password",
            ".evidence.bulk_matches": "Batch",
            ".evidence.match_columns": "CHOICES VOID MatchColumns",
            ".evidence.spending": "By",
            ".evidence.tournaments": "FileToImport ImportedFile",
            ".ledger": "Ledger utc_now",
            ".pending": "Pending PendingEvent PendingTurn PendingVerdict unpacked",
            ".records": (
                "AgentRecord AgentRows AgentStatistics AgentTally Event PlannedRound "
                "PoolRecord RatingPoint RecordedAdjustment RecordedDomainPrediction "
                "RecordedEvidence RecordedMatch RecordedPrediction RecordedTest "
                "ScoredMatch TournamentRecord"
            ),
        },
    )

__all__ = [
    "CHOICES",
    "VOID",
    "AgentRecord",
    "AgentRows",
    "AgentStatistics",
    "AgentTally",
    "Batch",
    "By",
    "Event",
    "FileToImport",
    "ImportedFile",
    "Ledger",
    "MatchColumns",
    "Pending",
    "PendingEvent",
    "PendingTurn",
    "PendingVerdict",
    "PlannedRound",
    "PoolRecord",
    "RatingPoint",
    "RecordedAdjustment",
    "RecordedDomainPrediction",
    "RecordedEvidence",
    "RecordedMatch",
    "RecordedPrediction",
    "RecordedTest",
    "ScoredMatch",
    "TournamentRecord",
    "is_url",
    "unpacked",
    "utc_now",
    "without_password",
]
