"""At the socket of a server that runs: who says nothing, says it slowly, or takes no answer is cut off."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import uvicorn

from local_server import ThreadServer, in_thread, soon
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.server.running import HEAD, TAKE, TimeoutProtocol, configured

HOST = b"Host: 127.0.0.1\r\n"
LONG = 64 * 2**20
"""Bytes of a long answer: more than the buffers of both sides hold."""


class Hasty(TimeoutProtocol):
    """The same with less time."""

    head, take = 0.2, 0.5


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[ThreadServer, list[str]]]:
    """A server of one short page and a long one, and the paths that were asked for."""
    asked: list[str] = []
    answer = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            return
        asked.append(scope["path"])
        await send(answer)
        for _ in range(LONG // 65_536 if scope["path"] == "/long" else 0):
            await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
        await send({"type": "http.response.body", "body": b"done"})

    config = uvicorn.Config(app, http=Hasty, lifespan="off", log_level="critical", timeout_keep_alive=5)
    with in_thread(config) as server:
        yield server, asked


def ended(to: socket.socket, seconds: float = 5.0) -> float:
    """Seconds until the server ends a connection, whatever it says before."""
    to.settimeout(seconds)
    begun = time.monotonic()
    try:
        while to.recv(65_536):
            pass
    except ConnectionResetError:
        pass
    return time.monotonic() - begun


def silent(server):
    with socket.create_connection(server) as to:
        return ended(to)


def byte_by_byte(server):
    """How many bytes of a head could be sent, of a hundred and more."""
    sent = 0
    with socket.create_connection(server) as to, suppress(OSError):
        for byte in b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 100:
            to.sendall(bytes([byte]))
            sent += 1
            time.sleep(0.02)
    return sent


def asks_again(server):
    """In time, three times, for longer in all than there is for a head; then no more."""
    with socket.create_connection(server) as to:
        for _ in range(3):
            to.sendall(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
            heard = b""
            while not heard.endswith(b"\r\n0\r\n\r\n"):
                heard += to.recv(65_536)
            time.sleep(0.07)
        return ended(to)


def taken(server, pause):
    """Bytes of the long answer that come to somebody who pauses at first, and then takes what there is."""
    with socket.create_connection(server, timeout=20) as to:
        to.sendall(b"GET /long HTTP/1.1\r\n" + HOST + b"\r\n")
        pause()
        heard, last = 0, b""
        while not last.endswith(b"done\r\n0\r\n\r\n"):
            try:
                got = to.recv(1_048_576)
            except ConnectionResetError:
                got = b""
            if not got:
                break
            heard, last = heard + len(got), (last + got)[-20:]
        return heard


@pytest.fixture(scope="module")
def clients(running: tuple[ThreadServer, list[str]]) -> dict[str, float]:
    """What became of clients that came at once, each in its way."""
    server, asked = running
    connections = server.server_state.connections

    def until_cut_off():
        assert soon(lambda: asked.count("/long") == 2)
        assert soon(lambda: not connections)

    with ThreadPoolExecutor() as at_once:
        ways = {way.__name__: at_once.submit(way, server.address) for way in (silent, byte_by_byte, asks_again)}
        ways["takes"] = at_once.submit(taken, server.address, lambda: time.sleep(0.1))
        assert soon(lambda: "/long" in asked)
        ways["takes nothing"] = at_once.submit(taken, server.address, until_cut_off)
    return {name: way.result() for name, way in ways.items()}


def test_who_says_nothing_is_cut_off(clients):
    assert 0.15 < clients["silent"] < 3


def test_who_sends_a_head_byte_by_byte_gains_no_time(clients):
    assert clients["byte_by_byte"] < 100


def test_who_asks_again_in_time_stays_and_then_is_cut_off(clients):
    assert clients["asks_again"] < 3


def test_who_takes_an_answer_gets_it_all(clients):
    assert clients["takes"] > LONG


def test_who_takes_no_answer_is_cut_off(clients):
    """In time: while nothing is taken."""
    assert clients["takes nothing"] < LONG


def test_a_server_as_people_start_it_has_an_end_to_its_patience(library):
    told = configured(create_app(WebConfig(db=""), library))
    assert (told.http, told.ws) == (TimeoutProtocol, "none")
    assert (HEAD, TAKE) == (10.0, 60.0)
