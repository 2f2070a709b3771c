"""Do the tasks of a Ranking Agent, with the other agents that are connected.

Every effect is idempotent, since a task may be resumed after a crash. The other agents are optional; their
protocols are here, but for ``ProximityProvider`` of ``tournaments.proximity``.

Source: the Ranking Agent specification, "Integration Patterns".
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from paragone.analysis.reviews import seeds
from paragone.domain import Item, ItemKind, Planned, Review, TournamentConfig
from paragone.domain.records import (
    EloUpdate,
    PatternAnalysis,
    RankingTask,
    ResourceMetrics,
    TaskType,
)
from paragone.domain.records.wire import as_values
from paragone.intake.items import lacking
from paragone.ledger import Ledger
from paragone.ledger.evidence.spending import By
from paragone.tournaments.agent.tasks import MATCHES, hypothesis_details
from paragone.tournaments.incomplete_hypotheses import INCOMPLETE, add_requests, flags
from paragone.tournaments.planning import weighted_policy
from paragone.tournaments.planning.estimate import expected_of
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.proximity import ProximityProvider
from paragone.tournaments.records import Chronicle, analysis_of, round_results, round_updates
from paragone.tournaments.records.round_records import as_metrics
from paragone.tournaments.report import ranking_report
from paragone.tournaments.results.patterns import analyse_patterns, decided_since, record_patterns
from paragone.tournaments.running.control import Gate, Stop
from paragone.tournaments.running.match_play import match_of
from paragone.tournaments.running.runner import Runner
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import ROUND_CANCELLED


class Supervisor(Protocol):
    """Gives the tasks, and receives their results.

    Messages are sent at least once: after a crash the same may come again. The ledger has everything once.
    """

    async def ranking_updated(self, updates: Sequence[EloUpdate]) -> None:
        """Ratings have changed: the changes of a round, in the order of record."""
        ...

    async def resources_needed(self, task: str, needed: ResourceMetrics) -> None:
        """The maximum cost of the round of a task, which begins once this returns."""
        ...

    async def prioritized(self, hypothesis_ids: Sequence[str]) -> None:
        """The present ranking, the best hypothesis first."""
        ...


class ReviewProvider(Protocol):
    """Provides reviews: the Reflection Agent."""

    async def reviews(self, hypotheses: Sequence[Item]) -> Sequence[Review]:
        """The reviews of some hypotheses, where there are any."""
        ...


class MetaReviewConsumer(Protocol):
    """Learns from what wins and what loses: the Meta-review Agent."""

    async def patterns(self, analysis: PatternAnalysis) -> str | None:
        """Take an analysis; its confidence says how far to trust it. After a crash the same may come again.

        Returns:
            Insights about what makes a hypothesis good, if any, in words. They are recorded with the tournament and
            shown in its report. Untrusted.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Integrations:
    """The agents that are connected."""

    supervisor: Supervisor | None = None
    proximity: ProximityProvider | None = None
    reviews: ReviewProvider | None = None
    meta_review: MetaReviewConsumer | None = None


ResultValues = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskAnswer:
    """The answer to a task.

    Attributes:
        result: Its result, as plain JSON values.
        evidence: What was on record when it was computed; see ``evidence_of``.
        dropped: Events by which matches of its round are dropped, since it was cancelled; empty where none is.
    """

    result: ResultValues
    evidence: dict[str, Any]
    dropped: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def evidence_of(state: TournamentState) -> dict[str, Any]:
    """What a tournament has on record, from which the age of an answer is computed later: plain JSON values.

    Matches and verdicts are those of all recorded matches, also of those that were rolled back later: they only grow.
    """
    return {
        "matches": len(state.played),
        "verdicts": state.answered,
        "rounds": len(state.rounds),
        "at": datetime.now(UTC).isoformat(),
    }


