"""A database made at once, and one that took every step, have the same tables."""

import re
import sys
from contextlib import contextmanager

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from paragone.domain import (
    Item,
    ItemKind,
    Match,
    Pairing,
    Prediction,
    RatingConfig,
    Resolution,
    Scorecard,
    VerificationResult,
)
from paragone.errors import Failure, NewerSchema, Unwritable
from paragone.ledger import Ledger, schema
from paragone.ledger.databases.database import Database, dialect_for, migrate, schema_version


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def migrated(request, tmp_path_factory):
    """The URL of a database that took every step from nothing; tests put rows into it, and change no table."""
    if request.param == "postgresql":
        url = request.getfixturevalue("schema_url")()
    else:
        url = f"sqlite:///{tmp_path_factory.mktemp('migrated') / 'ledger.db'}"
    dialect = dialect_for(url, durable=False, patience=5)
    with opened(url) as database, database.write(alone=True) as connection:
        migrate(connection, dialect, None)
    return url


@contextmanager
def opened(url):
    """A database as it is."""
    database = Database(dialect_for(url, durable=False, patience=5))
    yield database
    database.close()


def test_the_steps_make_what_the_schema_says(migrated):
    with opened(migrated) as database, database.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": schema.version.name, "compare_type": True}
        )
        assert compare_metadata(context, schema.metadata) == []
        assert schema_version(connection) == schema.REVISIONS[-1]


def test_both_ways_give_the_same_database(migrated, path, request):
    made = request.getfixturevalue("schema_url")() if migrated.startswith("postgresql") else path
    Ledger.open(made, durable=False).close()
    with opened(migrated) as by_steps, opened(made) as at_once:
        assert _shape(by_steps) == _shape(at_once)


def test_the_comparison_can_fail(filed):
    with opened(filed) as database:
        with database.write() as connection:
            connection.exec_driver_sql("ALTER TABLE rating ADD COLUMN extra TEXT")
        with database.read() as connection:
            assert compare_metadata(MigrationContext.configure(connection), schema.metadata) != []


def test_a_migrated_database_works(migrated, forge):
    with Ledger.open(migrated) as ledger:
        ledger.pools.create("p", forge.config)
        ledger.items.add("p", forge.items(2))
        ledger.matches.record("p", forge.match("m"))
        assert ledger.audit().ok


def test_an_older_database_is_migrated_when_it_is_opened(new_ledger, monkeypatch):
    """The next revision of the schema adds a table; a database of today is brought up, once."""
    url = new_ledger()
    with Ledger.open(url) as ledger:
        before = ledger.audit()
    step = type(sys)("paragone.ledger.databases.migrations.step_0009")
    step.upgrade = lambda operations, dialect: operations.execute("CREATE TABLE later (x INTEGER)")
    monkeypatch.setitem(sys.modules, step.__name__, step)
    monkeypatch.setattr(schema, "REVISIONS", (*schema.REVISIONS, "0009"))
    for _ in range(2):
        with Ledger.open(url) as ledger:
            assert ledger.audit() == before
            with ledger._database.read() as connection:
                assert inspect(connection).has_table("later")
                assert schema_version(connection) == "0009"


def test_a_ledger_from_before_rankings_takes_them_and_keeps_what_it_has(new_ledger, forge):
    url = new_ledger()
    with Ledger.open(url) as ledger:
        ledger.pools.create("p", forge.config)
        ledger.items.add("p", forge.items(3))
        ledger.matches.record("p", forge.match("m0"))
        before = (ledger.audit(), ledger.ratings.all("p"), ledger.matches.all("p"))
        _take_back(ledger, "match_ranking", "ranking", *ADDED_BY_0003, *ADDED_BY_0004, *ADDED_BY_0005, to="0001")
    with Ledger.open(url) as ledger:
        assert (ledger.audit(), ledger.ratings.all("p"), ledger.matches.all("p")) == before
        ledger.matches.record("p", Match.ranked("m1", forge.ranking("m1.1")))
        assert ledger.audit().ok


