"""How many tokens a text has, in ``cl100k_base``."""

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

from paragone import extras

_ENCODING = "cl100k_base"
_BLOCK = re.compile(r"[^\n]*\n(?:[^\S\n]*\n)*|[^\n]+")
"""A line with the blank lines after it. No token crosses its end, so the tokens of blocks add up."""
_MAX_TEXT = 100_000
"""Characters counted at once; the tokenizer refuses more than a million."""


def count_tokens(text: str) -> int:
    """Number of tokens of a text.

    Raises:
        MissingExtra: If the tokenizer is not installed.
    """
    if len(text) <= _MAX_TEXT:
        return _counter()(text)
    return sum(tokens for _, tokens in block_tokens(text))


def block_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Number of lines and of tokens of each block: a line with the blank lines after it.

    The tokens add up to those of the text, unless a line is longer than 100,000 characters.
    """
    count = _counter()
    for match in _BLOCK.finditer(text):
        block = match.group()
        lines = max(1, block.count("\n"))
        yield lines, sum(count(block[at : at + _MAX_TEXT]) for at in range(0, len(block), _MAX_TEXT))


@cache
def _counter() -> Callable[[str], int]:
    """Counts the tokens of up to 100,000 characters."""
    bindings = _bindings()
    if bindings is None:
        return _counter_of_package()
    count: Callable[[str], int] = bindings.tokenizer_for_encoding(_ENCODING).count

    def counted(text: str) -> int:
        try:
            return count(text)
        except UnicodeEncodeError:  # half a surrogate pair is no text where the tokenizer was written
            return count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    return counted


def _bindings() -> Any:  # noqa: ANN401 - without types
    """The compiled part of bpe-openai alone; None where it is not as expected.

    The package itself unpacks three vocabularies when it is imported, which takes half a second and which counting has
    no use for: the compiled part has its own.

    Raises:
        MissingExtra: If it is not installed.
    """
    package, name = find_spec("bpe_openai"), "bpe_openai._bindings"
    if package is None:
        raise extras.missing("counting tokens needs", "bpe-openai")
    spec = PathFinder.find_spec(name, package.submodule_search_locations)
    if name in sys.modules or spec is None or spec.loader is None:
        return sys.modules.get(name)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return sys.modules.setdefault(name, module) if hasattr(module, "tokenizer_for_encoding") else None


def _counter_of_package() -> Callable[[str], int]:
    with warnings.catch_warnings(action="ignore"):  # it reads its data by a function that is going away
        import bpe_openai

        encode = bpe_openai.get_encoding(_ENCODING).encode_ordinary
    return lambda text: len(encode(text))
