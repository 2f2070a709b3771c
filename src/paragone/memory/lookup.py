"""Finds content by name: a path, ``@path::Name`` or ``@Name``, ``ADR-027``, or a chunk's SHA-256."""

import difflib
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paragone.domain.content import Content, ContentKind
from paragone.errors import NotFound

if TYPE_CHECKING:
    from paragone.memory.index import Index

_HASH = re.compile(r"[0-9a-f]{64}")
_NEAR = 3
_FEW = 20_000
"""Files above which only those of the same name are proposed: to compare all takes too long."""


def named(index: "Index", text: str) -> Content:
    """The content that a name means.

    Args:
        index: What there is.
        text: A file's path below the root, a symbol with or without its path, a decision record, or a chunk's hash.

    Raises:
        NotFound: If there is none, with names that are near; or if several symbols are called so, with their ids.
    """
    name = text.strip()
    content = _file(index, name) or _decision(index, name) or _chunk(index, name) or _symbol(index, name)
    if content is None:
        raise NotFound(f"there is no content {text!r} in the index{instead(index, name)}")
    return content


def _file(index: "Index", name: str) -> Content | None:
    path = name.replace("\\", "/").removeprefix("./")
    for candidate in dict.fromkeys((name, path)):
        if candidate and index.file(candidate) is not None:
            return Content.file(candidate)
    return None


def _decision(index: "Index", name: str) -> Content | None:
    for candidate in dict.fromkeys((name, name.upper())):
        decision = index.decision(candidate)
        if decision is not None:
            return Content(kind=ContentKind.ADR, id=decision.id, path=decision.path)
    return None


def _chunk(index: "Index", name: str) -> Content | None:
    if not _HASH.fullmatch(name):
        return None
    chunks = index.places(name)
    return Content(kind=ContentKind.VECTOR, id=name, path=chunks[0].path) if chunks else None


def _symbol(index: "Index", name: str) -> Content | None:
    symbols = index.symbol(name) if name else []
    if len(symbols) > 1:
        listed, remaining = ", ".join(symbol.id for symbol in symbols[:_NEAR]), len(symbols) - _NEAR
        more = f" and {remaining:,} more" if remaining > 0 else ""
        raise NotFound(f"{len(symbols)} symbols are called {name!r}: {listed}{more}; name one by its id")
    return Content(kind=ContentKind.SYMBOL, id=symbols[0].id, path=symbols[0].path) if symbols else None


def instead(index: "Index", name: str) -> str:
    """The paths that come nearest to a name, as the end of a message; empty where none does."""
    paths = [entry.path for entry in index.files() if entry.path != name]
    last = PurePosixPath(name).name
    near = [path for path in paths if PurePosixPath(path).name == last][:_NEAR]
    if not near and len(paths) <= _FEW:
        near = difflib.get_close_matches(name, paths, n=_NEAR, cutoff=0.7)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
