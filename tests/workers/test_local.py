"""Tournaments that processes of this machine judge, with a ledger in a file."""

import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import warm_start
from paragone.tournaments.running.participants import AnyJudge
from paragone.tournaments.tournament import Tournament
from paragone.workers.local import judge_of_processes

RANK = ("rank", "items.txt", "-c", "clarity", "--seed", 7, "--quiet", "--json", "--judge", "python:noted:slow",
        "--budget", 30)  # fmt: skip


def test_processes_judge_as_one_does_though_one_of_them_is_killed(site: Any) -> None:
    here, there = site.folder / "here.db", site.folder / "there.db"
    run = site.run(*RANK, "--workers", "--processes", 2, "--db", there, **{warm_start.INTERPRETER: warm_start.python()})
    alone = site.run(*RANK, "--db", here, CALLS=site.folder / "others")
    site.until(lambda: len(site.calls()) > 8)
    os.kill(next(process for _, process, _, _ in site.calls()), signal.SIGKILL)
    site.ends(run)
    calls = Counter(f"{first} {second}" for _, _, first, second in site.calls())
    assert len({process for _, process, _, _ in site.calls()}) == 3  # another took its place
    assert sum(count > 1 for count in calls.values()) <= 4
    site.ends(alone)
    assert matches(here) == matches(there)


def matches(path: Path) -> Any:
    with Tournament.open(path) as opened:
        return [(match.id, match.a, match.b, match.outcome) for match in opened.state.played], opened.board().items


def test_the_judge_is_introduced_as_who_answers(tmp_path: Path) -> None:
    """A simulated judge's seed is part of who it is, and it has that of the tournament."""
    file = tmp_path / "true.csv"
    file.write_text("id,score\na,0\nb,1\n")
    spec, ledger = f"simulated:{file}", str(tmp_path / "paragone.db")
    names = {
        seed: [identity(spec, seed), identity(judge_of_processes(ledger, spec, processes=1, concurrency=1), seed)]
        for seed in (0, 3)
    }
    assert names[0][0] == names[0][1] != names[3][0] == names[3][1]


def identity(judge: AnyJudge, seed: int) -> str:
    with Tournament.create({"a": "x", "b": "y"}, judge=judge, criteria="c", seed=seed) as created:
        return created.open_judge().card.identity
