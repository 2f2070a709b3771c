"""The ledgers that tests lend: empty, like new, and none that a test has changed or that something still holds."""

import psycopg
import pytest

from empty_ledgers import EmptyLedgers
from paragone.ledger import Ledger


@pytest.fixture(scope="module")
def ledgers(ledger_url):
    ledgers = EmptyLedgers(ledger_url)
    yield ledgers
    ledgers.close()


def test_it_is_like_new(ledgers, fill, filed):
    with ledgers.lend() as first, Ledger.open(first, durable=False) as ledger:
        fill(ledger)
    with ledgers.lend() as second, Ledger.open(second, durable=False) as ledger:
        assert second == first
        assert ledger.pools.all() == ()
        assert ledger.audit().ok
        fill(ledger)
        again = ledger.audit()
    with Ledger.open(filed, durable=False) as ledger:
        first = ledger.audit()
    assert first.ok
    assert (again.ok, again.commits, again.rows) == (True, first.commits, first.rows)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE match DISABLE TRIGGER ALL",
        "ALTER TABLE match ADD COLUMN odd int",
        "DROP TABLE rating_change CASCADE",
        "CREATE TABLE invoices (x int)",
        "CREATE INDEX odd ON match (pool)",
        "UPDATE paragone_schema SET version_num = '9999'",
    ],
)
def test_one_that_was_changed_is_not_lent_again(ledgers, change):
    with ledgers.lend() as first, psycopg.connect(first) as connection:
        connection.execute(change)
    with ledgers.lend() as second, Ledger.open(second) as ledger:
        assert second != first
        assert ledger.audit().ok


def test_one_that_something_holds_is_not_lent_again(ledgers):
    with ledgers.lend() as first:
        holder = psycopg.connect(first)
        holder.execute("LOCK TABLE match IN ACCESS EXCLUSIVE MODE")
    with holder, ledgers.lend() as second:
        assert second != first
