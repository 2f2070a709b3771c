"""A command that begins at once is the command that is installed."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import page_blocks
import warm_start
from local_server import soon

VOTES = "a,b,winner\ntea,milk,tea\nmilk,water,milk\n"


def ended(command: str, folder: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=page_blocks.environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("fit --no-such-option", 2),
        ("board --db none.db", 2),
        ("fit votes.csv | cat", 0),
    ],
)
def test_it_prints_and_ends_as_the_one_that_is_installed(tmp_path, asked, code):
    (tmp_path / "votes.csv").write_text(VOTES)
    warm, installed = (
        ended(f"{name} {asked}", tmp_path) for name in ("paragone", Path(sys.executable).with_name("paragone"))
    )
    assert warm == installed
    assert warm[0] == code
    assert warm[1] or warm[2]


def test_it_has_the_folder_and_the_environment_of_its_caller(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "votes.csv").write_text(VOTES)
    assert ended("cd below && paragone fit votes.csv --json", tmp_path)[0] == 0
    assert "elsewhere.db" in ended("PARAGONE_DB=elsewhere.db paragone board", tmp_path)[2]


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("print('said')", 0),
        ("raise SystemExit(7)", 7),
        ("import sys; sys.exit('wrong')", 1),
        ("import sys; sys.exit(None)", 0),
        ("import atexit; atexit.register(print, 'at its end'); print('first')", 0),
        ("import threading; threading.Timer(0.05, print, ['late']).start()", 0),
        ("import os; os.kill(os.getpid(), 9)", -9),
        ("import sys; sys.excepthook = lambda *_: print('no ground to stand on', file=sys.stderr); 1 / 0", 1),
    ],
)
def test_a_program_ends_as_in_an_interpreter_of_its_own(program, code):
    interpreters = warm_start.python(), sys.executable
    ends = [
        subprocess.run([python, "-c", program], capture_output=True, text=True, check=False) for python in interpreters
    ]
    said = [(done.returncode, done.stdout, done.stderr) for done in ends]
    assert said[0] == said[1]
    assert said[0][0] == code


def has_gone(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_it_is_interrupted_and_ends_with_who_called():
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    for ends in (signal.SIGINT, signal.SIGKILL):
        with subprocess.Popen(
            [warm_start.python(), "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout is not None
            forked = int(process.stdout.readline())
            process.send_signal(ends)
            assert process.wait(20) == -ends
        assert soon(partial(has_gone, forked))
