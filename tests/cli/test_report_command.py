"""``paragone tournament report``: files, standard output, and clear words for what cannot be."""

import csv
import json

import pytest

RANK = ("rank", "items.csv", "-c", "the longer", "-j", "python:longer:judge", "-n", "30", "--seed", "1", "--quiet")


@pytest.fixture
def ranked(home, paragone, prepared):
    """A ledger with a tournament of ten items."""

    def rank():
        seen = paragone(*RANK)
        assert seen.code == 0, seen.err
        (home / "truth.csv").write_text("id,score\n" + "".join(f"h{number},{number}\n" for number in range(1, 11)))

    return prepared(rank)


def report(paragone, *arguments):
    return paragone("tournament", "report", *arguments)


def test_the_summary_is_printed_where_nothing_else_is_asked_for(ranked, paragone):
    seen = report(paragone)
    assert seen.code == 0
    assert "h10 is first of 10" in seen.out
    assert "the budget of 30 comparisons is spent" in seen.out


def test_files_of_all_kinds_at_once(ranked, paragone):
    seen = report(
        paragone, "items-1", "-o", "r.html", "-o", "r.json", "-o", "r.csv", "--truth", "truth.csv", "--top", "3"
    )
    assert (seen.code, seen.out) == (0, "")
    assert seen.err == "wrote r.html, r.json, r.csv\n"
    assert "The other 7 are in the JSON and CSV reports." in (ranked / "r.html").read_text()
    told = json.loads((ranked / "r.json").read_text())
    assert told["tournament"] == "items-1"
    assert told["truth"]["tau"] > 0.5
    with (ranked / "r.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [row["id"] for row in told["board"]["items"]]


def test_json_alone_on_standard_output(ranked, paragone):
    seen = report(paragone, "--json")
    assert seen.code == 0
    assert seen.json["ranking"]["top_performers"][0] == "h10"
    assert seen.json["truth"] is None


def test_followed_items_are_drawn(ranked, paragone):
    assert report(paragone, "-o", "r.html", "--top", "1", "--follow", "h1").code == 0
    data = (ranked / "r.html").read_text().split('id="figures">')[1].split("</script>")[0]
    names = [trace["name"] for trace in json.loads(data)["figures"]["progression"]["data"]]
    assert "h1" in names


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "r.pdf"), "r.pdf: a report is written as .html, .json, .csv"),
        (("absent-1",), "absent-1"),
        (("--follow", "nobody", "-o", "r.html"), "no item of items-1 is called 'nobody'"),
        (("--truth", "absent.csv"), "absent.csv"),
        (("--truth", "items.csv"), "needs the columns 'id' and 'score'"),
    ],
)
def test_what_cannot_be_is_said(ranked, paragone, arguments, said):
    seen = report(paragone, *arguments)
    assert seen.code == 2
    assert said in seen.err
    assert seen.err.count("\n") == 1
