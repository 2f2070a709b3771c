"""Logging in: a token becomes a cookie, which the pages then live by; logging out; and what tries too often."""

import itertools
import re
import shutil

import pytest

from local_client import LocalClient
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.forms import fields
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.pages.login import ATTEMPTS, FIELDS, inward

ADDRESSES = itertools.count(1)
OWN = {"origin": "http://localhost", "accept": "text/html"}


@pytest.fixture(scope="module")
def guarded(played_once, tmp_path_factory):
    """A server with a token for an admin, and that token."""
    folder = tmp_path_factory.mktemp("guarded")
    file, db = TokenFile(folder / "tokens.json"), shutil.copy(played_once, folder / "played.db")
    token = file.add("anna & <b>", Role.ADMIN)
    app = create_app(WebConfig(db=str(db), tokens=file.path, secret=b"s" * 32, proxies=("127.0.0.1",)))
    with LocalClient(app):
        yield app, token


@pytest.fixture
def board(guarded):
    """A client of it at an address of its own, since each may try so often, and the token."""
    app, token = guarded
    return LocalClient(app, headers={"x-forwarded-for": f"10.0.0.{next(ADDRESSES)}"}), token


def login(client, token, next="/", **headers):
    return client.post(
        "/login", data={"token": token, "next": next}, headers={**OWN, **headers}, follow_redirects=False
    )


def test_from_token_to_page_to_change_and_out(board):
    client, token = board
    assert "/login?next=" in client.get("/pools/tournament-1", headers=OWN).text
    answer = login(client, f"  {token}\n", "/pools/tournament-1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/pools/tournament-1")
    assert token not in str(answer.headers)
    flags = answer.headers["set-cookie"].lower()
    assert {"httponly", "samesite=strict", "path=/", "max-age=2592000"} <= {flag.strip() for flag in flags.split(";")}
    assert "secure" not in flags
    page = client.get("/").text
    csrf = re.search('<meta name="csrf" content="([0-9a-f]{64})">', page)[1]
    assert "<b>" not in page.partition("</header>")[0].replace("<bdi>", "")
    assert client.post("/api/v1/audit", headers={**OWN, "x-csrf-token": csrf}).status_code == 200
    assert client.post("/api/v1/audit", headers=OWN).status_code == 403
    assert f'name="csrf" value="{csrf}"' in client.get("/login").text
    assert client.post("/logout", data={"csrf": "x"}, headers=OWN).status_code == 403
    assert (
        client.post("/logout", data={"csrf": csrf}, headers=OWN, follow_redirects=False).headers["location"] == "/login"
    )
    assert not client.cookies
    assert client.get("/api/v1/pools").status_code == 401
    assert client.post("/logout", headers=OWN, follow_redirects=False).status_code == 303


def test_over_https_the_cookie_is_for_https_only(board):
    client, token = board
    headers = {"origin": "https://localhost", "x-forwarded-proto": "https"}
    cookie = login(client, token, **headers).headers["set-cookie"]
    assert cookie.startswith("__Host-paragone=")
    assert "Secure" in cookie
    value = cookie.partition("=")[2].partition(";")[0]
    client.cookies.clear()
    https, http = ({"cookie": f"{name}={value}"} for name in ("__Host-paragone", "paragone"))
    assert client.get("/api/v1/pools", headers={**https, "x-forwarded-proto": "https"}).status_code == 200
    assert client.get("/api/v1/pools", headers={**http, "x-forwarded-proto": "https"}).status_code == 401


@pytest.mark.parametrize("token", ["", "pgn_wrong", "x" * 5000, "\0", "ä", "anna & <b>", "<script>alert(1)</script>"])
def test_what_is_no_token(board, token):
    client, _ = board
    answer = login(client, token)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert "<script>alert" not in answer.text
    assert answer.text.count("no such token") == 1


def test_whoever_tries_too_often_waits(board):
    client, token = board
    assert [login(client, "wrong").status_code for _ in range(ATTEMPTS)] == [401] * ATTEMPTS
    late = login(client, token)
    assert late.status_code == 429
    assert 1 <= int(late.headers["retry-after"]) <= 60 / ATTEMPTS
    assert login(client, token, **{"x-forwarded-for": "9.9.9.9"}).status_code == 303


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:81"])
def test_nobody_is_logged_in_from_elsewhere(board, origin):
    client, token = board
    assert login(client, token, origin=origin).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "",
        "x",
        "/\t/evil.example",
        "/a\r\nset-cookie: x=1",
        "/ä",
        "\\/evil.example",
        " /x",
        "/a\\b",
    ],
)
def test_a_login_leads_nowhere_else(board, path):
    client, token = board
    assert inward(path) == "/"
    assert login(client, token, path).headers["location"] == "/"


@pytest.mark.parametrize("path", ["/", "/pools/a%2Fb?sort=elo&descending=1", "/vote"])
def test_a_login_leads_back(path):
    assert inward(path) == path


@pytest.mark.parametrize("body", [b"", b"\xff", b"&" * 100, b"a=1&" * 100, b"token", b"token=%ff%00", b'{"token": 1}'])
def test_no_form_fails(board, body):
    client, _ = board
    assert isinstance(fields(body, FIELDS), dict)
    assert client.post("/login", content=body, headers=OWN).status_code == 401
    assert client.post("/logout", content=body, headers=OWN, follow_redirects=False).status_code == 303


def test_without_tokens_there_is_nothing_to_log_in_to(shared_client):
    assert shared_client.get("/login", follow_redirects=False).headers["location"] == "/"
    assert (
        shared_client.post("/login", data={"token": "x"}, headers=OWN, follow_redirects=False).headers["location"]
        == "/"
    )
    assert "/login" not in shared_client.get("/").text
