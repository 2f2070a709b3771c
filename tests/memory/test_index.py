"""The index: what a run finds, what it leaves alone, and what it tells."""

import hashlib
import os
import threading
import time

import numpy as np
import pytest

from paragone.domain.content import Content, ContentKind
from paragone.errors import Busy
from paragone.memory.index import FileReader, Index, IndexProgress
from paragone.memory.index.indexing import Renames
from paragone.memory.store.config import IndexConfig, TierConfig

CODE = '''class Store:
    """Keeps things."""

    def add(
        self,
        thing: str,
    ) -> None:
        """Add one."""
        self.things.append(thing)


def add(a, b):
    return a + b
'''


def hashed(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_first_run_finds_files_chunks_symbols_records_and_vectors(folder):
    folder.write({"src/store.py": CODE, "docs/adr/ADR-001-x.md": "# ADR-001: X\n\nText.\n", "empty.txt": ""})
    run = folder.update()
    assert (run.files, run.chunks, run.symbols, run.decisions, run.embedded) == (3, 2, 4, 1, 2)
    assert run.added == ("docs/adr/ADR-001-x.md", "empty.txt", "src/store.py")
    assert (run.changed, run.removed, run.renamed, run.unchanged, run.skipped) == ((), (), (), 0, ())
    file = folder.index.file("src/store.py")
    assert (file.sha256, file.size, file.lines, file.language) == (hashed(CODE), len(CODE), 13, "python")
    assert file.first_seen == folder.now
    assert file.mtime == pytest.approx((folder.root / "src/store.py").stat().st_mtime)
    (chunk,) = folder.index.chunks("src/store.py")
    assert (chunk.start, chunk.end, chunk.text) == (1, 13, CODE.rstrip("\n"))
    assert chunk.hash == hashed(chunk.text)
    assert [one.id for one in folder.index.symbols("src/store.py")] == [
        "@src/store.py::Store",
        "@src/store.py::Store.add",
        "@src/store.py::add",
    ]
    assert folder.index.file("nowhere.py") is None


def test_vectors_are_of_unit_length_and_in_the_order_of_their_hashes(folder):
    folder.write({f"{letter}.txt": f"{letter * 9}\n" for letter in "abc"})
    folder.update()
    hashes, matrix = folder.index.vectors()
    assert matrix.shape == (3, 9)
    assert isinstance(matrix, np.memmap)
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1.0, rtol=1e-6)
    for row, letter in enumerate("abc"):
        assert hashes[row] == hashed(letter * 9)
        assert matrix[row, 1 + row] == pytest.approx(9 / np.sqrt(82))


def test_the_same_text_is_embedded_once_and_lies_in_two_places(folder):
    folder.write({"a/x.txt": "same words\n", "b/y.txt": "same words\n"})
    assert folder.update().embedded == 1
    assert [(one.path, one.start) for one in folder.index.places(hashed("same words"))] == [
        ("a/x.txt", 1),
        ("b/y.txt", 1),
    ]
    assert list(folder.index.contents(ContentKind.VECTOR)) == [
        Content(kind=ContentKind.VECTOR, id=hashed("same words"), path="a/x.txt")
    ]


@pytest.fixture
def settled(monkeypatch):
    """Waits until what was written cannot be written again at the same time, which a disk in memory tells apart after
    ten milliseconds at the latest, and updates the index."""
    monkeypatch.setattr("paragone.memory.index.scan._GRAIN", 15_000_000)

    def update(folder):
        time.sleep(0.02)
        return folder.update()

    return update


def refuse(*given):
    raise AssertionError(f"nothing is to be opened here: {given}")


def test_a_run_without_a_change_opens_nothing_and_tells_nothing(folder, monkeypatch, settled):
    folder.write({"a.py": CODE, "b.bin": b"\0\1"})
    folder.update()
    settled(folder)
    before, version, asked = folder.held(), folder.index.version(), len(folder.embedder.asked)
    monkeypatch.setattr(FileReader, "data", refuse)
    run = folder.update()
    assert (run.unchanged, run.added, run.changed, run.removed, run.embedded) == (1, (), (), (), 0)
    assert [(one.path, one.why) for one in run.skipped] == [("b.bin", "it is binary")]
    assert (folder.held(), folder.index.version(), len(folder.embedder.asked)) == (before, version, asked)
    assert len(folder.lines()) == 1


def test_a_file_that_was_only_touched_is_as_it_was(folder, settled):
    folder.write({"a.py": CODE})
    folder.update()
    version = folder.index.version()
    os.utime(folder.root / "a.py", (1_600_000_000, 1_600_000_000))
    run = settled(folder)
    assert (run.unchanged, run.changed) == (1, ())
    assert folder.index.file("a.py").mtime == 1_600_000_000
    assert folder.index.version() == version


