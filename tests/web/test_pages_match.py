"""Matches in a browser."""

import re

import pytest

from paragone.domain import Choice, Comparison, Item, Match, RatingConfig, Usage, Verdict, decide
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile

FIRST = "/pools/tournament-1/matches/1.1"


def test_matches_are_listed_the_newest_first(shared_client):
    html = shared_client.get("/pools/tournament-1/matches").text
    told = [line["id"] for line in shared_client.get("/api/v1/pools/tournament-1/matches").json()["matches"]]
    assert re.findall(r'href="/pools/tournament-1/matches/([^"]*)"', html) == told
    assert "40 matches, the newest first" in html


def test_a_match_has_both_texts_its_verdicts_and_what_it_moved(shared_client):
    html = shared_client.get(FIRST).text
    told = shared_client.get(f"/api/v1{FIRST}").json()
    assert f">{told['winner']}</bdi></a> won." in html
    for side in told["entrants"]:
        assert side["text"] in html
    for change in told["changes"]:
        assert f"{change['old']:,.1f}" in html
        assert f"{change['change']:+.1f}".replace("-", "−") in html
    assert html.count("Shown in this order:") == len(told["verdicts"])


@pytest.fixture
def debated(library):
    """A pool with a match that was judged in both orders."""
    ledger = library.ledger
    ledger.pools.create("d", RatingConfig())
    ledger.items.add("d", [Item(id="a", text="A text"), Item(id="b", text="B text")])
    answers = [
        Comparison(call="m/1", first="a", second="b", verdict=said(Choice.FIRST, "because <b>it</b>")),
        Comparison(call="m/2", first="b", second="a", verdict=said(Choice.TIE, "w " * 900)),
    ]
    outcome = decide([1.0, 0.5])
    ledger.matches.record("d", Match(id="m", a="a", b="b", outcome=outcome, comparisons=tuple(answers)))
    return ledger


def said(choice, rationale):
    usage = Usage(calls=1, input_tokens=1000, output_tokens=20, cost=0.25, seconds=2.0)
    return Verdict(choice=choice, judge="llm:m", rationale=rationale, usage=usage, probability=0.75)


@pytest.mark.parametrize("page", ["matches", "search"])
def test_an_outcome_that_there_is_not_is_refused_and_an_open_choice_is_any(shared_client, page):
    path, browser = f"/pools/tournament-1/{page}", {"accept": "text/html"}
    assert shared_client.get(f"{path}?outcome=", headers=browser).status_code == 200
    refused = shared_client.get(f"{path}?outcome=draw", headers=browser)
    assert refused.status_code == 422
    assert ">query.outcome: must be won, tie, void or rolled back, not &#39;draw&#39;<" in refused.text


def test_a_void_match_says_so_before_when_it_was(client, debated):
    debated.matches.record("d", Match(id="v", a="a", b="b", outcome=decide([]), comparisons=()))
    assert "Void: it moved no rating. <" in client.get("/pools/d/matches/v").text.replace("\n", " ")


@pytest.mark.usefixtures("debated")
def test_both_orders_stand_with_their_rationale_and_their_cost(client):
    html = client.get("/pools/d/matches/m").text
    first, second = html.split('<div class="card">\n<p><b><bdi title="llm:m">llm:m')[1:]
    assert "because &lt;b&gt;it&lt;/b&gt;" in first
    assert "<bdi>a</bdi>, then <bdi>b</bdi>" in first
    assert "<bdi>b</bdi>, then <bdi>a</bdi>" in second
    assert "75% for the first" in first
    assert '<details class="text long">' in second
    assert "1,000 tokens in, 20 out · $0.25 · 2.0 s" in first
    assert "<dt>Dollars</dt><dd>$0.5000</dd>" in html


def test_a_match_is_rolled_back_by_the_form_that_the_page_has(client):
    html = client.get(FIRST).text
    address = re.search(r'data-post="([^"]*)"', html)[1]
    assert 'data-opens="rollback"' in html
    assert '<dialog id="rollback" aria-labelledby="rollback-title">' in html
    assert client.post(address, json={"reason": "a <slip>"}).status_code == 200
    after = client.get(FIRST).text
    assert "rolled back</span> <bdi>local: a &lt;slip&gt;</bdi>" in after
    assert "Given back when it was rolled back" in after
    assert 'data-opens="rollback"' not in after


def test_who_may_not_roll_back_is_not_offered_it(played, tmp_path, client_of):
    tokens = TokenFile(tmp_path / "tokens.json")
    reader, admin = tokens.add("reader", Role.READ), tokens.add("boss", Role.ADMIN)
    client = client_of(WebConfig(db=str(played), tokens=tmp_path / "tokens.json", secret=b"s" * 32))
    seen = {token: client.get(FIRST, headers={"authorization": f"Bearer {token}"}).text for token in (reader, admin)}
    assert "rollback" not in seen[reader]
    assert 'data-opens="rollback"' in seen[admin]
