"""``paragone import`` at the terminal."""

import pytest

VOTES = "a,b,winner\ntea,milk,tea\nmilk,water,milk\nwater,tea,\n"


@pytest.fixture
def votes(home):
    (home / "drinks.csv").write_text(VOTES)
    return home / "drinks.csv"


def test_import_and_look(paragone, votes):
    first = paragone("import", "drinks.csv")
    assert (first.code, first.out) == (
        0,
        "3 rows of drinks.csv are in drinks-1; see the board with: paragone board drinks-1\n",
    )
    assert paragone("import", "drinks.csv").out == "nothing to do: all 3 rows of drinks.csv are in drinks-1 already\n"
    assert "tea" in paragone("board").out.splitlines()[1]
    assert paragone("audit").code == 0
    assert paragone("matches", "--json").json[2]["outcome"] == "void"


def test_as_json(paragone, votes):
    note = "drinks.csv: 2 votes from the columns 'a', 'b' and 'winner'"
    expected = {"tournament": "mine-1", "file": "drinks.csv", "rows": 3, "added": 3, "skipped": 0, "notes": [note]}
    done = paragone("import", "drinks.csv", "--into", "mine", "--json")
    assert (done.json, done.err) == (expected, f"{note}\n")


def test_what_if(paragone, votes):
    paragone("import", "drinks.csv", "--position")
    assert {row["elo"] for row in paragone("whatif", "--k", "1", "--json").json["items"]} != {
        row["elo"] for row in paragone("board", "--json").json["items"]
    }


def test_after_the_first_chunk_a_bad_row_says_how_far_it_came(paragone, votes, monkeypatch):
    from paragone.tournaments import vote_import

    votes.write_text(VOTES + "tea,tea,a\n")
    monkeypatch.setattr(
        vote_import.import_votes, "__kwdefaults__", {**vote_import.import_votes.__kwdefaults__, "chunk": 3}
    )
    failed = paragone("import", "drinks.csv")
    assert failed.code == 2
    assert "3 rows of drinks.csv are in drinks-1; repair the file and import it again to continue" in failed.err
    assert "drinks.csv, line 5: 'tea' is compared with itself" in failed.err


def test_what_is_there_has_changed(paragone, votes):
    paragone("import", "drinks.csv")
    votes.write_text(VOTES.replace("tea,milk,tea", "tea,milk,milk"))
    failed = paragone("import", "drinks.csv")
    assert failed.code == 1
    assert "differs somewhere before row 4" in failed.err


def test_ctrl_c_says_how_far_it_came_and_the_same_command_goes_on(paragone, votes, monkeypatch):
    from paragone.ledger.evidence.bulk_matches import Bulk

    record, calls = Bulk.record, []

    def interrupted(self, batch, **detail):
        if calls:
            raise KeyboardInterrupt
        calls.append(batch)
        return record(self, batch, **detail)

    from paragone.tournaments import vote_import

    monkeypatch.setattr(
        vote_import.import_votes, "__kwdefaults__", {**vote_import.import_votes.__kwdefaults__, "chunk": 2}
    )
    with monkeypatch.context() as once:
        once.setattr(Bulk, "record", interrupted)
        stopped = paragone("import", "drinks.csv")
    assert (stopped.code, stopped.out) == (130, "")
    assert stopped.err == "2 rows of drinks.csv are in drinks-1; import it again to continue\nparagone: interrupted\n"
    assert "1 of them new" in paragone("import", "drinks.csv").out
    assert paragone("audit").code == 0
