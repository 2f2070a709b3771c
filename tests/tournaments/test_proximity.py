"""Which items are alike: a recorded graph, an embedder paid once for a text, files of vectors or pairs (T17, T21)."""

import asyncio
import json

import numpy as np
import pytest

import without_board
from paragone.domain import Item
from paragone.domain.records import HypothesisCluster, RankingTask, SimilarityGraph, TaskType
from paragone.errors import InvalidItems, NotFound, UnknownColumn, UnreadableFile
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.proximity import RecordedProximity, check_similarity, open_similarity
from paragone.tournaments.state.similarities import Proximity
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


ITEMS = [Item(id=id, text=f"text {id}") for id in "abcd"]
VECTORS = {"a": [1.0, 0.0], "b": [0.9, 0.1], "c": [0.0, 1.0], "d": [0.1, 0.9]}


def graph(spec, items=ITEMS, ledger=None):
    return asyncio.run(open_similarity(spec, ledger).graph(items))


def embeds(endpoint, *vectors):
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    usage = {"prompt_tokens": 9, "total_tokens": 9}
    endpoint.says({"object": "list", "data": data, "model": "e", "usage": usage})


def test_a_text_is_embedded_once_for_all_runs(endpoint, tmp_path):
    embeds(endpoint, *(VECTORS[id] for id in "abc"))
    embeds(endpoint, VECTORS["d"])
    spec, ledger = f"llm:e@{endpoint.url}", tmp_path / "my.db"
    first = graph(spec, ITEMS[:3], ledger)
    assert (
        graph(spec, ITEMS[:3], ledger).similarity("a", "b")
        == first.similarity("a", "b")
        == pytest.approx(0.994, abs=1e-3)
    )
    assert graph(spec, ITEMS, ledger).neighbours("d")[0][0] == "c"
    assert [body["input"] for body in endpoint.seen] == [["text a", "text b", "text c"], ["text d"]]
    assert (tmp_path / "my.db.vectors").exists()


def test_a_run_that_goes_on_pays_for_no_vector_again(endpoint, tmp_path):
    embeds(endpoint, *VECTORS.values())
    texts = {item.id: item.text for item in ITEMS}
    options = {"criteria": "c", "pairing": "weighted", "seed": 1, "similarity": f"llm:e@{endpoint.url}"}
    judge, db = lambda a, b, criteria: "first", tmp_path / "l.db"
    with Tournament.create(texts, judge=judge, db=db, **options) as made:
        assert endpoint.seen == []
        without_board.run(made)
    with Tournament.open(db, judge=judge) as found:
        without_board.run(found)
    assert len(endpoint.seen) == 1


@pytest.mark.parametrize("kind", ["npy", "jsonl", "parquet"])
def test_vectors_from_a_file(tmp_path, kind):
    path = tmp_path / f"v.{kind}"
    if kind == "npy":
        np.save(path, np.array(list(VECTORS.values())))
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"id": id, "vector": v}) + "\n" for id, v in VECTORS.items()))
    else:
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.table({"id": list(VECTORS), "embedding": list(VECTORS.values())}), path)
    check_similarity(f"vectors:{path}", ITEMS)
    found = graph(f"vectors:{path}")
    assert [found.neighbours(id)[0][0] for id in "abcd"] == ["b", "a", "d", "c"]
    assert found.similarity("a", "c") == pytest.approx(0.0, abs=1e-6)


def test_who_came_later_has_no_vector_and_is_like_nobody(tmp_path):
    np.save(tmp_path / "v.npy", np.array(list(VECTORS.values())))
    found = graph(f"vectors:{tmp_path / 'v.npy'}", [*ITEMS, Item(id="e", text="new")])
    with pytest.raises(NotFound):
        found.similarity("a", "e")
    with pytest.raises(InvalidItems, match=r"no vector for 1 of 5 items: 'e'$"):
        check_similarity(f"vectors:{tmp_path / 'v.npy'}", [*ITEMS, Item(id="e", text="new")])


def test_a_graph_from_a_file(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("a,b,similarity\na,b,0.9\nd,c,-0.2\n")
    check_similarity(f"pairs:{path}", ITEMS)
    found = graph(f"pairs:{path}")
    assert (found.similarity("b", "a"), found.similarity("c", "d"), found.similarity("a", "c")) == (0.9, -0.2, 0.0)


@pytest.mark.parametrize(
    ("name", "content", "error", "says"),
    [
        ("v.jsonl", '{"id": "a", "vector": [1, "x"]}\n', InvalidItems, "vector of 'a' is not a list of numbers"),
        ("v.jsonl", '{"id": "a", "vector": [1]}\n{"id": "b", "vector": [1, 2]}\n', InvalidItems, "line 2: 2 numbers"),
        ("v.jsonl", '{"id": "a"}\n', UnknownColumn, "'id' and 'vector'"),
        ("v.npy", "no numpy", UnreadableFile, "no whole .npy file"),
        ("v.jsonl", '{"id": "a", "vector": [1]}\n', InvalidItems, "no vector for 3 of 4 items: 'b', 'c', 'd'"),
        ("g.csv", "a,b,similarity\na,b,1.5\n", InvalidItems, "from -1 to 1"),
        ("g.csv", "a,b,similarity\na,b,.5\nb,a,.5\n", InvalidItems, "appear twice"),
        ("g.csv", "a,b,similarity\nx,y,.5\n", InvalidItems, "no pair of these items"),
        ("g.csv", "a,b\nx,y\n", UnknownColumn, "'similarity'"),
    ],
)
def test_a_file_that_will_not_do_is_refused_with_the_place(tmp_path, name, content, error, says):
    (tmp_path / name).write_text(content)
    kind = "pairs" if name.endswith(".csv") else "vectors"
    with pytest.raises(error, match=says):
        check_similarity(f"{kind}:{tmp_path / name}", ITEMS)


def test_a_table_of_another_size_is_refused(tmp_path):
    np.save(tmp_path / "v.npy", np.ones((5, 2)))
    with pytest.raises(InvalidItems, match="5 rows for 4 items"):
        check_similarity(f"vectors:{tmp_path / 'v.npy'}", ITEMS)
