"""What an index survives: kills, damage, another version, lost files, many processes at once."""

import builtins
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

import warm_start
from paragone.errors import Failure, MissingExtra, Unwritable
from paragone.memory.index import Index, indexing, vector_file
from paragone.memory.index.database import IndexDatabase

CHILD = Path(__file__).with_name("index_kill_child.py")
CODE = "def name_{0}(value):\n    return value + {0}\n"


def project(folder):
    folder.write({f"src/m{number}.py": CODE.format(number) for number in range(8)})
    folder.write({"adr/ADR-1.md": "# One\n", "adr/ADR-2.md": "# Two, after ADR-1\n"})


def change(folder):
    """New, changed, gone and renamed files."""
    folder.write({"src/m1.py": CODE.format("one"), "new.txt": "new\n"})
    (folder.root / "src/m2.py").unlink()
    (folder.root / "src/m3.py").rename(folder.root / "src/moved.py")


def told(folder):
    return [(line.added, line.changed, line.removed, line.renamed, line.pools) for line in folder.lines()]


@pytest.mark.skipif(sys.platform == "win32", reason="nobody is killed in the same way there")
def test_a_killed_run_is_gone_on_with_and_ends_as_one_that_was_not(remembering, monkeypatch, tmp_path, deep):
    """Before every 24th write of a first run and every tenth of a second; with --deep before twice as many."""
    monkeypatch.setattr(indexing, "_FILES", 3)
    whole = remembering("whole")
    project(whole)
    shutil.copytree(whole.root, tmp_path / "first")
    whole.update()
    first = whole.held(), told(whole)
    shutil.copytree(whole.root, tmp_path / "second")
    change(whole)
    whole.update()
    second = whole.held(), told(whole)

    copies = []
    places = [("first", at) for at in range(5, 120, 12)], [("second", at) for at in range(2, 65, 5)]
    for name, writes in [place for those in places for place in those[:: 1 if deep else 2]]:
        root = tmp_path / f"{name}{writes}"
        shutil.copytree(tmp_path / name, root)
        copies.append((root, writes))
        if name == "second":
            copied = remembering(root.name)
            change(copied)
    done = subprocess.run(
        [warm_start.python(), CHILD, *(str(one) for copy in copies for one in copy)],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    endings = [int(line) for line in done.stdout.split()]
    assert endings.count(-9) >= (18 if deep else 10), endings
    for (root, writes), ending in zip(copies, endings, strict=True):
        assert ending in {0, -9}, done.stderr
        copy = remembering(root.name)
        copy.update()
        held, lines = first if root.name.startswith("first") else second
        assert copy.held() == held, (root.name, writes)
        assert told(copy) == lines, (root.name, writes)


@pytest.mark.parametrize("damage", ["noise", "half", "empty", "another version", "no table", "gone", "folder gone"])
def test_a_damaged_index_is_made_anew(folder, damage):
    project(folder)
    for path in folder.root.rglob("*.py"):
        os.utime(path, (900_000, 900_000))
    folder.update()
    before, version = folder.held(), folder.index.version()
    folder.index.close()
    path = folder.store.path / "index.db"
    if damage == "noise":
        path.write_bytes(b"noise " * 2000)
    elif damage == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 // 4096 * 4096])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "another version":
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA user_version = 99")
            database.execute("ALTER TABLE file RENAME TO files")
        database.close()
    elif damage == "no table":
        with sqlite3.connect(path) as database:
            database.execute("DROP TABLE chunk")
        database.close()
    elif damage == "gone":
        path.unlink()
    else:
        shutil.rmtree(folder.store.path / "vectors")
    folder.update()
    assert folder.held() == before
    assert folder.index.version() == version or damage == "folder gone"
    assert folder.index.file("src/m1.py").first_seen == 1_000_100.0, "the log knows when it was"


def test_who_reads_a_damaged_index_is_told_what_to_do(folder):
    project(folder)
    folder.update()
    folder.index.close()
    path = folder.store.path / "index.db"
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\0" * (len(whole) - 4096))
    with pytest.raises(Failure, match=r"is damaged: .*; make it anew with: paragone memory index"):
        folder.index.files()


def test_vectors_that_are_cut_short_are_made_anew(folder):
    project(folder)
    folder.update()
    before = folder.held()
    (path,) = (folder.store.path / "vectors").glob("*.f32")
    path.write_bytes(path.read_bytes()[:-1])
    folder.index.close()
    assert folder.update().embedded == len(before["vectors"])
    assert folder.held() == before


def test_many_dead_rows_are_left_behind_and_readers_keep_theirs(folder, monkeypatch):
    monkeypatch.setattr(vector_file, "_MIN_DEAD_ROWS", 3)
    folder.write({f"{number:02}.txt": f"{'a' * number}\n" for number in range(1, 11)})
    folder.update()
    old_hashes, old_matrix = folder.index.vectors()
    old = old_matrix.copy()
    for number in range(1, 4):
        (folder.root / f"{number:02}.txt").unlink()
    folder.update()
    hashes, matrix = folder.index.vectors()
    assert (hashes[:3], len(hashes), len(matrix)) == (["", "", ""], 10, 10), "three are few"
    (folder.root / "04.txt").unlink()
    folder.write({"new.txt": "b\n"})
    folder.update()
    hashes, matrix = folder.index.vectors()
    assert len(hashes) == len(matrix) == 7
    assert all(hashes)
    assert {hash: row.tobytes() for hash, row in zip(hashes[:-1], matrix, strict=False)} == {
        hash: row.tobytes() for hash, row in list(zip(old_hashes, old, strict=True))[4:]
    }
    assert (old_matrix == old).all(), "what is mapped stays as it was"
    assert len(list((folder.store.path / "vectors").glob("*.f32"))) == 1


def test_a_row_is_never_given_to_another_vector(folder):
    folder.write({"a.txt": "aa\n", "b.txt": "bb\n"})
    folder.update()
    _, matrix = folder.index.vectors()
    before = matrix.copy()
    folder.write({"b.txt": "cc\n"})
    folder.update()
    assert (matrix == before).all()
    assert len(folder.index.vectors()[0]) == 3


def test_threads_read_while_one_writes(folder):
    folder.write({f"{number:03}.txt": f"text {number}\n" for number in range(400)})
    failed, stop = [], threading.Event()

    def read():
        try:
            while not stop.is_set():
                paths = [one.path for one in folder.index.files()]
                assert len(paths) in {0, 256, 400}
                assert all(folder.index.file(path) for path in paths[:3])
        except (AssertionError, Failure, Unwritable, sqlite3.Error) as error:
            failed.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    folder.update()
    stop.set()
    for reader in readers:
        reader.join()
    assert failed == []
    assert len(folder.index.files()) == 400


def test_a_new_file_may_be_opened_by_many_at_once(tmp_path):
    failed = []

    def look(database, all_together):
        all_together.wait()
        try:
            with database.reading() as connection:
                connection.execute("SELECT count(*) FROM file").fetchone()
        except (Failure, Unwritable, sqlite3.Error) as error:
            failed.append(error)

    for attempt in range(20):
        (folder := tmp_path / str(attempt)).mkdir()
        database, all_together = IndexDatabase(folder), threading.Barrier(8)
        lookers = [threading.Thread(target=look, args=(database, all_together)) for _ in range(8)]
        for looker in lookers:
            looker.start()
        for looker in lookers:
            looker.join()
        database.close()
    assert failed == []


def test_a_full_disk_is_said_and_nothing_is_lost(folder, monkeypatch):
    project(folder)
    folder.update()
    before = folder.held()
    folder.write({"new.txt": "new\n"})

    def full(*given):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("paragone.memory.index.vector_file.os.fsync", full)
        with pytest.raises(Unwritable, match="No space left on device"):
            folder.update()
    assert folder.held() == before
    assert folder.update().added == ("new.txt",)


@pytest.mark.parametrize(
    ("package", "says"),
    [
        ("pathspec", "pathspec"),
        ("re2", "google-re2"),
        ("tree_sitter_language_pack", "tree-sitter-language-pack"),
        ("bpe_openai", "bpe-openai"),
    ],
)
def test_a_package_that_is_not_there_is_named_with_how_to_install_it(folder, monkeypatch, package, says):
    from paragone.memory.index import secret_patterns, symbols, token_count

    for cached in (secret_patterns._secret_text, symbols._language, token_count._counter):
        cached.cache_clear()
    folder.write({"a.py": "def f(): pass\n"})
    found = builtins.__import__

    def absent(name, *rest):
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    monkeypatch.setattr(token_count, "find_spec", lambda name: None if name == package else find_spec(name))
    with pytest.raises(MissingExtra, match=rf"{says}.*pip install 'paragone\[memory\]'"):
        Index(folder.store, embedder=folder.embedder).update()


def test_without_an_embedder_one_can_index_without_vectors(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "wordllama", None)
    folder.write({"a.txt": "a\n"})
    index = Index(folder.store)
    with pytest.raises(MissingExtra, match="--no-vectors"):
        index.update()
    assert index.update(vectors=False).files == 1
    index.close()


def test_who_reads_an_index_of_another_version_leaves_it_alone(folder):
    project(folder)
    folder.update()
    folder.index.close()
    with closing(sqlite3.connect(folder.store.path / "index.db")) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(Failure, match="another version of paragone; make it anew with: paragone memory index"):
        folder.index.files()
    assert len(folder.update().added) == 10
    assert len(folder.index.files()) == 10


def as_of_version_1(folder):
    """The same index as the first version had it: without units, and without a word on what is generated."""
    folder.index.close()
    with closing(sqlite3.connect(folder.store.path / "index.db")) as database:
        database.executescript(
            "DROP TABLE unit; ALTER TABLE file DROP COLUMN generated; UPDATE file SET made = 'of the first version';"
            "UPDATE file SET first_seen = 1234.5; PRAGMA user_version = 1;"
        )


def units_of(folder):
    return folder.index.units(folder.index.paths())


def test_an_index_of_an_earlier_version_is_read_anew_and_keeps_its_vectors_and_times(folder, caplog):
    project(folder)
    folder.write({"uv.lock": "locked\n"})
    folder.update()
    before, units, asked = folder.held(), units_of(folder), len(folder.embedder.asked)
    as_of_version_1(folder)
    assert [row.generated for row in folder.index.files() if row.path == "uv.lock"] == ["a lock file"]
    assert (folder.held(), units_of(folder)) == (before, units)
    assert set(folder.index.first_seen().values()) == {1234.5}
    assert len(folder.embedder.asked) == asked, "no chunk is embedded again"
    assert [line.getMessage().partition(" is of ")[2] for line in caplog.records] == [
        "an earlier version of paragone: all files are read again"
    ]
    assert folder.update().unchanged == 11


def test_what_was_killed_while_it_read_an_earlier_version_anew_goes_on(folder):
    project(folder)
    folder.update()
    before, units = folder.held(), units_of(folder)
    as_of_version_1(folder)

    def killed(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.index.update(vectors=False, progress=killed)
    folder.index.close()
    index = Index(folder.store, embedder=folder.embedder)
    assert index.units(index.paths()) == units
    index.close()
    assert folder.held() == before


def test_who_cannot_write_leaves_an_earlier_version_alone(folder, monkeypatch):
    project(folder)
    folder.update()
    as_of_version_1(folder)
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(Failure, match="another version of paragone; make it anew with: paragone memory index"):
        folder.index.files()
