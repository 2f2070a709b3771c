"""Catalogues of chunks, symbols and records for keyword search, cached beside the index and updated with it."""

import io
import mmap
import os
import re
import shutil
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from paragone.memory.search.bm25 import Postings, PostingsBuilder, nothing, postings
from paragone.memory.words import counts

_KEY_BYTES = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class CatalogueEntry:
    """Something that can be found: a chunk, a symbol, or a decision record.

    Attributes:
        id: Its id, which may occur with several paths.
        path: The file that contains it.
        text: The text by which it is found, besides its path.
    """

    id: str
    path: str
    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Catalogue:
    """Entries, one row per id, with their words.

    Attributes:
        ids: Of every row.
        keys: Hash of what its words were made of, shape (rows, 16).
        files: Paths, each once, sorted.
        starts: Start of each row's places, shape (rows + 1).
        places: Numbers of the files that contain it, rising, shape (places).
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

    def pairs(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The row and the file's number of every place, both shapes (places)."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.starts)), self.places.astype(np.int64)

    def in_files(self, files: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which rows lie in one of some files; shapes (files) and (rows)."""
        if not len(self.ids):
            return np.zeros(0, np.bool_)
        return np.logical_or.reduceat(files[self.places], self.starts[:-1])


def catalogue(entries: Iterable[CatalogueEntry], *, old: Catalogue | None = None) -> Catalogue:
    """A catalogue of entries. Words of entries that the old one has are taken from there."""
    before = old if old is not None else empty()
    row_of_key = {key.tobytes(): row for row, key in enumerate(before.keys)}
    to = np.full(len(before.ids), -1, np.int64)
    rows: dict[str, int] = {}
    keys: list[bytes] = []
    fresh = PostingsBuilder(before.words.terms)
    lying: list[tuple[int, str]] = []
    for entry in entries:
        row = rows.setdefault(entry.id, len(rows))
        lying.append((row, entry.path))
        if row < len(keys):
            continue
        key = _key(entry)
        keys.append(key)
        if key in row_of_key:
            to[row_of_key.pop(key)] = row
        else:
            fresh.add(row, counts((entry.text, entry.path)))
    files, starts, file_numbers = _places(lying, len(rows))
    return Catalogue(
        ids=list(rows),
        keys=np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _KEY_BYTES),
        files=files,
        starts=starts,
        places=file_numbers,
        words=postings(len(rows), fresh, old=before.words, to=to),
    )


def empty() -> Catalogue:
    """A catalogue without entries."""
    return Catalogue(
        ids=[],
        keys=np.zeros((0, _KEY_BYTES), np.uint8),
        files=[],
        starts=np.zeros(1, np.int64),
        places=np.zeros(0, np.int32),
        words=nothing(),
    )


def _key(entry: CatalogueEntry) -> bytes:
    return blake2b(
        "\0".join((entry.id, entry.path, entry.text)).encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES
    ).digest()


def _places(lying: list[tuple[int, str]], rows: int) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    files = sorted({path for _, path in lying})
    number = {path: at for at, path in enumerate(files)}
    pairs = sorted({(row, number[path]) for row, path in lying})
    starts = np.zeros(rows + 1, np.int64)
    np.cumsum(np.bincount([row for row, _ in pairs], minlength=rows), out=starts[1:])
    return files, starts, np.asarray([at for _, at in pairs], np.int32)


_FORMAT = "2"
"""Increased when words are split in another way, or the files have another form."""
_UNFINISHED = ".new-"
_HOUR = 3600.0
_ARRAYS = ("keys", "starts", "places")
_WORD_ARRAYS = {"word_starts": "starts", "documents": "documents", "counts": "counts", "lengths": "lengths"}
"""The fields of the inverted index, by the name of their file."""
_LISTS = ("ids", "files", "terms")
_FILES = (*(f"{name}.npy" for name in (*_ARRAYS, *_WORD_ARRAYS)), *(f"{name}.txt" for name in _LISTS))
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<kind>[<|][iuf]\d)', 'fortran_order': False, "
    rb"'shape': \((?P<shape>\d+,(?: \d+)?)\), \} *\n",
    re.DOTALL,
)
"""How numpy begins a file of numbers."""
Content = bytes | mmap.mmap
_SMALL = 1 << 16
_SUMS = "sums.txt"
"""The CRC-32 of every other file, a line each, and of these lines: what was damaged is not believed, but made again."""


