"""One session of memory for each of the protocol: the process under stdio, the client's session id over HTTP."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mcp.server.mcpserver import Context

from paragone.domain.text import visible
from paragone.errors import ParagoneError

if TYPE_CHECKING:
    from paragone.memory import Memory
import asyncio
from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")


class MemoryThread:
    """Runs calls one after the other, in the order in which they came, while the server goes on listening."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory")

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Have it run when its turn comes, whether or not somebody waits for it."""
        return self._pool.submit(call)

    async def run(self, call: Callable[[], T]) -> T:
        """Run it and wait for what it returns. Who stops waiting does not stop it once it has begun."""
        return await asyncio.wrap_future(self.submit(call))

    def close(self) -> None:
        """Finish what is waiting, and end the thread."""
        self._pool.shutdown(wait=True)


Outcome = Literal["success", "failure", "unknown"]
logger = logging.getLogger(__name__)

_SESSION_HEADER = "mcp-session-id"
_LONGEST_NAME = 80


class Sessions:
    """Who calls, and the session in which what they do is logged.

    A session of memory begins with the first call of a tool and ends with the connection, however that ends; a client
    that ends it by itself goes on in a new one.
    """

    def __init__(self, memory: "Memory", thread: MemoryThread, *, agent: str | None = None) -> None:
        self._memory = memory
        self._thread = thread
        self._agent = agent
        self._open: dict[str, Memory] = {}  # touched in the memory's thread only
        self._watched: set[str] = set()

    async def run(self, context: Context[Any, Any], call: "Callable[[Memory], T]") -> T:
        """Run a call in the session of whoever makes it."""
        key, agent = session_key(context), self._agent or client_name(context)
        if key and key not in self._watched:
            self._watched.add(key)
            # The one place where the SDK says that a client's session is over, whether it was deleted, timed out or
            # the server stops. Its public way there is still missing.
            connection = context.session._connection
            connection.exit_stack.push_async_callback(self._gone, key)
        return await self._thread.run(lambda: call(self._of(key, agent)))

    async def end(self, context: Context[Any, Any], outcome: Outcome) -> str:
        """End the caller's session and return its id; empty if none had begun."""
        key = session_key(context)
        return await self._thread.run(lambda: self._end(key, outcome))

    def close(self) -> None:
        """End every session that is open. To be run in the memory's thread, as the last call."""
        for key in list(self._open):
            self._end_quietly(key)

    def _of(self, key: str, agent: str) -> "Memory":
        if key not in self._open:
            self._open[key] = self._memory.session(agent)
        return self._open[key]

    async def _gone(self, key: str) -> None:
        self._watched.discard(key)
        await self._thread.run(lambda: self._end_quietly(key))

    def _end_quietly(self, key: str) -> None:
        try:
            self._end(key, "unknown")
        except ParagoneError as error:
            logger.warning("a session's audit could not be written: %s", error)

    def _end(self, key: str, outcome: Outcome) -> str:
        memory = self._open.get(key)
        if memory is None:
            return ""
        memory.end_session(outcome)
        del self._open[key]  # only now: where the audit could not be written, the server's end tries again
        return memory.session_id


def session_key(context: Context[Any, Any]) -> str:
    """What tells sessions apart: over HTTP the id that the server gave a client, which the SDK checks; else nothing."""
    return (context.headers or {}).get(_SESSION_HEADER, "")


def client_name(context: Context[Any, Any]) -> str:
    """What the client calls itself, on one line and not too long."""
    client = context.session.client_params
    return visible(client.client_info.name)[:_LONGEST_NAME] if client is not None else ""
