"""Why an item is where it is, two items side by side, and what-if boards: as JSON, by the client, and as pages."""

import json
import re
from dataclasses import asdict

import pytest

from paragone.domain import Choice, Comparison, Match, Outcome, Verdict
from paragone.ledger import Ledger
from paragone.tournaments.tournament import Tournament
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.views import standing as views

API = "/api/v1/pools/tournament-1"
PAGE = "/pools/tournament-1"


@pytest.fixture
def disputed(played):
    """The ledger with one match more between i2 and i5, whose reasons are on record."""
    said = [("i2", "i5", Choice.SECOND, "i5 is <longer>."), ("i5", "i2", Choice.TIE, "No difference.")]
    comparisons = tuple(
        Comparison(call=f"extra/{number}", first=first, second=second,
                   verdict=Verdict(choice=choice, judge="ann", rationale=words))
        for number, (first, second, choice, words) in enumerate(said)
    )  # fmt: skip
    with Ledger.open(played) as ledger:
        match = Match(id="extra", a="i2", b="i5", outcome=Outcome.B, comparisons=comparisons)
        ledger.matches.record("tournament-1", match)
    return played


def test_rest_python_and_the_command_say_the_same(shared_client, played):
    over_http = shared_client.get(f"{API}/items/i3/standing")
    assert over_http.status_code == 200
    with Tournament.open(played) as tournament:
        standing = tournament.why("i3")
    assert over_http.json() == json.loads(json.dumps(asdict(standing)))
    assert shared_client.get(f"{API}/items/i33/standing").status_code == 404
    assert shared_client.get("/api/v1/pools/none/items/i3/standing").status_code == 404


def test_a_page_says_why_with_links_to_what_if_and_side_by_side(shared_client):
    page = shared_client.get(f"{PAGE}/items/i3").text
    carrying = shared_client.get(f"{API}/items/i3/standing").json()["carrying"]
    for line in carrying:
        assert f'href="{PAGE}/whatif?without_match={line["match"]}"' in page
    assert f'href="{PAGE}/items/i3/beside/i4"' in page
    assert "What one more answer would change" in page


def test_a_large_pool_is_worked_out_when_somebody_asks(shared_client, monkeypatch):
    monkeypatch.setattr(views, "QUICK_ITEMS", 7)
    assert "The matches that carry it" not in shared_client.get(f"{PAGE}/items/i3").text
    assert 'href="/pools/tournament-1/items/i3?why=true#why"' in shared_client.get(f"{PAGE}/items/i3").text
    assert "The matches that carry it" in shared_client.get(f"{PAGE}/items/i3?why=true").text


def test_two_items_have_all_that_was_said_about_them(disputed, client):
    two = client.get(f"{API}/items/i2/beside/i5").json()
    assert two["matches"][0]["id"] == "extra"
    assert [verdict["rationale"] for verdict in two["matches"][0]["verdicts"]] == ["i5 is <longer>.", "No difference."]
    assert all({"i2", "i5"} <= {*match["items"]} for match in two["matches"])
    outcomes = [match["winner"] for match in two["matches"]]
    assert (two["wins"], two["losses"]) == (outcomes.count("i2"), outcomes.count("i5"))
    back = client.get(f"{API}/items/i5/beside/i2").json()
    assert (back["wins"], back["losses"], back["ties"]) == (two["losses"], two["wins"], two["ties"])
    assert back["a_better"] == pytest.approx(1 - two["a_better"])
    page = client.get(f"{PAGE}/items/i2/beside/i5").text
    assert "i5 is &lt;longer&gt;." in page
    assert "calls it a tie" in page
    assert f'href="{PAGE}/items/i5/beside/i2"' in page


def test_a_rolled_back_match_is_shown_and_does_not_count(disputed, client):
    before = client.get(f"{API}/items/i2/beside/i5").json()
    client.post(f"{API}/matches/extra/rollback", json={"reason": "disputed"})
    after = client.get(f"{API}/items/i2/beside/i5").json()
    assert (after["losses"], len(after["matches"])) == (before["losses"] - 1, len(before["matches"]))
    assert after["matches"][0]["rolled_back"]


def test_the_form_leads_to_the_two_and_who_is_not_there_is_named(shared_client):
    led = shared_client.get(f"{PAGE}/items/i2/beside?other=i5", follow_redirects=False)
    assert (led.status_code, led.headers["location"]) == (303, f"{PAGE}/items/i2/beside/i5")
    assert (
        shared_client.get(f"{PAGE}/items/i2/beside?other=", follow_redirects=False).headers["location"].endswith("/i2")
    )
    assert shared_client.get(f"{API}/items/i2/beside/i2").status_code == 422
    missing = shared_client.get(f"{API}/items/i2/beside/i55")
    assert (missing.status_code, "did you mean i5" in missing.json()["detail"]) == (404, True)


def test_what_if_is_a_page_beside_the_board_as_it_is(shared_client):
    rows = shared_client.get(f"{API}/whatif?without_match=1.1").json()["rows"]
    page = shared_client.get(f"{PAGE}/whatif?without_match=1.1").text
    shown = re.findall(rf'href="{PAGE}/items/(i\d)"', page)
    assert shown == [row["id"] for row in rows]
    for wrong in ("without_match=none", "without_judge=nobody"):
        refused = shared_client.get(f"{PAGE}/whatif?{wrong}")
        assert (refused.status_code, 'role="alert"' in refused.text) == (422, True)
    assert shared_client.get("/pools/none/whatif").status_code == 404


def test_whoever_may_read_may_ask_why(played, tmp_path, client_of):
    file = TokenFile(tmp_path / "tokens.json")
    reading = {"authorization": f"Bearer {file.add('ann', Role.READ)}"}
    client = client_of(WebConfig(db=str(played), tokens=file.path))
    for path in ("/items/i2/beside/i5", "/whatif?without_match=1.1", "/items/i2"):
        assert client.get(PAGE + path, headers=reading).status_code == 200
        assert client.get(PAGE + path).status_code == 401
    assert client.get(f"{API}/items/i2/standing").status_code == 401
    assert "Retire it" not in client.get(f"{PAGE}/items/i2", headers=reading).text