def test_an_edit_of_the_same_size_at_the_same_time_is_seen(folder, settled):
    folder.write({"a.txt": "one"})
    os.utime(folder.root / "a.txt", ns=(7, 7))
    settled(folder)
    folder.write({"a.txt": "two"})
    os.utime(folder.root / "a.txt", ns=(7, 7))
    assert folder.update().changed == ("a.txt",)
    folder.write({"a.txt": "six"})  # within the grain of the clock of the run before
    os.utime(folder.root / "a.txt", ns=(7, 7))
    assert folder.update().changed == ("a.txt",)


def test_changes_are_told_by_their_kinds_and_counted_in_the_log(folder):
    folder.write({"same.txt": "s\n", "edited.txt": "e\n", "gone.txt": "g\n", "old/moved.txt": "m\n"})
    folder.update()
    first = folder.now
    folder.write({"edited.txt": "e2\n", "new.txt": "n\n"})
    (folder.root / "gone.txt").unlink()
    (folder.root / "old").rename(folder.root / "elsewhere")
    run = folder.update()
    assert (run.added, run.changed, run.removed) == (("new.txt",), ("edited.txt",), ("gone.txt",))
    assert (run.renamed, run.unchanged, run.files) == ((("old/moved.txt", "elsewhere/moved.txt"),), 1, 4)
    assert folder.index.file("elsewhere/moved.txt").first_seen == first
    assert folder.index.file("edited.txt").first_seen == first
    assert folder.index.file("new.txt").first_seen == folder.now
    line = folder.lines()[-1]
    assert (line.added, line.changed, line.removed) == (1, 1, 1)
    assert line.renamed == (("old/moved.txt", "elsewhere/moved.txt"),)


def test_a_moved_file_costs_no_new_vector(folder):
    folder.write({"a.txt": "words\n"})
    folder.update()
    (folder.root / "a.txt").rename(folder.root / "b.txt")
    assert folder.update().embedded == 0
    assert [one.path for one in folder.index.places(hashed("words"))] == ["b.txt"]


def test_of_several_that_are_alike_the_one_of_the_same_name_was_renamed():
    renames = Renames([("x/a.py", "h"), ("x/b.py", "h"), ("x/c.py", "other")])
    assert renames.old_path("y/b.py", "h") == "x/b.py"
    assert renames.old_path("y/z.py", "h") == "x/a.py"
    assert renames.old_path("y/more.py", "h") is None


def test_the_log_tells_the_pools_with_the_means_of_their_initial_ratings(folder):
    folder.write({"AGENTS.md": "# High\n", "src/a.py": "def f(): pass\n", "THOUGHT/LAB/x.txt": "low\n"})
    folder.update()
    pools = folder.lines()[-1].pools
    assert (pools[ContentKind.FILE].count, pools[ContentKind.FILE].mean_initial) == (3, (1600 + 1200 + 800) / 3)
    assert (pools[ContentKind.SYMBOL].count, pools[ContentKind.SYMBOL].mean_initial) == (2, 1400.0)
    assert pools[ContentKind.VECTOR].count == 3
    assert ContentKind.ADR not in pools


def test_new_tiers_are_told_although_no_file_changed(folder):
    folder.write({"a.txt": "a\n"})
    folder.update()
    object.__setattr__(folder.store.config, "tiers", TierConfig(low=("*.txt",)))
    folder.update()
    assert [line.pools[ContentKind.FILE].mean_initial for line in folder.lines()] == [1200.0, 800.0]


def test_chunks_without_vectors_get_them_in_the_next_run_that_makes_some(folder):
    folder.write({"a.txt": "a\n", "b.txt": "b\n"})
    assert folder.update(vectors=False).embedded == 0
    assert folder.index.vectors()[0] == []
    version = folder.index.version()
    folder.write({"c.txt": "c\n"})
    assert folder.update().embedded == 3
    assert len(folder.index.vectors()[0]) == 3
    assert folder.index.version() != version


def test_another_embedder_makes_all_vectors_anew(folder):
    folder.write({"a.txt": "a\n", "b.txt": "b\n"})
    folder.update()
    folder.embedder.name = "other"
    assert folder.update().embedded == 2
    assert len(folder.index.vectors()[0]) == 2