def cached_catalogue(
    folder: Path,
    name: str,
    version: str,
    entries: Callable[[], Iterable[CatalogueEntry]],
    *,
    is_current: Callable[[], bool] = lambda: True,
) -> Catalogue:
    """The catalogue of a state of the index: read if it is cached, else updated from the last one and cached.

    The cache can be deleted at any time; a damaged catalogue is made again.

    Args:
        folder: The cache.
        name: Of which entries.
        version: The state of the index.
        entries: Returns everything that can be found.
        is_current: Whether the index is still in that state; entries that were read while it changed belong to neither
            state, and are not cached.
    """
    own = folder / f"{name}-{_FORMAT}-{sha256(version.encode()).hexdigest()[:16]}"
    cached = _read(own)
    if cached is not None:
        return cached
    stale = [path for path in folder.glob(f"{name}-*") if path != own]
    fresh = catalogue(entries(), old=next(filter(None, map(_read, _newest(stale))), None))
    if not is_current():
        return fresh
    _write(own, fresh)
    for path in (*stale, *_abandoned(folder)):
        shutil.rmtree(path, ignore_errors=True)
    return fresh


def _abandoned(folder: Path) -> list[Path]:
    """What a process that was killed left half written."""
    return [path for path in folder.glob(f"{_UNFINISHED}*") if _written(path) < time.time() - _HOUR]


def _newest(paths: list[Path]) -> list[Path]:
    return sorted((path for path in paths if path.name.split("-")[1] == _FORMAT), key=_written, reverse=True)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process has removed it
        return time.time()


def _read(folder: Path) -> Catalogue | None:
    """The catalogue in a folder; None if it is missing, cut off or damaged."""
    try:
        contents = {name: _content(folder / name) for name in _FILES}
        if (folder / _SUMS).read_bytes() != _sums(contents):
            return None
        arrays = {name: _array(contents[f"{name}.npy"]) for name in (*_ARRAYS, *_WORD_ARRAYS)}
        ids, files, terms = (_split(bytes(contents[f"{name}.txt"])) for name in _LISTS)
    except (OSError, ValueError):
        return None
    words = Postings(terms=terms, **{field: arrays[name] for name, field in _WORD_ARRAYS.items()})
    read = Catalogue(ids=ids, files=files, words=words, **{name: arrays[name] for name in _ARRAYS})
    return read if _is_whole(read) else None


def _content(path: Path) -> Content:
    """A file, mapped if it is large: of that, only what is asked for stays in memory."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < _SMALL:
            return file.read()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _array(content: Content) -> npt.NDArray[Any]:
    """An array in the form of numpy, whose own reader takes longer than all else where arrays are small.

    Raises:
        ValueError: If it is another form.
    """
    header = _HEADER.match(content)
    if header is None:
        raise ValueError("no array of numbers")
    shape = tuple(int(size) for size in header["shape"].split(b",") if size)
    try:
        return np.ndarray(shape, header["kind"].decode(), content, header.end())
    except TypeError as error:
        raise ValueError("no array of numbers, or not all of it") from error


def _sums(contents: Mapping[str, Content]) -> bytes:
    """What the file of sums says if all files are as they were written."""
    lines = "".join(f"{zlib.crc32(content):08x} {name}\n" for name, content in contents.items()).encode()
    return lines + b"%08x\n" % zlib.crc32(lines)


def _is_whole(read: Catalogue) -> bool:
    rows, words = len(read.ids), read.words
    return (
        len(read.keys) == rows == len(words.lengths) == len(read.starts) - 1
        and len(words.starts) - 1 == len(words.terms)
        and int(read.starts[-1]) == len(read.places)
        and int(words.starts[-1]) == len(words.documents) == len(words.counts)
    )


def _write(folder: Path, built: Catalogue) -> None:
    """Write a complete folder and swap it in. It is dropped if another process was faster, or the disk is full."""
    own = folder.with_name(f"{_UNFINISHED}{uuid.uuid4().hex}")
    try:
        own.mkdir(parents=True)
        contents = _contents(built)
        for name, content in (*contents.items(), (_SUMS, _sums(contents))):
            (own / name).write_bytes(content)
        if folder.exists():  # damaged, or made meanwhile
            shutil.rmtree(folder, ignore_errors=True)
        own.rename(folder)
    except OSError:
        shutil.rmtree(own, ignore_errors=True)


def _contents(built: Catalogue) -> dict[str, bytes]:
    """Each file's."""
    arrays = [getattr(built, name) for name in _ARRAYS]
    arrays += [getattr(built.words, field) for field in _WORD_ARRAYS.values()]
    lists = (built.ids, built.files, built.words.terms)
    return dict(zip(_FILES, (*map(_saved, arrays), *map(_joined, lists)), strict=True))


def _saved(array: npt.NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _joined(texts: list[str]) -> bytes:
    """Texts after their number, which reveals a file that was cut off."""
    return "".join(f"{text}\0" for text in (str(len(texts)), *texts)).encode("utf-8", "surrogatepass")


def _split(data: bytes) -> list[str]:
    """The texts again.

    Raises:
        ValueError: If some are missing.
    """
    number, *texts = data.decode("utf-8", "surrogatepass").split("\0")
    if texts[-1:] != [""] or int(number) != len(texts) - 1:
        raise ValueError("it is cut off")
    return texts[:-1]
