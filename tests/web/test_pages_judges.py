"""The judges of a tournament in a browser."""

import json
import re

from paragone.domain import RatingConfig


def test_a_judge_stands_with_its_bias_its_ties_and_its_cost(shared_client):
    html = shared_client.get("/pools/tournament-1/judges").text
    judge = shared_client.get("/api/v1/pools/tournament-1/judges").json()["judges"][0]
    assert f"{judge['position_bias']:+.2f}".replace("-", "−") in html
    assert f"{judge['tie_rate']:.0%}" in html
    assert "There is one judge, so there is none to agree with." in html
    assert re.search("simulated:[0-9a-f]{8}", judge["judge"])
    assert "simulated:" not in re.sub(r' title="[^"]*"', "", html.partition('id="figures"')[0])


def test_its_bias_is_drawn(shared_client):
    html = shared_client.get("/pools/tournament-1/judges").text
    figures = json.loads(html.split('id="figures">')[1].split("</script>")[0])["figures"]
    assert figures["position"]["layout"]["yaxis"]["ticktext"] == ["simulated"]
    assert 'data-figure="position"' in html


def test_a_pool_that_is_no_tournament_says_why_there_are_none(library, client):
    library.ledger.pools.create("plain", RatingConfig())
    answer = client.get("/pools/plain/judges")
    assert answer.status_code == 200
    assert "pool &#39;plain&#39; is not a tournament" in answer.text
    assert client.get("/pools/nowhere/judges").status_code == 404
