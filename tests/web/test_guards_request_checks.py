"""What every request meets first, and what every answer gets."""

import asyncio
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException

from local_client import LocalClient
from paragone.errors import InvalidConfig
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.middleware.hosts import checked_origins, checked_proxies, host_name, unwrap
from paragone.web.middleware.limits import Rate, network
from paragone.web.middleware.request_checks import HEADERS, SWALLOWED, CountedBody, length_problem, swallow
from paragone.web.server.serving import refuse_open_access

PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def served(shared_library):
    """Makes applications over one ledger, each once, for tests that write nothing."""
    return cache(lambda **options: create_app(WebConfig(db="", **options), shared_library))


@pytest.fixture(scope="module")
def asking(served):
    """Makes clients of them."""
    return lambda **options: LocalClient(served(**options))


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:1",
        "LocalHost:65535",
        "127.0.0.1:8321",
        "[::1]",
        "[::1]:8321",
        "[0:0:0:0:0:0:0:1]",
        "board.example:443",
        "[2001:db8::7]",
    ],
)
def test_hosts_that_were_named(asking, host):
    client = asking(hosts=("Board.example", "2001:db8:0::7"))
    assert client.get("/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evil.example:80",
        "localhost@evil.example",
        "",
        "localhost:",
        "localhost:x",
        "localhost:1:2",
        "[::1",
        "[::1]x",
        "::1",
        "[::2]",
        "127.0.0.2",
        "127.1",
        "2130706433",
        "0.0.0.0",
        "localhost.",
        "localhost, evil.example",
        "локалхост",
        "ſ",
        "localhost\x00",
        "localhost/..",
        "[fe80::1%25lo]",
        "a" * 5000,
    ],
)
def test_hosts_that_were_not(shared_client, host):
    answer = shared_client.get("/api/v1/pools", headers={b"host": host.encode("utf-8")})
    assert answer.status_code == 421
    assert answer.headers["content-type"] == PROBLEM
    assert len(answer.text) < 1000


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "", "192.168.1.5", "board.example", "127.0.0.2", "localhost.evil.example"]
)
def test_nobody_beyond_this_machine_is_let_in_without_tokens(tmp_path, host):
    with pytest.raises(InvalidConfig, match="there are no tokens"):
        refuse_open_access(WebConfig(db="x", host=host))
    file = TokenFile(tmp_path / "tokens.json")
    file.add("anna", Role.ADMIN)
    refuse_open_access(WebConfig(db="x", host=host, tokens=file.path))
    refuse_open_access(WebConfig(db="x", host="127.0.0.1"))


@pytest.mark.parametrize(
    "mark", ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]
)
def test_without_tokens_nothing_comes_through_a_proxy(shared_client, mark):
    for path in ("/", "/api/v1/pools", "/healthz"):
        answer = shared_client.get(path, headers={mark: "for=1.2.3.4"})
        assert (answer.status_code, "give the server tokens" in answer.text) == (403, True)


READS = ("/", "/api/v1/pools", "/api/v1/events", "/api/v1/pools/tournament-1/votes/next?voter=x", "/login", "/readyz")


@pytest.mark.parametrize(
    "sent",
    [
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "origin": "https://evil.example"},
    ],
    ids=["image", "stream of another port", "frame", "script of another origin"],
)
def test_other_sites_read_nothing_for_pages_of_theirs(asking, sent):
    client = asking(origins=("https://tools.example",))
    for path in READS:
        for method in ("GET", "HEAD"):
            assert client.request(method, path, headers=sent).status_code == 403, path


def test_links_and_pages_of_ones_own_are_read(asking):
    client = asking(origins=("https://tools.example",))
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    own = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}
    typed = {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}
    named = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "origin": "https://tools.example"}
    for headers in (link, own, typed, named, {}):
        assert client.get("/api/v1/pools", headers=headers).status_code == 200, headers


def test_a_server_for_all_addresses_has_no_more_names(asking):
    client = asking(host="0.0.0.0", hosts=("10.0.0.5",))
    for host, status in (("10.0.0.5", 200), ("0.0.0.0", 421), ("evil.example", 421)):
        assert client.get("/healthz", headers={"host": host}).status_code == status


@given(st.text(max_size=30))
def test_no_host_fails(text):
    name = host_name(text)
    assert name is None or host_name(name) == name


