"""The queue of a Ranking Agent: what waits for what, what a supervisor may ask of it, and how old an answer is."""

import asyncio

import pytest

from paragone.domain import PolicyConfig, SchedulingConfig, TournamentSystemConfig
from paragone.domain.records import RankingTask, TaskType
from paragone.domain.records.wire import from_json, to_json
from paragone.errors import Conflict, NotFound
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.agent import RankingAgent, TaskState
from paragone.tournaments.agent.dependencies import circle, hindrance, startable, waiting_in_words, waits_for
from paragone.tournaments.agent.tasks import TASK_STATE, TaskAct, TaskRecord, change, task_records
from paragone.tournaments.status import task_list
from paragone.tournaments.tournament import Tournament

IDS = [f"h{number}" for number in range(8)]
STRENGTHS = {id: 0.6 * place for place, id in enumerate([*IDS, "new"])}
QUICK = CallOptions(attempts=1, wait=0.001)
SYSTEM = TournamentSystemConfig(
    scheduling=SchedulingConfig(matches_per_round=4), policy=PolicyConfig(tournament_batch_size=4)
)


class Held(SimulatedJudge):
    """Answers when it is let."""

    def __init__(self):
        super().__init__(STRENGTHS, seed=2)
        self.may_answer = asyncio.Event()

    async def compare(self, question):
        await self.may_answer.wait()
        return await super().compare(question)


@pytest.fixture
def tournament(tmp_path):
    with Tournament.create(
        {id: f"hypothesis {id}" for id in IDS},
        judge=SimulatedJudge(STRENGTHS, seed=2),
        criteria="novel",
        db=tmp_path / "ledger.db",
        pairing="weighted",
        system=SYSTEM,
        seed=4,
        advocate="none",
    ) as tournament:
        yield tournament


def round_task(id="r", **options):
    return RankingTask(id=id, task_type=TaskType.TOURNAMENT_ROUND, **options)


def ranking(id="g", **options):
    return RankingTask(id=id, task_type=TaskType.GLOBAL_RANKING, **options)


def newcomer(id="n", **options):
    return RankingTask(
        id=id, task_type=TaskType.NEW_HYPOTHESIS, context={"hypotheses": {"new": "a new one"}}, **options
    )


def submitted(tournament, *tasks):
    agent = RankingAgent(tournament, pace=QUICK)
    for task in tasks:
        agent.submit(task)
    return agent


async def until(true):
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not come true in time")


def states(agent):
    return {id: record.state.value for id, record in agent.tasks().items()}


def finished(agent):
    """Ids of the tasks that are done, in the order in which they were."""
    events = agent.tournament.ledger.tournaments.events(agent.tournament.state.id)
    return [event.detail["id"] for event in events if event.kind == TASK_STATE and event.detail["state"] == "done"]


@pytest.mark.parametrize("priority", [-100, 0])
def test_a_ranking_waits_for_the_rounds_submitted_before_it_and_says_what_it_rests_on(tournament, priority):
    agent = submitted(tournament, round_task("r1"), round_task("r2"), ranking(priority=priority), round_task("r3"))
    asyncio.run(agent.run())
    done = finished(agent)
    assert done.index("g") > done.index("r2") > done.index("r1")
    record = agent.tasks()["g"]
    assert record.evidence["matches"] == 8 == record.evidence["verdicts"]
    ratings = {row["elo_rating"] for row in record.result["ranked_hypotheses"]}
    assert len(ratings) > 1, "the ranking is of hypotheses that were played"
    task = next(task for task in task_list(agent._events, len(tournament.state.played)) if task["id"] == "g")
    assert task["evidence"]["matches_since"] == 4, "the third round came after"


def test_a_ranking_of_higher_priority_comes_before_the_rounds(tournament):
    agent = submitted(tournament, round_task(), ranking(priority=1))
    asyncio.run(agent.run())
    assert agent.tasks()["g"].evidence["matches"] == 0


def test_a_ranking_of_lower_priority_waits_for_the_round_that_is_judged(tournament):
    tournament.judge = judge = Held()
    agent = submitted(tournament, round_task())

    async def meanwhile():
        running = asyncio.create_task(agent.run())
        await until(lambda: tournament.state.rounds)
        agent.submit(ranking("later", priority=-100))
        agent.submit(ranking("now"))
        await until(lambda: agent.tasks()["now"].state is TaskState.DONE)
        assert states(agent) == {"r": "running", "later": "queued", "now": "done"}
        with pytest.raises(Conflict, match="task 'r' is running"):
            agent.pause("r")
        judge.may_answer.set()
        await running

    asyncio.run(asyncio.wait_for(meanwhile(), 30))
    assert [agent.tasks()[id].evidence["matches"] for id in ("now", "later")] == [0, 4]


def test_a_task_begins_when_those_it_is_after_are_done_whatever_the_priorities(tournament):
    agent = submitted(
        tournament,
        round_task("second", priority=9, after=("n", "first")),
        round_task("first", after=("n",)),
        newcomer(priority=-5),
        ranking("between", priority=7, after=("first",)),
    )
    asyncio.run(agent.run())
    done = finished(agent)
    assert done.index("n") < done.index("first") < min(done.index("second"), done.index("between"))
    assert any("new" in match.items for match in tournament.state.played)


