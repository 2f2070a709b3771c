"""What is done about each kind of task. Every effect may be repeated without harm: a task may be taken up again."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from paragone.domain import Item, Review
from paragone.domain.records import RankingTask, TaskType
from paragone.domain.records.wire import as_values
from paragone.ledger import Ledger
from paragone.tournaments.agent import newcomers, rounds, tasks
from paragone.tournaments.agent.plugs import MetaReviewConsumer, Plugs
from paragone.tournaments.documents import Chronicle, analysis_of
from paragone.tournaments.planning.estimate import expected_of
from paragone.tournaments.planning.round_plan import Plan
from paragone.tournaments.report import ranking_report
from paragone.tournaments.results.patterns import analyse_patterns, decided_since, record_patterns
from paragone.tournaments.running.runner import Runner
from paragone.tournaments.running.stop import Stop
from paragone.tournaments.state import State

Result = dict[str, Any]


class Desk:
    """Does tasks, with the means of one run.

    Args:
        ledger: Keeps everything.
        state: Where the tournament is.
        runner: Plays rounds.
        plugs: Whoever is told or asked.

    Attributes:
        stop: Why the run has to stop, once it has to.
    """

    def __init__(self, ledger: Ledger, state: State, runner: Runner, plugs: Plugs) -> None:
        self._ledger = ledger
        self._state = state
        self._runner = runner
        self._plugs = plugs
        self._changing = asyncio.Lock()  # a plan is made in a thread of its own: nothing may move under it
        self.stop: Stop | None = None

    async def open(self) -> None:
        """Look at how things stand, and finish what an earlier run left open in its last round."""
        self._state.refresh(self._ledger)
        await self._relate()
        self.stop = await self._runner.play_open()

    async def do(self, task: RankingTask) -> Result | None:
        """What a task brought; None where the run has to stop before it is done.

        Raises:
            UsageError: If it asks for what cannot be.
            Failure: If it should have worked and did not.
        """
        if task.task_type is TaskType.NEW_HYPOTHESIS:
            return await self._newcomers(task)
        if task.task_type is TaskType.TOURNAMENT_ROUND:
            return await self._round(task)
        return await self._ranking(task)

    async def _newcomers(self, task: RankingTask) -> Result:
        named = [Item(id=id, text=given.get("text") or "") for id, given in tasks.named(task).items()]
        reviews = await self._reviews(named)
        async with self._changing:
            self._state.hear(self._ledger)
            flagged = newcomers.incomplete(task, self._state, reviews)
            self._add_new("incomplete", flagged, key=("id", "task"))
            kind = self._state.items[0].kind
            items = newcomers.whole(task, kind)
            newcomers.join(self._ledger, self._state, items, reviews)
            self._state.refresh(self._ledger)
            asked = newcomers.requests(task, self._state, [item.id for item in items])
            self._ledger.tournaments.add_events(self._state.id, [("request", request) for request in asked])
            self._state.hear(self._ledger)
            await self._relate()
        ratings = {item.id: self._state.ratings[item.id].elo for item in items}
        return {
            "joined": [item.id for item in items],
            "first_round": {item.id: self._state.entered[item.id] for item in items if item.id in self._state.entered},
            "ratings": {**ratings, **{one["id"]: one["provisional_rating"] for one in flagged}},
            "incomplete": {one["id"]: one["missing"] for one in flagged},
            "requests": [f"{task.id}:{item.id}" for item in items],
        }

    def _add_new(self, kind: str, details: Sequence[Mapping[str, Any]], key: tuple[str, ...]) -> None:
        """Record events, less those that are there."""
        there = {tuple(e.detail.get(name) for name in key) for e in self._state.events if e.kind == kind}
        fresh = [detail for detail in details if tuple(detail[name] for name in key) not in there]
        self._ledger.tournaments.add_events(self._state.id, [(kind, detail) for detail in fresh])

    async def _reviews(self, items: Sequence[Item]) -> tuple[Review, ...]:
        if self._plugs.reviews is None:
            return ()
        return tuple(await self._plugs.reviews.reviews(items))

    async def _relate(self) -> None:
        """Ask again which hypotheses are alike."""
        if self._plugs.proximity is not None:
            self._state.proximity = await self._plugs.proximity.graph(self._state.items)

    async def _round(self, task: RankingTask) -> Result | None:
        number = rounds.round_of(self._state, task.id)
        if number is None:
            async with self._changing:
                plan = await self._runner.following(lambda state: rounds.planned_for(state, task))
                if not plan.pairings:
                    return rounds.nothing_played(plan.reason)
                await self._announce(task, plan)
                await self._runner.begin(plan)
            number = len(self._state.rounds)
        self.stop = await self._runner.play_open()
        return None if self.stop is not None else await self._played(number)

    async def _announce(self, task: RankingTask, plan: Plan) -> None:
        """Tell the supervisor what a round takes, before it is recorded: a crash may have it told twice, never not."""
        if self._plugs.supervisor is not None:
            judge, advocate = self._runner.voices.judge, self._runner.voices.advocate
            needed = rounds.needed(plan, expected_of(self._state, plan.pairings, judge, advocate))
            await self._plugs.supervisor.resources_needed(task.id, needed)

    async def _played(self, number: int) -> Result:
        chronicle = await asyncio.to_thread(Chronicle.read, self._ledger, self._state.snapshot())
        result, updates = rounds.results(chronicle, number)
        if self._plugs.supervisor is not None:
            await self._plugs.supervisor.ranking_updated(updates)
        if self._plugs.meta_review is not None:
            await self._learn(self._plugs.meta_review)
        return as_values(result)

    async def _learn(self, consumer: MetaReviewConsumer) -> None:
        """Analyse what wins, each time that enough matches were decided since the last time.

        The analysis is recorded once it was told: after a crash it may be told again, but is never lost.
        """
        if decided_since(self._state) < self._state.system.pattern_analysis.min_matches_for_analysis:
            return
        found = await asyncio.to_thread(analyse_patterns, self._state.snapshot())
        insights = await consumer.patterns(analysis_of(found.as_dict()))
        record_patterns(self._ledger, self._state, found, insights or "")

    async def _ranking(self, task: RankingTask) -> Result:
        report = await asyncio.to_thread(ranking_report, self._ledger, self._state.snapshot())
        ranked = report.ranked_hypotheses
        if task.hypothesis_ids:
            ranked = tuple(one for one in ranked if one.hypothesis_id in set(task.hypothesis_ids))
        if self._plugs.supervisor is not None:
            await self._plugs.supervisor.prioritized([one.hypothesis_id for one in ranked])
        return as_values(replace(report, ranked_hypotheses=ranked))
