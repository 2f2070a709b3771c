"""What is PostgreSQL's own: addresses, users and passwords, locks, settings, triggers, damage."""

import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest

from paragone.domain import Item
from paragone.errors import Busy, InvalidConfig, LedgerError, MissingExtra, NotFound, Unwritable
from paragone.ledger import Ledger, schema, without_password
from paragone.ledger.audit import audit
from paragone.ledger.column_types import as_stored
from paragone.ledger.databases.database import Database, dialect_for

SECRET = "pa55%2Fw0rd"


@pytest.fixture
def url(postgres_ledger):
    return postgres_ledger


@pytest.fixture
def ledger(url):
    with Ledger.open(url, durable=False, patience=5) as opened:
        yield opened


@pytest.fixture
def tournament(ledger, forge):
    return ledger.tournaments.create("ideas", settings={}, items=forge.items(4), config=forge.config).id


@pytest.fixture
def admin(postgres):
    with psycopg.connect(postgres, autocommit=True) as connection:
        yield connection


@pytest.fixture
def role(admin, postgres):
    """Makes a role that may come over TCP with a password; returns its URL, for an empty schema of that name."""
    made = []

    def make(name, *, may="ALL", **settings):
        name = f"{name}_{time.time_ns()}"
        admin.execute(f"CREATE SCHEMA {name}")
        admin.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{SECRET.replace('%2F', '/')}'")
        if may:
            admin.execute(f"GRANT {may} ON SCHEMA {name} TO {name}")
        for setting, value in settings.items():
            admin.execute(f"ALTER ROLE {name} SET {setting} = {value}")
        made.append(name)
        at = f"{admin.info.host if not admin.info.host.startswith('/') else '127.0.0.1'}:{admin.info.port}"
        return f"postgresql://{name}:{SECRET}@{at}/{admin.info.dbname}?options=-csearch_path%3D{name}"

    yield make
    for name in made:
        admin.execute(f"DROP SCHEMA {name} CASCADE")
        admin.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")


class TestAddresses:
    @pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
    def test_each_way_to_write_it(self, url, scheme):
        with Ledger.open(url.replace("postgresql", scheme, 1)) as ledger:
            assert ledger.audit().ok

    def test_a_user_with_a_password_needs_no_more_than_a_schema(self, role, forge):
        with Ledger.open(role("writer")) as ledger:
            tournament = ledger.tournaments.create("t", settings={}, items=forge.items(2), config=forge.config)
            ledger.matches.record(tournament.id, forge.match("m"))
            assert ledger.audit().ok

    def test_who_may_only_read_can_look_and_audit(self, role, admin, forge):
        url = role("writer")
        with Ledger.open(url) as ledger:
            ledger.pools.create("p", forge.config)
            ledger.items.add("p", forge.items(2))
            schema_of = url.rpartition("%3D")[2]
            reading = role("reader", may=None)
            reader = reading.rpartition("%3D")[2]
            admin.execute(f"GRANT USAGE ON SCHEMA {schema_of} TO {reader}")
            admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema_of} TO {reader}")
            with Ledger.open(reading.replace(f"%3D{reader}", f"%3D{schema_of}"), create=False) as looking:
                assert looking.audit() == ledger.audit()
                with pytest.raises(Unwritable, match="GRANT it what it lacks"):
                    looking.matches.record("p", forge.match("m"))

    def test_two_schemas_are_two_ledgers(self, schema_url, forge):
        with Ledger.open(schema_url()) as one, Ledger.open(schema_url()) as other:
            for ledger in (one, other):
                assert ledger.tournaments.create("t", settings={}, items=[], config=forge.config).id == "t-1"
            with one.tournaments.claim("t-1"), other.tournaments.claim("t-1"):
                pass

    def test_an_empty_one_is_no_ledger_where_none_is_to_be_made(self, schema_url):
        url = schema_url()
        with pytest.raises(NotFound, match="there is no ledger in postgresql://"):
            Ledger.open(url, create=False)
        Ledger.open(url).close()
        Ledger.open(url, create=False).close()

    def test_a_driver_that_we_do_not_use(self):
        with pytest.raises(InvalidConfig, match=r"no ledger can be kept in 'postgresql\+asyncpg'"):
            Ledger.open("postgresql+asyncpg://host/db")

    def test_without_psycopg_it_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(MissingExtra, match=r"pip install 'paragone\[postgres\]'") as refused:
            Ledger.open("postgresql://u:hidden@h/d")
        assert "hidden" not in str(refused.value)


