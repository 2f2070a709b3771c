"""Prepared statements say what SQLAlchemy's own do, and blocks of them fail as one."""

import pytest
from sqlalchemy import bindparam, insert, select, update

from paragone.errors import Conflict
from paragone.ledger import schema
from paragone.ledger.columns import plain
from paragone.ledger.database import Database
from paragone.ledger.prepared import Prepared, together

_head = schema.head
ADD = Prepared(insert(plain(_head)).inline(), columns=["pool", "commits", "rows", "hash"])
MOVE = Prepared(update(_head).where(_head.c.pool == bindparam("of_pool")).values(commits=bindparam("commits")))


def row(pool, commits=0):
    return {"pool": pool, "commits": commits, "rows": 0, "hash": "100 % %(it)s :it ?"}


@pytest.fixture
def database(shared_url):
    opened = Database.open(shared_url, create=True, durable=False, patience=5)
    yield opened
    opened.close()


def heads(database):
    with database.read() as connection:
        return [tuple(found) for found in connection.execute(select(_head).order_by(_head.c.pool))]


def test_one_set_of_values_or_several(database):
    with database.write() as connection, together(connection):
        ADD.run(connection, row("a"))
        ADD.run(connection, [row("b"), row("c", 2)])
        MOVE.run(connection, {"of_pool": "b", "commits": 7})
    text = row("a")["hash"]
    assert heads(database) == [("a", 0, 0, text), ("b", 7, 0, text), ("c", 2, 0, text)]


def test_what_fails_within_a_block_undoes_the_transaction(database):
    def twice():
        with database.write() as connection, together(connection):
            ADD.run(connection, row("a"))
            ADD.run(connection, row("a"))
            MOVE.run(connection, {"of_pool": "a", "commits": 7})

    with pytest.raises(Conflict):
        twice()
    assert heads(database) == []
    with database.write() as connection, together(connection):
        ADD.run(connection, row("a"))
    assert len(heads(database)) == 1
