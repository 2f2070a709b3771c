"""Writes what to rank by into ``memory.toml``, and nothing else of it."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from paragone.errors import UsageError
from paragone.memory.store import Store
from paragone.memory.store.config import RankBy

_SECTION = re.compile(r"^\s*\[\s*ranking\s*\]\s*(#.*)?$")
_OTHER = re.compile(r"^\s*\[")
_KEY = re.compile(r"^\s*rank_by\s*=")
_HINT = re.compile(r"^\s*#\s*rank_by\s*=")


def choose(store: Store, rank_by: RankBy) -> Path:
    """Have ``[ranking] rank_by`` say this from now on; comments and everything else stay as they are.

    Returns:
        The file that was changed.

    Raises:
        UsageError: Where the file is written so that this cannot be done safely; it stays as it was.
    """
    path = store.path / "memory.toml"
    with store.locked():
        before = path.read_bytes().decode("utf-8")
        after = with_rank_by(before, rank_by)
        if _values(after) != _wanted(before, rank_by):
            raise UsageError(f'{path} cannot be changed safely: write rank_by = "{rank_by}" under [ranking] yourself')
        _replace(path, after)
    return path


def with_rank_by(text: str, rank_by: RankBy) -> str:
    """The text of a configuration with another ``rank_by``: in its place, in that of its hint, or in a new line."""
    lines = text.removesuffix("\n").split("\n") if text else []
    setting = f'rank_by = "{rank_by}"'
    begin = next((number for number, line in enumerate(lines) if _SECTION.match(line)), None)
    if begin is None:
        return "\n".join([*lines, *([""] if lines else []), "[ranking]", setting]) + "\n"
    end = next((number for number in range(begin + 1, len(lines)) if _OTHER.match(lines[number])), len(lines))
    for pattern in (_KEY, _HINT):
        for number in range(begin + 1, end):
            if pattern.match(lines[number]):
                return "\n".join([*lines[:number], setting, *lines[number + 1 :]]) + "\n"
    return "\n".join([*lines[: begin + 1], setting, *lines[begin + 1 :]]) + "\n"


def _values(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _wanted(before: str, rank_by: RankBy) -> dict[str, Any]:
    values = _values(before) or {}
    return values | {"ranking": {**values.get("ranking", {}), "rank_by": rank_by}}


def _replace(path: Path, text: str) -> None:
    """Writes beside it and puts it in its place, so that nobody ever reads a half."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    with beside.open("wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
