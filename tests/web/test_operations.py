"""What whoever runs a server asks it: does it live, is it ready, what has it counted, what does its log say."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from local_server import soon
from paragone.errors import EmbeddingFailed, Unwritable
from paragone.ledger import Ledger
from paragone.ledger.namespaces.pools import Pools
from paragone.web.app import begin_to_end
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile

POOL = "tournament-1"


def metrics(client: TestClient) -> dict[str, float]:
    """The value of each metric, by its name with its labels."""
    lines = client.get("/metrics").text.splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_it_lives_whatever_the_database_does(
    played: Path,
    client_of: Callable[[WebConfig], TestClient],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    versions, is_away = Pools.versions, False

    def asked(ledger: Ledger) -> dict[str, int]:
        if is_away:
            raise Unwritable("connection to server at 10.0.0.7 refused")
        return versions(ledger)

    monkeypatch.setattr(Pools, "versions", asked)
    client = client_of(WebConfig(db=str(played)))
    assert (client.get("/readyz").status_code, client.get("/readyz").text) == (200, "ready\n")
    is_away = True
    assert client.get("/healthz").text == "ok\n"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["detail"] == "the database cannot be reached"
    (reason,) = caplog.messages
    assert reason == f"{answer.headers['x-request-id']}: Unwritable: connection to server at 10.0.0.7 refused"
    assert metrics(client)["paragone_database_up"] == 0


def test_a_database_that_hangs_is_asked_once_however_often_somebody_looks(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, free = [], threading.Event()

    def hang(_: Ledger) -> dict[str, int]:
        asked.append(1)
        free.wait(30)
        return {}

    monkeypatch.setattr("paragone.web.api.operations.PATIENCE", 0.05)
    monkeypatch.setattr(Pools, "versions", hang)
    assert [client.get("/readyz").status_code for _ in range(3)] == [503] * 3
    assert len(asked) == 1
    free.set()
    assert soon(lambda: client.get("/readyz").status_code == 200)


def test_who_is_about_to_end_is_not_ready_and_lets_listeners_go(client: TestClient) -> None:
    begin_to_end(client.app)  # type: ignore[arg-type]
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200
    assert client.get("/api/v1/events").text == "retry: 2000\n\n"  # which would go on for ever


def test_requests_are_counted_by_route_and_no_text_of_theirs_becomes_a_label(client: TestClient) -> None:
    client.get(f"/api/v1/pools/{POOL}")
    client.get("/api/v1/pools/s3cret%22%7D%0Aevil")
    client.get("/s3cret")
    client.request("S3CRET", "/healthz")
    client.get(f"/pools/{POOL}?by=elo")
    found = metrics(client)
    route = "/api/v1/pools/{pool}"
    assert found[f'paragone_requests_total{{method="GET",route="{route}",status="200"}}'] == 1
    assert found[f'paragone_requests_total{{method="GET",route="{route}",status="404"}}'] == 1
    assert found['paragone_requests_total{method="GET",route="unmatched",status="404"}'] == 1
    assert found['paragone_requests_total{method="GET",route="/pools/{pool}",status="200"}'] == 1
    assert found[f'paragone_request_seconds_count{{route="{route}"}}'] == 2
    assert not [name for name in found if "s3cret" in name.lower()]
    assert (found["paragone_pools"], found["paragone_database_up"]) == (1, 1)
    assert found["paragone_commits"] == client.get(f"/api/v1/pools/{POOL}").json()["version"]


def test_votes_are_counted_once_however_often_they_are_sent(client: TestClient) -> None:
    given = {"name": "v", "criteria": "c", "items": [{"text": "a"}, {"text": "b"}, {"text": "c"}], "seed": 1}
    pool = client.post("/api/v1/pools", json=given).json()["id"]
    offer = client.get(f"/api/v1/pools/{pool}/votes/next?voter=ann").json()["pair"]["offer"]
    body = {"offer": offer, "choice": "first", "voter": "ann"}
    codes = [client.post(f"/api/v1/pools/{pool}/votes", json=body).status_code for _ in range(3)]
    assert codes == [201, 200, 200]
    assert metrics(client)["paragone_votes_total"] == 1


def test_what_was_counted_by_route_is_for_admins_and_the_rest_for_whoever_sees_all_pools(
    played: Path, client_of: Callable[[WebConfig], TestClient], tmp_path: Path
) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    tokens = {role: file.add(role.name.lower(), role) for role in Role}
    client = client_of(WebConfig(db=str(played), tokens=file.path, secret=b"0" * 32))
    client.get(f"/api/v1/pools/{POOL}")
    answers = {
        role: client.get("/metrics", headers={"authorization": f"Bearer {token}"}) for role, token in tokens.items()
    }
    assert {answer.status_code for answer in answers.values()} == {200}
    names = {
        role: {family.name.removesuffix("_created") for family in text_string_to_metric_families(answer.text)}
        for role, answer in answers.items()
    }
    assert names[Role.READ] == names[Role.VOTE] == names[Role.JUDGE]
    assert names[Role.ADMIN] - names[Role.READ] == {"paragone_requests", "paragone_request_seconds"}
    assert {"paragone_database_up", "paragone_database_errors", "paragone_votes", "paragone_info"} < names[Role.READ]
    assert "route=" not in answers[Role.READ].text
    assert client.get("/metrics").status_code == 401
    assert client.get("/healthz").status_code == client.get("/readyz").status_code == 200


def test_the_log_has_no_queries_no_headers_and_no_bodies(
    played: Path, client_of: Callable[[WebConfig], TestClient], capsys: pytest.CaptureFixture[str]
) -> None:
    client = client_of(WebConfig(db=str(played), log="json"))
    client.get(f"/api/v1/pools/{POOL}/board?search=s3cret", headers={"authorization": "Bearer s3cret"})
    client.post(f"/api/v1/pools/{POOL}/matches", json={"id": "s3cret"})
    lines: list[dict[str, Any]] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("GET", "/api/v1/pools/{pool}/board", 200),
        ("POST", "/api/v1/pools/{pool}/matches", 422),
    ]
    assert lines[0]["path"] == f"/api/v1/pools/{POOL}/board"
    assert all(line["bytes"] > 0 and line["seconds"] > 0 and line["client"] for line in lines)
    assert "s3cret" not in json.dumps(lines)


def test_failures_of_the_database_are_counted_and_refusals_are_not(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/api/v1/pools/nowhere")
    assert metrics(client)["paragone_database_errors_total"] == 0

    def away(_: Ledger, __: str) -> int:
        raise Unwritable("gone")

    monkeypatch.setattr(Pools, "version", away)
    client.get(f"/api/v1/pools/{POOL}")
    assert metrics(client)["paragone_database_errors_total"] == 1

    def elsewhere(_: Ledger, __: str) -> int:
        raise EmbeddingFailed("no answer")

    monkeypatch.setattr(Pools, "version", elsewhere)
    assert client.get(f"/api/v1/pools/{POOL}").status_code == 500
    assert metrics(client)["paragone_database_errors_total"] == 1
