"""Items from files, folders and Python values, checked to be fit for ranking."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from paragone.domain import Item
from paragone.errors import InvalidItems, ParagoneError, UnknownColumn, UnreadableFile
from paragone.intake.table import InputTable, as_text, is_frame, is_missing, is_written_missing
from paragone.intake.table_files import READERS, parse_delimited, read_table, sniff, tabulate
from paragone.intake.text_file import decode, display_name, marked_encoding, read_bytes, read_text

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
    paths = ((path.relative_to(folder).as_posix(), path) for path in _files(folder))
    contents = ((id, path, _content(path)) for id, path in sorted(paths))
    return tuple(
        Item(id=id, text=decode(content, str(path), encoding).strip())
        for id, path, content in contents
        if not is_binary(content)
    )


def _files(folder: Path) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        raise UnreadableFile(f"{error.filename} cannot be read: {error.strerror or error}") from error

    for parent, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        candidates = (Path(parent, name) for name in files if not name.startswith("."))
        yield from (path for path in candidates if path.is_file())


def _content(path: Path) -> bytes:
    size = path.stat().st_size
    if size > _BYTES_A_CHARACTER * MAX_TEXT:
        raise InvalidItems(f"{path} has {size:,} bytes; an item has at most {MAX_TEXT:,} characters")
    return read_bytes(path)


def is_binary(content: bytes) -> bool:
    """Whether the beginning holds control bytes that no ASCII-compatible text has, and no byte order mark."""
    return marked_encoding(content) is None and bool(content[:_HEAD].translate(None, _TEXT_BYTES))


MAX_TEXT = 1_000_000
"""Longest text of an item, in characters."""

MAX_ID = 200
"""Longest id of an item, in characters."""

_SHOWN = 5
_FEWEST = {1: "give at least one", 2: "a ranking needs at least two"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def checked(
    items: Sequence[Item], origins: Sequence[str], *, source: str, without_texts: bool = False, fewest: int = 2
) -> tuple[Item, ...]:
    """Check that items can be ranked.

    Args:
        items: Candidates.
        origins: The position of each, for messages; as long as ``items``.
        source: Where they come from, for messages.
        without_texts: Whether items without a text are let through, for ``lacking`` to find.
        fewest: How many there must be: 1 if they join others.

    Raises:
        InvalidItems: If there are fewer, two share an id, or one has no text, no id, too much of either, or
            characters that are not text.
    """
    for item, origin in zip(items, origins, strict=True):
        if without_texts and not item.text.strip():
            _check_id(item.id, origin)
        else:
            check_item(item, origin)
    _check_duplicates(items, origins, source)
    if len(items) < fewest:
        count = "one item" if items else "no items"
        raise InvalidItems(f"{source}: {count}; {_FEWEST[fewest]}")
    return tuple(items)


def check_item(item: Item, origin: str) -> None:
    """Refuse an item that is invalid on its own.

    Args:
        item: A candidate.
        origin: Its position, for messages.

    Raises:
        InvalidItems: If it has no text, no id, too much of either, or characters that are not text.
    """
    _check_id(item.id, origin)
    _check_text(item, origin)


def lacking(text: str) -> tuple[str, ...]:
    """What a text lacks, in words: the text, or its end where it was cut off; nothing if it seems complete.

    It seems cut off if it ends in an ellipsis, a comma, a colon, a semicolon, a dash or an opening bracket, in a mark
    such as ``[truncated]``, or in an English word that a sentence cannot end with.
    """
    if not text.strip() or is_written_missing(text):
        return ("text",)
    return ("the end of the text",) if _CUT_OFF.search(text.rstrip()) else ()


_CUT_OFF = re.compile(
    r"(?:\.\.\.|[…,;:(\[{–—-]|[\[(](?i:truncated|cut(?: off)?|continued)[^\])]*[\])]"
    r"|(?:\A|\s)(?:and|because|between|from|into|of|or|than|the|their|which|whose|with))\Z"
)
"""Words in small letters only, and none that is a name as well: "vitamin A" and "hypothesis a" are complete."""


def identical_texts(items: Iterable[Item]) -> tuple[tuple[str, ...], ...]:
    """Groups of ids that share one text, in the order of first appearance; such items can only tie."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        groups[item.text].append(item.id)
    return tuple(tuple(ids) for ids in groups.values() if len(ids) > 1)


def _check_id(id: str, origin: str) -> None:
    if not id or is_written_missing(id):
        raise InvalidItems(f"{origin}: the id is missing")
    if len(id) > MAX_ID:
        raise InvalidItems(f"{origin}: the id {id[:40]!r}... has {len(id):,} characters; the limit is {MAX_ID}")
    if _CONTROL.search(id) or _SURROGATE.search(id):
        raise InvalidItems(f"{origin}: the id {id!r} holds a control character; remove it")


