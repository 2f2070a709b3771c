"""How a server is reached, and how it ends: end of input, a signal, a client that is gone."""

import asyncio
import hashlib
import hmac
import ipaddress
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import anyio
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from paragone.errors import InvalidConfig
from paragone.mcp.server import MemoryServer, RankingServer

ToolServer = MemoryServer | RankingServer
LEAST_TOKEN = 16
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpPlace:
    """Address, hosts and token of the server.

    Attributes:
        host: Name or address to bind to.
        port: 0 takes one that is free.
        names: By which other names clients reach it, such as that of a proxy.
        token: What clients must send as a bearer token; None where anybody who reaches the port may call.
        idle: Seconds without a request after which a client's session is over.
    """

    host: str = "127.0.0.1"
    port: int = 8722
    names: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)
    idle: float = 1800.0

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < LEAST_TOKEN:
            raise InvalidConfig(f"a token has {LEAST_TOKEN} characters or more")
        if self.token is None and not is_loopback(self.host):
            raise InvalidConfig(
                f"{self.host!r} can be reached from other machines, which needs a token: set PARAGONE_MCP_TOKEN, or "
                "leave --host out to be reached from this machine only"
            )
        if is_any(self.host) and not self.names:
            raise InvalidConfig(
                f"{self.host!r} is every address: name with --allow-host by which name clients reach it"
            )

    @property
    def url(self) -> str:
        """Where clients on this machine find it."""
        host = "127.0.0.1" if is_any(self.host) else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/mcp"

    @property
    def security(self) -> TransportSecuritySettings:
        """Which Host and Origin headers are answered: a page elsewhere, under a name of its own, is not."""
        bound = () if is_any(self.host) else (f"[{self.host}]" if ":" in self.host else self.host,)
        own = dict.fromkeys((*LOOPBACK, *bound))
        behind_a_proxy = [f"{scheme}://{name}" for scheme in ("http", "https") for name in self.names]
        return TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[spelt for name in (*own, *self.names) for spelt in (name, f"{name}:*")],
            allowed_origins=[
                *(f"http://{name}:{self.port}" for name in own),
                *(spelt for origin in behind_a_proxy for spelt in (origin, f"{origin}:*")),
            ],
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_any(host: str) -> bool:
    """Whether it stands for every address of this machine."""
    try:
        return host == "" or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def listening(address: HttpPlace) -> socket.socket:
    """A socket that listens there.

    Raises:
        InvalidConfig: Where the port is taken or the name unknown.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        raise InvalidConfig(
            f"cannot listen on {address.host}:{address.port}: {error.strerror or error}; choose another with --port"
        ) from None


class TokenGuard:
    """Answers 401 to what does not carry the token, which is compared in constant time and written nowhere."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = _digest(token.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "lifespan" and not self._is_right(scope):
            refusal = PlainTextResponse(
                "a bearer token is needed", status_code=401, headers={"WWW-Authenticate": "Bearer"}
            )
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_right(self, scope: Scope) -> bool:
        sent = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, token = sent.partition(b" ")
        return hmac.compare_digest(_digest(token.strip()), self._expected) and scheme.lower() == b"bearer"


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


PATIENCE = 10.0
"""Seconds to write down what is open after a signal; then it leaves all the same."""

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def serve_stdio(server: ToolServer) -> None:
    """Serve whoever started this process, until its input ends or a signal comes. Returns after the end of input."""
    try:
        anyio.run(_stdio, server)
    except* (BrokenPipeError, ConnectionResetError):
        pass  # the client is gone; its session was written down on the way out
    finally:
        server.finish()


def serve_http(server: ToolServer, *, address: HttpPlace, announce: Callable[[str], None]) -> None:
    """Serve over HTTP until a signal comes.

    Args:
        server: What to serve.
        address: Where.
        announce: Told the URL once it listens.

    Raises:
        InvalidConfig: Where it cannot listen there.
    """
    try:
        anyio.run(_http, server, address, announce)
    finally:
        server.finish()


async def _stdio(server: ToolServer) -> None:
    loop = asyncio.get_running_loop()
    leaving: set[asyncio.Task[None]] = set()

    def leave(number: int) -> None:
        leaving.add(loop.create_task(_leave(server, 128 + number)))

    for number in _ENDING:
        _on_signal(loop, number, leave)
    await server.protocol.run_stdio_async()


def _on_signal(loop: asyncio.AbstractEventLoop, number: int, leave: Callable[[int], None]) -> None:
    try:
        loop.add_signal_handler(number, leave, number)
    except NotImplementedError:  # on Windows
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(leave, number))


async def _leave(server: ToolServer, code: int) -> None:
    try:
        with anyio.move_on_after(PATIENCE):
            await server.close()
    finally:
        # A thread waits for standard input and nothing can wake it, so the interpreter would wait for it, too.
        os._exit(code)


async def _http(server: ToolServer, address: HttpPlace, announce: Callable[[str], None]) -> None:
    import uvicorn

    with listening(address) as listener:
        bound = replace(address, port=listener.getsockname()[1])
        app = server.protocol.streamable_http_app(
            transport_security=bound.security, session_idle_timeout=bound.idle, host=bound.host
        )
        guarded = app if bound.token is None else TokenGuard(app, bound.token)
        config = uvicorn.Config(guarded, log_config=None, access_log=False, timeout_graceful_shutdown=1)
        announce(bound.url)
        await uvicorn.Server(config).serve(sockets=[listener])
