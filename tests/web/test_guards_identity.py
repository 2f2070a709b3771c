"""Who asks: bearer tokens, cookies of any content, roles, and requests that another site has a browser send."""

import base64
import shutil
import time
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from local_client import LocalClient
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.middleware.authentication import cookie_of, csrf_of, identify_by_cookie, is_own, keyed
from paragone.web.middleware.authorization import Admin, Judging, Reader, Voter

SECRET = b"s" * 32
ROLES = ("read", "vote", "judge", "admin")
AUDIT = "/api/v1/audit"
PUBLIC = {
    "/login",
    "/logout",
    "/join",
    "/login/provider",
    "/login/provider/back",
    "/assets/{mark}/{name}",
    "/healthz",
    "/readyz",
}
OWN = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}


def guard(db, **options):
    """A client of a server with a token of each role, without any of them, and the tokens."""
    file = TokenFile(db.parent / "tokens.json")
    tokens = {role: file.add(f"{role}er", Role[role.upper()]) for role in ROLES}
    return LocalClient(create_app(WebConfig(db=str(db), tokens=file.path, secret=SECRET, **options))), tokens, file


@pytest.fixture(scope="module")
def guarded(played_once, tmp_path_factory):
    """One for all tests that change neither tokens nor matches."""
    client, *tokens = guard(
        Path(shutil.copy(played_once, tmp_path_factory.mktemp("guarded") / "played.db")), rate=10**9
    )
    with client:
        yield client, *tokens


@pytest.fixture
def changing(played):
    """One for a test that does."""
    client, *tokens = guard(played)
    with client:
        yield client, *tokens


def bearer(token):
    return {"authorization": f"Bearer {token}"}


def test_without_a_token_nothing_is_told(guarded):
    client, *_ = guarded
    for path in ("/", "/api/v1/pools", "/api/v1/openapi.json", "/api/v1/events", "/metrics", "/pools/tournament-1"):
        answer = client.get(path)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "tournament" not in answer.text


def test_each_role_may_do_what_those_before_it_may(changing):
    client, tokens, _ = changing
    for role in ROLES:
        assert client.get("/api/v1/pools", headers=bearer(tokens[role])).status_code == 200
        assert client.post(AUDIT, headers=bearer(tokens[role])).status_code == (200 if role == "admin" else 403)
    match = {"id": "m", "a": "i0", "b": "i1", "answers": [{"first": "i0", "choice": "first", "judge": "token:judgeer"}]}
    path = "/api/v1/pools/tournament-1/matches"
    statuses = [client.post(path, json=match, headers=bearer(tokens[role])).status_code for role in ROLES]
    assert statuses == [403, 403, 201, 200]


def test_every_route_asks_who_it_is(library, routes_of):
    app = create_app(WebConfig(db=""), library)

    checks = {get_args(role)[1].dependency for role in (Reader, Voter, Judging, Admin)}

    def asks(dependant):
        return dependant.call in checks or any(asks(one) for one in dependant.dependencies)

    found = list(routes_of(app.routes))
    assert len(found) > 20
    open_to_all = {path for path, route in found if not (hasattr(route, "dependant") and asks(route.dependant))}
    assert {"/login", "/logout"} <= open_to_all <= PUBLIC


def test_a_revoked_token_and_its_cookie_are_worth_nothing(changing):
    client, tokens, file = changing
    cookie = cookie_of(file.caller(tokens["admin"]), SECRET, time.time() + 60)
    assert client.get("/api/v1/pools", headers={"cookie": f"paragone={cookie}"}).status_code == 200
    TokenFile(file.path).revoke("adminer")
    assert client.get("/api/v1/pools", headers=bearer(tokens["admin"])).status_code == 401
    assert client.get("/api/v1/pools", headers={"cookie": f"paragone={cookie}"}).status_code == 401
    TokenFile(file.path).add("adminer", Role.ADMIN)  # the name alone gives nothing back
    assert client.get("/api/v1/pools", headers={"cookie": f"paragone={cookie}"}).status_code == 401


def test_a_wrong_token_is_not_made_good_by_a_cookie(guarded):
    client, tokens, file = guarded
    cookie = cookie_of(file.caller(tokens["admin"]), SECRET, time.time() + 60)
    headers = {"cookie": f"paragone={cookie}", "authorization": "Bearer nonsense"}
    assert client.get("/api/v1/pools", headers=headers).status_code == 401


