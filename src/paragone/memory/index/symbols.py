"""The definitions in a source file, by tree-sitter, and the headings of a text.

A file that parses badly gives what can be found in it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from paragone.errors import MissingExtra
from paragone.memory.index.definitions import doc_line, first_wrapper, name_of, signature_of
from paragone.memory.index.entries import SymbolEntry
from paragone.memory.index.headings import HEADINGS, Heading
from paragone.memory.index.languages import GRAMMARS, Grammar, language_of

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query
    from tree_sitter_language_pack import SupportedLanguage

_HOLDERS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "module", "scope", "function", "method", "heading"}
)
"""Kinds that others stand in."""
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "scope"})
_LONGEST = 200
"""Characters of a name."""
_DEEPEST = 20
"""How many definitions one may stand in."""
_MOST_PIECES = 5000
_MOST_LOOKED_AT = 1000


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition before it is known what it stands in.

    Attributes:
        begin: Where it begins, in bytes or lines.
        after: Where it ends, exclusive, in the same.
        start: Its first line, from 1.
        end: Its last line.
    """

    kind: str
    name: str
    begin: int
    after: int
    start: int
    end: int
    signature: str
    doc: str


def symbols_of(path: str, text: str) -> list[SymbolEntry]:
    r"""The symbols of a file, in their order; none where its language is not known.

    Args:
        path: By its ending the language is known.
        text: Line ends as ``\n``.

    Raises:
        MissingExtra: If tree-sitter is not installed.
    """
    language = language_of(path)
    if language in HEADINGS:
        return list(_qualified(path, _headings(HEADINGS[language](text), text.count("\n") + (not text.endswith("\n")))))
    grammar = GRAMMARS.get(language)
    return [] if grammar is None else list(_qualified(path, _definitions(grammar, text.encode("utf-8", "replace"))))


def _headings(headings: Sequence[Heading], lines: int) -> Iterator[_Found]:
    """Headings, each with all that stands under it: up to the next of its level, or above."""
    after = [lines + 1] * len(headings)
    open_: list[int] = []
    for at, one in enumerate(headings):
        while open_ and headings[open_[-1]].level >= one.level:
            after[open_.pop()] = one.line
        open_.append(at)
    for one, end in zip(headings, after, strict=True):
        yield _Found("heading", one.title[:_LONGEST], one.line, end, one.line, end - 1, one.shown, "")


def _definitions(grammar: Grammar, source: bytes) -> list[_Found]:
    from tree_sitter import Parser, QueryCursor

    root = Parser(_language(grammar.parser)).parse(source).root_node
    if root.has_error and _is_hopeless(root):
        return []
    captured = [captures for _, captures in QueryCursor(_query(grammar)).matches(root)]
    found = [_found(grammar, source, captures) for captures in _not_too_deep(captured)]
    return sorted((one for one in found if one is not None), key=lambda one: (one.begin, -one.after))


def _is_hopeless(root: "Node") -> bool:
    """Whether what could not be parsed lies in so many pieces that a query would take for ever, as in a dump."""
    broken = [root]
    for _ in range(_MOST_LOOKED_AT):
        if not broken:
            return False
        node = broken.pop()
        if node.child_count > _MOST_PIECES and node.is_error:
            return True
        broken.extend(child for child in node.children if child.has_error)
    return False


def _not_too_deep(captured: "Sequence[dict[str, list[Node]]]") -> "Iterator[dict[str, list[Node]]]":
    """Those definitions that do not stand in too many others, whose names would be endless."""
    around: list[int] = []
    for captures in sorted(captured, key=lambda one: (_node(one).start_byte, -_node(one).end_byte)):
        node = _node(captures)
        while around and around[-1] <= node.start_byte:
            around.pop()
        if len(around) < _DEEPEST:
            yield captures
        around.append(node.end_byte)


def _node(captures: "dict[str, list[Node]]") -> "Node":
    return next(nodes[0] for name, nodes in captures.items() if name not in {"name", "declarator"})


def _found(grammar: Grammar, source: bytes, captures: "dict[str, list[Node]]") -> _Found | None:
    kind = next(name for name in captures if name not in {"name", "declarator"})
    node = captures[kind][0]
    name = name_of(node, *captures.get("name", ()), *captures.get("declarator", ()))
    if not name:
        return None
    outer, first = first_wrapper(node, grammar)
    last = outer.end_point
    return _Found(
        kind=kind,
        name=name[:_LONGEST],
        begin=first.start_byte,
        after=outer.end_byte,
        start=first.start_point.row + 1,
        end=last.row + 1 - (last.column == 0 and last.row > first.start_point.row),
        signature="" if kind == "scope" else signature_of(source, node, first, outer),
        doc=doc_line(node, first),
    )


def _qualified(path: str, found: Iterable[_Found]) -> Iterator[SymbolEntry]:
    """Symbols with names that say what they stand in; a name that comes again in a file has a number."""
    around: list[tuple[_Found, str]] = []
    counts: dict[str, int] = {}
    for one in found:
        while around and one.begin >= around[-1][0].after:
            around.pop()
        within, prefix = around[-1] if around else (None, "")
        name = f"{prefix}.{one.name}" if prefix else one.name
        if one.kind in _HOLDERS:
            around.append((one, name))
        if one.kind == "scope":
            continue
        counts[name] = count = counts.get(name, 0) + 1
        yield SymbolEntry(
            id=f"@{path}::{name}" + (f"#{count}" if count > 1 else ""),
            path=path,
            name=name,
            kind=_kind(one, within),
            start=one.start,
            end=one.end,
            signature=one.signature,
            doc=one.doc,
        )


def _kind(one: _Found, within: _Found | None) -> str:
    """A function in a type is a method, a method in none is a function."""
    if one.kind not in {"function", "method"}:
        return one.kind
    return "method" if "." in one.name or (within is not None and within.kind in _TYPES) else "function"


@cache
def _language(parser: "SupportedLanguage") -> "Language":
    try:
        from tree_sitter_language_pack import get_language
    except ImportError as error:
        raise MissingExtra(
            "symbols need the package tree-sitter-language-pack; install it with: pip install 'paragone[memory]'"
        ) from error
    return get_language(parser)


@cache
def _query(grammar: Grammar) -> "Query":
    from tree_sitter import Query

    return Query(_language(grammar.parser), grammar.query)
