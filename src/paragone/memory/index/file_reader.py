"""Reads files below the root, except secrets, which are recognised by name or content."""

import codecs
import hashlib
import os
import posixpath
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paragone.closing import Closing
from paragone.domain.text import counted, harmless
from paragone.errors import NotFound, UnreadableFile
from paragone.intake.text_file import marked_encoding
from paragone.memory.index.secret_patterns import Secrecy, holds_secret

if TYPE_CHECKING:
    from paragone.memory.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceText:
    r"""A file that was read.

    Attributes:
        path: Below the root, with slashes.
        text: As ``decoded`` reads it, without a byte order mark, with ``\n`` line ends.
        sha256: Of the bytes, in hexadecimal.
        lines: Number of lines; a last one without a line end counts.
    """

    path: str
    text: str
    sha256: str
    lines: int


ODD = "its name is empty or holds characters that cannot be shown"
HIDDEN = (".git", ".paragone")
"""Folders, at any depth, that are never read."""
_MAX_BROKEN_SHARE = 0.3
"""A file with a larger share of broken characters is not text."""


_MAX_SHOWN = 200
"""Characters of a path shown in a message."""


class FileReader:
    """Reads files below the root of a store."""

    def __init__(self, store: "Store") -> None:
        self._root = Path(os.path.realpath(store.root))
        self._prefix = f"{self._root}{'' if str(self._root).endswith(os.sep) else os.sep}"
        self._own = _below(Path(os.path.realpath(store.path)), self._root)
        self._secrecy = Secrecy(store.config.index.secrets)
        self._most = store.config.index.max_bytes

    def read(self, path: str) -> SourceText:
        """A file as text. A link is read, and counts, as the file that it leads to.

        Args:
            path: Below the root, with slashes; ``./a`` is ``a``.

        Raises:
            NotFound: If there is no such file.
            UnreadableFile: If it may not be read, or is not text.
        """
        path = posixpath.normpath(path)
        why, target = self._judged(path)
        if why is not None:
            raise UnreadableFile(f"{_named(path)} is not read: {why}")
        own = target or path
        try:
            data = self.data(own)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NotFound(f"there is no file {_named(path)} below {self._root}") from error
        except OSError as error:
            raise UnreadableFile(f"{_named(path)} cannot be read: {error.strerror or error}") from error
        try:
            return source_text(own, data)
        except ValueError as error:
            raise UnreadableFile(f"{_named(path)} is not read: {error}") from error

    def allowed(self, path: str) -> str | None:
        """Why a path may not be read; None if it may. Content is only checked when it is read.

        A link is allowed if its target is. A path that leads nowhere is allowed, and not found.
        """
        return self._judged(path)[0]

    def _judged(self, path: str) -> tuple[str | None, str | None]:
        """Why a path may not be read, None if it may, and the path behind all links."""
        why = self.refused_name(path)
        if why is not None:
            return why, None
        target = self._target(path)
        if target is None:
            return "it leads out of the root", None
        if target != path and (why := self.refused_name(target)) is not None:
            return f"it leads to {target}, and {why}", target
        return self._refused_kind(self._root / target), target

    def refused_name(self, path: str) -> str | None:
        """Why a path may not be read, by its name alone."""
        if is_odd(path):
            return ODD
        if path.startswith("/") or ".." in path.split("/") or os.path.isabs(path):  # noqa: PTH117 - for every file of a root
            return "it lies outside of the root"
        if self.is_hidden(path):
            return "it belongs to git or to the store"
        if self._secrecy.hides(path):
            return "its name is that of a secret"
        return None

    def is_hidden(self, path: str) -> bool:
        """Whether a path belongs to git or to the store."""
        own = self._own is not None and f"{path}/".startswith(self._own)
        return own or any(part.lower() in HIDDEN for part in path.split("/"))

    def data(self, path: str) -> bytes:
        """The bytes of a file that is allowed.

        Raises:
            OSError: If it cannot be read, or has become a link or no regular file since it was checked.
        """
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        if self._target(path) != path:
            raise OSError("it is a link")
        with open(os.open(self._root / path, flags), "rb") as file:  # noqa: PTH123 - a descriptor, no path
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError("it is not a regular file")
            data = file.read(self._most + 1)
        return _no_larger(data, self._most)

    @contextmanager
    def reading(self) -> Iterator[Callable[[str], bytes]]:
        """``data`` for many files, quickest in the order of their paths."""
        if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            yield self.data
            return
        with OpenFolders(self._root) as folders:
            yield lambda path: folders.data(path, self._most)

    def _target(self, path: str) -> str | None:
        """The path behind all links; None if it lies outside the root."""
        if self._has_no_link(path):
            return path
        real = Path(os.path.realpath(self._root / path))
        return real.relative_to(self._root).as_posix() if real.is_relative_to(self._root) else None

    def _has_no_link(self, path: str) -> bool:
        """Whether a path is there and no step of it is a link; where that is uncertain, it is no."""
        prefix, steps = self._prefix, path.split("/")
        if os.name != "posix" or not {"", ".", ".."}.isdisjoint(steps):
            return False
        try:
            for step in steps:
                prefix = f"{prefix}{step}"
                if stat.S_ISLNK(os.lstat(prefix).st_mode):
                    return False
                prefix = f"{prefix}/"
        except (OSError, ValueError):
            return False
        return True

    def _refused_kind(self, real: Path) -> str | None:
        try:
            status = real.lstat()
        except OSError:
            return None
        return self.refused_status(status)

    def refused_status(self, status: os.stat_result) -> str | None:
        """Why a file with such a status may not be read."""
        if stat.S_ISDIR(status.st_mode):
            return "it is a folder"
        if not stat.S_ISREG(status.st_mode):
            return "it is not a regular file"
        if status.st_size > self._most:
            return f"it is larger than {counted(self._most, 'byte')}"
        return None


