"""Renaming, archiving and deleting tournaments over HTTP, on pages and at the terminal."""

import json

import pytest
from typer.testing import CliRunner

from paragone.cli.main import app
from paragone.ledger import Ledger
from paragone.tournaments.journal import note

POOL = "tournament-1"
URL = f"/api/v1/pools/{POOL}"


def ids(client, **query):
    return [pool["id"] for pool in client.get("/api/v1/pools", params=query).json()["pools"]]


def test_lists_leave_out_what_was_archived_unless_asked(client):
    assert client.post(f"{URL}/title", json={"title": "Ideas of <b>May</b>"}).json()["title"] == "Ideas of <b>May</b>"
    assert "Ideas of &lt;b&gt;May&lt;/b&gt;" in client.get("/").text
    assert client.post(f"{URL}/state", json={"state": "archived"}).json()["state"] == "archived"
    assert (ids(client), ids(client, archived=True)) == ([], [POOL])
    for path in ("/", "/vote"):
        assert "Ideas of" not in client.get(path).text
    assert "archived" in client.get("/?archived=1").text
    for page in ("", "/live"):
        assert "It was archived: lists leave it out." in client.get(f"/pools/{POOL}{page}").text
    assert client.post(f"{URL}/state", json={"state": "active"}).json()["state"] == "active"
    assert ids(client) == [POOL]
    assert "It was archived" not in client.get(f"/pools/{POOL}").text


def test_deleting_takes_its_id_and_refuses_votes(client):
    offer = client.get(f"{URL}/votes/next", params={"voter": "ann"}).json()["pair"]["offer"]
    for confirm in ("", "tournament-2"):
        refused = client.post(f"{URL}/state", json={"state": "deleted", "confirm": confirm})
        assert refused.status_code == 422
    assert client.post(f"{URL}/state", json={"state": "deleted", "confirm": POOL}).json()["state"] == "deleted"
    late = client.post(f"{URL}/votes", json={"offer": offer, "choice": "first", "voter": "ann"})
    assert (late.status_code, "was deleted" in late.json()["detail"]) == (422, True)
    match = {"id": "m", "a": "i0", "b": "i1", "outcome": "a"}
    assert client.post(f"{URL}/matches", json=match).status_code == 422
    assert "It was deleted, and takes no new evidence" in client.get(f"/pools/{POOL}").text
    assert "takes no votes" in client.get(f"/pools/{POOL}/vote").text
    assert client.post(f"{URL}/state", json={"state": "active"}).status_code == 409
    assert (ids(client), ids(client, archived=True)) == ([], [POOL])
    assert client.get(f"{URL}/matches").json()["matches"], "its evidence stays"


def test_the_page_of_changes_has_forms_for_it(client):
    page = f"/pools/{POOL}/change"

    def sent(**fields):
        return client.post(page, data=fields, follow_redirects=False)

    assert sent(change="rename", title="Better").status_code == 303
    assert 'value="Better"' in client.get(page).text
    assert sent(change="state", state="archived").status_code == 303
    assert "Show it again" in client.get(page).text
    assert sent(change="state", state="deleted", confirm="x").status_code == 422
    assert sent(change="state", state="gone").status_code == 422
    assert sent(change="state", state="deleted", confirm=POOL).status_code == 303
    assert "takes no new evidence" in client.get(page).text


def test_the_journal_is_in_no_list(client, played, ran):
    with Ledger.open(str(played)) as ledger:
        note(ledger, "seen", {})
    assert (ids(client, archived=True), "journal" in client.get("/?archived=1").text) == ([POOL], False)
    assert "Show those that were archived" not in client.get("/").text
    assert [row["id"] for row in json.loads(ran("list", "--all", "--json"))] == [POOL]
    assert "archived or deleted" not in ran("list")


@pytest.fixture
def ran(played):
    def run(*words, code=0):
        done = CliRunner().invoke(app, ["tournament", *words, "--db", str(played)])
        assert done.exit_code == code, done.output
        return done.output

    return run


def test_a_list_makes_no_ledger(tmp_path):
    done = CliRunner().invoke(app, ["tournament", "list", "--db", str(tmp_path / "absent.db")])
    assert "there is no database" in str(done.exception)
    assert not any(tmp_path.iterdir())


def test_at_the_terminal(ran):
    assert "Better" in ran("rename", POOL, "Better")
    (row,) = json.loads(ran("list", "--json"))
    assert (row["id"], row["title"], row["state"]) == (POOL, "Better", "active")
    ran("archive", POOL)
    assert json.loads(ran("list", "--json")) == []
    assert ran("list") == "1 tournament archived or deleted: --all lists it, too\n"
    ran("unarchive", POOL)
    ran("delete", POOL, "--yes", "--reason", "a trial")
    assert json.loads(ran("list", "--all", "--json"))[0]["state"] == "deleted"
