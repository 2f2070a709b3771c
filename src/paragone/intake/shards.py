"""Files of votes that are counted: here, in several processes of this machine, or by the workers of a Dask cluster."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from paragone.errors import UnreadableFile
from paragone.intake.parallel import LOCAL, Work, results
from paragone.intake.vote import VoteOptions
from paragone.intake.vote_counts import VoteCounts, count_votes, refuse_uncountable

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
    # Workers of a cluster have directories of their own.
    names = list(files) if on in (None, LOCAL) else [str(Path(file).absolute()) for file in files]
    work = Work(compute=_count, given=options, parts=names, subject="count a file", killed=_killed)
    return results(work, on)


def _count(options: VoteOptions, file: str | Path) -> VoteCounts:
    return count_votes(file, options)


def _killed(files: Sequence[str | Path], times: int) -> str:
    return (
        f"the processes that count {_named(files)} were killed {times} times, as happens where memory runs out; split "
        "these files, or count them elsewhere (--on tcp://...)"
    )


def _named(files: Sequence[str | Path]) -> str:
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return ", ".join(map(str, files[:3])) + more