def test_a_ledger_from_before_debates_keeps_what_it_has_and_takes_them(new_ledger, forge):
    """Played under 0002, and brought up: the same chain, ratings and matches, and all that is new beside them."""
    url = new_ledger()
    with Ledger.open(url) as ledger:
        id = ledger.tournaments.create("old", settings={}, items=forge.items(3), config=forge.config).id
        ledger.tournaments.plan_round(id, 1, [Pairing(a="i0", b="i1")])
        ledger.matches.record(id, forge.match("m0"))
        ledger.matches.record(id, Match.ranked("m1", forge.ranking("m1.1")))
        ledger.matches.rollback(id, "m0", "disputed")
        before = _known_of(ledger, id)
        _take_back(ledger, *ADDED_BY_0003, *ADDED_BY_0004, *ADDED_BY_0005, to="0002")
    with Ledger.open(url) as ledger:
        assert _known_of(ledger, id) == before
        ledger.tournaments.record_turn(id, forge.turn("m2.AB"))
        ledger.tournaments.join(
            id,
            [Item(id="new", text="new")],
            round=2,
            adjustments=[forge.adjustment("s", "new")],
            reviews=[forge.review()],
        )
        assert ledger.ratings.all(id)["new"].elo == 1300.0
        assert ledger.audit().ok
        with pytest.raises(Failure), ledger._database.write() as connection:
            connection.exec_driver_sql("UPDATE adjustment SET share = 0")


def test_a_ledger_from_before_agents_keeps_what_it_has_and_takes_them(new_ledger, forge):
    """Played and adjusted under 0003, and brought up: the same chain and ratings, and scores and tests beside them."""
    url = new_ledger()
    with Ledger.open(url) as ledger:
        id = ledger.tournaments.create("old", settings={}, items=forge.items(3), config=forge.config).id
        ledger.tournaments.plan_round(id, 1, [Pairing(a="i0", b="i1")])
        ledger.matches.record(id, forge.match("m0"))
        ledger.matches.record(id, Match.ranked("m1", forge.ranking("m1.1")))
        ledger.ratings.adjust(id, [forge.adjustment("d0", share=0.5)])
        ledger.matches.rollback(id, "m0", "disputed")
        before = _known_of(ledger, id)
        _take_back(ledger, *ADDED_BY_0004, *ADDED_BY_0005, to="0003")
    with Ledger.open(url) as ledger:
        assert _known_of(ledger, id) == before
        card = Scorecard(participants=("i0", "i1", "i2"), scores=(0.8, 0.6, 0.4), domain="law")
        ledger.agents.record_matches(id, [Match.scored("m2", card)])
        ledger.agents.record_test(id, VerificationResult(id="t", item="i2", verified=2, domain="law"))
        assert ledger.audit().ok
        with pytest.raises(Failure), ledger._database.write() as connection:
            connection.exec_driver_sql("UPDATE scorecard SET task = 'another'")


def test_a_step_that_fails_leaves_the_database_as_it_was(filed, monkeypatch):
    step = type(sys)("paragone.ledger.databases.migrations.step_0009")

    def upgrade(operations, dialect):
        operations.execute("CREATE TABLE later (x INTEGER)")
        operations.execute("CREATE TABLE later (x INTEGER)")

    step.upgrade = upgrade
    monkeypatch.setitem(sys.modules, step.__name__, step)
    with monkeypatch.context() as patched:
        patched.setattr(schema, "REVISIONS", (*schema.REVISIONS, "0009"))
        with pytest.raises(Exception, match="later already exists"):
            Ledger.open(filed)
    with Ledger.open(filed) as ledger, ledger._database.read() as connection:
        assert not inspect(connection).has_table("later")
        assert schema_version(connection) == schema.REVISIONS[-1]


def test_a_newer_database_is_refused_by_name(filed):
    with Ledger.open(filed) as ledger, ledger._database.write() as connection:
        connection.exec_driver_sql("UPDATE paragone_schema SET version_num = '0042'")
    before = filed.read_bytes()
    with pytest.raises(NewerSchema, match=r"its schema is 0042, and this one knows 0008 .* pip install --upgrade"):
        Ledger.open(filed)
    assert filed.read_bytes() == before


def test_somebody_elses_database_is_refused(path):
    import sqlite3

    other = sqlite3.connect(path)
    other.execute("CREATE TABLE invoices (x)")
    other.close()
    with pytest.raises(Unwritable, match="'invoices'"):
        Ledger.open(path)


