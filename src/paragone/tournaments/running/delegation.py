"""The seam for judges that are asked in other processes, with all their wrappers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from paragone.domain import DebateTurn, Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.availability import Discovery, Outage
from paragone.judges.base import Judge
from paragone.judges.call_options import CallOptions
from paragone.judges.debates.debate import Advocate
from paragone.ledger import Ledger
from paragone.tournaments.running.control import Gate
from paragone.tournaments.tournament_settings import TournamentSettings

WORKERS_PREFIX = "workers:"
"""Precedes the name of a judge that workers have, in the settings of a tournament."""

LISTED_PREFIX = "listed:"
"""Precedes the name of a judge on a server's list, in the settings of a tournament."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunReports:
    """What a run hears about the questions that others ask for it. All of that is on record already.

    Attributes:
        on_verdict: Called with each question and its answer.
        on_lost: Called with each attempt without an answer.
        on_turn: Called with each turn of a debate.
        on_event: Called with the kind and the detail of each event.
        on_failure: Called with each failure that becomes a verdict.
        on_unusable: Called with the failure that shows that the judge cannot answer.
        on_discovery: Called with what a model's first answer showed.
        on_outage: Called when a panel's member or an advocate is paused.
        on_waiting: Called with what the run waits for; with an empty text when the wait is over.
    """

    on_verdict: Callable[[Question, Verdict], None]
    on_lost: Callable[[Verdict], None]
    on_turn: Callable[[DebateTurn], None]
    on_event: Callable[[str, Mapping[str, Any]], None]
    on_failure: Callable[[JudgeFailed], None]
    on_unusable: Callable[[JudgeFailed], None]
    on_discovery: Callable[[Discovery], None]
    on_outage: Callable[[Outage], None]
    on_waiting: Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegatedRun:
    """A run that has its questions asked elsewhere.

    Attributes:
        ledger: The ledger.
        tournament: Id of the tournament.
        settings: Its settings.
        gate: Closed to stop the run.
        pace: How calls are made.
        reports: What the run hears from them.
    """

    ledger: Ledger
    tournament: str
    settings: TournamentSettings
    gate: Gate
    pace: CallOptions
    reports: RunReports


class DelegatedJudge(Judge, Protocol):
    """Has the questions of one run asked elsewhere; its failures are verdicts."""

    async def ready(self) -> None:
        """Prepare what the first question needs, before hundreds are asked at once and hold it up."""
        ...

    def overdue(self) -> frozenset[str]:
        """The calls that take so long that they must not hold up others, as far as is known now."""
        ...


@runtime_checkable
class Delegating(Judge, Protocol):
    """A judge whose wrappers are elsewhere: cache, retries, budget, limits, timeout.

    Attributes:
        spec: What the settings of its tournaments name.
    """

    spec: str

    def under(self, settings: TournamentSettings) -> "Delegating":
        """The same judge as it answers under a tournament's settings, whose seed may be part of who it is."""
        ...

    def delegate(self, run: DelegatedRun) -> DelegatedJudge:
        """The judge that has a run's questions asked."""
        ...

    def own_advocate(self) -> Advocate:
        """Its own model as an advocate; only its identity and its price are known here."""
        ...
