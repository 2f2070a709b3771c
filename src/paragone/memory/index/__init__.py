"""The index: files, chunks and their vectors, symbols and decision records."""

from paragone.memory.index.entries import (
    Chunk,
    Decision,
    FileEntry,
    IndexProgress,
    IndexRun,
    Skipped,
    SourceText,
    SymbolEntry,
)
from paragone.memory.index.file_parser import count_tokens
from paragone.memory.index.file_reader import FileReader
from paragone.memory.index.index import Index

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
