"""Comparisons and debates of a file in the browser: looked at first, then recorded as the command line does."""

import pytest

import warm_start
from filled_forms import Browser, alert
from paragone.intake import uploads
from paragone.ledger import Ledger
from paragone.web.config import WebConfig

VOTES = b"a,b,winner\ntea,milk,tea\nmilk,water,milk\n<b>,=cmd|x,tie\n"
DEBATES = b"winner,loser\nada,ben\nben,cy\n"


@pytest.fixture
def browser(tmp_path, client_of):
    browser = Browser(client_of(WebConfig(db=str(tmp_path / "l.db"), secret=b"s" * 32, max_upload=200_000)))
    browser.open("/import")
    return browser


@pytest.fixture
def quick(monkeypatch):
    """Files are read by processes that are forked: their start has a test of its own."""
    monkeypatch.setattr(uploads, "INTERPRETER", str(warm_start.python()))


@pytest.mark.usefixtures("quick")
def test_votes_are_shown_first_and_recorded_once_they_were_seen(browser, tmp_path):
    shown = browser.send({"kind": "votes"}, file=("../evil/../votes.csv", VOTES))
    assert (shown.status_code, "3 rows of" in shown.text, "&lt;b&gt;" in shown.text) == (200, True, True)
    assert "5 items" in shown.text
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert ledger.pools.all() == (), "nothing is on record yet"
    done = browser.send({}, button="packed")
    assert (done.status_code, done.headers["location"]) == (303, "/pools/votes-1")
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert ledger.matches.count("votes-1") == 3
        acts = [event.detail for event in ledger.tournaments.events("votes-1") if event.kind == "admin"]
        assert [(act["act"], act["rows"]) for act in acts] == [("import", 3)]
        assert ledger.audit().ok
    csv = browser.client.get("/api/v1/pools/votes-1/exports/items?format=csv").text
    assert "'=cmd|x" in csv, "no formula for a spreadsheet"


def test_debates_go_into_a_pool_of_agents(browser, tmp_path, monkeypatch):
    """Recorded by a process as people have it."""
    with monkeypatch.context() as looked_at:
        looked_at.setattr(uploads, "INTERPRETER", str(warm_start.python()))
        shown = browser.send({"kind": "debates"}, file=("debates.csv", DEBATES))
    assert (shown.status_code, "3 agents" in shown.text) == (200, True), alert(shown.text)
    assert browser.send({}, button="packed").headers["location"] == "/agents"
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert ledger.matches.count("agents") == 2


@pytest.mark.usefixtures("quick")
def test_what_is_no_file_of_votes_is_said_and_leaves_nothing(browser, tmp_path):
    for name, content in [("votes.csv", b"x\n1\n"), ("votes.exe", b"MZ\0"), ("v.json", b"{")]:
        refused = browser.send({"kind": "votes"}, file=(name, content))
        assert refused.status_code == 422, name
        assert alert(refused.text), name
        browser.open("/import")
    words = alert(browser.send({"kind": "votes"}, file=("votes.csv", b"a,b,winner\ncaf\xe9,milk,milk\n")).text)
    assert words == "votes.csv, line 2: byte 0xe9 is not UTF-8; save the file as UTF-8 (in Excel: CSV UTF-8)"
    browser.open("/import")
    refused = browser.send({"kind": "secrets"}, file=("votes.csv", VOTES))
    assert "votes or debates" in alert(refused.text)
    browser.open("/import")
    assert "choose a file" in alert(browser.send({"kind": "votes"}).text)
    browser.open("/import")
    assert browser.send({"kind": "votes"}, file=("v.csv", b"a" * 300_000)).status_code == 413
    browser.open("/import")
    browser.send({"kind": "votes"}, file=("votes.csv", VOTES))
    assert "damaged" in alert(browser.send({"packed": "!"}, button="packed").text)
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert ledger.pools.all() == ()
