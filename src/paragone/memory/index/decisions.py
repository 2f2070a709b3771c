"""Parses one file into what the index holds of it, and finds the decision records among files."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from paragone.errors import InvalidConfig
from paragone.memory.index.chunks import Cut, cut
from paragone.memory.index.entries import Decision, SourceText, SymbolEntry
from paragone.memory.index.file_reader import FileReader, gitignore, regular_expressions, source_text
from paragone.memory.index.languages import language_of, markdown_headings
from paragone.memory.index.scan import FileStat
from paragone.memory.index.symbols import symbols_of
from paragone.memory.store.config import IndexConfig

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
        raise InvalidConfig(f"index.decision_id {text!r} is no expression: {error}", key="index.decision_id") from error


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

    def __init__(self, reader: FileReader, decisions: DecisionFinder, *, chunk_tokens: int) -> None:
        self._reader = reader
        self._decisions = decisions
        self._chunk_tokens = chunk_tokens

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
            return Refused(stat, "it went away while it was being read", lasting=False)
        except OSError as error:
            return Refused(stat, f"it cannot be read: {error.strerror or error}", lasting=False)
        try:
            return source_text(stat.path, data), len(data)
        except ValueError as error:
            return Refused(stat, str(error))

    def _parsed(self, stat: FileStat, source: SourceText, size: int) -> Parsed:
        symbols = symbols_of(source.path, source.text)
        return Parsed(
            stat=stat,
            source=source,
            size=size,
            language=language_of(source.path),
            symbols=tuple(symbols),
            cut=cut(source.path, source.text, symbols, limit=self._chunk_tokens),
            record=self._decisions.record(source.path, source.text),
        )
