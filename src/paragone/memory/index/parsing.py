"""One file, from its bytes to what the index holds of it. Pure, but for the reading."""

from dataclasses import dataclass

from paragone.memory.index.chunks import Cut, cut
from paragone.memory.index.decisions import DecisionFinder, Record
from paragone.memory.index.entries import SourceText, SymbolEntry
from paragone.memory.index.file_reader import FileReader, source_text
from paragone.memory.index.languages import language_of
from paragone.memory.index.scan import FileStat
from paragone.memory.index.symbols import symbols_of


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file that may be indexed, as it was when it was read."""

    stat: FileStat
    source: SourceText
    size: int
    language: str
    symbols: tuple[SymbolEntry, ...]
    cut: Cut
    record: Record | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that its content keeps out of the index; ``lasting`` where it is not worth looking at again."""

    stat: FileStat
    why: str
    lasting: bool = True


@dataclass(frozen=True, slots=True)
class Same:
    """A file that looks different, and is the same."""

    stat: FileStat


ParseResult = Parsed | Refused | Same
"""What came of looking into a file."""


class FileParser:
    """Reads and parses files by one configuration."""

    def __init__(self, reader: FileReader, decisions: DecisionFinder, *, chunk_tokens: int) -> None:
        self._reader = reader
        self._decisions = decisions
        self._chunk_tokens = chunk_tokens

    def parse(self, stat: FileStat, sha256: str | None) -> ParseResult:
        """Read a file, and parse it where its content is not the one whose hash is known."""
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
