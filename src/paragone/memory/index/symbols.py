"""The definitions in a source file, by tree-sitter, and the headings of a text. Broken files give what can be read."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from paragone import extras
from paragone.memory.index.languages import GRAMMARS, HEADINGS, Grammar, Heading, language_of

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query
    from tree_sitter_language_pack import SupportedLanguage


@dataclass(frozen=True, kw_only=True, slots=True)
class SymbolEntry:
    """A definition or a heading.

    Attributes:
        id: ``@path::Qualified.name``; the second one of that name in a file ends in ``#2``.
        path: The file.
        name: Qualified by the enclosing definitions, with dots.
        kind: ``function``, ``method``, ``class``, ``interface``, ``struct``, ``enum``, ``trait``, ``type``, ``module``,
            ``constant``, ``macro`` or ``heading``.
        start: Its first line, from 1, decorators included.
        end: Its last line.
        signature: All of it up to its body, on as many lines as in the file.
        doc: The first line of its documentation, or empty.
    """

    id: str
    path: str
    name: str
    kind: str
    start: int
    end: int
    signature: str
    doc: str = ""


_MAX_LINES = 8
"""Lines in the signature of a definition without a body, such as a constant."""
_MAX_BYTES = 4000
_MAX_DOC = 200
_MAX_COMMENTS = 50
"""Comments above a definition that are read, one line each."""
_MAX_SIBLINGS = 20
"""Siblings of a definition in its wrapper, such as decorators; with more, the wrapper is not the definition's own."""
_ARGUMENTS = re.compile(r"<[^<>]*>")
_COMMENT_MARKS = re.compile(r"^\s*(?:/\*+!?|\*+/?|//+!?|#+!?|--+)?\s?|\s*\*+/\s*$")
_BODY_FIELDS = {
    "variable_declarator": ("value",),
    "public_field_definition": ("value",),
    "assignment_expression": ("right",),
    "type_spec": ("type",),
}
"""Fields in which the body lies deeper than in the definition itself."""
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "doc_comment"})


def name_of(node: "Node", name: "Node | None" = None, *_: "Node") -> str:
    """The name of a definition: what a declarator declares, for Go with the type that a method belongs to."""
    if name is None:
        return ""
    innermost = name
    while (deeper := _declared(innermost)) is not None:
        innermost = deeper
    bare = _words(innermost).partition("(")[0]
    receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
    return f"{_receiver(receiver)}.{bare}" if receiver is not None else bare


def _declared(node: "Node") -> "Node | None":
    if node.type == "operator_cast":
        return None
    inner = node.child_by_field_name("declarator")
    if inner is None and node.type in {"reference_declarator", "parenthesized_declarator"}:
        inner = node.named_children[-1] if node.named_children else None
    return inner


def _words(node: "Node") -> str:
    """A name on one line, with dots, without type arguments and quotes."""
    text = " ".join((node.text or b"").decode("utf-8", "replace").split())
    while (plain := _ARGUMENTS.sub("", text)) != text:
        text = plain
    return text.replace("::", ".").strip("'\"&* ").removeprefix("dyn ")


def _receiver(node: "Node") -> str:
    """The type in ``(s *Store[T])``."""
    text = (node.text or b"").decode("utf-8", "replace").strip("()")
    return re.sub(r"\[.*", "", text).split()[-1].strip("*") if text.strip() else ""


def first_wrapper(node: "Node", grammar: Grammar) -> "tuple[Node, Node]":
    """The outermost node that belongs to a definition, and the node it begins with, such as an attribute before it."""
    outer = node
    while (parent := outer.parent) is not None and parent.type in grammar.wrappers:
        if (
            parent.named_child_count > _MAX_SIBLINGS
            or sum(child.type == outer.type for child in parent.named_children) != 1
        ):
            break
        outer = parent
    first = outer
    while grammar.leading and (before := first.prev_named_sibling) is not None and before.type in grammar.leading:
        first = before
    return outer, first


def signature_of(source: bytes, node: "Node", first: "Node", outer: "Node") -> str:
    """A definition up to its body, without the indentation of its first line."""
    head = _end_of_head(node)
    text = source[first.start_byte : outer.end_byte if head is None else head][:_MAX_BYTES]
    lines = text.decode("utf-8", "replace").rstrip().split("\n")
    if head is None and len(lines) > _MAX_LINES:
        lines = [*lines[:_MAX_LINES], "..."]
    depth = first.start_point.column
    return "\n".join([lines[0], *(_outdented(line, depth) for line in lines[1:])])


