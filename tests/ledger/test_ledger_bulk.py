"""Many matches in one transaction: the same evidence as one by one, on every database."""

import random
import shutil
import sqlite3

import pytest

from paragone.domain import Choice, Item, ItemKind, RatingConfig
from paragone.errors import Conflict, InvalidItems, LedgerError
from paragone.ledger import Batch, Ledger
from paragone.ledger.chain_check import follow, trace

ANSWERS = [Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN]


def batch(start: int, count: int, *, items: int = 12, seed: int = 1) -> Batch:
    draw = random.Random(seed + start)
    pairs = [draw.sample(range(items), 2) for _ in range(count)]
    choices = [draw.choice(ANSWERS) for _ in pairs]
    soft = [draw.choice([None, 0.75]) if choice is Choice.FIRST else None for choice in choices]
    return Batch(
        id=[f"f1.{start + n}" for n in range(count)],
        a=[f"i{a}" for a, _ in pairs],
        b=[f"i{b}" for _, b in pairs],
        choice=choices,
        probability=soft,
        judge=[draw.choice(["x", "y\x00"]) for _ in pairs],
        confidence=[draw.choice([1.0, 0.5, 0.01]) for _ in pairs],
    )


@pytest.fixture
def pool(ledger: Ledger) -> str:
    return ledger.tournaments.create("big", settings={}, items=(), config=RatingConfig(floor=1170.0, ceiling=1230.0)).id


@pytest.fixture
def twin():
    """A ledger in memory to record the same in, one by one."""
    with Ledger.open("sqlite://") as other:
        yield other


def record(ledger: Ledger, pool: str, *batches: Batch) -> None:
    bulk = ledger.matches.bulk(pool)
    for part in batches:
        bulk.record(part, event="imported", detail={"rows": len(part)})


def record_singly(ledger: Ledger, items: tuple[Item, ...], *batches: Batch) -> None:
    ledger.tournaments.create("big", settings={}, items=items, config=RatingConfig(floor=1170.0, ceiling=1230.0))
    for part in batches:
        for match in part.matches():
            ledger.matches.record("big-1", match)


def test_it_is_the_same_evidence_as_one_by_one(ledger, pool, twin):
    parts = [batch(1, 60), batch(61, 40, items=20)]
    record(ledger, pool, *parts)
    record_singly(twin, ledger.items.all(pool), *parts)
    assert ledger.ratings.all(pool) == twin.ratings.all(pool)
    assert ledger.ratings.changes(pool) == twin.ratings.changes(pool)
    assert any(change.clamped for change in ledger.ratings.changes(pool))
    assert [entry.match for entry in ledger.matches.all(pool)] == [entry.match for entry in twin.matches.all(pool)]
    assert ledger.matches.comparisons(pool) == twin.matches.comparisons(pool)
    assert ledger.tournaments.spending(pool) == twin.tournaments.spending(pool)
    assert len(ledger.tournaments.events(pool)) == 3


def test_all_that_a_ledger_does_works_on_it(ledger, pool, twin):
    parts = [batch(1, 60)]
    record(ledger, pool, *parts)
    record_singly(twin, ledger.items.all(pool), *parts)
    without = {"without_matches": ("f1.7",), "without_judges": ("x",)}
    assert ledger.ratings.whatif(pool, **without) == twin.ratings.whatif(pool, **without)
    assert ledger.matches.rollback(pool, "f1.7", "disputed") == twin.matches.rollback(pool, "f1.7", "disputed")
    ledger.rebuild(pool)
    assert ledger.ratings.all(pool) == twin.ratings.all(pool)
    assert ledger.audit().ok


def test_others_may_write_between_two_batches(ledger, pool, forge, twin):
    bulk = ledger.matches.bulk(pool)
    bulk.record(batch(1, 30), event="imported", detail={})
    between = forge.bare("by hand", "i3", "i4")
    ledger.matches.record(pool, between)
    bulk.record(batch(31, 30), event="imported", detail={})
    record_singly(twin, ledger.items.all(pool), batch(1, 30))
    twin.matches.record("big-1", between)
    for match in batch(31, 30).matches():
        twin.matches.record("big-1", match)
    assert ledger.ratings.changes(pool) == twin.ratings.changes(pool)
    assert ledger.audit().ok


