"""Digests of rows, hashes of commits, and the listing of a commit: which rows it added.

A commit says by the form of its listing by which rule it and its rows are hashed, and is verified by that rule:

1. Until schema 0005, and in bulk imports: the digest of a row is the SHA-256 of its canonical JSON, ``[table, {column:
   stored value}]``, and the hash of a commit that of its canonical JSON.
2. The digest of a row is the BLAKE2b, of 32 bytes, of the MessagePack of ``[table, stored value, ...]``, the values in
   the order of the table's columns; the hash of a commit that of ``[pool, number, previous, at, rows]``. Numbers of
   real columns are floats of 64 bits, whole numbers integers, texts UTF-8. Making the JSON took six times as long.
"""

import base64
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from json.encoder import encode_basestring
from typing import Any

import msgspec

from paragone.errors import LedgerError
from paragone.ledger.column_types import canonical

MARK = 6
"""Bytes of each row's digest in a short listing."""


_ENCODERS: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: int.__repr__,
    float: float.__repr__,
    type(None): lambda _: "null",
}


def json_digest(table: str, stored_row: dict[str, Any]) -> str:
    """The digest of a row by the first rule, in hexadecimal: of its stored form."""
    return _sha256([table, stored_row])


def commit_hash(stored_commit: Mapping[str, Any]) -> str:
    """The hash, in hexadecimal, of a commit in its stored form; its own hash and its arrival number are left out.

    Raises:
        LedgerError: If it holds a value that no version of paragone could have stored.
    """
    rows = stored_commit["rows"]
    if not isinstance(rows, str) or not rows.startswith(_PACKED):
        return _sha256({name: value for name, value in stored_commit.items() if name not in ("id", "hash")})
    try:
        return _packed_digest([stored_commit[name] for name in _HASHED]).hex()
    except (UnicodeError, OverflowError, TypeError) as error:
        raise LedgerError(f"a value cannot be kept in the ledger: {error}") from error


_PACKED = '{"format":2,'
"""How the stored listing of a commit begins that is hashed by the second rule."""
_HASHED = ("pool", "number", "previous", "at", "rows")


def _plain(value: object) -> object:
    """The value of a subclass, such as numpy's, as the plain type that the database returns."""
    for kind in (str, float, int):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"a column cannot hold {type(value).__name__}")


_encode = msgspec.msgpack.Encoder(enc_hook=_plain).encode


def _packed_digest(values: Sequence[object]) -> bytes:
    return hashlib.blake2b(_encode(values), digest_size=32).digest()


def packed_digests(table: str, rows: Iterable[Sequence[object]]) -> list[bytes]:
    """The digests of some rows of a table by the second rule.

    Args:
        table: Its name.
        rows: The stored values of each, in the order of the table's columns.

    Returns:
        A digest of 32 bytes for each row; an empty one for a row that no version of paragone could have stored.
    """
    table, rows = str(table), list(rows)
    try:
        return [_packed_digest((table, *row)) for row in rows]
    except (UnicodeError, OverflowError, TypeError):
        return [_packed_or_none((table, *row)) for row in rows]


def _packed_or_none(values: Sequence[object]) -> bytes:
    try:
        return _packed_digest(values)
    except (UnicodeError, OverflowError, TypeError):  # half a surrogate pair, or a number of more than 64 bits
        return b""


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def json_digests(table: str, columns: Mapping[str, Sequence[object]]) -> list[bytes]:
    """The digests of some rows of a table by the first rule.

    Args:
        table: Its name.
        columns: For each column its stored values, all of one length, at least one.

    Returns:
        A digest of 32 bytes for each row; an empty one for a row that no version of paragone could have stored.
    """
    names = sorted(columns)
    try:
        parts = [_encoded(columns[name]) for name in names]
        texts = map(_template(table, names).__mod__, zip(*parts, strict=False))  # repeat() never ends
        return [hashlib.sha256(text.encode()).digest() for text in texts]
    except (KeyError, ValueError):  # some value that canonical JSON cannot hold
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
    # A finite sum proves it quickly; large numbers may also add up to infinity.
    return math.isfinite(sum(values)) or all(map(math.isfinite, values))


def _all_alike(values: Sequence[Any]) -> bool:
    first = values[0]
    if first != values[-1] or values.count(first) != len(values):
        return False
    return first != 0.0 or len(set(map(repr, values))) == 1  # 0.0 == -0.0, but their texts differ


def _digest_or_none(table: str, row: dict[str, Any]) -> bytes:
    try:
        return bytes.fromhex(json_digest(table, row))
    except LedgerError:
        return b""


