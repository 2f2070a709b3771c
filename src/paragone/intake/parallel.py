"""Parts of a computation: in this process, in several of this machine, or by the workers of a Dask cluster."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from paragone import extras
from paragone.errors import ParagoneError, ServerFailed

if TYPE_CHECKING:
    from concurrent.futures import Future

Shared = TypeVar("Shared")
Part = TypeVar("Part")
Result = TypeVar("Result")

LOCAL = "local"
"""In as many processes of this machine as it has processors."""
_TRIES = 3
_PATIENCE = 30
"""Seconds to wait for a scheduler."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Work(Generic[Shared, Part, Result]):
    """A computation in parts.

    Attributes:
        compute: Computes a part, from what all parts need and the part; a function of a module.
        shared: What all parts need. It is sent to each process once.
        parts: The parts.
        subject: What a part is, for messages: "the cluster could not count a file".
        killed: The message where the processes of some parts were killed again and again.
    """

    compute: Callable[[Shared, Part], Result]
    shared: Shared
    parts: Sequence[Part]
    subject: str
    killed: Callable[[Sequence[Part], int], str]


def results(work: Work[Shared, Part, Result], on: str | None) -> Iterator[tuple[int, Result]]:
    """The result of each part with its place, in whatever order they are ready.

    A part whose process or worker dies is computed again elsewhere.

    Args:
        work: The computation.
        on: ``local`` for processes of this machine, or the address of a Dask scheduler, such as
            ``tcp://10.0.0.5:8786``. None computes one part after the other in this process.

    Raises:
        MissingExtra: If a cluster is asked for and Dask is not installed.
        ServerFailed: If the scheduler does not answer, or processes die again and again.
    """
    if on is None:
        return ((index, work.compute(work.shared, part)) for index, part in enumerate(work.parts))
    return _locally(work) if on == LOCAL else _by_dask(on, work)


def _locally(work: Work[Shared, Part, Result]) -> Iterator[tuple[int, Result]]:
    remaining = dict(enumerate(work.parts))
    for _ in range(_TRIES):
        for index, result in _in_processes(work, remaining):
            del remaining[index]
            yield index, result
        if not remaining:
            return
    raise ServerFailed(work.killed(list(remaining.values()), _TRIES))


def _in_processes(work: Work[Shared, Part, Result], parts: Mapping[int, Part]) -> Iterator[tuple[int, Result]]:
    """Compute some parts; ends early if a process is killed."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    processes = min(len(parts), os.cpu_count() or 1)
    # Not forked: threads of the caller may hold locks.
    with ProcessPoolExecutor(processes, get_context("spawn"), _begin, (work.compute, work.shared)) as pool:
        index_of = {pool.submit(_computed, part): index for index, part in parts.items()}
        try:
            for future in as_completed(index_of):
                try:
                    result = future.result()
                except BrokenProcessPool:
                    return
                yield index_of[future], result
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_work: tuple[Callable[[Any, Any], Any], Any] | None = None
"""In a process of a pool: what computes a part, and what all parts need."""


def _begin(compute: Callable[[Any, Any], Any], shared: object) -> None:
    """Begin a process of a pool; the terminal's interrupt is for the process that started it."""
    global _work  # noqa: PLW0603 - sent once, and not with each part
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _work = compute, shared


def _computed(part: object) -> Any:  # noqa: ANN401 - whatever the computation gives
    if _work is None:
        raise RuntimeError("the process did not start")
    compute, shared = _work
    return compute(shared, part)


def _by_dask(address: str, work: Work[Shared, Part, Result]) -> Iterator[tuple[int, Result]]:
    with extras.importing("a cluster of Dask needs", "distributed"):
        import distributed
    dask: Any = distributed  # which has no types
    try:
        client = dask.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ServerFailed(
            f"no Dask scheduler answers at {address}: {error}; start one with: dask scheduler"
        ) from error
    with client:
        # A task of its own, not scattered data: the scheduler can have it made again where its worker dies.
        shared = client.submit(_same, work.shared, pure=False, retries=_TRIES)
        index_of = {
            client.submit(work.compute, shared, part, pure=False, retries=_TRIES): index
            for index, part in enumerate(work.parts)
        }
        for future in dask.as_completed(index_of, loop=client.loop):
            yield index_of[future], _result(future, work.subject)


def _same(shared: Shared) -> Shared:
    return shared


def _result(future: "Future[Result]", subject: str) -> Result:
    """What a worker computed.

    Raises:
        ParagoneError: What was wrong with the part.
        ServerFailed: If workers died with it again and again, or lack paragone.
    """
    try:
        return future.result()
    except ParagoneError:
        raise
    except Exception as error:  # whatever a worker or the way to it raised
        raise ServerFailed(f"the cluster could not {subject}: {type(error).__name__}: {error}") from error
