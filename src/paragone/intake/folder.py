"""Items from a folder of text files."""

import os
from collections.abc import Iterator
from pathlib import Path

from paragone.domain import Item
from paragone.errors import InvalidItems, UnreadableFile
from paragone.intake.item_check import MAX_TEXT
from paragone.intake.text_file import decode, marked_encoding, read_bytes

_HEAD = 8192
_TEXT_BYTES = bytes({7, 8, 9, 10, 12, 13, 27} | set(range(0x20, 0x100)) - {0x7F})
_BYTES_A_CHARACTER = 4


def folder_items(folder: Path, encoding: str | None = None) -> tuple[Item, ...]:
    """One item for each text file below a folder, sorted by id, which is the path from the folder.

    Hidden files and folders and binary files are left out; links to folders are not followed.

    Args:
        folder: The folder.
        encoding: Of the files; None as for ``encoding_of``.

    Raises:
        UnreadableFile: If a file cannot be read or decoded.
        InvalidItems: If a file is longer than an item may be.
    """
    found = ((path.relative_to(folder).as_posix(), path) for path in _files(folder))
    contents = ((id, path, _content(path)) for id, path in sorted(found))
    return tuple(
        Item(id=id, text=decode(content, str(path), encoding).strip())
        for id, path, content in contents
        if not _is_binary(content)
    )


def _files(folder: Path) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        raise UnreadableFile(f"{error.filename} cannot be read: {error.strerror or error}") from error

    for place, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        candidates = (Path(place, name) for name in files if not name.startswith("."))
        yield from (path for path in candidates if path.is_file())


def _content(path: Path) -> bytes:
    size = path.stat().st_size
    if size > _BYTES_A_CHARACTER * MAX_TEXT:
        raise InvalidItems(f"{path} has {size:,} bytes; an item has at most {MAX_TEXT:,} characters")
    return read_bytes(path)


def _is_binary(content: bytes) -> bool:
    """Whether the beginning holds control bytes that text in no encoding of ASCII's family has, and no mark."""
    return marked_encoding(content) is None and bool(content[:_HEAD].translate(None, _TEXT_BYTES))
