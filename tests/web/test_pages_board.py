"""The board of a pool in a browser, as the server sends it: nothing here needs a script."""

import re

from paragone.domain import Item, Match, Outcome, RatingConfig
from paragone.ledger import Ledger
from paragone.web.api.pools import NewItem, NewPool, begin_pool
from paragone.web.config import WebConfig

BOARD = "/pools/tournament-1"


def ids(html):
    return re.findall(r'<a class="item" href="/pools/[^"]*/items/([^"]*)"', html)


def test_the_board_is_there_with_strengths_intervals_ranks_and_records(shared_client):
    html = shared_client.get(BOARD).text
    told = shared_client.get(f"/api/v1{BOARD}/board").json()["rows"]
    assert ids(html) == [row["id"] for row in told]
    best = told[0]
    for value in (f"{best['rating']:.0f}", f"{best['wins']}–{best['losses']}–{best['ties']}"):
        assert value in html
    assert html.count('class="interval"') == 2 * len(told)  # one for wide pages and one for narrow ones
    assert 'data-events="/api/v1/events?pool=tournament-1"' in html
    assert html.count("data-live") == 2


def test_headings_sort_and_a_second_click_turns_the_order_round(shared_client):
    first = shared_client.get(BOARD).text
    assert (
        '<th scope="col" class="n" aria-sort="ascending"><a href="/pools/tournament-1?descending=true">Rank</a>'
        in first
    )
    assert "/pools/tournament-1?sort=rating" in first
    assert ">Elo</a>" not in first  # of near-even pairs it misleads, and is shown when asked for
    assert '<a href="?sort=elo">Show the running Elo too</a>' in first
    by_elo = shared_client.get(f"{BOARD}?sort=elo").text
    assert 'aria-sort="descending"><a href="/pools/tournament-1?sort=elo&amp;descending=false">Elo</a>' in by_elo
    back = shared_client.get(f"{BOARD}?sort=elo&descending=false").text
    assert 'aria-sort="ascending"><a href="/pools/tournament-1?sort=elo">Elo</a>' in back
    elo = {row["id"]: row["elo"] for row in shared_client.get(f"/api/v1{BOARD}/board").json()["rows"]}
    assert [elo[id] for id in ids(by_elo)] == sorted(elo.values(), reverse=True)
    assert [elo[id] for id in ids(back)] == sorted(elo.values())


def test_a_search_narrows_the_board_and_stays_in_its_box(shared_client):
    html = shared_client.get(f"{BOARD}?q=text 3&sort=elo").text
    assert ids(html) == ["i3"]
    assert 'value="text 3"' in html
    assert "1 item found for" in html
    assert '<input type="hidden" name="sort" value="elo">' in html
    assert "No item has “<bdi>nothing</bdi>” in its id or text" in shared_client.get(f"{BOARD}?q=nothing").text


def test_a_long_board_has_numbered_pages(library, client):
    ledger = library.ledger
    ledger.pools.create("many", RatingConfig())
    ledger.items.add("many", [Item(id=f"n{number:03}", text="") for number in range(120)])
    seen, url = [], "/pools/many"
    for _ in range(3):
        html = client.get(url).text
        seen += ids(html)
        following = re.search(r'<a rel="next" href="([^"]*)"', html)
        url = following[1].replace("&amp;", "&") if following else ""
    assert url == ""
    assert seen == [f"n{number:03}" for number in range(120)]
    assert "Page 3 of 3" in html
    assert html.count('<td class="n">1<span class="after">=</span></td>') == 20
    assert '<a href="/pools/many" aria-label="Page 1">1</a>' in html
    assert '<a rel="prev" href="/pools/many?page=2">Previous</a>' in html
    assert ids(client.get("/pools/many?page=2").text) == seen[50:100]
    beyond = client.get("/pools/many?page=9&q=n1").text
    assert ids(beyond) == []
    assert 'There is no page 9 here: the last is <a href="/pools/many?q=n1">page 1</a>' in beyond


def test_a_pool_that_is_no_tournament_has_a_board_by_elo(library, client):
    library.ledger.pools.create("plain", RatingConfig())
    library.ledger.items.add("plain", [Item(id="a", text="A"), Item(id="b", text="B")])
    library.ledger.matches.record("plain", Match(id="m", a="b", b="a", outcome=Outcome.A))
    html = client.get("/pools/plain").text
    assert ids(html) == ["b", "a"]
    assert "Ranked by the running Elo" in html
    assert "interval" not in html.split("<table")[1]


def test_what_a_board_by_elo_is_not_sorted_by_leads_to_its_usual_order(library, client):
    library.ledger.pools.create("plain", RatingConfig())
    library.ledger.items.add("plain", [Item(id="a", text="A")])
    for query in ("sort=wins", "cursor=AAAA"):
        answer = client.get(f"/pools/plain?{query}")
        assert answer.status_code == 200
        assert ids(answer.text) == ["a"]


def test_before_the_first_match_nothing_is_drawn_from_the_prior(library, client):
    items = [NewItem(id=id, text=id) for id in ("a", "b", "c")]
    pool, _ = begin_pool(library, NewPool(name="new", criteria="c", items=items, seed=1))
    for page in (f"/pools/{pool}", f"/pools/{pool}/live"):
        html = client.get(page).text
        assert html.count('class="item"') >= 3
        assert 'class="interval"' not in html
    for page in ("", "/report"):
        assert "Nothing was compared yet" in client.get(f"/pools/{pool}{page}").text
    for page in ("", "/report", "/matches", "/compare", "/judges"):  # where to go from there
        assert f'href="/pools/{pool}/vote">Vote</a></p>' in client.get(f"/pools/{pool}{page}").text


def test_a_pool_without_items_says_how_they_come(library, client):
    library.ledger.pools.create("none yet", RatingConfig())
    html = client.get("/pools/none%20yet").text
    assert "There are no items in this pool yet" in html
    assert "POST /api/v1/pools/none%20yet/items" in html


def test_a_parameter_that_cannot_be_is_refused_on_a_page(shared_client):
    answer = shared_client.get(f"{BOARD}?sort=height", headers={"accept": "text/html"})
    assert answer.status_code == 422
    assert "query.sort" in answer.text


def test_an_empty_ledger_says_how_to_begin(tmp_path, client_of):
    Ledger.open(tmp_path / "empty.db").close()
    html = client_of(WebConfig(db=str(tmp_path / "empty.db"))).get("/").text
    assert "How to begin" in html
    assert "paragone rank" in html
    assert 'data-events="/api/v1/events"' in html
