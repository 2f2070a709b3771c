"""The command line as a person meets it: arguments in, output and exit code out."""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

import warm_start
from paragone.cli import main
from paragone.settings import settings


@dataclass
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty folder to work in, with some items and a judge."""
    monkeypatch.chdir(tmp_path)
    settings.cache_clear()
    (tmp_path / "items.csv").write_text(
        "id,text\n" + "".join(f"h{number},hypothesis {'long ' * number}\n" for number in range(1, 11))
    )
    (tmp_path / "longer.py").write_text(
        "def judge(first, second, criteria):\n"
        "    if len(first.text) == len(second.text):\n"
        "        return 'tie'\n"
        "    return 'first' if len(first.text) > len(second.text) else 'second'\n"
    )
    yield tmp_path
    settings.cache_clear()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Where a module keeps what its first test prepared."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def prepared(home, kept):
    """Prepares the folder to work in: calls something once in a module, and copies what it left for further tests."""

    def fill(prepare):
        copy = kept / prepare.__qualname__
        if copy.exists():
            shutil.copytree(copy, home, dirs_exist_ok=True)
        else:
            prepare()
            shutil.copytree(home, copy)
        return home

    return fill


@pytest.fixture
def paragone(home, capsys, monkeypatch):
    """Run a command in this process."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["paragone", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        seen = capsys.readouterr()
        return Result(code, seen.out, seen.err)

    return run


@pytest.fixture
def start(home):
    """Start a command as a process of its own."""
    running = []

    def begin(*arguments, **options):
        process = subprocess.Popen(
            [warm_start.command(), *map(str, arguments)],
            cwd=home,
            **{"stdout": subprocess.PIPE, **options},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "120"},
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def under_way(start, home, monkeypatch):
    """Start a command whose judge, ``python:slow:judge``, takes its time until there is a file ``hurry``.

    The process is returned when ``questions`` stand in ``asked.log``.
    """
    (home / "slow.py").write_text(
        "import os, time\n\ndef judge(first, second, criteria):\n"
        "    if not os.path.exists('hurry'):\n        time.sleep(0.03)\n"
        "    with open('asked.log', 'a') as log:\n        log.write(f'{first.id} {second.id}\\n')\n"
        "    return 'first' if len(first.text) > len(second.text) else 'second'\n"
    )

    # Of an earlier test's judge there is no source any more, which is part of who a judge is.
    monkeypatch.delitem(sys.modules, "slow", raising=False)

    def begin(*arguments, questions):
        process = start(*arguments)
        log = home / "asked.log"
        deadline = time.monotonic() + 60
        while not log.exists() or log.read_text().count("\n") < questions:
            assert time.monotonic() < deadline, "the run asked too few questions in time"
            time.sleep(0.01)
        return process

    return begin
