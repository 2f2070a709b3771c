"""Bytes on disk to text, and to the values of TOML and JSON, with errors that say what to do."""

import codecs
import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from paragone.errors import InvalidConfig, UnreadableFile

T = TypeVar("T")
Values = Mapping[str, Any]

UTF8 = "utf-8-sig"
"""UTF-8, with or without a byte order mark."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark begins it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CONTAINERS = ((b"PK\x03\x04", ".xlsx"), (b"\xd0\xcf\x11\xe0", ".xls"), (b"PAR1", ".parquet"))
_SAMPLE = 4096
COPY = "paragone-stdin-"
"""What the folder begins with that holds a copy of standard input or of a pipe."""


def is_copy(path: Path) -> bool:
    """Whether a file is the copy of standard input or of a pipe."""
    return path.parent.name.startswith(COPY)


def display_name(path: Path) -> str:
    """What messages call a file: its path, or the name alone where it is the copy of a pipe."""
    return path.name if is_copy(path) else str(path)


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
        raise UnreadableFile(f"{path} is a folder; expected a file") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}") from error


def read_text(path: Path, encoding: str | None = None) -> str:
    """The content of a text file, without its byte order mark.

    Args:
        path: The file.
        encoding: Its encoding; None as for ``encoding_of``.

    Raises:
        UnreadableFile: If it cannot be read or decoded; the message names the line.
        InvalidConfig: If there is no such encoding.
    """
    return decode(read_bytes(path), display_name(path), encoding)


def decode(content: bytes, name: str, encoding: str | None = None) -> str:
    """Bytes as text, without a byte order mark.

    Args:
        content: The bytes.
        name: What to call them in messages.
        encoding: Their encoding; None as for ``encoding_of``.

    Raises:
        UnreadableFile: If they cannot be decoded; the message names the line.
        InvalidConfig: If there is no such encoding.
    """
    chosen = encoding_of(content, name, encoding)
    try:
        return content.decode(chosen).removeprefix("\ufeff")
    except UnicodeError as error:
        before = content[: error.start] if isinstance(error, UnicodeDecodeError) else b""
        raise undecodable(name, before.count(b"\n") + 1, error, chosen) from error


def encoding_of(beginning: bytes, name: str, encoding: str | None = None) -> str:
    """The encoding of a text: the one named, else UTF-32 or UTF-16 where the bytes show it, else UTF-8.

    Encodings of one byte a letter cannot be told from each other, so none of them is guessed.

    Args:
        beginning: The first bytes.
        name: What to call the text in messages.
        encoding: Its encoding, where somebody named it.

    Raises:
        UnreadableFile: If it is no text but the file of a spreadsheet or the like.
        InvalidConfig: If there is no such encoding.
    """
    for mark, suffix in CONTAINERS:
        if beginning.startswith(mark):
            raise UnreadableFile(f"{name} is not text but a {suffix} file; give it that ending, or save it as CSV")
    if encoding is not None:
        return checked_encoding(encoding)
    return marked_encoding(beginning) or _unmarked(beginning[:_SAMPLE]) or UTF8


def marked_encoding(beginning: bytes) -> str | None:
    """UTF-32 or UTF-16, where a byte order mark says so."""
    return next((encoding for mark, encoding in _MARKS if beginning.startswith(mark)), None)


def checked_encoding(encoding: str) -> str:
    """The encoding, if Python knows it; UTF-8 with or without a mark.

    Raises:
        InvalidConfig: If there is none of that name.
    """
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        return UTF8 if codecs.lookup(encoding).name == "utf-8" else encoding
    except (LookupError, ValueError) as error:
        raise InvalidConfig(
            f"there is no encoding called {encoding!r}; common ones are utf-8, utf-16, cp1252"
        ) from error


OR_ENCODING = (
    ", or name its encoding with --encoding (encoding in Python): cp1252 for Western European Windows, latin-1, "
    "cp1251, shift_jis, gbk, ..."
)
"""What else than saving a file anew helps, where there are options."""


def undecodable(name: str, line: int, error: UnicodeError, encoding: str) -> UnreadableFile:
    """What to say of bytes that are not in their encoding; some encodings do not say at which byte that shows."""
    wrong = f", line {line}: byte 0x{error.object[error.start]:02x}" if isinstance(error, UnicodeDecodeError) else ""
    spoken = "UTF-8" if encoding == UTF8 else encoding
    return UnreadableFile(f"{name}{wrong} is not {spoken}; save the file as UTF-8{OR_ENCODING}")


def _unmarked(sample: bytes) -> str | None:
    """UTF-16 without a mark, where every other byte is mostly zero, as in text that is mostly Latin."""
    pairs = len(sample) // 2
    if pairs < 2:
        return None
    even, odd = sample[0 : 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
    if odd > pairs / 2 and not even:
        return "utf-16-le"
    return "utf-16-be" if even > pairs / 2 and not odd else None


def read_as(path: Path, reading: Callable[[Values], T]) -> T:
    """What is made of the values of a .toml or .json file.

    Args:
        path: The file.
        reading: Makes it; the errors that it raises are given the file and the line.

    Raises:
        UnreadableFile: If it is absent, of another kind, or cannot be parsed; the message names the line.
        InvalidConfig: If ``reading`` raises it.
    """
    parsers = {".toml": _parse_toml, ".json": _parse_json}
    if path.suffix.lower() not in parsers:
        raise UnreadableFile(f"{path}: parameters are read from {' and '.join(parsers)} files")
    text = read_text(path)
    values = parsers[path.suffix.lower()](path, text)
    try:
        return reading(values)
    except InvalidConfig as error:
        line = line_of(error.key, text)
        raise InvalidConfig(f"{path}{f', line {line}' if line else ''}: {error}", key=error.key) from error


def _parse_toml(path: Path, text: str) -> Values:
    import tomllib  # few text files are TOML

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFile(f"{path}: not valid TOML: {error}") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path}: TOML that cannot be read ({error})") from error


def _parse_json(path: Path, text: str) -> Values:
    try:
        values = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise UnreadableFile(
            f"{path}, line {error.lineno}: not valid JSON ({error.msg} at column {error.colno})"
        ) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path}: JSON that cannot be read ({error})") from error
    if not isinstance(values, dict):
        raise UnreadableFile(f"{path}: expected an object of parameters, {{...}}")
    return values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without repeated keys: TOML refuses them itself, JSON would keep the last."""
    mapping: dict[str, Any] = {}
    for name, value in pairs:
        if name in mapping:
            raise ValueError(f"{name} is there twice")
        mapping[name] = value
    return mapping


def line_of(key: str, text: str) -> int | None:
    """The line of a parameter, from 1; None where the text does not set it.

    Neither parser keeps the lines of keys, so the section is searched for, then the name after it.
    """
    uncommented = "\n".join("" if line.lstrip().startswith("#") else line for line in text.split("\n"))
    *sections, name = key.split(".")
    start = 0
    for section in sections:
        match = _named(section).search(uncommented, start)
        start = match.start(1) if match else start
    match = _named(name).search(uncommented, start) or _named(name).search(uncommented)
    return uncommented.count("\n", 0, match.start(1)) + 1 if match and name else None


def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])({re.escape(name)})[\"']?\s*[\].=:]")