def test_many_items_go_by_the_short_way_of_each_database(ledger, pool):
    many = batch(1, 1100, items=2200)
    again = Batch(
        id=[f"g{n}" for n in range(1100)],
        a=many.a, b=many.b, choice=many.choice, probability=many.probability, judge=many.judge,
        confidence=many.confidence,
    )  # fmt: skip
    record(ledger, pool, many, again)
    assert sum(rating.matches for rating in ledger.ratings.all(pool).values()) == 4 * sum(
        choice is not Choice.ABSTAIN for choice in many.choice
    )
    assert ledger.audit().ok


@pytest.mark.parametrize("fault", ["again", "itself", "no answer", "no number"])
def test_what_cannot_be_leaves_nothing_behind(ledger, pool, fault):
    good = batch(1, 20)
    record(ledger, pool, good)
    before = ledger.audit()
    wrong = {
        "again": good,
        "itself": Batch(id=["n"], a=["i1"], b=["i1"], choice=[Choice.TIE], probability=[None], judge=["x"],
                        confidence=[1.0]),
        "no answer": Batch(id=["n"], a=["i1"], b=["i2"], choice=[Choice.FAILED], probability=[None], judge=["x"],
                           confidence=[1.0]),
        "no number": Batch(id=["n"], a=["i1"], b=["i2"], choice=[Choice.TIE], probability=[2.0], judge=["x"],
                           confidence=[1.0]),
    }[fault]  # fmt: skip
    bulk = ledger.matches.bulk(pool)
    with pytest.raises(Conflict if fault == "again" else LedgerError):
        bulk.record(wrong, event="imported", detail={})
    assert ledger.audit() == before
    bulk.record(batch(21, 20), event="imported", detail={})
    assert ledger.audit().ok


def test_votes_are_about_texts(ledger):
    ledger.pools.create("agents", RatingConfig(), kind=ItemKind.AGENT)
    with pytest.raises(InvalidItems, match="agent"):
        record(ledger, "agents", batch(1, 3))


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """The closed file of a ledger with two bulk commits."""
    path = tmp_path_factory.mktemp("bulk") / "ledger.db"
    with Ledger.open(path) as ledger:
        ledger.tournaments.create("big", settings={}, items=(), config=RatingConfig())
        record(ledger, "big-1", batch(1, 40), batch(41, 40))
    return path


