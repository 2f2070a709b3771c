"""Bodies, ids, paths and texts that mean harm: over the API, in exports, and at the socket of a server that runs."""

import csv
import io
import json
import shutil
import socket
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from local_client import LocalClient
from local_server import served_in_thread
from paragone.web.app import create_app
from paragone.web.config import WebConfig

POOL = "/api/v1/pools/tournament-1"
JSON = {"content-type": "application/json"}
NUL, HALF = "a\0b", "a\ud800b"


def pool(**more):
    return {"name": "n", "criteria": "c", "items": [{"text": "one"}, {"text": "two"}], **more}


def match(**more):
    return {"id": "m", "a": "i0", "b": "i1", "outcome": "a", **more}


def answered(**more):
    return {"id": "m", "a": "i0", "b": "i1", "answers": [{"first": "i0", "choice": "first", **more}]}


def task(**more):
    return {"id": "t", "task_type": "GlobalRanking", **more}


def bodies(bad):
    """Bodies with a text that cannot be, in each place where a text may stand."""
    yield "/api/v1/pools", pool(name=bad)
    yield "/api/v1/pools", pool(criteria=bad)
    yield "/api/v1/pools", pool(items=[{"text": "one"}, {"text": bad}])
    yield "/api/v1/pools", pool(items=[{"text": "one"}, {"text": "two", "id": bad}])
    yield f"{POOL}/items", {"items": [{"text": bad}]}
    yield f"{POOL}/items", {"items": [{"text": "x", "id": bad}]}
    yield f"{POOL}/matches", match(id=bad)
    yield f"{POOL}/matches", answered(judge=bad)
    yield f"{POOL}/matches", answered(rationale=bad)
    yield f"{POOL}/matches", answered(scores=[{"criterion": bad, "first": 1, "second": 0}])
    yield f"{POOL}/matches/1.1/rollback", {"reason": bad}
    yield f"{POOL}/tasks", task(id=bad)


def refused(client, path, body):
    text = json.dumps(body) if isinstance(body, dict) else body
    answer = client.post(path, content=text, headers=JSON)
    assert answer.headers["content-type"] == "application/problem+json", (path, text[:80])
    told = answer.json()
    assert told["status"] == answer.status_code
    assert len(told["detail"]) > 10
    return answer.status_code


@pytest.fixture(scope="module")
def unharmed(played_once, tmp_path_factory) -> Iterator[TestClient]:
    """A client whose every write is refused, without a limit on how often."""
    db = shutil.copy(played_once, tmp_path_factory.mktemp("unharmed") / "played.db")
    app = create_app(WebConfig(db=str(db), rate=10**9))
    with LocalClient(app) as client:
        versions = app.state.reader.ledger.pools.versions
        before = versions()
        yield client
        assert versions() == before


@pytest.mark.parametrize("bad", [NUL, HALF])
def test_texts_that_no_database_holds_are_refused_with_words(unharmed, bad):
    for path, body in bodies(bad):
        assert refused(unharmed, path, body) == 422, (path, body)
    assert unharmed.get(POOL).json()["matches"] == 40
    assert unharmed.post("/api/v1/audit").json()["ok"]


def test_the_same_on_postgresql(ledger_url, client_of):
    client = client_of(WebConfig(db=ledger_url()))
    made = client.post("/api/v1/pools", json=pool(name="tournament")).json()["id"]
    assert made == "tournament-1"
    some = [pair for pair in bodies(NUL) if "rollback" not in pair[0]]
    for path, body in [
        (path, json.loads(json.dumps(body).replace("i0", "one").replace("i1", "two"))) for path, body in some
    ]:
        assert refused(client, path, body) == 422, (path, body)
    for path in (f"{POOL}/items/%00", f"{POOL}/matches/~AA", "/api/v1/pools/%00", f"{POOL}/items/%ED%A0%80"):
        assert client.get(path).status_code == 404, path
    assert client.get(f"{POOL}/board", params={"search": NUL}).status_code in {200, 422}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[]",
        "null",
        "5",
        '"x"',
        "{",
        "{}",
        '{"name": NaN}',
        '{"name": 1e999}',
        '{"name": -Infinity}',
        "\ufeff{}",
        '{"name": ' + "9" * 6000 + "}",
        '{"name": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "[" * 300_000,
        '{"\\ud800": 1}',
        '{"a":' * 5000 + "1" + "}" * 5000,
        '{"name": "n", "criteria": "c", "items": [' + "5," * 50_000 + "5]}",
        "\x00",
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_no_json_fails(unharmed, text):
    for path in ("/api/v1/pools", f"{POOL}/items", f"{POOL}/matches", f"{POOL}/tasks", f"{POOL}/matches/1.1/rollback"):
        assert refused(unharmed, path, text) in {400, 422}, path


