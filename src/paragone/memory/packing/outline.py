"""Outlines for packs: what is defined and how it is called. Values of several lines say neither, and are left out."""

import re
from collections.abc import Iterator, Sequence

_DECORATOR = re.compile(r"(?P<kept>\s*@[\w.]+\()")
_CONSTANT = re.compile(r"(?P<kept>\s*[A-Za-z_][\w.]*(?:: [^=]+)? = )")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def condensed(outline: str) -> str:
    """An outline in which a decorator or a constant that goes over several lines has ``...`` for its value.

    Definitions stay whole. A value ends at the next line that is indented as its first one and begins with the
    bracket that closes it; where there is none it stays, too.
    """
    return "".join(_condensed(outline.splitlines(keepends=True)))


def _condensed(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        end = _end(lines, at) if lines[at].rstrip().endswith(_OPENING) or _DECORATOR.match(lines[at]) else None
        if end is None:
            yield lines[at]
            at += 1
        else:
            yield _head(lines[at]) or "".join(lines[at : end + 1])
            at = end + 1


def _head(line: str) -> str | None:
    """The line in short, where it is the first of a value that goes over several lines."""
    opened = line.rstrip()
    if found := _DECORATOR.match(line):
        return f"{found['kept']}...)\n" if opened.count("(") > opened.count(")") else None
    found = _CONSTANT.match(line)
    return f"{found['kept']}...\n" if found and opened.endswith(_OPENING) else None


def _end(lines: Sequence[str], at: int) -> int | None:
    """Where the value ends that begins there."""
    indent = _indent(lines[at])
    for number in range(at + 1, len(lines)):
        line = lines[number].strip()
        if line and _indent(lines[number]) <= indent:
            return number if _indent(lines[number]) == indent and line[0] in _CLOSING else None
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
