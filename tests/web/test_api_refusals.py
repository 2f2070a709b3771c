"""What is answered where nothing can be done: in words, with what may be asked instead."""

import hashlib
from typing import Any

import pytest
from fastapi.testclient import TestClient

from paragone.web.views.cursors import cursor

AT = "/api/v1/pools/tournament-1"
POOL = {"name": "ideas", "criteria": "better", "items": [{"text": "one"}, {"text": "two"}]}


def refused(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()
    assert (said["type"], said["status"]) == ("about:blank", status)
    return str(said["detail"])


def test_an_address_with_nothing_at_it_says_where_all_are_named(shared_client: TestClient) -> None:
    for path in ("/api/v1", "/api/v1/poools", f"{AT}/bored"):
        assert "/api/v1/openapi.json" in refused(shared_client.get(path), 404)


def test_what_is_not_done_at_an_address_is_refused_with_all_that_is(shared_client: TestClient) -> None:
    answer = shared_client.delete("/api/v1/pools")
    assert "DELETE is not allowed here" in refused(answer, 405)
    assert answer.headers["allow"] == "GET, HEAD, POST, OPTIONS"
    assert shared_client.put(f"{AT}/votes").headers["allow"] == "POST, OPTIONS"
    asked = shared_client.options("/api/v1/pools")
    assert (asked.status_code, asked.headers["allow"], asked.content) == (204, "GET, HEAD, POST, OPTIONS", b"")
    assert shared_client.options("/api/v1/poools").status_code == 404


def test_a_body_of_another_kind_is_named_and_what_is_no_json_is_shown_where(shared_client: TestClient) -> None:
    form = shared_client.post("/api/v1/pools", data={"name": "ideas"})
    assert "application/x-www-form-urlencoded" in refused(form, 415)
    assert form.headers["accept-post"] == "application/json"
    broken = shared_client.post("/api/v1/pools", content=b'{"name": }', headers={"content-type": "application/json"})
    assert "invalid JSON at character 9" in refused(broken, 422)
    typed = shared_client.post("/api/v1/pools", content=b"{}", headers={"content-type": "application/merge-patch+json"})
    assert "body.name" in refused(typed, 422)
    assert "body" in refused(shared_client.post("/api/v1/pools"), 422)


@pytest.mark.parametrize(
    ("body", "headers", "words"),
    [
        (b'{"name": "\xe9"}', {}, "is not UTF-8: byte 11 is 0xe9"),
        (b"\x1f\x8b\x08", {"content-encoding": "gzip"}, "the body is encoded (gzip)"),
        (b"[" * 100_000, {}, "nested too deeply"),
    ],
)
def test_a_body_that_cannot_even_be_parsed_is_refused_with_the_reason(
    shared_client: TestClient, body: bytes, headers: dict[str, str], words: str
) -> None:
    headers = {"content-type": "application/json", **headers}
    assert words in refused(shared_client.post("/api/v1/pools", content=body, headers=headers), 400)


def test_what_a_value_must_be_is_said_in_plain_words(shared_client: TestClient) -> None:
    assert refused(shared_client.post("/api/v1/pools", json=[]), 422) == "body: must be an object"
    wrong = {"name": "", "criteria": "better", "items": [{"text": "one"}]}
    assert refused(shared_client.post("/api/v1/pools", json=wrong), 422) == (
        "body.name: must not be empty; body.items: must have at least 2 items, not 1"
    )


@pytest.mark.parametrize(("path", "there"), [("board", "by, cursor, descending, limit"), ("status", "there are none")])
def test_a_parameter_that_is_not_there_is_refused_with_those_that_are(
    shared_client: TestClient, path: str, there: str
) -> None:
    said = refused(shared_client.get(f"{AT}/{path}", params={"limmit": 3}), 422)
    assert "no parameter 'limmit' here" in said
    assert there in said


@pytest.mark.parametrize("listing", ["items", "matches", "board", "tasks", "anomalies", "items/i1/matches"])
def test_a_cursor_that_somebody_made_up_is_refused(shared_client: TestClient, listing: str) -> None:
    for place in (["no number"], [], [10**400], [None, None, None, None], [{}]):
        for named in (("tasks", "tournament-1"), ("items", "tournament-1"), ("elo", "tournament-1")):
            body = cursor(named, place)  # type: ignore[arg-type]
            forged = hashlib.sha256(b"guessed").hexdigest()[:11] + body[11:]
            assert "altered" in refused(shared_client.get(f"{AT}/{listing}", params={"cursor": forged}), 422)


def test_a_pool_is_made_once_for_each_key(client: TestClient) -> None:
    def ask(key: str | None, **changes: Any) -> Any:
        headers = {} if key is None else {"idempotency-key": key}
        return client.post("/api/v1/pools", json={**POOL, **changes}, headers=headers)

    first, again = ask("k-1"), ask("k-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert first.headers["location"] == again.headers["location"] == "/api/v1/pools/ideas-1"
    for changes in ({"criteria": "worse"}, {"name": "others"}, {"seed": 3}):
        assert "'k-1' was used for ideas-1" in refused(ask("k-1", **changes), 409)
    assert [ask(key).json()["id"] for key in ("k-2", None, None)] == ["ideas-2", "ideas-3", "ideas-4"]
    assert "idempotency-key" in refused(ask("a b"), 422)
    assert [pool["id"] for pool in client.get("/api/v1/pools").json()["pools"]][-2:] == ["ideas-1", "tournament-1"]
    assert client.post("/api/v1/pools/ideas-1/audit").json()["ok"]


@pytest.mark.parametrize("path", ["items?limit=3", "matches", "matches/1.1", "items/i1/matches"])
def test_what_somebody_has_is_sent_again_only_when_the_pool_has_moved(client: TestClient, path: str) -> None:
    first = client.get(f"{AT}/{path}")
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    same = client.get(f"{AT}/{path}", headers={"if-none-match": f'"other", {tag}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert client.get(f"{AT}/matches/1.2", headers={"if-none-match": tag}).status_code == 200
    assert client.get(f"{AT}/matches/none", headers={"if-none-match": tag}).status_code == 404
    client.post(f"{AT}/matches", json={"id": "new", "a": "i1", "b": "i2", "outcome": "a"})
    anew = client.get(f"{AT}/{path}", headers={"if-none-match": tag})
    assert (anew.status_code, anew.headers["etag"] != tag) == (200, True)