def ask(app, *, path="/healthz", method="GET", headers=(), query=b"", client=("127.0.0.1", 5), body=()):
    """What an application says to a request as a server hands it over, however odd."""
    said, parts = [], [*body]

    async def receive():
        if not parts:
            return {"type": "http.request", "body": b"", "more_body": False}
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message):
        said.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": list(headers),
        "client": client,
        "server": ("127.0.0.1", 80),
        "root_path": "",
    }
    asyncio.run(app(scope, receive, send))
    return said[0]["status"], dict(said[0]["headers"]), b"".join(one.get("body", b"") for one in said), scope


HERE = (b"host", b"localhost")


@pytest.mark.parametrize(
    ("odd", "status"),
    [
        ({"headers": [HERE]}, 200),
        ({"headers": []}, 400),
        ({"headers": [HERE, HERE]}, 400),
        ({"headers": [HERE, (b"host", b"evil.example")]}, 400),
        ({"headers": [HERE], "path": "http://evil.example/healthz"}, 400),
        ({"headers": [(b"host", b"evil.example")], "path": "http://localhost/healthz"}, 400),
        ({"headers": [HERE], "path": "*", "method": "OPTIONS"}, 400),
        ({"headers": [HERE], "path": "localhost:80", "method": "CONNECT"}, 400),
        ({"headers": [HERE], "path": ""}, 400),
        ({"headers": [HERE], "query": b"a" * 9000}, 414),
        ({"headers": [HERE, (b"x", b"a" * 17_000)]}, 431),
        ({"headers": [HERE, (b"content-length", b"\xb2")]}, 400),
        ({"headers": [HERE, (b"content-length", b"-1")]}, 400),
        ({"headers": [HERE, (b"content-length", b"9" * 6000)]}, 413),
        ({"headers": [HERE], "client": None}, 200),
        ({"headers": [HERE], "method": "BREW"}, 405),
        ({"headers": [HERE], "path": "/\x00/..%2f..\\etc"}, 404),
    ],
)
def test_odd_requests(served, odd, status):
    found, headers, *_ = ask(served(), **odd)
    assert found == status
    assert headers[b"content-security-policy"].startswith(b"default-src 'none'; script-src 'self';")


def test_every_answer_has_the_headers(shared_client):
    for path in ("/", "/nothing", "/api/v1/pools", "/api/v1/nothing", "/api/v1/pools/nothing", "/healthz"):
        answer = shared_client.get(path)
        assert {name: answer.headers[name] for name in HEADERS} == dict(HEADERS), path
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers
    assert "'unsafe-inline'" not in HEADERS["content-security-policy"].partition("style-src")[0]
    assert "'unsafe-eval'" not in HEADERS["content-security-policy"]


def test_methods(shared_client):
    client = shared_client
    answer = client.head("/api/v1/pools")
    assert (answer.status_code, answer.content) == (200, b"")
    assert client.head("/api/v1/nothing").status_code == 404
    assert client.head("/api/v1/events").headers["content-type"].startswith("text/event-stream")  # which never ends
    assert client.head("/api/v1/pools/tournament-1/exports/matches").content == b""
    assert client.options("/api/v1/pools").status_code == 204
    for method in ("TRACE", "PUT", "DELETE"):
        answer = client.request(method, "/api/v1/pools")
        assert answer.status_code == 405
        assert answer.headers["allow"]
        assert answer.headers["content-type"] == PROBLEM
    assert client.request("TRACE", "/", headers={"x-secret": "seen"}).text.find("seen") == -1


def test_other_sites_are_named_or_nothing(asking):
    client = asking(origins=("https://Friend.example",))
    asked = {
        "origin": "https://friend.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,idempotency-key,if-none-match",
    }
    assert client.options("/api/v1/pools", headers=asked).headers["access-control-allow-origin"] == asked["origin"]
    assert client.options("/api/v1/pools", headers=asked).status_code == 200
    answer = client.get("/api/v1/pools", headers={"origin": asked["origin"]})
    assert {"etag", "x-request-id"} <= set(answer.headers["access-control-expose-headers"].lower().split(", "))
    assert answer.headers["access-control-allow-origin"] == asked["origin"]
    assert "access-control-allow-credentials" not in answer.headers
    for other in ("https://evil.example", "null", "https://friend.example.evil.example", "http://friend.example"):
        assert "access-control-allow-origin" not in client.get("/api/v1/pools", headers={"origin": other}).headers
    # a friend reads; without a token it changes nothing
    assert client.post("/api/v1/audit", headers={"origin": asked["origin"]}).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "friend.example",
        "https://friend.example/",
        "https://*.example",
        "",
        "ftp://a.b",
        "https://a.b:",
        "https://a b",
        "https://ü.example",
    ],
)
def test_what_is_no_origin_is_refused(shared_library, origin):
    with pytest.raises(InvalidConfig, match="is not an origin"):
        checked_origins([origin])
    with pytest.raises(InvalidConfig):
        create_app(WebConfig(db="", origins=(origin,)), shared_library)


