"""Lines that git shows as replaced, and the documents that still quote them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from paragone.memory.git_history import CommitRange, GitHistory

LAST = 500
"""Commits whose patches are read."""
_PATCH = [
    *("log", "--encoding=UTF-8", "--format=tformat:%x1e%H", f"--max-count={LAST}", "--first-parent", "-m", "--reverse"),
    *("--relative", "--patch", "--unified=0", "--find-renames", "--ignore-submodules=all", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-decorate", "--no-mailmap"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
]
_QUOTE = re.compile(r"[`*>|]+")
_WORD = re.compile(r"\w+")
_MIN_LENGTH, _MIN_WORDS = 24, 4
"""Characters and words from which on two equal lines are a quotation and no accident."""
_EDITED = 0.5
"""The share of words that a line has in common with what it became; with less it was moved or rewritten."""
_IMPORT = re.compile(r"(?:from|import|use|using|require|include|#include)\b")
_MAX_LINES = 400
"""Lines of a hunk; a longer one is a file rewritten, and says nothing about single lines."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Replaced:
    """A line that a commit replaced.

    Attributes:
        path: The file.
        old: The line before, without what surrounds a quotation.
        new: The lines in its place.
        sha: The commit.
    """

    path: str
    old: str
    new: str
    sha: str


def normal(line: str) -> str:
    """A line as it is compared: without indentation, quotation marks of Markdown, and runs of blanks."""
    return " ".join(_QUOTE.sub("", line).split()).strip(" -+\"'“”.,;:")


def telling(line: str) -> bool:
    """Whether a line is long enough to be recognised where it is quoted."""
    return len(line) >= _MIN_LENGTH and len(_WORD.findall(line)) >= _MIN_WORDS


def replaced_lines(history: GitHistory, commits: CommitRange) -> list[Replaced]:
    """The lines that the last commits replaced by others, oldest first; lines that were only deleted are not.

    Raises:
        Failure: If git fails or takes too long.
    """
    with history.running([*_PATCH, *commits.arguments()], {"core.quotePath": "false"}, end=b"\n") as lines:
        return list(_replaced(lines))


def _replaced(lines: Iterator[bytes]) -> Iterator[Replaced]:
    sha, path = "", ""
    old: list[str] = []
    new: list[str] = []
    for raw in lines:
        line = raw.decode("utf-8", "replace")
        if raw[:1] in {b"-", b"+"} and not line.startswith(("--- a/", "+++ b/", "--- /dev/null", "+++ /dev/null")):
            (old if raw[:1] == b"-" else new).append(line[1:])
            continue
        yield from _of_hunk(path, sha, old, new)
        old, new = [], []
        if raw.startswith(b"\x1e"):
            sha = line[1:]
        elif line.startswith("+++ b/"):
            path = line[6:].rstrip("\t")
    yield from _of_hunk(path, sha, old, new)


def _of_hunk(path: str, sha: str, old: Sequence[str], new: Sequence[str]) -> Iterator[Replaced]:
    if not old or not new or len(old) + len(new) > _MAX_LINES:
        return
    after = {line: set(_WORD.findall(line)) for line in map(normal, new)}
    for line in map(normal, old):
        if telling(line) and not _IMPORT.match(line) and (edited := _edited(line, after)):
            yield Replaced(path=path, old=line, new=edited, sha=sha)


def _edited(line: str, candidates: Mapping[str, set[str]]) -> str:
    """The line that another became; empty if none is enough like it, or if only its order or punctuation changed.

    Args:
        line: The line, which has words.
        candidates: Those it may have become, with their words.
    """
    own = set(_WORD.findall(line))

    def alike(other: str) -> float:
        both = len(own & candidates[other])
        return both / (len(own) + len(candidates[other]) - both)

    nearest = max(candidates, key=lambda other: (alike(other), -len(other)), default="")
    return nearest if nearest and _EDITED <= alike(nearest) < 1.0 else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Quotes:
    """What a document quotes of other files.

    Attributes:
        stale: Lines that were replaced since, with the commit that did it.
        current: Number of lines that stand in another file as they are quoted.
    """

    stale: tuple[Replaced, ...]
    current: int


def stale_quotes(texts: Mapping[str, str], replaced: Iterable[Replaced], documents: Iterable[str]) -> dict[str, Quotes]:
    """The documents that quote a replaced line of another file.

    A line that is in its file again, or anywhere else but in documents that quote it, is not stale.

    Args:
        texts: The texts of all files, by path.
        replaced: Lines that were replaced.
        documents: The paths of documents and notes.
    """
    lines = {path: {normal(line) for line in text.split("\n")} for path, text in texts.items()}
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for path, own in lines.items():
        for line in own:
            if telling(line):
                holders[line].add(path)
    prose = set(documents)
    gone = {
        row.old: row
        for row in replaced
        if not holders.get(row.old, set()) - prose and row.path not in holders.get(row.old, ())
    }
    quotes = {}
    for path in sorted(prose & set(lines)):
        stale = tuple(gone[line] for line in sorted(lines[path]) if line in gone and gone[line].path != path)
        if stale:
            current = sum(telling(line) and bool(holders[line] - {path}) for line in lines[path])
            quotes[path] = Quotes(stale=stale, current=current)
    return quotes
