"""The end of a process: neither what is made aside nor a request that still computes keeps it."""

import subprocess
from pathlib import Path

import warm_start

ASIDE = """
import time
from paragone.web.readers.background import BackgroundExecutor
BackgroundExecutor(1, "views").submit(time.sleep, 60)
"""
LEAVING = """
import threading, time
from paragone.web.server import running
running.SPARE = 0.2
threading.Thread(target=time.sleep, args=(60,)).start()
running.leave(7)
"""


def ended(program: str, *arguments: str) -> tuple[int, str]:
    command = [warm_start.python(), "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    return done.returncode, done.stderr


def test_a_process_does_not_wait_for_what_is_made_aside() -> None:
    assert ended(ASIDE) == (0, "")


def test_a_request_that_still_computes_is_cut_off() -> None:
    assert ended(LEAVING) == (7, "paragone: a request that was still being computed was cut off\n")


def test_a_process_with_nothing_under_way_ends_by_itself() -> None:
    code, told = ended("from paragone.web.server import running\nrunning.SPARE = 30.0\nrunning.leave(7)")
    assert (code, told) == (0, "")


TERMINATED = """
import os, signal, socket, sys
from paragone.web.config import WebConfig
from paragone.web.server import running
with socket.create_server(("127.0.0.1", 0)) as listening:
    running.run(WebConfig(db=sys.argv[1]), listening, lambda: os.kill(os.getpid(), signal.SIGTERM))
"""


def test_who_is_asked_to_end_before_it_serves_ends_well(tmp_path: Path) -> None:
    assert ended(TERMINATED, str(tmp_path / "l.db")) == (0, "")
