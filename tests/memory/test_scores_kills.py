"""Counting that is killed, and counting that several do at once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import warm_start
from paragone.domain.content import Action, ContentKind
from paragone.memory.scores import Scores
from paragone.memory.store import AccessLine, ResultRow, SearchLine, Store

CHILD = Path(__file__).with_name("scores_kill_child.py")
COUNT = """
import sys
from paragone.memory.scores import Scores, scores as scores_module
from paragone.memory.store import Store
scores_module._BATCH = 5
with Store.open(sys.argv[1]) as store, Scores(store) as scores:
    while scores.catch_up() or store.logs.last_seq < int(sys.argv[2]):
        pass
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_killed_between_any_two_writes(tmp_path: Path, deep: bool) -> None:
    """Before every third write; before each with ``--deep``."""
    done = subprocess.run(
        [sys.executable, str(CHILD), str(tmp_path), "1" if deep else "3"],
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    kills = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(kill["killed"] for kill in kills) > 20
    assert [kill for kill in kills if kill["other"] or kill["updates"] or kill["twice"]] == []


def test_three_processes_that_count_while_a_fourth_writes(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        lines = 120
        counting = [
            subprocess.Popen(
                [warm_start.python(), "-c", COUNT, str(tmp_path), str(lines)], stderr=subprocess.PIPE, text=True
            )
            for _ in range(3)
        ]
        rows = tuple(ResultRow(rank=n, file_path=f"{n}.py", hash=f"h{n}", similarity=0.5) for n in range(1, 6))
        for n in range(lines // 2):
            search = SearchLine(id=f"s{n}", tool="semantic_search", query="q", results=rows)
            read = AccessLine(
                action=Action.READ, entity_type=ContentKind.FILE, entity_id=f"{n % 5 + 1}.py", search_id=f"s{n}"
            )
            store.logs.append([search])
            store.logs.append([read])
        for process in counting:
            assert process.wait(60) == 0, process.communicate()[1]
        with Scores(store) as scores:
            assert scores.catch_up() == 0
            standings = list(scores.rated())
            scores.rebuild()
            assert list(scores.rated()) == standings
        updates = [line.id for line in store.logs.updates()]
    assert len(updates) == len(set(updates)) == sum(one.updates for one in standings)
