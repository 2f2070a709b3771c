"""Refusals: a page for browsers, problem+json for programs."""

import pytest
from starlette.requests import Request

from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.pages.rendering import error_page, wants_page

CHROME = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize(
    ("path", "accept", "page"),
    [
        ("/pools/x", CHROME, True),
        ("/pools/x", "application/json", False),
        ("/pools/x", "*/*", False),
        ("/pools/x", "", False),
        ("/api/v1/pools/x", CHROME, False),
    ],
)
def test_browsers_get_pages_and_programs_get_problems(shared_client, path, accept, page):
    answer = shared_client.get(path, headers={"accept": accept})
    assert answer.status_code == 404
    kind = "text/html; charset=utf-8" if page else "application/problem+json"
    assert answer.headers["content-type"] == kind


def test_a_page_that_is_nowhere_is_not_found(shared_client):
    answer = shared_client.get("/nowhere/<b>", headers={"accept": CHROME})
    assert answer.status_code == 404
    assert "There is nothing here" in answer.text
    assert 'href="/"' in answer.text


def test_who_is_not_known_is_led_to_where_a_token_is_entered(played, tmp_path, client_of):
    TokenFile(tmp_path / "tokens.json").add("someone", Role.READ)
    client = client_of(WebConfig(db=str(played), tokens=tmp_path / "tokens.json", secret=b"s" * 32))
    answer = client.get("/pools/tournament-1", headers={"accept": CHROME}, follow_redirects=False)
    assert answer.status_code == 401
    assert 'href="/login?next=%2Fpools%2Ftournament-1"' in answer.text


def request(accept, path="/"):
    return Request({"type": "http", "path": path, "headers": [(b"accept", accept.encode())]})


@pytest.mark.parametrize("status", [400, 403, 409, 418, 429, 500, 503])
def test_every_status_has_a_title_and_the_reason_in_words(status):
    answer = error_page(request(CHROME), status, "the <reason>")
    assert answer.status_code == status
    html = answer.body.decode()
    assert "the &lt;reason&gt;" in html
    assert "<h1></h1>" not in html


def test_kinds_are_read_whatever_their_case_and_weights():
    assert wants_page(request("application/json;q=0.5, Text/HTML;q=0.9"))
    assert not wants_page(request("text/htmlx"))