def _check_text(item: Item, origin: str) -> None:
    text = item.text
    if not text.strip():
        raise InvalidItems(f"{origin}: item {item.id!r} has no text")
    if is_written_missing(text):
        raise InvalidItems(f"{origin}: the text of item {item.id!r} is {text!r}, which stands for a missing value")
    if len(text) > MAX_TEXT:
        raise InvalidItems(f"{origin}: item {item.id!r} has {len(text):,} characters; the limit is {MAX_TEXT:,}")
    if "\0" in text:
        raise InvalidItems(f"{origin}: the text of item {item.id!r} holds a NUL character; is it text at all?")
    if _SURROGATE.search(text):
        raise InvalidItems(f"{origin}: the text of item {item.id!r} holds half a character (a lone surrogate)")


def _check_duplicates(items: Sequence[Item], origins: Sequence[str], source: str) -> None:
    origins_by_id: defaultdict[str, list[str]] = defaultdict(list)
    for item, origin in zip(items, origins, strict=True):
        origins_by_id[item.id].append(origin.removeprefix(f"{source}, "))
    twice = {id: where for id, where in origins_by_id.items() if len(where) > 1}
    if twice:
        examples = "; ".join(f"{id!r} ({', '.join(where[:_SHOWN])})" for id, where in list(twice.items())[:_SHOWN])
        more = f" and {len(twice) - _SHOWN} more" if len(twice) > _SHOWN else ""
        raise InvalidItems(f"{source}: the same id more than once: {examples}{more}; give each item an id of its own")


ID_NAMES = ("id", "item_id", "item", "key", "identifier", "name")
"""Columns taken for the id, the proper name first."""

TEXT_NAMES = ("text", "hypothesis", "content", "title", "body", "statement", "description", "abstract")
"""Columns taken for the text, the proper name first."""

OUTPUT_NAMES = ("output", "response", "answer", "completion", "prediction", "generation")
"""Columns of what a model said, taken for the text where there is none of that name."""

ID_OPTION = "id_column in Python, --id-column on the command line"
"""What a message calls the option for the column of ids."""
TEXT_OPTION = "text_column in Python, --text-column on the command line"
"""What a message calls the option for the column of texts."""
_ID_AND_TEXT = 2
_OWN_ID = 80
_SLUG = 40
_NAME = "items"


def read_items(
    path: str | Path,
    *,
    id_column: str | None = None,
    text_column: str | None = None,
    encoding: str | None = None,
    without_texts: bool = False,
    fewest: int = 2,
) -> tuple[Item, ...]:
    """Items from a file or a folder, in their order there.

    A .txt file holds one item a line; blank lines are left out and `id_of` makes the ids. A table (.csv, .tsv, .jsonl,
    .json, .parquet, .xlsx) holds ids and texts in columns that are found by name or named. A folder holds one item a
    text file, hidden and binary ones left out, with its path below the folder as id, sorted.

    Args:
        path: The file or folder.
        id_column: The column of ids, where its name does not tell.
        text_column: The column of texts, where its name does not tell.
        encoding: Of text; None takes UTF-8, and UTF-16 and UTF-32 that show themselves.
        without_texts: Whether rows that have an id and no text become items with an empty text.
        fewest: How many there must be: 1 if they join others.

    Raises:
        UnreadableFile: If it cannot be read; the message names the line.
        UnknownColumn: If a column is absent or cannot be told from others.
        InvalidItems: If the items cannot be ranked.
        MissingExtra: If what reads its kind is not installed.
    """
    path = Path(path)
    if path.is_dir() or path.suffix.lower() == ".txt":
        _refuse_columns(path, id_column, text_column)
        return _folder(path, encoding, fewest) if path.is_dir() else _lines(path, encoding, fewest)
    if path.suffix.lower() not in READERS:
        endings = ", ".join((".txt", *READERS))
        raise UnreadableFile(
            f"{path}: {path.suffix or 'no extension'} is not known; give {endings}, or a folder of text files"
            if path.exists()
            else f"{path}: no such file or folder"
        )
    table = read_table(path, encoding)
    return table_items(table, id_column=id_column, text_column=text_column, without_texts=without_texts, fewest=fewest)


