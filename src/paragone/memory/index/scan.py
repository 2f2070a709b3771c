"""Walks the root and decides for each file whether it may be indexed. Only .gitignore files are opened."""

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from paragone.errors import InvalidConfig
from paragone.memory.index.file_reader import ODD, FileReader, is_odd
from paragone.memory.index.globs import gitignore

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from paragone.memory.store.config import IndexConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """A file or folder that is not in the index, and why."""

    path: str
    why: str


_GRAIN = 100_000_000
"""Nanoseconds after a change within which a file may change again and keep the same time."""
_COARSE_GRAIN = 2_000_000_000
"""The same on file systems with times in whole seconds."""
_MAX_RULE_BYTES = 1_000_000
"""Bytes of a .gitignore file that are read."""


@dataclass(frozen=True, slots=True)
class FileStat:
    """A file that may be indexed, if its content allows it.

    Attributes:
        look: Size, times and inode: while they are the same, so is the content. Empty if that is not certain.
        mtime_ns: When it was last written.
    """

    path: str
    look: str
    mtime_ns: int


def _seen(path: str, status: os.stat_result) -> FileStat:
    """A file with its look; without one if it was written just now, and may be again at the same size and time."""
    latest = max(status.st_mtime_ns, status.st_ctime_ns)
    look = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
    grain = _GRAIN if status.st_mtime_ns % 1_000_000_000 else _COARSE_GRAIN
    return FileStat(path, look if time.time_ns() - latest > grain else "", status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Scan:
    """The files found, by path, and what was skipped; paths excluded by patterns are in neither."""

    files: dict[str, FileStat] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The patterns of one .gitignore file.

    Attributes:
        spec: The patterns.
        cut: Length of the folder's path, which patterns do not see, if the file lies below the root.
        prefix: Path of the root as seen from the folder, if the file lies above the root.
    """

    spec: "GitIgnoreSpec"
    cut: int = 0
    prefix: str = ""

    def verdict_on(self, path: str) -> bool | None:
        return self.spec.check_file(self.prefix + path[self.cut :]).include


class Scanner:
    """Walks one root by one configuration."""

    def __init__(self, root: Path, reader: FileReader, config: "IndexConfig") -> None:
        self._root = Path(os.path.realpath(root))
        self._reader = reader
        self._include = gitignore(config.include)
        self._exclude = gitignore(config.exclude)
        self._honours = config.gitignore

    def scan(self) -> Scan:
        """All files, in the order of their paths."""
        result = Scan()
        self._folder("", self._around() if self._honours else (), result)
        return result

    def _folder(self, base: str, rules: tuple[_Rules, ...], result: Scan) -> None:
        folders = [(base, rules)]
        while folders:
            base, rules = folders.pop()
            entries = self._entries(base, result)
            if self._honours and any(entry.name == ".gitignore" for entry in entries):
                rules = (*rules, *_rules(self._root / base / ".gitignore", cut=len(base)))
            below = [self._entry(entry, base + entry.name, rules, result) for entry in entries]
            folders.extend((path, rules) for path in reversed(below) if path)

    def _entries(self, base: str, result: Scan) -> "list[os.DirEntry[str]]":
        try:
            with os.scandir(self._root / base) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            result.skipped.append(Skipped(path=_shown(base), why=f"cannot be listed: {error.strerror}"))
            return []

    def _entry(self, entry: "os.DirEntry[str]", path: str, rules: tuple[_Rules, ...], result: Scan) -> str:
        """Note a file; returns the path, with a slash, of a folder that is to be walked."""
        if is_odd(path):  # before any pattern: the matcher takes no bytes that are no UTF-8
            result.skipped.append(Skipped(path=_shown(path), why=ODD))
            return ""
        is_folder = entry.is_dir(follow_symlinks=False)
        if self._reader.is_hidden(path) or self._ignored(path + "/" * is_folder, rules):
            return ""
        try:
            why, status = self._refused(entry, path), entry.stat(follow_symlinks=False)
        except OSError as error:
            why, status = f"cannot be looked at: {error.strerror}", None
        if why is None and is_folder:
            return path + "/"
        if why is not None or status is None:
            result.skipped.append(Skipped(path=_shown(path), why=why or ""))
        elif self._include.match_file(path):
            result.files[path] = _seen(path, status)
        return ""

    def _ignored(self, path: str, rules: tuple[_Rules, ...]) -> bool:
        if self._exclude.match_file(path):
            return True
        return bool(
            next(
                (verdict for ignore_file in reversed(rules) if (verdict := ignore_file.verdict_on(path)) is not None),
                False,
            )
        )

    def _refused(self, entry: "os.DirEntry[str]", path: str) -> str | None:
        if entry.is_symlink():
            return self._refused_link(path)
        if entry.is_dir(follow_symlinks=False):
            return self._reader.refused_name(path + "/")
        return self._reader.refused_name(path) or self._reader.refused_status(entry.stat(follow_symlinks=False))

    def _refused_link(self, path: str) -> str:
        real = Path(os.path.realpath(self._root / path))
        if not real.is_relative_to(self._root):
            return "a link that leads out of the root"
        return "a link; what it leads to is indexed under its own name" if real.exists() else "a link to nothing"

    def _around(self) -> tuple[_Rules, ...]:
        """The rules of the enclosing repository: those of the folders above the root, and its own exclude list."""
        above = [self._root, *self._root.parents]
        top = next((at for at, folder in enumerate(above) if (folder / ".git").exists()), None)
        if top is None:
            return ()
        prefix = _prefix(self._root, above[top])
        rules = list(_rules(above[top] / ".git" / "info" / "exclude", prefix=prefix))
        for folder in reversed(above[1 : top + 1]):
            rules.extend(_rules(folder / ".gitignore", prefix=_prefix(self._root, folder)))
        # Whoever names a root that its repository ignores wants it all the same.
        return () if self._ignored("", tuple(rules)) else tuple(rules)


def _prefix(root: Path, folder: Path) -> str:
    """The root as seen from a folder above it, with a slash; empty if it is that folder."""
    path = root.relative_to(folder).as_posix()
    return "" if path == "." else path + "/"


def _rules(path: Path, *, cut: int = 0, prefix: str = "") -> Iterator[_Rules]:
    """The rules of a .gitignore file, if it exists and can be read; invalid patterns are ignored."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return
        with path.open("rb") as file:
            lines = file.read(_MAX_RULE_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    try:
        yield _Rules(gitignore(lines), cut, prefix)
    except InvalidConfig:
        yield _Rules(gitignore([line for line in lines if _is_pattern(line)]), cut, prefix)


def _is_pattern(line: str) -> bool:
    try:
        gitignore([line])
    except InvalidConfig:
        return False
    return True


def _shown(path: str) -> str:
    r"""A path that any text can hold: bytes that are not UTF-8 as ``\xff``."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") or "."
