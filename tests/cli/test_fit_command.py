"""``paragone fit`` at the terminal: what is said of the votes, before the board."""

import io
import sys

import pytest

ROWS = "".join(f"x{n % 3},y{n % 4},{'ab'[n % 5 == 0]},ann\n" for n in range(40))


@pytest.fixture
def votes(home):
    (home / "votes.csv").write_text("a,b,winner,judge\n" + ROWS)
    return home / "votes.csv"


def test_a_column_of_judges_is_said_on_the_first_line_and_can_be_left_out(paragone, votes):
    found = paragone("fit", "votes.csv", "--json")
    first = "votes.csv: 40 votes from the columns 'a', 'b' and 'winner'"
    assert found.err == f"{first}, judges from the column 'judge' (--no-judge leaves it out)\n"
    assert found.json["notes"] == [found.err.rstrip()]
    assert set(found.json["method"]["slope"]) == {"ann"}
    without = paragone("fit", "votes.csv", "--no-judge", "--json")
    assert (without.err, set(without.json["method"]["slope"])) == (f"{first}\n", {"votes"})
    assert paragone("fit", "votes.csv", "--judge", "judge", "--no-judge").code == 2


def test_what_was_assumed_what_was_skipped_and_how_it_was_read(paragone, votes):
    votes.write_bytes(("winner,loser\n" + "x,y\ny,z\n" * 10 + "z,z\n").encode("utf-16"))
    done = paragone("fit", "votes.csv")
    assert done.code == 0
    assert done.err.splitlines()[1:] == [
        (
            "rows name the winner and the loser, not the order in which items were shown: no position term, and "
            "answers to one pair are independent"
        ),
        "1 of 21 rows skipped: votes.csv, line 22: 'z' is compared with itself",
        "read as UTF-16",
    ]
    strict = paragone("fit", "votes.csv", "--strict")
    assert strict.code == 2
    assert "with --strict none may be" in strict.err


def test_terms_of_the_fit(paragone, votes):
    assert paragone("fit", "votes.csv", "--no-repeats", "--json").json["method"]["repeats"] is None
    assert paragone("fit", "votes.csv", "--repeats", "--no-judge", "--json").json["method"]["repeats"] is not None
    assert paragone("fit", "votes.csv", "--plain", "--l2", "0.1", "--json").json["method"]["name"] == "bradley-terry"
    assert paragone("fit", "votes.csv", "--l2", "0.1").code == 2
    assert paragone("fit", "votes.csv", "--plain", "--repeats").code == 2


def test_an_encoding_is_named(paragone, votes):
    votes.write_bytes("winner,loser\nzoë,chloé\nchloé,zoë\n".encode("cp1252"))
    refused = paragone("fit", "votes.csv")
    assert refused.code == 2
    assert "--encoding" in refused.err
    assert paragone("fit", "votes.csv", "--encoding", "cp1252", "--json").json["items"][0]["id"] in ("zoë", "chloé")
    assert paragone("fit", "votes.csv", "--encoding", "klingon").code == 2
    (votes.parent / "pairs.csv").write_text("winner,loser\nzoë,chloé\n")
    (votes.parent / "items.csv").write_bytes("text\nzoë\nchloé\n".encode("latin-1"))
    asked = ("rank", "items.csv", "-c", "longer", "-j", "recorded:pairs.csv", "-n", "2", "--seed", "1", "--json")
    assert paragone(*asked).code == 2
    assert {row["id"] for row in paragone(*asked, "--encoding", "latin-1").json["items"]} == {"zoë", "chloé"}


def test_bootstrap_intervals_stand_below_the_board_and_in_json(paragone, tmp_path):
    file = tmp_path / "drinks.csv"
    file.write_text("a,b,winner\n" + "tea,milk,a\ntea,milk,b\ntea,water,a\nmilk,water,a\nwater,tea,tie\n" * 12, "utf-8")
    text = paragone("fit", str(file), "--bootstrap", "60").out
    board, _, below = text.partition("Bootstrap, 60 replicates:")
    assert "strength" in board
    assert "posterior" in below
    bootstrap = paragone("fit", str(file), "--bootstrap", "60", "--json").json["bootstrap"]
    assert [row["id"] for row in bootstrap["items"]] == ["milk", "tea", "water"]
    assert paragone("fit", str(file), "--json").json["bootstrap"] is None
    few = paragone("fit", str(file), "--bootstrap", "9")
    assert few.code == 2
    assert "at least 40" in few.err


def test_a_file_that_is_named_twice_is_refused(paragone, votes):
    seen = paragone("fit", "votes.csv", "./votes.csv")
    assert (seen.code, seen.err) == (2, "paragone: votes.csv is named twice: its votes would count twice\n")


def test_a_dash_is_standard_input_wherever_votes_and_items_are_read(paragone, votes, monkeypatch):
    def piped(text, *arguments):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return paragone(*arguments)

    table = votes.read_text()
    board = paragone("fit", "votes.csv", "--json").json
    assert piped(table, "fit", "-", "--json").json["items"] == board["items"]
    assert piped(table, "fit", "-", "--methods", "bt,elo", "--json").code == 0
    both = piped(table, "fit", "-", "votes.csv", "--json")
    assert both.json["items"][0]["wins"] == 2 * board["items"][0]["wins"]
    assert [line.partition(":")[0] for line in both.err.splitlines()] == ["stdin.csv", "votes.csv"]
    assert "workers of a cluster cannot read" in piped(table, "fit", "-", "votes.csv", "--on", "tcp://10.0.0.1:8").err
    assert "- is named twice" in piped(table, "fit", "-", "-").err
    assert "40 rows of stdin.csv are in stdin-1" in piped(table, "import", "-").out
    assert "nothing to do: all 40 rows" in piped(table, "import", "-").out
    assert "2 new debates from 'stdin.csv'" in piped("winner,loser\nx,y\ny,z\n", "agents", "import", "-").out
    asked = ("rank", "-", "-c", "longer", "-n", "1", "--json")
    items = piped("hyp;klaim\nh1;tea\nh2;milk\n", *asked, "-j", "python:longer:judge", "--text-column", "klaim")
    assert items.code == 2  # the ids are not named
    assert "stdin.csv has no column for the id" in items.err
    ranked = piped("tea\nwater\n", *asked, "-j", "python:longer:judge").json
    assert [item["id"] for item in ranked["items"]] == ["water", "tea"]
    assert "put them into a file" in piped("tea\nwater\n", *asked, "-j", "human").err


@pytest.mark.parametrize("option", ["--by judge", "--win-rates", "--plot x.svg", "--site x", "--top 2", "--on local"])
def test_methods_side_by_side_take_no_option_about_a_board(paragone, votes, option):
    refused = paragone("fit", "votes.csv", "--methods", "bt,elo", *option.split())
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.endswith(f"--methods prints scores side by side; leave {option.split()[0]} out\n")


def test_methods_side_by_side_take_reviews(paragone, votes):
    (votes.parent / "reviews.csv").write_text("item,score\nx0,0.9\nx1,0.1\n")
    done = paragone("fit", "votes.csv", "--methods", "bt,elo", "--use", "reviews", "--reviews", "reviews.csv")
    assert done.code == 0, done.err


@pytest.mark.parametrize("option", ["--by-elo", "--advantage 5", "--k 5"])
def test_votes_of_several_files_have_no_running_elo(paragone, votes, option):
    (votes.parent / "more.csv").write_text("a,b,winner\nx0,x1,a\n")
    assert f"leave out {option.split()[0]}, or fit one file" in paragone("fit", votes, "more.csv", *option.split()).err
