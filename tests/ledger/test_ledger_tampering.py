"""Whoever edits the file is found out, and the audit says which row it was."""

import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from paragone.domain import Match
from paragone.errors import Corrupted, InvalidConfig
from paragone.ledger import Ledger, schema
from paragone.wire.audit import Difference

TABLES = [table.name for table in schema.EVIDENCE]


@contextmanager
def editing(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, for somebody who drops the triggers and afterwards makes them again."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        _run(connection, *(f'DROP TRIGGER "{name}"' for name, _ in triggers))
        yield connection
        _run(connection, *(statement for _, statement in triggers))


def _run(connection: sqlite3.Connection, *statements: str) -> None:
    """Run statements in one transaction, or the file would be written as often."""
    connection.execute("BEGIN")
    for statement in statements:
        connection.execute(statement)
    connection.execute("COMMIT")


@pytest.fixture
def tamper(filed):
    """Runs SQL on the file as somebody who knows how to drop the triggers would; returns what the audit then finds."""

    def run(*statements: str) -> tuple[Difference, ...]:
        with editing(filed) as connection:
            for statement in statements:
                connection.execute(statement)
        with Ledger.open(filed) as ledger:
            report = ledger.audit()
            assert report.ok == (not report.differences)
            return report.differences

    return run


def test_untouched_it_is_clean(tamper):
    assert tamper("SELECT 1") == ()


@pytest.mark.parametrize("table", TABLES)
def test_a_changed_row_is_named(tamper, filed, table):
    seq, value = _one(filed, table)
    column = schema.metadata.tables[table].columns.keys()[-1]
    assert value is not None
    tamper_with = f"'{value}x'" if isinstance(value, str) else f"{value} + 1"
    (found,) = tamper(f'UPDATE "{table}" SET "{column}" = {tamper_with} WHERE seq = {seq}')
    assert (found.pool, found.table, found.row) == ("ideas-1", table, seq)
    assert f"row {seq} of {table}" in found.message
    assert "was altered" in found.message


@pytest.mark.parametrize("table", TABLES)
def test_a_deleted_row_is_named(tamper, filed, table):
    seq, _ = _one(filed, table)
    (found,) = tamper(f'DELETE FROM "{table}" WHERE seq = {seq}')
    assert (found.table, found.row) == (table, seq)
    assert "is missing" in found.message


def test_every_single_column_of_a_match_is_covered(filed):
    for column in [column.name for column in schema.match.columns]:
        copy = filed.with_name(f"{column}.db")
        shutil.copy(filed, copy)
        with editing(copy) as edit:
            edit.execute(f'UPDATE "match" SET "{column}" = 77 WHERE "match" = \'m2\'')
        with Ledger.open(copy) as ledger:
            assert not ledger.audit().ok, column


def test_the_least_change_of_a_float_is_found(tamper):
    (found,) = tamper("UPDATE rating_change SET new = 1216.0000000000002 WHERE \"match\" = 'm0' AND item = 'i0'")
    assert found.table == "rating_change"
    assert "'m0'" in found.message


def test_an_added_row_is_named(tamper):
    (found,) = tamper(
        "INSERT INTO tournament_event (pool, seq, \"commit\", kind, detail) VALUES ('ideas-1', 999, 1, 'stopped', '{}')"
    )
    assert (found.table, found.row) == ("tournament_event", 999)
    assert "added by no commit" in found.message


def test_an_added_row_that_takes_a_place_that_is_taken_is_named(tamper):
    (found,) = tamper(
        "INSERT INTO tournament_event (pool, seq, \"commit\", kind, detail) VALUES ('ideas-1', 2, 1, 'stopped', '{}')"
    )
    assert (found.table, found.row) == ("tournament_event", 2)


def test_rows_that_changed_places_are_named(tamper, filed):
    first, second = _seqs(filed, "match")[:2]
    (found,) = tamper(
        f'UPDATE "match" SET seq = -1 WHERE seq = {first}',
        f'UPDATE "match" SET seq = {first} WHERE seq = {second}',
        f'UPDATE "match" SET seq = {second} WHERE seq = -1',
    )
    assert (found.table, found.row) == ("match", first)


def test_a_changed_commit_is_named(tamper):
    (found,) = tamper("UPDATE \"commit\" SET at = '2001-01-01T00:00:00.000000+00:00' WHERE number = 4")
    assert (found.table, found.row, found.message) == ("commit", 4, "commit 4 was altered after it was made")


def test_a_changed_row_with_a_digest_to_match_is_found_by_the_hash(tamper, filed):
    (found,) = tamper(
        "UPDATE tournament_event SET detail = '{\"reason\":\"won\"}' WHERE kind = 'stopped'",
        'UPDATE "commit" SET rows = replace(rows, \'"rows":"A\', \'"rows":"B\') '
        'WHERE number = (SELECT max(number) FROM "commit")',
    )
    assert found.table == "commit"


def test_a_deleted_commit_is_named(tamper):
    (found,) = tamper('DELETE FROM "commit" WHERE number = 3')
    assert (found.table, found.row, found.message) == ("commit", 3, "commit 3 is missing")


def test_commits_that_changed_places_are_named(tamper):
    (found,) = tamper(
        'UPDATE "commit" SET number = -1 WHERE number = 3',
        'UPDATE "commit" SET number = 3 WHERE number = 4',
        'UPDATE "commit" SET number = 4 WHERE number = -1',
    )
    assert (found.table, found.row) == ("commit", 3)


def test_a_cut_off_end_is_found(tamper, filed):
    last = _query(filed, 'SELECT max(number) FROM "commit"')[0][0]
    (found,) = tamper(
        f'DELETE FROM "commit" WHERE number = {last}', f'DELETE FROM tournament_event WHERE "commit" = {last}'
    )
    assert found.table == "head"


@pytest.mark.parametrize(
    "change", ["elo = elo + 1e-9", "wins = wins + 1", "losses = losses - 1", "ties = 9", "matches = 0", "item = 'i9'"]
)
def test_a_changed_projection_is_named(tamper, change):
    (found,) = tamper(f"UPDATE rating SET {change} WHERE item = 'i3'")
    assert (found.table, found.row) == ("rating", "i3")
    assert "the evidence says" in found.message


def test_a_deleted_projection_is_named(tamper):
    (found,) = tamper("DELETE FROM rating WHERE item = 'i2'")
    assert (found.table, found.row) == ("rating", "i2")


@pytest.mark.parametrize("among_several", [True, False])
@pytest.mark.parametrize("column", ["target", "share", "new", "clamped"])
def test_a_forged_adjustment_is_found_by_the_ratings(path, forge, column, among_several):
    with Ledger.open(path, durable=False) as ledger:
        id = ledger.tournaments.create("ideas", settings={}, items=forge.items(3), config=forge.config).id
        ledger.matches.record(id, forge.match("m0"))
        ledger.ratings.adjust(
            id, [forge.adjustment("d1", "i0", 1300.0, 0.5), forge.adjustment("d2", "i1", 1300.0, 0.5)]
        )
        if among_several:
            ledger.matches.record(id, Match.ranked("m1", forge.ranking("m1.1")))
        ledger.matches.rollback(id, "m0", "disputed")
        assert ledger.audit().ok
    with editing(path) as connection:
        connection.execute(f"UPDATE adjustment SET {column} = {column} + 0.25 WHERE adjustment = 'd2'")
        _forge_all_hashes(connection)
    with Ledger.open(path) as ledger:
        (found,) = ledger.audit().differences
    assert (found.table, found.row) == ("adjustment", "d2")
    assert "adjustment 'd2' moved 'i1'" in found.message


@pytest.mark.parametrize("edit", ["item = 'nobody'", "target = 'far'", "share = 'none'", "share = 2"])
def test_an_adjustment_that_cannot_be_read_is_reported_without_a_foreign_error(filed, edit):
    with editing(filed) as connection:
        connection.execute(f"UPDATE adjustment SET {edit} WHERE adjustment = 'decay:i0'")
        _forge_all_hashes(connection)
    with Ledger.open(filed) as ledger:
        assert not ledger.audit().ok


def test_a_review_that_cannot_be_is_reported_without_a_foreign_error(filed):
    with editing(filed) as connection:
        connection.execute("UPDATE review SET score = 7 WHERE item = 'i3'")
    with Ledger.open(filed) as ledger:
        with pytest.raises(Corrupted, match="a review of 'i3'"):
            ledger.items.reviews("ideas-1")
        assert not ledger.audit().ok


def test_a_forged_chain_that_fits_is_found_by_the_ratings(filed):
    """Whoever can make hashes can make all of them fit; what the matches imply still says otherwise."""
    with editing(filed) as connection:
        connection.execute("UPDATE rating_change SET new = new + 50 WHERE \"match\" = 'm5' AND item = 'i1'")
        connection.execute("UPDATE rating SET elo = elo + 50 WHERE item = 'i1'")
        _forge_all_hashes(connection)
    with Ledger.open(filed) as ledger:
        (found,) = ledger.audit().differences
    assert (found.table, found.row) == ("rating_change", "m5")


def test_only_the_pool_that_was_touched_is_named(filed, tamper, forge):
    with Ledger.open(filed) as ledger:
        ledger.tournaments.create("other", settings={}, items=forge.items(2), config=forge.config)
    differences = tamper("UPDATE item SET text = 'mine' WHERE pool = 'other-1' AND item = 'i1'")
    assert [found.pool for found in differences] == ["other-1"]


def test_a_value_of_a_wrong_type_is_a_difference_and_no_crash(tamper):
    (found,) = tamper("UPDATE rating_change SET new = 9e999 WHERE \"match\" = 'm0'")
    assert found.table == "rating_change"


@pytest.mark.parametrize("value", ["CAST(x'ff' AS TEXT)", "x'00'", "'{'"])
def test_a_value_that_cannot_be_read_is_reported_without_a_foreign_error(filed, value):
    with editing(filed) as connection:
        connection.execute(f"UPDATE comparison SET scores = {value} WHERE call = 'm0.AB'")
    with Ledger.open(filed) as ledger:
        with pytest.raises(Corrupted):
            ledger.matches.all("ideas-1")
        (found,) = ledger.audit().differences
    assert found.table == "comparison"
    assert "was altered" in found.message


def _forge_all_hashes(connection: sqlite3.Connection) -> None:
    import json

    from paragone.ledger.chain import GENESIS
    from paragone.ledger.digests import Listing, commit_hash, packed, packed_digests

    rows = {}
    for table in TABLES:
        for row in connection.execute(f'SELECT * FROM "{table}"'):
            rows[row["seq"]] = (table, *packed_digests(table, [tuple(row)]))
    previous, seq = GENESIS, 0
    for commit in connection.execute('SELECT * FROM "commit" ORDER BY number').fetchall():
        link = dict(commit)
        count = len(Listing.of(json.loads(link["rows"])))
        listing = packed([rows[seq + place] for place in range(1, count + 1)])
        seq += count
        link["rows"] = json.dumps(listing, sort_keys=True, separators=(",", ":"))
        link["previous"] = previous
        previous = commit_hash(link)
        connection.execute(
            'UPDATE "commit" SET rows = ?, previous = ?, hash = ? WHERE id = ?',
            (link["rows"], link["previous"], previous, link["id"]),
        )
    connection.execute("UPDATE head SET hash = ?", (previous,))


def _query(path: Path, statement: str) -> list[tuple]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def _seqs(path: Path, table: str) -> list[int]:
    return [seq for (seq,) in _query(path, f'SELECT seq FROM "{table}" ORDER BY seq')]


def _one(path: Path, table: str) -> tuple[int, object]:
    """A row from the middle of a table: its place, and the value of its last column."""
    found = _query(path, f'SELECT * FROM "{table}" ORDER BY seq')
    row = found[len(found) // 2]
    return row[1], row[-1]


class TestSchema:
    """Whoever may drop a trigger may change rows, so what the schema lacks is as bad as a row that differs."""

    def audited(self, path: Path, *statements: str) -> list[str]:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)
        with Ledger.open(path) as ledger:
            return [f"{found.table}: {found.message}" for found in ledger.audit().differences]

    def test_a_dropped_trigger_is_named_with_the_statement_that_makes_it(self, filed):
        (message,) = self.audited(filed, "DROP TRIGGER match_refuses_update")
        assert message.startswith("match: the trigger match_refuses_update is missing; make it again with: CREATE")
        assert self.audited(filed, message.partition("again with: ")[2]) == []

    def test_a_trigger_that_refuses_nothing_any_more(self, filed):
        (message,) = self.audited(
            filed,
            "DROP TRIGGER match_refuses_update",
            'CREATE TRIGGER "match_refuses_update" BEFORE UPDATE ON "match" BEGIN SELECT 1; END',
        )
        assert "match_refuses_update was altered" in message

    def test_a_trigger_of_somebody_else_on_one_of_our_tables(self, filed):
        spy = "CREATE TRIGGER spy AFTER INSERT ON comparison BEGIN UPDATE rating SET elo = elo + 1; END"
        (message,) = self.audited(filed, spy)
        assert message.startswith("comparison: the trigger spy was not created by paragone")

    def test_a_dropped_index_and_an_added_column(self, filed):
        messages = self.audited(filed, "DROP INDEX ix_comparison_key", "ALTER TABLE rating ADD COLUMN extra TEXT")
        assert {" ".join(message.split()[:5]) for message in messages} == {
            "comparison: the index ix_comparison_key is",
            "rating: the table rating was",
        }

    def test_tables_and_indexes_beside_ours_are_nobodys_business(self, filed):
        assert self.audited(filed, "CREATE TABLE notes (x)", "CREATE INDEX mine ON comparison (judge)") == []


class TestExpectedHashes:
    def test_a_tail_that_was_cut_off_with_its_head_is_seen_by_who_kept_the_hash(self, filed):
        with Ledger.open(filed) as ledger:
            kept = ledger.audit().heads["ideas-1"]
        with editing(filed) as connection:
            last = connection.execute('SELECT max(number) FROM "commit"').fetchone()[0]
            connection.execute(f'DELETE FROM tournament_event WHERE "commit" = {last}')
            connection.execute(f'DELETE FROM "commit" WHERE number = {last}')
            connection.execute(
                'UPDATE head SET commits = commits - 1, "rows" = "rows" - 1, '
                'hash = (SELECT hash FROM "commit" ORDER BY number DESC LIMIT 1)'
            )
        with Ledger.open(filed) as ledger:
            assert ledger.audit().ok
            (found,) = ledger.audit(expect=[kept]).differences
            assert (found.table, found.row) == ("commit", kept)
            assert "was cut off" in found.message
            assert not ledger.audit("ideas-1", expect=[kept]).ok

    def test_a_ledger_that_has_grown_still_holds_the_hash(self, filed):
        with Ledger.open(filed) as ledger:
            kept = ledger.audit().heads["ideas-1"]
            ledger.tournaments.add_event("ideas-1", "resumed", {})
            report = ledger.audit(expect=[kept])
        assert report.ok
        assert report.heads["ideas-1"] != kept

    def test_what_is_no_hash_is_refused(self, filed):
        with Ledger.open(filed) as ledger, pytest.raises(InvalidConfig, match="64 hexadecimal digits"):
            ledger.audit(expect=["abc"])


class TestClocks:
    def test_a_clock_that_goes_back_is_noted_and_breaks_nothing(self, path, forge):
        times = iter([datetime(2026, 5, 1, 12, tzinfo=UTC) + timedelta(seconds=s) for s in (0, 5, -3595, -3590, 3600)])
        with Ledger.open(path, clock=lambda: next(times), durable=False) as ledger:
            ledger.pools.create("p", forge.config)
            ledger.items.add("p", forge.items(2))
            for number in range(3):
                ledger.matches.record("p", forge.match(f"m{number}"))
            report = ledger.audit()
            assert [entry.match.id for entry in ledger.matches.all("p")] == ["m0", "m1", "m2"]
        assert report.ok
        (note,) = report.notes
        assert note.startswith("in pool 'p' the clock went back once, first at commit 3 and by 3600 s at the most")

    def test_clocks_of_several_machines_that_differ_by_less_than_a_second_are_no_news(self, path, forge):
        times = iter([datetime(2026, 5, 1, 12, tzinfo=UTC) - timedelta(seconds=0.9 * n) for n in range(2)])
        with Ledger.open(path, clock=lambda: next(times), durable=False) as ledger:
            ledger.pools.create("p", forge.config)
            ledger.items.add("p", forge.items(2))
            assert ledger.audit().notes == ()


class TestBitFlips:
    """``benchmarks/audit_bit_flips.py`` with fewer flips: each that changes what can be read is reported."""

    @pytest.fixture
    def script(self, monkeypatch):
        monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
        import audit_bit_flips

        return audit_bit_flips

    def test_no_flip_is_missed_and_none_ends_in_a_foreign_error(self, script, path, tmp_path, deep):
        script.fill(path, 2)
        flips = list(script.flips(path, tmp_path / "work", 300 if deep else 30, seed=7))
        assert [flip for flip in flips if flip.outcome in script.BAD] == []
        assert sum(flip.outcome == script.ROW for flip in flips) >= 3
        assert sum(flip.outcome == script.HARMLESS for flip in flips) >= 3

    def test_a_flip_in_the_table_that_the_index_does_not_share_names_the_row(self, filed):
        """Found by the index, the row would look as it was."""
        content = filed.read_bytes()
        with closing(sqlite3.connect(filed)) as connection:
            seq, text = connection.execute("SELECT seq, call FROM comparison WHERE call = 'm3.AB'").fetchone()
        places = [found.start() for found in re.finditer(re.escape(text.encode()), content)]
        named = set()
        for at in places:
            filed.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            with Ledger.open(filed) as ledger:
                found = ledger.audit().differences
            assert found, at
            named |= {(difference.table, difference.row) for difference in found}
        assert ("comparison", seq) in named

    def test_a_flip_in_the_journal_cuts_the_end_off_which_an_expected_hash_shows(self, path, tmp_path, fill):
        """SQLite checks each frame of its journal and takes what comes before a wrong one: a ledger that is shorter."""
        with Ledger.open(path) as ledger:
            fill(ledger)
            with closing(sqlite3.connect(path)) as look:  # the journal stays while somebody has the file open
                kept = ledger.audit().heads["ideas-1"]
                copy = tmp_path / "copy.db"
                shutil.copy(path, copy)
                journal = bytearray(path.with_name(f"{path.name}-wal").read_bytes())
                look.execute("SELECT 1")
        journal[random.Random(3).randrange(len(journal) * 2 // 3, len(journal))] ^= 4
        copy.with_name(f"{copy.name}-wal").write_bytes(journal)
        with Ledger.open(copy) as ledger:
            assert not ledger.audit(expect=[kept]).ok
