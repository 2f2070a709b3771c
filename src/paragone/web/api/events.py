"""What moves, as it moves: Server-Sent Events."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from paragone.errors import ParagoneError
from paragone.web.api.answers import refusals
from paragone.web.change_watch import HEARTBEAT, News, Watch
from paragone.web.dependencies import Books, Memories
from paragone.web.middleware.authentication import Reader, named
from paragone.web.middleware.limits import Crowd, network


async def admit(request: Request, who: Reader) -> None:
    """Refuse who listens to so many streams already that others could be kept out."""
    crowd: Crowd = request.app.state.crowd
    request.state.client = f"{who.key}:{network((request.scope.get('client') or ('',))[0])}"
    crowd.admit(request.state.client)


router = APIRouter(tags=["events"], responses=refusals(404), dependencies=[Depends(admit)])

RETRY = 2000
"""Milliseconds after which a browser that lost the connection tries again."""
_NUMBER = re.compile("[0-9]{1,18}")


class EventStream(StreamingResponse):
    """Events, for as long as somebody listens.

    Attributes:
        held: What is let go when nobody listens any more.
    """

    media_type = "text/event-stream"
    held: AbstractContextManager[object] = nullcontext()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them."""
        with self.held:
            await super().__call__(scope, receive, send)


@router.get("/events", response_class=EventStream)
async def listen(
    request: Request,
    books: Books,
    _: Reader,
    pool: Annotated[str | None, Query(description="Id of the pool; all pools where there is none.")] = None,
    last_event_id: Annotated[str | None, Header(description="Id of the last event that was heard.")] = None,
) -> EventStream:
    """Tell when a pool moves, whoever writes to it: `moved` with its id and version.

    The first event is `now`, how things are, or `moved` where that is not what `Last-Event-ID` names.
    """
    if pool is not None:
        await asyncio.to_thread(books.version, pool)  # refuses a pool that is not there
    return _stream(request, request.app.state.watch, pool, last_event_id)


@router.get("/memory/events", response_class=EventStream)
async def listen_to_memory(
    request: Request,
    _memory: Memories,
    _: Reader,
    last_event_id: Annotated[str | None, Header(description="Id of the last event that was heard.")] = None,
) -> EventStream:
    """Tell when something is written to the memory, by whichever process: `moved` with its version; `pool` is null.

    The first event is `now`, how things are, or `moved` where that is not what `Last-Event-ID` names.
    """
    return _stream(request, request.app.state.memory_watch, None, last_event_id)


def _stream(request: Request, watch: Watch, pool: str | None, last_event_id: str | None) -> EventStream:
    last = int(last_event_id) if last_event_id and _NUMBER.fullmatch(last_event_id) else None
    crowd: Crowd = request.app.state.crowd
    crowd.admit(request.state.client)  # once more: others may have come since, and from here on this one counts
    held = ExitStack()
    held.enter_context(crowd.joined(request.state.client))
    held.enter_context(request.app.state.meters.listeners.track_inprogress())
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}  # nginx would hold events back
    stream = EventStream(_events(watch, pool, last, lambda: _may_listen(request)), headers=headers)
    stream.held = held
    return stream


async def _events(watch: Watch, pool: str | None, last: int | None, may: Callable[[], bool]) -> AsyncIterator[str]:
    yield f"retry: {RETRY}\n\n"
    with watch.listening(pool, last) as listener:
        async for news in listener.news(HEARTBEAT):
            if not await asyncio.to_thread(may):
                return
            yield ": \n\n" if news is None else event(news)


def event(news: News) -> str:
    """News as an event. JSON escapes line breaks and half characters, so that no id can end an event.

    What is about no pool names none.
    """
    data = json.dumps({"pool": news.pool or None, "version": news.version})
    return f"event: {'moved' if news.moved else 'now'}\nid: {news.id}\ndata: {data}\n\n"


def _may_listen(request: Request) -> bool:
    """Whether the token that the listener came with still counts; none does where their file cannot be read."""
    try:
        named(request)
    except (HTTPException, ParagoneError):
        return False
    return True
