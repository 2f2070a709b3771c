"""A database made at once, and one that took every step, have the same tables."""

import subprocess
import sys

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from paragone.errors import NewerSchema, Unwritable
from paragone.ledger import Ledger, schema
from paragone.ledger.creation import schema_version
from paragone.ledger.database import Database, dialect_for
from paragone.ledger.migrations import migrate


@pytest.fixture
def migrated(tmp_path):
    """A database that took every step from nothing."""
    dialect = dialect_for(tmp_path / "migrated.db", durable=False, patience=5)
    database = Database(dialect)
    with database.write(alone=True) as connection:
        migrate(connection, dialect, None)
    yield database
    database.close()


@pytest.fixture
def made(path):
    """A database that was made at once."""
    database = Database.open(path, create=True, durable=False, patience=5)
    yield database
    database.close()


def test_the_steps_make_what_the_schema_says(migrated):
    with migrated.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": schema.version.name, "compare_type": True}
        )
        assert compare_metadata(context, schema.metadata) == []
        assert schema_version(connection) == schema.REVISIONS[-1]


def test_both_ways_give_the_same_database(migrated, made):
    assert _shape(migrated) == _shape(made)


def test_the_comparison_can_fail(made):
    with made.write() as connection:
        connection.exec_driver_sql("ALTER TABLE rating ADD COLUMN extra TEXT")
    with made.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) != []


def test_a_migrated_database_works(migrated, forge, tmp_path):
    migrated.close()
    with Ledger.open(tmp_path / "migrated.db") as ledger:
        ledger.create_pool("p", forge.config)
        ledger.add_items("p", forge.items(2))
        ledger.record_match("p", forge.match("m"))
        assert ledger.audit().ok


def test_an_older_database_is_migrated_when_it_is_opened(migrated, tmp_path, monkeypatch):
    """The next revision of the schema adds a table; a database of today is brought up, once."""
    migrated.close()
    with Ledger.open(tmp_path / "migrated.db") as ledger:
        before = ledger.audit()
    step = type(sys)("paragone.ledger.migrations.step_0002")
    step.upgrade = lambda operations, dialect: operations.execute("CREATE TABLE later (x INTEGER)")
    monkeypatch.setitem(sys.modules, step.__name__, step)
    monkeypatch.setattr(schema, "REVISIONS", (*schema.REVISIONS, "0002"))
    monkeypatch.setattr("paragone.ledger.database.REVISIONS", schema.REVISIONS)
    for _ in range(2):
        with Ledger.open(tmp_path / "migrated.db") as ledger:
            assert ledger.audit() == before
            with ledger._database.read() as connection:
                assert inspect(connection).has_table("later")
                assert schema_version(connection) == "0002"


def test_a_step_that_fails_leaves_the_database_as_it_was(filed, monkeypatch):
    step = type(sys)("paragone.ledger.migrations.step_0002")

    def upgrade(operations, dialect):
        operations.execute("CREATE TABLE later (x INTEGER)")
        operations.execute("CREATE TABLE later (x INTEGER)")

    step.upgrade = upgrade
    monkeypatch.setitem(sys.modules, step.__name__, step)
    with monkeypatch.context() as patched:
        patched.setattr(schema, "REVISIONS", (*schema.REVISIONS, "0002"))
        patched.setattr("paragone.ledger.database.REVISIONS", schema.REVISIONS)
        with pytest.raises(Exception, match="later already exists"):
            Ledger.open(filed)
    with Ledger.open(filed) as ledger, ledger._database.read() as connection:
        assert not inspect(connection).has_table("later")
        assert schema_version(connection) == "0001"


def test_a_newer_database_is_refused_by_name(filed):
    with Ledger.open(filed) as ledger, ledger._database.write() as connection:
        connection.exec_driver_sql("UPDATE paragone_schema SET version_num = '0042'")
    before = filed.read_bytes()
    with pytest.raises(NewerSchema, match=r"its schema is 0042, and this one knows 0001 .* pip install --upgrade"):
        Ledger.open(filed)
    assert filed.read_bytes() == before


def test_somebody_elses_database_is_refused(path):
    import sqlite3

    other = sqlite3.connect(path)
    other.execute("CREATE TABLE invoices (x)")
    other.close()
    with pytest.raises(Unwritable, match="'invoices'"):
        Ledger.open(path)


def test_alembic_is_loaded_only_to_migrate(filed):
    script = (
        "import sys\n"
        "import paragone.ledger\n"
        "assert 'alembic' not in sys.modules\n"
        f"paragone.ledger.Ledger.open({str(filed)!r}).close()\n"
        f"paragone.ledger.Ledger.open({str(filed) + '.new'!r}).close()\n"
        "assert 'sqlalchemy' in sys.modules\n"
        "assert 'alembic' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def _shape(database) -> dict[str, object]:
    """Columns, keys and indexes of every table as the database reports them, and the text of the triggers."""
    shape: dict[str, object] = {}
    with database.read() as connection:
        tables = [name for (name,) in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            shape[table] = [tuple(row) for row in connection.exec_driver_sql(f'PRAGMA table_info("{table}")')]
            indexes = connection.exec_driver_sql(f'PRAGMA index_list("{table}")')
            shape[f"{table}: indexes"] = sorted(tuple(row)[1:] for row in indexes)  # less their order of creation
            keys = inspect(connection).get_foreign_keys(table)
            shape[f"{table}: foreign keys"] = sorted(keys, key=str)
            unique = inspect(connection).get_unique_constraints(table)
            shape[f"{table}: unique"] = sorted(unique, key=str)
        triggers = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        shape["triggers"] = sorted(map(tuple, triggers))
    return shape
