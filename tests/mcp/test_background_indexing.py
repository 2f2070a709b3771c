"""The index beside the calls: one run at a time, which an ending server stops between two batches."""

import threading

import pytest

from paragone.errors import Busy
from paragone.mcp.background_indexing import BackgroundIndexing
from paragone.memory import Memory


def test_who_asks_while_it_runs_joins_it_and_who_asks_afterwards_begins_anew(project) -> None:
    asked, go_on = [], threading.Event()

    def opened() -> Memory:
        asked.append(go_on.wait(30))
        return Memory.open(project.root)

    indexing = BackgroundIndexing(opened)
    first, second = indexing.start(), indexing.start()
    assert indexing.is_under_way
    assert first is second
    assert indexing.age(Memory.open(project.root)) == "index being brought up to date"
    go_on.set()
    assert first.result(30).added == ()
    assert not indexing.is_under_way
    assert indexing.start().result(30).unchanged == first.result().files
    assert asked == [True, True]


def test_an_ending_server_stops_it_at_the_next_batch(project) -> None:
    (project.root / "new.md").write_text("# New\n", "utf-8")
    go_on = threading.Event()

    def opened() -> Memory:
        go_on.wait(30)
        return Memory.open(project.root)

    indexing = BackgroundIndexing(opened)
    run = indexing.start()
    ending = threading.Thread(target=indexing.end)
    ending.start()
    go_on.set()
    ending.join(30)
    assert not ending.is_alive()
    with pytest.raises(Busy, match="ending"):
        run.result(30)


def test_an_error_is_whoever_asked_for_its_and_the_next_run_is_not_hurt(project) -> None:
    turns = iter([Busy("somebody else is indexing"), None])

    def opened() -> Memory:
        error = next(turns)
        if error is not None:
            raise error
        return Memory.open(project.root)

    indexing = BackgroundIndexing(opened)
    with pytest.raises(Busy):
        indexing.start().result(30)
    assert indexing.start().result(30).files >= 7


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "index 0 seconds old"),
        (59.9, "index 59 seconds old"),
        (60.0, "index 1 minute old"),
        (7_300.0, "index 2 hours old"),
        (200_000.0, "index 2 days old"),
        (-5.0, "index 0 seconds old"),
    ],
)
def test_how_old_it_is_in_words(project, seconds: float, said: str) -> None:
    now = 0.0
    with Memory.open(project.root, clock=lambda: now) as memory:
        now = memory.components.index.updated() + seconds
        assert BackgroundIndexing(lambda: memory).age(memory) == said


def test_before_the_first_run_there_is_none(tmp_path) -> None:
    with Memory.create(tmp_path) as memory:
        assert BackgroundIndexing(lambda: memory).age(memory) == "no index"
