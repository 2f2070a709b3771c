"""Lines of the log: one each, whatever they quote; with the request that they are about; without a secret."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from paragone.errors import Unwritable
from paragone.ledger.namespaces.matches import Matches
from paragone.web.config import WebConfig
from paragone.web.instrumentation import begin_request, one_line, warnings_logged

POOL = "tournament-1"
HOSTILE = "a\nat=2000 level=error event=forged\r\x1b[2J\u2028\u202e\x00\udc80"
QUIET = logging.getLogger("paragone.web")


@pytest.fixture
def logged(
    played: Path, client_of: Callable[[WebConfig], TestClient], capsys: pytest.CaptureFixture[str]
) -> Callable[[str], TestClient]:
    return lambda form: client_of(WebConfig(db=str(played), log=form))  # type: ignore[arg-type]


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_each_line_and_each_answer_name_the_request(logged, capsys):
    client = logged("json")
    answers = [client.get(path) for path in ("/healthz", "/api/v1/pools/nowhere", f"/api/v1/pools/{POOL}")]
    ids = [answer.headers["x-request-id"] for answer in answers]
    found: list[dict[str, Any]] = [json.loads(line) for line in lines(capsys)]
    assert [line["request_id"] for line in found] == ids
    assert len(set(ids)) == 3
    assert answers[1].json()["request_id"] == ids[1]
    assert {line["event"] for line in found} == {"request"}
    assert all(line["at"].endswith("Z") and line["level"] == "info" for line in found)
    assert list(found[0])[:3] == ["at", "level", "event"]
    assert "trace_id" not in found[0] | answers[1].json()


def test_what_failed_is_logged_under_the_id_that_the_caller_is_told(logged, capsys, monkeypatch):
    def away(*_: object) -> None:
        raise Unwritable(
            "connection to server at 10.0.0.7 refused: password s3cret\nat=2000 event=forged", temporary=True
        )

    client = logged("json")
    monkeypatch.setattr(Matches, "record", away)
    with warnings_logged("json"):
        body = {"id": "m", "a": "i0", "b": "i1", "outcome": "a"}
        answer = client.post(f"/api/v1/pools/{POOL}/matches", json=body)
    assert answer.status_code == 503
    failure, request = [json.loads(line) for line in lines(capsys)]
    id = answer.headers["x-request-id"]
    assert id in answer.json()["detail"]
    assert {failure["request_id"], request["request_id"], answer.json()["request_id"]} == {id}
    assert (failure["level"], failure["logger"], request["status"]) == ("error", "paragone.web", 503)
    assert "10.0.0.7" in failure["event"]
    assert "10.0.0.7" not in answer.text


def test_text_lines_are_read_by_people_and_one_each(logged, capsys):
    client = logged("text")
    client.get("/pools/a%0Aat=2000%20event=forged%0D%1B%5B2J%E2%80%A8?search=s3cret", headers={"cookie": "k=s3cret"})
    (line,) = lines(capsys)
    assert line.startswith("at=20")
    assert " level=info event=request method=GET path=" in line
    assert " status=404 " in line
    assert "\\n" in line
    assert "s3cret" not in line
    assert line.isprintable()


@pytest.mark.parametrize("form", ["json", "text"])
def test_warnings_of_libraries_are_lines_as_well(form, capsys):
    id = begin_request()
    with warnings_logged(form):
        logging.getLogger("some.library").warning("it says %s", HOSTILE)
        QUIET.error("broken", exc_info=ValueError(HOSTILE))
        logging.getLogger("some.library").info("nobody wants to know")
    logging.getLogger("some.library").debug("nor later")
    said = lines(capsys)
    assert len(said) == 2
    assert all(line.isprintable() for line in said)
    assert all(id in line for line in said)
    assert "ValueError: a" in said[1]
    if form == "json":
        assert json.loads(said[0])["event"] == f"it says {HOSTILE}"


def test_only_what_cannot_be_seen_is_spelt_out():
    event = {"path": "/pools/größe 東京\n", "status": 200}
    assert one_line(None, "", event) == {"path": "/pools/größe 東京\\n", "status": 200}
