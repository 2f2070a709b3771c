"""Events over HTTP: who may listen, for how long, and that no id can forge one."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from local_server import soon
from paragone.ledger import Ledger
from paragone.ledger.namespaces.pools import Pools
from paragone.web.api.events import event
from paragone.web.app import begin_to_end
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.wire.event import Event

POOL = "tournament-1"


def test_an_event_is_four_lines_whatever_the_id_of_the_pool() -> None:
    pool = "a\n\nevent: moved\rdata: x\u2028\ud800"
    lines = event(Event(pool=pool, version=7, id=9)).split("\n")
    assert lines[:2] == ["event: moved", "id: 9"]
    assert lines[3:] == ["", ""]
    assert lines[2].isascii()
    assert json.loads(lines[2].removeprefix("data: ")) == {"pool": pool, "version": 7}
    assert event(Event(pool=None, version=7, id=7, moved=False)).startswith("event: now\n")


def test_a_pool_that_is_not_there_is_refused(client: TestClient) -> None:
    answer = client.get("/api/v1/events?pool=nowhere")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_a_token_that_is_revoked_hears_no_more(
    played: Path, client_of: Callable[[WebConfig], TestClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paragone.web.api.events.HEARTBEAT", 0.02)
    file = TokenFile(tmp_path / "tokens.json")
    file.add("boss", Role.ADMIN)
    token = file.add("ann", Role.READ)
    client = client_of(WebConfig(db=str(played), tokens=file.path, secret=b"0" * 32))
    assert client.get("/api/v1/events").status_code == 401
    listened: list[float] = []

    def revoke() -> None:
        assert soon(lambda: bool(client.app.state.stream_limit._open))  # type: ignore[attr-defined]
        listened.append(time.monotonic())
        time.sleep(0.1)  # some heartbeats
        file.revoke("ann")

    revoking = threading.Thread(target=revoke)
    revoking.start()
    headers = {"authorization": f"Bearer {token}", "last-event-id": "9" * 400}  # which is no id of ours
    heard = client.get(f"/api/v1/events?pool={POOL}", headers=headers)  # comes back when the stream has ended
    assert time.monotonic() - listened[0] > 0.1
    assert heard.headers["content-type"].startswith("text/event-stream")
    assert heard.headers["x-accel-buffering"] == "no"
    assert "event: now\n" in heard.text
    assert ": \n\n" in heard.text
    revoking.join()
    assert not client.app.state.stream_limit._open  # type: ignore[attr-defined]


def test_those_who_come_at_once_are_counted_before_they_hear(
    client: TestClient, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paragone.web.api.events.HEARTBEAT", 0.05)
    crowd = client.app.state.stream_limit  # type: ignore[attr-defined]
    monkeypatch.setattr(crowd, "_most", 2)
    waiting, free = [], threading.Event()
    version = Pools.version

    def slow(ledger: Ledger, pool: str) -> int | None:
        waiting.append(pool)
        free.wait(20)
        return version(ledger, pool)

    monkeypatch.setattr(Pools, "version", slow)
    with ThreadPoolExecutor(5) as many:
        listeners = [many.submit(client.get, f"/api/v1/events?pool={POOL}") for _ in range(5)]
        assert soon(lambda: len(waiting) == 5)  # all of them were let in
        free.set()
        assert soon(lambda: sum(one.done() for one in listeners) == 3)
        begin_to_end(client.app)  # type: ignore[arg-type]
        assert sorted(one.result().status_code for one in listeners) == [200, 200, 429, 429, 429]
    assert not crowd._open


def test_a_file_of_tokens_that_cannot_be_trusted_ends_streams(
    played: Path, client_of: Callable[[WebConfig], TestClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paragone.web.api.events.HEARTBEAT", 0.02)
    file = TokenFile(tmp_path / "tokens.json")
    token = file.add("ann", Role.READ)
    client = client_of(WebConfig(db=str(played), tokens=file.path, secret=b"0" * 32))

    def spoil() -> None:
        assert soon(lambda: bool(client.app.state.stream_limit._open))  # type: ignore[attr-defined]
        file.path.write_text("nothing", "utf-8")

    spoiling = threading.Thread(target=spoil)
    spoiling.start()
    heard = client.get("/api/v1/events", headers={"authorization": f"Bearer {token}"})
    spoiling.join()
    assert (heard.status_code, "retry: " in heard.text) == (200, True)
