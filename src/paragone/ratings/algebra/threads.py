"""One thread for BLAS and LAPACK while a fit runs, whoever calls it.

On matrices of a few hundred rows more threads cost many times what they bring: the fit of 100 agents took ten times the
processor time. How many threads a library uses is a setting of the whole process, so the first fit to begin changes
it and the last to end puts it back.
"""

import sys
from contextlib import ContextDecorator
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import LibController

_LAPACK = "scipy.linalg.lapack"


class _OneThread(ContextDecorator):
    """Holds the libraries at one thread from the first entry to the last exit, in whatever threads these happen."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._libraries: list[LibController] | None = None
        self._with_lapack = False
        self._before: list[tuple[LibController, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                for library, threads in self._before:
                    _set(library, threads)
                self._before.clear()

    def look_again(self) -> None:
        """Limit libraries that were loaded since the fit began."""
        with self._lock:
            if self._inside:
                self._limit()

    def _limit(self) -> None:
        # To look for libraries takes milliseconds: once, and once more when scipy has brought its own.
        if self._libraries is None or self._with_lapack != (_LAPACK in sys.modules):
            from threadpoolctl import ThreadpoolController

            self._with_lapack = _LAPACK in sys.modules
            self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        for library in self._libraries:
            threads = library.num_threads
            if threads is not None and threads > 1:
                self._before.append((library, threads))
                _set(library, 1)


def _set(library: "LibController", threads: int) -> None:
    """Set it from whatever thread this is: threadpoolctl lets one thread alone set OpenBLAS, and others do nothing."""
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
    library.set_num_threads(threads)
    if release is not None:
        release(force=True)


one_thread = _OneThread()
"""``@one_thread`` or ``with one_thread:``; may be nested."""


def lapack() -> ModuleType:
    """Scipy's LAPACK, loaded when it is first needed."""
    new = _LAPACK not in sys.modules
    from scipy.linalg import lapack as module

    if new:
        one_thread.look_again()
    result: ModuleType = module
    return result
