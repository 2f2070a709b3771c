"""A client of an application in this process, which crosses to the application's thread once for each request.

That of Starlette does so some ten times, to hand over an answer piece by piece, and starts a thread for each client;
this one takes an answer whole, and all clients of a process share a thread.
"""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any, Self
from urllib.parse import unquote

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.types import Message, Scope

PORTS = {"http": 80, "https": 443}
HERE = "127.0.0.1", 50_000
"""The client's address."""


class LocalClient(TestClient):
    """Asks as a browser on this machine would; see ``TestClient``. The application begins and ends with a block."""

    def __init__(self, app: FastAPI, *, base_url: str = "http://localhost", **options: Any) -> None:
        super().__init__(app, base_url=base_url, **options)
        self._life = app.router.lifespan_context(app)
        self._transport = _WholeAnswers(app, is_strict=options.get("raise_server_exceptions", True))

    def __enter__(self) -> Self:
        _wait_for(self._life.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        _wait_for(self._life.__aexit__(None, None, None))


class _WholeAnswers(httpx2.BaseTransport):
    """Hands requests over to an application; raises what it raises if that is strict."""

    def __init__(self, app: FastAPI, *, is_strict: bool) -> None:
        self._app, self._is_strict = app, is_strict

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer to a request."""
        start, *parts = _wait_for(self._answer(_scope(request), request.read()))
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
            await self._app(scope, receive, send)
        except Exception:
            if self._is_strict or not answer:
                raise
        return answer


def _wait_for(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run_coroutine_threadsafe(coroutine, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop of all applications of this process, in a thread that ends with the main one."""
    begun: Future[asyncio.AbstractEventLoop] = Future()

    async def run() -> None:
        begun.set_result(asyncio.get_running_loop())
        await asyncio.wrap_future(ended)

    ended: Future[None] = Future()
    for each in (lambda: asyncio.run(run()), lambda: ended.set_result(threading.main_thread().join())):
        threading.Thread(target=each, daemon=True).start()
    return begun.result()


def _scope(request: httpx2.Request) -> Scope:
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
        "state": {},
    }
