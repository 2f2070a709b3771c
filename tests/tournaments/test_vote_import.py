"""Votes in a ledger: where they belong, going on, refusing what has changed, and the board over them."""

import random

import pytest

from paragone import ImportResult, Tournament, WhatIf, fit, import_votes
from paragone.errors import Busy, Conflict, InvalidConfig, InvalidVotes, NotFound
from paragone.ledger import Ledger
from paragone.tournaments.results.tournament_board import stored_board

DRAW = random.Random(2)
LINES = [
    f"i{a},i{b},{DRAW.choice(['a', 'b', 'tie', 'a', '0.7', ''])},{DRAW.choice(['x', 'y'])}"
    for a, b in (DRAW.sample(range(7), 2) for _ in range(100))
]


@pytest.fixture
def db(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def write(tmp_path):
    def make(lines=LINES, name="votes.csv"):
        path = tmp_path / name
        path.write_text("a,b,winner,judge\n" + "".join(f"{line}\n" for line in lines))
        return path

    return make


def test_the_votes_become_a_tournament(db, write):
    told = []
    done = import_votes(write(), db=db, chunk=30, observer=told.append)
    (note,) = done.notes
    assert note.startswith(
        "votes.csv: 87 votes from the columns 'a', 'b' and 'winner', judges from the column 'judge' ("
    )
    assert done == ImportResult(tournament="votes-1", file="votes.csv", rows=100, added=100, notes=done.notes)
    assert [state.rows for state in told] == [30, 60, 90, 100]
    with Tournament.open(db) as tournament:
        assert tournament.audit().ok
        assert [record["id"] for record in tournament.records("matches")][:2] == ["f1.1", "f1.2"]
        assert tournament.board().abstentions == sum(",," in line for line in LINES)


def test_the_strengths_are_those_of_fit(db, write):
    path = write()
    import_votes(path, db=db)
    rated, fitted = stored_board(db), fit(path)
    assert {row.id: row.rating for row in rated.items} == pytest.approx({row.id: row.rating for row in fitted.items})


@pytest.mark.parametrize("position", [False, True])
def test_the_board_by_columns_is_the_board(db, write, position):
    import_votes(write(), db=db, position=position)
    with Tournament.open(db) as tournament:
        tournament.rollback("f1.5", "disputed")
        assert stored_board(db) == tournament.board()
        for suppose in (WhatIf(k=16.0), WhatIf(without_judges=("x",)), WhatIf(position=False)):
            assert stored_board(db, suppose=suppose) == tournament.whatif(suppose), suppose


def test_the_board_of_judged_matches_by_columns_is_the_board(db):
    def by_length(first, second, criteria):
        lengths = len(first.text), len(second.text)
        return "abstain" if sum(lengths) == 6 else "first" if lengths[0] > lengths[1] else "second"

    items = [{"id": f"i{n}", "text": "x" * n or "none"} for n in range(5)]
    terms = {"reviews": [{"id": "i0", "score": 0.9}], "gold": (("i4", "i1"),)}
    with Tournament.create(
        items, judge=by_length, criteria="long", db=db, pairing="weighted", budget=10, seed=3, **terms
    ) as made:
        made.run()
        made.rollback(made.records("matches")[0]["id"], "disputed")
        board = made.board()
        assert stored_board(db) == board
        assert board.abstentions
        assert board.direction is not None
        assert board.stopped
        suppose = WhatIf(k=16.0, position=False)
        assert stored_board(db, suppose=suppose) == made.whatif(suppose)


def test_weights_count_in_both_ratings(db):
    votes = [{"a": "x", "b": "y", "winner": "a", "weight": 1}, {"a": "x", "b": "y", "winner": "b", "weight": 0.25}]
    import_votes(votes, db=db)
    with Ledger.open(db) as ledger:
        assert [change.k for change in ledger.ratings.changes("votes-1")] == [32.0, 32.0, 8.0, 8.0]
    ratings = {row.id: row.rating for row in stored_board(db).items}
    assert ratings == pytest.approx({row.id: row.rating for row in fit(votes).items})


class TestGoingOn:
    def test_the_same_again_is_nothing_to_do(self, db, write):
        path = write()
        import_votes(path, db=db, chunk=30)
        with Ledger.open(db) as ledger:
            before = ledger.audit()
        for chunk in (30, 7, 1000):
            assert import_votes(path, db=db, chunk=chunk).added == 0
        with Ledger.open(db) as ledger:
            assert ledger.audit() == before

    def test_a_file_that_has_grown_gets_its_new_rows(self, db, write, tmp_path):
        import_votes(write(LINES[:45]), db=db, chunk=20)
        done = import_votes(write(), db=db, chunk=20)
        assert (done.tournament, done.file, done.rows, done.added) == ("votes-1", "votes.csv", 100, 55)
        import_votes(write(), db=tmp_path / "once.db")
        with Ledger.open(db) as ledger, Ledger.open(tmp_path / "once.db") as once:
            assert ledger.ratings.changes("votes-1") == once.ratings.changes("votes-1")
            assert ledger.audit().ok

    def test_a_bad_row_leaves_the_chunks_before_it_and_its_repair_goes_on(self, db, write):
        with pytest.raises(InvalidVotes, match=r"line 52: the winner 'nobody'.* 1 of 100 rows .*--strict"):
            import_votes(write([*LINES[:50], "i0,i1,nobody,x", *LINES[51:]]), db=db, chunk=20, strict=True)
        with Ledger.open(db) as ledger:
            assert len(ledger.matches.all("votes-1")) == 40
        assert import_votes(write(), db=db, chunk=20).added == 60

    def test_nothing_is_made_for_a_file_that_cannot_be_read(self, db, write):
        with pytest.raises(InvalidVotes):
            import_votes(write(["i0,i0,a,x"]), db=db)
        assert not db.exists()

    def test_only_one_goes_on_at_a_time(self, db, write):
        import_votes(write(LINES[:10]), db=db)
        with Ledger.open(db) as ledger, ledger.tournaments.claim("votes-1"), pytest.raises(Busy, match="votes-1"):
            import_votes(write(), db=db)


class TestRefusing:
    @pytest.mark.parametrize("changed", ["i0,i1,a,z", "i0,i1,b,x", "i1,i0,a,x"])
    def test_rows_that_changed(self, db, write, changed):
        import_votes(write(["i0,i1,a,x", *LINES]), db=db, chunk=40)
        with pytest.raises(Conflict, match=r"votes.csv differs somewhere before row 41 .*--into"):
            import_votes(write([changed, *LINES]), db=db, chunk=40)

    def test_rows_that_are_gone(self, db, write):
        import_votes(write(), db=db, chunk=40)
        with pytest.raises(Conflict, match="has 80 rows now, and 100 are there"):
            import_votes(write(LINES[:80]), db=db, chunk=40)

    def test_another_file_unless_the_tournament_is_named(self, db, write):
        import_votes(write(name="votes.csv"), db=db)
        tab = write(name="votes.tsv")
        tab.write_text(tab.read_text().replace(",", "\t"))
        with pytest.raises(Conflict, match=r"votes-1 holds votes.csv already; .*--into votes-1"):
            import_votes(tab, db=db)
        added = import_votes(tab, db=db, into="votes-1")
        assert (added.tournament, added.rows, added.added) == ("votes-1", 100, 100)
        with Ledger.open(db) as ledger:
            assert [match.match.id for match in ledger.matches.all("votes-1")][99:101] == ["f1.100", "f2.1"]
            assert ledger.audit().ok

    def test_a_tournament_that_was_judged(self, db, write):
        with Tournament.create(["b", "aa"], judge=lambda f, s, _: len(f) > len(s), criteria="c", db=db, name="votes"):
            pass
        with pytest.raises(Conflict, match="votes-1 was judged, not imported"):
            import_votes(write(), db=db, into="votes-1")
        assert import_votes(write(), db=db).tournament == "votes-2"

    def test_votes_that_would_be_taken_otherwise(self, db, write):
        import_votes(write(), db=db)
        with pytest.raises(Conflict, match="took its votes with position False"):
            import_votes(write(), db=db, position=True)

    @pytest.mark.parametrize("weight", [0.05, 3])
    def test_weights_that_a_match_cannot_have(self, db, weight):
        with pytest.raises(InvalidVotes, match=r"entry 1: the weight .* is outside of \[0.1, 1\]"):
            import_votes([{"a": "x", "b": "y", "winner": "a", "weight": weight}], db=db)

    @pytest.mark.parametrize("chunk", [0, -1])
    def test_chunks_of_nothing(self, db, chunk):
        with pytest.raises(InvalidConfig, match="chunk must be at least 1"):
            import_votes([("x", "y", "a")], db=db, chunk=chunk)

    def test_ids_that_are_texts(self, db):
        with pytest.raises(InvalidVotes, match="more than 200 characters"):
            import_votes([("x" * 201, "y", "a")], db=db)
        assert not db.exists()


def test_a_judge_that_never_was_is_named(db, write):
    import_votes(write(), db=db)
    with pytest.raises(NotFound, match="nobody"):
        stored_board(db, suppose=WhatIf(without_judges=("nobody",)))


class TestHowVotesAreTaken:
    WINNERS = [("x", "y")] * 14 + [("y", "x")] * 6 + [("y", "z")] * 13 + [("z", "y")] * 7 + [("x", "z")] * 3

    @pytest.mark.parametrize("fields", [{}, {"repeats": True}, {"repeats": False}, {"position": True}])
    def test_the_board_of_winners_first_is_that_of_fit(self, db, fields):
        votes = [{"a": winner, "b": loser, "winner": "a"} for winner, loser in self.WINNERS]
        done = import_votes(votes, db=db, **fields)
        assert "the item named first always wins" in done.notes[1]
        expected = {row.id: row.rating for row in fit(votes, **fields).items}
        for board in (stored_board(db), Tournament.open(db).board()):
            assert {row.id: row.rating for row in board.items} == pytest.approx(expected, abs=1e-4)
        assert expected["x"] > expected["y"] > expected["z"]

    def test_rows_that_cannot_be_evidence_are_not_in_the_ledger_and_others_keep_their_numbers(self, db, write):
        path = write([*LINES[:20], "i0,i0,a,x", *LINES[20:]])
        for chunk in (20, 7):
            done = import_votes(path, db=db, chunk=chunk)
            assert (done.rows, done.skipped) == (101, 1)
            assert "line 22: 'i0' is compared with itself" in done.notes[1]
        assert done.added == 0
        with Ledger.open(db) as ledger:
            ids = [record.match.id for record in ledger.matches.each("votes-1")]
            assert ledger.audit().ok
        assert ids[19:21] == ["f1.20", "f1.22"]
        assert len(ids) == 100

    def test_the_plain_model_is_for_fit(self, db):
        with pytest.raises(InvalidConfig, match="no plain model"):
            import_votes([("x", "y")], db=db, plain=True)
