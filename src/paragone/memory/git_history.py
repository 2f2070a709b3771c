"""The history of a git repository: its commits and the files that they change.

Git runs with a fixed list of arguments and without a shell. Whatever could make it run something else is switched off,
in spite of the repository's configuration: pagers, hooks, file system monitors, signature checks, external diffs, text
conversions, and fetching over the network.
"""

import hashlib
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from paragone.errors import Failure, NotFound

_QUIET = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "diff.external": "",
    "log.showSignature": "false",
    "log.follow": "false",
    "protocol.allow": "never",
}
_GIT = ("git", "--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects")
_LOG = [
    *("log", "-z", "--encoding=UTF-8", "--format=tformat:%x1e%H%x00%ct%x00%an%x00%s"),
    *("--first-parent", "-m", "--reverse", "--relative", "--name-status", "--find-renames", "--ignore-submodules=all"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-decorate"),
    "--no-mailmap",
]
_MARK = b"\x1e"
_CHUNK = 1 << 16
_EARLIEST = 1e8
"""Git does not take a number with fewer digits for a time; no commit is older."""
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """The changes of one commit below the folder.

    Attributes:
        sha: Its hash.
        time: When it was committed, in seconds since 1970.
        author: A pseudonym: the beginning of the SHA-256 of the author's name.
        subject: The first line of its message.
        read: Files that it added or changed, by their new names.
        renamed: Pairs of old and new name.
        removed: Files that it deleted.
        unnamed: Number of files whose names are not UTF-8; they are in none of the above.
    """

    sha: str
    time: float
    author: str
    subject: str
    read: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()
    unnamed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitRange:
    """A part of a history.

    Attributes:
        head: Hash of the last commit.
        after: Hash of a commit; it and those before are left out.
        since: Seconds since 1970; earlier commits are left out.
    """

    head: str
    after: str = ""
    since: float | None = None

    def arguments(self) -> list[str]:
        """Arguments for git, made of numbers and hashes only."""
        early = self.since is None or self.since < _EARLIEST
        date = [] if early else [f"--since=@{int(self.since or 0)}"]
        return [*date, *([f"^{self.after}"] if self.after else []), self.head, "--", "."]


class GitHistory:
    """The history of the repository that contains a folder.

    Args:
        root: The folder; only changes below it are reported.
        seconds: Time limit for git.
    """

    def __init__(self, root: Path, *, seconds: float = 600.0) -> None:
        self.root, self.seconds = root, seconds

    def head(self) -> str:
        """Hash of the newest commit.

        Raises:
            NotFound: Without git, a repository or a commit.
            Failure: If git refuses.
        """
        answer = self._ask("rev-parse", "--is-inside-work-tree")
        if answer.returncode:
            complaint = _words(answer.stderr)
            if "not a git repository" in complaint:
                raise NotFound(f"{self.root} is not in a git repository: there is no history to learn from")
            raise Failure(f"git does not read {self.root}: {complaint}")
        head = self._ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if head.returncode:
            raise NotFound(f"the repository of {self.root} has no commit yet: there is no history to learn from")
        return os.fsdecode(head.stdout).strip()

    def holds(self, sha: str, head: str) -> bool:
        """Whether a commit exists and is an ancestor of ``head``."""
        return bool(_SHA.fullmatch(sha)) and not self._ask("merge-base", "--is-ancestor", sha, head).returncode

    def shallow(self) -> frozenset[str]:
        """The commits at which a shallow clone begins: their changes are unknown."""
        answer = self._ask("rev-parse", "--git-path", "shallow")
        path = self.root / os.fsdecode(answer.stdout).rstrip("\n")
        return frozenset(path.read_text(encoding="ascii").split()) if path.is_file() else frozenset()

    def count(self, commit_range: CommitRange, *, merges: bool = False) -> int:
        """Number of commits along the first parents, or of merges among them."""
        which = ["--merges"] if merges else []
        answer = self._ask("rev-list", "--count", "--first-parent", *which, *commit_range.arguments())
        return int(answer.stdout) if not answer.returncode else 0

    def commits(self, commit_range: CommitRange) -> Iterator[Commit]:
        """Commits along the first parents, oldest first; a merge has all its changes relative to its first parent.

        Raises:
            Failure: If git fails or takes too long; commits before that are complete.
        """
        with self.running([*_LOG, *commit_range.arguments()]) as pieces:
            yield from _commits(pieces)

    @contextmanager
    def running(
        self, arguments: list[str], settings: Mapping[str, str] = MappingProxyType({}), *, end: bytes = b"\0"
    ) -> Iterator[Iterator[bytes]]:
        """Git's output, piece by piece.

        Args:
            arguments: A git command that only reads, with its arguments.
            settings: Settings of git, besides those that keep it from running anything else.
            end: The separator between pieces.

        Raises:
            Failure: If git fails or takes too long; pieces before that are complete.
        """
        with tempfile.TemporaryFile() as complaints:
            process = subprocess.Popen(  # noqa: S603 - a fixed list, no shell
                self._command(arguments, settings), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints,
                cwd=self.root, env=_environment(),
            )  # fmt: skip
            late = threading.Event()
            timer = threading.Timer(self.seconds, _stop, (process, late))
            timer.daemon = True
            timer.start()
            try:
                yield _pieces(process, end)
                if process.wait():
                    complaints.seek(0)
                    raise self._failed(late.is_set(), complaints.read())
            finally:
                timer.cancel()
                process.kill()
                process.communicate()

    def _failed(self, late: bool, complaints: bytes) -> Failure:
        if late:
            return Failure(f"git took over {self.seconds:g} seconds; run this again, and it goes on from there")
        return Failure(f"git cannot tell the history of {self.root}: {_words(complaints)}")

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603 - a fixed list, no shell
                self._command(list(arguments)), stdin=subprocess.DEVNULL, capture_output=True, cwd=self.root,
                env=_environment(), timeout=self.seconds, check=False,
            )  # fmt: skip
        except FileNotFoundError:
            raise NotFound("git is not installed: install it, or put it on the path") from None
        except subprocess.TimeoutExpired:
            raise Failure(f"git took over {self.seconds:g} seconds to answer") from None

    def _command(self, arguments: list[str], more: Mapping[str, str] = MappingProxyType({})) -> list[str]:
        settings = [part for name, value in {**more, **_QUIET}.items() for part in ("-c", f"{name}={value}")]
        return [*_GIT, *settings, *arguments]


