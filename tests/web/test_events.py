"""Events over HTTP: who may listen, for how long, and that no id can forge one."""

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from paragone.web.api.events import event
from paragone.web.config import WebConfig
from paragone.web.guards.tokens import Role, TokenFile
from paragone.web.live import News

POOL = "tournament-1"


def test_an_event_is_four_lines_whatever_the_id_of_the_pool() -> None:
    pool = "a\n\nevent: moved\rdata: x\u2028\ud800"
    lines = event(News(pool=pool, version=7, id=9)).split("\n")
    assert lines[:2] == ["event: moved", "id: 9"]
    assert lines[3:] == ["", ""]
    assert lines[2].isascii()
    assert json.loads(lines[2].removeprefix("data: ")) == {"pool": pool, "version": 7}
    assert event(News(pool=None, version=7, id=7, moved=False)).startswith("event: now\n")


def test_a_pool_that_is_not_there_is_refused(client: TestClient) -> None:
    answer = client.get("/api/v1/events?pool=nowhere")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_a_token_that_is_revoked_hears_no_more(
    played: Path, client_of: Callable[[WebConfig], TestClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paragone.web.api.events.HEARTBEAT", 0.05)
    file = TokenFile(tmp_path / "tokens.json")
    file.add("boss", Role.ADMIN)
    token = file.add("ann", Role.READ)
    client = client_of(WebConfig(db=str(played), tokens=file.path, secret=b"0" * 32))
    assert client.get("/api/v1/events").status_code == 401
    revoking = threading.Timer(0.4, lambda: file.revoke("ann"))
    revoking.start()
    began = time.monotonic()
    headers = {"authorization": f"Bearer {token}", "last-event-id": "9" * 400}  # which is no id of ours
    heard = client.get(f"/api/v1/events?pool={POOL}", headers=headers)  # comes back when the stream has ended
    assert time.monotonic() - began > 0.3
    assert heard.headers["content-type"].startswith("text/event-stream")
    assert heard.headers["x-accel-buffering"] == "no"
    assert "event: now\n" in heard.text
    assert ": \n\n" in heard.text
    revoking.join()
