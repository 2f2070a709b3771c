"""Processes that begin at once: one that has loaded everything forks for each call.

``command()`` is what to call in place of the installed ``paragone``, ``python()`` in place of the interpreter, with a
script, with ``-m`` and a module, or with ``-c`` and a program. What is called hands its arguments, environment, folder
and files to that process, passes SIGINT and SIGTERM on, and ends as the process that was forked; where it is killed, so
is that. Loaded beforehand are paragone and the libraries that it uses, which takes some seconds each time. It ends with
who called first, or who shares it.
"""

import ast
import atexit
import ctypes
import gc
import importlib
import io
import logging
import os
import pkgutil
import re
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
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

COMMAND = Path(sys.executable).with_name("paragone")
LIBRARIES = (
    "asyncio", "jinja2", "numpy", "openai", "pathspec", "platformdirs", "procrastinate", "psycopg",
    "psycopg_pool", "pydantic", "rich.progress", "rich.table", "scipy.optimize", "scipy.special",
    "sqlalchemy.dialects.postgresql.psycopg", "sqlalchemy.dialects.sqlite", "sqlite3", "typer", "wordllama",
)  # fmt: skip
FILES = {
    "items.txt": "".join(f"text {number}\n" for number in range(8)),
    "strengths.csv": "id,strength\n" + "".join(f"text {number},{number}\n" for number in range(8)),
    "votes.csv": "a,b,winner\ntea,milk,tea\nmilk,water,milk\n",
}
COMMANDS = (
    "--help",
    "fit votes.csv",
    "import votes.csv",
    "rank items.txt -c clarity --judge simulated:strengths.csv --seed 1 --budget 16",
    "board items-1 --json",
    "matches items-1",
    "audit",
    "tournament new items.txt --judge simulated:strengths.csv --name hypotheses --similarity none",
    "tournament status hypotheses-1",
)
POOL = "/pools/items-1"
PAGES = (
    *("/", "/begin", "/vote", "/agents", "/api/v1/pools", f"/api/v1{POOL}/board", POOL),
    *(f"{POOL}/{page}" for page in ("matches", "judges", "compare", "change", "live", "report")),
)
"""What is run and got beforehand, with these files, in a folder of their own: of the last page, its scripts, too."""
_LARGE, _COLLAPSE = 2 * 2**20, 25
SHARED = "WARM_START_FOLDER"
"""The variable that says where a process is that somebody shares."""
INTERPRETER = "WARM_START_INTERPRETER"
"""The variable that says what a command starts as its interpreter, if that is to be ``python()``, too."""
SHIM = """#!{python} -IS
import _signal, _socket, posix, sys
asked = _socket.socket(_socket.AF_UNIX)
asked.connect({address!r})
files = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
asked.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
asked.sendall(ascii((sys.argv, posix.getcwd(), posix.environ)).encode() + b"\\n")
answers = b""
def answer(number, nothing):
    global answers
    while answers.count(b"\\n") < number and (more := asked.recv(64)):
        answers += more
    return int((answers.split(b"\\n")[number - 1:] or [b""])[0] or nothing)
command = answer(1, b"")
for passed_on in (_signal.SIGINT, _signal.SIGTERM):
    _signal.signal(passed_on, lambda number, _: posix.kill(command, number))
code = answer(2, b"70")
if code < 0:
    if code != -_signal.SIGKILL:
        _signal.signal(-code, _signal.SIG_DFL)
    posix.kill(posix.getpid(), -code)
posix._exit(code)
"""
"""Loads nothing but what is built into the interpreter, which begins twice as fast as with its library."""


def command() -> Path:
    """The command, in a folder to put first on PATH, where nothing but it and the interpreter is."""
    return _folder() / "paragone"


def python() -> Path:
    """An interpreter."""
    return _folder() / "python"


def share() -> None:
    """Start the process now, for this process and all that it starts."""
    os.environ[SHARED] = str(_folder())


