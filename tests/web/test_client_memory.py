"""The client against a server that shows a memory: a method for each route, values as the views have them, events."""

import shutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from local_server import Served, served
from paragone import Client
from paragone.client.values import memory, memory_content, memory_keeping
from paragone.errors import Conflict, NotFound
from paragone.memory import Memory

VIEWS = ("ratings", "summary", "measures", "board", "quadrants", "content", "searching", "packs", "pruning", "doing")
VALUES = {
    name: value
    for module in (memory, memory_content, memory_keeping)
    for name, value in vars(module).items()
    if is_dataclass(value)
}


@pytest.fixture(scope="module")
def home(remembered_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    folder = tmp_path_factory.mktemp("memory-home")
    root = Path(shutil.copytree(remembered_once, folder / "root"))
    with served(folder / "empty.db", "--memory", str(root), "--workers", "2", folder=folder) as running:
        yield running, root


@pytest.fixture(scope="module")
def client(home: tuple[Served, Path]) -> Iterator[Client]:
    with Client(home[0].url) as one:
        yield one


def test_it_reads_what_there_is(client: Client) -> None:
    found = client.memory()
    assert (found.name, found.files, found.echo_chambers) == ("root", 9, 1)
    assert next(row.id for row in client.memory_rows(by="uses")) == "docs/loud.md"
    assert client.memory_board(quadrant="best content").rows[0].id == "docs/true.md"
    assert client.remembered("docs/loud.md").used_by.users["ann"] == 14
    assert {one.quadrant: one.count for one in client.quadrants().quadrants}["echo chamber"] == 1
    assert client.echo_chambers().chambers[0].id == "docs/loud.md"
    assert client.memory_measures().sessions == 8
    assert client.memory_courses().courses[0].steps
    assert client.search_memory("tower", how="keyword", limit=1).results[0].rank == 1
    assert client.pack(200, task="tower", text=True).text.startswith("# Pack")
    with pytest.raises(NotFound, match="no such"):
        client.remembered("no such")


def test_it_prunes_restores_and_supplies(client: Client, home: tuple[Served, Path]) -> None:
    plan = client.prune_plan(["scratch/"])
    with pytest.raises(Conflict, match="not what was confirmed"):
        client.prune("no", ["scratch/"])
    assert client.prune(plan.confirm, ["scratch/"]).done
    assert [one.path for one in client.archive()] == ["scratch/old.md"]
    assert client.restore("scratch/old.md").size == 33
    assert client.supply_truth("span.py", 2.5, note="tested").is_high
    assert client.supply_truth("span.py", None).r is None
    assert client.rebuild_memory().same
    assert [one.act for one in client.memory_acts()] == ["rebuild", "truth", "truth", "restore", "prune"]


def test_what_another_process_writes_is_told_by_every_worker(client: Client, home: tuple[Served, Path]) -> None:
    streams = [client.memory_events() for _ in range(3)]
    before = [next(one) for one in streams]
    assert not any(one.moved for one in before)
    assert {(one.pool, one.version) for one in before} == {(None, before[0].version)}
    with Memory.open(home[1]) as other:
        other.read("docs/new.md")
    after = [next(one) for one in streams]
    assert all(one.moved and one.version > before[0].version for one in after)
    for one in streams:
        one.close()
    assert next(client.memory_events(last=before[0].id)).moved
    assert {client.remembered("docs/new.md").uses for _ in range(6)} == {1}


@pytest.mark.parametrize("name", sorted(VALUES))
def test_values_have_the_fields_of_the_answers(name: str) -> None:
    homes = [import_module(f"paragone.web.views.memory.{home}") for home in VIEWS]
    view: Any = next(getattr(home, f"{name}View") for home in homes if hasattr(home, f"{name}View"))
    value = VALUES[name]
    assert {one.name for one in fields(value)} == set(view.model_fields)
    optional = {one.name for one in fields(value) if "None" in str(one.type)}
    assert optional >= {key for key, one in view.model_fields.items() if "None" in str(one.annotation)}
