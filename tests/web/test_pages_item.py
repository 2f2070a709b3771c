"""One item in a browser."""

import json
import re
from importlib.metadata import version

from paragone.domain import Choice, Comparison, CriterionScore, Item, Match, Outcome, RatingConfig, Verdict

ITEM = "/pools/tournament-1/items/i7"


def test_an_item_stands_with_its_text_rank_and_record(shared_client):
    html = shared_client.get(ITEM).text
    told = shared_client.get(f"/api/v1{ITEM}").json()["row"]
    assert "<h1><bdi>i7</bdi></h1>" in html
    assert f"paragone {version('paragone')} · " in html
    assert "text 7" in html
    assert f"<dt>Rank</dt><dd>{told['rank']}</dd>" in html
    assert f"<dt>Strength</dt><dd>{told['rating']:.0f}</dd>" in html
    assert f"{told['wins']}–{told['losses']}–{told['ties']}" in html


def test_its_rating_is_drawn_without_an_interval_of_its_own(shared_client):
    html = shared_client.get(ITEM).text
    figures = json.loads(html.split('id="figures">')[1].split("</script>")[0])["figures"]
    moves = shared_client.get(f"/api/v1{ITEM}").json()["progression"]
    lines = [trace for trace in figures["progression"]["data"] if trace.get("mode", "").startswith("lines")]
    assert [move["new"] for move in moves] in [line["y"] for line in lines]
    assert 'data-figure="progression"' in html
    assert len(figures["progression"]["data"]) == 1, "no band: the interval is that of the strength"
    assert re.search(r'class="chart"[^>]*style="height:\d+px"', html)


def test_those_next_to_it_on_the_board_are_there_and_it_is_marked(shared_client):
    html = shared_client.get(ITEM).text.split("Next to it on the board</h2>")[1].split("</table>")[0]
    around = [row["id"] for row in shared_client.get(f"/api/v1{ITEM}").json()["around"]]
    assert re.findall(r"/items/([^\"]*)\"", html) == around
    assert html.count('aria-current="true"') == 1


def test_its_matches_tell_won_and_lost_from_its_side(shared_client):
    html = shared_client.get(ITEM).text.split('id="matches"')[1]
    lines = shared_client.get(f"/api/v1{ITEM}/matches").json()["matches"]
    results = re.findall(r'<td class="k">(won|lost|tie)', html)
    assert results == [
        "tie" if line["outcome"] == "draw" else "won" if line["winner"] == "i7" else "lost" for line in lines[:25]
    ]
    assert f"{lines[0]['change']:+.1f}".replace("-", "−") in html


def test_scores_by_criterion_are_a_table_and_from_three_on_a_drawing(library, client):
    def scored(names):
        scores = tuple(CriterionScore(criterion=name, first=0.75, second=0.25) for name in names)
        verdict = Verdict(choice=Choice.FIRST, judge="j", scores=scores)
        call = Comparison(call=f"c{len(names)}", first="a", second="b", verdict=verdict)
        return Match(id=f"m{len(names)}", a="a", b="b", outcome=Outcome.A, comparisons=(call,))

    library.ledger.pools.create("scored", RatingConfig())
    library.ledger.items.add("scored", [Item(id="a", text=""), Item(id="b", text="")])
    library.ledger.matches.record("scored", scored(["clarity", "novelty"]))
    html = client.get("/pools/scored/items/b").text
    assert 'clarity</bdi></td><td class="n">25%</td>' in html
    assert "<svg" not in html
    library.ledger.matches.record("scored", scored(["clarity", "novelty", "<impact>"]))
    html = client.get("/pools/scored/items/a").text
    assert 'aria-label="Mean scores: clarity 75%, novelty 75%, &lt;impact&gt; 75%"' in html
    assert 'class="area"' in html


def test_an_item_that_was_never_compared_says_so_and_draws_nothing(library, client):
    library.ledger.pools.create("fresh", RatingConfig())
    library.ledger.items.add("fresh", [Item(id="a", text="")])
    html = client.get("/pools/fresh/items/a").text
    assert "It has not been compared yet." in html
    assert "plotly.js" not in html


def test_an_item_that_is_not_there_is_not_found(shared_client):
    answer = shared_client.get("/pools/tournament-1/items/i11", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert "there is no item &#39;i11&#39; in pool &#39;tournament-1&#39;; did you mean i1?" in answer.text
