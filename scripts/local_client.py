"""A client of an application in this process, which crosses to the application's thread once for each request.

That of Starlette does so some ten times, to hand over an answer piece by piece; this one takes it whole.
"""

import asyncio
from typing import Any
from urllib.parse import unquote

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.types import Message, Scope

PORTS = {"http": 80, "https": 443}
HERE = "127.0.0.1", 50_000
"""The client's address."""


class LocalClient(TestClient):
    """Asks as a browser on this machine would; see ``TestClient``."""

    def __init__(self, app: FastAPI, *, base_url: str = "http://localhost", **options: Any) -> None:
        super().__init__(app, base_url=base_url, **options)
        self._transport = _WholeAnswers(self, is_strict=options.get("raise_server_exceptions", True))


class _WholeAnswers(httpx2.BaseTransport):
    """Hands requests over to an application; raises what it raises if that is strict."""

    def __init__(self, client: LocalClient, *, is_strict: bool) -> None:
        self._client, self._is_strict = client, is_strict

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer to a request. An application that was not begun has a loop for each."""
        asked, portal = (_scope(request, self._client.app_state), request.read()), self._client.portal
        answer = asyncio.run(self._answer(*asked)) if portal is None else portal.call(self._answer, *asked)
        start, *parts = answer
        body = b"" if request.method == "HEAD" else b"".join(part.get("body", b"") for part in parts)
        stream = httpx2.ByteStream(body)
        return httpx2.Response(start["status"], headers=start["headers"], stream=stream, request=request)

    async def _answer(self, scope: Scope, body: bytes) -> list[Message]:
        answer: list[Message] = []
        unread, ended = [body], asyncio.Event()

        async def receive() -> Message:
            if unread:
                return {"type": "http.request", "body": unread.pop()}
            await ended.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            answer.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                ended.set()

        try:
            await self._client.app(scope, receive, send)
        except Exception:
            if self._is_strict or not answer:
                raise
        return answer


def _scope(request: httpx2.Request, state: dict[str, Any]) -> Scope:
    """A request as a server hands it over."""
    url = request.url
    path = url.raw_path.partition(b"?")[0]
    return {
        "type": "http",
        "http_version": "1.1",
        "method": request.method,
        "scheme": url.scheme,
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "root_path": "",
        "query_string": url.query,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": HERE,
        "server": [url.host, url.port or PORTS[url.scheme]],
        "extensions": {},
        "state": state.copy(),
    }
