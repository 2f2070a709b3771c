"""Ids in paths: any id comes back, whatever is on the way."""

from urllib.parse import unquote, urljoin, urlsplit

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paragone.wire.address import api_url, id_of, item_url, match_url, pool_url, segment

HOSTILE = (
    "a/b",
    "..",
    ".",
    "",
    "%2F",
    "%252F",
    "~",
    "~YQ",
    "a\\b",
    "a?b#c&d=e",
    "ü 漢",
    "\u202e",
    "a\nb",
    "\x00",
    "\ud800",
    "<script>",
)


@given(st.text(alphabet=st.characters()))
@example("..")
@example("%2e%2e")
@example("\ud800~")
def test_every_id_comes_back_from_its_segment(id: str) -> None:
    assert id_of(unquote(segment(id), errors="strict")) == id


@pytest.mark.parametrize("id", HOSTILE)
def test_no_id_leads_elsewhere_even_where_a_path_is_decoded_twice_or_made_short(id: str) -> None:
    url = item_url("p", id)
    assert urlsplit(urljoin("http://localhost/x", url)).path == url
    assert httpx.URL(f"http://localhost{url}").raw_path.decode() == url
    once = unquote(url).removeprefix("/pools/p/items/")
    assert "/" not in once
    assert id_of(once) == id_of(unquote(once)) == id


def test_ordinary_ids_are_written_as_everybody_expects() -> None:
    assert pool_url("ideas-1") == "/pools/ideas-1"
    assert pool_url("ideas-1", "judges") == "/pools/ideas-1/judges"
    assert item_url("ideas-1", "Fahrrad für alle?") == "/pools/ideas-1/items/Fahrrad%20f%C3%BCr%20alle%3F"
    assert match_url("ideas-1", "3.12") == "/pools/ideas-1/matches/3.12"
    assert api_url(match_url("p", "a/b")) == "/api/v1/pools/p/matches/~YS9i"


@pytest.mark.parametrize("wrong", ["~!", "~Y", "~_w", "~ü"])
def test_what_only_looks_like_an_id_in_base64url_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="base64url"):
        id_of(wrong)