class TestRefusals:
    """Each message says what to do, and none shows the password."""

    @pytest.fixture
    def refusal(self):
        def refused(url, kind=Unwritable, **options):
            with pytest.raises(kind) as raised:
                Ledger.open(url, patience=0.5, **options)
            error, texts = raised.value, []
            while error is not None:
                texts += [str(error), repr(error)]
                error = error.__cause__
            assert not any("pa55" in text or "w0rd" in text for text in texts), texts
            return texts[0]

        return refused

    def test_nobody_listens(self, refusal):
        assert "start the server" in refusal(f"postgresql://u:{SECRET}@127.0.0.1:1/db")

    def test_no_such_host(self, refusal):
        assert "name of the host" in refusal(f"postgresql://u:{SECRET}@no-such-host.invalid/db")

    def test_a_wrong_password(self, refusal, role):
        wrong = role("writer").replace(SECRET, f"{SECRET}x")
        assert "name a user and password that it knows" in refusal(wrong)

    def test_no_such_database(self, refusal, role):
        assert "make it first: createdb" in refusal(role("writer").replace("/postgres?", "/nowhere?"))

    def test_no_such_schema(self, refusal, role):
        assert "CREATE SCHEMA" in refusal(role("writer").replace("search_path%3D", "search_path%3Dno_"))

    def test_no_rights(self, refusal, role):
        assert "GRANT it what it lacks" in refusal(role("reader", may="USAGE"))

    def test_a_transaction_that_may_only_read(self, refusal, role):
        assert "may only be read" in refusal(role("reader", default_transaction_read_only="on"))

    def test_an_option_that_there_is_not(self, refusal):
        assert 'invalid connection option "colour"' in refusal(
            f"postgresql://u:{SECRET}@h/d?colour=red", kind=InvalidConfig
        )

    def test_a_password_among_the_options(self, refusal):
        assert "password=***" in refusal(f"postgresql://u@127.0.0.1:1/db?password={SECRET}&connect_timeout=2")

    @pytest.mark.parametrize("unescaped", ["p@pa55w0rd", "pa55@w0rd@x", "pa55w0rd@x/y"])
    def test_a_password_with_an_at_sign(self, refusal, unescaped):
        assert "%40" in refusal(f"postgresql://u:{unescaped}@h/db", kind=InvalidConfig)

    def test_a_port_that_is_none(self, refusal):
        message = refusal(f"postgresql://u:{SECRET}@h:port/db", kind=InvalidConfig)
        assert "'postgresql://u:***@h:port/db' is not a database URL" in message

    def test_somebody_elses_tables(self, refusal, schema_url, admin):
        url = schema_url()
        name = url.rpartition("%3D")[2]
        admin.execute(f"CREATE TABLE {name}.invoices (x int)")
        assert "'invoices'" in refusal(url)

    def test_text_that_could_not_be_kept(self, refusal, admin, postgres):
        name = f"narrow_{time.time_ns()}"
        admin.execute(f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        assert "ENCODING 'UTF8'" in refusal(postgres.replace("/postgres?", f"/{name}?"))
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:secret@h/db", "postgresql://u:***@h/db"),
        ("postgresql://u:se@c:r/et@h:5/db?x=1", "postgresql://u:***@h:5/db?x=1"),
        ("postgresql://u@h/db?sslpassword=secret&password=b&x=1", "postgresql://u@h/db?sslpassword=***&password=***&x=1"),
        ("postgresql:///db", "postgresql:///db"),
        ("sqlite:///a:b@c.db", "sqlite:///a:b@c.db"),
        ("notes/a:b@c.db", "notes/a:b@c.db"),
    ],
)  # fmt: skip
def test_what_is_shown_of_a_url(url, shown):
    assert without_password(url) == shown


