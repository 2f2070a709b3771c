"""``paragone agents import`` at the terminal."""

import json

import pytest

from paragone.agents import imports
from paragone.ledger import Ledger

DEBATES = "winner,loser,domain\nclaude,gpt4,law\ngpt4,gemini,\nclaude,gemini,law\n"


@pytest.fixture
def debates(home):
    (home / "past.csv").write_text(DEBATES)
    return home / "past.csv"


@pytest.fixture
def small_chunks(monkeypatch):
    def shrink(size):
        defaults = {**imports.import_debates.__kwdefaults__, "chunk": size}
        monkeypatch.setattr(imports.import_debates, "__kwdefaults__", defaults)

    return shrink


def recorded(db="paragone.db"):
    with Ledger.open(db, create=False) as ledger:
        assert ledger.audit().ok
        return [found.match.id for found in reversed(ledger.agents.matches("agents"))]


def test_import_and_look(paragone, debates):
    first = paragone("agents", "import", "past.csv")
    assert (first.code, first.err) == (0, "")
    assert first.out == "3 new debates from 'past.csv'; see paragone agents board\n"
    assert recorded() == ["past.csv:2", "past.csv:3", "past.csv:4"]
    again = paragone("agents", "import", "past.csv")
    assert again.out == "nothing to do: 3 debates of 'past.csv' are on record already\n"
    debates.write_text(DEBATES + "gemini,claude,\n")
    assert paragone("agents", "import", "past.csv").out.startswith(
        "1 new debate from 'past.csv', 3 more were on record already;"
    )
    assert recorded()[3:] == ["past.csv:5"]


def test_it_comes_to_the_same_as_recording_one_by_one(paragone, debates, small_chunks):
    small_chunks(2)
    paragone("agents", "import", "past.csv", "--db", "i.db", "--outcome", "win", "--normalize", "n-1")
    for winner, loser, domain in (line.split(",") for line in DEBATES.splitlines()[1:]):
        about = ("--domain", domain) if domain else ()
        how = ("--outcome", "win", "--normalize", "n-1", "--db", "o.db")
        assert paragone("agents", "record", "--winner", winner, "--loser", loser, *about, *how).code == 0
    with Ledger.open("i.db") as imported, Ledger.open("o.db") as one_by_one:
        assert imported.agents.records("agents") == one_by_one.agents.records("agents")


def test_as_json(paragone, debates):
    expected = {"file": "past.csv", "rows": 3, "debates": 3, "known_debates": 0, "predictions": 0}
    clean = {"known_predictions": 0, "skipped": 0, "problems": [], "derived": {}}
    clean |= dict.fromkeys(("ratings", "known_ratings", "relationships", "known_relationships"), 0)
    assert paragone("agents", "import", "past.csv", "--json").json == {**expected, **clean}


def test_predictions(paragone, home):
    (home / "said.jsonl").write_text(
        "".join(
            json.dumps({"agent": "claude", "domain": "law", "confidence": said, "correct": said > 0.5}) + "\n"
            for said in (0.9, 0.8, 0.3)
        )
    )
    done = paragone("agents", "import", "said.jsonl")
    assert done.out == "3 new predictions from 'said.jsonl'; see paragone agents calibration\n"
    assert "nothing to do: 3 predictions of" in paragone("agents", "import", "said.jsonl").out
    assert paragone("agents", "calibration", "--json").json[0]["predictions"] == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("winner,loser\na,a\n", "bad.csv, line 2: 'a' takes part twice"),
        ("winner,loser\na,b\nc,\n", "bad.csv, line 3: 'c' is named and the loser is not"),
        ("colour\nred\n", "bad.csv holds neither debates nor predictions"),
        ("", "bad.csv is empty"),
    ],
)
def test_a_file_that_cannot_be_taken_leaves_nothing_behind(paragone, home, content, said):
    (home / "bad.csv").write_text(content)
    failed = paragone("agents", "import", "bad.csv")
    assert (failed.code, failed.out) == (2, "")
    assert said in failed.err
    assert not (home / "paragone.db").exists()


def test_a_file_that_is_not_there(paragone, home):
    failed = paragone("agents", "import", "absent.csv")
    assert failed.code == 2
    assert "absent.csv: no such file" in failed.err


def test_after_the_first_chunk_a_bad_row_says_how_far_it_came(paragone, debates, small_chunks):
    small_chunks(2)
    debates.write_text(DEBATES + "gpt4,gpt4,\n")
    failed = paragone("agents", "import", "past.csv")
    assert failed.code == 2
    assert "the first 2 rows of 'past.csv' are on record; repair the file and import it again" in failed.err
    assert "past.csv, line 5: 'gpt4' takes part twice" in failed.err
    debates.write_text(DEBATES + "gpt4,claude,\n")
    assert "2 new debates from 'past.csv', 2 more" in paragone("agents", "import", "past.csv").out


def test_what_is_on_record_has_changed(paragone, debates):
    paragone("agents", "import", "past.csv")
    debates.write_text(DEBATES.replace("gpt4,gemini", "gemini,gpt4"))
    failed = paragone("agents", "import", "past.csv")
    assert failed.code == 1
    assert "past.csv, line 2 to 4: " in failed.err
    assert "past.csv:3" in failed.err
    assert recorded() == ["past.csv:2", "past.csv:3", "past.csv:4"]


def test_ctrl_c_keeps_whole_chunks_and_the_same_command_goes_on(paragone, debates, small_chunks, monkeypatch):
    from paragone.agents import EloSystem

    small_chunks(2)
    record, calls = EloSystem.record_matches, []

    def interrupted(self, matches):
        if calls:
            raise KeyboardInterrupt
        calls.append(matches)
        return record(self, matches)

    with monkeypatch.context() as once:
        once.setattr(EloSystem, "record_matches", interrupted)
        stopped = paragone("agents", "import", "past.csv")
    assert (stopped.code, stopped.out) == (130, "")
    assert stopped.err == (
        "at least the first 2 rows of 'past.csv' are on record; import it again to continue\nparagone: interrupted\n"
    )
    assert recorded() == ["past.csv:2", "past.csv:3"]
    assert "1 new debate from 'past.csv', 2 more were on record already" in paragone("agents", "import", "past.csv").out
    assert recorded() == ["past.csv:2", "past.csv:3", "past.csv:4"]