def test_no_bytes_fail(unharmed):
    for content in (b"\xff\xfe{", b"\x80", b'{"name": "\xed\xa0\x80"}', b"{" + b"\0" * 50 + b"}"):
        for kind in (
            "application/json",
            "application/json; charset=utf-16",
            "text/plain",
            "multipart/form-data",
            "\xff",
        ):
            answer = unharmed.post("/api/v1/pools", content=content, headers={b"content-type": kind.encode("latin-1")})
            assert answer.status_code in {400, 415, 422}


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1e999", "1" + "0" * 400, "-" + "9" * 30])
def test_no_number_fails(unharmed, value):
    for path, body in (
        (f"{POOL}/matches", match(confidence="@")),
        (f"{POOL}/matches", answered(probability="@")),
        (f"{POOL}/matches", answered(cost="@", seconds="@")),
        (f"{POOL}/matches", answered(input_tokens="@")),
        ("/api/v1/pools", pool(seed="@")),
        ("/api/v1/pools", pool(top="@")),
        ("/api/v1/pools", pool(level="@")),
        (f"{POOL}/tasks", task(priority="@")),
        (f"{POOL}/tasks", task(context={"a": "@"}, tournament_parameters={"b": "@"})),
    ):
        answer = unharmed.post(path, content=json.dumps(body).replace('"@"', value), headers=JSON)
        assert answer.status_code < 500, (path, body, answer.text)
    assert unharmed.get(f"{POOL}/tasks").status_code == 200


def odd_paths():
    odd = [
        "%00",
        "%2e%2e",
        "..%2f..%2fetc%2fpasswd",
        "%5c",
        "%ff%fe",
        "%ED%A0%80",
        "~",
        "~AA",
        "~!!",
        "~" + "A" * 4000,
        "%25%30%30",
        "'; drop table pools; --",
        "%E2%80%AE",
        "\\..\\x",
        "{{7*7}}",
    ]
    for one in odd:
        yield from (f"/pools/{one}", f"/api/v1/pools/{one}", f"{POOL}/items/{one}", f"{POOL}/matches/{one}")
        yield from (
            f"/assets/{one}/board.css",
            f"/assets/0/{one}",
            f"/{one}",
            f"/api/v1/events/{one}",
            f"{POOL}/tasks/{one}",
        )


def test_no_path_leads_elsewhere(shared_client):
    for path in odd_paths():
        answer = shared_client.get(path)
        assert answer.status_code in {404, 405, 422}, path
        assert "root:" not in answer.text
        assert "import " not in answer.text


def test_no_parameter_fails(shared_client):
    """Of those that there are; the others are refused whatever they hold."""
    parameters = {
        f"{POOL}/board": ("by", "sort", "descending", "search", "limit", "cursor"),
        f"{POOL}/matches": ("item", "judge", "outcome", "words", "limit", "cursor"),
        "/pools/tournament-1": ("by", "sort", "descending", "q", "page"),
        f"{POOL}/exports/items": ("format", "other"),
    }
    for value in ("%00", "%ED%A0%80", "%25_%5C", "9" * 400, "-1", "NaN", "AAAA"):
        for path, names in parameters.items():
            for name in names:
                assert shared_client.get(f"{path}?{name}={value}").status_code in {200, 422}, (path, name, value)


def test_a_refusal_is_short_however_much_was_wrong(unharmed):
    answer = unharmed.post("/api/v1/pools", json={"name": "n", "criteria": "c", "items": ["x"] * 50_000})
    assert answer.status_code == 422
    assert len(answer.content) < 10_000


def test_exports_hold_nothing_that_a_spreadsheet_runs(client):
    evil = [
        "=cmd|'/c calc'!A0",
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\n=1",
        "\r=1",
        "a\n=1",
        '","=1',
        "<script>",
        "\u202e=1",
    ]
    made = client.post("/api/v1/pools", json=pool(items=[{"text": text, "id": f"k{n}"} for n, text in enumerate(evil)]))
    id = made.json()["id"]
    answer = client.get(f"/api/v1/pools/{id}/exports/items")
    assert answer.headers["content-disposition"] == 'attachment; filename="items.csv"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == len(evil)
    assert not [row for row in rows if row["text"].startswith(("=", "+", "-", "@", "\t", "\n", "\r"))]
    lines = client.get(f"/api/v1/pools/{id}/exports/items", params={"format": "jsonl"}).text.splitlines()
    assert sorted(json.loads(line)["text"] for line in lines) == sorted(evil)  # programs get it to the letter