class TestOthers:
    def test_a_writer_is_waited_for_so_long_and_readers_never_wait(self, ledger, url, tournament, forge):
        other = Ledger.open(url, patience=0.1)
        with ledger._database.write() as connection:
            connection.execute(schema.head.select().where(schema.head.c.pool == tournament).with_for_update())
            assert other.matches.all(tournament) == ()
            with pytest.raises(Busy, match=r"is locked: somebody else .* more than 0\.1 s"):
                other.matches.record(tournament, forge.match("m"))
        other.matches.record(tournament, forge.match("m"))
        other.close()

    def test_a_reader_sees_one_state(self, ledger, url, tournament, forge):
        with Ledger.open(url) as other, other._database.read() as reading:
            asked = schema.match.select()
            assert reading.execute(asked).all() == []
            ledger.matches.record(tournament, forge.match("m"))
            assert reading.execute(asked).all() == []
        assert len(ledger.matches.all(tournament)) == 1

    def test_a_rebuild_meanwhile_costs_a_writer_nothing(self, ledger, url, tournament, forge):
        ledger.matches.record(tournament, forge.match("m0"))
        with Ledger.open(url, durable=False) as other, ThreadPoolExecutor(1) as thread:
            written = [thread.submit(other.matches.record, tournament, forge.match(f"n{n}")) for n in range(10)]
            while not written[-1].done():
                ledger.rebuild(tournament)
            assert all(len(one.result()) == 2 for one in written)
        assert len(ledger.matches.all(tournament)) == 11
        assert ledger.audit().ok

    def test_who_holds_a_claim_is_named(self, ledger, url, tournament):
        with Ledger.open(url) as other, other.tournaments.claim(tournament):
            held = pytest.raises(Busy, match=f"'{tournament}' is being run by process {os.getpid()} on ")
            with held, ledger.tournaments.claim(tournament):
                pass

    def test_all_connections_in_use_is_busy(self, url, tournament):
        with Ledger.open(url, patience=0.05) as other, ExitStack() as held:
            for _ in range(20):
                held.enter_context(other._database.read())
            with pytest.raises(Busy, match="all connections of this process"):
                other.tournaments.all()


class TestSettings:
    @pytest.mark.parametrize(("durable", "waits"), [(True, "on"), (False, "off")])
    def test_durable_is_synchronous_commit(self, url, durable, waits):
        assert _setting(url, "synchronous_commit", durable=durable) == waits

    @pytest.mark.parametrize(("set_to", "durable", "waits"), [("off", True, "on"), ("local", True, "local")])
    def test_a_server_that_does_not_wait_is_made_to_and_one_that_waits_for_more_may(self, role, set_to, durable, waits):
        assert _setting(role("writer", synchronous_commit=set_to), "synchronous_commit", durable=durable) == waits

    def test_floats_keep_every_bit_whatever_the_server_rounds_to(self, role, forge):
        with Ledger.open(role("writer", extra_float_digits="'-15'")) as ledger:
            id = ledger.tournaments.create("t", settings={}, items=forge.items(2), config=forge.config).id
            ledger.matches.record(id, forge.match("m", probability=0.1 + 0.2))
            assert ledger.tournaments.verdict(id, "m.AB").probability == 0.1 + 0.2
            assert ledger.audit().ok


def _setting(url, name, *, durable):
    database = Database(dialect_for(url, durable=durable, patience=5))
    with database.write() as connection:
        value = connection.exec_driver_sql(f"SHOW {name}").scalar_one()
    database.close()
    return value


@pytest.fixture(scope="module")
def filled_url(schema_url):
    return schema_url()


@pytest.fixture(scope="module")
def filled(filled_url, fill):
    """A ledger in which ``fill`` has played, for tests that leave it as it was."""
    with Ledger.open(filled_url, durable=False) as ledger:
        fill(ledger)
        yield ledger


