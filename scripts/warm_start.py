"""The command ``paragone``, begun at once: a process that has loaded the libraries forks for each call.

``folder()`` is one to put first on PATH. The ``paragone`` there hands its arguments, environment, folder and files to
that process, and ends as the command ended. Loaded beforehand are the libraries of others, which takes most of a second
each time; paragone itself is imported by each command anew. The process ends with the one that asked for it.
"""

import atexit
import gc
import importlib
import io
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

COMMAND = Path(sys.executable).with_name("paragone")
LIBRARIES = (
    "asyncio", "jinja2", "numpy", "pathspec", "pydantic", "rich.progress", "rich.table",
    "scipy.optimize", "scipy.special", "sqlalchemy.dialects.sqlite", "sqlite3", "typer", "wordllama",
)  # fmt: skip
SHIM = """#!{python} -IS
import json, os, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect({address!r})
socket.send_fds(asked, [b"."], [0, 1, 2])
asked.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
asked.shutdown(socket.SHUT_WR)
os._exit(int(asked.recv(4) or b"70"))
"""


@cache
def folder() -> Path:
    """The folder of the command; the process behind it is started at the first call."""
    made = Path(tempfile.mkdtemp(prefix="warm."))
    address = made / "asked"
    shim = made / "paragone"
    shim.write_text(SHIM.format(python=sys.executable, address=str(address)))
    shim.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, __file__, str(address)],
        stdin=subprocess.PIPE,  # ends when we do
        stdout=subprocess.PIPE,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        start_new_session=True,
    )
    assert process.stdout is not None
    if process.stdout.readline() != b"listening\n":
        raise RuntimeError("the process that begins commands did not begin")
    atexit.register(_end, process)
    return made


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Close what it listens to, whereupon it goes."""
    process.communicate(timeout=20)


def _serve(address: Path) -> socket.socket:
    """Fork for every call until who started us has gone; comes back in processes that are to be a command."""
    for library in LIBRARIES:
        importlib.import_module(library)
    gc.freeze()  # or each command would copy what its collector looks through
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen(64)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for a command
        os.write(1, b"listening\n")
        while True:
            ready, _, _ = select.select([listener, 0], [], [])
            if 0 in ready:
                shutil.rmtree(address.parent, ignore_errors=True)
                sys.exit()
            asked, _ = listener.accept()
            if not os.fork():
                return asked
            asked.close()


def _wait(command: int, asked: socket.socket) -> NoReturn:
    """Tell how the command ended, as a shell would."""
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    asked.sendall(str(code if code >= 0 else 128 - code).encode())
    os._exit(0)


def _become(asked: socket.socket) -> None:
    """Be what was asked for: its files, folder, environment and arguments."""
    _, files, _, _ = socket.recv_fds(asked, 1, 3)
    given = b"".join(iter(lambda: asked.recv(65536), b""))
    arguments, where, environment = json.loads(given)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    command = os.fork()
    for number, file in enumerate(files):
        if not command:
            os.dup2(file, number)
        os.close(file)
    if command:
        _wait(command, asked)
    asked.close()
    os.chdir(where)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [str(COMMAND), *arguments]
    sys.path[0] = str(COMMAND.parent)
    at_once = bool(environment.get("PYTHONUNBUFFERED"))
    out, err = (os.fdopen(number, "wb", 0 if at_once else -1) for number in (1, 2))
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=at_once)
    sys.stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=at_once, line_buffering=True)


if __name__ == "__main__":
    _become(_serve(Path(sys.argv[1])))
    from paragone.cli import main

    sys.exit(main())
