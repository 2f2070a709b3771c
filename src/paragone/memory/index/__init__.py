"""The index: files, chunks and their vectors, symbols and decision records."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.memory.index.file_parser import Chunk, Decision
    from paragone.memory.index.file_reader import FileReader, SourceText
    from paragone.memory.index.index import FileEntry, Index
    from paragone.memory.index.indexing import IndexProgress, IndexRun
    from paragone.memory.index.scan import Skipped
    from paragone.memory.index.symbols import SymbolEntry
    from paragone.memory.index.token_count import count_tokens
else:
    __getattr__ = names(
        __name__,
        {
            ".file_parser": "Chunk Decision",
            ".file_reader": "FileReader SourceText",
            ".index": "FileEntry Index",
            ".indexing": "IndexProgress IndexRun",
            ".scan": "Skipped",
            ".symbols": "SymbolEntry",
            ".token_count": "count_tokens",
        },
    )

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
