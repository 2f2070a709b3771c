"""Somebody else's similarity graph, as the documents record it, decides who meets whom (T17, T21)."""

import asyncio

import pytest

from paragone.domain.records import HypothesisCluster, RankingTask, SimilarityGraph, TaskType
from paragone.errors import NotFound
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.state.proximity import Proximity, RecordedProximity
from paragone.tournaments.tournament import Tournament

GRAPH = SimilarityGraph(
    similarity_matrix={("a", "b"): 0.9, ("a", "c"): 0.2, ("b", "c"): -0.4},
    clusters=(HypothesisCluster(id=0, members=("b", "a")), HypothesisCluster(id=1, members=("c",))),
    recommended_matches=(("c", "d"),),
)


def test_the_record_is_read_in_both_directions():
    given: Proximity = RecordedProximity(GRAPH)
    assert given.similarity("a", "b") == given.similarity("b", "a") == 0.9
    assert given.similarity("a", "d") == given.similarity("nobody", "a") == 0.0
    assert given.neighbours("c") == (("d", 1.0), ("a", 0.2), ("b", -0.4))
    assert given.neighbours("nobody") == ()
    assert [given.cluster_of(id) for id in "abc"] == [0, 0, 1]
    with pytest.raises(NotFound, match="'d' is in no cluster"):
        given.cluster_of("d")


def meetings(graph):
    """Who meets whom in the first round of a Ranking Agent that is given the graph."""
    ideas = {id: f"hypothesis {id}" for id in "abcd"}
    with Tournament.create(ideas, judge=lambda a, b, criteria: "first", criteria="x", pairing="weighted") as made:
        agent = RankingAgent(made, proximity=RecordedProximity(graph))
        agent.submit(RankingTask(id="1", task_type=TaskType.TOURNAMENT_ROUND, context={"matches": 2}))
        asyncio.run(agent.run())
        return {frozenset(match.items) for match in made.state.played}


def test_what_is_alike_meets_and_what_is_recommended_does():
    assert meetings(GRAPH) == {frozenset("ab"), frozenset("cd")}
    other = SimilarityGraph(similarity_matrix={("a", "b"): 0.9}, recommended_matches=(("a", "d"), ("b", "c")))
    assert meetings(other) == {frozenset("ad"), frozenset("bc")}