def as_items(
    source: object,
    *,
    id_column: str | None = None,
    text_column: str | None = None,
    without_texts: bool = False,
    fewest: int = 2,
) -> tuple[Item, ...]:
    """Items from the values that a Python caller has.

    Args:
        source: A path; a collection of texts, of items or of mappings with an id and a text; a mapping from id to
            text, or from the name of a column to its cells; or a pandas, polars or pyarrow frame.
        id_column: The key or column of ids, where its name does not tell.
        text_column: The key or column of texts, where its name does not tell.
        without_texts: Whether what has an id and no text becomes an item with an empty text.
        fewest: How many there must be: 1 if they join others.

    Raises:
        InvalidItems: If the items cannot be ranked, or ``source`` is none of these.
        UnknownColumn: If a column is absent or cannot be told from others.
        UnreadableFile: If a file cannot be read.
    """
    if isinstance(source, str | Path):
        return read_items(
            source, id_column=id_column, text_column=text_column, without_texts=without_texts, fewest=fewest
        )
    if isinstance(source, Mapping) and not _holds_columns(source):
        return _mapping(source, without_texts=without_texts, fewest=fewest)
    as_table = partial(
        table_items, id_column=id_column, text_column=text_column, without_texts=without_texts, fewest=fewest
    )
    if is_frame(source) or isinstance(source, Mapping):
        return as_table(tabulate(source, name=f"the {type(source).__name__}"))
    if not isinstance(source, Iterable):
        raise InvalidItems(
            f"items are a path, texts, mappings with id and text, a mapping id to text, or a data frame, "
            f"not {type(source).__name__}"
        )
    entries = list(source)
    if entries and all(isinstance(entry, Mapping) for entry in entries):
        return as_table(tabulate(entries, name=_NAME))
    items = [_entry(entry, number) for number, entry in enumerate(entries, 1)]
    origins = [f"{_NAME}, entry {number}" for number in range(1, len(items) + 1)]
    return checked(items, origins, source=_NAME, without_texts=without_texts, fewest=fewest)


def table_items(
    table: InputTable,
    *,
    id_column: str | None = None,
    text_column: str | None = None,
    without_texts: bool = False,
    fewest: int = 2,
) -> tuple[Item, ...]:
    """Items from the rows of a table.

    A table of one column holds texts, whatever its name, and `id_of` makes the ids. Where the table is delimited text,
    that name must be one that is known or named: otherwise the first item might be taken for a header, and be lost.
    Of two columns of another table, one of ids, the other holds the texts, whatever its name.

    Raises:
        UnknownColumn: If a column is absent or cannot be told from others.
        InvalidItems: If the items cannot be ranked.
    """
    origins = [table.where(index) for index in range(len(table.rows))]
    if not table.rows:
        raise InvalidItems(f"{table.name}: no items; {_FEWEST[fewest]}")
    id_at, text_at = item_columns(table, id_column, text_column)
    may_lack = without_texts and id_at is not None
    ids: Sequence[str | None] = [None] * len(origins)
    if id_at is not None:
        ids = [_cell(cell, "id", origin) for cell, origin in zip(table.cells(id_at), origins, strict=True)]
    cells = zip(table.cells(text_at), ids, origins, strict=True)
    texts = ["" if may_lack and _is_absent(cell) else _cell(cell, "text", origin, id) for cell, id, origin in cells]
    items = [Item(id=id_of(text) if id is None else id, text=text) for id, text in zip(ids, texts, strict=True)]
    return checked(items, origins, source=table.name, without_texts=without_texts, fewest=fewest)


def item_columns(
    table: InputTable, id_column: str | None = None, text_column: str | None = None
) -> tuple[int | None, int]:
    """Where the ids and the texts of items stand in a table; None for ids that are made of the texts.

    Raises:
        UnknownColumn: If a column is absent or cannot be told from others.
    """
    if text_column is None and len(table.columns) == _ID_AND_TEXT and not table.delimited:
        id_at = table.named(id_column, "id_column") if id_column else table.found(ID_NAMES, option=ID_OPTION)
        if id_at is not None:
            return id_at, 1 - id_at
    text_at = _text_column(table, text_column)
    return _id_column(table, id_column), text_at


def is_headed(text: str) -> bool:
    """Whether the first line of a text names columns for the id and the text, or is ``text``: it is a table then."""
    head = text.lstrip().partition("\n")[0].strip()
    if head.casefold() == TEXT_NAMES[0]:
        return True
    try:
        id_at, _ = item_columns(parse_delimited(f"{head}\n", name=_NAME, delimiter=sniff(head)))
    except ParagoneError:
        return False
    return id_at is not None


def item_ending(text: str) -> str:
    """The ending of a file of items that begins with this text: a table, or one item a line."""
    return ".csv" if is_headed(text) else ".txt"


def id_of(text: str) -> str:
    """An id for a text without one. It depends on the text alone, so it survives sorting and additions.

    A text of at most 80 characters is its own id. A longer one is named by its first words and the beginning of its
    SHA-256, such as ``sparse-attention-lets-3fa9c1d2``.
    """
    line = " ".join(text.split())
    if len(line) <= _OWN_ID:
        return line
    words = re.sub(r"\W+", "-", line[: _SLUG + 1].rsplit(" ", 1)[0][:_SLUG].lower()).strip("-")
    return f"{words or 'item'}-{Item(id='', text=text).content_hash[:8]}"


