"""``paragone patterns``."""

import random
import shutil

import pytest

import without_board
from paragone.ledger import Ledger
from paragone.tournaments.tournament import Tournament


def ideas():
    draw = random.Random(4)
    words = ["q" + "".join(draw.choices("abcdefghij", k=5)) for _ in range(80)]
    return {
        f"h{at}": " ".join([*draw.choices(words, k=20), "plankton" if at % 3 == 0 else "nothing"]) for at in range(50)
    }


def judge(first, second, criteria):
    lead = ("plankton" in first.text) - ("plankton" in second.text)
    return "first" if lead > 0 or (lead == 0 and first.id < second.id) else "second"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """A ledger with a tournament that was played."""
    db = tmp_path_factory.mktemp("patterns") / "paragone.db"
    options = {"pairing": "swiss", "comparison_rounds": 1, "elimination_count": 3, "seed": 2}
    with Tournament.create(ideas(), judge=judge, criteria="good", db=db, **options) as played:
        without_board.run(played)
    return db


@pytest.fixture
def ranked(home, ledger):
    shutil.copy(ledger, home / "paragone.db")
    (home / "ideas.csv").write_text("id,text\n" + "".join(f"{id},{text}\n" for id, text in ideas().items()))


def kept():
    """How many analyses are in the ledger."""
    with Ledger.open("paragone.db", create=False) as ledger:
        return sum(event.kind == "patterns" for event in ledger.tournaments.events(ledger.tournaments.get(None).id))


def test_patterns_in_words_and_as_json_and_an_analysis_is_kept_unless_it_is_not_to_be(paragone, ranked):
    result = paragone("patterns", "--no-record")
    assert (result.code, kept()) == (0, 0), result.err
    assert "1 characteristic beyond chance" in result.out
    assert '"plankton"' in result.out
    assert "topic" in result.out
    values = paragone("patterns", "--threshold", 0.99, "--json").json
    assert (values["found"], values["confident"], values["winning_characteristics"]) == (True, False, [])
    assert values["leads"][0].startswith('"plankton"')
    assert kept() == 1


def test_too_few_matches_say_what_is_needed_and_nothing_is_kept(paragone, ranked):
    result = paragone("patterns", "--min-matches", 5000)
    assert result.code == 0
    assert result.out.startswith("No recommendation. Not enough yet: ")
    assert result.out.count("and 5000 are needed") == 1
    assert kept() == 0


def test_a_model_words_it_and_a_failure_is_a_note(paragone, ranked, endpoint):
    endpoint.completes('{"recommendation": "Try plankton where it belongs."}')
    told = paragone("patterns", "--model", f"scripted@{endpoint.url}", "--no-record")
    assert "Try plankton where it belongs." in told.out
    assert "(worded by scripted)" in told.out
    endpoint.script.clear()
    endpoint.refuses("no credit", 402)
    failed = paragone("patterns", "--model", f"scripted@{endpoint.url}", "--no-record")
    assert failed.code == 0
    assert "note: not worded by scripted" in failed.err
    assert "plankton" in failed.out


def test_imported_votes_need_their_texts(paragone, home, ranked):
    records = paragone("matches", "--json").json
    (home / "votes.csv").write_text("a,b,winner\n" + "".join(f"{r['a']},{r['b']},{r['winner']}\n" for r in records))
    assert paragone("import", "votes.csv", "-q").code == 0
    assert "no texts to look at" in paragone("patterns").out
    assert '"plankton"' in paragone("patterns", "--items", "ideas.csv").out
