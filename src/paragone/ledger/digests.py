"""Digests of rows and of commits, and how a commit lists its rows.

A row's digest is the SHA-256 of its canonical form. The digests of many rows at once are made column by column: all
values of a column have one type as a rule, and what makes JSON of that type runs over the whole column without a look
at each value.

A commit of a few rows lists the name of the table and the whole digest of each: ``[[table, digest], ...]``. For very
many rows that would be as large as the rows themselves, so the listing is shorter::

    {"runs": [[table, how many], ...], "marks": base64 of 6 bytes a row, "digest": SHA-256 of all digests, joined}

The one digest proves the rows, by 256 bits as ever. The marks, the first 48 bits of each row's digest, only tell which
row was altered; one altered row in 2.8e14 has the mark of the original by chance, and then only its commit is known.
"""

import base64
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from json.encoder import encode_basestring
from typing import Any

from paragone.errors import LedgerError
from paragone.ledger.columns import canonical

MARK = 6
"""Bytes of a row's digest that a short listing keeps."""


_ENCODERS: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: int.__repr__,
    float: float.__repr__,
    type(None): lambda _: "null",
}


def row_digest(table: str, stored_row: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of a row in its stored form."""
    return _sha256([table, stored_row])


def commit_hash(stored_commit: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of a commit in its stored form; its own hash and its arrival number are left out."""
    return _sha256({name: value for name, value in stored_commit.items() if name not in ("id", "hash")})


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def row_digests(table: str, columns: Mapping[str, Sequence[object]]) -> list[bytes]:
    """The digests of some rows of a table.

    Args:
        table: Its name.
        columns: For each column its stored values, all of one length, at least one.

    Returns:
        A digest of 32 bytes for each row; an empty one for a row that no writer of ours could have stored.
    """
    names = sorted(columns)
    try:
        parts = [_encoded(columns[name]) for name in names]
        texts = map(_template(table, names).__mod__, zip(*parts, strict=False))  # a repeated value has no end
        return [hashlib.sha256(text.encode()).digest() for text in texts]
    except (KeyError, ValueError):  # a type, a number or a character that canonical JSON lacks, somewhere
        rows = zip(*(columns[name] for name in names), strict=True)
        return [_digest_or_none(table, dict(zip(names, row, strict=True))) for row in rows]


def _template(table: str, names: Iterable[str]) -> str:
    fields = ",".join(f"{_literal(name)}:%s" for name in names)
    return f"[{_literal(table)},{{{fields}}}]"


def _literal(text: str) -> str:
    return encode_basestring(text).replace("%", "%%")


def _encoded(values: Sequence[Any]) -> Iterable[str]:
    kinds = set(map(type, values))
    if float in kinds and not _all_finite([value for value in values if type(value) is float]):
        raise ValueError("a number is not finite")
    if len(kinds) > 1:
        return (_ENCODERS[type(value)](value) for value in values)
    encode = _ENCODERS[kinds.pop()]
    return repeat(encode(values[0]), len(values)) if _all_alike(values) else map(encode, values)


def _all_finite(values: Sequence[float]) -> bool:
    # A sum shows at once whether there is anything to look for; large numbers may add up to infinity by themselves.
    return math.isfinite(sum(values)) or all(map(math.isfinite, values))


def _all_alike(values: Sequence[Any]) -> bool:
    first = values[0]
    if first != values[-1] or values.count(first) != len(values):
        return False
    return first != 0.0 or len(set(map(repr, values))) == 1  # 0.0 and -0.0 are equal, and not alike


def _digest_or_none(table: str, row: dict[str, Any]) -> bytes:
    try:
        return bytes.fromhex(row_digest(table, row))
    except LedgerError:
        return b""


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
