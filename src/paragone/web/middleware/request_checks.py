"""Middleware that checks the host, size, origin and rate of each request, and adds security headers to responses.

It is plain ASGI, so streams pass through without buffering. Bodies are measured as they arrive: Content-Length may lie.
"""

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paragone.errors import ParagoneError
from paragone.web.config import WebConfig
from paragone.web.forms import takes_files
from paragone.web.instrumentation import request_id
from paragone.web.middleware.access_tokens import TokenFile
from paragone.web.middleware.authentication import CHANGING, bearer_in, identify, is_embedded, is_of_browser, is_own
from paragone.web.middleware.hosts import (
    checked_hosts,
    checked_origins,
    checked_proxies,
    host_name,
    is_passed_on,
    unwrap,
)
from paragone.web.middleware.limits import Rate, network
from paragone.web.problems import refusal

SWALLOWED = 16_000_000
"""Bytes beyond the limit that are read and dropped, so that the client gets to read the response."""
PATIENCE = 10.0
"""Maximum seconds for that."""
WHOLE = 60.0
"""Maximum seconds for a body to arrive."""
CLOSE = {"connection": "close"}
"""Header of a response sent before the body was read: the rest must not be parsed as the next request."""


class CountedBody:
    """Receives a body and fails if it is too long or takes too long.

    Args:
        receive: The ASGI channel to read from.
        most: Maximum bytes.
        seconds: Maximum seconds from the first read.

    Attributes:
        answered: Whether the response has started, so that no error can be sent.
    """

    def __init__(self, receive: Receive, most: int, seconds: float = WHOLE) -> None:
        self._receive, self._seconds = receive, seconds
        self._left = self._most = most
        self._until: float | None = None
        self._is_whole = False
        self.answered = False

    async def __call__(self) -> Message:
        message = await (self._receive() if self._is_whole else self._in_time())
        self._is_whole = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left >= 0:
            return message
        if self.answered:
            return {"type": "http.disconnect"}
        if message.get("more_body", False):
            await swallow(self._receive)
        raise HTTPException(413, too_long(self._most))

    async def _in_time(self) -> Message:
        """The next part of an incomplete body. Messages after the body have no time limit."""
        now = asyncio.get_running_loop().time()
        self._until = now + self._seconds if self._until is None else self._until
        try:
            async with asyncio.timeout_at(self._until):
                return await self._receive()
        except TimeoutError:
            if self.answered:
                return {"type": "http.disconnect"}
            raise HTTPException(408, f"the body did not arrive within {self._seconds:g} seconds", CLOSE) from None


async def swallow(receive: Receive) -> None:
    """Read the rest of a body, up to a limit, and drop it."""
    read = 0
    try:
        async with asyncio.timeout(PATIENCE):
            while read <= SWALLOWED:
                message = await receive()
                read += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def length_problem(length: str | None, most: int) -> tuple[int, str] | None:
    """What is wrong with a Content-Length, as a status and a message; None if nothing is."""
    if length is None:
        return None
    if not (length.isascii() and length.isdecimal()):
        return 400, "Content-Length is not a number"
    if len(length) > 15 or int(length) > most:
        return 413, too_long(most)
    return None


def too_long(most: int) -> str:
    """The message for a body that is too long."""
    return f"a body may have at most {most:,} bytes"