class TaskExecutor:
    """Does the tasks of one run.

    Args:
        ledger: The ledger.
        state: The tournament.
        runner: Plays rounds.
        integrations: The agents that are connected.
        gate: That of the run.

    Attributes:
        stop: Why the run has to stop, if it has to.
    """

    def __init__(
        self, ledger: Ledger, state: TournamentState, runner: Runner, integrations: Integrations, gate: Gate
    ) -> None:
        self._gate = gate
        self._ledger = ledger
        self._state = state
        self._runner = runner
        self._integrations = integrations
        self._changing = asyncio.Lock()  # the state must not change while a thread makes a plan
        self._cancelled: set[str] = set()
        self._playing = ""  # the task whose round is played
        self.stop: Stop | None = None

    async def open(self, cancelled: Collection[str] = ()) -> None:
        """Refresh the state, and finish the last round of an earlier run.

        Args:
            cancelled: Ids of tasks that are being cancelled: of a round for one of these, what has begun.
        """
        self._state.refresh(self._ledger)
        await self._relate()
        self._cancelled.update(cancelled)
        notes = self._state.event_state.last_round or {}
        await self._play(str(notes.get("task", "")))

    def cancel(self, task: str) -> None:
        """Drop what has not begun of the round of a task; what has begun is finished and recorded."""
        if task not in self._cancelled:
            self._cancelled.add(task)
            if task == self._playing:
                self._gate.finish_begun()

    async def _play(self, task: str) -> None:
        """Play the open matches of the last round; of a task that is cancelled, those that have begun."""
        self._playing = task
        self._gate.admit()
        if task in self._cancelled:
            calls = await asyncio.to_thread(self._ledger.tournaments.spending_by, self._state.id, By.CALL)
            self._gate.finish_begun(match_of(call) for call in calls)
        self.stop = await self._runner.play_open()
        self._gate.admit()

    async def do(self, task: RankingTask) -> TaskAnswer | None:
        """The answer to a task; None if the run has to stop before it is done.

        Raises:
            UsageError: If the task is impossible.
            Failure: If it failed.
        """
        if task.task_type is TaskType.NEW_HYPOTHESIS:
            result = await self._newcomers(task)
            return TaskAnswer(result=result, evidence=evidence_of(self._state))
        if task.task_type is TaskType.TOURNAMENT_ROUND:
            return await self._round(task)
        return await self._ranking(task)

    async def _newcomers(self, task: RankingTask) -> ResultValues:
        details = hypothesis_details(task)
        reviews = await self._reviews([Item(id=id, text=detail.get("text") or "") for id, detail in details.items()])
        async with self._changing:
            self._state.read_events(self._ledger)
            flagged = incomplete_records(task, self._state, reviews)
            self._add_new(INCOMPLETE, flagged, key=("id", "task"))
            kind = self._state.items[0].kind
            items = playable_items(task, kind)
            async with self._runner.still():
                join_items(self._ledger, self._state, items, reviews)
                self._state.refresh(self._ledger)
            add_requests(self._ledger, self._state, task.id, [item.id for item in items])
            await self._relate()
        ratings = {item.id: self._state.ratings[item.id].elo for item in items}
        return {
            "joined": [item.id for item in items],
            "first_round": {item.id: self._state.entered[item.id] for item in items if item.id in self._state.entered},
            "ratings": {**ratings, **{record["id"]: record["provisional_rating"] for record in flagged}},
            "incomplete": {record["id"]: record["missing"] for record in flagged},
            "requests": [f"{task.id}:{item.id}" for item in items],
        }

    def _add_new(self, kind: str, details: Sequence[Mapping[str, Any]], key: tuple[str, ...]) -> None:
        """Record events, skipping those already recorded under the same key."""
        recorded = {tuple(e.detail.get(name) for name in key) for e in self._state.events if e.kind == kind}
        fresh = [detail for detail in details if tuple(detail[name] for name in key) not in recorded]
        self._ledger.tournaments.add_events(self._state.id, [(kind, detail) for detail in fresh])

    async def _reviews(self, items: Sequence[Item]) -> tuple[Review, ...]:
        if self._integrations.reviews is None:
            return ()
        return tuple(await self._integrations.reviews.reviews(items))

    async def _relate(self) -> None:
        """Update the similarities."""
        if self._integrations.proximity is not None:
            self._state.proximity = await self._integrations.proximity.graph(self._state.items)

    async def _round(self, task: RankingTask) -> TaskAnswer | None:
        number = round_number_of(self._state, task.id)
        if number is None:
            async with self._changing:
                if task.id in self._cancelled:
                    nothing = {"matches_completed": 0, "reason": "cancelled before its first match"}
                    return TaskAnswer(result=nothing, evidence=evidence_of(self._state))
                plan = await self._runner.following(lambda state: plan_for(state, task))
                if not plan.pairings:
                    nothing = {"matches_completed": 0, "reason": plan.reason}
                    return TaskAnswer(result=nothing, evidence=evidence_of(self._state))
                await self._announce(task, plan)
                await self._runner.begin(plan)
            number = len(self._state.rounds)
        await self._play(task.id)
        return None if self.stop is not None else await self._played(task, number)

    async def _announce(self, task: RankingTask, plan: Plan) -> None:
        """Tell the supervisor the cost of a round before it is recorded; after a crash it may be told twice."""
        if self._integrations.supervisor is not None:
            judge, advocate = self._runner.participants.judge, self._runner.participants.advocate
            expected = expected_of(self._state, plan.pairings, judge, advocate)
            units = float(plan.notes.get("forecast_units", expected.units))
            await self._integrations.supervisor.resources_needed(task.id, as_metrics(expected, 0.0, units))

    async def _played(self, task: RankingTask, number: int) -> TaskAnswer:
        snapshot = self._state.snapshot()
        evidence, chronicle = evidence_of(snapshot), await asyncio.to_thread(Chronicle.read, self._ledger, snapshot)
        if self._integrations.supervisor is not None:
            await self._integrations.supervisor.ranking_updated(round_updates(chronicle, number))
        if self._integrations.meta_review is not None:
            await self._learn(self._integrations.meta_review)
        result = as_values(round_results(chronicle, number))
        if task.id not in self._cancelled:
            return TaskAnswer(result=result, evidence=evidence)
        async with self._changing:
            self._state.read_events(self._ledger)  # the plan's own notes
        open_matches = self._state.open_matches
        dropped = (ROUND_CANCELLED, {"round": number, "task": task.id, "matches": [id for id, _ in open_matches]})
        return TaskAnswer(
            result=result,
            evidence=evidence,
            dropped=(dropped, *asked_again(self._state, number, [pairing for _, pairing in open_matches])),
        )

    async def _learn(self, consumer: MetaReviewConsumer) -> None:
        """Analyse what wins, each time that enough matches were decided since the last time.

        The analysis is recorded after the consumer has it: a crash may repeat it, but never lose it.
        """
        if decided_since(self._state) < self._state.system.pattern_analysis.min_matches_for_analysis:
            return
        patterns = await asyncio.to_thread(analyse_patterns, self._state.snapshot())
        insights = await consumer.patterns(analysis_of(patterns.as_dict()))
        record_patterns(self._ledger, self._state, patterns, insights or "")

    async def _ranking(self, task: RankingTask) -> TaskAnswer:
        snapshot = self._state.snapshot()
        evidence, report = evidence_of(snapshot), await asyncio.to_thread(ranking_report, self._ledger, snapshot)
        ranked = report.ranked_hypotheses
        if task.hypothesis_ids:
            ranked = tuple(row for row in ranked if row.hypothesis_id in set(task.hypothesis_ids))
        if self._integrations.supervisor is not None:
            await self._integrations.supervisor.prioritized([row.hypothesis_id for row in ranked])
        return TaskAnswer(result=as_values(replace(report, ranked_hypotheses=ranked)), evidence=evidence)


