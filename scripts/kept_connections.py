"""Connections to PostgreSQL that are used again, as a pooler between a program and its server does.

The server starts a process for each connection, which at first knows none of the tables: what a test does with a ledger
takes both sides half as long again on a new one.
"""

import select
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, ClassVar

import psycopg
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus

MOST = 8
"""Connections that are kept at once; the one that has waited longest goes."""
_CLOSED: Any = SimpleNamespace(status=ConnStatus.BAD)


class KeptConnection(psycopg.Connection[Any]):
    """A connection that, closed, hands its session on to the next one with the same words to the server.

    It is as new then: its settings, locks, prepared statements and temporary tables are gone. One that is closed within
    a transaction, or whose server ended it, is not handed on.

    Attributes:
        databases: What the names of the databases begin with whose connections are kept.
        free: The sessions that wait, with what was said to the server.
    """

    databases = "="
    free: ClassVar[deque[tuple[str, Any]]] = deque()
    _words = ""

    @classmethod
    def _connect_gen(cls, conninfo: str = "") -> Any:
        session = cls._waiting(conninfo)
        connection = cls(session) if session else (yield from super()._connect_gen(conninfo))
        connection._words = conninfo
        return connection

    @classmethod
    def _waiting(cls, words: str) -> Any:
        for entry in [each for each in cls.free if each[0] == words]:
            try:
                cls.free.remove(entry)
            except ValueError:  # another thread was quicker
                continue
            if not select.select([entry[1].socket], [], [], 0)[0]:
                return entry[1]
            entry[1].finish()  # what the server says unasked is its farewell
        return None

    def close(self) -> None:
        """Have the next one go on with the session, if that is of the databases whose sessions are kept."""
        if not self.closed and f"dbname={self.databases}" in self._words and _is_as_new(self.pgconn):
            self.free.append((self._words, self.pgconn))
            self.pgconn = _CLOSED  # who closes it again closes nothing of the next one
            if len(self.free) > MOST:
                self.free.popleft()[1].finish()
        super().close()


def _is_as_new(session: Any) -> bool:
    if session.transaction_status != TransactionStatus.IDLE:
        return False
    return bool(session.exec_(b"DISCARD ALL").status == ExecStatus.COMMAND_OK)


@contextmanager
def kept(databases: str) -> Iterator[None]:
    """Within the block ``psycopg.connect`` keeps connections to databases whose names begin with this."""
    plain, KeptConnection.databases = psycopg.connect, databases
    psycopg.connect = KeptConnection.connect
    try:
        yield
    finally:
        psycopg.connect = plain
        while KeptConnection.free:
            KeptConnection.free.pop()[1].finish()
