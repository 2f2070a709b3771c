"""Digests of many rows at once: the same as ``chain.row_digest`` gives for each, several times as fast.

The canonical form of a row is put together column by column: all values of a column have one type as a rule, and what
makes JSON of that type then runs over the whole column without a look at each value.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from json.encoder import encode_basestring
from typing import Any

from paragone.errors import LedgerError
from paragone.ledger.chain import row_digest

_ENCODERS: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: int.__repr__,
    float: float.__repr__,
    type(None): lambda _: "null",
}


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
        return [_one(table, dict(zip(names, row, strict=True))) for row in rows]


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


def _one(table: str, row: dict[str, Any]) -> bytes:
    try:
        return bytes.fromhex(row_digest(table, row))
    except LedgerError:
        return b""