def playable_items(task: RankingTask, kind: ItemKind) -> tuple[Item, ...]:
    """The new hypotheses of a task that are complete."""
    details = hypothesis_details(task)
    return tuple(
        Item(id=id, text=detail["text"], kind=kind) for id, detail in details.items() if not missing_parts(detail)
    )


def missing_parts(detail: Mapping[str, Any]) -> tuple[str, ...]:
    """What a hypothesis lacks, in words."""
    return (*lacking(detail.get("text") or ""), *map(str, detail.get("missing") or ()))


def incomplete_records(task: RankingTask, state: TournamentState, reviews: Sequence[Review]) -> list[dict[str, Any]]:
    """Event details for the hypotheses of a task that cannot play yet and are not in the tournament."""
    details, joined = hypothesis_details(task), set(state.ids)
    missing = {id: missing_parts(detail) for id, detail in details.items() if id not in joined}
    items = [Item(id=id, text=details[id].get("text") or "") for id, parts in missing.items() if parts]
    return [{**flag, "task": task.id} for flag in flags(items, missing, reviews, state.config.initial)]


def join_items(
    ledger: Ledger, state: TournamentState, items: Sequence[Item], reviews: Sequence[Review]
) -> tuple[Item, ...]:
    """Add hypotheses with their reviews, and the ratings that these seed, in one transaction.

    Returns:
        The items that are new.
    """
    ids = {item.id for item in items}
    fresh = ids.difference(state.ids)
    own = [review for review in reviews if review.item in ids]
    moves = seeds(own, initial=state.config.initial, items=fresh)
    number = len(state.rounds) + 1
    return ledger.tournaments.join(state.id, items, round=number, adjustments=moves, reviews=own, wake=True)


def round_number_of(state: TournamentState, task: str) -> int | None:
    """The number of the round that was planned for a task; None if there is none yet."""
    rounds = (event.detail for event in state.events if event.kind == "round" and event.detail.get("task") == task)
    return next((int(detail["number"]) for detail in rounds), None)


def asked_again(
    state: TournamentState, number: int, dropped: Sequence[Planned]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """New requests, as kind and detail, for those that the plan of a round granted and whose matches are dropped.

    Args:
        state: The tournament.
        number: The number of the round.
        dropped: Its matches that are dropped.
    """
    served = set((state.event_state.last_round or {}).get("served", ()))
    waiting = {item for pairing in dropped for item in pairing.items}
    for event in state.events:
        if event.kind == "request" and event.detail["id"] in served and event.detail["hypothesis_id"] in waiting:
            yield "request", {**event.detail, "id": f"{event.detail['id']}:{number}"}


def plan_for(state: TournamentState, task: RankingTask) -> Plan:
    """Plan the round that a task asks for, with its hypotheses, number of matches and parameters."""
    matches = (task.context or {}).get(MATCHES, state.system.policy.tournament_batch_size)
    among = task.hypothesis_ids or None
    plan = weighted_policy.plan(with_parameters(state, task.tournament_parameters), among=among, matches=matches)
    return replace(plan, notes={**plan.notes, "task": task.id})


def with_parameters(state: TournamentState, parameters: TournamentConfig | None) -> TournamentState:
    """The state under a task's own parameters, if it has any."""
    if parameters is None:
        return state
    system = replace(state.system, tournament_parameters=parameters)
    return replace(state, settings=replace(state.settings, system=system))
