"""Parses one file into what the index holds of it, and finds the decision records among files."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from paragone.errors import InvalidConfig
from paragone.memory.index.file_reader import FileReader, SourceText, gitignore, regular_expressions, source_text
from paragone.memory.index.generated import generated
from paragone.memory.index.languages import language_of, markdown_headings
from paragone.memory.index.scan import FileStat
from paragone.memory.index.symbols import SymbolEntry, symbols_of
from paragone.memory.index.tokens import block_tokens
from paragone.memory.index.units import Unit, units_of
from paragone.memory.store.config import IndexConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A part of a file that has one vector.

    Attributes:
        hash: SHA-256 of the text, in hexadecimal: the vector's id. The same text elsewhere has the same.
        path: The file.
        start: Its first line, from 1.
        end: Its last line. A line that is longer than a chunk is several chunks, all with that start and end.
        text: Its text.
    """

    hash: str
    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A decision record.

    Attributes:
        id: Such as ``ADR-027``.
        path: The file.
        title: Its first heading.
        cites: Ids of the other records that it names, each once, in order.
    """

    id: str
    path: str
    title: str
    cites: tuple[str, ...] = ()


_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|@)")
"""A line above a definition that belongs to it."""
_SHORTEST_PART = 4
"""A chunk may be cut short at a better place if it keeps this part of the limit."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text cut into chunks, and its number of tokens."""

    chunks: tuple[Chunk, ...]
    tokens: int

    def head(self) -> "Cut":
        """The first chunk alone."""
        return replace(self, chunks=self.chunks[:1])


@dataclass(frozen=True, slots=True)
class _Block:
    """A line with the blank lines after it.

    Attributes:
        row: Its first line, from 0.
        rank: 2 at the start of a definition, 1 at that of a paragraph, else 0.
    """

    row: int
    tokens: int
    rank: int


