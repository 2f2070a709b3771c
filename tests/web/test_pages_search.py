"""Full-text search and saved views, in a browser without scripts and over REST."""

import pytest

from filled_forms import Browser, alert
from paragone.domain import Choice, Comparison, Match, Outcome, Verdict
from paragone.ledger import Ledger
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile

SEARCH = "/pools/tournament-1/search"


@pytest.fixture
def spoken(played):
    with Ledger.open(played) as ledger:
        for number, words in enumerate(("The catalyst works <b>well</b>.", "A cat, no catalyst.", "Plain.")):
            verdict = Verdict(choice=Choice.FIRST, judge=f"judge-{number}", rationale=words)
            comparison = Comparison(call=f"said{number}", first="i0", second="i1", verdict=verdict)
            match = Match(id=f"said{number}", a="i0", b="i1", outcome=Outcome.A, comparisons=(comparison,))
            ledger.matches.record("tournament-1", match)
    return played


def test_what_was_said_is_found_with_an_excerpt_and_filters(spoken, client):
    page = client.get(f"{SEARCH}?text=CATAL").text
    assert "2 matches, the newest first" in page
    assert "A cat, no catalyst." in page
    assert "The catalyst works &lt;b&gt;well&lt;/b&gt;." in page
    assert "1 match, the newest first" in client.get(f"{SEARCH}?text=catal&judge=judge-0").text
    assert "No reason and no turn of a debate has" in client.get(f"{SEARCH}?text=catal&outcome=tie").text
    assert "1 item, the newest first" in client.get(f"{SEARCH}?text=i7&kind=item").text
    for hostile in ("' OR 1=1 --", 'a" NEAR b', "text:*", "%", "\\"):
        assert client.get(SEARCH, params={"text": hostile}).status_code in (200, 422)
    refused = client.get(f"{SEARCH}?text=!!")
    assert (refused.status_code, alert(refused.text)) == (422, "a search needs a word")


def test_rest_pages_through_the_same(spoken, client):
    api = f"/api/v1{SEARCH}"
    first = client.get(api, params={"text": "catalyst", "limit": 1}).json()
    assert (first["total"], first["complete"], [hit["id"] for hit in first["hits"]]) == (2, True, ["said1"])
    second = client.get(api, params={"text": "catalyst", "limit": 1, "cursor": first["next"]}).json()
    assert ([hit["id"] for hit in second["hits"]], second["next"]) == (["said0"], None)
    assert client.get(api, params={"text": "cat", "limit": 1, "cursor": first["next"]}).status_code == 422


def test_a_view_is_saved_under_a_name_opened_and_removed(client):
    browser = Browser(client)
    page = browser.open("/pools/tournament-1/matches?outcome=won").text
    assert "/views?address=%2Fpools%2Ftournament-1%2Fmatches%3Foutcome%3Dwon" in page
    browser.open("/views?address=%2Fpools%2Ftournament-1%2Fmatches%3Foutcome%3Dwon")
    assert browser.send({"name": "Wins <3", "address": "/pools/tournament-1/matches?outcome=won"}).status_code == 303
    page = browser.open("/views").text
    assert '<a href="/pools/tournament-1/matches?outcome=won"><bdi>Wins &lt;3</bdi></a>' in page
    for address in (
        "https://evil.example/",
        "//evil.example",
        "javascript:alert(1)",
        "/\\evil",
        "/api/v1/pools",
        "/a b",
    ):
        refused = browser.send({"name": "x", "address": address}, button='name="address"')
        assert (refused.status_code, "the path of a page here" in refused.text) == (422, True), address
        browser.open("/views")
    assert browser.send({"name": "Wins <3"}, button='value="remove"').status_code == 303
    assert "None so far" in browser.open("/views").text


def test_views_belong_to_who_saved_them(spoken, client_of, tmp_path):
    file = TokenFile(tmp_path / "tokens.json")
    ann, bob = ({"authorization": f"Bearer {file.add(name, Role.READ)}"} for name in ("ann", "bob"))
    client = client_of(WebConfig(db=str(spoken), tokens=file.path))
    view = {"name": "mine", "address": "/pools/tournament-1"}
    assert client.post("/api/v1/views", json=view, headers=ann).json() == {"views": [view]}
    assert client.get("/api/v1/views", headers=bob).json() == {"views": []}
    assert client.post("/api/v1/views/remove", json={"name": "mine"}, headers=bob).status_code == 404
    assert client.post("/api/v1/views", json=view).status_code == 401
    assert client.get(SEARCH).status_code == 401
