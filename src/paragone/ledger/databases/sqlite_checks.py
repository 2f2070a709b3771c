"""Whether the file of an SQLite ledger is whole, and its tables, indexes and triggers are what they must be."""

import re
import sqlite3
from collections.abc import Iterator, Mapping

from paragone.wire.audit import Difference

MOST = 20
"""Findings of SQLite's own check that are reported; one damaged page may bring thousands."""

Catalogue = Mapping[tuple[str, str], tuple[str, str | None]]
"""By type and name: the table of an index or a trigger (of a table, itself), and the statement that made it."""

_MISSING = re.compile(r"row (\d+) missing from index (\S+)")


def damage(driver: sqlite3.Connection) -> list[Difference]:
    """What ``integrity_check`` finds: it reads every page, and compares every index with its table."""
    try:
        lines = [str(line) for (line,) in driver.execute(f"PRAGMA integrity_check({MOST})")]
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the check itself met a page that it cannot read
        lines = [str(error)]
    return [_finding(driver, " ".join(line.split())) for line in lines if line != "ok"]


def _finding(driver: sqlite3.Connection, line: str) -> Difference:
    missing = _MISSING.fullmatch(line)
    if missing is None:
        return Difference(pool="", table="", row="", message=f"the file is damaged: {line}")
    try:
        return _unindexed(driver, int(missing[1]), missing[2])
    except (sqlite3.Error, UnicodeDecodeError, TypeError):  # the row cannot be read either
        return Difference(pool="", table="", row="", message=f"the file is damaged: {line}")


def _unindexed(driver: sqlite3.Connection, rowid: int, index: str) -> Difference:
    (table,) = driver.execute("SELECT tbl_name FROM sqlite_master WHERE name = ?", [index]).fetchone()
    columns = [name for _, name, *_ in driver.execute(f'PRAGMA table_info("{table}")')]
    key = next(name for name in ("seq", "number", "item", "a", "pool", *columns) if name in columns)
    pool = "pool" if "pool" in columns else "''"
    query = f'SELECT {pool}, "{key}" FROM "{table}" NOT INDEXED WHERE rowid = ?'  # noqa: S608 - names of ours
    owner, row = driver.execute(query, [rowid]).fetchone()
    message = f"row {row} of {table} and the index {index} differ: one of them was altered"
    return Difference(pool=str(owner), table=table, row=row, message=message)


def catalogue(driver: sqlite3.Connection) -> Catalogue:
    """What a file has besides rows."""
    rows = driver.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {(kind, name): (table, sql) for kind, name, table, sql in rows}


def wrong_schema(driver: sqlite3.Connection, due: Catalogue) -> list[Difference]:
    """How a file's schema differs from the one that is due; tables and indexes of somebody else are left alone."""
    return list(_wrong_schema(catalogue(driver), due))


def _wrong_schema(actual: Catalogue, due: Catalogue) -> Iterator[Difference]:
    for (kind, name), (table, sql) in due.items():
        if (kind, name) not in actual:
            remedy = f"; make it again with: {sql}" if sql and kind != "table" else ""
            yield _wrong(table, f"the {kind} {name} is missing{remedy}")
            continue
        its_table, its_sql = actual[kind, name]
        if its_table != table or (its_sql != sql and _parts(its_sql) != _parts(sql)):
            yield _wrong(table, f"the {kind} {name} is not what it was made: {its_sql}")
    tables = {table for table, _ in due.values()}
    for (kind, name), (table, sql) in actual.items():
        if kind == "trigger" and table in tables and (kind, name) not in due:
            yield _wrong(table, f"the trigger {name} is none of ours and may change what is recorded: {sql}")


def _wrong(table: str, message: str) -> Difference:
    return Difference(pool="", table=table, row="", message=message)


def _parts(sql: str | None) -> frozenset[str]:
    """The columns and constraints of a table, whatever their order: migrations add columns at the end."""
    if sql is None or not sql.startswith("CREATE TABLE"):
        return frozenset([sql or ""])
    begin, _, rest = sql.partition("(")
    parts, depth = [""], 0
    for letter in rest.rstrip(" \n\t").removesuffix(")"):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return frozenset([begin, *(part.strip(" \n\t") for part in parts)])
