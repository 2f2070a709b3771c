"""Whether a database is whole, and its tables, indexes and triggers are those that this version creates.

SQLite keeps the statements that created everything, so these are compared; PostgreSQL's catalogues are compared part by
part with the tables of ``schema``.
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, ForeignKeyConstraint, Index, Table, UniqueConstraint

from paragone.ledger import schema
from paragone.wire.audit import Difference


def _wrong(table: str, message: str) -> Difference:
    return Difference(pool="", table=table, row="", message=message)


# SQLite

MOST = 20
"""How many findings of SQLite's own check are reported; one damaged page may cause thousands."""

ObjectDefinitions = Mapping[tuple[str, str], tuple[str, str | None]]
"""By type and name: the table (of an index or a trigger, the one it is on), and the statement that created it."""

_MISSING = re.compile(r"row (\d+) missing from index (\S+)")


def sqlite_damage(driver: sqlite3.Connection, location: str) -> list[Difference]:
    """The findings of ``integrity_check`` in the file, which reads every page and compares indexes with tables."""
    try:
        lines = [str(line) for (line,) in driver.execute(f"PRAGMA integrity_check({MOST})")]
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the check itself met a page that it cannot read
        lines = [str(error)]
    return [_finding(driver, location, " ".join(line.split())) for line in lines if line != "ok"]


def _finding(driver: sqlite3.Connection, location: str, line: str) -> Difference:
    missing = _MISSING.fullmatch(line)
    damage = _wrong("", f"{location} is damaged ({line}); go back to a copy of it")
    if missing is None:
        return damage
    try:
        return _unindexed(driver, int(missing[1]), missing[2])
    except (sqlite3.Error, UnicodeDecodeError, TypeError):  # the row cannot be read either
        return damage


def _unindexed(driver: sqlite3.Connection, rowid: int, index: str) -> Difference:
    (table,) = driver.execute("SELECT tbl_name FROM sqlite_master WHERE name = ?", [index]).fetchone()
    columns = [name for _, name, *_ in driver.execute(f'PRAGMA table_info("{table}")')]
    key = next(name for name in ("seq", "number", "item", "a", "pool", *columns) if name in columns)
    pool = "pool" if "pool" in columns else "''"
    query = f'SELECT {pool}, "{key}" FROM "{table}" NOT INDEXED WHERE rowid = ?'  # noqa: S608 - names of ours
    owner, row = driver.execute(query, [rowid]).fetchone()
    message = f"row {row} of {table} and the index {index} differ: one of them was altered"
    return Difference(pool=str(owner), table=table, row=row, message=message)


def catalogue(driver: sqlite3.Connection) -> ObjectDefinitions:
    """The tables, indexes and triggers of a file."""
    rows = driver.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {(kind, name): (table, sql) for kind, name, table, sql in rows}


def wrong_sqlite_schema(driver: sqlite3.Connection, expected: ObjectDefinitions) -> list[Difference]:
    """How a file's schema differs from the expected one; additional tables and indexes are allowed."""
    return list(_wrong_entries(catalogue(driver), expected))


def _wrong_entries(actual: ObjectDefinitions, expected: ObjectDefinitions) -> Iterator[Difference]:
    for (kind, name), (table, sql) in expected.items():
        if (kind, name) not in actual:
            remedy = f"; make it again with: {sql}" if sql and kind != "table" else ""
            yield _wrong(table, f"the {kind} {name} is missing{remedy}")
            continue
        its_table, its_sql = actual[kind, name]
        if its_table != table or (its_sql != sql and _parts(its_sql) != _parts(sql)):
            yield _wrong(table, f"the {kind} {name} was altered: {its_sql}")
    tables = {table for table, _ in expected.values()}
    for (kind, name), (table, sql) in actual.items():
        if kind == "trigger" and table in tables and (kind, name) not in expected:
            yield _wrong(
                table, f"the trigger {name} was not created by paragone and may change what is recorded: {sql}"
            )


def _parts(sql: str | None) -> frozenset[str]:
    """The columns and constraints of a table, in any order, since migrations add columns at the end."""
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


# PostgreSQL

Parts = Mapping[tuple[str, str, str], str]
"""The definition of each part, by its table, its kind and its name."""

_HERE = "relnamespace = to_regnamespace(quote_ident(current_schema()))"

_COLUMNS = f"""
SELECT relname, 'column', attname, format_type(atttypid, atttypmod)
    || CASE WHEN attnotnull THEN ' not null' ELSE '' END
    || CASE WHEN attgenerated <> '' THEN ' generated' ELSE '' END
FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE {_HERE} AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
"""  # noqa: S608 - constants

