"""``paragone memory index``, as a person types it."""

import threading

import pytest

from paragone.memory import Memory
from paragone.memory.index import Index
from paragone.memory.store import Store


@pytest.fixture
def garden(home):
    """A folder that is remembered."""
    root = home / "garden"
    (root / "src").mkdir(parents=True)
    (root / "src" / "water.py").write_text('def water(plant):\n    """Waters one."""\n')
    (root / ".env").write_text("x\n")
    (root / "bell\x07.txt").write_text("x\n")
    Memory.create(root).close()
    return root


def test_it_says_what_was_added_and_why_files_were_skipped(paragone, garden):
    shown = paragone("memory", "index", "-C", garden)
    assert shown.code == 0, shown.err
    assert shown.out.splitlines()[:3] == [
        "added src/water.py",
        "skipped .env: its name is that of a secret",
        "skipped bell .txt: its name is empty or holds characters that cannot be shown",
    ]
    summary = "1 file, 1 chunk, 1 symbol, 0 decision records: 1 added, 0 unchanged, 2 skipped, 1 embedded, "
    assert shown.out.splitlines()[3].startswith(summary)
    assert len(shown.out.splitlines()) == 4


def test_a_second_run_says_what_changed(paragone, garden):
    paragone("memory", "index", "-C", garden)
    (garden / "src").rename(garden / "lib")
    (garden / "new.txt").write_text("new\n")
    shown = paragone("memory", "index", "-C", garden).out.splitlines()
    assert shown[:2] == ["added new.txt", "renamed src/water.py -> lib/water.py"]
    assert "1 added, 1 renamed, 0 unchanged" in shown[-1]


def test_json_has_every_path(paragone, garden):
    for number in range(12):
        (garden / f"{number:02}.txt").write_text(f"{number}\n")
    found = paragone("memory", "index", "-C", garden, "--json", "--no-vectors").json
    assert found["added"] == [*(f"{number:02}.txt" for number in range(12)), "src/water.py"]
    assert found["skipped"][0] == {"path": ".env", "why": "its name is that of a secret"}
    assert (found["files"], found["embedded"], found["renamed"]) == (13, 0, [])
    (garden / "11.txt").rename(garden / "last.txt")
    assert paragone("memory", "index", "-C", garden, "--json").json["renamed"] == [{"old": "11.txt", "new": "last.txt"}]


def test_long_lists_are_cut_and_say_so(paragone, garden):
    for number in range(12):
        (garden / f"{number:02}.txt").write_text(f"{number}\n")
    shown = paragone("memory", "index", "-C", garden, "--no-vectors").out
    assert "added 09.txt\nadded ... and 3 more; --json prints all\n" in shown


def test_without_a_store_it_says_how_to_begin(paragone, home):
    shown = paragone("memory", "index", "-C", home)
    assert shown.code == 2
    assert "paragone memory init" in shown.err


def test_who_comes_second_is_told_so(paragone, garden, monkeypatch):
    monkeypatch.setattr("paragone.memory.index.index.LOCK_SECONDS", 0.05)
    held, done = threading.Event(), threading.Event()

    def hold():
        with Store.open(garden) as store, store.locked("index"):
            held.set()
            done.wait(30)

    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(30)
    shown = paragone("memory", "index", "-C", garden, "--no-vectors")
    done.set()
    other.join()
    assert shown.code == 1
    assert shown.err.startswith("paragone: ")
    assert shown.out == ""


def test_ctrl_c_keeps_what_is_done(paragone, garden, monkeypatch):
    for number in range(300):
        (garden / f"{number:03}.txt").write_text(f"{number}\n")
    update = Index.update

    def interrupted(self, **given):
        def interrupt(progress):
            raise KeyboardInterrupt

        return update(self, **given | {"progress": interrupt})

    with monkeypatch.context() as patched:
        patched.setattr(Index, "update", interrupted)
        shown = paragone("memory", "index", "-C", garden, "--no-vectors")
    assert shown.code == 130
    assert "paragone: interrupted; what is indexed is kept, and the next run continues from there" in shown.err
    assert "45 added, 256 unchanged" in paragone("memory", "index", "-C", garden, "--no-vectors").out
