"""The index: files, chunks and their vectors, symbols and decision records."""

from paragone.memory.index.file_parser import Chunk, Decision, count_tokens
from paragone.memory.index.file_reader import FileReader, SourceText
from paragone.memory.index.index import FileEntry, Index
from paragone.memory.index.indexing import IndexProgress, IndexRun
from paragone.memory.index.scan import Skipped
from paragone.memory.index.symbols import SymbolEntry

__all__ = [
    "Chunk",
    "Decision",
    "FileEntry",
    "FileReader",
    "Index",
    "IndexProgress",
    "IndexRun",
    "Skipped",
    "SourceText",
    "SymbolEntry",
    "count_tokens",
]
