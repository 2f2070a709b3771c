"""The best against each other, and circles, in a browser."""

import re

from paragone.domain import Item, Match, Outcome, RatingConfig


def pool_of(ledger, *results):
    ledger.pools.create("p", RatingConfig())
    names = sorted({name for pair in results for name in pair})
    ledger.items.add("p", [Item(id=name, text="") for name in names])
    for number, (winner, loser) in enumerate(results):
        ledger.matches.record("p", Match(id=f"m{number}", a=winner, b=loser, outcome=Outcome.A))


def test_each_row_tells_how_one_fared_against_each_other(library, client):
    pool_of(library.ledger, ("a", "b"), ("a", "b"), ("b", "a"), ("b", "c"))
    html = client.get("/pools/p/compare").text
    names = re.findall(r'<th scope="row">\d+\. <a class="item" href="/pools/p/items/(\w)"', html)
    rows = [
        re.findall(r"<td([^>]*)>(?:<a [^>]*>)?([^<]*)(?:</a>)?</td>", row) for row in html.split('<th scope="row">')[1:]
    ]
    cell = {(one, other): rows[i][j] for i, one in enumerate(names) for j, other in enumerate(names)}
    assert cell["a", "b"][1] == "2–1"
    assert cell["b", "a"][1] == "1–2"
    assert "ahead" in cell["a", "b"][0]
    assert "--by:0.25" in cell["a", "b"][0]
    assert "behind" in cell["b", "a"][0]
    assert cell["a", "c"] == ("", "")
    assert "self" in cell["a", "a"][0]


def test_the_tournament_has_its_matrix_and_its_circles(shared_client):
    html = shared_client.get("/pools/tournament-1/compare").text
    told = shared_client.get("/api/v1/pools/tournament-1/compare").json()
    assert html.count('<th scope="row">') == 8
    assert html.count('<ol class="ring">') == len(told["cycles"])
    if not told["cycles"]:
        assert "None: no items beat each other in a ring." in html


def test_of_a_top_that_never_met_no_empty_matrix_is_drawn(library, client):
    names = [f"n{number:02}" for number in range(42)]
    pool_of(library.ledger, *zip(names[:21], names[21:], strict=True))
    html = client.get("/pools/p/compare").text
    assert "Of the first 20 of the board none has met another one yet." in html
    assert "grid-table" not in html


def test_one_item_alone_is_not_compared(library, client):
    library.ledger.pools.create("one", RatingConfig())
    library.ledger.items.add("one", [Item(id="a", text="")])
    assert "There are not yet two items to compare." in client.get("/pools/one/compare").text