def unwrapped(client, proxies=("10.0.0.1", "10.0.0.2"), **headers):
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "scheme": "http", "client": client, "headers": named}
    unwrap(scope, checked_proxies(proxies))
    return scope["client"] and scope["client"][0], scope["scheme"]


def test_only_named_proxies_are_believed():
    told = {"x_forwarded_for": "6.6.6.6, 1.2.3.4", "x_forwarded_proto": "https"}
    assert unwrapped(("10.0.0.1", 1), **told) == ("1.2.3.4", "https")
    assert unwrapped(("10.0.0.9", 1), **told) == ("10.0.0.9", "http")
    assert unwrapped(None, **told) == (None, "http")
    assert unwrapped(("10.0.0.1", 1), x_forwarded_for="6.6.6.6, 1.2.3.4, 10.0.0.2") == ("1.2.3.4", "http")
    assert unwrapped(("10.0.0.1", 1), x_forwarded_proto="http, https") == ("10.0.0.1", "https")
    assert unwrapped(("::ffff:10.0.0.1", 1), **told) == ("1.2.3.4", "https")
    assert unwrapped(("10.0.0.1", 1), x_forwarded_for="6.6.6.6, ::ffff:1.2.3.4, ::ffff:a00:2") == ("1.2.3.4", "http")
    for garbage in ("", ",", "unknown", "1.2.3.4:80", "ä"):
        assert unwrapped(("10.0.0.1", 1), x_forwarded_for=garbage, x_forwarded_proto=garbage) == ("10.0.0.1", "http")


def test_proxies_may_be_named_by_their_network():
    networks = ("10.1.2.0/24", "fd00::/64")
    told = {"x_forwarded_for": "6.6.6.6, 1.2.3.4, 10.1.2.250, fd00::2", "x_forwarded_proto": "https"}
    for proxy in ("10.1.2.7", "::ffff:10.1.2.7", "fd00::1"):
        assert unwrapped((proxy, 1), networks, **told) == ("1.2.3.4", "https")
    for other in ("10.1.3.7", "fd00:0:0:1::1", "testclient"):
        assert unwrapped((other, 1), networks, **told) == (other, "http")


def test_a_minutes_worth_at_once_and_then_evenly():
    now = [0.0]
    rate = Rate(60, clock=lambda: now[0])
    assert [rate.wait("a") for _ in range(60)] == [0.0] * 60
    assert rate.wait("a") == 1.0
    assert rate.wait("b") == 0.0
    now[0] = 0.5
    assert rate.wait("a") == 0.5
    now[0] = 1.0
    assert rate.wait("a") == 0.0
    assert rate.wait("a") == 1.0
    now[0] = 1e9
    assert [rate.wait("a") for _ in range(61)] == [0.0] * 60 + [1.0]


def test_few_clients_are_remembered():
    rate = Rate(5, most=100)
    for number in range(1000):
        rate.wait(str(number))
    assert len(rate) == 100


@pytest.mark.parametrize(
    ("address", "stands_for"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("", ""),
        ("x", "x"),
    ],
)
def test_whom_an_address_stands_for(address, stands_for):
    assert network(address) == stands_for


def test_changes_too_often_are_told_when(asking):
    client = asking(rate=3)
    statuses = [client.post("/api/v1/pools", json={}).status_code for _ in range(4)]
    assert statuses == [422, 422, 422, 429]
    answer = client.post("/api/v1/pools", json={})
    assert 1 <= int(answer.headers["retry-after"]) <= 20
    assert answer.json()["title"] == "Too many requests"
    assert client.get("/api/v1/pools").status_code == 200


@pytest.mark.parametrize(
    ("length", "status"), [(None, None), ("0", None), ("10", None), ("11", 413), ("x", 400), ("", 400)]
)
def test_lengths(length, status):
    problem = length_problem(length, 10)
    assert (problem and problem[0]) == status


