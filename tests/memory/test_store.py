"""The store: its folder, how it is found, and who may read it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from paragone.errors import Corrupted, InvalidConfig, NewerSchema, NotFound, Unwritable, UsageError
from paragone.memory.store import MemoryConfig, SearchLine, Store
from paragone.memory.store.config import PackConfig


def test_create_makes_a_folder_that_open_finds_from_below(tmp_path):
    config = MemoryConfig(pack=PackConfig(tokens=999))
    made = Store.create(tmp_path, config=config, clock=lambda: 5.0, new_id=lambda: "n")
    assert (made.root, made.path, made.config) == (tmp_path, tmp_path / ".paragone", config)
    assert (made.clock(), made.new_id()) == (5.0, "n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    found = Store.open(below)
    assert (found.root, found.path, found.config) == (tmp_path, tmp_path / ".paragone", config)


def test_fresh_ids_and_the_clock_are_there_without_asking(tmp_path):
    with Store.create(tmp_path) as store:
        (line,) = store.logs.append([SearchLine(tool="grep_search", query="q")])
    assert len(line.id) == 32
    assert line.timestamp > 1.7e9


def test_a_store_elsewhere_knows_its_root(tmp_path):
    root, other, elsewhere = tmp_path / "root", tmp_path / "other", tmp_path / "stores" / "mine"
    root.mkdir()
    other.mkdir()
    made = Store.create(root, store=elsewhere)
    assert (made.root, made.path) == (root, elsewhere)
    assert Store.open(other, store=elsewhere).root == root
    assert not (root / ".paragone").exists()
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("root", "stores"):
        (tmp_path / name).rename(moved / name)
    assert Store.open(other, store=moved / "stores" / "mine").root == moved / "root"
    shutil.rmtree(moved / "root")
    with pytest.raises(NotFound, match=r"remembers .*moved/root, and there is no such folder"):
        Store.open(other, store=moved / "stores" / "mine")


def test_without_a_store_it_says_how_to_begin(tmp_path):
    with pytest.raises(NotFound, match="no store here, nor above; begin with: paragone memory init"):
        Store.open(tmp_path)
    with pytest.raises(NotFound, match="is not a store; begin with: paragone memory init"):
        Store.open(tmp_path, store=tmp_path / "there")
    with pytest.raises(NotFound, match="no such folder"):
        Store.create(tmp_path / "absent")


def test_a_second_store_in_the_same_place_is_refused(tmp_path):
    Store.create(tmp_path)
    with pytest.raises(UsageError, match="is a store already"):
        Store.create(tmp_path)


def test_a_store_that_cannot_be_made(tmp_path):
    (tmp_path / ".paragone").write_text("in the way")
    with pytest.raises(Unwritable, match="cannot be made"):
        Store.create(tmp_path)


def test_a_newer_store_is_refused_before_its_configuration_is_read(tmp_path):
    path = Store.create(tmp_path).path
    (path / "store.json").write_text(json.dumps({"version": 2, "root": ".."}))
    (path / "memory.toml").write_text("[marvels]\n")
    with pytest.raises(NewerSchema, match=r"its version is 2, and this one knows 1 .* pip install --upgrade paragone"):
        Store.open(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", '{"version": "new"}', '{"root": ".."}', "\x00"])
def test_a_damaged_version_says_what_to_do(tmp_path, text):
    path = Store.create(tmp_path).path
    (path / "store.json").write_text(text)
    with pytest.raises(Corrupted, match=r"store\.json cannot be read .* delete it, it is made again"):
        Store.open(tmp_path)
    (path / "store.json").unlink()
    assert Store.open(tmp_path).root == tmp_path
    assert json.loads((path / "store.json").read_text()) == {"version": 1, "root": ".."}


def test_only_the_configuration_is_for_version_control(tmp_path):
    store = Store.create(tmp_path)
    store.logs.append([SearchLine(id="x", tool="grep_search", query="q")])
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    found = subprocess.run([*git, "status", "--porcelain", "-uall"], capture_output=True, text=True, check=True)
    assert found.stdout == "?? .paragone/memory.toml\n"


def test_a_clone_has_the_configuration_only_and_is_completed(tmp_path):
    made = Store.create(tmp_path / "..", store=tmp_path / "first")
    (tmp_path / "clone" / ".paragone").mkdir(parents=True)
    shutil.copy(made.path / "memory.toml", tmp_path / "clone" / ".paragone" / "memory.toml")
    store = Store.open(tmp_path / "clone")
    assert {path.name for path in store.path.iterdir()} == {"memory.toml", "store.json", ".gitignore", "logs"}
    assert store.logs.last_seq == 0


def test_reading_changes_nothing_but_what_is_missing(tmp_path):
    path = Store.create(tmp_path).path
    before = {each: each.stat().st_mtime_ns for each in path.rglob("*")}
    store = Store.open(tmp_path)
    list(store.logs.after())
    store.close()
    assert {each: each.stat().st_mtime_ns for each in path.rglob("*")} == before


def test_where_nobody_may_write_reading_goes_on(tmp_path):
    with Store.create(tmp_path) as store:
        store.logs.append([SearchLine(tool="grep_search", query="q")])
    (store.path / "locks" / "logs.lock").unlink()
    (store.path / "locks").rmdir()
    (store.path / "locks").write_text("as good as a folder that may not be written")
    other = Store.open(tmp_path)
    assert [line.query for line in other.logs.after()] == ["q"]
    assert other.logs.problems() == []
    with pytest.raises(Unwritable, match="lock file"):
        other.logs.append([SearchLine(tool="grep_search", query="q")])


def test_a_wrong_configuration_is_refused_with_its_place(tmp_path):
    path = Store.create(tmp_path).path
    (path / "memory.toml").write_text("[pack]\ntokens = 0\n")
    with pytest.raises(InvalidConfig, match=r"memory\.toml, line 2: pack\.tokens is 1 or more, not 0"):
        Store.open(tmp_path)


def test_importing_the_store_loads_nothing_heavy():
    code = (
        "import sys; import paragone.memory.store\n"
        "print([name for name in ('numpy', 'scipy', 'pydantic', 'sqlalchemy', 'typer') if name in sys.modules])"
    )
    found = subprocess.run([Path(shutil.sys.executable), "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
