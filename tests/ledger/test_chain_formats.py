"""Commits of both rules: each is verified by its own, and in both the altered row is named."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.errors import LedgerError
from paragone.ledger import Ledger, chain, schema
from paragone.ledger.chain_check import follow
from paragone.ledger.digests import Listing, commit_hash, json_digest, packed, packed_digests

DIGESTS = [bytes([number]) * 32 for number in range(9)]
TABLE_NAMES = [table.name for table in schema.EVIDENCE]
NEWER = (
    schema.worker,
    schema.worker_judge,
    schema.judging,
    schema.question,
    schema.reservation,
    schema.image,
    schema.saved_view,
)
"""Tables that schema 0005 did not have."""


@pytest.fixture
def before(monkeypatch):
    """Has ledgers written as versions before schema 0006 wrote them: whole digests of JSON, listed as JSON."""

    def digests(table, rows):
        names = schema.metadata.tables[table].columns.keys()
        return [bytes.fromhex(json_digest(table, dict(zip(names, row, strict=True)))) for row in rows]

    with monkeypatch.context() as patched:
        patched.setattr(chain, "packed_digests", digests)
        patched.setattr(chain, "packed", lambda rows: [[table, digest.hex()] for table, digest in rows])
        yield patched


class TestLedgersOfBefore:
    def test_they_are_written_here_as_they_were(self, before, url, fill, clock):
        """The hash is that of paragone at schema 0005, of the same tournament by the same clock."""
        with Ledger.open(url, clock=clock) as ledger:
            fill(ledger)
            assert ledger.audit().heads == {
                "ideas-1": "05ccf1cc223614874c7abcd7920ac3b78dea063a5eb190ed413b382f37e30a64"
            }

    def test_they_open_and_audit_clean_and_go_on(self, before, new_ledger, fill, forge):
        url = new_ledger()
        with Ledger.open(url) as ledger:
            fill(ledger)
            heads = ledger.audit().heads
            with ledger._database.write() as connection:
                for table in NEWER:
                    table.drop(connection)
                connection.exec_driver_sql("UPDATE paragone_schema SET version_num = '0005'")
        before.undo()
        with Ledger.open(url) as ledger:
            report = ledger.audit(expect=heads.values())
            assert (report.ok, report.heads) == (True, heads)
            for number in range(10, 20):
                ledger.matches.record("ideas-1", forge.match(f"m{number}"))
            report = ledger.audit(expect=heads.values())
            assert report.ok, report.differences
            assert _formats(ledger) == [1] * (report.commits - 10) + [2] * 10
            ledger.rebuild("ideas-1")
            assert ledger.audit().ok

    @pytest.mark.parametrize("seq_of", ["SELECT min(seq) FROM comparison", "SELECT max(seq) FROM comparison"])
    def test_an_altered_row_is_named_in_old_and_new_commits(self, before, path, fill, forge, seq_of):
        with Ledger.open(path) as ledger:
            fill(ledger)
        before.undo()
        with Ledger.open(path) as ledger:
            ledger.matches.record("ideas-1", forge.match("m10"))
        connection = sqlite3.connect(path)
        (seq,) = connection.execute(seq_of).fetchone()
        connection.execute("DROP TRIGGER comparison_refuses_update")
        connection.execute(f"UPDATE comparison SET rationale = 'bought' WHERE seq = {seq}")
        connection.commit()
        connection.close()
        with Ledger.open(path) as ledger:
            trigger, found = ledger.audit().differences
            with ledger._database.read() as connection:
                assert follow(connection, "ideas-1", stretch=1)[1] == found
        assert "trigger" in trigger.message
        assert (found.table, found.row) == ("comparison", seq)
        assert "was altered after it was recorded" in found.message


def _formats(ledger):
    with ledger._database.read() as connection:
        rows = connection.execute(schema.commit.select().order_by(schema.commit.c.number)).all()
    return [Listing.of(row.rows).format for row in rows]


class TestListings:
    def test_rows_in_their_order(self):
        names = ["comparison", "comparison", "match", "comparison", "item"]
        listing = Listing.of(packed(list(zip(names, DIGESTS, strict=False))))
        assert (listing.format, listing.digest, len(listing)) == (2, None, 5)
        assert [(run.table, list(run.each())) for run in listing.runs] == [
            ("comparison", DIGESTS[:2]), ("match", DIGESTS[2:3]), ("comparison", DIGESTS[3:4]), ("item", DIGESTS[4:5]),
        ]  # fmt: skip

    @given(st.lists(st.tuples(st.sampled_from(TABLE_NAMES), st.binary(min_size=32, max_size=32))))
    def test_any_rows(self, rows):
        listing = Listing.of(packed(rows))
        assert [(run.table, mark) for run in listing.runs for mark in run.each()] == rows

    @pytest.mark.parametrize("value", [
        {"format": 3, "rows": "", "tables": []},
        {"format": 2, "rows": "AAAA", "tables": ["item"]},
        {"format": 2, "rows": "not base64", "tables": []},
        {"format": 2, "tables": []},
        {"format": 2, "rows": packed([("item", DIGESTS[0])])["rows"], "tables": []},
    ])  # fmt: skip
    def test_what_is_none(self, value):
        with pytest.raises(ValueError, match=r"."):
            Listing.of(value)


class TestDigests:
    def test_types_are_told_apart(self):
        values = [1, 1.0, "1", None, b"1", 0.0, -0.0, "", 2**63 - 1]
        assert len({digest for value in values for digest in packed_digests("item", [(value,)])}) == len(values)
        assert packed_digests("item", [("a", "b")]) != packed_digests("item", [("ab", "")])
        assert packed_digests("item", [("a",)]) != packed_digests("match", [("a",)])

    def test_what_cannot_have_been_stored_has_none_and_the_others_have_theirs(self):
        digests = packed_digests("item", [("a",), ("half \ud800",), (2**70,), ("b",)])
        assert list(map(bool, digests)) == [True, False, False, True]
        assert digests[0] == packed_digests("item", [("a",)])[0]

    def test_a_worked_example(self):
        """By hand: an array of 4, "item", "a", the integer 7, and 1.5 as a float of 64 bits."""
        import hashlib

        encoded = b"\x94\xa4item\xa1a\x07\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00"
        assert packed_digests("item", [("a", 7, 1.5)]) == [hashlib.blake2b(encoded, digest_size=32).digest()]

    def test_a_commit_that_cannot_have_been_stored(self):
        link = {"pool": "p", "number": 2**70, "previous": "", "at": "", "rows": '{"format":2,'}
        with pytest.raises(LedgerError):
            commit_hash(link)
