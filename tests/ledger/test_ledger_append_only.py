"""The database itself refuses to change evidence."""

import sqlite3

import pytest

from paragone.ledger import Ledger, schema

TABLES = [table.name for table in schema.APPEND_ONLY]
REFUSED = "is append-only"


@pytest.fixture
def connection(filed):
    opened = sqlite3.connect(filed, isolation_level=None)
    yield opened
    opened.close()


@pytest.mark.parametrize("table", TABLES)
def test_update_and_delete_are_refused(connection, table):
    rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
    assert rows, "the ledger of this test must have a row in each table"
    with pytest.raises(sqlite3.IntegrityError, match=f"{table} {REFUSED}: UPDATE"):
        connection.execute(f'UPDATE "{table}" SET pool = pool')
    with pytest.raises(sqlite3.IntegrityError, match=f"{table} {REFUSED}: DELETE"):
        connection.execute(f'DELETE FROM "{table}"')
    assert connection.execute(f'SELECT * FROM "{table}"').fetchall() == rows


@pytest.mark.parametrize("table", TABLES)
def test_a_ledgers_own_connections_cannot_replace_rows_either(filed, table):
    with Ledger.open(filed) as ledger:
        with pytest.raises(Exception, match=REFUSED), ledger._database.write() as connection:
            connection.exec_driver_sql(f'INSERT OR REPLACE INTO "{table}" SELECT * FROM "{table}" LIMIT 1')
        assert ledger.audit().ok


def test_every_table_is_either_evidence_or_a_projection_that_can_be_rebuilt():
    projections = set(schema.metadata.tables) - set(TABLES)
    assert projections == {table.name for table in (*schema.PROJECTIONS, *schema.JUDGING, *schema.DISPLAY)}
