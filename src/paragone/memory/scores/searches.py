"""Recent searches in the database: their results, what counted, and what is still to be paid."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from paragone.domain.content import Content, ContentKind, OpenSearch, Renamed, Shown

KEPT = 20_000
"""How many searches are kept: a use may refer to one of the last so many."""


class OpenSearches:
    """The searches that may still be used; those of a batch are kept at hand and written at its end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._at_hand: dict[str, tuple[int, OpenSearch]] = {}
        self._changed: set[str] = set()
        self._last = self._renames = 0

    def begin(self) -> None:
        """Look up how many there were; what was at hand may be old."""
        self._at_hand.clear()
        self._changed.clear()
        self._last = int(self._connection.execute("SELECT coalesce(max(n), 0) FROM search").fetchone()[0])
        renames = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'rename'").fetchone()
        self._renames = int(renames[0]) if renames else 0

    def get(self, id: str) -> OpenSearch | None:
        """A search by its id, where it is one of the last."""
        entry = self._at_hand.get(id) or self._read(id)
        if entry is None or entry[0] <= self._last - KEPT:
            return None
        self._at_hand[id] = entry
        return entry[1]

    def keep(self, search: OpenSearch) -> None:
        """Keep a search that is new, or that counted something."""
        entry = self._at_hand.get(search.id) or self._read(search.id)
        if entry is None:
            self._last += 1
        self._at_hand[search.id] = (self._last if entry is None else entry[0], search)
        self._changed.add(search.id)

    def rename(self, event: Renamed) -> None:
        """From now on, searches before it mean the new path by the old one."""
        added = self._connection.execute(
            "INSERT INTO rename (searches, time, old, new) VALUES (?,?,?,?)",
            (self._last, event.time, event.old, event.new),
        )
        self._renames = added.lastrowid or 0
        for id, (n, search) in self._at_hand.items():
            if search.time <= event.time:
                self._at_hand[id] = (n, renamed(search, event.old, event.new))

    def write(self) -> None:
        """Write what changed, and forget what is too long ago."""
        if not self._changed:
            return
        self._connection.executemany(
            "INSERT INTO search (n, id, time, tool, results, counted, paid, renames) VALUES (?,?,?,?,?,?,?,?)"
            " ON CONFLICT (n) DO UPDATE SET results = excluded.results, counted = excluded.counted,"
            " paid = excluded.paid, renames = excluded.renames",
            [(*_row(*self._at_hand[id]), self._renames) for id in self._changed],
        )
        self._changed.clear()
        self._connection.execute("DELETE FROM search WHERE n <= ?", (self._last - KEPT,))
        self._connection.execute("DELETE FROM rename WHERE searches <= ?", (self._last - KEPT,))
        if len(self._at_hand) > KEPT:
            self._at_hand.clear()

    def _read(self, id: str) -> tuple[int, OpenSearch] | None:
        row = self._connection.execute(
            "SELECT n, renames, id, time, tool, results, counted, paid FROM search WHERE id = ?", (id,)
        ).fetchone()
        if row is None:
            return None
        search = _search_of(row[2:])
        for old, new in self._connection.execute(
            "SELECT old, new FROM rename WHERE n > ? AND time >= ? ORDER BY n", (row[1], search.time)
        ):
            search = renamed(search, old, new)
        return row[0], search


def renamed(search: OpenSearch, old: str, new: str) -> OpenSearch:
    """The search as it would have been had a file had its new path already."""
    if all(row.path != old for row in search.results):
        return search
    return replace(
        search,
        results=tuple(
            replace(row, path=new, symbol=_symbol(row.symbol, old, new)) if row.path == old else row
            for row in search.results
        ),
        counted=frozenset((moved(content, old, new), how) for content, how in search.counted),
        paid={moved(content, old, new): points for content, points in search.paid.items()},
    )


def moved(content: Content, old: str, new: str) -> Content:
    """What content of a file is called once the file has another path."""
    is_file = content.kind is ContentKind.FILE and content.id == old
    id = new if is_file else _symbol(content.id, old, new) if content.kind is ContentKind.SYMBOL else content.id
    path = new if is_file or content.path == old or id != content.id else content.path
    return Content(kind=content.kind, id=id, path=path)


def _symbol(id: str, old: str, new: str) -> str:
    prefix = f"@{old}::"
    return f"@{new}::{id[len(prefix) :]}" if id.startswith(prefix) else id


def _row(n: int, search: OpenSearch) -> tuple[object, ...]:
    results = [(row.rank, row.path, row.hash, row.symbol, row.adr) for row in search.results]
    counted = [(*_names(content), how) for content, how in search.counted]
    paid = [(*_names(content), points) for content, points in search.paid.items()]
    return n, search.id, search.time, search.tool, json.dumps(results), json.dumps(counted), json.dumps(paid)


def _search_of(row: Sequence[str]) -> OpenSearch:
    id, time, tool, results, counted, paid = row
    return OpenSearch(
        id=id,
        time=float(time),
        tool=tool,
        results=tuple(
            Shown(rank=rank, path=path, hash=hash, symbol=symbol, adr=adr)
            for rank, path, hash, symbol, adr in json.loads(results)
        ),
        counted=frozenset((_content(*names), how) for *names, how in json.loads(counted)),
        paid={_content(*names): points for *names, points in json.loads(paid)},
    )


def _names(content: Content) -> tuple[str, str, str]:
    return str(content.kind), content.id, content.path


def _content(kind: str, id: str, path: str) -> Content:
    return Content(kind=ContentKind(kind), id=id, path=path)
