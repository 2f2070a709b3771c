"""``paragone agents report``: files, standard output, and clear words for what cannot be."""

import csv
import io
import json

import pytest

from paragone.agents import EloSystem
from paragone.presenting import page as page_module


@pytest.fixture
def recorded(prepared):
    """A ledger with three agents."""
    return prepared(debated)


def debated():
    with EloSystem("paragone.db", durable=False) as elo:
        for number in range(3):
            elo.record_match(f"d{number}", ["ada", "bo", "cy"], {"ada": 0.9, "bo": 0.5, "cy": 0.1}, domain="law")
        elo.record_domain_predictions(
            [{"agent_name": "ada", "domain": "law", "confidence": 0.9, "correct": n < 5} for n in range(10)]
        )


@pytest.fixture
def report(paragone):
    return lambda *words: paragone("agents", "report", *words)


def test_the_summary_is_printed_where_nothing_else_is_asked_for(recorded, report):
    seen = report()
    assert (seen.code, seen.err) == (0, "")
    assert "ada leads with a strength of" in seen.out
    assert "Overconfident beyond chance: ada (by 40%)." in seen.out
    assert "debates: 3" in seen.out


def test_files_of_all_kinds_at_once(recorded, report):
    seen = report("--html", "r.html", "--json", "r.json", "--csv", "r.csv", "--top", "1", "--agent", "cy")
    assert (seen.code, seen.out) == (0, "")
    assert seen.err == "wrote r.html\nwrote r.json\nwrote r.csv\n"
    page = (recorded / "r.html").read_text()
    assert "The other one is in the JSON and CSV reports." in page
    told = json.loads((recorded / "r.json").read_text())
    assert list(told["histories"]) == ["cy", "ada", "bo"]
    with (recorded / "r.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["agent"] for row in rows] == [row["agent"] for row in told["agents"]] == ["ada", "bo", "cy"]


def test_a_reader_who_has_gone_leaves_the_files_that_were_asked_for(recorded, start):
    process = start("agents", "report", "--json", "-", "--csv", "r.csv")
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, "wrote r.csv\n")
    assert (recorded / "r.csv").exists()


def test_json_or_csv_on_standard_output(recorded, report):
    assert report("--json", "-").json["pool"] == "agents"
    rows = list(csv.DictReader(io.StringIO(report("--csv", "-").out)))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]


def test_of_one_domain(recorded, report):
    told = report("--domain", "law", "--json", "-").json
    assert (told["domain"], told["debates"]) == ("law", 3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--html", "-"), "--html takes the name of a file"),
        (("--json", "same", "--csv", "same"), "name the same file twice"),
        (("--agent", "adda"), "there is no agent 'adda'; did you mean 'ada'?"),
        (("--domain", "lawn"), "nothing was recorded in the domain 'lawn'; did you mean 'law'?"),
        (("--pool", "others"), "this ledger has no agents called 'others'"),
        (("--top", "0"), "--top"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_written(recorded, report, arguments, said):
    before = sorted(path.name for path in recorded.iterdir())
    seen = report(*arguments)
    assert seen.code == 2
    assert said in seen.err
    assert sorted(path.name for path in recorded.iterdir()) == before


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_worked_out(recorded, report):
    seen = report("--json", "r.json", "--csv", "absent/r.csv")
    assert (seen.code, seen.out) == (1, "")
    assert seen.err == "paragone: absent/r.csv cannot be written: its folder must exist and be writable\n"
    assert not (recorded / "r.json").exists()


def test_without_plotly_the_error_names_what_to_install(recorded, report, monkeypatch):
    page_module.plotly_js.cache_clear()
    monkeypatch.setattr(page_module, "files", lambda name: (_ for _ in ()).throw(ModuleNotFoundError(name)))
    seen = report("--html", "r.html")
    assert seen.code != 0
    assert "pip install 'paragone[report]'" in seen.err
    assert not (recorded / "r.html").exists()
