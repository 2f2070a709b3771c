"""A store: the folder of everything that is remembered, and the file locks that keep its writers apart."""

import json
import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from paragone.closing import Closing
from paragone.errors import Busy, Corrupted, NewerSchema, NotFound, Unwritable, UsageError
from paragone.files import swap_in
from paragone.memory.store.config import MemoryConfig, as_toml, change, read_config
from paragone.memory.store.logs import Logs

if sys.platform == "win32":
    import msvcrt

    _BEHIND = 4096  # a locked byte cannot be read there; the holder's name stands before it

    def _try_lock(file: int) -> None:
        os.lseek(file, _BEHIND, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _unlock(file: int) -> None:
        os.lseek(file, _BEHIND, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)  # to close it alone frees nothing where a fork has it open too


@contextmanager
def file_lock(path: Path, *, patience: float = 30.0) -> Iterator[None]:
    """Hold the lock on a file against all other processes and threads. The holder may take it again inside.

    Args:
        path: The lock file; it stays.
        patience: Seconds to wait.

    Raises:
        Busy: If it was held by another all that time.
        Unwritable: If the file cannot be created.
    """
    turn, deadline = _lock_of(path), time.monotonic() + patience
    if not turn.threads.acquire(timeout=patience):
        raise Busy(_busy(path, patience))
    try:
        if not turn.depth:
            turn.file = _acquire(path, patience, deadline)
        turn.depth += 1
        try:
            yield
        finally:
            turn.depth -= 1
            if not turn.depth:
                _release(turn.file)
    finally:
        turn.threads.release()


@dataclass(slots=True)
class _Lock:
    """The thread of this process that holds a lock, how deep, and its open file."""

    threads: threading.RLock = field(default_factory=threading.RLock)
    depth: int = 0
    file: int = -1


_LOCKS: dict[Path, _Lock] = {}
_LOCKS_GUARD = threading.Lock()


def _lock_of(path: Path) -> _Lock:
    with _LOCKS_GUARD:
        return _LOCKS.setdefault(path, _Lock())


def _reset_in_child() -> None:
    """A fork holds no locks, whatever its parent held."""
    global _LOCKS_GUARD  # noqa: PLW0603 - another thread may have held it at the fork, and is not here to give it back
    _LOCKS_GUARD = threading.Lock()
    for turn in _LOCKS.values():
        if turn.depth:
            with suppress(OSError):
                os.close(turn.file)
    _LOCKS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)


def _acquire(path: Path, patience: float, deadline: float) -> int:
    file, pause = _opened(path), 0.0005
    while True:
        try:
            _try_lock(file)
        except OSError as error:
            if time.monotonic() >= deadline:
                os.close(file)
                raise Busy(_busy(path, patience)) from error
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        else:
            _write_holder(file)
            return file


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> Unwritable:
    return Unwritable(f"the lock file {path} cannot be made: {error.strerror}; its folder must be writable")


def _write_holder(file: int) -> None:
    with suppress(OSError):  # a name for messages; a full disk is no reason not to hold a lock
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, b"%-20d\n" % os.getpid())


def _release(file: int) -> None:
    try:
        _unlock(file)
    finally:
        os.close(file)


def _busy(path: Path, patience: float) -> str:
    holder = ""
    with suppress(OSError, UnicodeDecodeError):
        holder = path.read_text(encoding="utf-8").strip()
    who = f"process {holder}" if holder.isdigit() else "another process"
    return f"{path.parent.parent}: {who} has held {path.stem!r} for more than {patience:g} s; wait until it is done"


FOLDER = ".paragone"
CONFIG = "memory.toml"
VERSION = 1
"""Of the files of a store."""

_IGNORED = f"# Made by paragone: all of it but the configuration stays here.\n*\n!{CONFIG}\n"


def fresh_id() -> str:
    """A new unique id."""
    return uuid.uuid4().hex


