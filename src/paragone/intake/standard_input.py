"""Standard input and pipes as files: copies whose ending is that of the format that their content shows."""

import atexit
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from paragone.errors import InvalidConfig, UnreadableFile
from paragone.intake.text_file import CONTAINERS, COPY, encoding_of

STANDARD_INPUT = Path("-")
"""How a command line names it."""
_BEGINNING = 1 << 20
_PACKED = {b"\x1f\x8b": "zcat", b"BZh": "bzcat", b"\xfd7zXZ": "xzcat", b"\x28\xb5\x2f\xfd": "zstdcat"}
"""Programs that unpack what begins with these bytes."""


def table_ending(text: str) -> str:  # noqa: ARG001 - as for texts that may be something else
    """The ending of text that is a table if it is not JSON."""
    return ".csv"


def readable(file: Path, ending: Callable[[str], str] = table_ending) -> Path:
    """A file as it is; of ``-`` and of a pipe, such as a shell's ``<(zcat FILE)``, a copy that is deleted at the end.

    Args:
        file: The file.
        ending: The ending of a text that is not JSON, by its beginning.

    Raises:
        InvalidConfig: If standard input is a terminal.
        UnreadableFile: If it is empty, or packed.
    """
    if file == STANDARD_INPUT:
        if sys.stdin.isatty():
            raise InvalidConfig("- is standard input, which is this terminal: pipe a file into it, or name one instead")
        return _copied(sys.stdin.buffer, "standard input", "stdin", ending)
    if not file.is_fifo():
        return file
    with file.open("rb") as pipe:
        return _copied(pipe, str(file), "pipe", ending)


def _copied(source: BinaryIO, title: str, name: str, of_text: Callable[[str], str]) -> Path:
    folder = TemporaryDirectory(prefix=COPY)
    atexit.register(folder.cleanup)
    copy = Path(folder.name, name)
    with copy.open("w+b") as file:
        shutil.copyfileobj(source, file)
        file.seek(0)
        beginning = file.read(_BEGINNING)
    return copy.rename(copy.with_suffix(_ending(beginning, title, of_text)))


def _ending(beginning: bytes, title: str, of_text: Callable[[str], str]) -> str:
    unpack = next((program for mark, program in _PACKED.items() if beginning.startswith(mark)), None)
    if unpack is not None:
        raise UnreadableFile(f"{title} is packed; unpack it first: {unpack} FILE | paragone ...")
    for mark, container in CONTAINERS:
        if beginning.startswith(mark):
            return container
    text = beginning.decode(encoding_of(beginning, title), "replace").lstrip("\ufeff").lstrip()
    if not text:
        raise UnreadableFile(f"{title} is empty: pipe a file into it, or name one instead")
    return ".json" if text.startswith("[") else _of_objects(text) if text.startswith("{") else of_text(text)


def _of_objects(text: str) -> str:
    """Whether objects stand on lines of their own, or are parts of a single one."""
    line, _, rest = text.partition("\n")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return ".json"
    return ".jsonl" if rest.strip() or not any(isinstance(each, list | dict) for each in first.values()) else ".json"
