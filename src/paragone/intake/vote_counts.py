"""Recorded comparisons as counts of what was said about each pair: what a fit needs of files larger than memory.

Files are counted here, in several processes of this machine, or by the workers of a Dask cluster.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from paragone.errors import InvalidConfig, InvalidVotes, UnreadableFile
from paragone.intake.parallel import LOCAL, Work, results
from paragone.intake.text_file import is_copy
from paragone.intake.vote import VoteOptions, refuse_repeated
from paragone.intake.vote_arrays import Bools, Floats, Ints, VoteArrays, read_vote_arrays

Name = TypeVar("Name", bound=Hashable)
_CELLS_A_ROW = 4
"""Possible combinations for each row up to which a table of all is quicker to fill in than rows are to sort."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class VoteCounts:
    """Votes of several files, equal ones counted.

    Attributes:
        arrays: Each different vote once, ordered by items, judge and score. Its weight is the sum of the weights of the
            votes that are alike.
        votes: How many votes are alike, shape (different votes,).
    """

    arrays: VoteArrays
    votes: Ints

    @classmethod
    def of(cls, arrays: VoteArrays) -> "VoteCounts":
        """The counts of votes."""
        return cls._summed(arrays, np.ones(len(arrays), np.int64))

    @classmethod
    def merged(cls, parts: Sequence["VoteCounts"]) -> "VoteCounts":
        """The counts of all parts together; items and judges are numbered as they first come in this order.

        Raises:
            InvalidVotes: If numbers of winners were read in different ways.
        """
        readings = {part.arrays.numbers for part in parts} - {None}
        if len(readings) > 1:
            raise InvalidVotes(
                "the numbers of winners differ between files, so that a 0 is a tie in some and a loss in others: say "
                "with --codes (codes in Python) what stands for the first side, the second and a tie"
            )
        names, numbers = _united([part.arrays.names for part in parts])
        judges, judge_numbers = _united([part.arrays.judges for part in parts])
        merged = VoteArrays(
            names=names,
            judges=judges,
            a=_joined([own[part.arrays.a] for own, part in zip(numbers, parts, strict=True)]),
            b=_joined([own[part.arrays.b] for own, part in zip(numbers, parts, strict=True)]),
            judge=_joined([own[part.arrays.judge] for own, part in zip(judge_numbers, parts, strict=True)]),
            score=np.concatenate([part.arrays.score for part in parts]),
            tie=np.concatenate([part.arrays.tie for part in parts]),
            weight=np.concatenate([part.arrays.weight for part in parts]),
            abstentions=sum(part.arrays.abstentions for part in parts),
            has_order=all(part.arrays.has_order for part in parts),
            notes=tuple(note for part in parts for note in part.arrays.notes),
            numbers=next(iter(readings), None),
        )
        return cls._summed(merged, _joined([part.votes for part in parts]))

    @classmethod
    def _summed(cls, arrays: VoteArrays, votes: Ints) -> "VoteCounts":
        """Add up rows that say the same."""
        if not len(arrays):
            return cls(arrays=arrays, votes=votes)
        score, tie, outcome = _outcomes(arrays)
        sizes = (len(arrays.names), len(arrays.names), len(arrays.judges), score.size)
        key = np.ravel_multi_index((arrays.a, arrays.b, arrays.judge, outcome), sizes)
        if np.prod([float(size) for size in sizes]) <= _CELLS_A_ROW * len(arrays):
            counts = np.bincount(key, votes.astype(np.float64))
            different = np.flatnonzero(counts)
            counts, weight = counts[different], np.bincount(key, arrays.weight)[different]
        else:
            different, row = np.unique(key, return_inverse=True)
            counts, weight = np.bincount(row, votes.astype(np.float64)), np.bincount(row, arrays.weight)
        a, b, judge, at = np.unravel_index(different, sizes)
        summed = replace(arrays, a=a, b=b, judge=judge, weight=weight.astype(np.float64), score=score[at], tie=tie[at])
        return cls(arrays=summed, votes=counts.astype(np.int64))


def count_votes(source: str | Path, options: VoteOptions) -> VoteCounts:
    """The counts of one file.

    Args:
        source: The file; see ``read_votes``.
        options: How to read it.

    Raises:
        UsageError: Naming what is wrong with the file, and where.
    """
    return VoteCounts.of(read_vote_arrays(source, options=options))


def refuse_uncountable(options: VoteOptions) -> None:
    """Refuse options for which it matters which votes are about the same pair.

    Raises:
        InvalidConfig: If repeats are to be allowed for.
    """
    if options.repeats:
        raise InvalidConfig(
            "votes of several files are counted, and counts do not say which repeat one another; leave repeats "
            "(--repeats) out, or fit one file"
        )


def _outcomes(arrays: VoteArrays) -> tuple[Floats, Bools, Ints]:
    """The different outcomes: their scores, whether each is a tie, and the number of each row's."""
    level = (2 * arrays.score).astype(np.int64)
    scores = np.array([0.0, 0.5, 1.0])
    if not (scores[level] == arrays.score).all():  # some are probabilities
        scores, level = np.unique(arrays.score, return_inverse=True)
    return np.repeat(scores, 2), np.tile([False, True], scores.size), 2 * level + arrays.tie


def _united(lists: Sequence[Sequence[Name]]) -> tuple[tuple[Name, ...], list[Ints]]:
    """The different names of several lists, and the number that each list's own have among them."""
    numbers: dict[Name, int] = {}
    own = [np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64) for names in lists]
    return tuple(numbers), own


def _joined(columns: Sequence[Ints]) -> Ints:
    return np.concatenate(columns)


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
    refuse_repeated(files)
    merged: list[VoteCounts] = []
    ahead: dict[int, VoteCounts] = {}
    done = 0
    for done, (at, counted) in enumerate(_counted(files, options, on), 1):
        ahead[at] = counted
        while (following := done - len(ahead)) in ahead:  # one after the other: all at once would take much memory
            merged[:] = [VoteCounts.merged([*merged, ahead.pop(following)])]
        on_counted(done, len(files))
    return merged[0]


def _counted(files: Sequence[str | Path], options: VoteOptions, on: str | None) -> Iterator[tuple[int, VoteCounts]]:
    """The counts of each file with its place, in whatever order they are ready."""
    if on not in (None, LOCAL) and any(is_copy(Path(file)) for file in files):
        raise InvalidConfig(
            "workers of a cluster cannot read standard input or a pipe: put it into a file that they see"
        )
    # Workers of a cluster have directories of their own.
    names = list(files) if on in (None, LOCAL) else [str(Path(file).absolute()) for file in files]
    work = Work(compute=_count, shared=options, parts=names, subject="count a file", killed=_killed)
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
