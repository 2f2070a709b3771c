"""R, an estimate of truth: supplied, from tests, a judge, git's history, agents' claims, or agreement of evidence."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.memory.truth.evidence_files import (
        LabelledContent,
        TruthEvidence,
        evidence_of,
        read_evidence,
        read_pairs,
    )
    from paragone.memory.truth.junit_results import TestResult, read_results, result_of
    from paragone.memory.truth.truth import Truth
    from paragone.memory.truth.updates import (
        ClaimsUpdate,
        HistoryUpdate,
        JudgedUpdate,
        Supported,
        TestsUpdate,
        TruthBoard,
    )
else:
    __getattr__ = names(
        __name__,
        {
            ".evidence_files": "TruthEvidence LabelledContent evidence_of read_evidence read_pairs",
            ".junit_results": "TestResult read_results result_of",
            ".truth": "Truth",
            ".updates": "ClaimsUpdate HistoryUpdate JudgedUpdate Supported TestsUpdate TruthBoard",
        },
    )

__all__ = [
    "ClaimsUpdate",
    "HistoryUpdate",
    "JudgedUpdate",
    "LabelledContent",
    "Supported",
    "TestResult",
    "TestsUpdate",
    "Truth",
    "TruthBoard",
    "TruthEvidence",
    "evidence_of",
    "read_evidence",
    "read_pairs",
    "read_results",
    "result_of",
]
