"""Servers as people start them: the address, refusals, and an end that loses nothing."""

import http.client
import json
import os
import signal
import socket
import sqlite3
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from local_server import Served, served, soon
from paragone import Client
from paragone.cli import app
from paragone.errors import InvalidConfig, Unwritable
from paragone.ledger import Ledger
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.server.serving import address, bound, refuse_open_access, url_host

POOL = "tournament-1"


@pytest.fixture
def server(played: Path, tmp_path: Path) -> Iterator[Served]:
    with served(played, "--log", "json", folder=tmp_path) as running:
        yield running


def post_in_raw(url: str, path: str, body: object) -> http.client.HTTPConnection:
    """Sends a request, and does not wait for its answer."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    return connection


def test_what_is_under_way_is_committed_and_answered_and_listeners_are_let_go(server: Served, played: Path) -> None:
    heard = urllib.request.urlopen(f"{server.url}/api/v1/events?pool={POOL}", timeout=30)
    assert heard.readline() == b"retry: 2000\n"
    with closing(sqlite3.connect(played, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # the vote that comes now waits for this
        connection = post_in_raw(
            server.url, f"/api/v1/pools/{POOL}/matches", {"id": "late", "a": "i1", "b": "i2", "outcome": "a"}
        )
        for _ in range(2):  # whoever answers these has the vote before them
            urllib.request.urlopen(f"{server.url}/healthz", timeout=30).close()
        time.sleep(0.1)
        server.process.send_signal(signal.SIGTERM)
        rest = heard.read()  # ends, though nobody closed it
        assert rest.endswith(b"\n\n")
        assert server.process.poll() is None, "it waits for what is under way"
        other.execute("COMMIT")
    answer = connection.getresponse()
    assert (answer.status, json.load(answer)["id"]) == (201, "late")
    assert server.process.wait(30) == 0
    with Ledger.open(str(played)) as ledger:
        assert ledger.matches.exists(POOL, "late")
        assert ledger.audit().ok
    lines = [json.loads(line) for line in server.said if line.startswith("{")]
    assert {(line["method"], line["route"], line["status"]) for line in lines} >= {
        ("POST", "/api/v1/pools/{pool}/matches", 201),
        ("GET", "/api/v1/events", 200),
    }
    assert not [line for line in server.said if "Traceback" in line]


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(Unwritable, match=rf"127\.0\.0\.1:{port} cannot be used \(Address already in use\).*--port"):
            bound(WebConfig(db="", port=port))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may bind to every port")
def test_a_port_that_takes_rights_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(Unwritable, match="ports below 1024 take rights"):
        bound(WebConfig(db="", port=1))


def test_an_address_that_is_none_of_this_machine_is_refused() -> None:
    with pytest.raises(Unwritable, match=r"203\.0\.113\.1:8321 cannot be used"):
        bound(WebConfig(db="", host="203.0.113.1"))


def test_it_binds_beyond_loopback_only_with_tokens(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="paragone token add NAME --role admin"):
        refuse_open_access(WebConfig(db="", host="0.0.0.0"))
    file = TokenFile(tmp_path / "tokens.json")
    file.add("anna", Role.ADMIN)
    refuse_open_access(WebConfig(db="", host="0.0.0.0", tokens=file.path))
    refuse_open_access(WebConfig(db="", host="::1"))


def test_the_refusal_comes_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidConfig, match="there are no tokens"):
        CliRunner().invoke(app, ["serve", "--host", "0.0.0.0", "--db", "new.db"], catch_exceptions=False)
    assert list(tmp_path.iterdir()) == []


def test_answers_are_sent_at_once() -> None:
    with bound(WebConfig(db="", port=0)) as listening:
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP, "asyncio turns Nagle's algorithm off for these only"


def test_an_address_of_version_six_stands_in_brackets() -> None:
    assert url_host("::1") == "[::1]"
    assert url_host("127.0.0.1") == "127.0.0.1"


@pytest.mark.parametrize(
    ("host", "hosts", "url"),
    [
        ("127.0.0.1", ("board.example.org",), "http://127.0.0.1:8321/"),
        ("::1", (), "http://[::1]:8321/"),
        ("0.0.0.0", (), "http://127.0.0.1:8321/"),
        ("::", ("board.example.org",), "http://board.example.org:8321/"),
    ],
)
def test_the_address_is_one_that_the_server_answers(host, hosts, url):
    assert address(WebConfig(db="x", host=host, hosts=hosts), 8321) == url


def test_listeners_that_go_are_forgotten_and_ctrl_c_ends_it_as_every_command(server: Served) -> None:
    with Client(server.url) as client:
        opened = [urllib.request.urlopen(f"{server.url}/api/v1/events", timeout=30) for _ in range(3)]
        for stream in opened:
            stream.readline()

        def listeners() -> str:
            text = urllib.request.urlopen(f"{server.url}/metrics", timeout=30).read().decode()
            return next(line for line in text.splitlines() if line.startswith("paragone_listeners "))

        assert listeners() == "paragone_listeners 3.0"
        threading.Thread(target=opened.pop().close).start()
        assert soon(lambda: listeners() == "paragone_listeners 2.0")
        for stream in opened:
            stream.close()
        assert client.pools.get(POOL).id == POOL
    assert server.ended(signal.SIGINT) == 130
    assert server.said[-1] == "paragone: interrupted"
    assert not [line for line in server.said if "Traceback" in line]