def test_another_size_of_chunks_makes_all_files_anew_and_none_of_them_changed(folder):
    folder.write({"a.txt": "word " * 300 + "\n" + "other " * 300 + "\n"})
    first = folder.update()
    object.__setattr__(folder.store.config, "index", IndexConfig(chunk_tokens=1000))
    second = folder.update()
    assert (first.chunks, second.chunks) == (4, 1)
    assert (second.changed, second.unchanged) == ((), 1)
    assert folder.index.file("a.txt").first_seen == folder.now - 100.0


def test_the_same_content_has_the_same_version_by_whatever_way(remembering):
    one, other = remembering("one"), remembering("other")
    one.write({"a.txt": "a\n", "b.txt": "b\n"})
    one.update()
    other.write({"b.txt": "b\n", "a.txt": "x\n"})
    other.update(vectors=False)
    assert other.index.version() != one.index.version()
    other.write({"a.txt": "a\n"})
    other.update()
    assert other.index.version() == one.index.version()


def test_symbols_are_found_by_id_by_name_and_by_the_end_of_their_names(folder):
    folder.write({"a.py": CODE, "b.py": "class Other:\n    def add(self): ...\n", "c.md": "# v1.2 notes\n"})
    folder.update()
    found = folder.index.symbol
    assert [one.id for one in found("@a.py::Store.add")] == ["@a.py::Store.add"]
    assert [one.id for one in found("a.py::Store.add")] == ["@a.py::Store.add"]
    assert [one.id for one in found("@add")] == ["@a.py::add"], "a whole name comes before the end of one"
    assert [one.id for one in found("Store.add")] == ["@a.py::Store.add"]
    assert [one.id for one in found("v1.2 notes")] == ["@c.md::v1.2 notes"]
    assert found("nothing") == []
    folder.write({"a.py": CODE.replace("def add(a, b)", "def plus(a, b)")})
    folder.update()
    assert [one.id for one in found("add")] == ["@a.py::Store.add", "@b.py::Other.add"]
    assert (found("Store")[0].signature, found("Store")[0].doc) == ("class Store:", "Keeps things.")


def test_contents_are_those_of_each_kind_with_their_paths(folder):
    folder.write({"a.py": "def f(): pass\n", "adr/ADR-1.md": "# One\n"})
    folder.update()
    ids = {kind: [(one.id, one.path) for one in folder.index.contents(kind)] for kind in ContentKind}
    assert ids[ContentKind.FILE] == [("a.py", "a.py"), ("adr/ADR-1.md", "adr/ADR-1.md")]
    assert ids[ContentKind.ADR] == [("ADR-1", "adr/ADR-1.md")]
    assert ids[ContentKind.SYMBOL] == [("@a.py::f", "a.py"), ("@adr/ADR-1.md::One", "adr/ADR-1.md")]
    assert [path for _, path in ids[ContentKind.VECTOR]] == ["a.py", "adr/ADR-1.md"]


def test_progress_ends_with_every_file_looked_at(folder):
    folder.write({f"{number}.txt": f"text {number}\n" for number in range(300)})
    told: list[IndexProgress] = []
    folder.update(progress=told.append)
    assert [one.done for one in told] == [256, 300]
    assert told[-1] == IndexProgress(done=300, of=300, embedded=300)


def test_a_second_indexer_is_busy_and_harms_nothing(folder, monkeypatch):
    monkeypatch.setattr("paragone.memory.index.index.LOCK_SECONDS", 0.05)
    folder.write({"a.txt": "a\n"})
    inside, go_on = threading.Event(), threading.Event()

    def hold(progress):
        inside.set()
        go_on.wait(10)

    first = threading.Thread(target=lambda: folder.index.update(progress=hold))
    first.start()
    assert inside.wait(10)
    with pytest.raises(Busy):
        Index(folder.store, embedder=folder.embedder).update()
    go_on.set()
    first.join()
    assert [one.path for one in folder.index.files()] == ["a.txt"]


def test_who_reads_meanwhile_sees_whole_batches(folder):
    folder.write({f"{number:03}.txt": f"text {number}\n" for number in range(300)})
    reader, seen = Index(folder.store), []
    folder.update(progress=lambda progress: seen.append((len(reader.files()), len(reader.vectors()[0]))))
    assert seen == [(256, 256), (300, 300)]
    reader.close()


def test_a_run_that_is_interrupted_keeps_its_batches(folder):
    folder.write({f"{number:03}.txt": f"text {number}\n" for number in range(300)})

    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.update(progress=interrupt)
    assert len(folder.index.files()) == 256
    assert folder.lines() == []
    assert folder.index.updated() is None
    run = folder.update()
    assert (len(run.added), run.files) == (44, 300)
    assert [(line.added, line.pools[ContentKind.FILE].count) for line in folder.lines()] == [(300, 300)]
    assert folder.index.updated() == folder.now
