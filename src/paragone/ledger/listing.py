"""What a commit lists: the rows that it added, in their order, so that each can be told from what it was.

A commit of a few rows lists the name of the table and the whole digest of each: ``[[table, digest], ...]``. One of very
many rows would be as large as the rows themselves that way, so it says the same shorter::

    {"runs": [[table, how many], ...], "marks": base64 of 6 bytes a row, "digest": SHA-256 of all digests, joined}

The one digest proves the rows, by 256 bits as ever. The marks, the first 48 bits of each row's digest, only tell which
row it was; one altered row in 2.8e14 has the mark of the original by chance, and is then known to be among those of its
commit.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MARK = 6
"""Bytes of a row's digest that a short listing keeps."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """Consecutive rows of one table.

    Attributes:
        table: Its name.
        marks: The beginning of each row's digest, all of one length, joined.
        width: That length, in bytes.
    """

    table: str
    marks: bytes
    width: int

    def __len__(self) -> int:
        return len(self.marks) // self.width

    def of(self, digests: Sequence[bytes]) -> bytes:
        """The marks of other rows, joined: equal to this run's if the rows are."""
        return b"".join(digests) if self.width == hashlib.sha256().digest_size else _marks(digests)

    def each(self) -> Iterator[bytes]:
        """The mark of each row."""
        return (self.marks[at : at + self.width] for at in range(0, len(self.marks), self.width))


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The rows of one commit.

    Attributes:
        runs: What was added, in order.
        digest: SHA-256 over the digests of all rows, for a short listing; None where each row has its whole digest.
    """

    runs: tuple[Run, ...]
    digest: str | None

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    @classmethod
    def of(cls, value: Any) -> "Listing":  # noqa: ANN401 - what JSON holds
        """A listing as it is stored, read.

        Raises:
            ValueError: If it is none.
        """
        try:
            return _short(value) if isinstance(value, dict) else _whole(value)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"this is no listing of rows: {error}") from error


def shortened(parts: Iterable[tuple[str, Sequence[bytes]]]) -> dict[str, Any]:
    """The short listing of rows.

    Args:
        parts: Tables in the order of their rows, each with the digests of its rows.
    """
    runs, marks, joined = [], [], hashlib.sha256()
    for table, digests in parts:
        runs.append([table, len(digests)])
        marks.append(_marks(digests))
        joined.update(b"".join(digests))
    return {"runs": runs, "marks": base64.b64encode(b"".join(marks)).decode("ascii"), "digest": joined.hexdigest()}


def _marks(digests: Sequence[bytes]) -> bytes:
    return b"".join([digest[:MARK] for digest in digests])


def _short(value: dict[str, Any]) -> Listing:
    marks, runs, start = base64.b64decode(value["marks"], validate=True), [], 0
    for table, count in value["runs"]:
        end = start + count * MARK
        runs.append(Run(table=str(table), marks=marks[start:end], width=MARK))
        start = end
    if start != len(marks):
        raise ValueError("its marks are not as many as its rows")
    return Listing(runs=tuple(runs), digest=str(value["digest"]))


def _whole(value: list[tuple[str, str]]) -> Listing:
    runs = [Run(table=table, marks=bytes.fromhex(digest), width=len(digest) // 2 or 1) for table, digest in value]
    return Listing(runs=tuple(runs), digest=None)
