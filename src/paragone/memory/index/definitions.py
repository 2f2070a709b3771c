"""What a node of tree-sitter says of a definition: its name, its signature, the first line of its documentation."""

import re
from typing import TYPE_CHECKING

from paragone.memory.index.languages import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_LINES = 8
"""Of a definition without a body, such as a constant, that a signature shows."""
_MOST_BYTES = 4000
_MOST_DOC = 200
_MOST_REMARKS = 50
"""Comments above a definition that are looked at, one line each."""
_MOST_BESIDE = 20
"""What stands beside a definition in what is around it, such as decorators; with more, it is one of many."""
_ARGUMENTS = re.compile(r"<[^<>]*>")
_MARKS = re.compile(r"^\s*(?:/\*+!?|\*+/?|//+!?|#+!?|--+)?\s?|\s*\*+/\s*$")
_INNER = {
    "variable_declarator": ("value",),
    "public_field_definition": ("value",),
    "assignment_expression": ("right",),
    "type_spec": ("type",),
}
"""Where the body lies deeper than in the definition itself: in which field."""
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "doc_comment"})


def name_of(node: "Node", name: "Node | None" = None, *_: "Node") -> str:
    """The name of a definition: what a declarator declares, for Go with the type that a method belongs to."""
    if name is None:
        return ""
    innermost = name
    while (deeper := _declared(innermost)) is not None:
        innermost = deeper
    said = _words(innermost).partition("(")[0]
    receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
    return f"{_receiver(receiver)}.{said}" if receiver is not None else said


def _declared(node: "Node") -> "Node | None":
    if node.type == "operator_cast":
        return None
    inner = node.child_by_field_name("declarator")
    if inner is None and node.type in {"reference_declarator", "parenthesized_declarator"}:
        inner = node.named_children[-1] if node.named_children else None
    return inner


def _words(node: "Node") -> str:
    """A name on one line, with dots, without arguments of types and without quotes."""
    text = " ".join((node.text or b"").decode("utf-8", "replace").split())
    while (plain := _ARGUMENTS.sub("", text)) != text:
        text = plain
    return text.replace("::", ".").strip("'\"&* ").removeprefix("dyn ")


def _receiver(node: "Node") -> str:
    """The type in ``(s *Store[T])``."""
    text = (node.text or b"").decode("utf-8", "replace").strip("()")
    return re.sub(r"\[.*", "", text).split()[-1].strip("*") if text.strip() else ""


def first_wrapper(node: "Node", grammar: Grammar) -> "tuple[Node, Node]":
    """What is around a definition and belongs to it, and the node that this begins with: an attribute before it."""
    outer = node
    while (parent := outer.parent) is not None and parent.type in grammar.wrappers:
        if (
            parent.named_child_count > _MOST_BESIDE
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
    text = source[first.start_byte : outer.end_byte if head is None else head][:_MOST_BYTES]
    lines = text.decode("utf-8", "replace").rstrip().split("\n")
    if head is None and len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], "..."]
    depth = first.start_point.column
    return "\n".join([lines[0], *(_outdented(line, depth) for line in lines[1:])])


def _outdented(line: str, depth: int) -> str:
    return line[min(depth, len(line) - len(line.lstrip())) :].rstrip()


def _end_of_head(node: "Node") -> int | None:
    """The byte at which the body begins, or what stands between the head and the body; None where there is no body."""
    inner = next((found for field in _INNER.get(node.type, ()) if (found := node.child_by_field_name(field))), node)
    body = inner.child_by_field_name("body") or _braces(inner)
    if body is None or (body.text or b"").startswith(b"("):
        return None
    before = body.prev_sibling
    while before is not None and before.type in _COMMENTS:
        before = before.prev_sibling
    return body.start_byte if before is None else before.end_byte


def _braces(node: "Node") -> "Node | None":
    """The body of a type that has no field of that name, as in Go."""
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
    for _ in range(_MOST_REMARKS):
        if before is None or before.type not in _COMMENTS or _ends_at(before) < top.start_point.row - 1:
            break
        top, before = before, before.prev_named_sibling
    return _first_line(top.text or b"") if top is not node else ""


def _ends_at(comment: "Node") -> int:
    """The last row of a comment; some take the line end with them."""
    return comment.end_point.row - (comment.end_point.column == 0)


def _first_line(text: bytes) -> str:
    lines = (_MARKS.sub("", line).strip() for line in text.decode("utf-8", "replace").split("\n"))
    return next((line for line in lines if line), "")[:_MOST_DOC]
