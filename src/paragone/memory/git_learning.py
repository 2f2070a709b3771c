"""Learns from git's history: each commit becomes a session that used the files it changed."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from paragone.memory.git_history import Commit, CommitRange, GitHistory
from paragone.memory.index.languages import HEADINGS, language_of, plain_title
from paragone.memory.store import Store
from paragone.memory.store.lines import SessionLine

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


def changed_definitions(history: GitHistory, commits: CommitRange) -> dict[str, Changed]:
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


MAX_FILES = 50
"""Commits that change more files say nothing about any of them: imports, reformatting, licence headers."""
_BATCH = 200
_MAX_TRIED = 20
"""Commits learned last that are looked for, if history was rewritten, before all of it is read again.

Commits learned before are skipped either way.
"""
_PREFIX = "git:"
_SOURCE = "git"


@dataclass(frozen=True, kw_only=True, slots=True)
class GitLearning:
    """What was learned from a history.

    Attributes:
        commits: Commits that were read.
        known: Those learned before.
        sessions: Those that became sessions.
        files: Files used in them, summed.
        renames: Files renamed.
        large: Commits that changed too many files, so that none counts as used.
        future: Commits dated after now, which count as made now.
        unnamed: Files left out because their names are not UTF-8.
        merges: Merges among all commits to read; each is one session with all its changes.
        total: Number of commits to read.
        shallow: Whether the clone is shallow and its history incomplete.
    """

    commits: int = 0
    known: int = 0
    sessions: int = 0
    files: int = 0
    renames: int = 0
    large: int = 0
    future: int = 0
    unnamed: int = 0
    merges: int = 0
    total: int = 0
    shallow: bool = False


def learn_git(
    store: Store,
    *,
    since: float | None = None,
    limit: int | None = None,
    largest: int = MAX_FILES,
    seconds: float = 600.0,
    progress: Callable[[GitLearning], None] | None = None,
) -> GitLearning:
    """Import the history of a store's folder into its logs, continuing where the last import ended.

    What has been read is kept if this is interrupted, and importing twice changes nothing.

    Args:
        store: The store.
        since: Only commits from this time on, in seconds since 1970, including those before the last import.
        limit: Maximum number of commits, oldest first; the next run continues.
        largest: In commits that change more files, only renames and deletions count.
        seconds: Time limit for git.
        progress: Called after each batch.

    Raises:
        NotFound: Without git, a repository or a commit.
        Failure: If git fails or takes too long.
    """
    history = GitHistory(store.root, seconds=seconds)
    head = history.head()
    learned_commits = _known(store)
    tried = islice(reversed(learned_commits), _MAX_TRIED) if since is None else ()
    last = next((sha for sha in tried if history.holds(sha, head)), "")
    commit_range = CommitRange(head=head, after=last, since=since)
    begins = history.shallow()
    summary = GitLearning(
        total=history.count(commit_range), merges=history.count(commit_range, merges=True), shallow=bool(begins)
    )
    changed = changed_definitions(history, commit_range) if summary.total else {}
    importer = _Importer(store, frozenset(learned_commits), largest, summary, changed)
    commits = (commit for commit in history.commits(commit_range) if commit.sha not in begins)
    try:
        for commit in islice(commits, limit):
            if importer.take(commit) and progress is not None:
                progress(importer.summary)
    finally:
        importer.keep()
        commits.close()
    return importer.summary


def _known(store: Store) -> list[str]:
    """Hashes of the commits in the logs, in the order in which they were learned."""
    lines = store.logs.after(kinds={SessionLine})
    return [line.id.removeprefix(_PREFIX) for line in lines if isinstance(line, SessionLine) and line.source == _SOURCE]


class _Importer:
    """Writes commits to the logs in batches."""

    def __init__(
        self,
        store: Store,
        learned_commits: frozenset[str],
        largest: int,
        summary: GitLearning,
        changed: Mapping[str, Changed],
    ) -> None:
        self._changed = changed
        self._store, self._known, self._largest = store, learned_commits, largest
        self._lines: list[SessionLine] = []
        self.summary = summary

    def take(self, commit: Commit) -> bool:
        """Take a commit; returns whether a batch was written."""
        summary = self.summary
        summary = replace(summary, commits=summary.commits + 1, unnamed=summary.unnamed + commit.unnamed)
        if commit.sha in self._known:
            self.summary = replace(summary, known=summary.known + 1)
            return False
        now = self._store.clock()
        large, future = len(commit.read) > self._largest, commit.time > now
        line = _line(
            replace(commit, time=min(commit.time, now), read=() if large else self._outside(commit.read)),
            () if large else self._changed.get(commit.sha, ()),
        )
        self.summary = replace(
            summary,
            large=summary.large + large,
            future=summary.future + future,
            files=summary.files + len(line.files_accessed),
            renames=summary.renames + len(line.renamed),
        )
        if line.files_accessed or line.renamed or line.removed:
            self._lines.append(line)
        return len(self._lines) >= _BATCH and self.keep()

    def keep(self) -> bool:
        """Write the batch."""
        lines, self._lines = self._lines, []
        if lines:
            written = self._store.logs.append(lines)
            self.summary = replace(self.summary, sessions=self.summary.sessions + len(written))
        return True

    def _outside(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Paths outside the store."""
        own = self._own
        return tuple(path for path in paths if not own or not path.startswith(own))

    @property
    def _own(self) -> str:
        inside = self._store.path.is_relative_to(self._store.root)
        return f"{self._store.path.relative_to(self._store.root).as_posix()}/" if inside else ""


def _line(commit: Commit, changed: Changed) -> SessionLine:
    name = f"{_PREFIX}{commit.sha}"
    return SessionLine(
        id=name,
        session_id=name,
        timestamp=commit.time,
        agent_id=commit.author,
        start_time=commit.time,
        end_time=commit.time,
        files_accessed=commit.read,
        source=_SOURCE,
        renamed=commit.renamed,
        removed=commit.removed,
        query=commit.subject,
        changed=changed,
    )
