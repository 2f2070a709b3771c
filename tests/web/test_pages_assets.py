"""Scripts and styles, as the server hands them out."""

import gzip
import re

import pytest

from paragone.presenting.page import plotly_js
from paragone.web.pages.assets import PLOTLY, address, content

NAMES = ("board.css", "board.js", "charts.js", "mark.svg")


@pytest.mark.parametrize("name", NAMES)
def test_an_asset_is_kept_for_ever_since_its_address_is_that_of_its_content(shared_client, name):
    answer = shared_client.get(address(name))
    assert answer.content == content(name)
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"].split(";")[0] in {"text/css", "text/javascript", "image/svg+xml"}


def test_an_address_of_another_content_and_a_name_of_none_are_not_found(shared_client):
    assert shared_client.get("/assets/0123456789abcdef/board.js").status_code == 404
    mark = address("board.js").split("/")[2]
    for name in ("board.css", "nothing.js", "..%2Fshown.py", "%2e%2e"):
        assert shared_client.get(f"/assets/{mark}/{name}").status_code == 404


def test_the_library_that_draws_is_that_of_its_package_and_small_for_who_takes_it_so(shared_client):
    with shared_client.stream("GET", address(PLOTLY), headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw).decode() == plotly_js()
    assert len(raw) < len(plotly_js()) / 3
    plain = shared_client.get(address("board.js"), headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "accept-encoding"


def test_a_page_names_only_assets_that_are_there(shared_client):
    html = shared_client.get("/pools/tournament-1/items/i7").text
    named = re.findall(r'(?:src|href)="(/assets/[^"]*)"', html)
    assert len(named) == 5
    assert all(shared_client.get(url).status_code == 200 for url in named)


def test_our_scripts_build_no_markup_from_texts():
    """What a page shows is made by templates: scripts move elements and never make HTML of a text."""
    for name in ("board.js", "charts.js"):
        script = content(name).decode()
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", script)
