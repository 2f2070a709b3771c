"""A ledger on PostgreSQL, workers in processes of their own, and a judge whose every call leaves a line in a file."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import warm_start

JUDGE = """
import hashlib, json, os, time

def judge(first, second, criteria):
    first, second = first.text, second.text
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(json.dumps([time.time(), os.getpid(), first, second]) + chr(10))
    strength = lambda text: int(hashlib.sha256(text.encode()).hexdigest()[:6], 16)
    return "first" if strength(first) > strength(second) else "second"

def slow(*question):
    answer = judge(*question)
    time.sleep(0.15)
    return answer
"""


class Site:
    """A folder with judges, a ledger, and the processes that were started."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        self.started: list[subprocess.Popen[str]] = []
        (folder / "noted.py").write_text(JUDGE)
        (folder / "judges.toml").write_text('noted = "python:noted:judge"\n')
        (folder / "items.txt").write_text("".join(f"text number {number}\n" for number in range(12)))

    def run(self, *arguments: object, **environment: object) -> subprocess.Popen[str]:
        """Start a command of paragone; its words go to a file."""
        words = (self.folder / f"words-{len(self.started)}").open("w")
        process = subprocess.Popen(
            [warm_start.command(), *map(str, arguments)],
            cwd=self.folder,
            env=os.environ
            | {"PARAGONE_DB": self.url, "CALLS": str(self.folder / "calls"), "PYTHONPATH": str(self.folder)}
            | {name: str(value) for name, value in environment.items()},
            stdout=words,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.started.append(process)
        return process

    def words(self, process: subprocess.Popen[str]) -> str:
        """What a process has said."""
        return (self.folder / f"words-{self.started.index(process)}").read_text()

    def worker(self, concurrency: int = 4, judges: str = "judges.toml", **environment: object) -> Any:
        """A worker that is ready."""
        process = self.run("worker", "--judges", judges, "--concurrency", concurrency, **environment)
        # the first on a busy machine also waits until everything is loaded that processes are forked from
        self.until(lambda: "ready" in self.words(process) or process.poll() is not None, 90.0)
        assert "ready" in self.words(process), self.words(process)
        return process

    def until(self, condition: Callable[[], object], seconds: float = 30.0) -> None:
        """Wait for something."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not happen: " + "\n".join(map(self.words, self.started))
            time.sleep(0.05)

    def ends(self, process: subprocess.Popen[str], seconds: float = 60.0) -> str:
        """Wait for the end of a process that succeeds; what it said."""
        assert process.wait(seconds) == 0, self.words(process)
        return self.words(process)

    def calls(self) -> list[Any]:
        """The calls of the judge: time, process, first text, second text."""
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def close(self) -> None:
        """End what still runs."""
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture
def site(tmp_path: Path, ledger_url: Callable[[], str]) -> Iterator[Site]:
    """A folder and an empty ledger."""
    opened = Site(tmp_path, ledger_url())
    yield opened
    opened.close()