async def answer_head(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer HEAD with the headers of GET."""
    started = False

    async def beginning(message: Message) -> None:
        nonlocal started
        if message["type"] == "http.response.start" and not started:
            started = True
            await send(message)
            await send({"type": "http.response.body", "body": b""})
            asking.cancel()

    inner = {**scope, "method": "GET"}
    asking = asyncio.ensure_future(app(inner, receive, beginning))
    try:
        await asyncio.wait({asking})
    finally:
        asking.cancel()
        scope.update({name: inner[name] for name in inner.keys() - scope.keys()})  # which route it was, for one
    if not asking.cancelled() and not started:
        asking.result()


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Scripts from this server only, none inline. Inline styles are allowed because the chart library sets them."""

HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with "no-referrer" browsers send forms with "Origin: null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
LONGEST_TARGET = 8_000
"""Maximum bytes of a path with its query."""
MOST_HEADERS = 16_000
"""Maximum bytes of all headers."""

_LOG = logging.getLogger("paragone.web")

Refuse = Callable[[Request, int, str], Response]


class RequestChecks:
    """Checks hosts, sizes, origins and rates, adds security headers, and answers HEAD and unexpected errors.

    Args:
        app: The application behind it.
        config: Configuration of the server.
        tokens: Tokens of the server.
        refuse: Makes the response to an unexpected error.
    """

    def __init__(self, app: ASGIApp, *, config: WebConfig, tokens: TokenFile, refuse: Refuse) -> None:
        self._app, self._config, self._tokens, self._refuse = app, config, tokens, refuse
        self._hosts = checked_hosts(config)
        self._origins = frozenset(checked_origins(config.origins))
        self._proxies = checked_proxies(config.proxies)
        self._rate = Rate(config.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        unwrap(scope, self._proxies)
        most = self._config.max_upload if takes_files(scope["path"]) else self._config.max_body
        body = CountedBody(receive, most)
        guarded = _guarded(send, body)
        headers = Headers(scope=scope)
        problem = self._problem(scope, headers) or length_problem(headers.get("content-length"), most)
        if problem is None:
            await self._pass(scope, body, guarded)
            return
        status, words = problem
        if status == 413 and "expect" not in headers:  # a client that sent "Expect: 100-continue" holds the body back
            await swallow(receive)
        if status == 413:  # of a form, to somebody who looks at a page
            await self._refuse(Request(scope), status, words)(scope, receive, guarded)
            return
        await refusal(status, words, CLOSE if status == 400 else None)(scope, receive, guarded)

    async def _pass(self, scope: Scope, body: CountedBody, send: Send) -> None:
        wait = self._wait(scope)
        if wait:
            after = {"retry-after": str(math.ceil(wait))}
            await refusal(429, f"rate limit reached: try again in {math.ceil(wait)} seconds", after)(scope, body, send)
            return
        try:
            if scope["method"] == "HEAD":
                await answer_head(self._app, scope, body, send)
            else:
                await self._app(scope, body, send)
        except ClientDisconnect:  # for the log: the client is gone
            await refusal(400, "the connection ended before the body did")(scope, body, send)
        except Exception:  # a mistake of ours: the client gets its number, and the log the traceback
            id = request_id()
            _LOG.exception("%s: %s %.200r failed", id, scope["method"], scope["path"])
            if body.answered:
                raise
            words = f"the server failed; the error is in its log under {id}"
            await self._refuse(Request(scope), 500, words)(scope, body, send)

    def _problem(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        problem = _odd(scope, headers)
        if problem is not None:
            return problem
        if host_name(headers["host"]) not in self._hosts:
            return 421, f"this server does not serve the host {headers['host'][:100]!r}; allow it with --allow-host"
        if self._config.tokens is None and is_passed_on(headers):
            return 403, "this request came through a proxy, which makes every client look local: give the server tokens"
        if self._is_foreign(scope, headers):
            return 403, "this request comes from another site"
        return None

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        """Whether another site made a browser send this. A bearer token proves that none did."""
        if scope["method"] in {"GET", "HEAD"}:
            return is_embedded(headers) and headers.get("origin", "") not in self._origins
        if scope["method"] not in CHANGING or (self._config.tokens is not None and bearer_in(headers) is not None):
            return False
        return is_of_browser(headers) and not is_own(headers, scope["scheme"])

    def _wait(self, scope: Scope) -> float:
        """Seconds until the client may send another change, counted by token or else by address."""
        if scope["method"] not in CHANGING:
            return 0.0
        address = network((scope.get("client") or ("",))[0])
        if self._config.tokens is None:
            return self._rate.wait(f"address:{address}")
        try:
            identity = identify(Headers(scope=scope), scope["scheme"], self._config, self._tokens, time.time())
        except ParagoneError:
            identity = None  # the routes report that the token file is unreadable
        return self._rate.wait(f"address:{address}" if identity is None else f"token:{identity.who.key}")


def _odd(scope: Scope, headers: Headers) -> tuple[int, str] | None:
    """What is malformed about a request, as a status and a message; None if nothing is."""
    hosts = len(headers.getlist("host"))
    if hosts != 1:
        return 400, f"a request must have one Host header; this one has {hosts}"
    if not scope["path"].startswith("/"):
        return 400, "the request target must begin with a slash"
    if "content-length" in headers and "transfer-encoding" in headers:
        return 400, "a request must not have both Content-Length and Transfer-Encoding"
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_TARGET:
        return 414, f"a path with its query may have at most {LONGEST_TARGET:,} bytes"
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
        return 431, f"all headers together may have at most {MOST_HEADERS:,} bytes"
    return None


def _guarded(send: Send, body: CountedBody) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            body.answered = True
            message = {**message, "headers": list(message.get("headers", ()))}
            MutableHeaders(scope=message).update(_missing(message["headers"]))
        await send(message)

    return sending


def _missing(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, Any]:
    present = {name.lower() for name, _ in headers}
    return {name: value for name, value in HEADERS.items() if name.encode() not in present}
