"""Items that a browser sends: pasted, or as a file whose size says nothing about what it holds once it is unpacked.

Texts grow no more than their bytes. A zip is unpacked up to a limit. Spreadsheets and Parquet are read by a process of
its own, whose memory and time are limited: a few kilobytes of either may stand for terabytes.
"""

import io
import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from paragone.domain import Item
from paragone.errors import InvalidItems, ParagoneError, UnreadableFile
from paragone.intake.images import images_among, is_named_image
from paragone.intake.items import (
    ID_OPTION,
    MAX_TEXT,
    TEXT_OPTION,
    checked,
    id_of,
    is_binary,
    is_headed,
    item_columns,
    line_items,
    table_items,
)
from paragone.intake.table_files import READERS, TEXTS, parse_delimited, read_table, sniff
from paragone.intake.text_file import OR_ENCODING, decode

MOST_ITEMS = 20_000
"""Items at the most: so many have a board by strength."""
MOST_LETTERS = 20_000_000
"""Characters of all texts at the most."""
MOST_FILES = 50_000
"""Files of a zip at the most."""
MEMORY = 1_500_000_000
"""Bytes that the process may take which reads a spreadsheet or Parquet."""
SECONDS = 30
"""Seconds of its processor."""
INTERPRETER = sys.executable
"""What runs a module in a process of its own."""
ENDINGS = (".txt", *READERS.built_in, ".zip")
"""Kinds of files that are read."""
_PASTED = "what was pasted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Understood:
    """What was understood of an upload.

    Attributes:
        items: The items.
        words: How they were read, in words.
        images: Images that came with them, by the names that texts use.
        remarks: What was left out, and why.
    """

    items: tuple[Item, ...]
    words: str
    images: Mapping[str, bytes] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def pasted_items(text: str, *, paragraphs: bool = False, fewest: int = 2) -> Understood:
    """Items of a text that was pasted.

    Args:
        text: One item a line; or a table, if its first line names columns for the id and the text, or is ``text``.
        paragraphs: Whether items are divided by blank lines instead.
        fewest: How many there must be: 1 if they join others.

    Raises:
        InvalidItems: If the items cannot be ranked.
        UnreadableFile: If a table is not whole.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if paragraphs:
        return _within(Understood(items=_paragraphs(text, fewest), words="paragraphs, divided by blank lines"))
    if is_headed(text):
        return _within(_table_of(text, fewest))
    return _within(Understood(items=line_items(text, _PASTED, fewest), words="one item a line"))


def uploaded_items(
    name: str, content: bytes, *, id_column: str = "", text_column: str = "", fewest: int = 2
) -> Understood:
    """Items of a file that was uploaded.

    Args:
        name: Its name; the ending says how to read it.
        content: Its bytes.
        id_column: The column of ids, where its name does not tell.
        text_column: The column of texts, where its name does not tell.
        fewest: How many there must be.

    Raises:
        UnreadableFile: If it cannot be read, or holds too much.
        UsageError: As ``read_items``.
    """
    name = PurePosixPath(name.replace("\\", "/")).name.replace("\0", "") or "the file"
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        raise UnreadableFile(f"{name}: {ending or 'no ending'} is not known; give {', '.join(ENDINGS)}")
    try:
        if ending == ".zip":
            return _within(_zipped(name, content, fewest))
        reading = _read if ending in TEXTS or ending == ".txt" else _read_apart
        return reading(name, content, id_column, text_column, fewest)
    except ParagoneError as error:
        raise type(error)(as_of_a_form(str(error))) from error


def _within(understood: Understood) -> Understood:
    count, letters = len(understood.items), sum(len(item.text) for item in understood.items)
    if count > MOST_ITEMS:
        raise InvalidItems(
            f"there are {count:,} items; at most {MOST_ITEMS:,} are taken here, more by the command line"
        )
    if letters > MOST_LETTERS:
        raise InvalidItems(f"the texts have {letters:,} characters together; at most {MOST_LETTERS:,} are taken here")
    return understood


def _paragraphs(text: str, fewest: int) -> tuple[Item, ...]:
    blocks: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip():
            blocks[-1].append(line.rstrip())
        elif blocks[-1]:
            blocks.append([])
    texts = ["\n".join(block) for block in blocks if block]
    items = [Item(id=id_of(block), text=block) for block in texts]
    origins = [f"{_PASTED}, paragraph {number}" for number in range(1, len(texts) + 1)]
    return checked(items, origins, source=_PASTED, fewest=fewest)


def _table_of(text: str, fewest: int) -> Understood:
    table = parse_delimited(text, name=_PASTED, delimiter=sniff(text.lstrip()))
    return Understood(
        items=table_items(table, fewest=fewest), words=_columns_in_words(table.columns, *item_columns(table))
    )


def _columns_in_words(columns: tuple[str, ...], id_at: int | None, text_at: int) -> str:
    unused = [name for at, name in enumerate(columns) if at not in (id_at, text_at)]
    ids = "ids made of the texts" if id_at is None else f"ids from {columns[id_at]!r}"
    rest = f"; not used: {', '.join(map(repr, unused))}" if unused else ""
    return f"a table: {ids}, texts from {columns[text_at]!r}{rest}"


def _read(name: str, content: bytes, id_column: str, text_column: str, fewest: int) -> Understood:
    """A file as the command line reads it; messages have its own name, not that of its copy."""
    with TemporaryDirectory(prefix="paragone-") as folder:
        path = Path(folder, "upload").with_suffix(Path(name).suffix.lower())
        path.write_bytes(content)
        try:
            if path.suffix == ".txt":
                return _within(
                    Understood(items=line_items(decode(content, name), name, fewest), words="one item a line")
                )
            table = read_table(path)
            ids, texts = id_column or None, text_column or None
            words = _columns_in_words(table.columns, *item_columns(table, ids, texts))
            items = table_items(table, id_column=ids, text_column=texts, fewest=fewest)
            return _within(Understood(items=items, words=words))
        except ParagoneError as error:
            raise type(error)(str(error).replace(str(path), name)) from error


def as_of_a_form(words: str) -> str:
    """A message in words for a form, which has other fields than the command line has options."""
    words = words.replace(ID_OPTION, "column of the ids").replace(TEXT_OPTION, "column of the texts")
    return words.replace(OR_ENCODING, " (in Excel: CSV UTF-8)")


def _read_apart(name: str, content: bytes, id_column: str, text_column: str, fewest: int) -> Understood:
    answer = answer_apart("paragone.intake.uploads", (name, id_column, text_column, str(fewest)), content, name)
    return Understood(items=tuple(Item(id=id, text=text) for id, text in answer["items"]), words=answer["words"])


def answer_apart(module: str, arguments: Sequence[str], content: bytes, name: str) -> dict[str, Any]:
    """What a module that runs in a process of its own makes of a file.

    Args:
        module: The module, whose ``main`` reads standard input and prints JSON.
        arguments: Its arguments.
        content: Its standard input.
        name: The name of the file, for messages.

    Raises:
        UnreadableFile: If it says what is wrong, or ended without an answer.
    """
    command = [INTERPRETER, "-m", module, *arguments]
    too_much = f"{name} holds more than can be read here, or is damaged; save it as CSV, or use the command line"
    try:
        reading = subprocess.run(command, input=content, capture_output=True, timeout=2 * SECONDS, check=False)  # noqa: S603
        answer: dict[str, Any] = json.loads(reading.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise UnreadableFile(too_much) from error
    if "problem" in answer:
        raise UnreadableFile(answer["problem"] or too_much)
    return answer


def main() -> None:
    """Read the file on standard input in a process of its own, and print what was understood."""
    limit_this_process()
    name, id_column, text_column, fewest = sys.argv[1:]
    try:
        understood = _read(name, sys.stdin.buffer.read(), id_column, text_column, int(fewest))
        values = {"words": understood.words, "items": [[item.id, item.text] for item in understood.items]}
    except ParagoneError as error:
        values = {"problem": str(error)}
    except MemoryError:
        values = {"problem": ""}
    sys.stdout.write(json.dumps(values))


def limit_this_process(largest_file: int | None = None) -> None:
    """Limit the memory and the time of this process, and the size of the files that it writes."""
    try:
        import resource
    except ImportError:  # Windows, where the time is limited alone
        return
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))


def _zipped(name: str, content: bytes, fewest: int) -> Understood:
    """The text files and images of a zip, as of a folder; a folder around all of them is left out of the ids."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = dict(_unpacked(name, archive))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        raise UnreadableFile(f"{name} is not a whole zip without a password ({error}); pack it again") from error
    texts = {id: data for id, data in files.items() if not is_binary(data) and not is_named_image(id)}
    around = _common_folder(list(texts))
    items = [Item(id=id.removeprefix(around), text=decode(texts[id], f"{name}, {id}").strip()) for id in sorted(texts)]
    images, problems = images_among({id.removeprefix(around): data for id, data in files.items()})
    left_out = len(files) - len(texts) - len(images)
    words = "a folder: one item a text file" + (f"; images: {len(images):,}" if images else "")
    words += f"; left out because not text: {left_out:,}" if left_out else ""
    origins = [f"{name}, {id}" for id in sorted(texts)]
    checked_items = checked(items, origins, source=name, fewest=fewest)
    return Understood(items=checked_items, words=words, images=images, remarks=tuple(problems))


