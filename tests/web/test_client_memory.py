"""The client against a server that shows a memory: a method for each route, events."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_server import served, served_in_thread
from paragone import Client
from paragone.errors import Conflict, NotFound
from paragone.memory import Memory
from paragone.web.config import WebConfig


@pytest.fixture(scope="module")
def home(remembered_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server, and the folder that it shows."""
    folder = tmp_path_factory.mktemp("memory-home")
    root = Path(shutil.copytree(remembered_once, folder / "root"))
    with served_in_thread(WebConfig(db=str(folder / "empty.db"), memory=root)) as running:
        yield running.url, root


@pytest.fixture
def another(home: tuple[str, Path], tmp_path: Path) -> Iterator[Client]:
    """A client of another process that shows the same memory."""
    with (
        served(tmp_path / "empty.db", "--memory", str(home[1]), folder=tmp_path) as running,
        Client(running.url) as one,
    ):
        yield one


@pytest.fixture(scope="module")
def client(home: tuple[str, Path]) -> Iterator[Client]:
    with Client(home[0]) as one:
        yield one


def test_it_reads_what_there_is(client: Client) -> None:
    found = client.memory.summary()
    assert (found.name, found.files, found.echo_chambers) == ("root", 9, 1)
    assert next(row.id for row in client.memory.rows(by="uses")) == "docs/loud.md"
    assert client.memory.board(quadrant="best content").rows[0].id == "docs/true.md"
    assert client.memory.get("docs/loud.md").used_by.users["ann"] == 14
    assert {one.quadrant: one.count for one in client.memory.quadrants().quadrants}["echo chamber"] == 1
    assert client.memory.echo_chambers().chambers[0].id == "docs/loud.md"
    assert client.memory.measures().sessions == 8
    assert client.memory.histories().histories[0].steps
    assert client.memory.search("tower", how="keyword", limit=1).results[0].rank == 1
    assert client.memory.pack(200, task="tower", text=True).text.startswith("# Pack")
    with pytest.raises(NotFound, match="no such"):
        client.memory.get("no such")


def test_it_prunes_restores_and_supplies(client: Client, home: tuple[str, Path]) -> None:
    plan = client.memory.plan_prune(["scratch/"])
    with pytest.raises(Conflict, match="not what was confirmed"):
        client.memory.prune("no", ["scratch/"])
    assert client.memory.prune(plan.confirm, ["scratch/"]).done
    assert [one.path for one in client.memory.archive()] == ["scratch/old.md"]
    assert client.memory.restore("scratch/old.md").size == 33
    assert client.memory.supply_truth("span.py", 2.5, note="tested").is_high
    assert client.memory.supply_truth("span.py", None).r is None
    assert client.memory.rebuild().same
    assert [one.act for one in client.memory.acts()] == ["rebuild", "truth", "truth", "restore", "prune"]


def test_what_another_process_writes_is_told_by_every_process(
    client: Client, another: Client, home: tuple[str, Path]
) -> None:
    streams = [each.memory.events() for each in (client, another, client)]
    before = [next(one) for one in streams]
    assert not any(one.moved for one in before)
    assert {(one.pool, one.version) for one in before} == {(None, before[0].version)}
    with Memory.open(home[1]) as other:
        other.read("docs/new.md")
    after = [next(one) for one in streams]
    assert all(one.moved and one.version > before[0].version for one in after)
    for one in streams:
        one.close()
    assert next(client.memory.events(last=before[0].id)).moved
    assert {each.memory.get("docs/new.md").uses for each in (client, another)} == {1}
