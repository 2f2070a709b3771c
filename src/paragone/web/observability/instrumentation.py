"""Around everything: each request gets an id, is counted, timed and traced, and told to the log where one is wanted."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paragone.tracing import Span, is_traced, span
from paragone.web.observability.logs import HEADER, begin_request
from paragone.web.observability.metrics import METHODS, Meters
from paragone.wire.address import API

UNMATCHED = "unmatched"
"""What stands for the route of a request that none answers."""
ENDLESS = frozenset({f"{API}/events", f"{API}/memory/events"})
"""The routes whose answers last as long as somebody listens."""
UNTRACED = ENDLESS | {"/healthz", "/readyz", "/metrics"}
"""Besides, what machines ask every few seconds: among traces they would bury the others."""

Log = Callable[[dict[str, Any]], None]


class Instrumentation:
    """Counts, times and traces requests."""

    def __init__(self, app: ASGIApp, meters: Meters, log: Log | None = None) -> None:
        self._app, self._meters, self._log = app, meters, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        id = begin_request()
        if is_traced() and scope["path"] not in UNTRACED:
            with _begun(scope, id) as request_span:
                answer = await self._measure(scope, receive, send, id)
                _tell(request_span, scope, answer["status"])
        else:
            await self._measure(scope, receive, send, id)

    async def _measure(self, scope: Scope, receive: Receive, send: Send, id: str) -> dict[str, int]:
        answer = {"status": 500, "bytes": 0}  # unless one begins, somebody is told that it failed

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer["status"] = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), (HEADER, id.encode())]}
            answer["bytes"] += len(message.get("body", b""))
            await send(message)

        started = time.perf_counter()
        try:
            await self._app(scope, receive, noting)
        finally:
            self._note(scope, answer, time.perf_counter() - started)
        return answer

    def _note(self, scope: Scope, answer: dict[str, int], seconds: float) -> None:
        route = route_of(scope)
        self._meters.answered(scope["method"], route, answer["status"], None if route in ENDLESS else seconds)
        if self._log is not None:
            client = scope.get("client")
            self._log(
                {
                    "method": scope["method"],
                    "path": scope["path"],
                    "route": route,
                    **answer,
                    "seconds": round(seconds, 6),
                    "client": client[0] if client else None,
                    "who": scope.get("state", {}).get("who"),
                }
            )


def _begun(scope: Scope, id: str) -> AbstractContextManager[Span]:
    """A request as a span, which may go on with the trace of whoever sent it; its route is known in the end."""
    method = _method(scope)
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    attributes = {"http.request.method": method, "url.scheme": scope["scheme"], "paragone.request_id": id}
    return span(method, attributes, kind="server", came_with=headers)


def _tell(request_span: Span, scope: Scope, status: int) -> None:
    """By template only: paths name items and pools, and queries hold what was searched for."""
    route = route_of(scope)
    request_span.rename(f"{_method(scope)} {route}")
    request_span.note({"http.route": None if route == UNMATCHED else route, "http.response.status_code": status})
    if status >= 500:
        request_span.fail(str(status))


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in METHODS else "_OTHER"


def route_of(scope: Scope) -> str:
    """The template of the route that a request went to, as a whole."""
    template = getattr(scope.get("route"), "path", None)
    if template is None:
        return UNMATCHED
    prefix = API if scope["path"].startswith(f"{API}/") and not template.startswith(API) else ""  # it knows no prefix
    return f"{prefix}{template}"
