"""The server over HTTP: two clients at once with sessions of their own, a client that is gone, and who is refused."""

import asyncio
import json
import re
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

import warm_start
from local_server import soon

TOKEN = "a-token-of-sixteen-characters-and-more"


@dataclass
class Serving:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    url: str
    said: list[str]

    def stop(self) -> int:
        """Stop it as an administrator would; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=60)
        self.said.extend(err.splitlines())
        return self.process.returncode


def serve(root: Path, *options: str, environment: dict[str, str] | None = None) -> Serving:
    process = subprocess.Popen(
        [warm_start.command(), "mcp", "--root", str(root), "--http", "--port", "0", "--no-index", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    said: list[str] = []
    for line in process.stderr:
        said.append(line)
        if found := re.search(r"http://\S+/mcp", line):
            return Serving(process, found[0], said)
    raise AssertionError(said)


def posted(url: str, **headers: str) -> int:
    """The status that a request without a session gets."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}).encode()
    plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(
        url, body, {**plain, **{name.replace("_", "-"): value for name, value in headers.items()}}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture(scope="module")
def serving(shared_project) -> Iterator[Serving]:
    server = serve(shared_project.root, "--idle", "0.025")
    yield server
    server.process.kill()
    server.process.communicate()


async def two_at_once(url: str) -> dict[str, list[dict]]:
    """Two clients that call at the same time; what each was answered, in its order."""

    async def work(client: Client, query: str, path: str) -> list[dict]:
        found = await client.call_tool("search", {"query": query, "how": "keyword"})
        pages = await asyncio.gather(*(client.call_tool("read", {"path": path}) for _ in range(5)))
        said = [found, *pages, await client.call_tool("cite", {"content": [path]})]
        assert not any(one.is_error for one in said), said
        return [one.structured_content for one in said]

    async with Client(url) as first, Client(url) as second:
        assert first.protocol_version == "2025-11-25"
        told = await asyncio.gather(
            work(first, "forget the oldest answers", "src/cache.py"),
            work(second, "seconds to wait before the next try", "src/retry.py"),
        )
    return {"first": told[0], "second": told[1]}


@pytest.fixture(scope="module")
def mute(serving: Serving) -> str:
    """The session of a client that reads a page and is gone without a word, before all others come."""
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "mute", "version": "1"}}
    with httpx2.Client(headers=headers, timeout=30) as client:

        def post(method: str, number: int | None, parameters: dict) -> httpx2.Response:
            message = {"jsonrpc": "2.0", "method": method, "params": parameters}
            return client.post(serving.url, json=message if number is None else {**message, "id": number})

        client.headers["mcp-session-id"] = post("initialize", 1, who).headers["mcp-session-id"]
        post("notifications/initialized", None, {})
        assert post("tools/call", 2, {"name": "read", "arguments": {"path": "AGENTS.md"}}).status_code == 200
        return client.headers["mcp-session-id"]


@pytest.fixture(scope="module")
def told(serving: Serving, mute: str) -> dict[str, list[dict]]:
    return asyncio.run(two_at_once(serving.url))


def test_it_says_where_it_listens_and_that_anybody_here_may_call(serving: Serving) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", serving.url)
    assert "no authentication" in serving.process.stderr.readline()


def test_two_clients_at_once_have_sessions_of_their_own(told, shared_project) -> None:
    sessions = {name: {one["session"] for one in answers} for name, answers in told.items()}
    assert len(sessions["first"]) == len(sessions["second"]) == 1
    assert sessions["first"].isdisjoint(sessions["second"])
    both = {*sessions["first"], *sessions["second"]}
    assert soon(lambda: both <= {line["session_id"] for line in shared_project.sessions(2)})
    audits = {line["session_id"]: line for line in shared_project.sessions(2)}
    for name, path in (("first", "src/cache.py"), ("second", "src/retry.py")):
        audit = audits[sessions[name].copy().pop()]
        assert (audit["files_accessed"], audit["search_queries"]) == ([path], 1)


def test_each_read_is_linked_to_the_search_of_its_own_session(told, shared_project) -> None:
    searches = {line["id"]: line for line in shared_project.log("search_log")}
    sessions = {answer["session"] for answers in told.values() for answer in answers}
    log = [line for line in shared_project.log("access_log") if line["action"] == "read"]
    reads = [line for line in log if line["session_id"] in sessions]
    assert (len(reads), len(log)) == (10, 11)
    for line in reads:
        assert searches[line["search_id"]]["session_id"] == line["session_id"]


def test_a_client_that_insists_on_a_version_without_sessions_is_told_which_ones_have_them(serving: Serving) -> None:
    async def insist() -> dict:
        async with Client(serving.url, mode="2026-07-28") as client:
            with pytest.raises(MCPError, match="keeps sessions") as caught:
                await client.call_tool("search", {"query": "rules"})
        return caught.value.error.data

    assert "2025-11-25" in asyncio.run(insist())["supported"]


def test_a_page_under_another_name_is_refused(serving: Serving) -> None:
    assert posted(serving.url, Host="evil.example") == 421
    assert posted(serving.url, Origin="http://evil.example") == 403
    assert posted(serving.url, mcp_session_id="guessed") == 404


def test_with_a_token_only_who_has_it_gets_in_and_it_is_written_nowhere(project) -> None:
    server = serve(project.root, environment={"PATH": "/usr/bin:/bin", "PARAGONE_MCP_TOKEN": TOKEN})

    async def read() -> bool:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as http,
            Client(streamable_http_client(server.url, http_client=http)) as client,
        ):
            return (await client.call_tool("read", {"path": "AGENTS.md"})).is_error

    try:
        assert posted(server.url) == 401
        assert posted(server.url, Authorization="Bearer wrong-token-of-sixteen-characters") == 401
        assert asyncio.run(read()) is False
    finally:
        server.stop()
    assert not any("no authentication" in line for line in server.said)
    written = [*server.said, *(path.read_text("utf-8") for path in (project.root / ".paragone" / "logs").iterdir())]
    assert not any(TOKEN in text for text in written)


def test_a_client_that_is_gone_without_a_word_is_given_up(told, shared_project) -> None:
    (audit,) = [line for line in shared_project.sessions(3) if line["agent_id"] == "mute"]
    assert audit["files_accessed"] == ["AGENTS.md"]


def test_stopping_it_writes_the_audit_of_who_is_still_there(serving: Serving, told, shared_project) -> None:
    before = len(shared_project.sessions(2))

    async def stay() -> str:
        async with Client(serving.url) as client:
            session = (await client.call_tool("search", {"query": "rules", "how": "keyword"})).structured_content[
                "session"
            ]
            assert await asyncio.to_thread(serving.stop) in (0, -signal.SIGTERM)
            return session

    session = asyncio.run(stay())
    audits = shared_project.sessions(before + 1)
    assert audits[-1]["session_id"] == session
    assert not any("Traceback" in line for line in serving.said)
