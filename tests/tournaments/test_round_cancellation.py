"""A round that is cancelled while it is played: what has begun is finished, and nothing paid is lost."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import Engine, event

from paragone.domain import PolicyConfig, SchedulingConfig, TournamentSystemConfig
from paragone.domain.records import RankingTask, TaskType
from paragone.errors import Conflict
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger.evidence.spending import By
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.status import history_of
from paragone.tournaments.tournament import Tournament

STRENGTHS = {f"h{place}": 0.6 * place for place in range(8)}
SYSTEM = TournamentSystemConfig(
    scheduling=SchedulingConfig(matches_per_round=4), policy=PolicyConfig(tournament_batch_size=4)
)
TWO_AT_ONCE = CallOptions(attempts=1, wait=0.001, concurrency=2)


class Held(SimulatedJudge):
    """Answers when it is let; notes what it was asked."""

    def __init__(self):
        super().__init__(STRENGTHS, seed=2)
        self.may_answer = asyncio.Event()
        self.asked = []

    async def compare(self, question):
        self.asked.append(question.call)
        await self.may_answer.wait()
        return await super().compare(question)


def created(db, **options):
    return Tournament.create(
        {id: f"hypothesis {id}" for id in STRENGTHS}, judge=Held(), criteria="novel", db=db, pairing="weighted",
        system=SYSTEM, seed=4, advocate="none", **options,
    )  # fmt: skip


def task(id, type=TaskType.TOURNAMENT_ROUND, **options):
    return RankingTask(id=id, task_type=type, **options)


async def until(true):
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not come true in time")


def cancelled(tournament, after, *tasks):
    """Run tasks, cancel the first while so many calls are in flight, and let them be answered."""
    agent, judge = RankingAgent(tournament, pace=TWO_AT_ONCE), tournament.judge

    async def meanwhile():
        for each in tasks:
            agent.submit(each)
        running = asyncio.create_task(agent.run())
        await until(lambda: len(judge.asked) == after)
        assert agent.cancel(tasks[0].id, "no money").state.value == "cancelling"
        assert agent.cancel(tasks[0].id, "again").error == "no money", "the same again changes nothing"
        with pytest.raises(Conflict, match="is cancelling"):
            agent.pause(tasks[0].id)
        await until(lambda: tournament.gate._only_begun)
        judge.may_answer.set()
        return await running

    stop = asyncio.run(asyncio.wait_for(meanwhile(), 30))
    return agent, stop


def recorded(tournament):
    """Calls of matches on record, and calls with a verdict on record."""
    ledger, id = tournament.ledger, tournament.state.id
    played = {answer.call for each in ledger.matches.all(id) for answer in each.match.comparisons}
    return played, {call for call, spent in ledger.tournaments.spending_by(id, By.CALL).items() if spent.decisions}


def test_what_is_in_flight_is_finished_and_the_result_says_how_far_it_came(tmp_path):
    with created(tmp_path / "l.db") as tournament:
        agent, stop = cancelled(tournament, 2, task("r"), task("g", TaskType.GLOBAL_RANKING, after=("r",)), task("s"))
        assert stop.reason == "no task is left"
        first, second = tournament.judge.asked[:2]
        assert tournament.judge.asked[2:] == [f"2.{place}.1" for place in (1, 2, 3, 4)], "the next round is whole"
        records = agent.tasks()
        assert {id: record.state.value for id, record in records.items()} == {
            "r": "cancelled", "g": "refused", "s": "done"
        }  # fmt: skip
        result = records["r"].result
        assert (records["r"].error, result["matches_completed"], result["matches_planned"]) == ("no money", 2, 4)
        assert records["r"].evidence["matches"] == 2
        assert records["g"].error == "it is to be done after 'r', which was cancelled: no money"
        played, paid = recorded(tournament)
        assert {first, second} <= played == paid
        rounds = history_of(tournament.ledger, tournament.state)["rounds"]
        assert [(each["matches_completed"], each["open"]) for each in rounds] == [(2, False), (4, False)]
        assert tournament.state.open_matches == []
        assert tournament.audit().ok


def test_a_match_that_has_begun_is_finished_with_all_its_calls(tmp_path):
    with created(tmp_path / "l.db", comparison_rounds=2) as tournament:
        agent, _ = cancelled(tournament, 2, task("r"))
        assert sorted(tournament.judge.asked) == ["1.1.1", "1.1.2"]
        played, paid = recorded(tournament)
        assert played == paid == {"1.1.1", "1.1.2"}
        assert agent.tasks()["r"].result["matches_completed"] == 1


def test_a_round_that_is_over_at_that_instant_has_all_its_matches(tmp_path):
    with created(tmp_path / "l.db") as tournament:
        agent, _ = cancelled(tournament, 2, task("r", context={"matches": 2}))
        result = agent.tasks()["r"].result
        assert (result["matches_completed"], result["matches_planned"]) == (2, 2)
        assert agent.tasks()["r"].state.value == "cancelled", "whatever is after it does not begin"


def test_a_request_whose_match_is_dropped_is_made_again(tmp_path):
    with created(tmp_path / "l.db") as tournament:
        requests = (
            {"id": f"ask:{id}", "hypothesis_id": id, "priority": "high", "current_elo": 1200} for id in STRENGTHS
        )
        at = {"creation_timestamp": "2026-01-01T00:00:00Z", "opponent_id": None, "similarity_graph_id": ""}
        tournament.ledger.tournaments.add_events(
            tournament.state.id, [("request", {**each, **at}) for each in requests]
        )
        cancelled(tournament, 2, task("r"))
        state = tournament.state
        state.refresh(tournament.ledger)
        played = {id for match in state.matches for id in (match.a, match.b)}
        served = {id.removeprefix("ask:") for id in state.event_state.last_round["served"]}
        assert len(played) == 4
        again = {detail["hypothesis_id"]: id for id, detail in state.event_state.requests.items() if id.endswith(":1")}
        assert again == {id: f"ask:{id}:1" for id in served - played}
        assert again


def test_killed_between_any_two_writes_it_ends_the_same(tmp_path, deep):
    """Without --deep between every third two."""
    db = tmp_path / "l.db"
    copies = {}

    def copy(connection):
        """The ledger as a kill right before this commit would leave it; most commits end looks, and leave the same."""
        (version,) = source.execute("PRAGMA data_version").fetchone()
        if version not in copies:
            copies[version] = tmp_path / f"killed-{version}.db"
            with sqlite3.connect(copies[version]) as other:
                source.backup(other)

    with (
        created(db, comparison_rounds=2) as tournament,
        closing(sqlite3.connect(db, check_same_thread=False)) as source,
    ):
        event.listen(Engine, "commit", copy)
        try:
            agent, _ = cancelled(tournament, 2, task("r"), task("s"))
        finally:
            event.remove(Engine, "commit", copy)
        id = tournament.state.id
    ended = 0
    for killed in [*list(copies.values())[:: 1 if deep else 3], db]:
        judge = SimulatedJudge(STRENGTHS, seed=2)
        with Tournament.open(killed, id, judge=judge) as tournament:
            agent = RankingAgent(tournament, pace=TWO_AT_ONCE)
            before = agent.tasks().get("r")
            if before is None or before.state.value not in ("cancelling", "cancelled"):
                continue  # killed before the cancellation was on record
            _, paid_before = recorded(tournament)
            asyncio.run(asyncio.wait_for(agent.run(), 30))
            after = agent.tasks()["r"]
            played, paid = recorded(tournament)
            assert (after.state.value, after.error, agent.tasks()["s"].state.value) == ("cancelled", "no money", "done")
            assert played == paid, "what was paid for counts"
            begun = {call.rpartition(".")[0] for call in paid_before if call.startswith("1.")}
            assert {call.rpartition(".")[0] for call in played if call.startswith("1.")} == begun, "nothing is begun"
            assert after.result["matches_completed"] == len(begun) <= 2
            assert tournament.audit().ok
            ended += 1
    assert ended > (8 if deep else 2)
