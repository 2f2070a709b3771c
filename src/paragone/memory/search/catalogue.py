"""What can be found by its words, and where it lies: kept beside the index, and brought up to date after it changed."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from paragone.memory.search.postings import Gathering, Postings, nothing, postings
from paragone.memory.search.words import counts

_KEY = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """Something that can be found: a chunk, a symbol, or a decision record.

    Attributes:
        id: What it is called; an id may come again with another path.
        path: The file it lies in.
        text: What it is found by, besides its path.
    """

    id: str
    path: str
    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Catalogue:
    """Entries, one row an id, with their words.

    Attributes:
        ids: Of every row.
        keys: What its words were made of, shape (rows, 16).
        files: Paths, each once, sorted.
        starts: Where each row's places begin, shape (rows + 1).
        places: Numbers of the files it lies in, rising, shape (places).
        words: The inverted index, one document a row.
    """

    ids: list[str]
    keys: npt.NDArray[np.uint8]
    files: list[str]
    starts: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    words: Postings

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of every id."""
        return {id: row for row, id in enumerate(self.ids)}

    def lying_in(self, files: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which rows lie in one of some files; shapes (files) and (rows)."""
        if not len(self.ids):
            return np.zeros(0, np.bool_)
        return np.logical_or.reduceat(files[self.places], self.starts[:-1])


def catalogue(entries: Iterable[Entry], *, old: Catalogue | None = None) -> Catalogue:
    """A catalogue of entries. Words of what the old one has already are taken from there."""
    before = old if old is not None else empty()
    known = {key.tobytes(): row for row, key in enumerate(before.keys)}
    to = np.full(len(before.ids), -1, np.int64)
    rows: dict[str, int] = {}
    keys: list[bytes] = []
    fresh = Gathering(before.words.terms)
    lying: list[tuple[int, str]] = []
    for entry in entries:
        row = rows.setdefault(entry.id, len(rows))
        lying.append((row, entry.path))
        if row < len(keys):
            continue
        key = _key(entry)
        keys.append(key)
        if key in known:
            to[known.pop(key)] = row
        else:
            fresh.add(row, counts((entry.text, entry.path)))
    files, starts, places = _places(lying, len(rows))
    return Catalogue(
        ids=list(rows),
        keys=np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _KEY),
        files=files,
        starts=starts,
        places=places,
        words=postings(len(rows), fresh, old=before.words, to=to),
    )


def empty() -> Catalogue:
    """A catalogue of nothing."""
    return Catalogue(
        ids=[],
        keys=np.zeros((0, _KEY), np.uint8),
        files=[],
        starts=np.zeros(1, np.int64),
        places=np.zeros(0, np.int32),
        words=nothing(),
    )


def _key(entry: Entry) -> bytes:
    return blake2b(
        "\0".join((entry.id, entry.path, entry.text)).encode("utf-8", "surrogatepass"), digest_size=_KEY
    ).digest()


def _places(lying: list[tuple[int, str]], rows: int) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    files = sorted({path for _, path in lying})
    number = {path: at for at, path in enumerate(files)}
    pairs = sorted({(row, number[path]) for row, path in lying})
    starts = np.zeros(rows + 1, np.int64)
    np.cumsum(np.bincount([row for row, _ in pairs], minlength=rows), out=starts[1:])
    return files, starts, np.asarray([at for _, at in pairs], np.int32)
