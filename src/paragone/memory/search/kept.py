"""Catalogues kept beside the index, one folder for each state of it: written whole, swapped in, shared by processes."""

import shutil
import time
import uuid
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

import numpy as np

from paragone.memory.search.catalogue import Catalogue, Entry, catalogue
from paragone.memory.search.postings import Postings

_FORM = "1"
"""Goes up when words are cut in another way, or the files have another form."""
_HALF = ".new-"
_HOUR = 3600.0
_ARRAYS = ("keys", "starts", "places", "word_starts", "documents", "counts", "lengths")
_LISTS = ("ids", "files", "terms")


def kept(
    folder: Path,
    name: str,
    version: str,
    entries: Callable[[], Iterable[Entry]],
    *,
    is_current: Callable[[], bool] = lambda: True,
) -> Catalogue:
    """The catalogue of a state of the index: read where it is there, else made from the last one and kept.

    It can be deleted at any time; a damaged one is made again.

    Args:
        folder: Where catalogues are.
        name: Of what.
        version: The state of the index.
        entries: Gives everything that can be found.
        is_current: Asked afterwards whether the index is still in that state; what was read while it changed is of
            neither state, and not kept.
    """
    own = folder / f"{name}-{_FORM}-{sha256(version.encode()).hexdigest()[:16]}"
    found = _read(own)
    if found is not None:
        return found
    others = [path for path in folder.glob(f"{name}-*") if path != own]
    made = catalogue(entries(), old=next(filter(None, map(_read, _newest(others))), None))
    if not is_current():
        return made
    _write(own, made)
    for path in (*others, *_abandoned(folder)):
        shutil.rmtree(path, ignore_errors=True)
    return made


def _abandoned(folder: Path) -> list[Path]:
    """What a process that was killed left half written."""
    return [path for path in folder.glob(f"{_HALF}*") if _written(path) < time.time() - _HOUR]


def _newest(paths: list[Path]) -> list[Path]:
    return sorted((path for path in paths if path.name.split("-")[1] == _FORM), key=_written, reverse=True)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process has removed it
        return time.time()


def _read(folder: Path) -> Catalogue | None:
    """What a folder holds; None where it is absent, cut off or damaged."""
    try:
        arrays = {name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in _ARRAYS}
        lists = {name: _split((folder / f"{name}.txt").read_bytes()) for name in _LISTS}
    except (OSError, ValueError, EOFError):
        return None
    words = Postings(
        terms=lists["terms"],
        starts=arrays["word_starts"],
        documents=arrays["documents"],
        counts=arrays["counts"],
        lengths=arrays["lengths"],
    )
    read = Catalogue(
        ids=lists["ids"],
        keys=arrays["keys"],
        files=lists["files"],
        starts=arrays["starts"],
        places=arrays["places"],
        words=words,
    )
    return read if _is_whole(read) else None


def _is_whole(read: Catalogue) -> bool:
    rows, words = len(read.ids), read.words
    return (
        len(read.keys) == rows == len(words.lengths) == len(read.starts) - 1
        and len(words.starts) - 1 == len(words.terms)
        and int(read.starts[-1]) == len(read.places)
        and int(words.starts[-1]) == len(words.documents) == len(words.counts)
    )


def _write(folder: Path, made: Catalogue) -> None:
    """Write a folder whole and swap it in. Where another process was quicker, or the disk is full, it is not kept."""
    own = folder.with_name(f"{_HALF}{uuid.uuid4().hex}")
    try:
        own.mkdir(parents=True)
        for name, array in _arrays(made).items():
            np.save(own / f"{name}.npy", array)
        for name, texts in (("ids", made.ids), ("files", made.files), ("terms", made.words.terms)):
            (own / f"{name}.txt").write_bytes(_joined(texts))
        if folder.exists():  # damaged, or made meanwhile
            shutil.rmtree(folder, ignore_errors=True)
        own.rename(folder)
    except OSError:
        shutil.rmtree(own, ignore_errors=True)


def _arrays(made: Catalogue) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    words = made.words
    return {
        "keys": made.keys,
        "starts": made.starts,
        "places": made.places,
        "word_starts": words.starts,
        "documents": words.documents,
        "counts": words.counts,
        "lengths": words.lengths,
    }


def _joined(texts: list[str]) -> bytes:
    """Texts with their number before them, so that a file that was cut off is known by it."""
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