def test_a_cookie_ends(guarded):
    _, tokens, file = guarded
    cookie = cookie_of(file.caller(tokens["read"]), SECRET, 1000.0)
    assert identify_by_cookie(cookie, file, SECRET, 999.0).name == "reader"
    assert identify_by_cookie(cookie, file, SECRET, 1001.0) is None
    assert identify_by_cookie(cookie, file, b"t" * 32, 999.0) is None


def test_two_sessions_have_two_csrf_tokens(guarded):
    _, tokens, file = guarded
    who = file.caller(tokens["read"])
    one, other = (identify_by_cookie(cookie_of(who, SECRET, 1000.0), file, SECRET, 0.0) for _ in range(2))
    assert one == other
    assert one.csrf != other.csrf


def test_no_secret_stands_in_a_cookie_or_a_repr(guarded):
    _, tokens, file = guarded
    who = file.caller(tokens["read"])
    cookie = cookie_of(who, SECRET, 1000.0)
    assert tokens["read"] not in cookie
    assert who.key not in cookie
    seen = identify_by_cookie(cookie, file, SECRET, 0.0)
    assert seen.csrf not in repr(seen)
    assert "ssss" not in repr(WebConfig(db="x", secret=SECRET))


def _signed(body):
    return f"{body}.{keyed('cookie:' + body, SECRET)}"


BODIES = [
    "",
    ".",
    "..",
    "a.b",
    "a.nan",
    "a.inf",
    "a.-1",
    "a.1e400",
    "!!!.99999999999",
    "\ud800.5",
    "ä.5.c",
    "0" * 70_000,
    f"{'0' * 64}.{'9' * 5000}.{'0' * 32}",
    f"{'0' * 64}.²³.{'0' * 32}",
    f"{'0' * 64}.999999999999.{'0' * 32}",
]


@pytest.mark.parametrize("body", BODIES)
def test_no_content_of_a_cookie_fails(guarded, body):
    *_, file = guarded
    for cookie in (body, body + ".", _signed(body)):
        assert identify_by_cookie(cookie, file, SECRET, 0.0) is None


@given(text=st.text(max_size=60), raw=st.binary(max_size=60))
def test_garbage_is_nobody(tmp_path_factory, text, raw):
    file = TokenFile(tmp_path_factory.getbasetemp() / "none.json")
    for cookie in (text, _signed(text), raw.decode("latin-1"), base64.urlsafe_b64encode(raw).decode()):
        assert identify_by_cookie(cookie, file, SECRET, 0.0) is None


@pytest.mark.parametrize(
    "cookie",
    [
        b"paragone=\xff\xfe.1.\xff",
        b'paragone="\\377\\"',
        b"=;;=",
        b"paragone=" + b"." * 9000,
        b"paragone",
        b"paragone=a; paragone=b",
        b"\x7f\x80=\x01",
    ],
)
def test_no_cookie_fails_over_http(guarded, cookie):
    client, *_ = guarded
    assert client.get("/api/v1/pools", headers={b"cookie": cookie}).status_code == 401
    assert client.post(AUDIT, headers={b"cookie": cookie}).status_code in {401, 403}


@pytest.mark.parametrize(
    "value", ["Bearer", "Bearer ", "bearer \t", "Basic YTpi", "Bearer " + "x" * 9000, "\xff", "Bearer \xff"]
)
def test_no_authorization_fails_over_http(guarded, value):
    client, *_ = guarded
    assert client.get("/api/v1/pools", headers={b"authorization": value.encode("latin-1")}).status_code == 401


