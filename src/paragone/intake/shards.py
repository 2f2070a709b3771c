"""Files of votes that are counted: here, in several processes of this machine, or by the workers of a Dask cluster."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paragone.errors import MissingExtra, ParagoneError, ServerFailed, UnreadableFile
from paragone.intake.vote import VoteOptions
from paragone.intake.vote_counts import VoteCounts, count_votes, refuse_uncountable

if TYPE_CHECKING:
    from concurrent.futures import Future

LOCAL = "local"
"""In as many processes of this machine as it has processors."""
_TRIES = 3
_PATIENCE = 30
"""Seconds to wait for a scheduler."""

OnCounted = Callable[[int, int], None]
"""Called with how many files are counted, and how many there are."""


def count_shards(
    files: Sequence[str | Path],
    options: VoteOptions,
    *,
    on: str | None = None,
    on_counted: OnCounted = lambda done, total: None,  # noqa: ARG005
) -> VoteCounts:
    """The votes of several files, counted.

    The counts are merged in the order of the files, whichever is ready first, so the result is the same wherever it
    was computed. A file whose process or worker dies is counted again elsewhere.

    Args:
        files: The files. Workers of a cluster must see them under the same names.
        options: How to read each of them.
        on: ``local`` for processes of this machine, which take the memory of a file each, or the address of a Dask
            scheduler, such as ``tcp://10.0.0.5:8786``. None counts one file after the other in this process.
        on_counted: Called after each file.

    Raises:
        UsageError: Naming what is wrong with a file, and where.
        MissingExtra: If a cluster is asked for and Dask is not installed.
        ServerFailed: If the scheduler does not answer, or processes die again and again.
    """
    refuse_uncountable(options)
    if not files:
        raise UnreadableFile("there is no file of votes; name at least one")
    merged: list[VoteCounts] = []
    ahead: dict[int, VoteCounts] = {}
    done = 0
    for done, (place, counted) in enumerate(_counted(files, options, on), 1):
        ahead[place] = counted
        while (following := done - len(ahead)) in ahead:  # one after the other: all at once would take much memory
            merged[:] = [VoteCounts.merged([*merged, ahead.pop(following)])]
        on_counted(done, len(files))
    return merged[0]


def _counted(files: Sequence[str | Path], options: VoteOptions, on: str | None) -> Iterator[tuple[int, VoteCounts]]:
    """The counts of each file with its place, in whatever order they are ready."""
    if on is None:
        return ((place, count_votes(file, options)) for place, file in enumerate(files))
    return _locally(files, options) if on == LOCAL else _by_dask(on, files, options)


def _locally(files: Sequence[str | Path], options: VoteOptions) -> Iterator[tuple[int, VoteCounts]]:
    left = dict(enumerate(files))
    for _ in range(_TRIES):
        for place, counted in _in_processes(left, options):
            del left[place]
            yield place, counted
        if not left:
            return
    raise ServerFailed(
        f"the processes that count {_named(list(left.values()))} were killed {_TRIES} times, as happens where memory "
        "runs out; split these files, or count them elsewhere (--on tcp://...)"
    )


def _in_processes(files: dict[int, str | Path], options: VoteOptions) -> Iterator[tuple[int, VoteCounts]]:
    """Count some files; ends early if a process is killed."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # Not forked: threads of the caller may hold locks.
    with ProcessPoolExecutor(min(len(files), os.cpu_count() or 1), get_context("spawn")) as pool:
        places = {pool.submit(count_votes, file, options): place for place, file in files.items()}
        try:
            for future in as_completed(places):
                try:
                    counted = future.result()
                except BrokenProcessPool:
                    return
                yield places[future], counted
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _by_dask(address: str, files: Sequence[str | Path], options: VoteOptions) -> Iterator[tuple[int, VoteCounts]]:
    try:
        import distributed
    except ImportError as error:
        raise MissingExtra("a cluster needs Dask; install it with: pip install 'paragone[batch]'") from error
    dask: Any = distributed  # which has no types
    try:
        client = dask.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ServerFailed(
            f"no Dask scheduler answers at {address}: {error}; start one with: dask scheduler"
        ) from error
    with client:
        names = [str(Path(file).absolute()) for file in files]  # workers have directories of their own
        places = {
            client.submit(count_votes, name, options, pure=False, retries=_TRIES): place
            for place, name in enumerate(names)
        }
        for future in dask.as_completed(places, loop=client.loop):
            yield places[future], _result(future)


def _result(future: "Future[VoteCounts]") -> VoteCounts:
    """What a worker counted.

    Raises:
        ParagoneError: What was wrong with the file.
        ServerFailed: If workers died with it again and again, or lack paragone.
    """
    try:
        return future.result()
    except ParagoneError:
        raise
    except Exception as error:  # whatever a worker or the way to it raised
        raise ServerFailed(f"the cluster could not count a file: {type(error).__name__}: {error}") from error


def _named(files: Sequence[str | Path]) -> str:
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return ", ".join(map(str, files[:3])) + more
