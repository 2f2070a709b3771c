"""The servers: one of a memory, its tools, and the sessions of those who call them; and one of rankings alone."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import UNSUPPORTED_PROTOCOL_VERSION, CallToolResult, ToolAnnotations
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from paragone.mcp.background_indexing import BackgroundIndexing
from paragone.mcp.guide import INSTRUCTIONS, RANKING, offer_guide
from paragone.mcp.note_tools import NoteTools
from paragone.mcp.overview_tools import OverviewTools
from paragone.mcp.retrieval_tools import RetrievalTools
from paragone.mcp.sessions import MemoryThread, Sessions
from paragone.mcp.strict_tool import StrictTool
from paragone.mcp.tool_calls import Refusals, ToolCalls
from paragone.mcp.truth_tools import TruthTools
from paragone.mcp.usage_tools import UsageTools

if TYPE_CHECKING:
    from paragone.mcp.ranking_runs import Runs
    from paragone.memory import Memory

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
"""Nothing is written."""
LOGS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
"""The call is logged, from which ratings follow."""
ASKS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True)
"""It may ask judges that are elsewhere."""


class MemoryServer:
    """A server of one memory.

    Args:
        open_memory: Opens the memory; called in the thread in which it is then used.
        agent: Whom the sessions are logged for; without it each client's name for itself.
        index: Whether to bring the index up to date when serving begins, beside the calls.
        runs: Rankings, where tools that rank are offered as well.
    """

    def __init__(
        self,
        open_memory: "Callable[[], Memory]",
        *,
        agent: str | None = None,
        index: bool = True,
        runs: "Runs | None" = None,
    ) -> None:
        self._runs = runs
        self._thread = MemoryThread()
        self._memory = self._thread.submit(open_memory).result()
        self._sessions = Sessions(self._memory, self._thread, agent=agent)
        self._indexing, self._wants_index = BackgroundIndexing(open_memory), index
        log_to_standard_error()  # before the SDK does, with colours and frames
        self.protocol: MCPServer[Any] = MCPServer(
            "paragone-memory",
            version=version("paragone"),
            instructions=INSTRUCTIONS if runs is None else f"{INSTRUCTIONS}\n{RANKING}",
            log_level="WARNING",
            lifespan=self._lifespan,
            middleware=[only_with_sessions],
            tools=list(self._tools()),
        )
        offer_guide(self.protocol, self._memory, self._thread)

    def _tools(self) -> Iterator[StrictTool]:
        """All tools, in the order in which a task calls them."""
        store = self._memory.components.store
        private_paths = [(str(store.root), "the root"), (str(store.path), "the store"), *_private(self._runs)]
        calls = ToolCalls(self._sessions, self._indexing, private_paths)
        finding, using, surveying = RetrievalTools(calls), UsageTools(calls), OverviewTools(calls)
        knowing, noting = TruthTools(calls), NoteTools(calls)
        yield from _offered(LOGS, finding.search, finding.grep, finding.read, finding.expand_symbol)
        yield from _offered(LOGS, finding.read_decision)
        yield from _offered(LOGS, using.cite, using.mark_used, using.mark_contradicted, using.end_session)
        yield from _offered(READS, surveying.pack, surveying.board)
        yield from _offered(LOGS, surveying.index)
        yield from _offered(READS, knowing.truth, knowing.archived)
        yield from _offered(LOGS, knowing.supply_truth, knowing.report_tests, knowing.check_claim, knowing.restore)
        yield from _offered(READS, noting.note_list)
        yield from _offered(LOGS, noting.note_add, noting.note_contradict)
        if self._runs is not None:
            yield from _ranking_tools(calls, self._runs)

    async def close(self) -> None:
        """Write down the sessions that are open, and close the memory."""
        await self._thread.run(self._close)

    def finish(self) -> None:
        """End the threads."""
        self._indexing.end()
        self._thread.close()

    def _close(self) -> None:
        if self._runs is not None:
            self._runs.close()
        self._sessions.close()
        self._memory.close()

    @asynccontextmanager
    async def _lifespan(self, _: MCPServer[Any]) -> AsyncIterator[None]:
        if self._wants_index:
            self._indexing.begin()
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await self.close()


class RankingServer:
    """A server of tools that rank, without a memory.

    Args:
        runs: The rankings.
    """

    def __init__(self, runs: "Runs") -> None:
        self._runs = runs
        log_to_standard_error()
        self.protocol: MCPServer[Any] = MCPServer(
            "paragone-ranking",
            version=version("paragone"),
            instructions=RANKING,
            log_level="WARNING",
            lifespan=self._lifespan,
            tools=list(_ranking_tools(Refusals(_private(runs)), runs)),
        )

    async def close(self) -> None:
        """End the rankings that run."""
        await asyncio.to_thread(self._runs.close)

    def finish(self) -> None:
        """Nothing is left to end."""

    @asynccontextmanager
    async def _lifespan(self, _: MCPServer[Any]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await self.close()


def _private(runs: "Runs | None") -> list[tuple[str, str]]:
    return [] if runs is None else [(runs.db, "the ledger")]


def _ranking_tools(refusals: Refusals, runs: "Runs") -> Iterator[StrictTool]:
    from paragone.mcp.ranking_tools import RankingTools

    ranking = RankingTools(refusals, runs)
    yield from _offered(ASKS, ranking.rank_begin)
    yield from _offered(READS, ranking.rank_status, ranking.rank_board, ranking.rank_why)
    yield from _offered(LOGS, ranking.rank_next, ranking.rank_verdict)


def _offered(annotations: ToolAnnotations, *tools: Callable[..., Awaitable[CallToolResult]]) -> Iterator[StrictTool]:
    for tool in tools:
        yield StrictTool.of(tool, annotations)


async def only_with_sessions(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Over HTTP, speak the versions of the protocol that have sessions; clients of later ones fall back to those.

    Without a session nobody could tell which search a read belongs to, nor when a client has gone.
    """
    if ctx.request is not None and ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
        raise MCPError(
            code=UNSUPPORTED_PROTOCOL_VERSION,
            message="this server keeps sessions: initialize with an earlier version of the protocol",
            data={"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": ctx.protocol_version},
        )
    return await call_next(ctx)


def log_to_standard_error() -> None:
    """Standard output carries the protocol and nothing else."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="paragone: %(message)s")
    logging.getLogger("paragone").setLevel(logging.INFO)