def cut(path: str, text: str, symbols: Sequence[SymbolEntry], *, limit: int) -> Cut:
    r"""The chunks of a text. They do not overlap, and leave out only blank lines.

    Args:
        path: Of the file.
        text: Its text with ``\n`` line ends.
        symbols: Its symbols.
        limit: Maximum number of tokens of a chunk.
    """
    lines = text.split("\n")
    blocks = list(_blocks(text, {_top(lines, symbol) for symbol in symbols}))
    chunks: list[Chunk] = []
    for some, after in _groups(blocks, limit):
        first, last = some[0].row, (after.row if after else len(lines)) - 1
        chunks.extend(_chunks(path, lines, first, last, -(-sum(block.tokens for block in some) // limit)))
    return Cut(tuple(chunks), sum(block.tokens for block in blocks))


def _blocks(text: str, tops: set[int]) -> Iterator[_Block]:
    row, blank = 0, True
    for count, tokens in block_tokens(text):
        yield _Block(row, tokens, 2 if row in tops else int(blank))
        row, blank = row + count, count > 1


def _top(lines: Sequence[str], symbol: SymbolEntry) -> int:
    """The first row of a symbol, from 0, including the comments right above it."""
    row = symbol.start - 1
    while symbol.kind != "heading" and row > 0 and _COMMENT.match(lines[row - 1]):
        row -= 1
    return row


def _groups(blocks: Sequence[_Block], limit: int) -> Iterator[tuple[Sequence[_Block], _Block | None]]:
    """The blocks of each chunk, with the block after them."""
    start = at = tokens = 0
    while at < len(blocks):
        block = blocks[at]
        full = at > start and tokens + block.tokens > limit
        if not full and not (block.rank == 2 and 2 * tokens >= limit):
            tokens, at = tokens + block.tokens, at + 1
            continue
        at = _best(blocks, start, at, limit) if full else at
        yield blocks[start:at], blocks[at]
        start, tokens = at, 0
    if start < len(blocks):
        yield blocks[start:], None


def _best(blocks: Sequence[_Block], start: int, end: int, limit: int) -> int:
    """Where to end a full chunk: at the last of the best places that leave it long enough."""
    best, tokens = end, 0
    for at in range(start + 1, end + 1):
        tokens += blocks[at - 1].tokens
        if _SHORTEST_PART * tokens >= limit and blocks[at].rank >= blocks[best].rank:
            best = at
    return best


def _chunks(path: str, lines: Sequence[str], first: int, last: int, parts: int) -> Iterator[Chunk]:
    """The chunk of some rows without blank ones at its ends; several if a single line is too long for one."""
    while last > first and not lines[last].strip():
        last -= 1
    while first < last and not lines[first].strip():
        first += 1
    text = "\n".join(lines[first : last + 1])
    if not text.strip():
        return
    length = -(-len(text) // parts) if first == last else len(text)
    for at in range(0, len(text), length):
        part = text[at : at + length]
        yield Chunk(hash=hashlib.sha256(part.encode()).hexdigest(), path=path, start=first + 1, end=last + 1, text=part)


_PARTS = re.compile(r"^(.*?)[-_ ]*(\d+)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Record:
    """A decision record as its file shows it; the records it names need not exist."""

    id: str
    title: str
    names: tuple[str, ...]


class DecisionFinder:
    """Finds decision records by the patterns of a configuration.

    Raises:
        InvalidConfig: If the expression for ids is invalid.
        MissingExtra: If google-re2 is not installed.
    """

    def __init__(self, config: IndexConfig) -> None:
        self._files = gitignore(config.decisions)
        self._id = _expression(config.decision_id)

    def record(self, path: str, text: str) -> Record | None:
        """The record in a file; None if it is not one, or has no id."""
        if not self._files.match_file(path):
            return None
        title = next((heading.title for heading in markdown_headings(text)), PurePosixPath(path).stem)
        match = self._id.search(PurePosixPath(path).name) or self._id.search(title)
        if match is None:
            return None
        bare = _group(match).isdigit()
        numbered = _expression(r"(?i)\b(ADR[-_ ]?\d+)\b") if bare else self._id
        names = dict.fromkeys(record_id(_group(other)) for other in numbered.finditer(text))
        own = record_id(_group(match))
        return Record(own, title, tuple(name for name in names if name != own))


def decisions_of(rows: Iterable[tuple[str, Record]]) -> list[Decision]:
    """Decision records, by path; they cite only records that exist."""
    rows = list(rows)
    ids_by_key = {_key(record.id): record.id for _, record in reversed(rows)}
    return [
        Decision(id=record.id, path=path, title=record.title, cites=_known(record, ids_by_key)) for path, record in rows
    ]


def record_id(text: str) -> str:
    """The id that a text such as ``adr27``, ``ADR 27`` or ``27`` stands for: ``ADR-27``. Zeros stay."""
    parts = _PARTS.match(text.strip())
    return f"{(parts[1] or 'ADR').upper()}-{parts[2]}" if parts else text.strip().upper()


def is_same_id(first: str, other: str) -> bool:
    """Whether two texts stand for one id, as ``ADR-007``, ``adr7`` and ``7`` do."""
    return _key(record_id(first)) == _key(record_id(other))


def _known(record: Record, ids_by_key: Mapping[tuple[str, int], str]) -> tuple[str, ...]:
    ids = dict.fromkeys(ids_by_key[key] for name in record.names if (key := _key(name)) in ids_by_key)
    return tuple(id for id in ids if id != record.id)


def _key(id: str) -> tuple[str, int]:
    """What two spellings of one id have in common: ``ADR-7`` is ``ADR-007``."""
    word, _, number = id.rpartition("-")
    return (word, int(number)) if number.isdigit() else (id, -1)


def _group(match: Any) -> str:  # noqa: ANN401 - re2 has no types
    return str(next((group for group in match.groups() if group), match.group()))


def _expression(text: str) -> Any:  # noqa: ANN401 - re2 has no types
    re2 = regular_expressions()
    try:
        return re2.compile(text)
    except re2.error as error:
        raise InvalidConfig(
            f"index.decision_id {text!r} is not a valid expression: {error}", key="index.decision_id"
        ) from error


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file that may be indexed, as it was read."""

    stat: FileStat
    source: SourceText
    size: int
    language: str
    symbols: tuple[SymbolEntry, ...]
    cut: Cut
    record: Record | None
    units: tuple[Unit, ...]
    generated: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that is not indexed because of its content; ``lasting`` if it need not be read again before it changes."""

    stat: FileStat
    why: str
    lasting: bool = True


@dataclass(frozen=True, slots=True)
class Same:
    """A file whose status changed, but not its content."""

    stat: FileStat


ParseResult = Parsed | Refused | Same


class FileParser:
    """Reads and parses files by one configuration."""

    def __init__(self, reader: FileReader, config: IndexConfig) -> None:
        self._reader, self._config = reader, config
        self._decisions = DecisionFinder(config)

    def parse(self, stat: FileStat, sha256: str | None) -> ParseResult:
        """Read a file, and parse it unless its content has the known hash."""
        read = self._read(stat)
        if isinstance(read, Refused):
            return read
        source, size = read
        return Same(stat) if source.sha256 == sha256 else self._parsed(stat, source, size)

    def _read(self, stat: FileStat) -> tuple[SourceText, int] | Refused:
        try:
            data = self._reader.data(stat.path)
        except FileNotFoundError:
            return Refused(stat, "it was deleted while it was being read", lasting=False)
        except OSError as error:
            return Refused(stat, f"it cannot be read: {error.strerror or error}", lasting=False)
        try:
            return source_text(stat.path, data), len(data)
        except ValueError as error:
            return Refused(stat, str(error))

    def _parsed(self, stat: FileStat, source: SourceText, size: int) -> Parsed:
        symbols = symbols_of(source.path, source.text)
        kind = generated(source.path, source.text)
        pieces = cut(source.path, source.text, symbols, limit=self._config.chunk_tokens)
        return Parsed(
            stat=stat,
            source=source,
            size=size,
            language=language_of(source.path),
            symbols=tuple(symbols),
            # What a program wrote is recognized by its name and its head; the rest would fill index and results.
            cut=pieces if self._config.generated or not kind else pieces.head(),
            record=self._decisions.record(source.path, source.text),
            units=tuple(units_of(source.path, source.text, symbols)),
            generated=kind,
        )
