import hashlib
import logging
import sqlite3

import numpy as np
import pytest

from paragone.domain import Item
from paragone.errors import EmbeddingFailed, InvalidConfig, MissingKey, Unwritable, UsageError
from paragone.llm import forbid_remote_calls
from paragone.similarity import SimilarityGraph, VectorCache, embed, open_embedder


class Hashed:
    """A deterministic embedder that counts what it is asked, and breaks off where it is told to."""

    def __init__(self, name="hashed", breaks_at=None):
        self.name, self.asked, self._breaks_at = name, [], breaks_at

    def embed(self, texts):
        if self._breaks_at is not None and len(self.asked) + len(texts) > self._breaks_at:
            raise EmbeddingFailed("broken off")
        self.asked.extend(texts)
        return np.array([list(hashlib.sha256(text.encode()).digest()[:8]) for text in texts], dtype=np.float32)


def items(*texts):
    return [Item(id=f"i{n}", text=text) for n, text in enumerate(texts)]


def test_a_text_is_embedded_once_however_often_it_occurs():
    embedder = Hashed()
    vectors = embed(items("a", "b", "a"), embedder)
    assert embedder.asked == ["a", "b"]
    assert np.array_equal(vectors[0], vectors[2])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3))


def test_cached_vectors_are_not_made_again_and_are_the_same_to_the_last_bit(tmp_path):
    cache, first, second = VectorCache(tmp_path / "vectors.db"), Hashed(), Hashed()
    once = embed(items("a", "b"), first, cache=cache)
    again = embed(items("b", "c", "a"), second, cache=VectorCache(tmp_path / "vectors.db"))
    assert second.asked == ["c"]
    assert np.array_equal(once, again[[2, 0]])
    other = Hashed(name="another model")
    embed(items("a"), other, cache=cache)
    assert other.asked == ["a"]


def test_what_was_made_before_a_failure_is_kept(tmp_path):
    cache, many = VectorCache(tmp_path / "vectors.db"), items(*map(str, range(1500)))
    with pytest.raises(EmbeddingFailed):
        embed(many, Hashed(breaks_at=1200), cache=cache)
    after, seen = Hashed(), []
    embed(many, after, cache=cache, progress=lambda done, of: seen.append((done, of)))
    assert len(after.asked) == 1500 - 1024
    assert seen == [(1024, 1500), (1500, 1500)]


def test_a_file_that_is_no_cache_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database, but long enough to look like one" * 40)
    with pytest.raises(Unwritable, match="delete it, or name another"):
        VectorCache(tmp_path / "notes.txt")
    with pytest.raises(Unwritable):
        VectorCache(tmp_path / "no" / "folder.db")


def test_a_hostile_text_is_only_data(tmp_path):
    cache = VectorCache(tmp_path / "vectors.db")
    hostile = items("'); DROP TABLE vector; --", "\x00\ud800 half a pair", "", "😀" * 1000)
    assert np.isfinite(embed(hostile, open_embedder(), cache=cache)).all()
    with sqlite3.connect(tmp_path / "vectors.db") as database:
        assert database.execute("SELECT count(*) FROM vector").fetchone() == (4,)
    database.close()


def test_the_local_embedder_knows_paraphrases_and_leaves_logging_alone():
    before = (logging.root.level, list(logging.root.handlers))
    with forbid_remote_calls():
        graph = SimilarityGraph.of(
            items(
                "Blocking the receptor lowers blood pressure in mice.",
                "Mice whose receptor is blocked have lower blood pressure.",
                "The telescope saw a distant galaxy.",
                "A far galaxy was observed with a telescope.",
            ),
            neighbours=1,
        )
    assert [graph.neighbours(id)[0][0] for id in graph.ids] == ["i1", "i0", "i3", "i2"]
    assert (logging.root.level, list(logging.root.handlers)) == before


def answer(*rows):
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    return {"object": "list", "model": "m", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def test_a_remote_model_is_asked_in_one_call_and_its_answer_put_in_order(endpoint):
    endpoint.says(answer([3, 4], [0, 2]))
    embedder = open_embedder(f"llm:m@{endpoint.url}")
    assert embed(items("a", "b"), embedder).tolist() == [pytest.approx([0.6, 0.8]), [0, 1]]
    assert [body["input"] for body in endpoint.seen] == [["a", "b"]]
    assert embedder.name.startswith("m@127.0.0.1:")


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (answer([1, 2]), 200, "1 vectors for 2 texts"),
        (answer([1, 2], [1]), 200, "different lengths"),
        ({"odd": 1}, 200, "no usable answer"),
        ({"error": {"message": "bad key sk-proj-0123456789abcdef"}}, 401, "OPENAI_API_KEY"),
        ({"error": {"message": "no such model"}}, 404, "no model 'm'"),
    ],
)
def test_a_remote_failure_says_what_went_wrong_and_no_key(endpoint, body, status, text):
    endpoint.says(body, status)
    with pytest.raises(EmbeddingFailed, match=text) as caught:
        embed(items("a", "b"), open_embedder(f"llm:m@{endpoint.url}"))
    assert "sk-proj" not in str(caught.value)


def test_a_failed_call_is_tried_again(endpoint):
    endpoint.says({"error": {"message": "busy"}}, 503, retry_after="0.01").says(answer([1, 0]))
    assert embed(items("a"), open_embedder(f"llm:m@{endpoint.url}")).shape == (1, 2)
    assert len(endpoint.seen) == 2


def test_a_call_that_would_leave_this_machine_is_refused_in_tests(endpoint, monkeypatch):
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        open_embedder("llm:m@https://models.example/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-0123456789abcdef")
    with forbid_remote_calls(), pytest.raises(UsageError, match=r"models\.example"):
        open_embedder("llm:m@https://models.example/v1").embed(["a"])


@pytest.mark.parametrize("spec", ["", "remote", "local:x", "llm:", "llm:nobody:model", "llm:m@nowhere"])
def test_a_spec_that_names_no_embedder_is_refused(spec):
    with pytest.raises(InvalidConfig):
        open_embedder(spec)
