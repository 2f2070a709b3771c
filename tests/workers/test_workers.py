"""Tournaments that workers judge, on a real PostgreSQL with real processes."""

import json
import signal
from typing import Any

from paragone.ledger import Ledger
from paragone.tournaments.tournament import Tournament

RANK = ("rank", "items.txt", "-c", "clarity", "--seed", 7, "--quiet", "--json")
SECRET = "sk-do-not-tell-anybody"


def evidence(url: str, tournament: str) -> Any:
    """Board, matches and plans of a tournament, as JSON texts."""
    with Tournament.open(url, tournament) as opened:
        matches = [(match.id, match.a, match.b, str(match.outcome), [
            (each.call, each.first, each.second, str(each.verdict.choice), each.verdict.judge)
            for each in match.comparisons
        ]) for match in opened.state.played]  # fmt: skip
        board = [(row.rank, row.id, row.rating, row.low, row.high, row.elo) for row in opened.board().items]
        return json.dumps([matches, [str(each) for each in opened.state.rounds], board])


def test_several_workers_judge_as_one_process_does(site: Any) -> None:
    workers = [site.worker(SPARE_KEY=SECRET) for _ in range(2)]
    site.ends(site.run(*RANK, "--judge", "noted", "--workers", "--name", "remote"))
    here, others = site.folder / "here.db", site.folder / "others"
    site.ends(site.run(*RANK, "--judge", "python:noted:judge", "--name", "here", "--db", here, CALLS=others))
    assert evidence(site.url, "remote-1") == evidence(str(here), "here-1")
    calls = site.calls()
    assert len(calls) == len(others.read_text().splitlines()) > 20

    with Ledger.open(site.url) as ledger:
        assert ledger.audit().ok
    dumped = everything(site.url)
    assert "noted" in dumped
    assert SECRET not in dumped

    shown = json.loads(site.ends(site.run("workers", "--json")))
    assert sum(worker["answered"] for worker in shown["workers"]) >= len(calls)
    assert [worker["judges"] for worker in shown["workers"]] == [["noted"]] * 2
    for worker in workers:
        worker.send_signal(signal.SIGINT)
    words = [site.ends(worker) for worker in workers]
    assert all("questions answered" in each for each in words)
    assert "no worker is there" in site.ends(site.run("workers"))


def everything(url: str) -> str:
    """All rows of all tables that are not evidence, procrastinate's included."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        names = [
            "question",
            "worker",
            "worker_judge",
            "judging",
            "reservation",
            "procrastinate_jobs",
            "procrastinate_workers",
        ]
        rows = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    return "\n".join(f"{name}: {rows[name]}" for name in names)
