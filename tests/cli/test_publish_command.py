"""``paragone publish``: a folder that a browser opens without a server."""

import csv
import json
import re

import pytest

from paragone.domain.text import visible


@pytest.fixture
def voted(home, paragone):
    """Votes on items whose names would be code."""
    hostile = "<img src=x onerror=alert(1)>"
    rows = ["a,b,winner", *(f"{hostile},tea,{hostile}",) * 3, *("tea,milk,tea",) * 3, f"milk,{hostile},{hostile}"]
    (home / "votes.csv").write_text("\n".join(rows) + "\n")
    assert paragone("import", "votes.csv", "--quiet").code == 0
    return hostile


def test_it_holds_the_board_the_report_and_both_as_data(voted, home, paragone, browse):
    seen = paragone("publish", "site")
    assert (seen.code, seen.out.strip()) == (0, "wrote site/index.html and 3 files beside it"), seen.err
    assert {path.name for path in (home / "site").iterdir()} == {
        "index.html", "report.html", "report.json", "leaderboard.csv",
    }  # fmt: skip
    index = (home / "site" / "index.html").read_text()
    assert re.findall(r'<a href="([\w.]+)"', index) == ["report.html", "report.json", "leaderboard.csv"]
    rows = list(csv.DictReader((home / "site" / "leaderboard.csv").open()))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    values = json.loads((home / "site" / "report.json").read_text())
    assert values["tournament"] == "votes-1"
    harmless = visible(voted).replace("<", "&lt;").replace(">", "&gt;")
    report = (home / "site" / "report.html").read_text()  # a browser opens one in the tests of the report
    assert (voted in report, harmless in report) == (False, True)
    assert voted not in index
    dom, console = browse(index)
    assert harmless in dom
    assert console == []


def test_it_replaces_an_earlier_site_and_nothing_else(voted, home, paragone):
    assert paragone("publish", "site").code == 0
    again = paragone("publish", "site", "--json").json
    assert again[0].endswith("site/index.html")
    (home / "mine").mkdir()
    (home / "mine" / "letter.txt").write_text("x")
    refused = paragone("publish", "mine")
    assert (refused.code, "holds files that are not an earlier site" in refused.err) == (1, True)
    assert [path.name for path in (home / "mine").iterdir()] == ["letter.txt"]
    assert paragone("publish", "site", "--tournament", "none").code == 2
