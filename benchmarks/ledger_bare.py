"""The bare database beside the ledger: the same rows, by its driver alone, with the same durability."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from paragone.ledger import schema

TABLES = (
    "commit",
    "item",
    "comparison",
    "match",
    "match_comparison",
    "rating_change",
    "rollback",
    "tournament_event",
    "rating",
)
BEFORE = (schema.head, schema.pool, schema.tournament)


class Bare:
    """A connection of the database's own driver to a ledger.

    Args:
        url: The ledger.
        durable: Whether a commit waits for the disk.
    """

    def __init__(self, url: str, *, durable: bool = True) -> None:
        self.is_sqlite = not url.startswith("postgresql")
        self.mark = "?" if self.is_sqlite else "%s"
        self.begin = "BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN"
        if self.is_sqlite:
            path = Path(url.removeprefix("sqlite:///"))
            self.connection: Any = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            for pragma in (
                "foreign_keys = ON",
                "recursive_triggers = ON",
                f"synchronous = {('NORMAL', 'FULL')[durable]}",
            ):
                self.connection.execute(f"PRAGMA {pragma}")
        else:
            import psycopg

            self.connection = psycopg.connect(url, autocommit=True)
            self.connection.execute(f"SET synchronous_commit = {'on' if durable else 'off'}")

    def run(self, statement: str, values: Sequence[object] = ()) -> Any:
        return self.connection.execute(statement, values)

    def insert(self, table: str, row: dict[str, object]) -> None:
        self.run(self.statement(table, list(row)), tuple(row.values()))

    def statement(self, table: str, names: Sequence[str]) -> str:
        columns = ", ".join(f'"{name}"' for name in names)
        return f'INSERT INTO "{table}" ({columns}) VALUES ({", ".join([self.mark] * len(names))})'

    def insert_many(self, table: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """By the shortest way that the database has: executemany, or COPY."""
        if self.is_sqlite:
            self.connection.execute("PRAGMA cache_size = -65536")  # as the ledger has it
            self.connection.executemany(self.statement(table, names), rows)
            return
        columns = ", ".join(f'"{name}"' for name in names)
        with self.connection.cursor() as cursor, cursor.copy(f'COPY "{table}" ({columns}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)

    def close(self) -> None:
        self.connection.close()


def match_rows(pool: str, number: int, a: str, b: str) -> list[tuple[str, dict[str, object]]]:
    """The six rows that a match with one verdict adds; texts as long as the ledger's."""
    seq, own = 100 + 5 * number, {"pool": pool, "commit": 10 + number}
    match = f"m{number}"
    digest = "0" * 64
    listed = "[" + ",".join(f'["{table}","{digest}"]' for table in ("comparison", "match", "match_comparison")) + "]"
    listed = listed[:-1] + f',["rating_change","{digest}"],["rating_change","{digest}"]]'
    comparison = {
        **own, "seq": seq, "call": match, "attempt": 1, "first": a, "second": b, "choice": "first", "judge": "judge",
        "scores": "[]", "rationale": "", "calls": 1, "input_tokens": 0, "output_tokens": 0, "seconds": 0.5, "error": "",
        "cached": 0,
    }  # fmt: skip
    change = {"match": match, "old": 1200.0, "new": 1216.0, "k": 32.0, "expected": 0.5, "score": 1.0, "clamped": 0.0,
              "compensates": 0}  # fmt: skip
    link = {"pool": pool, "number": 10 + number, "previous": digest, "at": "2026-05-01T00:00:00.000000+00:00",
            "rows": listed, "hash": digest}  # fmt: skip
    return [
        ("commit", link),
        ("comparison", comparison),
        ("match", {**own, "seq": seq + 1, "match": match, "round": 0, "a": a, "b": b, "outcome": "a",
                   "protocol": "single_turn", "confidence": 1.0}),
        ("match_comparison", {**own, "seq": seq + 2, "match": match, "comparison": seq}),
        ("rating_change", {**own, "seq": seq + 3, "item": a, **change}),
        ("rating_change", {**own, "seq": seq + 4, "item": b, **change}),
    ]  # fmt: skip


def record_bare(bare: Bare, pool: str, number: int, a: str, b: str, *, whole: bool = True) -> None:
    """As many row writes as a match and its verdict, in one transaction, or in two with a commit's row each."""
    commit, comparison, *rest = match_rows(pool, number, a, b)
    if whole:
        _write(bare, pool, [commit, comparison, *rest], number, (a, b))
        return
    table, link = commit
    _write(bare, pool, [(table, {**link, "number": 10 + 2 * number}), _at(comparison, 10 + 2 * number)], number, ())
    later = [_at(row, 11 + 2 * number) for row in rest]
    _write(bare, pool, [(table, {**link, "number": 11 + 2 * number}), *later], number, (a, b))


def _at(row: tuple[str, dict[str, object]], commit: int) -> tuple[str, dict[str, object]]:
    table, values = row
    return table, {**values, "commit": commit}


def _write(
    bare: Bare, pool: str, rows: Sequence[tuple[str, dict[str, object]]], number: int, moved: Sequence[str]
) -> None:
    bare.run(bare.begin)
    for table, row in rows:
        bare.insert(table, row)
    for item in moved:
        bare.run(
            f"UPDATE rating SET elo = {bare.mark}, matches = matches + 1 "
            f"WHERE pool = {bare.mark} AND item = {bare.mark}",
            (1216.0 + number, pool, item),
        )
    bare.run(f"UPDATE head SET commits = {bare.mark} WHERE pool = {bare.mark}", (number, pool))
    bare.run("COMMIT")


def copy_chunks(source: Bare, target: Bare) -> Callable[[], None]:
    """What writes all rows of a filled ledger into an empty one, a commit a transaction; they are read beforehand."""
    for table in BEFORE:
        names = [column.name for column in table.columns]
        rows = source.run(f'SELECT {_listed(names)} FROM "{table.name}"').fetchall()
        target.run(target.begin)
        if table is schema.pool:
            _put(source, target, "commit", '"number" = 1')
        target.insert_many(table.name, names, rows)
        target.run("COMMIT")
    chunks = list(_chunks(source))

    def write() -> None:
        for chunk in chunks:
            target.run(target.begin)
            for table, names, rows in chunk:
                if rows:
                    target.insert_many(table, names, rows)
            target.run("COMMIT")

    return write


def _put(source: Bare, target: Bare, table: str, condition: str) -> None:
    names = [column.name for column in schema.metadata.tables[table].columns]
    target.insert_many(table, names, source.run(f'SELECT {_listed(names)} FROM "{table}" WHERE {condition}').fetchall())


def _chunks(source: Bare) -> Iterator[list[tuple[str, list[str], list[tuple[Any, ...]]]]]:
    (last,) = source.run('SELECT max("number") FROM "commit"').fetchone()
    for number in range(2, last + 1):
        chunk = []
        for table in TABLES:
            if table == "rating":
                continue
            names = [column.name for column in schema.metadata.tables[table].columns]
            key = "number" if table == "commit" else "commit"
            rows = source.run(f'SELECT {_listed(names)} FROM "{table}" WHERE "{key}" = {number}').fetchall()
            chunk.append((table, names, rows))
        yield chunk
    names = [column.name for column in schema.rating.columns]
    yield [("rating", names, source.run(f'SELECT {_listed(names)} FROM "rating"').fetchall())]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