@pytest.mark.parametrize(
    ("tasks", "refused", "reason"),
    [
        ([round_task("a", after=("a",))], ["a"], "after itself"),
        ([round_task("a", after=("b",)), ranking("b", after=("a",))], ["a", "b"], "in a circle: "),
        (
            [round_task("a", hypothesis_ids=("h1",)), ranking("b", after=("a",))],
            ["a", "b"],
            "after 'a', which was refused",
        ),
    ],
)
def test_what_can_never_begin_is_refused_with_the_reason_and_so_is_what_follows(tournament, tasks, refused, reason):
    agent = submitted(tournament, *tasks, round_task("other"))
    stop = asyncio.run(agent.run())
    assert states(agent) == {"other": "done"} | dict.fromkeys(refused, "refused")
    assert reason in agent.tasks()[refused[-1]].error
    assert stop.reason == "no task is left"


def records_of(*tasks):
    return {task.id: TaskRecord(task=task, position=position) for position, task in enumerate(tasks)}


def test_a_circle_is_named_from_task_to_task():
    records = records_of(round_task("a", after=("b",)), round_task("b", after=("c",)), round_task("c", after=("a",)))
    assert circle(records["a"].task, records) == ("a", "b", "c", "a")
    assert "a after b after c after a" in hindrance(records["a"].task, records)
    follower = round_task("d", after=("a",))
    assert (circle(follower, records), hindrance(follower, records)) == ((), "")


def test_a_round_that_waits_for_a_ranking_does_not_hold_it(tournament):
    agent = submitted(tournament, round_task(after=("g",)), ranking(priority=-1))
    assert waits_for(agent.tasks()["g"], agent.tasks()) == ()
    asyncio.run(agent.run())
    assert finished(agent) == ["g", "r"]


def test_a_run_ends_where_a_task_waits_for_one_that_nobody_submitted(tournament):
    agent = submitted(tournament, round_task(after=("later",)), ranking(priority=-1))
    stop = asyncio.run(agent.run())
    assert stop.reason == "no task can begin: r waits, after later (not submitted yet), and 1 more wait"
    agent.submit(newcomer("later"))
    assert asyncio.run(agent.run()).reason == "no task is left"
    assert finished(agent) == ["later", "r", "g"]


def test_what_is_cancelled_is_not_done_and_what_is_after_it_says_so(tournament):
    agent = submitted(tournament, round_task(), ranking(after=("r",)), round_task("other"))
    agent.cancel("r", "no budget")
    assert agent.cancel("r", "no budget").state is TaskState.CANCELLED, "the same again changes nothing"
    asyncio.run(agent.run())
    assert states(agent) == {"r": "cancelled", "g": "refused", "other": "done"}
    assert agent.tasks()["g"].error == "it is to be done after 'r', which was cancelled: no budget"
    for act in (agent.cancel, agent.pause, agent.resume):
        with pytest.raises(Conflict, match="'other' is done"):
            act("other")
    with pytest.raises(NotFound, match="no task 'nobody'"):
        agent.cancel("nobody")
    assert len(tournament.state.rounds) == 1


def test_a_paused_task_and_a_paused_queue_wait_until_they_are_resumed(tournament):
    agent = submitted(tournament, round_task("a"), round_task("b"))
    agent.pause("a", "not yet")
    assert "a waits, it is paused: not yet" in asyncio.run(agent.run()).reason
    assert states(agent) == {"a": "paused", "b": "done"}
    agent.resume("a")
    agent.pause(reason="a person looks")
    pause = agent.queue_pause()
    assert waiting_in_words(agent.tasks()["a"], agent.tasks(), pause) == "the queue is paused: a person looks"
    assert "a waits, the queue is paused: a person looks" in asyncio.run(agent.run()).reason
    assert startable(agent.tasks(), {}, pause=pause) == []
    agent.resume()
    asyncio.run(agent.run())
    assert states(agent) == {"a": "done", "b": "done"}


def test_another_priority_changes_the_order_and_the_same_task_again_still_changes_nothing(tournament):
    agent = submitted(tournament, round_task("a"), round_task("b"))
    assert agent.prioritize("b", 5).urgency == 5
    agent.submit(round_task("b"))
    asyncio.run(agent.run())
    assert finished(agent) == ["b", "a"]


def test_of_a_cancellation_and_a_begin_at_one_instant_the_first_on_record_holds(tournament):
    ledger, id = tournament.ledger, tournament.state.id
    agent = submitted(tournament, round_task("a"), round_task("b"))
    note = agent._note

    def cancelled_meanwhile(task, state, **options):
        if state is TaskState.RUNNING and task.id == "a":
            change(ledger, id, "a", TaskAct.CANCEL, reason="at the last moment")
        note(task, state, **options)

    agent._note = cancelled_meanwhile
    asyncio.run(agent.run())
    assert states(agent) == {"a": "cancelled", "b": "done"}
    assert len(tournament.state.rounds) == 1
    ledger.tournaments.add_event(id, "task_change", {"id": "b", "act": "cancel", "reason": "too late"})
    assert task_records(ledger.tournaments.events(id))["b"].state is TaskState.DONE


def test_rounds_are_played_one_at_a_time_also_if_a_more_urgent_one_comes():
    records = records_of(round_task("a"), round_task("b", priority=5))
    assert startable(records, {"a": None}) == []


def test_a_task_with_dependencies_round_trips():
    task = round_task(after=("a", "b"), context={"matches": 3})
    assert from_json(RankingTask, to_json(task)) == task