def _outdented(line: str, depth: int) -> str:
    return line[min(depth, len(line) - len(line.lstrip())) :].rstrip()


def _end_of_head(node: "Node") -> int | None:
    """The byte at which the body begins, or the gap before it; None if there is no body."""
    inner = next(
        (child for field in _BODY_FIELDS.get(node.type, ()) if (child := node.child_by_field_name(field))), node
    )
    body = inner.child_by_field_name("body") or _braces(inner)
    if body is None or (body.text or b"").startswith(b"("):
        return None
    before = body.prev_sibling
    while before is not None and before.type in _COMMENTS:
        before = before.prev_sibling
    return body.start_byte if before is None else before.end_byte


def _braces(node: "Node") -> "Node | None":
    """The body of a type without a field for it, as in Go."""
    last = node.children[-1] if node.type in {"struct_type", "interface_type"} and node.children else None
    if last is not None and last.type == "}":
        return next(child for child in node.children if child.type == "{")
    return last if last is not None and last.type.endswith("_list") else None


def doc_line(node: "Node", first: "Node") -> str:
    """The first line of a docstring, or of the comment right before a definition."""
    body = node.child_by_field_name("body")
    if node.type in {"function_definition", "class_definition"} and body is not None and body.named_children:
        string = body.named_children[0]
        string = string.named_children[0] if string.type == "expression_statement" and string.named_children else string
        if string.type == "string":
            return _first_line(re.sub(rb"^[a-zA-Z]*(\"{3}|'{3}|\"|')|(\"{3}|'{3}|\"|')$", b"", string.text or b""))
    return _comment_before(first)


def _comment_before(node: "Node") -> str:
    top, before = node, node.prev_named_sibling
    if before is None and node.parent is not None and node.parent.start_byte == node.start_byte:
        before = node.parent.prev_named_sibling  # the first in a body of Ruby
    for _ in range(_MAX_COMMENTS):
        if before is None or before.type not in _COMMENTS or _ends_at(before) < top.start_point.row - 1:
            break
        top, before = before, before.prev_named_sibling
    return _first_line(top.text or b"") if top is not node else ""


def _ends_at(comment: "Node") -> int:
    """The last row of a comment; some include the line end."""
    return comment.end_point.row - (comment.end_point.column == 0)


def _first_line(text: bytes) -> str:
    lines = (_COMMENT_MARKS.sub("", line).strip() for line in text.decode("utf-8", "replace").split("\n"))
    return next((line for line in lines if line), "")[:_MAX_DOC]


_ENCLOSING = frozenset(
    {"class", "interface", "struct", "enum", "trait", "module", "scope", "function", "method", "heading"}
)
"""Kinds that enclose others."""
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "scope"})
_MAX_NAME = 200
"""Characters of a name."""
_MAX_DEPTH = 20
"""Most levels of nested definitions."""
_MAX_CHILDREN = 5000
_MAX_NODES = 1000


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition whose enclosing definition is not known yet.

    Attributes:
        begin: Where it begins, in bytes or lines.
        after: Where it ends, exclusive, in the same unit.
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
    r"""The symbols of a file, in order; none if its language is unknown.

    Args:
        path: Its ending tells the language.
        text: With ``\n`` line ends.

    Raises:
        MissingExtra: If tree-sitter is not installed.
    """
    language = language_of(path)
    if language in HEADINGS:
        return list(_qualified(path, _headings(HEADINGS[language](text), text.count("\n") + (not text.endswith("\n")))))
    grammar = GRAMMARS.get(language)
    return [] if grammar is None else list(_qualified(path, _definitions(grammar, text.encode("utf-8", "replace"))))


def _headings(headings: Sequence[Heading], lines: int) -> Iterator[_Found]:
    """Headings, each with everything below it, up to the next of its level or above."""
    after = [lines + 1] * len(headings)
    open_: list[int] = []
    for at, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            after[open_.pop()] = heading.line
        open_.append(at)
    for heading, end in zip(headings, after, strict=True):
        yield _Found("heading", heading.title[:_MAX_NAME], heading.line, end, heading.line, end - 1, heading.shown, "")


