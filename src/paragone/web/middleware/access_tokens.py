"""The file of tokens: who may do what. It keeps the SHA-256 of tokens, never these themselves."""

import errno
import hashlib
import hmac
import json
import os
import secrets
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from paragone.domain.names import name_problem
from paragone.errors import Conflict, InvalidConfig, InvalidEvidence, NotFound, UnreadableFile, Unwritable
from paragone.files import in_turn
from paragone.web.middleware.roles import LOCAL as LOCAL  # noqa: PLC0414 - others know these from here
from paragone.web.middleware.roles import Access
from paragone.web.middleware.roles import Caller as Caller  # noqa: PLC0414
from paragone.web.middleware.roles import Role as Role  # noqa: PLC0414

LENGTH = 32
"""Bytes of a secret."""


def secret_in(path: Path) -> bytes:
    """The secret in a file, which is made if there is none; if several processes make it at once, one wins.

    Raises:
        InvalidConfig: If the file holds no secret, or others may read it.
        Unwritable: If it cannot be read or made.
    """
    try:
        if not path.exists():
            _make(path)
        problem = danger(path.stat())
        secret = bytes.fromhex(path.read_text("ascii").strip())
    except ValueError:
        problem, secret = "", b""
    except OSError as error:
        raise Unwritable(f"{path} cannot be read or made ({error.strerror}): it keeps what signs cookies") from error
    if problem:
        raise InvalidConfig(f"{path} {problem}, who could make cookies and offers; chmod 600 it", key="tokens")
    if len(secret) < LENGTH:
        raise InvalidConfig(f"{path} holds no secret of a server; delete it, and a new one is made", key="tokens")
    return secret


def danger(status: os.stat_result, *, is_secret: bool = True, user: int | None = None) -> str:
    """What others may do with a file but should not; empty if nothing, or if the system has no such rights.

    Args:
        status: Status of the file.
        is_secret: Whether others must not read it either; its group may, for processes that share it.
        user: Our user id; None for that of this process.
    """
    if sys.platform == "win32":
        return ""
    ours = {0, os.geteuid() if user is None else user}
    if status.st_uid not in ours and ours != {0}:
        return "belongs to others"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "may be written by others"
    return "may be read by others" if is_secret and status.st_mode & stat.S_IROTH else ""