def _environment() -> dict[str, str]:
    """Our environment without what redirects git, and with what keeps it from running anything else."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return inherited | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "LC_ALL": "C",
    }


def _stop(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _words(complaints: bytes) -> str:
    lines = complaints.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else "it does not say why"


def _pieces(process: subprocess.Popen[bytes], end: bytes) -> Iterator[bytes]:
    """The output of git, split at what ends its pieces."""
    rest = b""
    while process.stdout is not None and (chunk := process.stdout.read(_CHUNK)):
        *pieces, rest = (rest + chunk).split(end)
        yield from pieces


def _commits(pieces: Iterator[bytes]) -> Iterator[Commit]:
    """Parse the output of ``git log -z``: four fields that begin with a mark, then statuses with their paths."""
    header: list[bytes] = []
    changes: list[tuple[bytes, list[bytes]]] = []
    for piece in pieces:
        if piece.startswith(_MARK):
            if header:
                yield _commit(header, changes)
            header, changes = [piece[1:], *(next(pieces) for _ in range(3))], []
        elif status := piece.strip(b"\n"):
            is_rename = status[:1] in {b"R", b"C"}
            changes.append((status, [next(pieces) for _ in range(2 if is_rename else 1)]))
    if header:
        yield _commit(header, changes)


def _commit(header: list[bytes], changes: list[tuple[bytes, list[bytes]]]) -> Commit:
    sha, time, author, subject = header
    read: list[str] = []
    renamed: list[tuple[str, str]] = []
    removed: list[str] = []
    unnamed = 0
    for status, names in changes:
        paths = [path for name in names if (path := _path(name)) is not None]
        if len(paths) < len(names):
            unnamed += 1
        elif status[:1] == b"D":
            removed.append(paths[0])
        else:
            if status[:1] == b"R":
                renamed.append((paths[0], paths[1]))
            if status != b"R100":
                read.append(paths[-1])
    return Commit(
        sha=sha.decode("ascii"),
        time=float(time),
        author=f"git-{hashlib.sha256(author).hexdigest()[:8]}",
        subject=subject.decode("utf-8", "replace"),
        read=tuple(read),
        renamed=tuple(renamed),
        removed=tuple(removed),
        unnamed=unnamed,
    )


def _path(name: bytes) -> str | None:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return None
