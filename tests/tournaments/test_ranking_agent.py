"""The Ranking Agent: tasks by priority, side by side, each once, whatever happens."""

import asyncio
import json
from dataclasses import replace

import pytest

import virtual_time
from paragone.domain import (
    Outcome,
    PatternConfig,
    PolicyConfig,
    Review,
    SchedulingConfig,
    TournamentConfig,
    TournamentSystemConfig,
)
from paragone.domain.records import RankingTask, TaskType
from paragone.errors import Conflict
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.similarity import SimilarityGraph
from paragone.tournaments.agent import RankingAgent, TaskState
from paragone.tournaments.agent.dependencies import startable
from paragone.tournaments.agent.tasks import TaskRecord, submit, task_records
from paragone.tournaments.report import gather
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import Tournament

IDS = [f"h{number}" for number in range(12)]
STRENGTHS = {id: 0.6 * place for place, id in enumerate([*IDS, "new", "late", "n1", "n2"])}
QUICK = CallOptions(attempts=1, wait=0.001)
SYSTEM = TournamentSystemConfig(
    scheduling=SchedulingConfig(matches_per_round=10), policy=PolicyConfig(tournament_batch_size=8)
)


class Held(SimulatedJudge):
    """Answers when it is let."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.may_answer = asyncio.Event()

    async def compare(self, question):
        await self.may_answer.wait()
        return await super().compare(question)


def begin(db, judge=None, **options):
    options = {"system": SYSTEM, "seed": 4, "advocate": "none", **options}
    return Tournament.create(
        {id: f"hypothesis {id}" for id in IDS},
        judge=judge or SimulatedJudge(STRENGTHS, seed=2),
        criteria="novel and testable",
        db=db,
        pairing="weighted",
        **options,
    )


def again(db, judge=None):
    return Tournament.open(db, judge=judge or SimulatedJudge(STRENGTHS, seed=2))


def round_task(id="r1", **options):
    return RankingTask(id=id, task_type=TaskType.TOURNAMENT_ROUND, **options)


def newcomers(id="n", priority=0, **texts):
    context = {"hypotheses": texts}
    return RankingTask(
        id=id, task_type=TaskType.NEW_HYPOTHESIS, hypothesis_ids=tuple(texts), priority=priority, context=context
    )


def with_hypotheses(given):
    return RankingTask(id="n", task_type=TaskType.NEW_HYPOTHESIS, context={"hypotheses": given})


def ranking(id="g", **options):
    return RankingTask(id=id, task_type=TaskType.GLOBAL_RANKING, **options)


def do(agent, *tasks):
    for task in tasks:
        agent.submit(task)
    return asyncio.run(agent.run())


async def until(true):
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not come true in time")


@pytest.fixture
def db(tmp_path):
    return tmp_path / "ledger.db"


class Listening:
    """A supervisor, a reviewer, a proximity provider and a meta-reviewer that remember what they were told or asked."""

    def __init__(self):
        self.updates, self.needed, self.order, self.graphs, self.analyses = [], [], [], 0, []

    async def ranking_updated(self, updates):
        self.updates.append(updates)

    async def resources_needed(self, task, needed):
        self.needed.append((task, needed))

    async def prioritized(self, hypothesis_ids):
        self.order.append(list(hypothesis_ids))

    async def reviews(self, hypotheses):
        return [Review(item=item.id, reviewer="r", score=0.9) for item in hypotheses]

    async def graph(self, hypotheses):
        self.graphs += 1
        return SimilarityGraph.of(hypotheses, vectors=[[1.0, float(place)] for place, _ in enumerate(hypotheses, 1)])

    async def patterns(self, analysis):
        self.analyses.append(analysis)


def test_a_round_has_the_matches_of_a_batch_and_its_result_is_a_record(db):
    listening = Listening()
    with begin(db, judge=SimulatedJudge(STRENGTHS, seed=2, cost=0.01)) as tournament:
        agent = RankingAgent(tournament, supervisor=listening, pace=QUICK)
        stop = do(agent, round_task())
        done = agent.tasks()["r1"]
        assert (done.state, stop.paused, stop.failed) == (TaskState.DONE, True, False)
        assert done.result["matches_completed"] == 8 == len(tournament.state.played)
        assert done.result["round_id"] == "1"
        assert tournament.state.ratings == tournament.ledger.ratings.all(tournament.state.id)
        assert tournament.audit().ok
    ((task, needed),) = listening.needed
    assert (task, needed.calls, needed.compute_units, needed.cost) == ("r1", 8, 8.0, pytest.approx(0.08))
    assert {update.match_id for update in listening.updates[0]} == {f"1.{place}" for place in range(1, 9)}
    assert len(listening.updates[0]) == 16


def test_a_round_stays_among_the_hypotheses_that_were_named(db):
    with begin(db) as tournament:
        do(RankingAgent(tournament, pace=QUICK), round_task(hypothesis_ids=("h1", "h2", "h3", "h4")))
        assert {item for match in tournament.state.played for item in match.items} <= {"h1", "h2", "h3", "h4"}
        assert tournament.state.played


def test_a_higher_priority_goes_first_and_the_same_task_again_changes_nothing(db):
    with begin(db) as tournament:
        agent = RankingAgent(tournament, pace=QUICK)
        tasks = (round_task("low", priority=1), round_task("high", priority=5), round_task("middle", priority=3))
        do(agent, *tasks, *tasks)
        assert [len(agent.tasks()), len(tournament.state.rounds)] == [3, 3]
        rounds = {id: record.result["round_id"] for id, record in agent.tasks().items()}
        assert rounds == {"high": "1", "middle": "2", "low": "3"}
        with pytest.raises(Conflict, match="'low'"):
            agent.submit(round_task("low", priority=2))


def test_newcomers_and_rankings_are_answered_while_a_round_is_judged(db):
    judge = Held(STRENGTHS, seed=2)
    with begin(db, judge) as tournament:
        agent = RankingAgent(tournament, pace=QUICK)
        states = {}

        async def meanwhile():
            running = asyncio.create_task(agent.run())
            await until(lambda: tournament.state.rounds)
            agent.submit(newcomers(new="a new one"))
            agent.submit(ranking())
            await until(lambda: all(agent.tasks()[id].state is TaskState.DONE for id in "ng"))
            states.update({id: record.state for id, record in agent.tasks().items()})
            judge.may_answer.set()
            await running

        agent.submit(round_task())
        asyncio.run(asyncio.wait_for(meanwhile(), 30))
        assert states == {"r1": TaskState.RUNNING, "n": TaskState.DONE, "g": TaskState.DONE}
        assert agent.tasks()["r1"].state is TaskState.DONE
        assert agent.tasks()["n"].result["first_round"] == {"new": 2}


def test_a_newcomer_is_seeded_by_its_reviews_and_plays_in_the_next_round(db):
    listening = Listening()
    with begin(db) as tournament:
        agent = RankingAgent(tournament, reviews=listening, proximity=listening, pace=QUICK)
        do(agent, newcomers(new="a new one", priority=2), round_task())
        result = agent.tasks()["n"].result
        assert (result["joined"], result["requests"], result["incomplete"]) == (["new"], ["n:new"], {})
        assert result["ratings"]["new"] == pytest.approx(1200 + 400 * 0.4)
        assert listening.graphs == 2
        assert any("new" in match.items for match in tournament.state.played)
        served = next(
            e.detail["served"] for e in tournament.ledger.tournaments.events(tournament.state.id) if e.kind == "round"
        )
        assert "n:new" in served
        assert tournament.audit().ok


def test_an_incomplete_hypothesis_waits_and_is_completed_by_a_later_task(db):
    with begin(db) as tournament:
        agent = RankingAgent(tournament, pace=QUICK)
        lacking = {"text": "half a thought", "missing": ["experimental protocol"]}
        do(agent, newcomers("first", late=lacking, new=""), round_task())
        result = agent.tasks()["first"].result
        assert result["incomplete"] == {"late": ["experimental protocol"], "new": ["text"]}
        assert result["ratings"] == {"late": 1200.0, "new": 1200.0}
        assert not {"late", "new"} & set(tournament.state.ids)
        do(agent, newcomers("second", late="a whole thought"), round_task("r2"))
        assert "late" in tournament.state.ids
        assert any("late" in match.items for match in tournament.state.played)


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (round_task(hypothesis_ids=("h1", "nobody")), "no hypothesis 'nobody'"),
        (round_task(hypothesis_ids=("h1",)), "nobody to meet"),
        (round_task(context={"matches": 0}), "matches is a whole number from 1 up"),
        (round_task(tournament_parameters=TournamentConfig(k_factor=8)), "move by a K of 32"),
        (ranking(hypothesis_ids=("nobody",)), "no hypothesis 'nobody'"),
        (newcomers(), "names no hypothesis"),
        (newcomers(h1="another text"), "already, with another text"),
        (newcomers(odd={"text": "x", "missing": 5}), "missing must be a list of words, not 5"),
        (newcomers(odd={"text": "x", "missing": "no"}), "missing must be a list of words, not 'no'"),
        (newcomers(odd=["x"]), "the text of hypothesis 'odd' is no text"),
        (newcomers(odd="a\x00b"), "holds a NUL"),
        (with_hypotheses(5), "a mapping from id to text, or a list of records, not 5"),
        (with_hypotheses([{"id": "odd", "text": "x"}, "y"]), "needs an id: 'y'"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(db, task, reason):
    with begin(db) as tournament:
        agent = RankingAgent(tournament, pace=QUICK)
        do(agent, task)
        record = agent.tasks()[task.id]
        assert record.state is TaskState.REFUSED
        assert reason in record.error
        assert not tournament.state.rounds


def test_a_ranking_is_a_report_in_order(db):
    listening = Listening()
    with begin(db) as tournament:
        agent = RankingAgent(tournament, supervisor=listening, pace=QUICK)
        do(agent, round_task(priority=1), ranking(), ranking("some", hypothesis_ids=("h1", "h7")))
        result = agent.tasks()["g"].result
        assert [one["rank"] for one in result["ranked_hypotheses"]] == sorted(
            one["rank"] for one in result["ranked_hypotheses"]
        )
        assert {one["hypothesis_id"] for one in result["ranked_hypotheses"]} == set(IDS)
        assert {one["hypothesis_id"] for one in agent.tasks()["some"].result["ranked_hypotheses"]} == {"h1", "h7"}
    assert sorted(map(len, listening.order)) == [2, 12]


def test_patterns_are_told_once_enough_was_played(db):
    listening = Listening()
    with begin(db, system=replace(SYSTEM, pattern_analysis=PatternConfig(min_matches_for_analysis=20))) as tournament:
        agent = RankingAgent(tournament, meta_review=listening, pace=QUICK)
        do(agent, round_task("1"), round_task("2"))
        assert listening.analyses == []
        do(agent, round_task("3"), round_task("4"))
        assert [analysis.matches_analyzed >= 20 for analysis in listening.analyses] == [True]


def embedded(*texts):
    data = [{"object": "embedding", "index": at, "embedding": [1.0, float(at)]} for at in range(len(texts))]
    return {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def test_a_text_is_embedded_once_in_a_run(db, endpoint):
    endpoint.says(embedded(*IDS)).says(embedded("new"))
    with begin(db, similarity=f"llm:m@{endpoint.url}") as tournament:
        do(RankingAgent(tournament, pace=QUICK), newcomers(new="a new one", priority=2), round_task())
    assert [len(body["input"]) for body in endpoint.seen] == [len(IDS), 1]


def test_what_a_round_takes_is_told_again_where_the_supervisor_was_not_reached(db):
    class Away(Listening):
        async def resources_needed(self, task, needed):
            raise KeyboardInterrupt

    with begin(db) as tournament, pytest.raises(KeyboardInterrupt):
        do(RankingAgent(tournament, supervisor=Away(), pace=QUICK), round_task())
    listening = Listening()
    with again(db) as tournament:
        do(RankingAgent(tournament, supervisor=listening, pace=QUICK))
        assert [task for task, _ in listening.needed] == ["r1"]
        assert len(tournament.state.rounds) == 1


def test_draws_bring_no_new_analysis(db):
    """Analyses go by decided matches: were all matches counted, a judge of many ties would bring one every round."""
    listening = Listening()
    system = replace(SYSTEM, pattern_analysis=PatternConfig(min_matches_for_analysis=10))
    undecided = SimulatedJudge(STRENGTHS, seed=2, ties=0.7)
    with begin(db, judge=undecided, system=system) as tournament:
        do(RankingAgent(tournament, meta_review=listening, pace=QUICK), *(round_task(str(n)) for n in range(8)))
        decided = sum(match.outcome is not Outcome.DRAW for match in tournament.state.matches)
        assert decided < len(tournament.state.matches) - 20
        assert 1 <= len(listening.analyses) <= decided // 10


def test_insights_of_a_meta_review_are_kept_and_reported(db):
    class Thoughtful(Listening):
        async def patterns(self, analysis):
            await super().patterns(analysis)
            return f"after {analysis.matches_analyzed} matches: say what you measure <b>first</b>"

    system = replace(SYSTEM, pattern_analysis=PatternConfig(min_matches_for_analysis=8))
    with begin(db, system=system) as tournament:
        do(RankingAgent(tournament, meta_review=Thoughtful(), pace=QUICK), round_task("1"), round_task("2"))
        report = gather(tournament.ledger, TournamentState.load(tournament.ledger, None))
        kept = [
            event.detail
            for event in tournament.ledger.tournaments.events(tournament.state.id)
            if event.kind == "insights"
        ]
        assert ("Meta-review", kept[-1]["text"]) in report.effects.words
        assert "say what you measure" in kept[-1]["text"]


def test_an_analysis_that_could_not_be_told_is_told_when_the_round_is_taken_up_again(db):
    class Deaf(Listening):
        async def patterns(self, analysis):
            raise KeyboardInterrupt

    system = replace(SYSTEM, pattern_analysis=PatternConfig(min_matches_for_analysis=8))
    with begin(db, system=system) as tournament, pytest.raises(KeyboardInterrupt):
        do(RankingAgent(tournament, meta_review=Deaf(), pace=QUICK), round_task("1"), round_task("2"))
    listening = Listening()
    with again(db) as tournament:
        do(RankingAgent(tournament, meta_review=listening, pace=QUICK))
        assert listening.analyses


def test_another_process_may_submit_to_an_agent_that_serves(db):
    with begin(db) as tournament, again(db) as other:
        agent = RankingAgent(tournament, pace=QUICK)

        async def serving():
            running = asyncio.create_task(agent.serve())
            await asyncio.sleep(0.1)
            RankingAgent(other).submit(round_task("from elsewhere"))
            await until(lambda: [record.state for record in agent.tasks().values()] == [TaskState.DONE])
            tournament.gate.close("enough")
            return await running

        assert virtual_time.run(lambda: asyncio.wait_for(serving(), 30))[0].reason == "enough"
        assert len(tournament.state.played) == 8


def test_an_outage_leaves_the_task_to_a_later_run(db):
    with begin(db, SimulatedJudge(STRENGTHS, seed=2, failures=1.0)) as tournament:
        agent = RankingAgent(tournament, pace=QUICK)
        stop = do(agent, round_task())
        assert stop.failed
        assert agent.tasks()["r1"].state is TaskState.RUNNING
    with again(db) as tournament:
        agent = RankingAgent(tournament, pace=QUICK)
        assert not do(agent).failed
        assert agent.tasks()["r1"].result["matches_completed"] == 8
        assert len(tournament.state.rounds) == 1


def test_which_tasks_begin_now():
    tasks = [round_task("a"), ranking("b", priority=1), round_task("c", priority=1), ranking("d")]
    records = {task.id: TaskRecord(task=task, position=place) for place, task in enumerate(tasks)}
    assert [record.task.id for record in startable(records, {})] == ["b", "d"]
    del records["b"]
    assert [record.task.id for record in startable(records, {"d": None})] == ["c"]
    assert startable(records, {"c": None, "d": None}) == []


def test_tasks_are_plain_json_in_the_ledger(db):
    with begin(db) as tournament:
        agent = RankingAgent(tournament, pace=QUICK)
        do(agent, newcomers(new="a new one"), round_task(priority=-1), ranking(priority=-2))
        events = [e for e in tournament.ledger.tournaments.events(tournament.state.id) if e.kind.startswith("task")]
        assert json.loads(json.dumps([dict(event.detail) for event in events]))
        assert [record.state for record in task_records(events).values()] == [TaskState.DONE] * 3


def test_of_two_tasks_with_one_id_the_one_that_came_second_is_told(db):
    class Slower:
        """A ledger into which another process writes the moment before this one does."""

        def __init__(self, ledger):
            self.events, self.ledger, self.tournaments = ledger.tournaments.events, ledger, self

        def add_event(self, tournament, kind, detail):
            submit(self.ledger, tournament, round_task("same", priority=9))
            self.ledger.tournaments.add_event(tournament, kind, detail)

    with begin(db) as tournament:
        ledger, id = tournament.ledger, tournament.state.id
        with pytest.raises(Conflict, match="another task is called 'same'"):
            submit(Slower(ledger), id, round_task("same"))
        assert submit(ledger, id, round_task("same", priority=9)) == "same"
        assert RankingAgent(tournament).tasks()["same"].task.priority == 9
