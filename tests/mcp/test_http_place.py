"""Where the server may listen, whom it answers, and the token."""

import asyncio
import socket

import pytest
from mcp.server.transport_security import TransportSecurityMiddleware
from starlette.requests import Request

from paragone.errors import InvalidConfig
from paragone.mcp.transport import HttpPlace, TokenGuard, is_loopback, listening

TOKEN = "a-token-of-sixteen-characters-and-more"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "::1"])
def test_this_machine_needs_no_token(host: str) -> None:
    assert is_loopback(host)
    assert HttpPlace(host=host).token is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "10.0.0.1", "example.org", "localhost.example.org", "1.127.0.0"])
def test_any_other_host_needs_a_token(host: str) -> None:
    with pytest.raises(InvalidConfig, match="PARAGONE_MCP_TOKEN"):
        HttpPlace(host=host, names=("memory.example.org",))


def test_a_short_token_is_refused_and_never_shown() -> None:
    with pytest.raises(InvalidConfig, match="16 characters") as caught:
        HttpPlace(token="hunter2")
    assert "hunter2" not in str(caught.value)
    assert TOKEN not in repr(HttpPlace(token=TOKEN))


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_every_address_needs_a_name(host: str) -> None:
    with pytest.raises(InvalidConfig, match="--allow-host"):
        HttpPlace(host=host, token=TOKEN)
    assert HttpPlace(host=host, token=TOKEN, names=("memory.example.org",)).url == "http://127.0.0.1:8722/mcp"


def answered(place: HttpPlace, *, host: str, origin: str | None = None) -> int:
    """The status that Host and Origin headers get; 200 where they are let through."""
    headers = [(b"host", host.encode()), *([(b"origin", origin.encode())] if origin is not None else [])]
    request = Request({"type": "http", "headers": headers})
    refusal = asyncio.run(TransportSecurityMiddleware(place.security).validate_request(request))
    return 200 if refusal is None else refusal.status_code


@pytest.mark.parametrize("host", ["127.0.0.1:8722", "localhost:8722", "[::1]:8722", "localhost", "127.0.0.1:9000"])
def test_names_of_this_machine_are_answered(host: str) -> None:
    assert answered(HttpPlace(), host=host) == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8722", "localhost.evil.example:8722", "127.0.0.1.evil", ""]
)
def test_a_name_that_was_rebound_to_this_machine_is_not(host: str) -> None:
    assert answered(HttpPlace(), host=host) == 421


def test_only_its_own_pages_may_call() -> None:
    own = "http://localhost:8722"
    assert answered(HttpPlace(), host="localhost:8722", origin=own) == 200
    for origin in (
        "http://evil.example",
        "http://localhost:3000",
        "http://localhost",
        "null",
        f"{own}.evil.example",
        f"{own}0",
    ):
        assert answered(HttpPlace(), host="localhost:8722", origin=origin) == 403


def test_further_names_are_answered_beside_its_own() -> None:
    place = HttpPlace(host="10.0.0.1", token=TOKEN, names=("memory.example.org",))
    assert [answered(place, host=host) for host in ("10.0.0.1:8722", "memory.example.org", "other.example.org")] == [
        *(200, 200, 421)
    ]
    assert answered(place, host="memory.example.org", origin="https://memory.example.org") == 200


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidConfig, match=f"127.0.0.1:{port}.*--port"):
            listening(HttpPlace(port=port))


def passed(*authorization: bytes) -> list[object]:
    """What a guarded application answers: its own word, or the refusal's status."""
    said: list[object] = []

    async def application(scope: object, receive: object, send: object) -> None:
        said.append("in")

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            said.extend([message["status"], dict(message["headers"])[b"www-authenticate"]])

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "POST", "headers": [(b"authorization", value) for value in authorization]}
    asyncio.run(TokenGuard(application, TOKEN)(scope, receive, send))
    return said


def test_the_right_token_opens() -> None:
    assert passed(f"Bearer {TOKEN}".encode()) == ["in"]
    assert passed(f"bearer  {TOKEN} ".encode()) == ["in"]


@pytest.mark.parametrize(
    "sent",
    [
        (),
        (b"",),
        (b"Bearer",),
        (b"Bearer " + TOKEN[:-1].encode(),),
        (b"Bearer " + TOKEN.encode() + b"x",),
        (b"Basic " + TOKEN.encode(),),
        (TOKEN.encode(),),
        (b"Bearer \xff\xfe",),
        (b"Bearer wrong", b"Bearer " + TOKEN.encode()),
    ],
)
def test_anything_else_does_not(sent: tuple[bytes, ...]) -> None:
    assert passed(*sent) == [401, b"Bearer"]
