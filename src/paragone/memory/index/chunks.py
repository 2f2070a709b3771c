"""Chunks of files, cut at headings, definitions and blank lines; token counts (``cl100k_base``, offline)."""

import hashlib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from paragone.errors import MissingExtra
from paragone.memory.index.entries import Chunk, SymbolEntry

if TYPE_CHECKING:
    from bpe_openai import Encoding


_BLOCK = re.compile(r"[^\n]*\n(?:[^\S\n]*\n)*|[^\n]+")
"""A line with the blank lines after it. No token crosses its end, so the tokens of blocks add up."""
_LONGEST = 100_000
"""Characters counted at once; the tokenizer refuses more than a million."""


def count_tokens(text: str) -> int:
    """Number of tokens of a text.

    Raises:
        MissingExtra: If the tokenizer is not installed.
    """
    if len(text) <= _LONGEST:
        return len(_encoding().encode_ordinary(text))
    return sum(tokens for _, tokens in block_tokens(text))


def block_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Number of lines and of tokens of each block: a line with the blank lines after it.

    The tokens add up to those of the text, unless a line is longer than 100,000 characters.
    """
    encode = _encoding().encode_ordinary
    for match in _BLOCK.finditer(text):
        block = match.group()
        lines = max(1, block.count("\n"))
        if len(block) <= _LONGEST:
            yield lines, len(encode(block))
        else:
            yield lines, sum(len(encode(block[at : at + _LONGEST])) for at in range(0, len(block), _LONGEST))


@cache
def _encoding() -> "Encoding":
    try:
        with warnings.catch_warnings(action="ignore"):  # it reads its data by a function that is going away
            import bpe_openai

            return bpe_openai.get_encoding("cl100k_base")
    except ImportError as error:
        raise MissingExtra(
            "counting tokens needs the package bpe-openai; install it with: pip install 'paragone[memory]'"
        ) from error


_REMARK = re.compile(r"\s*(?:#|//|/\*|\*|--|@)")
"""A line above a definition that belongs to it."""
_LEAST = 4
"""A chunk may be cut short at a better place if it keeps this part of the limit."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text cut into chunks, and its number of tokens."""

    chunks: tuple[Chunk, ...]
    tokens: int


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
    while symbol.kind != "heading" and row > 0 and _REMARK.match(lines[row - 1]):
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
        if _LEAST * tokens >= limit and blocks[at].rank >= blocks[best].rank:
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