@cache
def _folder() -> Path:
    """The folder of both; the process behind them is started at the first call, unless it is shared."""
    if given := os.environ.get(SHARED):
        return Path(given)
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
    process.communicate(timeout=90)


def _load() -> None:
    """Import libraries that are loaded where they are used, and every module of paragone that no command leaves out."""
    import paragone

    gc.disable()  # what is loaded stays
    logging.root.addHandler(logging.NullHandler())  # or a library sets up its own, and says what it loads
    for library in LIBRARIES:
        importlib.import_module(library)
    for module in pkgutil.walk_packages(paragone.__path__, "paragone."):
        if not (module.name.endswith(("__main__", ".matplotlib_figures")) or ".integrations." in module.name):
            importlib.import_module(module.name)
    _exercise()
    logging.root.handlers.clear()  # to set them up is for each command to do
    logging.root.setLevel(logging.WARNING)
    gc.enable()
    gc.freeze()  # or each command would copy what its collector looks through; to collect first frees no memory
    _join_pages()


def _join_pages() -> None:
    """Have what is in memory in pages of 2 MiB, if the system does that: to fork copies an entry for each page."""
    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, file, *_ = line.split()
        first, end = (int(address, 16) for address in addresses.split("-"))
        first, end = -(-first // _LARGE) * _LARGE, end // _LARGE * _LARGE
        if file == "0" and "w" in rights and first < end:
            madvise(first, end - first, _COLLAPSE)


def _exercise() -> None:
    """Run some commands here, and get some pages.

    What they make once for the process each that is forked would make anew: routes, templates, compiled statements,
    and what the interpreter learns about code that runs.
    """
    from paragone.memory.index.token_count import count_tokens
    from paragone.settings import settings

    count_tokens("one two")  # without the package's own beginning, which takes half a second
    folder, environment, threshold = Path.cwd(), dict(os.environ), gc.get_threshold()
    with tempfile.TemporaryDirectory() as here, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        os.chdir(here)
        for name, text in FILES.items():
            Path(name).write_text(text)
        os.environ |= {"PARAGONE_CONFIG": "", "PARAGONE_DB": "ledger.db"}
        for command in COMMANDS:
            with suppress(Exception, SystemExit):  # who tests it will hear
                _run("paragone", *command.split())
        for make in (_get_pages, _offer_tools):
            with suppress(Exception):
                make("ledger.db")
        os.chdir(folder)
    os.environ.clear()
    os.environ |= environment
    settings.cache_clear()
    sys.modules["paragone.cli.main"]._manage_memory.cache_clear()  # it is for each command to do, and only for commands
    gc.callbacks.clear()
    gc.set_threshold(*threshold)


def _get_pages(db: str) -> None:
    from fastapi.testclient import TestClient

    from paragone.web.app import create_app
    from paragone.web.config import WebConfig

    with TestClient(create_app(WebConfig(db=db)), base_url="http://localhost", client=("127.0.0.1", 50_000)) as client:
        for page in PAGES:
            answer = client.get(page)
        for script in re.findall(r'src="(/assets/[^"]+)"', answer.text):
            client.get(script)


def _offer_tools(db: str) -> None:
    from paragone.mcp import MemoryServer
    from paragone.mcp.ranking_runs import Runs
    from paragone.memory import Memory

    Memory.create(Path()).close()
    MemoryServer(lambda: Memory.open(Path()), index=False, runs=Runs(db, {})).finish()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Call:
    """A command that was asked for: its arguments, where it runs, and the files that it reads from and writes to."""

    asked: socket.socket
    files: list[int]
    arguments: list[str]
    folder: str
    environment: dict[str, str]

    @classmethod
    def read(cls, asked: socket.socket) -> "_Call":
        """What the shim sends as soon as it is connected."""
        _, files, _, _ = socket.recv_fds(asked, 1, 3)
        with asked.makefile("rb") as request:
            arguments, folder, variables = ast.literal_eval(request.readline().decode())
        environment = {os.fsdecode(name): os.fsdecode(value) for name, value in variables.items()}
        return cls(asked=asked, files=files, arguments=arguments, folder=folder, environment=environment)

    def forget(self) -> None:
        """Close the files here; the process that was forked has them."""
        for file in self.files:
            os.close(file)


def _serve(address: Path) -> _Call:
    """Load everything, then fork for every call until who started us has gone.

    Comes back in processes that are to be another. Calls are taken at once, and wait until everything is loaded.
    """
    running: dict[int, socket.socket] = {}
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen(64)
        os.write(1, b"listening\n")
        _load()
        while True:
            waited: list[Any] = [listener, 0, ended, *running.values()]
            ready, _, _ = select.select(waited, [], [])
            if 0 in ready:
                shutil.rmtree(address.parent, ignore_errors=True)
                sys.exit()
            if ended in ready:
                os.read(ended, 4096)
            _look_after(running, ready)
            if listener in ready:
                call = _Call.read(listener.accept()[0])
                if not (command := os.fork()):
                    for other in running.values():
                        other.close()
                    return call
                call.forget()
                with suppress(OSError):  # a caller who has gone is noticed by its closed socket
                    call.asked.sendall(b"%d\n" % command)
                running[command] = call.asked


def _look_after(running: dict[int, socket.socket], ready: list[Any]) -> None:
    """End commands whose callers have gone; tell callers how commands ended."""
    for command, asked in running.items():
        if asked in ready:
            os.kill(command, signal.SIGKILL)  # it is ours to wait for, so nobody else has its number
    while running:
        command, status = os.waitpid(-1, os.WNOHANG)
        if not command:
            return
        with running.pop(command) as asked, suppress(OSError):
            asked.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(call: _Call) -> list[str]:
    """Have the files, folder and environment that were asked for; the program's name and its arguments."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(call.files):
        os.dup2(file, number)
    call.forget()
    call.asked.close()
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(call.folder)
    os.environ.clear()
    os.environ.update(call.environment)
    sys.executable = call.environment.get(INTERPRETER, sys.executable)
    sys.modules["__main__"] = types.ModuleType("__main__")
    at_once = bool(call.environment.get("PYTHONUNBUFFERED"))
    out, err = (os.fdopen(number, "wb", 0 if at_once else -1) for number in (1, 2))
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=at_once)
    sys.stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=at_once, line_buffering=True)
    return call.arguments


def _run(name: str, *arguments: str) -> None:
    """Be the command, or run a script, a module after ``-m``, or a program after ``-c``."""
    if Path(name).name == "paragone":
        sys.argv, sys.path[0] = [str(COMMAND), *arguments], str(COMMAND.parent)
        from paragone.cli import main

        main()
        return
    sys.path.append(str(Path(__file__).parent))  # where tests, which a program may import, have it too
    if arguments[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *arguments[2:]], ""
        exec(compile(arguments[1], "<string>", "exec"), vars(sys.modules["__main__"]))
    elif arguments[0] == "-m":
        sys.modules.pop(arguments[1], None)  # it is loaded, and becomes the main module
        sys.argv, sys.path[0] = list(arguments[1:]), ""
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv, sys.path[0] = list(arguments), str(Path(arguments[0]).parent)
        runpy.run_path(arguments[0], run_name="__main__")


def _ending(called: list[str]) -> object:
    """Run what was called; what it ends with, as ``sys.exit`` takes it."""
    try:
        _run(*called)
    except SystemExit as end:
        return end.code
    except KeyboardInterrupt:
        raise  # the interpreter ends by the signal
    except BaseException:  # noqa: BLE001 - as the interpreter does
        sys.excepthook(*sys.exc_info())
        return 1
    return None


def _end_at_once(code: object) -> NoReturn:
    """End as an interpreter does, but leave everything loaded where it is.

    To take it down, object by object, would copy every page that is shared with the process that loaded it, and take a
    quarter of a second.
    """
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        os._exit(120)
    os._exit(code if isinstance(code, int) else bool(code))


if __name__ == "__main__":
    _end_at_once(_ending(_become(_serve(Path(sys.argv[1])))))
