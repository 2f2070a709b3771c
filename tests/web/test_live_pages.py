"""The page of a tournament that is being played, and the one that begins a run."""

import json
import re
import time

import pytest

from paragone.domain import RatingConfig
from paragone.tournaments.tournament import Tournament
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile

LIVE = "/pools/tournament-1/live"


def made(client):
    """What the API says once its figures are made, which takes a while."""
    for _ in range(1500):
        told = client.get("/api/v1/pools/tournament-1/live").json()
        if not told["pending"]:
            return told
        time.sleep(0.02)
    raise AssertionError("the figures were never made")


def test_the_page_shows_what_the_api_says(shared_client):
    told = made(shared_client)
    html = shared_client.get(LIVE).text
    assert "finished" in html
    assert f"{told['budget']['answered']} of {told['budget']['most']}" in html
    assert html.count("matches played") == min(8, len(told["rounds"]))
    assert "convergence" in json.loads(html.split('id="figures">')[1].split("</script>")[0])["figures"]
    assert f"{told['bias'][0]['bias']:+.2f}".replace("-", "−") in html


def test_what_moves_is_fetched_anew_and_the_dialogs_are_not(shared_client):
    html = shared_client.get(LIVE).text
    parts = set(re.findall(r'id="([a-z]+)" data-live', html))
    assert parts == {"state", "acts", "spent", "rounds", "flight", "top", "settles", "bias"}
    assert 'data-events="/api/v1/events?pool=tournament-1"' in html
    assert html.index('<dialog id="pause"') > html.index('id="acts"')


def test_a_run_is_begun_from_a_page_that_says_what_it_takes(shared_client):
    html = shared_client.get(f"{LIVE}/start", params={"budget": "50", "confidence": "0.99"}).text
    told = shared_client.get("/api/v1/pools/tournament-1/forecast", params={"budget": 50, "confidence": 0.99}).json()
    assert f'name="confirm" value="{told["confirm"]}"' in html
    assert '<input type="hidden" name="budget" value="50">' in html
    assert "free of charge" in html
    assert shared_client.get("/api/v1/pools/tournament-1/live").json()["condition"] == "finished"


@pytest.mark.parametrize("given", [{"budget": "many"}, {"budget": "-1"}, {"confidence": "nan"}, {"max_cost": "inf"}])
def test_limits_that_cannot_be_leave_no_button(shared_client, given):
    answer = shared_client.get(f"{LIVE}/start", params=given)
    assert answer.status_code == 200
    assert 'class="note beware' in answer.text
    assert "data-post" not in answer.text


def test_who_may_only_read_sees_no_buttons_and_starts_nothing(played, tmp_path, client_of):
    tokens = TokenFile(tmp_path / "tokens.json")
    reader = {"authorization": f"Bearer {tokens.add('r', Role.READ)}"}
    judge = {"authorization": f"Bearer {tokens.add('j', Role.JUDGE)}"}
    client = client_of(WebConfig(db=str(played), tokens=tmp_path / "tokens.json", secret=b"s" * 32))
    html = client.get(LIVE, headers=reader).text
    assert "Run it further" not in html
    assert "<dialog" not in html
    assert client.get("/api/v1/pools/tournament-1/live", headers=reader).status_code == 200
    for who in (reader, judge):
        assert client.get(f"{LIVE}/start", headers=who).status_code == 403
        assert client.get("/api/v1/pools/tournament-1/forecast", headers=who).status_code == 403
        for act in ("run", "resume", "pause", "stop"):
            answer = client.post(f"/api/v1/pools/tournament-1/{act}", headers=who, json={"confirm": "x"})
            assert answer.status_code == 403, act


def test_a_pool_that_is_no_tournament_says_so(client, library):
    library.ledger.pools.create("plain", RatingConfig())
    assert "is not a tournament" in client.get("/pools/plain/live").text
    assert client.get("/api/v1/pools/plain/live").status_code == 404
    assert client.get("/pools/nowhere/live").status_code == 404


def test_hostile_items_and_criteria_are_text(tmp_path, client_of):
    bad = "<script>alert(1)</script>"
    db = tmp_path / "bad.db"
    items = {bad: bad, '"><img src=x onerror=alert(1)>': "x", "../..": "y", "c": "z"}
    with Tournament.create(items, judge=lambda a, b, c: "first", criteria=bad, db=db, seed=1, budget=4) as tournament:
        tournament.run()
    html = client_of(WebConfig(db=str(db))).get(LIVE).text
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "run it from that program" in html
