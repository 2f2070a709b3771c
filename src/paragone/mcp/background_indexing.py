"""The index is brought up to date beside the calls, by a memory of its own, so that nobody waits for it."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from paragone.domain.text import counted
from paragone.errors import Busy, ParagoneError

if TYPE_CHECKING:
    from paragone.memory import Memory
    from paragone.memory.index import IndexProgress, IndexRun

logger = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds that an end waits for a run to stop between two batches; what is done is kept in any case."""


class BackgroundIndexing:
    """At most one run at a time; whoever asks for one while it goes on waits for the same.

    Attributes:
        progress: How many files of how many the run has done that is under way, or was the last.
    """

    def __init__(self, open_memory: "Callable[[], Memory]") -> None:
        self.progress = (0, 0)
        self._open = open_memory
        self._lock = threading.Lock()
        self._under_way: Future[IndexRun] | None = None
        self._thread: threading.Thread | None = None
        self._ending = threading.Event()

    @property
    def is_under_way(self) -> bool:
        """Whether it runs now."""
        return self._under_way is not None and not self._under_way.done()

    def age(self, memory: "Memory") -> str:
        """How old what a search sees is, in words."""
        if self.is_under_way:
            return "index being brought up to date"
        updated = memory.components.index.updated()
        return "no index" if updated is None else f"index {_since(memory.components.store.clock() - updated)} old"

    def start(self) -> "Future[IndexRun]":
        """Begin a run, or join the one that goes on."""
        with self._lock:
            if self._under_way is None or self._under_way.done():
                self.progress, self._under_way = (0, 0), Future()
                self._thread = threading.Thread(target=self._run, args=(self._under_way,), name="index", daemon=True)
                self._thread.start()
            return self._under_way

    def begin(self) -> None:
        """Begin a run of the server's own, and report its result on standard error."""
        self.start().add_done_callback(_say)

    def end(self) -> None:
        """Have a run stop where it is; the next one goes on from there."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join(PATIENCE)

    def _run(self, result: "Future[IndexRun]") -> None:
        result.set_running_or_notify_cancel()  # from here on, whoever stops waiting cancels nothing
        try:
            memory = self._open()
            try:
                result.set_result(memory.index(progress=self._note))
            finally:
                memory.close()
        except BaseException as error:  # whoever waits for the result gets it
            result.set_exception(error)
            if not isinstance(error, ParagoneError):
                raise

    def _note(self, progress: "IndexProgress") -> None:
        self.progress = (progress.done, progress.of)
        if self._ending.is_set():
            raise Busy("the server is ending; the next run goes on from here")


def _since(seconds: float) -> str:
    for unit, size in (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0)):
        if seconds >= size:
            return counted(int(seconds // size), unit)
    return counted(max(int(seconds), 0), "second")


def _say(run: "Future[IndexRun]") -> None:
    error = run.exception()
    if isinstance(error, Busy):
        logger.info("the index is left as it is: %s", error)
    elif error is not None:
        logger.warning("the index could not be brought up to date: %s", error)
    else:
        done = run.result()
        changed = len(done.added) + len(done.changed) + len(done.removed)
        logger.info("indexed %s, of which %d changed", counted(done.files, "file"), changed)
