"""What an index holds, and the result of an indexing run."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceText:
    r"""A file that was read.

    Attributes:
        path: Below the root, with slashes.
        text: Decoded as UTF-8 with errors replaced, without a byte order mark, with ``\n`` line ends.
        sha256: Of the bytes, in hexadecimal.
        lines: Number of lines; a last one without a line end counts.
    """

    path: str
    text: str
    sha256: str
    lines: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FileEntry:
    """A file in the index.

    Attributes:
        path: Below the root, with slashes.
        sha256: Of its bytes, in hexadecimal.
        size: In bytes.
        tokens: Of its text, in ``cl100k_base``.
        language: Such as ``python``; empty if unknown.
        lines: Number of lines.
        mtime: When it was last written, in seconds since 1970.
        first_seen: When the index first held it, under this path or one that it was renamed from.
        adr: Id of the decision record that it is, or empty.
    """

    path: str
    sha256: str
    size: int
    tokens: int
    language: str
    lines: int
    mtime: float
    first_seen: float
    adr: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A part of a file that has one vector.

    Attributes:
        hash: SHA-256 of the text, in hexadecimal: the vector's id. The same text elsewhere has the same.
        path: The file.
        start: Its first line, from 1.
        end: Its last line. A line that is longer than a chunk is several chunks, all with that start and end.
        text: Its text.
    """

    hash: str
    path: str
    start: int
    end: int
    text: str


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A decision record.

    Attributes:
        id: Such as ``ADR-027``.
        path: The file.
        title: Its first heading.
        cites: Ids of the other records that it names, each once, in order.
    """

    id: str
    path: str
    title: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """A file or folder that is not in the index, and why."""

    path: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexProgress:
    """Progress of a run: files read, of how many, and chunks embedded so far."""

    done: int
    of: int
    embedded: int


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexRun:
    """What a run did, and what the index holds afterwards.

    Attributes:
        files: Files in the index.
        added: New paths.
        changed: Paths with changed content.
        removed: Paths that are gone, or may not be indexed any more.
        renamed: (old, new) path of files with the same content.
        unchanged: Number of unchanged files.
        skipped: What is not in the index, and why.
        chunks: Chunks in the index.
        symbols: Symbols in the index.
        decisions: Decision records in the index.
        embedded: Chunks that were embedded in this run.
        seconds: How long it took.
    """

    files: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    unchanged: int
    skipped: tuple[Skipped, ...]
    chunks: int
    symbols: int
    decisions: int
    embedded: int
    seconds: float