class Store(Closing):
    """A folder with the configuration, the logs, and what is computed from them.

    Attributes:
        root: The folder whose files are remembered.
        path: The store itself.
        config: The content of ``memory.toml``.
        logs: The logs.
        clock: Returns the time in seconds since 1970.
        new_id: Returns a fresh id.
    """

    def __init__(
        self, root: Path, path: Path, config: MemoryConfig, clock: Callable[[], float], new_id: Callable[[], str]
    ) -> None:
        self.root, self.path, self.config, self.clock, self.new_id = root, path, config, clock, new_id
        self.logs = Logs(
            path / "logs",
            root=root,
            locked=self.locked,
            clock=clock,
            new_id=new_id,
            rotate_bytes=config.logs.rotate_bytes,
            ids=path / "known_ids.db",
        )

    @classmethod
    def create(
        cls,
        root: str | os.PathLike[str],
        *,
        store: str | os.PathLike[str] | None = None,
        config: MemoryConfig | None = None,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = fresh_id,
    ) -> Self:
        """Create a store for a folder; arguments and errors are those of ``Memory.create``."""
        top = Path(root).resolve()
        path = top / FOLDER if store is None else Path(store).resolve()
        if not top.is_dir():
            raise NotFound(f"{top}: no such folder")
        if (path / CONFIG).exists():
            raise UsageError(f"{path} is a store already; use it, or delete it first")
        try:
            path.mkdir(parents=True, exist_ok=True)
            _complete(path, top)
            swap_in(as_toml(config or MemoryConfig()), path / CONFIG, durable=True)
        except OSError as error:
            raise Unwritable(f"the store {path} cannot be made: {error.strerror or error}") from error
        return cls.open(top, store=path, clock=clock, new_id=new_id)

    @classmethod
    def open(
        cls,
        root: str | os.PathLike[str],
        *,
        store: str | os.PathLike[str] | None = None,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = fresh_id,
    ) -> Self:
        """Open the store of a folder, or of its closest parent that has one; arguments are those of ``Memory.open``.

        Raises:
            NotFound: If there is none.
            NewerSchema: If a newer paragone wrote it.
            InvalidConfig: If its configuration is invalid.
            UnreadableFile: If its configuration cannot be read.
        """
        path = _found(Path(root).resolve()) if store is None else Path(store).resolve()
        if not (path / CONFIG).is_file():
            raise NotFound(f"{path} is not a store; begin with: paragone memory init")
        top = path / _checked_root(path, ".." if path.name == FOLDER else Path(root).resolve().as_posix())
        if not top.is_dir():
            raise NotFound(f"{path} remembers {top.resolve()}, and there is no such folder")
        config = read_config(path / CONFIG)
        with suppress(OSError):  # a clone has the configuration only; where nobody may write, reading goes on
            _complete(path, top.resolve())
        return cls(top.resolve(), path, config, clock, new_id)

    @property
    def is_read_only(self) -> bool:
        """Whether this user may not write here: then searching and reading work, and nothing is logged."""
        return not os.access(self.path, os.W_OK)

    def configure(self, table: str, key: str, value: str | float, *, note: str = "") -> Path:
        """Set a key of ``memory.toml``; comments and everything else stay as they are. Returns the file's path.

        Args:
            table: The table, such as ``ranking``.
            key: The key.
            value: Its new value.
            note: For a comment behind it.

        Raises:
            InvalidConfig: If one line cannot change the file safely; it stays as it was.
            Unwritable: If it cannot be written.
        """
        path = self.path / CONFIG
        with self.locked():
            change(path, table, key, value, note=note)
        return path

    def moment(self, as_of: float | None) -> float:
        """A time in seconds since 1970; now if None."""
        return self.clock() if as_of is None else as_of

    def locked(self, name: str = "write", *, patience: float = 30.0) -> AbstractContextManager[None]:
        """Lock something of the store by name, against all other processes and threads; the holder may lock it again.

        Raises:
            Busy: On entry, if another holds it for longer than ``patience`` seconds.
            Unwritable: On entry, if the store cannot be written.
        """
        return file_lock(self.path / "locks" / f"{name}.lock", patience=patience)

    def close(self) -> None:
        self.logs.close()


def _found(root: Path) -> Path:
    for folder in (root, *root.parents):
        if (folder / FOLDER / CONFIG).is_file():
            return folder / FOLDER
    raise NotFound(f"{root}: there is no store here, nor above; begin with: paragone memory init")


def _complete(path: Path, root: Path) -> None:
    """Write the missing files of a store, except its configuration."""
    for name, text in {
        ".gitignore": _IGNORED,
        "store.json": json.dumps({"version": VERSION, "root": _relative(root, path)}) + "\n",
    }.items():
        if not (path / name).exists():
            swap_in(text, path / name, durable=True)
    (path / "logs").mkdir(exist_ok=True)


def _relative(root: Path, path: Path) -> str:
    try:
        return Path(os.path.relpath(root, path)).as_posix()
    except ValueError:  # Windows: on another drive
        return root.as_posix()


def _checked_root(path: Path, otherwise: str) -> str:
    """The root of a store relative to the store, after a check of its version."""
    try:
        values = json.loads((path / "store.json").read_text("utf-8"))
        version, root = int(values["version"]), str(values["root"])
    except FileNotFoundError:
        return otherwise
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise Corrupted(f"{path / 'store.json'} cannot be read ({error}); delete it, it is made again") from error
    if version > VERSION:
        raise NewerSchema(
            f"{path} was written by a newer paragone: its version is {version}, and this one knows {VERSION} at the "
            "latest; upgrade with: pip install --upgrade paragone"
        )
    return root
