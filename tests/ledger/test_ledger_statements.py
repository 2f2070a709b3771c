"""Statement statements say what SQLAlchemy's own do, and blocks of them fail as one."""

import pytest
from sqlalchemy import bindparam, column, insert, select, table, update

from paragone.errors import Conflict, LedgerError
from paragone.ledger import schema
from paragone.ledger.column_types import AT_ONCE, as_stored
from paragone.ledger.databases.database import Database
from paragone.ledger.statements import Statement, StatementForNames, pipeline

_head = schema.head
ADD = Statement(insert(_head).inline(), columns=["pool", "commits", "rows", "hash"])
MOVE = Statement(update(_head).where(_head.c.pool == bindparam("of_pool")).values(commits=bindparam("commits")))


def row(pool, commits=0):
    return {"pool": pool, "commits": commits, "rows": 0, "hash": "100 % %(it)s :it ?"}


@pytest.fixture
def database(new_ledger):
    opened = Database.open(new_ledger(), create=False, durable=False, patience=5)
    yield opened
    opened.close()


def heads(database):
    with database.read() as connection:
        return [tuple(found) for found in connection.execute(select(_head).order_by(_head.c.pool))]


def test_one_set_of_values_or_several(database):
    with database.write() as connection, pipeline(connection):
        ADD.run(connection, row("a"))
        ADD.run(connection, [row("b"), row("c", 2)])
        MOVE.run(connection, {"of_pool": "b", "commits": 7})
    text = row("a")["hash"]
    assert heads(database) == [("a", 0, 0, text), ("b", 7, 0, text), ("c", 2, 0, text)]


def test_what_fails_within_a_block_undoes_the_transaction(database):
    def twice():
        with database.write() as connection, pipeline(connection):
            ADD.run(connection, row("a"))
            ADD.run(connection, row("a"))
            MOVE.run(connection, {"of_pool": "a", "commits": 7})

    with pytest.raises(Conflict):
        twice()
    assert heads(database) == []
    with database.write() as connection, pipeline(connection):
        ADD.run(connection, row("a"))
    assert len(heads(database)) == 1


def test_values_are_converted_by_type_and_constants_need_none(database):
    with database.write() as connection:
        ADD.run(connection, [row("esc\x1b", 1), row("b", 2), row("c", 3)])
    two = select(*_head.c["pool", "commits"]).where(_head.c.rows == 0, _head.c.commits > bindparam("more_than"))
    asked = Statement(two.order_by(_head.c.commits).limit(2))
    with database.read() as connection:
        for _ in range(2):
            assert asked.rows(connection, {"more_than": 0}) == [("esc\x1b", 1), ("b", 2)]
        assert asked.rows(connection, {"more_than": 2}) == [("c", 3)]
        assert asked.rows(connection, {"more_than": 3}) == []
        stored = Statement(select(*as_stored(_head)[:1]).where(_head.c.pool == bindparam("of_pool")))
        assert stored.rows(connection, {"of_pool": "esc\x1b"}) == [("esc\x1b001b",)]


def test_rows_that_are_read_in_parts_are_those_that_are_read_at_once(database, monkeypatch):
    """Also while others of them are asked for in the same transaction."""
    monkeypatch.setattr("paragone.ledger.statements.ROWS_AT_ONCE", 3)
    with database.write() as connection:
        ADD.run(connection, [row(f"esc\x1b{number}", number) for number in range(7)])
    asked = Statement(
        select(_head.c.pool, _head.c.commits).where(_head.c.commits < bindparam("below")).order_by(_head.c.commits)
    )
    with database.read() as connection:
        for below in range(8):
            beside = asked.stream(connection, {"below": 5})
            parts = list(zip(asked.stream(connection, {"below": below}), beside, strict=False))
            assert [each.pool for each, _ in parts] == [f"esc\x1b{number}" for number in range(min(below, 5))]
            assert list(asked.stream(connection, {"below": below})) == asked.named_rows(connection, {"below": below})
            assert len(asked.rows(connection, {"below": below})) == below


def test_a_question_about_any_number_of_names(database):
    names = [f"half \ud800 {number}" for number in range(2 * AT_ONCE + 20)]
    with database.write() as connection:
        ADD.run(connection, [row(name, number) for number, name in enumerate(names)])
    asked = StatementForNames(lambda named: select(_head.c.commits).where(_head.c.pool.in_(named), _head.c.rows == 0))
    for count in (0, 1, 2, 3, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 9):
        with database.read() as connection:
            found = asked.rows(connection, names[5 : 5 + count], {})
        assert sorted(found) == [(number,) for number in range(5, 5 + count)], count


def test_what_the_driver_refuses_is_an_error_of_ours(database):
    nowhere = table("nowhere", column("x"))

    def ask():
        with database.read() as connection:
            Statement(select(nowhere.c.x)).rows(connection, {})

    def write():
        with database.write() as connection:
            ADD.run(connection, row("a"))
            Statement(insert(nowhere), columns=["x"]).run(connection, [{"x": 1}, {"x": 2}])

    for work in (ask, write):
        with pytest.raises(LedgerError, match="nowhere"):
            work()
    assert heads(database) == []
