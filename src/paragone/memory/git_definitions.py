"""Which definitions commits changed, from the hunk headers of their patches."""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from paragone.memory.git_history import CommitRange, History
from paragone.memory.index.languages import HEADINGS, language_of, plain_title

Changed = tuple[tuple[str, str], ...]
"""Pairs of path and name."""

LAST = 150
"""Commits whose patches are read: older ones say nearly nothing about the next, and patches take git long."""
_DRIVERS = (
    ("python", "py pyi pyw"),
    ("markdown", "md markdown mdx"),
    ("golang", "go"),
    ("rust", "rs"),
    ("java", "java"),
    ("cpp", "c h cc cpp cxx hh hpp"),
    ("ruby", "rb rake"),
    ("csharp", "cs"),
    ("php", "php"),
    ("bash", "sh bash"),
    ("css", "css scss"),
)
"""Drivers of git by the endings of their files: they tell where the functions begin, and nested ones too."""
_PATCH = [
    *("log", "--encoding=UTF-8", "--format=tformat:%x1e%H", f"--max-count={LAST}", "--first-parent", "-m", "--reverse"),
    *("--relative", "--patch", "--unified=0", "--find-renames", "--ignore-submodules=all", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-decorate", "--no-mailmap"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--no-indent-heuristic", "--diff-algorithm=myers"),
]
_HUNK = re.compile(rb"@@ [-+,\d ]+ @@ ?(.*)")
_DEFINITION = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|pub(?:\([^)]*\))?|unsafe|"
    r"const|override|virtual)\s+)*(?:def|class|func|fn|function\*?|interface|struct|enum|trait|impl|type|module|sub)\s+"
    r"(?:\([^)]*\)\s*)?(?P<name>[\w$.]+)"
)
_CALLABLE = re.compile(r"^\s*(?:[\w<>\[\],:*&~ ]+[\s*&])?(?P<name>~?\w+)\s*\(")
_HEADING = re.compile(r"#{1,6}\s+(?P<name>.*?)\s*#*$")
_MAX_NAME = 200
_MAX_PAIRS = 400
"""Pairs of one commit that are kept."""


def changed_definitions(history: History, commits: CommitRange) -> dict[str, Changed]:
    """The definitions that the last commits of a range changed, by the hash of the commit.

    Raises:
        Failure: If git fails or takes too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        attributes = Path(folder) / "attributes"
        attributes.write_text(
            "".join(f"*.{ending} diff={name}\n" for name, some in _DRIVERS for ending in some.split())
        )
        settings = {"core.attributesFile": str(attributes), "core.quotePath": "false"}
        with history.running([*_PATCH, *commits.arguments()], settings, end=b"\n") as lines:
            return dict(_by_commit(lines))


def _by_commit(lines: Iterator[bytes]) -> Iterator[tuple[str, Changed]]:
    sha, path, header = "", "", ""
    pairs: dict[tuple[str, str], None] = {}
    for line in lines:
        if line.startswith(b"\x1e"):
            if pairs:
                yield sha, tuple(pairs)[:_MAX_PAIRS]
            sha, path, header, pairs = line[1:].decode("ascii", "replace"), "", "", {}
        elif line.startswith((b"--- a/", b"+++ b/")):
            path = line[6:].decode("utf-8", "replace").rstrip("\t")
        elif hunk := _HUNK.match(line):
            header = name_in(path, hunk[1].decode("utf-8", "replace"))
        elif line[:1] in {b"+", b"-"} and path and line[1:].strip():
            # A hunk that begins with a definition belongs to it, and not to the one before, which the header names.
            own = _begun(path, line[1:400].decode("utf-8", "replace"))
            pairs.update({(path, name): None for name in (own or header,) if name})
            header = "" if own else header
    if pairs:
        yield sha, tuple(pairs)[:_MAX_PAIRS]


def name_in(path: str, header: str) -> str:
    """The name of the definition or heading that a hunk header shows; empty if it shows none."""
    calls = None if language_of(path) in HEADINGS else _CALLABLE.match(header)
    return _begun(path, header) or ("" if calls is None else calls["name"])


def _begun(path: str, line: str) -> str:
    """The name of the definition or heading that a line begins."""
    if language_of(path) in HEADINGS:
        heading = _HEADING.match(line)
        return "" if heading is None else plain_title(heading["name"])[:_MAX_NAME]
    match = _DEFINITION.match(line)
    return "" if match is None else match["name"].rpartition(".")[2][:_MAX_NAME]