def write_private(text: str, path: Path) -> None:
    """Write a new file that only its owner may read; it is on the disk afterwards.

    Raises:
        FileExistsError: If there is one.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _make(path: Path) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    write_private(secrets.token_bytes(LENGTH).hex() + "\n", beside)
    try:
        with suppress(FileExistsError):
            os.link(beside, path)  # atomic; fails if another process was quicker
    finally:
        beside.unlink()


PREFIX = "pgn_"
"""Prefix of tokens, so that a leaked one can be searched for."""


T = TypeVar("T")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class TokenFile:
    """The tokens of a server. Other processes may add and revoke them at any time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._seen: tuple[int, ...] | None = None
        self._access = Access()
        self._by_mark: tuple[Access, bytes, Mapping[str, Caller]] | None = None

    def add(self, name: str, role: Role) -> str:
        """Make a token. It is returned once and stored nowhere.

        Raises:
            Conflict: If there is one of that name, or a person.
            InvalidEvidence: If the name is invalid.
        """
        require_name(name, "the name of a token")
        token = PREFIX + secrets.token_urlsafe(32)

        def added(access: Access) -> tuple[Access, str]:
            if any(caller.name == name for caller in access.tokens.values()):
                raise Conflict(f"there is a token named {name!r} already; revoke it first, or take another name")
            if name in access.people:
                raise Conflict(f"there is a person named {name!r}, whose votes have that name; take another one")
            key = digest(token)
            return replace(access, tokens={**access.tokens, key: Caller(name=name, role=role, key=key)}), token

        return self.change(added)

    def revoke(self, name: str) -> None:
        """Revoke a token, and every cookie made from it.

        Raises:
            NotFound: If there is none of that name.
        """

        def revoked(access: Access) -> tuple[Access, None]:
            remaining = {key: caller for key, caller in access.tokens.items() if caller.name != name}
            if len(remaining) == len(access.tokens):
                person = ": it is a person's (paragone people revoke)" if name in access.people else ""
                raise NotFound(f"there is no token named {name!r}{person}")
            return replace(access, tokens=remaining), None

        self.change(revoked)

    def callers(self) -> tuple[Caller, ...]:
        """The callers of all tokens."""
        return tuple(self.read().tokens.values())

    def caller(self, token: str) -> Caller | None:
        """The caller of a token; None if it is unknown."""
        hashed = digest(token)
        match = None
        for key, caller in self.read().tokens.items():  # compare with all, in constant time
            if hmac.compare_digest(key.encode("utf-8", "surrogatepass"), hashed.encode()):
                match = caller
        return match

    def by_mark(self, mark: Callable[[str, bytes], str], secret: bytes) -> Mapping[str, Caller]:
        """All who may have a session, by what stands for them in cookies that a secret signs.

        Args:
            mark: Makes that of a key and the secret.
            secret: The secret.
        """
        access, before = self.read(), self._by_mark
        if before is None or before[0] is not access or before[1] != secret:
            before = (access, secret, {mark(caller.key, secret): caller for caller in access.sessions})
            self._by_mark = before
        return before[2]

    def change(self, make: Callable[[Access], tuple[Access, T]], record: Callable[[T], None] = lambda _: None) -> T:
        """Change who may get in, one process after the other: no change is lost.

        Args:
            make: Makes the new state and what is returned; if it raises, nothing changes.
            record: Records what is returned elsewhere, if that changes anything: when the new state is on the disk, and
                before it counts. If it raises, nothing changes.

        Raises:
            UnreadableFile: If the file cannot be read.
            Unwritable: If it cannot be written.
        """
        with self._in_turn():
            before = self.read()
            access, result = make(before)
            if access is not before:
                with self._replaced(access):
                    record(result)
        return result

    def read(self) -> Access:
        """All who may get in, as the file has it now.

        Raises:
            UnreadableFile: If it cannot be read; nobody is known then.
        """
        with self._lock:
            try:
                status = self.path.stat()
            except FileNotFoundError:
                return _NOBODY
            except OSError as error:
                raise UnreadableFile(f"{self.path} cannot be read: {error.strerror}") from error
            stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size)
            if self._seen != stamp:
                self._seen = None  # while the file cannot be read nobody is known
                self._access = self._parsed(status)
                self._seen = stamp
            return self._access

    def _parsed(self, status: os.stat_result) -> Access:
        problem = danger(status, is_secret=False)
        if problem:
            raise UnreadableFile(f"{self.path} {problem}, who could make tokens; chmod 600 it")
        try:
            return Access.of(json.loads(self.path.read_text("utf-8")))
        except OSError as error:
            raise UnreadableFile(f"{self.path} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableFile(f"{self.path} is not a file of tokens: {error}") from error

    @contextmanager
    def _replaced(self, access: Access) -> Iterator[None]:
        """Write a new state beside the file, which it replaces at the end of the block unless that raises."""
        beside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
        try:
            with self._written():
                write_private(json.dumps(access.as_json(), indent=2) + "\n", beside)
            yield
            with self._written():
                beside.replace(self.path)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Unwritable(
                f"{self.path} cannot be written ({error.strerror}): it keeps tokens and people, so let this user "
                "write it and its folder, or name another file",
                temporary=error.errno in _NO_ROOM,
            ) from error

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Lock out other processes: one that read before another wrote would restore a revoked token."""
        folder = self.path.absolute().parent
        with ExitStack() as stack:
            try:
                stack.enter_context(in_turn(folder))
            except OSError as error:
                raise Unwritable(f"{folder} cannot be opened: {error.strerror}") from error
            yield


_NOBODY = Access()


def require_name(name: str, what: str) -> None:
    """Refuse a name that nobody can have.

    Args:
        name: The name.
        what: What is called so, for the words.

    Raises:
        InvalidEvidence: If it is invalid.
    """
    problem = name_problem(name, what)
    if problem is None and name == LOCAL.name:
        problem = f"{name!r} stands for everybody who uses a server without tokens; take another name"
    if problem is not None:
        raise InvalidEvidence(problem)


def digest(token: str) -> str:
    """SHA-256 of a token. It has 256 random bits, so that a plain hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def role_named(name: str) -> Role:
    """The role with a name.

    Raises:
        InvalidConfig: If there is none.
    """
    try:
        return Role.of(name)
    except KeyError:
        roles = ", ".join(role.word for role in Role)
        raise InvalidConfig(f"there is no role {name!r}; there are {roles}") from None
