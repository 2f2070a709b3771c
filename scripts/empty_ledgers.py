"""Empty ledgers on PostgreSQL for tests.

To make the tables takes longest; to copy a database that has them takes a quarter of that, and to empty one that a test
is done with a tenth.
"""

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg

from paragone.ledger import Ledger, schema

MOST = 2000
"""Rows of one test beyond which a ledger is not used again: what they leave behind would slow down the next one."""
_OURS = "relnamespace = current_schema()::regnamespace"
_CATALOGS = {
    "pg_class": f"WHERE {_OURS}",
    "pg_proc": "WHERE pronamespace = current_schema()::regnamespace",
    "pg_attribute": f"JOIN pg_class relation ON relation.oid = attrelid WHERE relation.{_OURS}",
    "pg_index": f"JOIN pg_class relation ON relation.oid = indexrelid WHERE relation.{_OURS}",
    "pg_trigger": f"JOIN pg_class relation ON relation.oid = tgrelid WHERE relation.{_OURS}",
}
_ROWS = " UNION ALL ".join(
    f"SELECT concat('{catalog}', entry.ctid, ' ', entry.xmin) FROM {catalog} entry {ours}"
    for catalog, ours in _CATALOGS.items()
)
_SHAPE = (
    f"SELECT md5(string_agg(entry, ',' ORDER BY entry)), (SELECT version_num FROM {schema.version.name}) "
    f"FROM ({_ROWS}) entries (entry)"
)
"""Another value whenever anybody changed a table, a trigger, an index or a function, or the revision."""
_NUMBERS = f"SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S' AND {_OURS}"


@contextmanager
def copies(postgres: str, *, drop: bool) -> Iterator[Callable[[], str]]:
    """Makes ledgers in databases of their own, copies of one that is empty.

    Args:
        postgres: The administrator's URL of the server.
        drop: Whether to drop them at the end.

    Yields:
        What makes a ledger and returns its URL.
    """
    numbers, template = itertools.count(), f"ledger_{os.getpid()}"

    def url(database: str) -> str:
        return urlunsplit(urlsplit(postgres)._replace(path=f"/{database}"))

    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {template}")
        with Ledger.open(url(template), durable=False):
            pass

        def make() -> str:
            database = f"{template}_{next(numbers)}"
            admin.execute(f"CREATE DATABASE {database} TEMPLATE {template} STRATEGY file_copy")
            return url(database)

        yield make
        for database in (template, *(f"{template}_{number}" for number in range(next(numbers)))) if drop else ():
            admin.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")


class EmptyLedgers:
    """Lends empty ledgers, and empties them afterwards.

    One whose tables, triggers, indexes or functions have changed is not lent again, nor one that something holds.

    Args:
        new: Makes an empty ledger, or a place for one; returns its URL.
    """

    def __init__(self, new: Callable[[], str]) -> None:
        self._new = new
        self._free: list[str] = []
        self._shapes: dict[str, object] = {}
        self._admins: dict[str, psycopg.Connection] = {}

    @contextmanager
    def lend(self) -> Iterator[str]:
        """The URL of an empty ledger, for the block."""
        url = self._free.pop() if self._free else self._make()
        yield url
        if self._empty(url):
            self._free.append(url)
        else:
            self._admins.pop(url).close()

    def close(self) -> None:
        """Close the connections."""
        for admin in self._admins.values():
            admin.close()

    def _make(self) -> str:
        url = self._new()
        with Ledger.open(url, durable=False):
            admin = self._admins[url] = psycopg.connect(url, autocommit=True)
            admin.execute("SET session_replication_role = replica; SET lock_timeout = '250ms'")  # no triggers
            self._shapes[url] = self._shape(url)
        return url

    def _shape(self, url: str) -> object:
        return self._admins[url].execute(_SHAPE).fetchone()

    def _empty(self, url: str) -> bool:
        try:
            if self._shape(url) != self._shapes[url]:
                return False
            deletions = ";".join(f'DELETE FROM "{table.name}"' for table in schema.metadata.sorted_tables)
            cursor = self._admins[url].execute(f"{deletions};{_NUMBERS}")
        except psycopg.Error:
            return False
        rows = cursor.rowcount
        while cursor.nextset():
            rows += cursor.rowcount
        return rows < MOST
