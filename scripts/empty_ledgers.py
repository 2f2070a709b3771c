"""Empty ledgers on PostgreSQL for tests: to empty one that a test is done with takes a tenth of making another."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


class EmptyLedgers:
    """Lends empty ledgers, and empties them afterwards.

    One whose tables, triggers, indexes or functions have changed is not lent again, nor one that something holds.

    Args:
        postgres: The administrator's URL of the server.
        new: Makes an empty schema; returns the URL of a ledger in it.
    """

    def __init__(self, postgres: str, new: Callable[[], str]) -> None:
        self._new = new
        self._free: list[str] = []
        self._shapes: dict[str, object] = {}
        self._admin = psycopg.connect(postgres, autocommit=True)
        self._admin.execute("SET session_replication_role = replica; SET lock_timeout = '1s'")  # no triggers

    @contextmanager
    def lend(self) -> Iterator[str]:
        """The URL of an empty ledger, for the block."""
        url = self._free.pop() if self._free else self._make()
        yield url
        if self._empty(url):
            self._free.append(url)

    def close(self) -> None:
        """Close the connection."""
        self._admin.close()

    def _make(self) -> str:
        url = self._new()
        with Ledger.open(url, durable=False):
            self._shapes[url] = self._shape(url)
        return url

    def _shape(self, url: str) -> object:
        self._admin.execute(f"SET search_path TO {url.rpartition('%3D')[2]}")
        return self._admin.execute(_SHAPE).fetchone()

    def _empty(self, url: str) -> bool:
        try:
            if self._shape(url) != self._shapes[url]:
                return False
            deletions = ";".join(f'DELETE FROM "{table.name}"' for table in schema.metadata.sorted_tables)
            cursor = self._admin.execute(f"{deletions};{_NUMBERS}")
        except psycopg.Error:
            return False
        rows = cursor.rowcount
        while cursor.nextset():
            rows += cursor.rowcount
        return rows < MOST