@dataclass(frozen=True, kw_only=True, slots=True)
class RowRun:
    """Consecutive rows of one table.

    Attributes:
        table: Its name.
        marks: The first bytes of each row's digest, joined.
        width: How many bytes of each.
    """

    table: str
    marks: bytes
    width: int

    def __len__(self) -> int:
        return len(self.marks) // self.width

    def of(self, digests: Sequence[bytes]) -> bytes:
        """The joined marks of rows with these digests; equal to this run's marks if the rows are the same."""
        return b"".join(digests) if self.width == hashlib.sha256().digest_size else _marks(digests)

    def each(self) -> Iterator[bytes]:
        """The mark of each row."""
        return (self.marks[at : at + self.width] for at in range(0, len(self.marks), self.width))


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The rows of one commit.

    A commit of a few rows lists the name of the table and the whole digest of each: ``[[table, digest], ...]``. For
    very many rows that would be as large as the rows themselves, so the listing is shorter::

        {"runs": [[table, how many], ...], "marks": base64 of 6 bytes a row, "digest": SHA-256 of all digests, joined}

    The one digest proves the rows, by 256 bits as ever. The marks, the first 48 bits of each row's digest, only tell
    which row was altered; one altered row in 2.8e14 has the mark of the original by chance, and then only its commit is
    known.

    Commits of the second rule have whole digests as well, in one text: ``tables`` are those of the rows, and each row
    has 33 bytes, the place of its table among them and its digest::

        {"format": 2, "rows": base64, "tables": [table, ...]}

    Attributes:
        runs: What was added, in order.
        digest: SHA-256 over the digests of all rows, for a short listing; None where each row has its whole digest.
        format: The rule by which its rows are hashed, 1 or 2.
    """

    runs: tuple[RowRun, ...]
    digest: str | None
    format: int = 1

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    @classmethod
    def of(cls, value: Any) -> "Listing":  # noqa: ANN401 - what JSON holds
        """A listing from its stored JSON.

        Raises:
            ValueError: If it is no listing.
        """
        try:
            if isinstance(value, dict):
                return _packed(value) if "format" in value else _short(value)
            return _whole(value)
        except (TypeError, KeyError, AttributeError, IndexError) as error:
            raise ValueError(f"this is not a listing of rows: {error}") from error


def shortened(parts: Iterable[tuple[str, Sequence[bytes]]]) -> dict[str, Any]:
    """The short listing of rows.

    Args:
        parts: Tables in the order of the rows, each with the digests of its rows.
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
        runs.append(RowRun(table=str(table), marks=marks[start:end], width=MARK))
        start = end
    if start != len(marks):
        raise ValueError("its marks are not as many as its rows")
    return Listing(runs=tuple(runs), digest=str(value["digest"]))


def _whole(value: list[tuple[str, str]]) -> Listing:
    runs = [RowRun(table=table, marks=bytes.fromhex(digest), width=len(digest) // 2 or 1) for table, digest in value]
    return Listing(runs=tuple(runs), digest=None)


def packed(rows: Sequence[tuple[str, bytes]]) -> dict[str, Any]:
    """The listing of rows by the second rule.

    Args:
        rows: The table of each row and its digest of 32 bytes, in order.
    """
    number_of = {table: bytes([number]) for number, table in enumerate(dict.fromkeys(table for table, _ in rows))}
    joined = b"".join([part for table, digest in rows for part in (number_of[table], digest)])
    return {"format": 2, "rows": base64.b64encode(joined).decode("ascii"), "tables": list(number_of)}


_WIDTH = 33
"""Bytes of each row in a listing of the second rule."""


def _packed(value: dict[str, Any]) -> Listing:
    if value["format"] != 2:
        raise ValueError(f"no version of paragone knows format {value['format']!r}")
    joined, tables = base64.b64decode(value["rows"], validate=True), value["tables"]
    if len(joined) % _WIDTH:
        raise ValueError("its rows are not whole")
    runs, last, start = [], b"", 0
    for at in range(0, len(joined), _WIDTH):
        if joined[at : at + 1] != last:
            runs.append(_run(tables, joined[start:at]))
            last, start = joined[at : at + 1], at
    runs.append(_run(tables, joined[start:]))
    return Listing(runs=tuple(run for run in runs if len(run)), digest=None, format=2)


def _run(tables: Sequence[str], rows: bytes) -> RowRun:
    marks = b"".join([rows[at + 1 : at + _WIDTH] for at in range(0, len(rows), _WIDTH)])
    return RowRun(table=str(tables[rows[0]]) if rows else "", marks=marks, width=_WIDTH - 1)
