"""Tokens: who may do what. A file beside the ledger keeps their SHA-256, never the tokens themselves."""

import hashlib
import hmac
import json
import os
import secrets
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from paragone.domain.names import name_problem
from paragone.errors import Conflict, InvalidConfig, InvalidEvidence, NotFound, UnreadableFile, Unwritable
from paragone.files import in_turn

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


class Role(IntEnum):
    """What a token may do; each role includes those before it."""

    READ = 1
    VOTE = 2
    JUDGE = 3
    ADMIN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """The caller of a request.

    Attributes:
        name: Name of the token; ``local`` if there are no tokens.
        role: What it may do.
        key: SHA-256 of its token, in hexadecimal; empty if there are no tokens.
        csrf: CSRF token of its pages, which requests from them carry; empty if none is needed.
    """

    name: str
    role: Role
    key: str = field(default="", repr=False)
    csrf: str = field(default="", repr=False, compare=False)


LOCAL = Caller(name="local", role=Role.ADMIN)
"""The caller of a server without tokens, which is bound to loopback."""


class TokenFile:
    """The tokens of a server. Other processes may add and revoke them at any time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._seen: tuple[int, ...] | None = None
        self._tokens: dict[str, Caller] = {}

    def add(self, name: str, role: Role) -> str:
        """Make a token. It is returned once and stored nowhere.

        Raises:
            Conflict: If there is one of that name.
            InvalidEvidence: If the name is invalid.
        """
        problem = name_problem(name, "the name of a token")
        if problem is None and name == LOCAL.name:
            problem = f"{name!r} is who asks a server without tokens; take another name"
        if problem is not None:
            raise InvalidEvidence(problem)
        token = PREFIX + secrets.token_urlsafe(32)
        with self._in_turn():
            tokens = self._read()
            if any(caller.name == name for caller in tokens.values()):
                raise Conflict(f"there is a token named {name!r} already; revoke it first, or take another name")
            key = digest(token)
            self._write({**tokens, key: Caller(name=name, role=role, key=key)})
        return token

    def revoke(self, name: str) -> None:
        """Revoke a token, and every cookie made from it.

        Raises:
            NotFound: If there is none of that name.
        """
        with self._in_turn():
            tokens = self._read()
            remaining = {key: caller for key, caller in tokens.items() if caller.name != name}
            if len(remaining) == len(tokens):
                raise NotFound(f"there is no token named {name!r}")
            self._write(remaining)

    def callers(self) -> tuple[Caller, ...]:
        """The callers of all tokens."""
        return tuple(self._read().values())

    def caller(self, token: str) -> Caller | None:
        """The caller of a token; None if it is unknown."""
        hashed = digest(token)
        match = None
        for key, caller in self._read().items():  # compare with all, in constant time
            if hmac.compare_digest(key.encode("utf-8", "surrogatepass"), hashed.encode()):
                match = caller
        return match

    def _read(self) -> dict[str, Caller]:
        with self._lock:
            try:
                status = self.path.stat()
            except FileNotFoundError:
                return {}
            except OSError as error:
                raise UnreadableFile(f"{self.path} cannot be read: {error.strerror}") from error
            stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size)
            if self._seen != stamp:
                self._seen = None  # while the file cannot be read nobody is known
                self._tokens = self._parsed(status)
                self._seen = stamp
            return self._tokens

    def _parsed(self, status: os.stat_result) -> dict[str, Caller]:
        problem = danger(status, is_secret=False)
        if problem:
            raise UnreadableFile(f"{self.path} {problem}, who could make tokens; chmod 600 it")
        try:
            rows = json.loads(self.path.read_text("utf-8"))["tokens"]
            return {caller.key: caller for caller in map(_caller, rows)}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableFile(f"{self.path} is no file of tokens: {error}") from error

    def _write(self, tokens: dict[str, Caller]) -> None:
        rows = [
            {"name": caller.name, "role": caller.role.name.lower(), "sha256": key} for key, caller in tokens.items()
        ]
        beside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
        try:
            write_private(json.dumps({"tokens": rows}, indent=2) + "\n", beside)
            beside.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise Unwritable(f"{self.path} cannot be written: {error.strerror}") from error

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


def _caller(row: dict[str, str]) -> Caller:
    return Caller(name=str(row["name"]), role=Role[row["role"].upper()], key=str(row["sha256"]))


def digest(token: str) -> str:
    """SHA-256 of a token. It has 256 random bits, so that a plain hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def role_named(name: str) -> Role:
    """The role with a name.

    Raises:
        InvalidConfig: If there is none.
    """
    try:
        return Role[name.upper()]
    except KeyError:
        roles = ", ".join(role.name.lower() for role in Role)
        raise InvalidConfig(f"there is no role {name!r}; there are {roles}") from None