def test_bodies_are_counted_as_they_come(served):
    app = served(max_body=1000)
    json = [HERE, (b"content-type", b"application/json")]
    assert ask(app, path="/api/v1/pools", method="POST", headers=json, body=[b"x" * 400] * 3)[0] == 413
    assert ask(app, path="/api/v1/pools", method="POST", headers=json, body=[b"x" * 400] * 2)[0] == 422
    assert ask(app, path="/login", method="POST", headers=[HERE], body=[b"x" * 600] * 2)[0] == 413
    lies = [*json, (b"content-length", b"10")]
    assert ask(app, path="/api/v1/pools", method="POST", headers=lies, body=[b"x" * 2000])[0] == 413


def test_a_body_that_does_not_end_is_refused():
    async def slow():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"a", "more_body": True}

    async def all_of(body):
        while True:
            await body()

    async def read():
        body = CountedBody(slow, 1000, seconds=0.05)
        with pytest.raises(HTTPException) as refused:
            await all_of(body)
        body.answered = True
        return refused.value, await body()

    refused, after = asyncio.run(read())
    assert (refused.status_code, refused.headers) == (408, {"connection": "close"})
    assert after == {"type": "http.disconnect"}


def test_once_a_body_is_whole_there_is_time():
    waits = iter((0.0, 0.06, 0.06))

    async def message():
        if wait := next(waits):
            await asyncio.sleep(wait)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def read():
        body = CountedBody(message, 1000, seconds=0.05)
        return [await body() for _ in range(3)]

    assert len(asyncio.run(read())) == 3


def test_swallowing_ends():
    async def receive():
        taken.append(1)
        return {"type": "http.request", "body": b"x" * 1_000_000, "more_body": True}

    taken = []
    asyncio.run(swallow(receive))
    assert len(taken) == SWALLOWED // 1_000_000 + 1


def test_nothing_is_refused_once_the_answer_has_begun():
    async def receive():
        return {"type": "http.request", "body": b"x" * 20, "more_body": True}

    body = CountedBody(receive, 10)
    body.answered = True
    assert asyncio.run(body()) == {"type": "http.disconnect"}


@pytest.fixture
def failing(shared_library):
    """An application with routes that fail in ways nobody foresaw."""
    app = create_app(WebConfig(db=""), shared_library)

    def fails():
        raise RuntimeError("/srv/anna/secret.key is odd")

    async def breaks_off(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("half way")

    app.add_api_route("/api/v1/fails", fails)
    app.add_api_route("/fails", fails)
    app.mount("/breaks", breaks_off)
    return LocalClient(app, raise_server_exceptions=False)


def test_what_nobody_foresaw_is_logged_and_not_told(failing, caplog):
    answer = failing.get("/api/v1/fails")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == PROBLEM
    assert answer.headers["x-content-type-options"] == "nosniff"
    id = answer.json()["detail"].rsplit(" ", 1)[-1]
    assert "anna" not in answer.text
    assert "Traceback" not in answer.text
    assert id in caplog.text
    assert "secret.key is odd" in caplog.text
    page = failing.get("/fails", headers={"accept": "text/html"})
    assert page.status_code == 500
    assert "text/html" in page.headers["content-type"]
    assert "anna" not in page.text
    assert failing.head("/api/v1/fails").status_code == 500


def test_an_answer_that_has_begun_is_broken_off(failing):
    with pytest.raises(RuntimeError, match="half way"):
        ask(failing.app, path="/breaks/x", headers=[HERE])


def test_reads_are_not_counted_and_a_proxys_clients_are_told_apart(served, tmp_path):
    app = served(rate=1, tokens=tmp_path / "none.json", proxies=("127.0.0.1",))

    def status(address, method="POST"):
        return ask(app, path="/login", method=method, headers=[HERE, (b"x-forwarded-for", address)])[0]

    assert [status(b"1.1.1.1"), status(b"1.1.1.1"), status(b"2.2.2.2")] == [401, 429, 401]
    assert [status(b"1.1.1.1", "GET") for _ in range(3)] == [200, 200, 200]


def test_metrics_know_the_route_of_a_head(served):
    scope = ask(served(), path="/healthz", method="HEAD", headers=[HERE])[3]
    assert scope["method"] == "HEAD"
    assert scope["route"].path == "/healthz"
