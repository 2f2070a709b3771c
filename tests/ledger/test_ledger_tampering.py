"""Whoever edits the file is found out, and the audit says which row it was."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from paragone.domain import Match
from paragone.errors import Corrupted
from paragone.ledger import Difference, Ledger, schema

TABLES = [table.name for table in schema.EVIDENCE]


@pytest.fixture
def tamper(filed):
    """Runs SQL on the file as somebody who knows how to drop the triggers would; returns what the audit then finds."""

    def run(*statements: str) -> tuple[Difference, ...]:
        connection = sqlite3.connect(filed, isolation_level=None)
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            connection.execute(statement)
        connection.close()
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


def test_every_single_column_of_a_match_is_covered(tamper, filed):
    for column in [column.name for column in schema.match.columns]:
        copy = filed.with_name(f"{column}.db")
        shutil.copy(filed, copy)
        edit = sqlite3.connect(copy, isolation_level=None)
        edit.execute("DROP TRIGGER match_refuses_update")
        edit.execute(f'UPDATE "match" SET "{column}" = 77 WHERE "match" = \'m2\'')
        edit.close()
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
        'UPDATE "commit" SET rows = replace(rows, \'["tournament_event","\', \'["tournament_event","0\') '
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
        id = ledger.create_tournament("ideas", settings={}, items=forge.items(3), config=forge.config).id
        ledger.record_match(id, forge.match("m0"))
        ledger.adjust(id, [forge.adjustment("d1", "i0", 1300.0, 0.5), forge.adjustment("d2", "i1", 1300.0, 0.5)])
        if among_several:
            ledger.record_match(id, Match.ranked("m1", forge.ranking("m1.1")))
        ledger.rollback(id, "m0", "disputed")
        assert ledger.audit().ok
    connection = _opened(path)
    connection.execute(f"UPDATE adjustment SET {column} = {column} + 0.25 WHERE adjustment = 'd2'")
    _forge_all_hashes(connection)
    connection.close()
    with Ledger.open(path) as ledger:
        (found,) = ledger.audit().differences
    assert (found.table, found.row) == ("adjustment", "d2")
    assert "adjustment 'd2' moved 'i1'" in found.message


@pytest.mark.parametrize("edit", ["item = 'nobody'", "target = 'far'", "share = 'none'", "share = 2"])
def test_an_adjustment_that_cannot_be_read_is_reported_without_a_foreign_error(filed, edit):
    connection = _opened(filed)
    connection.execute(f"UPDATE adjustment SET {edit} WHERE adjustment = 'decay:i0'")
    _forge_all_hashes(connection)
    connection.close()
    with Ledger.open(filed) as ledger:
        assert _audit_finds_it(ledger)


def test_a_review_that_cannot_be_is_reported_without_a_foreign_error(filed):
    connection = _opened(filed)
    connection.execute("UPDATE review SET score = 7 WHERE item = 'i3'")
    connection.close()
    with Ledger.open(filed) as ledger:
        with pytest.raises(Corrupted, match="a review of 'i3'"):
            ledger.reviews("ideas-1")
        assert _audit_finds_it(ledger)


def _opened(path: Path) -> sqlite3.Connection:
    """The file, for somebody who knows how to drop the triggers."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f'DROP TRIGGER "{name}"')
    return connection


def test_a_forged_chain_that_fits_is_found_by_the_ratings(filed):
    """Whoever can make hashes can make all of them fit; what the matches imply still says otherwise."""
    connection = _opened(filed)
    connection.execute("UPDATE rating_change SET new = new + 50 WHERE \"match\" = 'm5' AND item = 'i1'")
    connection.execute("UPDATE rating SET elo = elo + 50 WHERE item = 'i1'")
    _forge_all_hashes(connection)
    connection.close()
    with Ledger.open(filed) as ledger:
        (found,) = ledger.audit().differences
    assert (found.table, found.row) == ("rating_change", "m5")


def test_only_the_pool_that_was_touched_is_named(filed, tamper, forge):
    with Ledger.open(filed) as ledger:
        ledger.create_tournament("other", settings={}, items=forge.items(2), config=forge.config)
    differences = tamper("UPDATE item SET text = 'mine' WHERE pool = 'other-1' AND item = 'i1'")
    assert [found.pool for found in differences] == ["other-1"]


def test_a_value_of_a_wrong_type_is_a_difference_and_no_crash(tamper):
    (found,) = tamper("UPDATE rating_change SET new = 9e999 WHERE \"match\" = 'm0'")
    assert found.table == "rating_change"


@pytest.mark.parametrize("value", ["CAST(x'ff' AS TEXT)", "x'00'", "'{'"])
def test_a_value_that_cannot_be_read_is_reported_without_a_foreign_error(filed, value):
    connection = sqlite3.connect(filed, isolation_level=None)
    connection.execute("DROP TRIGGER comparison_refuses_update")
    connection.execute(f"UPDATE comparison SET scores = {value} WHERE call = 'm0.AB'")
    connection.close()
    with Ledger.open(filed) as ledger:
        with pytest.raises(Corrupted):
            ledger.matches("ideas-1")
        assert _audit_finds_it(ledger)


def _audit_finds_it(ledger: Ledger) -> bool:
    try:
        return not ledger.audit().ok
    except Corrupted:  # bytes that are no text cannot even be read
        return True


def _forge_all_hashes(connection: sqlite3.Connection) -> None:
    import json

    from paragone.ledger.chain import GENESIS, commit_hash, row_digest

    rows = {}
    for table in TABLES:
        for row in connection.execute(f'SELECT * FROM "{table}"'):
            rows[row["seq"]] = (table, dict(row))
    previous, seq = GENESIS, 0
    for commit in connection.execute('SELECT * FROM "commit" ORDER BY number').fetchall():
        link = dict(commit)
        manifest = []
        for _ in json.loads(link["rows"]):
            seq += 1
            manifest.append([rows[seq][0], row_digest(*rows[seq])])
        link["rows"], link["previous"] = json.dumps(manifest, separators=(",", ":")), previous
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
