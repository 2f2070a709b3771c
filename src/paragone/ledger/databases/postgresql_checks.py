"""Whether the tables of a PostgreSQL ledger are what they must be: columns, keys, indexes, triggers, rules."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, ForeignKeyConstraint, Index, Table, UniqueConstraint

from paragone.ledger import schema
from paragone.wire.audit import Difference

Parts = Mapping[tuple[str, str, str], str]
"""What something is, by its table, its kind and its name."""

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

_FUNCTION = "SELECT prosrc FROM pg_proc WHERE oid = to_regproc('paragone_refuse')"

_TYPES = {"varchar(32)": "character varying(32)"}
_VERBS = {"update": 18, "delete": 10, "truncate": 34}
"""``tgtype`` of a trigger before a statement."""


def wrong_schema(connection: Connection, refusing: str) -> list[Difference]:
    """How the tables differ from those that are due; what belongs to somebody else is left alone.

    Args:
        connection: A transaction.
        refusing: The statement that makes the function which refuses changes.
    """
    return [_wrong(*wrong) for wrong in _wrongs(connection, refusing)]


def _wrongs(connection: Connection, refusing: str) -> Iterator[tuple[str, str]]:
    actual, due = _there(connection), _due(connection)
    ours = {table for table, _, _ in due}
    for key, what in due.items():
        table, kind, name = key
        if key not in actual:
            yield table, f"the {kind} {name} is missing (due: {what})"
        elif actual[key] != what:
            yield table, f"the {kind} {name} is not what it was made: {actual[key]} (due: {what})"
    for table, kind, name in actual.keys() - due.keys():
        if table in ours and kind not in ("index", "foreign key"):
            yield table, f"the {kind} {name} is none of ours and may change what is recorded or read"
    body = connection.exec_driver_sql(_FUNCTION).scalar()
    if body is None or body.strip() != refusing.split("$$")[1].strip():
        yield "", "the function paragone_refuse, which refuses changes to evidence, is not what it was made"


def _wrong(table: str, message: str) -> Difference:
    return Difference(pool="", table=table, row="", message=message)


def _there(connection: Connection) -> Parts:
    queries = (_COLUMNS, _INDEXES, _KEYS, _TRIGGERS, _RULES)
    rows = [row for query in queries for row in connection.exec_driver_sql(query)]
    return {(table, kind, name): what for table, kind, name, what in rows}


def _due(connection: Connection) -> Parts:
    tables = [*schema.metadata.tables.values(), schema.version]
    due = {(table.name, kind, name): what for table in tables for kind, name, what in _of_table(connection, table)}
    for table in schema.APPEND_ONLY:
        for verb, kind in _VERBS.items():
            due[table.name, "trigger", f"{table.name}_refuses_{verb}"] = f"{kind} refuses O"
    return due


def _of_table(connection: Connection, table: Table) -> Iterator[tuple[str, str, str]]:
    for column in table.columns:
        type_ = column.type.compile(connection.dialect).lower()
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