def test_a_ledger_from_before_voids_keeps_its_resolutions_and_takes_others_of_the_same_tournament(new_ledger):
    url = new_ledger()
    with Ledger.open(url) as ledger:
        ledger.pools.create("a", RatingConfig(), kind=ItemKind.AGENT)
        ledger.agents.record_prediction("a", Prediction(tournament="t", predictor="x", winner="y", confidence=0.5))
        ledger.agents.resolve("a", Resolution(tournament="t", winner="y"))
        ledger.agents.resolve("a", Resolution(tournament="u", winner="y"))
        before = (ledger.audit(), ledger.agents.records("a"), ledger.agents.predictions("a"))
        _take_back(ledger, *ADDED_BY_0005, to="0004")
    with Ledger.open(url) as ledger:
        assert (ledger.audit(), ledger.agents.records("a"), ledger.agents.predictions("a")) == before
        with pytest.raises(Failure), ledger._database.write() as connection:
            connection.exec_driver_sql("UPDATE resolution SET winner = 'x'")
        ledger.agents.void("a", "t", "wrong")
        assert ledger.agents.resolve("a", Resolution(tournament="t", winner="x")) == {"x": 0.25}
        assert ledger.audit().ok


ADDED_BY_0003 = ("debate_turn", "adjustment", "review")
ADDED_BY_0004 = (
    "scorecard",
    "track_change",
    "test",
    "prediction",
    "resolution",
    "domain_prediction",
    "critique",
    "relation",
    "registration",
    "track_rating",
    "agent_tally",
    "relationship",
)
ADDED_BY_0005 = ("void_change", "void")


def _take_back(ledger, *tables, to):
    """Make a database of today what it was before some tables."""
    with ledger._database.write() as connection:
        for table in (*schema.JUDGING, *schema.DISPLAY):
            connection.exec_driver_sql(f"DROP TABLE {table.name}")
        for table in sorted(tables, key=lambda table: table != "void_change"):  # before the tests that it refers to
            connection.exec_driver_sql(f"DROP TABLE {table}")
        if to == "0004":
            connection.exec_driver_sql("DROP INDEX ix_resolution_pool_tournament")
            unique = "uq_resolution_pool_tournament UNIQUE (pool, tournament)"
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"ALTER TABLE resolution ADD CONSTRAINT {unique}")
            else:  # SQLite cannot add a constraint to a table: this index refuses the same
                connection.exec_driver_sql("CREATE UNIQUE INDEX uq_before ON resolution (pool, tournament)")
        if to == "0001":
            connection.exec_driver_sql("DROP INDEX ix_rating_pool_elo_item")
        connection.exec_driver_sql(f"UPDATE paragone_schema SET version_num = '{to}'")


def _known_of(ledger, id):
    return (
        ledger.audit(),
        ledger.ratings.all(id),
        ledger.matches.all(id),
        ledger.ratings.changes(id),
        ledger.tournaments.rounds(id),
        ledger.tournaments.events(id),
        ledger.items.all(id),
    )


def _shape(database) -> dict[str, object]:
    """Columns, keys and indexes of every table as the database reports them, and the text of the triggers."""
    shape: dict[str, object] = {}
    with database.read() as connection:
        found = inspect(connection)
        for table in found.get_table_names():
            columns = [{**column, "type": str(column["type"])} for column in found.get_columns(table)]
            shape[table] = [_without_place(column) for column in columns]
            shape[f"{table}: key"] = found.get_pk_constraint(table)
            for what in ("indexes", "foreign_keys", "unique_constraints"):
                shape[f"{table}: {what}"] = sorted(getattr(found, f"get_{what}")(table), key=str)
        triggers = connection.exec_driver_sql(TRIGGERS[connection.dialect.name])
        shape["triggers"] = sorted(_without_place(tuple(row)) for row in triggers)
    assert len(shape["triggers"]) >= 2 * len(schema.APPEND_ONLY)
    return shape


TRIGGERS = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT trigger_name, event_object_table || action_timing || event_manipulation || action_statement "
    "FROM information_schema.triggers WHERE trigger_schema = current_schema() "
    "UNION ALL SELECT tgname, tgrelid::regclass || pg_get_functiondef(tgfoid) FROM pg_trigger "
    "JOIN pg_class ON pg_class.oid = tgrelid WHERE NOT tgisinternal "
    "AND relnamespace = to_regnamespace(current_schema())",
}


def _without_place(found):
    """The text of something; the names of functions and sequences hold that of the schema of the test."""
    return re.sub(r"\btest_\d+_\d+\b", "schema", str(found))
