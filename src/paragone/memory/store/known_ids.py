"""Which ids the logs hold: a projection, made again whenever it does not fit them."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from paragone.errors import Unwritable

Ids = Callable[[int], Iterator[tuple[int, str]]]
"""The ``seq`` and id of every line after a ``seq``, in order."""

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS known (id TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS counted (seq INTEGER NOT NULL, id TEXT NOT NULL);
"""


class KnownIds:
    """Ids by a look-up. It reads what the logs have gained since it was asked last; deleted, it reads all of them.

    It is only used by who holds the logs' lock.
    """

    def __init__(self, path: Path, ids: Ids) -> None:
        self._path, self._ids = path, ids
        self._connection: sqlite3.Connection | None = None

    def among(self, asked: Collection[str]) -> set[str]:
        """Those of some ids that the logs hold.

        Raises:
            Unwritable: If the file cannot be written.
        """
        try:
            return self._settled(asked)
        except sqlite3.DatabaseError:
            pass  # damaged, or of another form: made again
        try:
            self.forget()
            return self._settled(asked)
        except (sqlite3.Error, OSError) as error:
            raise Unwritable(f"{self._path} cannot be written: {error}") from error

    def forget(self) -> None:
        """Delete it: it is made again."""
        self.close()
        for path in self._path.parent.glob(f"{self._path.name}*"):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _settled(self, asked: Collection[str]) -> set[str]:
        connection = self._opened()
        with connection:
            self._catch_up(connection)
        found = (connection.execute("SELECT id FROM known WHERE id = ?", (id,)).fetchone() for id in asked)
        return {row[0] for row in found if row}

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, check_same_thread=False)
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.executescript(_SCHEMA)
        return self._connection

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        seq, id = connection.execute("SELECT seq, id FROM counted").fetchone() or (0, "")
        lines = self._ids(seq - 1 if seq else 0)
        if seq and next(lines, None) != (seq, id):  # other logs than it was made from
            connection.execute("DELETE FROM known")
            connection.execute("DELETE FROM counted")
            lines = self._ids(0)
        last = _Last(lines)
        connection.executemany("INSERT OR IGNORE INTO known VALUES (?)", ((one,) for one in last))
        if last.seq:
            connection.execute("DELETE FROM counted")
            connection.execute("INSERT INTO counted VALUES (?, ?)", (last.seq, last.id))


class _Last:
    """The ids of lines as they go by; remembers the last."""

    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self._lines = lines
        self.seq, self.id = 0, ""

    def __iter__(self) -> Iterator[str]:
        for seq, id in self._lines:
            self.seq, self.id = seq, id
            yield id
