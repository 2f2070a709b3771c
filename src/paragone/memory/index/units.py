"""Units of a file: the definitions and sections of which a pack shows the signature or the body.

A unit is a definition that lies in no function, a section under a heading, or a table of a configuration file; the
lines in none of them are a unit of their own, ``REST``. The text of a unit excludes that of the units inside it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from paragone.memory.index.languages import GRAMMARS, language_of
from paragone.memory.index.symbols import SymbolEntry
from paragone.memory.index.token_count import block_tokens, count_tokens

REST = ""
"""The name of the unit of all lines outside definitions, such as imports."""
MAX_SIGNATURE = 120
"""Characters of a signature; longer ones are cut and end in ``…``."""
_NO_UNIT = frozenset({"constant"})
"""Kinds of symbols that belong to the unit around them: a line or two each."""
_FUNCTIONS = frozenset({"function", "method"})
_PYTHON = re.compile(r"^\s*(?:async\s+def|def|class)\b", re.MULTILINE)
_ANNOTATION = re.compile(r"\s*(?:@|#\[|//|/\*|\*)")
_SECTIONS = {
    "toml": re.compile(r"\[+\s*(?P<name>[^\]]+?)\s*\]+"),
    "ini": re.compile(r"\[(?P<name>[^\]]+)\]"),
    "yaml": re.compile(r"(?P<name>[\w\"'./-][^:#]*):(?:\s|$)"),
    "make": re.compile(r"(?P<name>[\w./%-][\w ./%-]*):(?!=)"),
}
"""How a section of a file without symbols begins, at the start of a line."""
_INI = frozenset({".ini", ".cfg", ".conf", ".editorconfig"})
_MAX_UNITS = 2_000
"""Units of a file; what comes after belongs to the unit before it."""


class Unit(NamedTuple):  # a hundred thousand are read for one pack, and a dataclass takes thrice as long
    """A definition or section, without those inside it.

    Attributes:
        name: Qualified, as in the id of a symbol; ``REST`` for the lines in none.
        kind: Of the symbol, ``section``, or ``module`` for the rest.
        depth: Number of units around it.
        start: Its first line, from 1.
        end: Its last line, those of the units inside it included.
        tokens: Of its text.
        signature: On one line, without its body; empty for a rest beside other units.
        cost: Tokens of the signature in an outline; 0 without one, or if an earlier unit has the same.
    """

    name: str
    kind: str
    depth: int
    start: int
    end: int
    tokens: int
    signature: str
    cost: int


def units_of(path: str, text: str, symbols: Sequence[SymbolEntry]) -> list[Unit]:
    r"""The units of a file, in order, the rest first; all its tokens belong to one of them.

    Args:
        path: Its ending tells the language.
        text: With ``\n`` line ends.
        symbols: Its symbols, in order.
    """
    lines = text.split("\n")
    spans = list(_spans(path, lines, symbols))[:_MAX_UNITS]
    owners = owner_of(len(lines), [(start, end) for _, _, _, start, end, _ in spans])
    tokens = [0] * (len(spans) + 1)
    row = 0
    for count, some in block_tokens(text):
        tokens[owners[row]] += some
        row += count
    first = "" if spans else _first_line(path, lines)
    rest = Unit(REST, "module", 0, 1, len(lines), tokens[0], first, _cost(first, 0))
    units, signatures = [], set[tuple[int, str]]()
    for number, (name, kind, depth, start, end, signature) in enumerate(spans, 1):
        cost = (
            0 if (depth, signature) in signatures else _cost(signature, depth)
        )  # as of many alike headings in a changelog
        signatures.add((depth, signature))
        units.append(Unit(name, kind, depth, start, end, tokens[number], signature, cost))
    return [rest, *units]


def _first_line(path: str, lines: Sequence[str]) -> str:
    """The first line that says something: in code, one that is no comment, such as a notice of the licence."""
    language = language_of(path)
    mark = GRAMMARS[language].comment if language in GRAMMARS else ""
    filled = [line.strip() for line in lines if line.strip()]
    telling = (line for line in filled if not (mark and line.startswith((mark, "#!"))))
    return shortened(next(telling, filled[0] if filled else ""))


def owner_of(lines: int, spans: Sequence[tuple[int, int]]) -> list[int]:
    """The unit of each line: 0 for the rest, else the number, from 1, of the innermost span that holds it.

    Args:
        lines: Number of lines.
        spans: First and last line of each unit but the rest, in order, from 1.
    """
    owners = [0] * lines
    for number, (start, end) in enumerate(spans, 1):
        owners[start - 1 : end] = [number] * (min(end, lines) - start + 1)
    return owners


def outline_line(signature: str, depth: int) -> str:
    """A signature as a line of an outline."""
    return f"{'  ' * (depth + 1)}{signature}\n"


def shortened(line: str) -> str:
    """A line that is no longer than signatures may be."""
    return line if len(line) <= MAX_SIGNATURE else f"{line[: MAX_SIGNATURE - 1]}…"


def _cost(signature: str, depth: int) -> int:
    return count_tokens(outline_line(signature, depth)) if signature else 0


_Span = tuple[str, str, int, int, int, str]


def _spans(path: str, lines: Sequence[str], symbols: Sequence[SymbolEntry]) -> Iterator[_Span]:
    """Name, kind, depth, first line, last line and signature of each unit but the rest."""
    language = language_of(path)
    if not symbols:
        yield from _sections("ini" if PurePosixPath(path).suffix in _INI else language, lines)
        return
    around: list[SymbolEntry] = []
    for symbol in symbols:
        while around and not (around[-1].start <= symbol.start and symbol.end <= around[-1].end):
            around.pop()
        if any(outer.kind in _FUNCTIONS for outer in around) or symbol.kind in _NO_UNIT:
            continue
        name = symbol.id.partition("::")[2]
        depth = 0 if symbol.kind == "heading" else len(around)
        yield name, symbol.kind, depth, symbol.start, symbol.end, one_line(symbol.signature, language)
        around.append(symbol)


def _sections(language: str, lines: Sequence[str]) -> Iterator[_Span]:
    begins = _SECTIONS.get(language)
    if begins is None:
        return
    starts = [(row, match["name"]) for row, line in enumerate(lines, 1) if (match := begins.match(line))]
    for (start, name), (after, _) in pairwise([*starts, (len(lines) + 1, "")]):
        yield name, "section", 0, start, after - 1, shortened(lines[start - 1].strip())


def one_line(signature: str, language: str) -> str:
    """A signature on one line, without decorators, annotations above it, and what opens its body."""
    head = _PYTHON.search(signature) if language == "python" else None
    if head is not None:
        lines = signature[head.start() :].split("\n")
    else:
        lines = signature.split("\n")
        while len(lines) > 1 and _ANNOTATION.match(lines[0]):
            lines = lines[1:]
    text = " ".join(" ".join(lines).split())
    text = text.replace("( ", "(").replace(", )", ")").replace(" )", ")").rstrip(":{ ")
    return shortened(text)