@pytest.fixture(scope="module")
def beside(filled, filled_url):
    """A connection to its database."""
    with psycopg.connect(filled_url, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("table", [table.name for table in schema.APPEND_ONLY])
def test_update_delete_and_truncate_are_refused(beside, table):
    rows = beside.execute(f'SELECT * FROM "{table}"').fetchall()
    assert rows, "the ledger of this test must have a row in each table"
    for verb, statement in (
        ("UPDATE", f'UPDATE "{table}" SET pool = pool'),
        ("DELETE", f'DELETE FROM "{table}"'),
        ("TRUNCATE", f'TRUNCATE "{table}" CASCADE'),
        ("DELETE", f'DELETE FROM "{table}" WHERE false'),
    ):
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match=f"{verb} refused"):
            beside.execute(statement)
    assert beside.execute(f'SELECT * FROM "{table}"').fetchall() == rows


class TestTampering:
    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ("DROP TRIGGER match_refuses_update ON match", "the trigger match_refuses_update is missing"),
            ("ALTER TABLE match DISABLE TRIGGER match_refuses_delete", "match_refuses_delete was altered"),
            ("CREATE RULE mine AS ON DELETE TO rating DO INSTEAD NOTHING", "the rule mine was not created by paragone"),
            ("ALTER TABLE rating ADD COLUMN extra text", "the column extra was not created by paragone"),
            (
                "ALTER TABLE rating ALTER COLUMN wins TYPE bigint",
                "the column wins was altered: bigint not null",
            ),
            ("DROP INDEX ix_comparison_key", "the index ix_comparison_key is missing"),
            ("ALTER TABLE item DROP CONSTRAINT fk_item_pool", "the foreign key fk_item_pool is missing"),
            ("ALTER TABLE match ENABLE ROW LEVEL SECURITY", "the row security match was not created by paragone"),
            (
                "CREATE OR REPLACE FUNCTION paragone_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
                "the function paragone_refuse, which refuses changes to evidence, was altered",
            ),
        ],
    )
    def test_a_changed_schema_is_named(self, filled, statement, message):
        with filled._database.write() as connection:
            connection.exec_driver_sql(statement)
            (found,) = audit(connection, filled._database.dialect, None).differences
            assert message in found.message
            connection.get_transaction().rollback()
        assert filled.audit().ok

    @pytest.mark.parametrize(
        ("table", "change"),
        [
            ("rating_change", "new = new + 1e-12"),
            ("comparison", "rationale = rationale || ' '"),
            ("match", "round = round + 1"),
            ("ranking", "\"order\" = '[0,1,2,3]'"),
            ("commit", "at = '2001' || substr(at, 5)"),
            ("rating", "elo = elo + 1"),
        ],
    )
    def test_a_changed_value_is_named(self, filled, table, change):
        with filled._database.write() as connection:
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")  # past the triggers
            some = f'SELECT ctid FROM "{table}" LIMIT 1'
            edited = connection.exec_driver_sql(f'UPDATE "{table}" SET {change} WHERE ctid = ({some})')
            assert edited.rowcount == 1
            (found,) = audit(connection, filled._database.dialect, None).differences
            assert (found.pool, found.table) == ("ideas-1", table)
            connection.get_transaction().rollback()
        assert filled.audit().ok

    def test_the_same_evidence_has_the_same_hashes_in_every_database(self, filled, path, fill):
        with Ledger.open(path, durable=False) as ledger:
            fill(ledger)
            assert _stored_rows(filled) == _stored_rows(ledger)


def _stored_rows(ledger):
    with ledger._database.read() as connection:
        return {
            table.name: connection.execute(
                schema.metadata.tables[table.name].select().with_only_columns(*as_stored(table)).order_by("seq")
            ).all()
            for table in schema.EVIDENCE
        }


def test_an_index_that_is_not_valid_is_damage(ledger, url):
    update = "UPDATE pg_index SET indisvalid = {} WHERE indexrelid = 'ix_comparison_key'::regclass"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(update.format("false"))
        (found,) = ledger.audit().differences
        connection.execute(update.format("true"))  # others are lent this database
    assert "the index ix_comparison_key is not valid; REINDEX" in found.message


def test_an_id_too_long_for_an_index_is_refused_clearly(ledger, tournament):
    id = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=6000))
    with pytest.raises(LedgerError, match=r"ids may have some 2,600 bytes"):
        ledger.items.add(tournament, [Item(id=id, text="x")])
    ledger.items.add(tournament, [Item(id="long", text=id * 100)])
    assert ledger.audit().ok
