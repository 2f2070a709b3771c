"""Counts a store's logs in child processes, each killed before another of its writes; then the rest is counted.

    python scores_kill_child.py FOLDER STEP

A write is a statement to the database, or bytes to a log; of those the first half is written before the kill. STEP is
from one write to the next that is killed. Prints a line of JSON for each kill: what then is other than without it,
which is nothing; and whether it did kill.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from paragone.domain.content import Action, ContentKind, TruthSource
from paragone.memory.scores import Scores
from paragone.memory.scores import scores as scores_module
from paragone.memory.store import AccessLine, IndexLine, ResultRow, SearchLine, Store, TruthLine

scores_module._BATCH = 3
_really_write = os.write
_left = [-1]


def step() -> bool:
    """Whether this is the write to die at."""
    _left[0] -= 1
    return _left[0] == -1


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def write(file: int, data: bytes) -> int:
    """Dies in the middle of a line."""
    if _left[0] >= 0 and step():
        _really_write(file, bytes(data)[: len(data) // 2])
        die()
    return _really_write(file, data)


def statement(_: str) -> None:
    if _left[0] >= 0 and step():
        die()


def play(store: Store) -> None:
    """Some evidence of each kind."""
    rows = tuple(ResultRow(rank=n, file_path=f"{n}.py", hash=f"h{n}", similarity=0.5) for n in (1, 2, 3))
    store.logs.append([SearchLine(id="s", tool="semantic_search", query="q", results=rows)])
    for path in ("2.py", "1.py"):
        line = AccessLine(action=Action.READ, entity_type=ContentKind.FILE, entity_id=path, search_id="s")
        store.logs.append([line])
    store.logs.append([TruthLine(entity_type=ContentKind.FILE, entity_id="3.py", source=TruthSource.SUPPLIED, r=1.0)])
    store.logs.append([IndexLine(renamed=(("1.py", "4.py"),))])


def count(folder: Path, kill_at: int) -> None:
    """Count all, or die before."""
    with Store.open(folder) as store, Scores(store) as scores:
        scores._database.connection.set_trace_callback(statement)
        os.write = write
        _left[0] = kill_at
        scores.catch_up()
        _left[0] = -1


def killed(folder: Path, kill_at: int) -> bool:
    child = os.fork()
    if child == 0:
        status = 3
        try:
            count(folder, kill_at)
            status = 0
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return True
    if os.WEXITSTATUS(status):
        sys.exit(f"the child failed at {kill_at}")
    return False


def state(folder: Path) -> tuple[list[str], list[str]]:
    """The standings and the update log, once all is counted."""
    with Store.open(folder) as store, Scores(store) as scores:
        standings = sorted(map(repr, scores.rated()))
        return standings, [line.id for line in store.logs.updates()]


def main(top: Path, stride: int) -> None:
    first = top / "first"
    first.mkdir()
    with Store.create(first) as store:
        play(store)
    shutil.copytree(first, top / "whole")
    expected = state(top / "whole")
    at, is_killed = 0, True
    while is_killed:
        folder = top / f"at{at}"
        shutil.copytree(first, folder)
        is_killed = killed(folder, at)
        if is_killed and at // stride % 4 == 0:
            killed(folder, max(at // 2, 1))  # and once more on the way back
        standings, updates = state(folder)
        twice = len(updates) - len(set(updates))
        print(
            json.dumps(
                {
                    "at": at,
                    "killed": is_killed,
                    "other": standings != expected[0],
                    "updates": updates != expected[1],
                    "twice": twice,
                }
            )
        )
        shutil.rmtree(folder)
        at += stride


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
