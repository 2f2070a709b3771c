"""Standard input as a file: it is copied to one, whose ending is that of the format that its content shows."""

import atexit
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

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
    """A file as it is; for ``-`` a copy of standard input, which is deleted when the process ends.

    Args:
        file: The file.
        ending: The ending of a text that is not JSON, by its beginning.

    Raises:
        InvalidConfig: If standard input is a terminal.
        UnreadableFile: If it is empty, or packed.
    """
    if file != STANDARD_INPUT:
        return file
    if sys.stdin.isatty():
        raise InvalidConfig("- is standard input, which is this terminal: pipe a file into it, or name one instead")
    folder = TemporaryDirectory(prefix=COPY)
    atexit.register(folder.cleanup)
    copy = Path(folder.name, "stdin")
    with copy.open("wb") as whole:
        shutil.copyfileobj(sys.stdin.buffer, whole)
    with copy.open("rb") as whole:
        beginning = whole.read(_BEGINNING)
    return copy.rename(copy.with_suffix(_ending(beginning, ending)))


def _ending(beginning: bytes, of_text: Callable[[str], str]) -> str:
    unpack = next((program for mark, program in _PACKED.items() if beginning.startswith(mark)), None)
    if unpack is not None:
        raise UnreadableFile(f"standard input is packed; unpack it first: {unpack} FILE | paragone ...")
    for mark, container in CONTAINERS:
        if beginning.startswith(mark):
            return container
    text = beginning.decode(encoding_of(beginning, "standard input"), "replace").lstrip("\ufeff").lstrip()
    if not text:
        raise UnreadableFile("standard input is empty: pipe a file into it, or name one instead")
    return ".json" if text.startswith("[") else _of_objects(text) if text.startswith("{") else of_text(text)


def _of_objects(text: str) -> str:
    """Whether objects stand on lines of their own, or are parts of a single one."""
    line, _, rest = text.partition("\n")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return ".json"
    return ".jsonl" if rest.strip() or not any(isinstance(each, list | dict) for each in first.values()) else ".json"
