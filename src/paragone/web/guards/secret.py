"""The secret of a server: what its cookies and offers are signed with. It is kept in a file of its owner's alone."""

import os
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path

from paragone.errors import InvalidConfig, Unwritable

LENGTH = 32
"""Bytes of a secret."""


def secret_in(path: Path) -> bytes:
    """The secret in a file, which is made where there is none; of several processes that make it one has it stand.

    Raises:
        InvalidConfig: If the file holds no secret, or others may read it.
        Unwritable: If it cannot be read or made.
    """
    try:
        if not path.exists():
            _make(path)
        problem = danger(path.stat())
        found = bytes.fromhex(path.read_text("ascii").strip())
    except ValueError:
        problem, found = "", b""
    except OSError as error:
        raise Unwritable(f"{path} cannot be read or made ({error.strerror}): it keeps what signs cookies") from error
    if problem:
        raise InvalidConfig(f"{path} {problem}, who could make cookies and offers; chmod 600 it", key="tokens")
    if len(found) < LENGTH:
        raise InvalidConfig(f"{path} holds no secret of a server; delete it, and a new one is made", key="tokens")
    return found


def danger(status: os.stat_result, *, is_secret: bool = True, user: int | None = None) -> str:
    """What others may do with a file of ours and should not; empty where all is well, or files have no such rights.

    Args:
        status: Of the file.
        is_secret: Whether others may not even read it; a group may, as processes that share it are in one.
        user: Who we are; None for the user of this process.
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
            os.link(beside, path)  # whole, or not at all where another process was quicker
    finally:
        beside.unlink()
