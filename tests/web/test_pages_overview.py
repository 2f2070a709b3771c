"""What there is, in a browser."""

import re
from dataclasses import replace
from html import unescape

from paragone.domain import Item, RatingConfig
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import LOCAL, Role, TokenFile
from paragone.web.pages.overview import is_counting, tiles
from paragone.web.pages.rendering import ledger_option, numbered_pages, page
from paragone.web.views import pools


def test_pools_stand_with_what_they_hold_the_newest_first(library, client):
    library.ledger.pools.create("later", RatingConfig())
    library.ledger.items.add("later", [Item(id="a", text="")])
    html = client.get("/").text
    assert html.index('href="/pools/later"') < html.index('href="/pools/tournament-1"')
    assert "8 items · 40 matches" in html
    assert "1 item · 0 matches" in html
    assert "40 decisions, 40 requests, 0 tokens, free of charge; at most 40 decisions" in html
    assert "<dt>Items</dt><dd>9</dd>" in html
    assert "<dt>Running now</dt><dd>0</dd>" in html


def test_what_runs_stands_first_and_leads_to_where_it_is_watched(library, client):
    library.ledger.pools.create("later", RatingConfig())
    with library.ledger.tournaments.claim("tournament-1"):
        html = client.get("/").text
    assert html.index("Running now</h2>") < html.index('href="/pools/tournament-1"') < html.index("Other pools</h2>")
    assert 'href="/pools/tournament-1/live"' in html
    assert "<dt>Running now</dt><dd>1</dd>" in html


def test_many_pools_are_paged_and_tiles_say_that_they_speak_of_one_page(library, client):
    for number in range(30):
        library.ledger.pools.create(f"p{number}", RatingConfig())
    first = client.get("/").text
    assert "Pools on this page</dt><dd>24" in first
    following = re.search(r'rel="next" href="([^"]*)"', first)[1]
    second = client.get(following).text
    assert 'href="/pools/tournament-1"' in second
    assert "<dt>Pools on this page</dt><dd>7</dd>" in second
    assert "Page 2 of 2" in second
    assert '<a rel="prev" href="/">Previous</a>' in second


def test_what_is_still_being_counted_is_asked_for_again_and_no_number_meanwhile(library):
    found = pools.page(library)
    took = replace(found.pools[0].tournament, spending=None)
    counting = replace(found, pools=[replace(found.pools[0], tournament=took)])
    assert (is_counting(found), is_counting(counting)) == (False, True)
    shown = dict(tiles(counting, running=0, is_whole=True))
    assert [shown[name] for name in ("Decisions", "Requests", "Tokens", "Dollars")] == ["–"] * 4
    values = {
        "running": [],
        "idle": counting.pools,
        "tiles": [],
        "is_counting": True,
        "pages": numbered_pages("/", 1, 1, 24),
        "ledger": "",
    }
    html = page("overview.html", **values).body.decode()
    assert "data-pending" in html
    assert "What it took is being counted" in html


def test_how_to_begin_names_this_servers_ledger_to_those_who_may_know(tmp_path, client_of):
    db = tmp_path / "my ideas.db"
    command = f"paragone rank ideas.txt --criteria \"the more useful idea\" --judge local --db '{db}'"
    mine = client_of(WebConfig(db=str(db)))
    assert command in unescape(mine.get("/").text)
    assert f"paragone agents import debates.jsonl --db '{db}'" in unescape(mine.get("/agents").text)
    file = TokenFile(tmp_path / "tokens.json")
    reader = client_of(WebConfig(db=str(db), tokens=file.path))
    headers = {"authorization": f"Bearer {file.add('ann', Role.READ)}"}
    for address in ("/", "/agents"):
        answer = reader.get(address, headers=headers)
        assert answer.status_code == 200
        assert "(<code>--db</code>)" in answer.text
        assert str(tmp_path) not in answer.text


def test_a_password_is_no_part_of_the_ledgers_name():
    named = ledger_option(WebConfig(db="postgresql://me:secret@host/ideas"), LOCAL)
    assert "secret" not in named
    assert "host/ideas" in named
