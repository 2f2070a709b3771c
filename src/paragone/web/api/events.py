"""Server-Sent Events: changes of pools and of the memory as they happen."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Annotated

from fastapi import Depends, Header, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from paragone.errors import ParagoneError
from paragone.web.api_router import api_router
from paragone.web.change_watch import HEARTBEAT, Watch
from paragone.web.middleware.authentication import caller_of
from paragone.web.middleware.authorization import Reader, here
from paragone.web.middleware.limits import ConnectionLimit, network
from paragone.web.parameters import LedgerDep, MemoryDep
from paragone.wire.event import Event


async def admit(request: Request, who: Reader) -> None:
    """Refuse a client that has too many event streams open."""
    limit: ConnectionLimit = request.app.state.stream_limit
    request.state.client = f"{who.key}:{network((request.scope.get('client') or ('',))[0])}"
    limit.admit(request.state.client)


router = api_router(404, tags=["events"], dependencies=[Depends(admit)])

RETRY = 2000
"""Milliseconds after which a browser that lost the connection tries again."""
_NUMBER = re.compile("[0-9]{1,18}")


class EventStream(StreamingResponse):
    """A response that streams events until the client disconnects.

    Attributes:
        resources: Released when the client disconnects.
    """

    media_type = "text/event-stream"
    resources: AbstractContextManager[object] = nullcontext()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them."""
        with self.resources:
            await super().__call__(scope, receive, send)


@router.get("/events", response_class=EventStream)
async def listen(
    request: Request,
    reader: LedgerDep,
    _: Reader,
    pool: Annotated[str | None, Query(description="Id of the pool; all pools if omitted.")] = None,
    last_event_id: Annotated[str | None, Header(description="Id of the last event received.")] = None,
) -> EventStream:
    """Stream changes of pools, whoever writes to them: `moved` with the pool's id and version.

    The first event is `now` with the current version, or `moved` if that differs from `Last-Event-ID`.
    """
    if pool is not None:
        await asyncio.to_thread(reader.version, pool)  # refuses a pool that is not there
    return _stream(request, request.app.state.watch, pool, last_event_id)


@router.get("/memory/events", response_class=EventStream)
async def listen_to_memory(
    request: Request,
    _memory: MemoryDep,
    _: Reader,
    last_event_id: Annotated[str | None, Header(description="Id of the last event received.")] = None,
) -> EventStream:
    """Stream writes to the memory by any process: `moved` with its version; `pool` is null.

    The first event is `now` with the current version, or `moved` if that differs from `Last-Event-ID`.
    """
    return _stream(request, request.app.state.memory_watch, None, last_event_id)


def _stream(request: Request, watch: Watch, pool: str | None, last_event_id: str | None) -> EventStream:
    last = int(last_event_id) if last_event_id and _NUMBER.fullmatch(last_event_id) else None
    limit: ConnectionLimit = request.app.state.stream_limit
    limit.admit(request.state.client)  # again: other streams may have opened since; from here on this one counts
    resources = ExitStack()
    resources.enter_context(limit.joined(request.state.client))
    resources.enter_context(request.app.state.meters.listeners.track_inprogress())
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}  # nginx would hold events back
    stream = EventStream(_events(watch, pool, last, lambda: _may_listen(request)), headers=headers)
    stream.resources = resources
    return stream


async def _events(watch: Watch, pool: str | None, last: int | None, may: Callable[[], bool]) -> AsyncIterator[str]:
    yield f"retry: {RETRY}\n\n"
    with watch.listening(pool, last) as listener:
        async for news in listener.news(HEARTBEAT):
            if not await asyncio.to_thread(may):
                return
            yield ": \n\n" if news is None else event(news)


def event(news: Event) -> str:
    """A change in the wire format of an event.

    JSON escapes line breaks and lone surrogates, so no pool id can end the event early.
    """
    data = json.dumps({"pool": news.pool or None, "version": news.version})
    return f"event: {'moved' if news.moved else 'now'}\nid: {news.id}\ndata: {data}\n\n"


def _may_listen(request: Request) -> bool:
    """Whether the listener may still listen; nobody may while the token file cannot be read."""
    try:
        here(request, caller_of(request))
    except (HTTPException, ParagoneError):
        return False
    return True
