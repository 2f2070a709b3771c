"""Tools that look at the whole: pack, board, index."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from paragone.errors import ParagoneError
from paragone.mcp.answers import CHARACTERS, NAME, ROWS, BoardAnswer, BoardRow, IndexAnswer, PackAnswer
from paragone.mcp.tool_calls import ToolCalls, result_of

if TYPE_CHECKING:
    from paragone.memory import Memory
    from paragone.memory.index import IndexRun
    from paragone.memory.packing import Pack
    from paragone.memory.scores import ContentRating

Call = Context[Any, Any]
LONGEST_WAIT = 30
"""Seconds that a call waits for the index; clients give up after a minute or so."""


class OverviewTools:
    """What looks at the whole. None of it counts as a use of anything."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def pack(
        self,
        context: Call,
        tokens: Annotated[int, Field(ge=200, le=100_000, description="How large it may be, in tokens.")] = 8_000,
        mode: Annotated[
            Literal["budget", "tiers"] | None,
            Field(description="What fits, or what the tiers say; as configured where left out."),
        ] = None,
        form: Literal["markdown", "xml"] = "markdown",
        query: Annotated[
            str, Field(max_length=NAME, description="The task, in words: which bodies are in it depends on it.")
        ] = "",
        generated: Annotated[bool, Field(description="Whether lock files, bundles and the like are wanted.")] = False,
        as_of: Annotated[float | None, Field(description="as_of of the part before.")] = None,
        offset: Annotated[int, Field(ge=0, description="next of the part before.")] = 0,
    ) -> Annotated[CallToolResult, PackAnswer]:
        """Show the project at a glance: all files with their signatures, and the bodies that are most likely needed.

        Call it at the beginning of a task in an unknown project, with the task as the query; then search for the rest.
        Next: search, or read a path that it names.
        """

        def ask(memory: "Memory") -> PackAnswer:
            pack = memory.pack(
                tokens=tokens, mode=mode, form=form, query=query or None, generated=generated or None, as_of=as_of
            )
            return _part(pack, memory.session_id, offset)

        return await self._calls.answer(context, ask)

    async def board(
        self,
        context: Call,
        kind: Annotated[Literal["file", "symbol", "adr", "vector"], Field(description="Of what.")] = "file",
        limit: Annotated[int, Field(ge=1, le=ROWS, description="Rows of a page at the most.")] = 20,
        offset: Annotated[int, Field(ge=0, description="Rows to pass over: next of the page before.")] = 0,
    ) -> Annotated[CallToolResult, BoardAnswer]:
        """Show content by its rating, the highest first, with R where it is known. Call it to see what others rely on.

        Next: read what stands high.
        """

        def ask(memory: "Memory") -> BoardAnswer:
            board = memory.board(kind, limit=limit, offset=offset)
            rows = [_row(rank, rating) for rank, rating in enumerate(board.rows, offset + 1)]
            end = offset + len(rows)
            return BoardAnswer(
                session=memory.session_id, rows=rows, total=board.total, next=end if end < board.total else None
            )

        return await self._calls.answer(context, ask)

    async def index(self, context: Call) -> Annotated[CallToolResult, IndexAnswer]:
        """Bring the index up to date with the files that changed. Call it if a search says that its index is old.

        Next: search again.
        """
        session = await self._calls.sessions.run(context, lambda memory: memory.session_id)
        indexing = self._calls.indexing
        run = asyncio.wrap_future(indexing.start())
        try:
            for _ in range(LONGEST_WAIT):
                await asyncio.wait([run], timeout=1.0)
                if run.done():
                    return result_of(_finished(run.result(), session))
                await context.report_progress(*indexing.progress)
        except ParagoneError as error:
            raise self._calls.refusal(error) from error
        done, of = indexing.progress
        return result_of(IndexAnswer(session=session, finished=False, files=done, of=of))


def _finished(run: "IndexRun", session: str) -> IndexAnswer:
    return IndexAnswer(
        session=session,
        finished=True,
        files=run.files,
        of=run.files,
        added=len(run.added),
        changed=len(run.changed),
        removed=len(run.removed),
        skipped=len(run.skipped),
    )


def _part(pack: "Pack", session: str, offset: int) -> PackAnswer:
    end = offset + CHARACTERS
    return PackAnswer(
        session=session,
        text=pack.text[offset:end],
        offset=offset,
        tokens=pack.tokens,
        full_tokens=pack.full_tokens,
        files={form.value: number for form, number in pack.counts.items()},
        as_of=pack.as_of,
        next=end if end < len(pack.text) else None,
    )


def _row(rank: int, rating: "ContentRating") -> BoardRow:
    return BoardRow(
        rank=rank,
        kind=rating.content.kind.value,
        id=rating.content.id,
        rating=rating.rating,
        elo=rating.elo,
        tier=rating.tier.value,
        r=rating.r,
        uses=rating.uses,
    )