def _refuse_columns(path: Path, *columns: str | None) -> None:
    column_name = next((column for column in columns if column is not None), None)
    if column_name is not None:
        raise UnknownColumn(f"{path} has no columns, so none can be called {column_name!r}; leave the option out")


def _lines(path: Path, encoding: str | None, fewest: int) -> tuple[Item, ...]:
    text = read_text(path, encoding)
    return line_items(text, display_name(path), fewest)


def line_items(text: str, source: str, fewest: int = 2) -> tuple[Item, ...]:
    """Items of a text, one a line; blank lines are left out.

    Args:
        text: The text.
        source: Where it comes from, for messages.
        fewest: How many there must be.

    Raises:
        InvalidItems: If the items cannot be ranked.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    items = [Item(id=id_of(line), text=line) for _, line in lines]
    return checked(items, [f"{source}, line {number}" for number, _ in lines], source=source, fewest=fewest)


def _folder(path: Path, encoding: str | None, fewest: int) -> tuple[Item, ...]:
    items = folder_items(path, encoding)
    return checked(items, [str(path / item.id) for item in items], source=str(path), fewest=fewest)


def _holds_columns(source: Mapping[object, object]) -> bool:
    """Whether a mapping is from the name of a column to its cells, as a batch of a dataset is."""
    names = {str(name).casefold() for name in source}
    return all(isinstance(cells, list | tuple) for cells in source.values()) and not names.isdisjoint(
        (*TEXT_NAMES, *OUTPUT_NAMES)
    )


def _mapping(texts: Mapping[object, object], *, without_texts: bool, fewest: int) -> tuple[Item, ...]:
    origins = [f"{_NAME}, entry {key!r}" for key in texts]
    pairs = zip(texts.items(), origins, strict=True)
    items = [
        Item(
            id=_cell(id, "id", origin),
            text="" if without_texts and _is_absent(text) else _cell(text, "text", origin),
        )
        for (id, text), origin in pairs
    ]
    return checked(items, origins, source=_NAME, without_texts=without_texts, fewest=fewest)


def _entry(entry: object, number: int) -> Item:
    if isinstance(entry, Item):
        return entry
    if isinstance(entry, str):
        text = entry.strip()
        return Item(id=id_of(text), text=text)
    kind = "a mapping among other things" if isinstance(entry, Mapping) else type(entry).__name__
    raise InvalidItems(f"{_NAME}, entry {number}: expected a text or an Item, not {kind}")


def _is_absent(value: object) -> bool:
    return is_missing(value) or (isinstance(value, str) and (not value.strip() or is_written_missing(value)))


def _cell(value: object, column: str, origin: str, id: str | None = None) -> str:
    """A cell as text, of the item ``id`` where there is a column of ids."""
    text = None if is_missing(value) else as_text(value)
    if text is None:
        of = "" if id is None else f" of item {id!r}"
        problem = "missing" if is_missing(value) else f"{type(value).__name__}; expected text"
        raise InvalidItems(f"{origin}: the {column}{of} is {problem}")
    return text


def _text_column(table: InputTable, name: str | None) -> int:
    if name is not None:
        return table.named(name, "text_column")
    if len(table.columns) == 1:
        _refuse_an_item_as_header(table)
        return 0
    column = table.found(TEXT_NAMES, option=TEXT_OPTION)
    if column is None:
        column = table.found(OUTPUT_NAMES, option=TEXT_OPTION)
    return _required(table, column, "text", (*TEXT_NAMES, *OUTPUT_NAMES), TEXT_OPTION)


def _refuse_an_item_as_header(table: InputTable) -> None:
    """A file of one column may begin with a header or with its first item; nothing but a known name tells."""
    first = table.columns[0]
    if table.delimited and first.casefold() not in (*TEXT_NAMES, *ID_NAMES):
        raise UnknownColumn(
            f"{table.name} has one column; its first line, {_shortened(first)!r}, may be its name or its first item: "
            f"if it is its name, give that as {TEXT_OPTION}; if it is an item, put a line 'text' above it"
        )


def _shortened(text: str) -> str:
    return text if len(text) <= _OWN_ID else f"{text[:_OWN_ID]}..."


def _id_column(table: InputTable, name: str | None) -> int | None:
    if name is not None:
        return table.named(name, "id_column")
    if len(table.columns) == 1:
        return None
    return _required(table, table.found(ID_NAMES, option=ID_OPTION), "id", ID_NAMES, ID_OPTION)


def _required(table: InputTable, index: int | None, column: str, names: Sequence[str], option: str) -> int:
    if index is None:
        raise UnknownColumn(
            f"{table.name} has no column for the {column} ({', '.join(names)}); it has {table.listing()}. "
            f"Name one with {option}"
        )
    return index