class OpenFolders(Closing):
    """Reads files below a root from their folders, of which the last stays open.

    No step on the way to a file follows a link, so that nobody can lead a path out of the root, and nothing has to be
    asked about where it leads. For one thread.
    """

    def __init__(self, root: Path) -> None:
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        self._last, self._folder = "", self._root

    def data(self, path: str, most: int) -> bytes:
        """The bytes of a file, at most ``most``.

        Raises:
            OSError: If it cannot be read, is no regular file, is too large, or a link leads to it.
        """
        folder, _, name = path.rpartition("/")
        if folder != self._last:
            self._enter(folder)
        descriptor = os.open(_step(name), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=self._folder)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError("it is not a regular file")
            data = os.read(descriptor, min(status.st_size, most) + 1)
            while status.st_size < len(data) <= most and (more := os.read(descriptor, most + 1 - len(data))):
                data += more  # it is growing
            return _no_larger(data, most)
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Close what is open."""
        self._leave()
        os.close(self._root)

    def _enter(self, folder: str) -> None:
        self._leave()
        try:
            for part in folder.split("/") if folder else ():
                inner = os.open(_step(part), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self._folder)
                self._leave()
                self._folder = inner
        except OSError:
            self._leave()
            raise
        self._last = folder

    def _leave(self) -> None:
        if self._folder != self._root:
            os.close(self._folder)
        self._last, self._folder = "", self._root


def _step(name: str) -> str:
    if name in ("", ".", ".."):
        raise OSError("it leads elsewhere")
    return name


def _no_larger(data: bytes, most: int) -> bytes:
    if len(data) > most:
        raise OSError(f"it is larger than {counted(most, 'byte')}")
    return data


def decoded(data: bytes) -> tuple[str, int]:
    r"""The text of a file's bytes, with ``\n`` line ends, and how many places in it are in another encoding.

    UTF-16 and UTF-32 are known by their mark; all else is UTF-8, in which bytes that are none are letters of Western
    European Windows: those of older sources mostly are, and a word with any other sign in their place is not found.
    """
    encoding, broken = marked_encoding(data) or "utf-8", 0
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        broken = data.decode(encoding, "replace").count("\ufffd")
        text = data.decode(encoding, _WESTERN if encoding == "utf-8" else "replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n"), broken


def _western(error: UnicodeError) -> tuple[str, int]:
    """The letters that stand for bytes which are no UTF-8."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


_WESTERN = "paragone.western"
codecs.register_error(_WESTERN, _western)


def source_text(path: str, data: bytes) -> SourceText:
    """The text of a file's bytes.

    Raises:
        ValueError: If it is not text, or holds a secret; the error says which.
    """
    text, broken = decoded(data)
    if "\0" in text:
        raise ValueError("it is binary")
    if holds_secret(data) or (marked_encoding(data) and holds_secret(text.encode())):
        raise ValueError("it looks like it holds a secret")
    if broken > _MAX_BROKEN_SHARE * len(text):
        raise ValueError("it is not UTF-8 text")
    lines = text.count("\n") + (not text.endswith("\n") if text else 0)
    return SourceText(path=path, text=text, sha256=hashlib.sha256(data).hexdigest(), lines=lines)


def _below(path: Path, root: Path) -> str | None:
    """A path below the root with a slash at its end; None if it lies elsewhere."""
    return path.relative_to(root).as_posix() + "/" if path.is_relative_to(root) else None


def is_odd(path: str) -> bool:
    """Whether a path holds what cannot be shown or stored: control characters, half characters, bytes."""
    return not path or "\n" in path or "\t" in path or harmless(path) != path


def _named(path: str) -> str:
    """A path for a message, shortened and without invisible characters."""
    text = harmless(path)
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}...")
