"""Writes what to rank by into ``memory.toml``, and nothing else of it."""

from pathlib import Path

from paragone.memory.store import Store
from paragone.memory.store.config import RankBy
from paragone.memory.store.setting import change


def choose(store: Store, rank_by: RankBy) -> Path:
    """Have ``[ranking] rank_by`` say this from now on; comments and everything else stay as they are.

    Returns:
        The file that was changed.

    Raises:
        UsageError: Where the file is written so that this cannot be done safely; it stays as it was.
        Unwritable: If it cannot be written.
    """
    path = store.path / "memory.toml"
    with store.locked():
        change(path, "ranking", "rank_by", rank_by)
    return path
