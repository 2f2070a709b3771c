"""Traces as a collector gets them from a server in a process of its own: requests, and a run that one of them began."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from local_collector import Collector, collecting
from local_server import Served, served, soon
from paragone.errors import InvalidConfig
from paragone.tournaments.tournament import Tournament
from paragone.tracing import is_traced, span
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.server.serving import serve

POOL = "tournament-1"
AT = f"/api/v1/pools/{POOL}"
CALLER = "0af7651916cd43dd8448eb211c80319c"
TEXTS = {f"i{number}": f"t3xt of {number}" for number in range(4)}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Seen"]:
    """Requests to a server that traces, and a run that it plays; it has ended, so that everything has arrived."""
    folder = tmp_path_factory.mktemp("traced")
    (folder / "strengths.csv").write_text("id,score\n" + "".join(f"i{n},{n / 2}\n" for n in range(4)))
    judge = f"simulated:{folder / 'strengths.csv'}"
    with Tournament.create(TEXTS, judge=judge, criteria="cr1teria", db=folder / "t.db", seed=1, budget=4):
        pass
    token = TokenFile(folder / "tokens.json").add("ada", Role.ADMIN)
    options = ("--tokens", str(folder / "tokens.json"), "--log", "json")
    with collecting() as collector:
        with served(folder / "t.db", "--traces", collector.url, *options, folder=folder) as server:
            found = Seen(server, collector, token)
            found.ask(f"{AT}/board?search=qu3ry", traceparent=f"00-{CALLER}-b7ad6b7169203331-01")
            found.ask("/api/v1/pools/nowhere")
            found.ask("/healthz")
            told = found.ask(f"{AT}/forecast")
            found.ask(f"{AT}/run", {"confirm": told["confirm"]})
            assert soon(lambda: found.ask(f"{AT}/live")["condition"] == "finished"), found.ask(f"{AT}/live")
            assert server.ended() == 0
        yield found


class Seen:
    """A server that traces, and what came of it."""

    def __init__(self, server: Served, collector: Collector, token: str) -> None:
        self.server, self.collector, self.token = server, collector, token
        self.answers: dict[str, dict[str, Any]] = {}

    def ask(self, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        known = {"authorization": f"Bearer {self.token}", "content-type": "application/json", "cookie": "k=c00kie"}
        asked = urllib.request.Request(self.server.url + path, data, known | headers)
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refusal:
            text = refusal.read().decode()
        self.answers[path] = json.loads(text) if text.startswith("{") else {"text": text}
        return self.answers[path]

    def lines(self, route: str) -> list[dict[str, Any]]:
        found = [json.loads(line) for line in self.server.said if line.startswith("{")]
        return [line for line in found if line.get("route") == route]


def test_a_request_is_a_span_by_its_template_within_the_trace_of_its_caller(seen: Seen) -> None:
    (board,) = seen.collector.named("GET /api/v1/pools/{pool}/board")
    assert (board.kind, board.trace, board.parent, board.failed) == (2, CALLER, "b7ad6b7169203331", False)
    known = {"http.request.method": "GET", "http.route": "/api/v1/pools/{pool}/board", "http.response.status_code": 200}
    assert board.attributes == known | {
        "url.scheme": "http",
        "paragone.request_id": board.attributes["paragone.request_id"],
    }
    assert board.sender["service.name"] == "paragone"


def test_lines_problems_and_spans_name_the_same_request_and_trace(seen: Seen) -> None:
    (refused,) = seen.collector.named("GET /api/v1/pools/{pool}")
    problem = seen.answers["/api/v1/pools/nowhere"]
    (line,) = seen.lines("/api/v1/pools/{pool}")
    assert {problem["trace_id"], line["trace_id"]} == {refused.trace}
    assert {problem["request_id"], line["request_id"]} == {refused.attributes["paragone.request_id"]}
    assert (refused.attributes["http.response.status_code"], refused.failed) == (404, False)
    assert seen.lines("/api/v1/pools/{pool}/board")[0]["trace_id"] == CALLER


def test_a_run_belongs_to_the_request_that_began_it_though_that_was_answered_before(seen: Seen) -> None:
    (begun,) = seen.collector.named("POST /api/v1/pools/{pool}/run")
    (run,) = seen.collector.named("tournament.run")
    matches, calls = seen.collector.named("tournament.match"), seen.collector.named("judge.call")
    assert (run.parent, run.trace) == (begun.id, begun.trace)
    assert (len(matches), len(calls)) == (4, 4)
    assert {one.trace for one in [*matches, *calls]} == {begun.trace}
    assert {one.attributes["paragone.pool"] for one in matches} == {POOL}
    writes = [one for one in seen.collector.named("ledger.write") if one.trace == begun.trace]
    assert sum(one.attributes.get("paragone.rows", 0) for one in writes) > 8  # a verdict and a match each, and more
    assert run.attributes["paragone.finished"] is True


def test_probes_are_no_traces(seen: Seen) -> None:
    assert not [one for one in seen.collector.spans if "healthz" in one.name]


def test_nothing_that_was_sent_holds_a_secret_or_a_text(seen: Seen) -> None:
    sent = b"".join(seen.collector.raw)
    secrets = (seen.token, "c00kie", "qu3ry", "cr1teria", "t3xt", "nowhere", "127.0.0.1")
    assert [word for word in secrets if word.encode() in sent] == []
    said = "\n".join(seen.server.said)
    assert [word for word in secrets[:5] if word in said] == []


def test_the_framework_makes_no_spans_of_its_own(seen: Seen) -> None:
    assert {one.name.partition(" ")[0] for one in seen.collector.spans} == {
        "GET", "POST", "ledger.write", "tournament.run", "tournament.round", "tournament.match", "judge.call",
    }  # fmt: skip


def test_an_address_that_is_none_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    config = WebConfig(db=str(tmp_path / "new.db"), traces="collector:4318")
    with pytest.raises(InvalidConfig, match="http://HOST:PORT"):
        serve(config, lambda _: None)
    assert list(tmp_path.iterdir()) == []


def test_without_a_collector_nothing_is_traced_and_nothing_of_it_is_loaded(client: TestClient) -> None:
    answer = client.get("/api/v1/pools/nowhere")
    assert not is_traced()
    assert "trace_id" not in answer.json()
    assert type(span("work", {})).__name__ == "_NoSpan"