def test_by_cookie_a_change_takes_origin_and_csrf(guarded):
    client, tokens, file = guarded
    cookie = cookie_of(file.caller(tokens["admin"]), SECRET, time.time() + 60)
    csrf = identify_by_cookie(cookie, file, SECRET, 0.0).csrf
    other = cookie_of(file.caller(tokens["admin"]), SECRET, time.time() + 60)

    def status(**headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.post(AUDIT, headers={"cookie": f"paragone={cookie}", **named}).status_code

    good = {"x_csrf_token": csrf, "origin": "http://localhost", "sec_fetch_site": "same-origin"}
    assert status(**good) == 200
    assert status(x_csrf_token=csrf, origin="http://localhost") == 200
    assert status(x_csrf_token=csrf, sec_fetch_site="same-origin") == 200
    assert status(x_csrf_token=csrf) == 403
    assert status(origin="http://localhost") == 403
    for wrong in (
        "",
        csrf[:-1],
        csrf.upper(),
        "\xe4",
        csrf_of("local", SECRET),
        identify_by_cookie(other, file, SECRET, 0.0).csrf,
    ):
        assert status(**{**good, "x_csrf_token": wrong.encode("latin-1")}) == 403
    for wrong in (
        "null",
        "http://localhost:1",
        "https://localhost.evil.example",
        "http://evil.example",
        "",
        "localhost",
    ):
        assert status(x_csrf_token=csrf, origin=wrong) == 403, wrong
    for wrong in ("cross-site", "same-site", "none", ""):
        assert status(**{**good, "sec_fetch_site": wrong}) == 403, wrong


def test_a_program_with_a_token_needs_neither(guarded):
    client, tokens, _ = guarded
    for more in ({}, {"origin": "https://elsewhere.example", "sec-fetch-site": "cross-site"}, {"cookie": "paragone=x"}):
        assert client.post(AUDIT, headers={**bearer(tokens["admin"]), **more}).status_code == 200


def test_without_tokens_browsers_need_both_and_programs_neither(shared_client):
    csrf = csrf_of("local", shared_client.app.state.config.secret)
    assert shared_client.post(AUDIT).status_code == 200
    assert shared_client.post(AUDIT, headers=OWN).status_code == 403
    assert shared_client.post(AUDIT, headers={**OWN, "x-csrf-token": csrf}).status_code == 200
    assert f'<meta name="csrf" content="{csrf}">' in shared_client.get("/").text
    foreign = {"origin": "http://localhost:9999", "x-csrf-token": csrf}
    assert shared_client.post(AUDIT, headers=foreign).status_code == 403
    # a token that nobody asked for makes no program of a browser
    assert shared_client.post(AUDIT, headers={**foreign, **bearer("x")}).status_code == 403


def test_a_server_without_a_secret_makes_one(client, played, client_of):
    other = client_of(WebConfig(db=str(played)))
    secrets = {client.app.state.config.secret, other.app.state.config.secret}
    assert len(secrets) == 2
    assert all(len(secret) == 32 for secret in secrets)


def test_a_file_of_tokens_that_breaks_lets_nobody_in_and_names_no_path(changing, caplog):
    client, tokens, file = changing
    file.path.write_text("{")
    answer = client.get("/api/v1/pools", headers=bearer(tokens["admin"]))
    assert answer.status_code == 500
    assert str(file.path) not in answer.text
    assert str(file.path) in caplog.text  # for whoever runs it
    assert client.post(AUDIT, headers=bearer(tokens["admin"])).status_code == 500


@pytest.mark.parametrize(
    ("scheme", "headers", "own"),
    [
        ("http", {"host": "localhost:8321", "origin": "http://localhost:8321"}, True),
        ("http", {"host": "LOCALHOST:8321", "origin": "http://localhost:8321"}, True),
        ("http", {"host": "localhost:80", "origin": "http://localhost"}, True),
        ("https", {"host": "b.example", "origin": "https://b.example:443"}, True),
        ("http", {"host": "[::1]:8321", "origin": "http://[::1]:8321"}, True),
        ("http", {"host": "b.example", "origin": "https://b.example"}, False),  # a proxy that was not named
        ("http", {"host": "b.example", "origin": "https://b.example", "sec-fetch-site": "same-origin"}, True),
        ("https", {"host": "b.example", "origin": "http://b.example"}, False),
        ("http", {"host": "localhost:8321", "origin": "http://localhost:8322"}, False),
        ("http", {"host": "localhost:8321", "origin": "http://localhost:8322", "sec-fetch-site": "same-origin"}, False),
        ("http", {"host": "localhost", "origin": "http://localhost@evil.example"}, False),
        ("http", {"host": "localhost"}, False),
    ],
)
def test_own_pages_are_told_from_others(scheme, headers, own):
    assert is_own(Headers(headers), scheme) is own
