"""A store that nobody may write: it is searched, read, rated and packed, nothing in it changes, and that is said."""

import os

import pytest

from paragone import Memory
from paragone.errors import Unwritable


@pytest.fixture
def home(tmp_path, monkeypatch):
    (tmp_path / "kettle.md").write_text("# Kettle\n\nWater for tea.\n")
    (tmp_path / "brew.py").write_text("def brew(tea):\n    return tea\n")
    with Memory.create(tmp_path) as memory:
        memory.index(vectors=False)
        memory.search("kettle", how="keyword")
        memory.used("kettle.md")
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in sorted((folder / ".paragone").rglob("*")) if path.is_file()}


def test_reading_works_and_leaves_no_trace(home):
    before = contents(home)
    with Memory.open(home) as memory:
        assert memory.search("water", how="keyword").results[0].path == "kettle.md"
        assert memory.read("kettle.md").total_lines == 3
        assert memory.expand("@brew").symbol.name == "brew"
        assert memory.grep("tea").matches[0].path == "brew.py"
        assert memory.rating("kettle.md").usefulness == 2 / 3
        assert memory.board("file").total == 2
        assert "Water for tea" in memory.pack().text
        assert memory.metrics().sessions >= 1
        assert memory.end_session("success") is None
    assert contents(home) == before


def test_lines_that_were_not_counted_yet_are_counted_all_the_same(home):
    (home / ".paragone" / "elo_scores.db").unlink()
    with Memory.open(home) as memory:
        assert memory.rating("kettle.md").usefulness == 2 / 3
    assert not (home / ".paragone" / "elo_scores.db").exists()


def test_without_an_index_it_is_said_what_is_missing(home):
    (home / ".paragone" / "index.db").unlink()
    with Memory.open(home) as memory:
        assert memory.board().total >= 1
        with pytest.raises(Exception, match="the index holds nothing"):
            memory.search("water")


def test_a_report_needs_a_store_that_can_be_written(home, monkeypatch):
    def locked(self, name="write", **kwargs):
        raise Unwritable("not here")

    monkeypatch.setattr("paragone.memory.store.store.file_lock", lambda *_, **__: locked(None))
    with Memory.open(home) as memory, pytest.raises(Unwritable, match="not here"):
        memory.used("kettle.md")


class Other:
    """Another embedder of the same dimension."""

    name = "other/1"

    def __init__(self, embedder):
        self.embed = embedder.embed


def test_another_embedder_is_noticed_and_the_next_index_embeds_anew(folder):
    from paragone.memory.index import Index
    from paragone.memory.scores import Scores
    from paragone.memory.search import Searcher

    folder.write({"kettle.md": "water for tea\n"})
    folder.update()
    other = Other(folder.embedder)
    with Scores(folder.store) as scores:
        searcher = Searcher(folder.store, folder.index, lambda: scores, embedder=other)
        page = searcher.search("water")
        assert page.how == "keyword"
        assert "embedded by" in page.notice
        assert "other/1" in page.notice
        with pytest.raises(Exception, match="paragone memory index"):
            searcher.search("water", how="semantic")
        again = Index(folder.store, embedder=other)
        assert again.update().embedded == 1
        again.close()
        assert searcher.search("water", how="semantic").notice == ""
