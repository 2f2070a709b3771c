"""Standings in the database: rows read by name, many at once, and written back."""

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from paragone.domain.content import Content, ContentKind, Standing, TruthSource, UsageMove

_COLUMNS = "n, kind, id, path, elo, initial, updates, uses, first_use, last_use, recent, truth"
_AT_ONCE = 500
"""Names in one statement."""


def read(connection: sqlite3.Connection, contents: Iterable[Content]) -> Iterator[tuple[int, Standing]]:
    """The standings of those contents that have one, with the numbers of their rows."""
    ids: dict[ContentKind, list[str]] = {}
    for one in contents:
        ids.setdefault(one.kind, []).append(one.id)
    for kind, names in ids.items():
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            found = connection.execute(
                f"SELECT {_COLUMNS} FROM standing WHERE kind = ? AND id IN ({marks})",  # noqa: S608 - marks alone
                (str(kind), *some),
            )
            yield from map(standing_of, found)


def read_all(connection: sqlite3.Connection, kind: ContentKind | None = None) -> Iterator[Standing]:
    """All standings, of a kind or of all, in the order in which they were first touched."""
    where, values = ("", ()) if kind is None else (" WHERE kind = ?", (str(kind),))
    for row in connection.execute(f"SELECT {_COLUMNS} FROM standing{where} ORDER BY n", values):  # noqa: S608 - fixed
        yield standing_of(row)[1]


def read_path(connection: sqlite3.Connection, path: str) -> list[tuple[int, Standing]]:
    """The standing of a file and of all that lies in it, with the numbers of their rows."""
    found = connection.execute(f"SELECT {_COLUMNS} FROM standing WHERE path = ? ORDER BY n", (path,))  # noqa: S608
    return list(map(standing_of, found))


def insert(connection: sqlite3.Connection, rows: Sequence[tuple[int, Standing]]) -> None:
    """Write standings that are new."""
    connection.executemany(
        f"INSERT INTO standing ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",  # noqa: S608 - fixed
        [(n, str(one.content.kind), one.content.id, one.content.path, *_values(one)) for n, one in rows],
    )


def update(connection: sqlite3.Connection, rows: Sequence[tuple[int, Standing]]) -> None:
    """Write standings that changed."""
    connection.executemany(
        "UPDATE standing SET elo=?, initial=?, updates=?, uses=?, first_use=?, last_use=?, recent=?, truth=?"
        " WHERE n = ?",
        [(*_values(one), n) for n, one in rows],
    )


def read_moves(connection: sqlite3.Connection, content: Content, limit: int) -> list[UsageMove]:
    """The last moves of a rating, the newest last."""
    rows = connection.execute(
        "SELECT move.event, move.time, move.old, move.new, move.reason, move.gate, move.r, move.clamped, standing.path"
        " FROM move JOIN standing ON standing.n = move.content WHERE standing.kind = ? AND standing.id = ?"
        " ORDER BY move.n DESC LIMIT ?",
        (str(content.kind), content.id, limit),
    ).fetchall()
    return [
        UsageMove(
            content=Content(kind=content.kind, id=content.id, path=path),
            event=event,
            time=time,
            old=old,
            new=new,
            reason=reason,
            gate=gate,
            r=r,
            clamped=clamped,
        )
        for event, time, old, new, reason, gate, r, clamped, path in reversed(rows)
    ]


def insert_moves(connection: sqlite3.Connection, moves: Sequence[tuple[UsageMove, int]]) -> None:
    """Add moves to the history, each with the number of its content's row."""
    connection.executemany(
        "INSERT INTO move (content, event, time, old, new, reason, gate, r, clamped) VALUES (?,?,?,?,?,?,?,?,?)",
        [(n, one.event, one.time, one.old, one.new, one.reason, one.gate, one.r, one.clamped) for one, n in moves],
    )


def standing_of(row: Sequence[Any]) -> tuple[int, Standing]:
    """A row's number, and what it says."""
    n, kind, id, path, elo, initial, updates, uses, first, last, recent, truth = row
    times = array("d")
    times.frombytes(recent)
    return n, Standing(
        content=Content(kind=_KINDS[kind], id=id, path=path),
        elo=elo,
        initial=initial,
        updates=updates,
        uses=uses,
        first_use=first,
        last_use=last,
        recent=tuple(times),
        truth=tuple((TruthSource(source), float(r)) for source, r in json.loads(truth)) if truth else (),
    )


def _values(one: Standing) -> tuple[Any, ...]:
    truth = json.dumps([(str(source), r) for source, r in one.truth]) if one.truth else ""
    recent = array("d", one.recent).tobytes()
    return one.elo, one.initial, one.updates, one.uses, one.first_use, one.last_use, recent, truth


_KINDS = {str(kind): kind for kind in ContentKind}
