"""Judges: what they cost, how they lean, and how far they agree."""

from dataclasses import dataclass

from paragone.domain import JudgeReport, ListReport
from paragone.wire.spending import SpendingSummary
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Spender(Value):
    """What a judge or an advocate took.

    Attributes:
        who: Its identity.
        spending: What it took.
    """

    who: str
    spending: SpendingSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class Judges(Value):
    """The judges of a tournament.

    Attributes:
        pool: Id of the tournament.
        pending: Whether newer figures are being made: ask again.
        consensus: What agreement is measured against: ``others``, a fit without the judge; ``all``, where the evidence
            is too large for that; ``none`` where there is one judge.
        level: Probability that intervals are meant to hold; those of agreement hold at 0.95.
        judges: The judges, the one that tells most for its price first.
        lists: Their lists.
        spending: What the tournament took.
        voices: What each judge and each advocate took of that.
    """

    pool: str
    pending: bool
    consensus: str
    level: float
    judges: list[JudgeReport]
    lists: list[ListReport]
    spending: SpendingSummary
    voices: list[Spender]


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedJudge(Value):
    """A judge that a new tournament may name.

    Attributes:
        name: Its name on the server's list.
        reads_dossier: Whether it sees goal, rubric and notes.
        debates: Whether it can judge debates, in the weighted pairing.
    """

    name: str
    reads_dossier: bool
    debates: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedJudges(Value):
    """The judges that a new tournament may name.

    Attributes:
        judges: The judges by name.
    """

    judges: list[ListedJudge]


@dataclass(frozen=True, kw_only=True, slots=True)
class VoterReliability(Value):
    """How reliable voters are.

    Attributes:
        pending: Whether newer figures are being made: ask again.
        consensus: What agreement is measured against: ``others``, ``all``, or ``none`` where there is one judge; see
            ``judges``.
        why: Why nothing is known, where that is so.
        voters: Voters, by name; their figures are those of ``judges``.
    """

    pending: bool
    consensus: str
    why: str = ""
    voters: dict[str, JudgeReport]
