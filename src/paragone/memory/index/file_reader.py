"""Reads files below the root. Secrets, recognised by name or content, are never indexed, shown or packed."""

import hashlib
import os
import posixpath
import re
import stat
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paragone import extras
from paragone.closing import Closing
from paragone.domain.text import counted, harmless, visible
from paragone.errors import InvalidConfig, NotFound, UnreadableFile, UsageError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from paragone.memory.store.store import Store


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


SECRET_FILES = (
    *(".env*", "*.env", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.pkcs12", "*.jks", "*.keystore", "*.keytab"),
    *("*.kdbx", "*.kdb", "*.ppk", "*.ovpn", "*.gpg", "*.pgp", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *("ssh_host_*_key", "authorized_keys", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"),
    *(".git-credentials", ".dockercfg", ".docker/config.json", ".kube/config", "kubeconfig", ".boto", ".s3cfg"),
    *(".vault-token", "credentials*", "secret.*", "secrets.*", "*.secret", "*.secrets", ".secrets*", "*.tfstate"),
    *("*.tfstate.*", "*.tfvars", "service-account*.json", "service_account*.json", "client_secret*.json"),
    *(".aws/", ".ssh/", ".gnupg/", ".azure/", ".config/gcloud/", ".password-store/"),
)
"""Patterns as in .gitignore files, in lower case; they match in any case."""

_SECRET_TEXT = (
    rb"(?m)^[ \t]*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|\s|[\"'+,])*[A-Za-z0-9+/]{16}",
    rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    rb"\bgh[pousr]_[A-Za-z0-9]{30}",
    rb"\bgithub_pat_[A-Za-z0-9_]{30}",
    rb"\bglpat-[A-Za-z0-9_-]{20}",
    rb"\bsk-(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20}",
    rb"\bsk-[A-Za-z0-9]{20}",
    rb"\b[sr]k_live_[A-Za-z0-9]{16}",
    rb"\bxox[abeoprs]-[A-Za-z0-9-]{10}",
    rb"\bAIza[0-9A-Za-z_-]{35}",
    rb"\bnpm_[A-Za-z0-9]{36}",
    rb"\bpypi-AgEI[A-Za-z0-9_-]{50}",
    rb"\bhf_[A-Za-z]{34}\b",
)


class Secrecy:
    """Which paths are secrets: the built-in list and the store's own patterns, of which ``!`` makes exceptions."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._built_in = gitignore(SECRET_FILES)
        self._own = gitignore(patterns) if patterns else None

    def hides(self, path: str) -> bool:
        """Whether a path below the root is a secret's; a folder's path ends in a slash."""
        verdict = None if self._own is None else self._own.check_file(path).include
        return bool(self._built_in.match_file(path.lower())) if verdict is None else verdict


def holds_secret(data: bytes) -> bool:
    """Whether a text contains a private key or an access token of a known form."""
    return _secret_text().search(data) is not None


def gitignore(patterns: Sequence[str]) -> "GitIgnoreSpec":
    """Patterns as in .gitignore files, matched by RE2 in linear time.

    Raises:
        InvalidConfig: If one of them is invalid.
        MissingExtra: If pathspec or google-re2 is not installed.
    """
    re2 = regular_expressions()
    with extras.importing("memory needs", "pathspec"):
        import pathspec  # noqa: F401
    try:
        return _compiled(tuple(patterns))
    except (ValueError, re.error, re2.error) as error:
        raise InvalidConfig(f"not a pattern as .gitignore files have them: {error}") from error


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    """The patterns as an automaton: to make that of the secrets' names takes longer than to open a store."""
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings(action="ignore"):  # of what a pattern would mean in a later Python
        spec = GitIgnoreSpec.from_lines(patterns, backend="re2")
        spec.check_file("compiled when it is first asked")
    return spec


def paths_like(glob: str) -> "GitIgnoreSpec":
    """The paths that a glob names, as in .gitignore: ``*.py`` at any depth, ``docs/`` for all below it.

    Raises:
        UsageError: If the glob is invalid or names nothing.
        MissingExtra: If pathspec or google-re2 is not installed.
    """
    if len(glob) > MAX_GLOB_LENGTH:
        raise UsageError(f"the glob has {len(glob):,} characters; {MAX_GLOB_LENGTH} is the most")
    try:
        spec = gitignore([glob])
    except InvalidConfig as error:
        raise UsageError(f"{visible(glob)!r} is not a valid glob: {error}") from error
    if not any(pattern.include for pattern in spec.patterns):
        raise UsageError(
            f"the glob {visible(glob)!r} names no file; write one as in .gitignore, such as *.py or docs/**"
        )
    return spec


def regular_expressions() -> Any:  # noqa: ANN401 - re2 has no types
    """The module ``re2``, whose patterns match in linear time.

    Raises:
        MissingExtra: If google-re2 is not installed.
    """
    with extras.importing("memory needs", "google-re2"):
        import re2
    return re2


@cache
def _secret_text() -> Any:  # noqa: ANN401 - re2 has no types
    return regular_expressions().compile(b"|".join(b"(?:" + text + b")" for text in _SECRET_TEXT))


ODD = "its name is empty or holds characters that cannot be shown"
HIDDEN = (".git", ".paragone")
"""Folders, at any depth, that are never read."""
MAX_GLOB_LENGTH = 500
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


def source_text(path: str, data: bytes) -> SourceText:
    """The text of a file's bytes.

    Raises:
        ValueError: If it is not text, or holds a secret; the error says which.
    """
    if b"\0" in data:
        raise ValueError("it is binary")
    if holds_secret(data):
        raise ValueError("it looks like it holds a secret")
    text = data.decode("utf-8", "replace")
    if text.count("\ufffd") > _MAX_BROKEN_SHARE * len(text):
        raise ValueError("it is not UTF-8 text")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
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