class TestTampering:
    """What bulk recording keeps short still says which row it was."""

    @pytest.fixture
    def filled(self, template, path):
        shutil.copy(template, path)
        return path

    @staticmethod
    def edit(path, statement, afterwards=lambda connection: None):
        connection = sqlite3.connect(path, isolation_level=None)
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        connection.execute("BEGIN")  # or the file would be written for each of them
        for name, _ in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute(statement)
        afterwards(connection)
        for _, created in triggers:
            connection.execute(created)
        connection.execute("COMMIT")
        connection.close()
        with Ledger.open(path) as ledger:
            return ledger.audit().differences

    @pytest.mark.parametrize("table", ["item", "comparison", "match", "match_comparison", "rating_change"])
    @pytest.mark.parametrize("how", ["altered", "missing"])
    def test_the_row_is_named(self, filled, table, how):
        seq = self._middle(filled, table)
        edit = {
            "altered": f'UPDATE "{table}" SET pool = pool, "commit" = "commit" + 1 WHERE seq = {seq}',
            "missing": f'DELETE FROM "{table}" WHERE seq = {seq}',
        }[how]
        (found,) = self.edit(filled, edit)
        assert (found.table, found.row) == (table, seq)
        assert how in found.message

    @pytest.mark.parametrize("place", [9, 90, 9_000])
    @pytest.mark.parametrize("altered", [False, True])
    def test_a_row_added_where_no_commit_ever_added_one_is_named(self, filled, place, altered):
        """Tables that no commit names are counted, not read: the first difference is named nevertheless."""
        values = f"'big-1', {place}, 2, 'i1', 'nobody', 1.0, '[]', ''"
        columns = 'pool, seq, "commit", item, reviewer, score, scores, text'
        self.edit(filled, f"INSERT INTO review ({columns}) VALUES ({values})")
        seq = self._middle(filled, "match")
        if altered:
            self.edit(filled, f'UPDATE "match" SET round = 1 WHERE seq = {seq}')
        with Ledger.open(filled) as ledger, ledger._database.read() as connection:
            expected = trace(connection, "big-1")
            for stretch in (1, 50, 10_000):
                assert follow(connection, "big-1", stretch=stretch) == expected
        found = expected[1]
        assert (found.table, found.row) == (("match", seq) if altered and seq < place else ("review", place))

    def test_an_added_row_is_named(self, filled):
        (found,) = self.edit(
            filled,
            "INSERT INTO tournament_event (pool, seq, \"commit\", kind, detail) VALUES ('big-1', 9, 2, 'x', '{}')",
        )
        assert (found.table, found.row) == ("tournament_event", 9)

    @pytest.mark.parametrize("place", [-3, "'text'"])
    def test_a_row_at_no_place_is_found(self, filled, place):
        (found,) = self.edit(
            filled,
            'INSERT INTO tournament_event (pool, seq, "commit", kind, detail) '
            f"VALUES ('big-1', {place}, 2, 'x', '{{}}')",
        )
        assert found.table == "tournament_event"
        assert "added by no commit" in found.message

    def test_the_digest_of_all_proves_what_marks_do_not(self, filled):
        """A row altered so that its mark stays would need 2**48 tries; the marks altered with it, none."""
        (found,) = self.edit(filled, 'UPDATE "match" SET round = 7 WHERE "match" = \'f1.50\'', _refit_marks)
        assert found.table == "commit"
        assert "in a way that hides which" in found.message

    @pytest.mark.parametrize("stretch", [1, 50, 10_000])
    def test_both_ways_along_the_chain_end_alike(self, filled, stretch):
        with Ledger.open(filled) as ledger, ledger._database.read() as connection:
            assert follow(connection, "big-1", stretch=stretch) == trace(connection, "big-1")
        seq = self._middle(filled, "match")
        self.edit(filled, f'UPDATE "match" SET round = 1 WHERE seq = {seq}')
        with Ledger.open(filled) as ledger, ledger._database.read() as connection:
            assert follow(connection, "big-1", stretch=stretch) == trace(connection, "big-1")

    @staticmethod
    def _middle(path, table):
        connection = sqlite3.connect(path)
        seqs = [seq for (seq,) in connection.execute(f'SELECT seq FROM "{table}" ORDER BY seq')]
        connection.close()
        return seqs[len(seqs) // 2]


def _refit_marks(connection: sqlite3.Connection) -> None:
    """Give the last bulk commit marks that fit the rows as they lie there now, and all hashes from there on."""
    import json

    from paragone.ledger.digests import commit_hash, json_digest, shortened

    connection.row_factory = sqlite3.Row
    link = dict(connection.execute('SELECT * FROM "commit" ORDER BY number DESC LIMIT 1').fetchone())
    listing = json.loads(link["rows"])
    (start,) = connection.execute("SELECT rows FROM head").fetchone()
    start -= sum(count for _, count in listing["runs"])
    parts = []
    for table, count in listing["runs"]:
        rows = connection.execute(
            f'SELECT * FROM "{table}" WHERE seq BETWEEN {start + 1} AND {start + count} ORDER BY seq'
        ).fetchall()
        parts.append((table, [bytes.fromhex(json_digest(table, dict(row))) for row in rows]))
        start += count
    listing["marks"] = shortened(parts)["marks"]
    link["rows"] = json.dumps(listing, sort_keys=True, separators=(",", ":"))
    hash = commit_hash(link)
    connection.execute('UPDATE "commit" SET rows = ?, hash = ? WHERE id = ?', (link["rows"], hash, link["id"]))
    connection.execute("UPDATE head SET hash = ?", (hash,))
