"""The file of the scores: what is said where it cannot be used."""

import sqlite3
from pathlib import Path

import pytest

from paragone.errors import Busy, Unwritable
from paragone.memory.scores.database import translated


@pytest.mark.parametrize(
    ("said", "kind", "advice"),
    [
        ("database is locked", Busy, "in use by another process"),
        ("attempt to write a readonly database", Unwritable, "make the store's folder writable"),
        ("unable to open database file", Unwritable, "make the store's folder writable"),
        ("disk I/O error", Unwritable, "it may be deleted"),
    ],
)
def test_what_to_do_depends_on_what_is_wrong(said, kind, advice):
    error = translated(Path("elo_scores.db"), sqlite3.OperationalError(said))
    assert type(error) is kind
    assert advice in str(error)
