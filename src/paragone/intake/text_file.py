"""Bytes on disk to text, with errors that say what to do."""

import codecs
from pathlib import Path

from paragone.errors import UnreadableFile

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_bytes(path: Path) -> bytes:
    """The content of a file.

    Raises:
        UnreadableFile: If it is absent, a folder, or may not be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise UnreadableFile(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise UnreadableFile(f"{path} is a folder, and a file is wanted") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}") from error


def read_text(path: Path) -> str:
    """The content of a text file in UTF-8, without its byte order mark.

    Raises:
        UnreadableFile: If it cannot be read or is not UTF-8; the message names the line.
    """
    return decode(read_bytes(path), str(path))


def decode(content: bytes, name: str) -> str:
    """Bytes in UTF-8 as text, without a byte order mark.

    Args:
        content: The bytes.
        name: What to call them in messages.

    Raises:
        UnreadableFile: If they are not UTF-8; the message names the line.
    """
    if content.startswith(_UTF16):
        raise UnreadableFile(f"{name} is UTF-16; save it as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start]
        raise UnreadableFile(f"{name}, line {line}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8") from error
