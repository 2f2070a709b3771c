"""A refused key stops a tournament at its first answer, whoever began the run."""

import asyncio

import pytest

import without_board
from paragone.domain.records import RankingTask, TaskType
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.tournament import Tournament
from scripted_endpoint import status

TEXTS = {"a": "quality 1", "b": "quality 2", "c": "quality 3", "d": "quality 4"}


@pytest.mark.parametrize("pairing", ["informative", "swiss", "weighted"])
def test_a_run_from_python_stops_after_one_request(serve_model, pairing):
    endpoint = serve_model(always=status(401))
    judge = f"llm:m@{endpoint.url}"
    with Tournament.create(TEXTS, judge=judge, criteria="quality", pairing=pairing, seed=1) as tournament:
        without_board.run(tournament)
    assert endpoint.count.requests == 1
    assert (tournament.stop.failed, tournament.stop.misuse) == (True, True)
    assert "refused the key (401)" in tournament.stop.reason


def test_an_agent_stops_after_one_request_and_goes_on_when_the_key_is_right(serve_model):
    endpoint = serve_model(always=status(401))
    judge = f"llm:m@{endpoint.url}"
    with Tournament.create(
        TEXTS, judge=judge, criteria="quality", pairing="weighted", advocate="none", seed=1
    ) as tournament:
        agent = RankingAgent(tournament)
        agent.submit(RankingTask(id="t", task_type=TaskType.TOURNAMENT_ROUND))
        stop = asyncio.run(agent.run())
        assert (endpoint.count.requests, stop.failed, stop.misuse) == (1, True, True)
        endpoint.always = None
        tournament.judge = None
        assert not asyncio.run(agent.run()).failed
        assert tournament.state.played