@pytest.fixture(scope="module")
def server(played_once, tmp_path_factory) -> Iterator[tuple[str, int]]:
    """The address of a server that runs."""
    db = tmp_path_factory.mktemp("socket") / "played.db"
    db.write_bytes(played_once.read_bytes())
    with served_in_thread(WebConfig(db=str(db), max_body=100_000)) as running:
        yield running.address


def say(server, raw: bytes) -> bytes:
    """What a server answers to bytes, until it closes."""
    with socket.create_connection(server, timeout=20) as to:
        to.sendall(raw)
        heard = b""
        while got := to.recv(65_536):
            heard += got
        return heard


def status(heard: bytes) -> int:
    return int(heard.split(b" ", 2)[1])


HOST = b"Host: 127.0.0.1\r\nConnection: close\r\n"


def test_at_the_socket_hosts_are_checked(server):
    for raw, expected in (
        (b"GET /healthz HTTP/1.1\r\n" + HOST, 200),
        (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n", 421),
        (b"GET /healthz HTTP/1.0\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n" + HOST, 400),
        (b"GET http://evil.example/healthz HTTP/1.1\r\n" + HOST, 400),
        (b"OPTIONS * HTTP/1.1\r\n" + HOST, 400),
        (b"CONNECT evil.example:80 HTTP/1.1\r\n" + HOST, 400),
        (b"TRACE / HTTP/1.1\r\n" + HOST, 405),
        (b"HEAD /api/v1/events HTTP/1.1\r\n" + HOST, 200),
        (b"GET /\x00 HTTP/1.1\r\n" + HOST, 400),
        (b"GET /%00 HTTP/1.1\r\n" + HOST, 404),
        (b"GET /../../etc/passwd HTTP/1.1\r\n" + HOST, 404),
        (b"GET /?" + b"a" * 9000 + b" HTTP/1.1\r\n" + HOST, 414),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000 + b"\r\n" + HOST, 431),
        (b"POST /api/v1/audit HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n" + HOST, 400),
    ):
        heard = say(server, raw + b"\r\n")
        assert status(heard) == expected, raw[:60]
        assert b"\r\nserver:" not in heard.lower()


@pytest.mark.parametrize("size", [100_001, 3_000_000])
def test_at_the_socket_a_body_that_is_too_long_is_answered(server, size):
    line = b"POST /api/v1/pools HTTP/1.1\r\nContent-Type: application/json\r\n" + HOST
    whole = say(server, line + b"Content-Length: %d\r\n\r\n" % size + b" " * size)
    chunk = b"%x\r\n" % 50_000 + b" " * 50_000 + b"\r\n"
    pieces = say(server, line + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * (size // 50_000 + 1) + b"0\r\n\r\n")
    for heard in (whole, pieces):
        assert status(heard) == 413
        assert b"at most 100,000 bytes" in heard


def test_what_is_said_in_two_ways_is_not_taken_for_two_requests(server):
    """A proxy may pass both on as one request, to be answered by what somebody else is waiting for."""
    inner = b"GET /api/v1/pools HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    body = b"0\r\n\r\n" + inner
    head = b"POST /api/v1/audit HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n"
    heard = say(server, head % len(body) + body)
    assert status(heard) == 400
    assert heard.count(b"HTTP/1.1 ") == 1
    assert b"tournament" not in heard


def test_who_goes_before_the_body_came_is_no_failure(server, caplog):
    for path in (b"/login", b"/logout", b"/api/v1/pools"):
        with socket.create_connection(server, timeout=20) as to:
            to.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\nabc")
    assert status(say(server, b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")) == 200
    assert not [record for record in caplog.records if record.name == "paragone.web"]


def test_whoever_waits_to_be_asked_for_a_body_is_not_asked(server):
    line = b"POST /api/v1/pools HTTP/1.1\r\nContent-Length: 900000\r\nExpect: 100-continue\r\n" + HOST + b"\r\n"
    heard = say(server, line)
    assert status(heard) == 413
    assert b"100 Continue" not in heard


def test_who_asks_a_server_that_ends_is_told_to_ask_again(played):
    app = create_app(WebConfig(db=str(played)))
    client = LocalClient(app)
    with client:
        assert client.get("/healthz").status_code == 200
    for path in ("votes/next?voter=x", "board", "status", "judges"):
        answer = client.get(f"{POOL}/{path}")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2"), path
    app.state.reader.close()


def test_texts_of_people_are_never_code_for_a_browser(client: TestClient):
    evil = "</script><script>alert(1)</script>"
    made = client.post(
        "/api/v1/pools", json=pool(name=evil, criteria=evil, items=[{"text": evil}, {"text": f"b{evil}"}])
    )
    id = made.json()["id"]
    assert "<script>alert" not in client.get(f"/pools/{id}").text
    for path in (f"/api/v1/pools/{id}", f"/api/v1/pools/{id}/items"):
        answer = client.get(path)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
