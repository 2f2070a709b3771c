"""A ledger on PostgreSQL, workers in processes of their own, and a judge whose every call leaves a line in a file."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import warm_start
from scripted_endpoint import Model, ScriptedEndpoint

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
    time.sleep(0.1)
    return answer
"""


QUICK = Path(__file__).with_name("quick_command.py")


class Site:
    """A folder with judges, a ledger, and the processes that were started."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        self.started: list[subprocess.Popen[str]] = []
        self._earlier = 0
        texts = [f"text number {number}" for number in range(12)]
        (folder / "noted.py").write_text(JUDGE)
        (folder / "items.txt").write_text("".join(f"{text}\n" for text in texts))
        strengths = "".join(f"{text},{number}\n" for number, text in enumerate(texts))
        (folder / "strengths.csv").write_text(f"id,strength\n{strengths}")
        self.judges("judges.toml", {"noted": "python:noted:judge", "slow": "python:noted:slow"})

    def judges(self, file: str, specs: Mapping[str, str]) -> str:
        """Write a list of judges; its name."""
        (self.folder / file).write_text("".join(f'{name} = "{spec}"\n' for name, spec in specs.items()))
        return file

    def run(self, *arguments: object, **environment: object) -> subprocess.Popen[str]:
        """Start a command of paragone; its words go to a file."""
        words = (self.folder / f"words-{len(self.started)}").open("w")
        process = subprocess.Popen(
            [warm_start.python(), str(QUICK), *map(str, arguments)],
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
        (process,) = self.team(1, concurrency, judges, **environment)
        return process

    def team(self, count: int, concurrency: int = 4, judges: str = "judges.toml", **environment: object) -> list[Any]:
        """Workers that are ready."""
        words = ("worker", "--judges", judges, "--concurrency", concurrency)
        processes = [self.run(*words, **environment) for _ in range(count)]
        for process in processes:
            # the first on a busy machine also waits until everything is loaded that processes are forked from
            self.until(lambda process=process: "ready" in self.words(process) or process.poll() is not None, 90.0)
            assert "ready" in self.words(process), self.words(process)
        return processes

    def until(self, condition: Callable[[], object], seconds: float = 90.0) -> None:
        """Wait for something."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not happen: " + "\n".join(map(self.words, self.started))
            time.sleep(0.02)

    def ends(self, process: subprocess.Popen[str], seconds: float = 90.0) -> str:
        """Wait for the end of a process that succeeds; what it said."""
        assert process.wait(seconds) == 0, self.words(process)
        return self.words(process)

    def all_end(self, *processes: subprocess.Popen[str]) -> list[str]:
        """Wait for processes that succeed and run at the same time; what each said."""
        return [self.ends(process) for process in processes]

    def calls(self, file: str = "calls") -> list[Any]:
        """The calls of the judge: time, process, first text, second text."""
        path = self.folder / file
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines[self._earlier if file == "calls" else 0 :]]

    def forget_calls(self) -> None:
        """Those until now are of earlier tests."""
        self._earlier += len(self.calls())

    def close(self, *, after: int = 0) -> None:
        """End what still runs of the processes after the first so many."""
        for process in self.started[after:]:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.started[after:]:
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


class Crew(Site):
    """Two workers with judges of all kinds, which all tests of a module share.

    Attributes:
        workers: Their processes.
        model: The endpoint of the judge ``model``.
        thinker: The endpoint of the judge ``thinker``, which takes its time.
        panel: The spec of the judge ``panel``.
        secret: A key in the environment of the workers.
    """

    secret = "sk-do-not-tell-anybody"
    panel = "panel:simulated:strengths.csv?noise=0.1 + simulated:strengths.csv?noise=0.2"

    def __init__(self, folder: Path, url: str, model: ScriptedEndpoint, thinker: ScriptedEndpoint) -> None:
        super().__init__(folder, url)
        self.model, self.thinker = model, thinker
        specs = {
            "noted": "python:noted:judge",
            "slow": "python:noted:slow",
            "lists": "simulated:strengths.csv",
            "panel": self.panel,
            "model": f"llm:any@{model.url}",
            "thinker": f"llm:any@{thinker.url}",
        }
        self.judges("judges.toml", specs)
        self.workers = self.team(2, SPARE_KEY=self.secret)


@pytest.fixture(scope="module")
def _crew(tmp_path_factory: pytest.TempPathFactory, ledger_url: Callable[[], str]) -> Iterator[Crew]:
    slow_model = Model(seconds=0.1, thinks=150)
    with ScriptedEndpoint() as model, ScriptedEndpoint(slow_model) as thinker:
        opened = Crew(tmp_path_factory.mktemp("crew"), ledger_url(), model, thinker)
        yield opened
        opened.close()


@pytest.fixture
def crew(_crew: Crew) -> Iterator[Crew]:
    """Two workers; what a test starts besides ends with it."""
    _crew.forget_calls()
    yield _crew
    _crew.close(after=len(_crew.workers))
