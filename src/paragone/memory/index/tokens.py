"""Real tokens: those of ``cl100k_base``, counted offline."""

import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from paragone.errors import MissingExtra

if TYPE_CHECKING:
    from bpe_openai import Encoding

_BLOCK = re.compile(r"[^\n]*\n(?:[^\S\n]*\n)*|[^\n]+")
"""A line with the blank lines after it: no token reaches over its end, so that tokens of blocks add up."""
_LONGEST = 100_000
"""Characters counted at once; the tokenizer refuses more than a million."""


def count_tokens(text: str) -> int:
    """How many tokens a text has.

    Raises:
        MissingExtra: If the tokenizer is not installed.
    """
    if len(text) <= _LONGEST:
        return len(_encoding().encode_ordinary(text))
    return sum(tokens for _, tokens in block_tokens(text))


def block_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Of each line with the blank lines after it: how many lines that is, and how many tokens.

    The tokens add up to those of the text, except where a line is longer than 100,000 characters.
    """
    encode = _encoding().encode_ordinary
    for found in _BLOCK.finditer(text):
        block = found.group()
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