_INDEXES = f"""
SELECT tables.relname, 'index', pg_class.relname, CASE WHEN indisunique THEN 'unique ' ELSE '' END || (
    SELECT string_agg(replace(pg_get_indexdef(indexrelid, place, true), '"', '')
        || CASE WHEN indoption[place - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY place)
    FROM generate_series(1, indnkeyatts) AS place) || CASE WHEN indpred IS NOT NULL THEN ' partial' ELSE '' END
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_class AS tables ON tables.oid = indrelid
WHERE pg_class.{_HERE}
"""  # noqa: S608

_KEYS = f"""
SELECT relname, 'foreign key', conname, replace(pg_get_constraintdef(pg_constraint.oid), '"', '')
FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid WHERE {_HERE} AND contype = 'f'
"""  # noqa: S608

_TRIGGERS = f"""
SELECT relname, 'trigger', tgname,
    concat_ws(' ', tgtype, CASE WHEN tgfoid = to_regproc('paragone_refuse') THEN 'refuses' END, tgenabled)
FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE {_HERE} AND NOT tgisinternal
"""  # noqa: S608

_RULES = f"""
SELECT relname, 'rule', rulename, 'a rule' FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class
WHERE {_HERE} AND relkind = 'r'
UNION ALL SELECT relname, 'row security', relname, 'on' FROM pg_class WHERE {_HERE} AND relrowsecurity
"""  # noqa: S608

_FUNCTION = "SELECT '', 'function', proname, prosrc FROM pg_proc WHERE oid = to_regproc('paragone_refuse')"

_PARTS = " UNION ALL ".join((_COLUMNS, _INDEXES, _KEYS, _TRIGGERS, _RULES, _FUNCTION))

_TYPES = {"varchar(32)": "character varying(32)"}
_VERBS = {"update": 18, "delete": 10, "truncate": 34}
"""``tgtype`` of a trigger before a statement."""


def wrong_postgresql_schema(connection: Connection, refusing: str) -> list[Difference]:
    """How the tables differ from the expected ones; additional indexes and tables are allowed.

    Args:
        connection: A transaction.
        refusing: The statement that creates the function that refuses changes.
    """
    return [_wrong(*wrong) for wrong in _wrong_parts(connection, refusing)]


def _wrong_parts(connection: Connection, refusing: str) -> Iterator[tuple[str, str]]:
    actual, expected = _actual_parts(connection), _expected_parts()
    ours = {table for table, _, _ in expected}
    for key, what in expected.items():
        table, kind, name = key
        if key not in actual:
            yield table, f"the {kind} {name} is missing (expected: {what})"
        elif actual[key] != what:
            yield table, f"the {kind} {name} was altered: {actual[key]} (expected: {what})"
    for table, kind, name in actual.keys() - expected.keys():
        if table in ours and kind not in ("index", "foreign key"):
            yield table, f"the {kind} {name} was not created by paragone and may change what is recorded or read"
    if actual.get(("", "function", "paragone_refuse"), "").strip() != refusing.split("$$")[1].strip():
        yield "", "the function paragone_refuse, which refuses changes to evidence, was altered"


def _actual_parts(connection: Connection) -> Parts:
    return {(table, kind, name): what for table, kind, name, what in connection.exec_driver_sql(_PARTS)}


@cache
def _expected_parts() -> Parts:
    from sqlalchemy.dialects.postgresql import dialect  # loads what SQLite does without

    tables, server = [*schema.metadata.tables.values(), schema.version], dialect()  # type: ignore[no-untyped-call]
    expected = {(table.name, kind, name): what for table in tables for kind, name, what in _of_table(server, table)}
    for table in schema.APPEND_ONLY:
        for verb, kind in _VERBS.items():
            expected[table.name, "trigger", f"{table.name}_refuses_{verb}"] = f"{kind} refuses O"
    return expected


def _of_table(server: Dialect, table: Table) -> Iterator[tuple[str, str, str]]:
    for column in table.columns:
        type_ = column.type.compile(server).lower()
        yield "column", column.name, _TYPES.get(type_, type_) + ("" if column.nullable else " not null")
    key = table.primary_key
    yield "index", str(key.name or f"{table.name}_pkey"), "unique " + _named(key.columns)
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            yield "index", str(constraint.name), "unique " + _named(constraint.columns)
        elif isinstance(constraint, ForeignKeyConstraint):
            to = f"{constraint.referred_table.name}({_named(part.column for part in constraint.elements)})"
            yield "foreign key", str(constraint.name), f"FOREIGN KEY ({_named(constraint.columns)}) REFERENCES {to}"
    for index in table.indexes:
        yield "index", str(index.name), _indexed(index)


def _indexed(index: Index) -> str:
    return ("unique " if index.unique else "") + ", ".join(
        str(part).replace(f"{index.table}.", "").replace('"', "") if index.table is not None else str(part)
        for part in index.expressions
    )


def _named(columns: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own collections
    return ", ".join(column.name for column in columns)
