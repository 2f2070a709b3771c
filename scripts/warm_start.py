"""Processes that begin at once: one that has loaded everything forks for each call.

``command()`` is what to call in place of the installed ``paragone``, ``python()`` in place of the interpreter, with a
script or with ``-c`` and a program. What is called hands its arguments, environment, folder and files to that process,
passes SIGINT and SIGTERM on, and ends as the process that was forked; where it is killed, so is that. Loaded beforehand
are paragone and the libraries that it uses, which takes a second or two each time. It ends with who called first.
"""

import atexit
import gc
import importlib
import io
import json
import logging
import os
import pkgutil
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

COMMAND = Path(sys.executable).with_name("paragone")
LIBRARIES = (
    "asyncio", "bpe_openai", "jinja2", "numpy", "openai", "pathspec", "pydantic", "rich.progress", "rich.table",
    "scipy.optimize", "scipy.special", "sklearn.decomposition", "sklearn.feature_extraction.text", "sklearn.isotonic",
    "sklearn.linear_model", "sqlalchemy.dialects.sqlite", "sqlite3", "typer", "wordllama",
)  # fmt: skip
SHIM = """#!{python} -IS
import json, os, signal, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect({address!r})
socket.send_fds(asked, [b"."], [0, 1, 2])
asked.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode() + b"\\n")
answers = asked.makefile("rb")
command = int(answers.readline())
for passed_on in (signal.SIGINT, signal.SIGTERM):
    signal.signal(passed_on, lambda number, _: os.kill(command, number))
code = int(answers.readline() or b"70")
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""


def command() -> Path:
    """The command, in a folder to put first on PATH, where nothing but it and the interpreter is."""
    return _folder() / "paragone"


def python() -> Path:
    """An interpreter."""
    return _folder() / "python"


@cache
def _folder() -> Path:
    """The folder of both; the process behind them is started at the first call."""
    folder = Path(tempfile.mkdtemp(prefix="warm."))
    address = folder / "asked"
    (folder / "bin").mkdir()
    for shim in (folder / "bin" / "paragone", folder / "bin" / "python"):
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
    return folder / "bin"


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Close what it listens to, whereupon it goes."""
    process.communicate(timeout=20)


def _load() -> None:
    """Import libraries that are loaded where they are used, and every module of paragone."""
    import paragone

    for library in LIBRARIES:
        importlib.import_module(library)
    for module in pkgutil.walk_packages(paragone.__path__, "paragone."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    logging.root.handlers.clear()  # a library sets them up, which is for each command to do
    logging.root.setLevel(logging.WARNING)
    gc.collect()
    gc.freeze()  # or each command would copy what its collector looks through


def _serve(address: Path) -> socket.socket:
    """Fork for every call until who started us has gone; comes back in processes that are to be another."""
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
    """Tell which process the command is and how it ended; end it where who asked has gone."""

    def watch() -> None:
        asked.recv(1)
        with suppress(ProcessLookupError):
            os.kill(command, signal.SIGKILL)

    asked.sendall(b"%d\n" % command)
    threading.Thread(target=watch, daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    asked.sendall(b"%d\n" % code)
    os._exit(0)


def _become(asked: socket.socket) -> list[str]:
    """Have the files, folder and environment that were asked for; the program's name and its arguments."""
    _, files, _, _ = socket.recv_fds(asked, 1, 3)
    with asked.makefile("rb") as request:
        arguments, where, environment = json.loads(request.readline())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    command = os.fork()
    for number, file in enumerate(files):
        if not command:
            os.dup2(file, number)
        os.close(file)
    if command:
        _wait(command, asked)
    asked.close()
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(where)
    os.environ.clear()
    os.environ.update(environment)
    sys.modules["__main__"] = types.ModuleType("__main__")
    at_once = bool(environment.get("PYTHONUNBUFFERED"))
    out, err = (os.fdopen(number, "wb", 0 if at_once else -1) for number in (1, 2))
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=at_once)
    sys.stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=at_once, line_buffering=True)
    return arguments


def _run(name: str, *arguments: str) -> None:
    """Be the command, or run a script, or a program after ``-c``."""
    if Path(name).name == "paragone":
        sys.argv, sys.path[0] = [str(COMMAND), *arguments], str(COMMAND.parent)
        from paragone.cli import main

        sys.exit(main())
    sys.path.append(str(Path(__file__).parent))  # where tests, which a program may import, have it too
    if arguments[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *arguments[2:]], ""
        exec(compile(arguments[1], "<string>", "exec"), vars(sys.modules["__main__"]))
    else:
        sys.argv, sys.path[0] = list(arguments), str(Path(arguments[0]).parent)
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    _load()
    _run(*_become(_serve(Path(sys.argv[1]))))