def _unpacked(name: str, archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """The files of a zip, hidden ones left out. What an entry says of its size is not believed."""
    entries, rest = archive.infolist(), 4 * MOST_LETTERS
    if len(entries) > MOST_FILES:
        raise UnreadableFile(f"{name} holds {len(entries):,} files; at most {MOST_FILES:,} are read")
    for entry in entries:
        parts = PurePosixPath(entry.filename).parts
        hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
        if entry.is_dir() or hidden or not parts or not _is_regular(entry):
            continue
        if parts[0] == "/" or "\\" in entry.filename:
            raise UnreadableFile(f"{name} names a file outside of its folder: {entry.filename[:80]!r}")
        with archive.open(entry) as packed:
            data = packed.read(min(rest, 4 * MAX_TEXT) + 1)
        rest -= len(data)
        if rest < 0 or len(data) > 4 * MAX_TEXT:
            raise UnreadableFile(f"{name} holds more than can be read here once it is unpacked; split it")
        yield entry.filename, data


def _is_regular(entry: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    return kind in (0, stat.S_IFREG)


def _common_folder(names: list[str]) -> str:
    first = {name.partition("/")[0] for name in names}
    return f"{first.pop()}/" if len(first) == 1 and all("/" in name for name in names) else ""


if __name__ == "__main__":
    main()
