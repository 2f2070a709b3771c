"""Read access to the server's memory: one open store that other processes write to, with cached values."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from paragone.errors import Busy, NotFound, UsageError
from paragone.web.readers.ledger_reader import Computed

if TYPE_CHECKING:
    from paragone.memory.components import Components

T = TypeVar("T")
P = ParamSpec("P")
PATIENCE = 10.0
"""Seconds to wait for an answer, for example while another process updates the scores."""
FRESH = 300.0
"""Seconds after which a value is computed anew without a write: ratings decay with time."""
REST = 10.0
"""A slow value rests this many times as long as it took before it is computed again."""
MANY = 32
"""Maximum cached values; the least recently used is dropped first."""
_LONG = 0.25
_THREADS = 4
_STORE = ".paragone"
_CONFIG = "memory.toml"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Making:
    """A value that is computed or being computed.

    Attributes:
        version: Version of the store when it began.
        began: When it began.
        future: The value, with the seconds that it took.
    """

    version: int
    began: float
    future: "Future[tuple[Computed[Any], float]]"

    def is_good(self, version: int, now: float) -> bool:
        """Whether it can be used; a failed one is tried again."""
        if not self.future.done():
            return True
        if self.future.cancelled() or self.future.exception() is not None:
            return False
        _, took = self.future.result()
        rest = REST * took if took > _LONG else 0.0
        return now - self.began < (FRESH if self.version == version else rest)


@dataclass(eq=False, slots=True)
class _Opened:
    """An open store with the time of its configuration and its current users."""

    parts: "Components"
    config: int
    users: int = 0


class MemoryReader:
    """The memory of a server. Thread-safe; other processes may write to the store.

    Queries run in a few lasting threads, because the index opens a connection for each thread that reads it. Readers do
    not wait for writers, and block them only while the scores are updated.

    Attributes:
        name: Name of the folder.
        patience: Seconds to wait by default.
    """

    def __init__(self, store: Path, *, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._path = store
        self._now = _opened(store, _written(store / _CONFIG))
        self.name = self._now.parts.store.root.name or str(self._now.parts.store.root)
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Making] = OrderedDict()
        self._newest: OrderedDict[str, Computed[Any]] = OrderedDict()
        self._queries = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="memory")
        self._background = ThreadPoolExecutor(max_workers=2, thread_name_prefix="memory-background")

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The memory of a folder with a store, or of a store itself. Parent folders are not searched.

        Raises:
            NotFound: If the folder holds no store.
            InvalidConfig: If its configuration is invalid.
            NewerSchema: If a newer paragone wrote it.
        """
        for store in (folder / _STORE, folder):
            if (store / _CONFIG).is_file():
                return cls(store.resolve())
        raise NotFound(f"{folder} holds no store of memory; begin with: paragone memory init --root {folder}")

    def version(self) -> int:
        """A number that grows with every write to the store by any process; cheap to read."""
        archive = self._path / "archive" / "manifest.jsonl"
        return self._now.parts.store.logs.last_seq + _written(self._path / _CONFIG) // 1_000_000 + _size(archive)

    def ask(self, call: "Callable[[Components], T]", patience: float | None = None) -> T:
        """Run a query in one of the reader's threads.

        Args:
            call: The query.
            patience: Seconds to wait for the answer; the default if None.

        Raises:
            Busy: If the answer takes longer, or the store cannot be opened as it is now.
        """
        patience = self.patience if patience is None else patience
        future = _submitted(self._queries, self._answered, call)
        try:
            return future.result(timeout=patience)
        except TimeoutError:
            future.cancel()
            raise Busy(
                f"the memory of {self.name} has not answered for {patience:g} s: ask again in a moment"
            ) from None

    def newest(self, what: str, make: "Callable[[Components], T]", patience: float) -> tuple[Computed[T] | None, bool]:
        """The newest value of something slow to compute, and whether a newer one is being computed.

        It is computed in the background, one at a time, however the store changes meanwhile.

        Args:
            what: Unique name of the value.
            make: Computes it.
            patience: Seconds to wait for a current value; after these the previous one is returned, or None.
        """
        version, future = self.version(), self._making(what, make)
        try:
            latest, _ = future.result(timeout=patience)
        except TimeoutError:
            with self._lock:
                return self._newest.get(what), True
        return latest, latest.version < version

    def made(self, what: str, make: "Callable[[Components], T]", patience: float | None = None) -> Computed[T]:
        """The newest value of something, for callers that need one.

        Raises:
            Busy: If it is still being computed, and there is no previous one.
        """
        latest, _ = self.newest(what, make, self.patience if patience is None else patience)
        if latest is None:
            raise Busy(f"the memory of {self.name} is being read: ask again in a moment")
        return latest

    def close(self) -> None:
        """Finish running queries, and release files and threads."""
        for executor in (self._queries, self._background):
            executor.shutdown(wait=True, cancel_futures=True)
        self._now.parts.close()

    def _making(self, what: str, make: "Callable[[Components], T]") -> "Future[tuple[Computed[T], float]]":
        version, now = self.version(), time.monotonic()
        with self._lock:
            cached = self._kept.get(what)
            if cached is None or not cached.is_good(version, now):
                cached = _Making(
                    version=version, began=now, future=_submitted(self._background, self._made, what, version, make)
                )
            _keep(self._kept, what, cached)
        return cached.future

    def _made(self, what: str, version: int, make: "Callable[[Components], T]") -> tuple[Computed[T], float]:
        began = time.monotonic()
        done = Computed(version=version, value=self._answered(make))
        with self._lock:
            _keep(self._newest, what, done)
        return done, time.monotonic() - began

    def _answered(self, call: "Callable[[Components], T]") -> T:
        with self._borrowed() as parts:
            try:
                return call(parts)
            except UsageError as error:  # no answer reveals paths of this machine
                error.args = (self._without_paths(str(error), parts),)
                raise

    @contextmanager
    def _borrowed(self) -> "Iterator[Components]":
        """The components, reopened if the configuration has changed; the old ones are closed after their last use."""
        with self._lock:
            config = _written(self._path / _CONFIG)
            if config != self._now.config:
                before, self._now = self._now, self._reopened(config)
                _close_unused(before)
            mine = self._now
            mine.users += 1
        try:
            yield mine.parts
        finally:
            with self._lock:
                mine.users -= 1
                if mine is not self._now:
                    _close_unused(mine)

    def _reopened(self, config: int) -> _Opened:
        try:
            return _opened(self._path, config)
        except UsageError as error:  # a reader cannot fix an invalid configuration
            raise Busy(str(error)) from error

    def _without_paths(self, words: str, parts: "Components") -> str:
        for path, name in ((self._path, f"the store of {self.name}"), (parts.store.root, self.name)):
            if str(path).strip("/."):
                words = words.replace(str(path), name)
        return words


def _opened(path: Path, config: int) -> _Opened:
    from paragone.memory.components import Components
    from paragone.memory.store import Store

    parts = Components(Store.open(path, store=path))
    with ExitStack() as undo:
        undo.callback(parts.close)
        for name in ("index", "scores", "reader", "searcher", "packer", "pruner", "truth"):
            getattr(parts, name)  # opened now, by one thread: opening one twice would leak a file
        undo.pop_all()
    return _Opened(parts=parts, config=config)


def _close_unused(opened: _Opened) -> None:
    if not opened.users:
        opened.parts.close()


def _keep(cache: OrderedDict[str, Any], what: str, value: object) -> None:
    cache[what] = value
    cache.move_to_end(what)
    while len(cache) > MANY:
        cache.popitem(last=False)


def _submitted(threads: ThreadPoolExecutor, call: "Callable[P, T]", *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
    try:
        return threads.submit(call, *args, **kwargs)
    except RuntimeError as error:  # the executor was shut down
        raise Busy("the server is about to end: ask again in a moment") from error


def _written(path: Path) -> int:
    """When a file was last written, in nanoseconds since 1970; 0 if there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
