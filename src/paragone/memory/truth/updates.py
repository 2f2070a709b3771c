"""What finding R came to: one value for each source."""

from dataclasses import dataclass

from paragone.analysis.content import Checked, EvidenceAgreement
from paragone.memory.scores import ContentRating
from paragone.memory.store import TruthLine
from paragone.memory.truth.contradiction_judge import AlarmVerdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Supported:
    """R by agreement: its line in the log, and how it was found."""

    line: TruthLine
    agreement: EvidenceAgreement


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimsUpdate:
    """R by verification.

    Attributes:
        lines: What was written: one line for each file whose R changed.
        files: Number of files with an author.
        checked: Proven and disproven claims by author.
    """

    lines: tuple[TruthLine, ...]
    files: int
    checked: dict[str, Checked]


@dataclass(frozen=True, kw_only=True, slots=True)
class TestsUpdate:
    """R by tests.

    Attributes:
        lines: What was written, one line for each file.
        results: Number of results.
        lost: Those that are about no indexed file.
    """

    __test__ = False  # no test of ours, whatever its name

    lines: tuple[TruthLine, ...]
    results: int
    lost: int


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryUpdate:
    """R by history.

    Attributes:
        lines: What was written: one line for each document whose R changed.
        documents: Number of documents.
        replaced: Lines that the last commits replaced.
    """

    lines: tuple[TruthLine, ...]
    documents: int
    replaced: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedUpdate:
    """R by a judge.

    Attributes:
        lines: What was written: one line for each document whose R changed.
        alarms: Number of alarms.
        outcomes: What the judge said of those that it was asked about.
    """

    lines: tuple[TruthLine, ...]
    alarms: int
    outcomes: tuple[AlarmVerdict, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthBoard:
    """Content with known R, lowest first, and content with unknown R, most used first."""

    known: tuple[ContentRating, ...]
    unknown: tuple[ContentRating, ...]
