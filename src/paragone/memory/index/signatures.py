"""An outline of a file: each definition up to its body, each heading."""

from collections.abc import Sequence

from paragone.memory.index.entries import SymbolEntry
from paragone.memory.index.languages import GRAMMARS, language_of
from paragone.memory.index.symbols import symbols_of


def signatures(path: str, text: str) -> str:
    """The outline of a text; empty where it has no symbols, or nobody knows its language.

    Raises:
        MissingExtra: If tree-sitter is not installed.
    """
    return outline(path, symbols_of(path, text))


def outline(path: str, symbols: Sequence[SymbolEntry]) -> str:
    """The outline made of a file's symbols: indented by what they stand in, without functions in functions."""
    mark = GRAMMARS[language].comment if (language := language_of(path)) in GRAMMARS else ""
    parts: list[str] = []
    around: list[SymbolEntry] = []
    for symbol in symbols:
        while around and not symbol.name.startswith(around[-1].name + "."):
            around.pop()
        if not any(one.kind in {"function", "method"} for one in around):
            parts.append(_shown(symbol, mark, 0 if symbol.kind == "heading" else len(around)))
        around.append(symbol)
    return "\n".join(parts) + "\n" if parts else ""


def _shown(symbol: SymbolEntry, mark: str, depth: int) -> str:
    said = [f"{mark} {symbol.doc}"] if symbol.doc and mark else []
    lines = [*said, *symbol.signature.split("\n")]
    return "\n".join(f"{'    ' * depth}{line}" if line else "" for line in lines)