def _definitions(grammar: Grammar, source: bytes) -> list[_Found]:
    from tree_sitter import Parser, QueryCursor

    root = Parser(_language(grammar.parser)).parse(source).root_node
    if root.has_error and _is_hopeless(root):
        return []
    captured = [captures for _, captures in QueryCursor(_query(grammar)).matches(root)]
    definitions = [_found(grammar, source, captures) for captures in _not_too_deep(captured)]
    return sorted(
        (definition for definition in definitions if definition is not None),
        key=lambda definition: (definition.begin, -definition.after),
    )


def _is_hopeless(root: "Node") -> bool:
    """Whether the unparsable parts are so many that a query would take forever, as in a dump."""
    broken = [root]
    for _ in range(_MAX_NODES):
        if not broken:
            return False
        node = broken.pop()
        if node.child_count > _MAX_CHILDREN and node.is_error:
            return True
        broken.extend(child for child in node.children if child.has_error)
    return False


def _not_too_deep(captured: "Sequence[dict[str, list[Node]]]") -> "Iterator[dict[str, list[Node]]]":
    """The definitions that are not nested too deeply; names of others would be endless."""
    around: list[int] = []
    for captures in sorted(captured, key=lambda match: (_node(match).start_byte, -_node(match).end_byte)):
        node = _node(captures)
        while around and around[-1] <= node.start_byte:
            around.pop()
        if len(around) < _MAX_DEPTH:
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
        name=name[:_MAX_NAME],
        begin=first.start_byte,
        after=outer.end_byte,
        start=first.start_point.row + 1,
        end=last.row + 1 - (last.column == 0 and last.row > first.start_point.row),
        signature="" if kind == "scope" else signature_of(source, node, first, outer),
        doc=doc_line(node, first),
    )


def _qualified(path: str, definitions: Iterable[_Found]) -> Iterator[SymbolEntry]:
    """Symbols with qualified names; a repeated name in a file gets a number."""
    around: list[tuple[_Found, str]] = []
    counts: dict[str, int] = {}
    for definition in definitions:
        while around and definition.begin >= around[-1][0].after:
            around.pop()
        within, prefix = around[-1] if around else (None, "")
        name = f"{prefix}.{definition.name}" if prefix else definition.name
        if definition.kind in _ENCLOSING:
            around.append((definition, name))
        if definition.kind == "scope":
            continue
        counts[name] = count = counts.get(name, 0) + 1
        yield SymbolEntry(
            id=f"@{path}::{name}" + (f"#{count}" if count > 1 else ""),
            path=path,
            name=name,
            kind=_kind(definition, within),
            start=definition.start,
            end=definition.end,
            signature=definition.signature,
            doc=definition.doc,
        )


def _kind(definition: _Found, within: _Found | None) -> str:
    """A function in a type is a method; a method outside types is a function."""
    if definition.kind not in {"function", "method"}:
        return definition.kind
    return "method" if "." in definition.name or (within is not None and within.kind in _TYPES) else "function"


@cache
def _language(parser: "SupportedLanguage") -> "Language":
    with extras.importing("symbols need", "tree-sitter-language-pack"):
        from tree_sitter_language_pack import get_language
    return get_language(parser)


@cache
def _query(grammar: Grammar) -> "Query":
    from tree_sitter import Query

    return Query(_language(grammar.parser), grammar.query)


def signatures(path: str, text: str) -> str:
    """The outline of a text; empty if it has no symbols or its language is unknown.

    Raises:
        MissingExtra: If tree-sitter is not installed.
    """
    return outline(language_of(path), symbols_of(path, text))


def outline(language: str, symbols: Sequence[SymbolEntry]) -> str:
    """The outline made of a file's symbols: indented by nesting, without functions in functions."""
    mark = GRAMMARS[language].comment if language in GRAMMARS else ""
    parts: list[str] = []
    around: list[SymbolEntry] = []
    for symbol in symbols:
        while around and not symbol.name.startswith(around[-1].name + "."):
            around.pop()
        if not any(outer.kind in {"function", "method"} for outer in around):
            parts.append(_shown(symbol, mark, 0 if symbol.kind == "heading" else len(around)))
        around.append(symbol)
    return "\n".join(parts) + "\n" if parts else ""


def _shown(symbol: SymbolEntry, mark: str, depth: int) -> str:
    comment = [f"{mark} {symbol.doc}"] if symbol.doc and mark else []
    lines = [*comment, *symbol.signature.split("\n")]
    return "\n".join(f"{'    ' * depth}{line}" if line else "" for line in lines)
