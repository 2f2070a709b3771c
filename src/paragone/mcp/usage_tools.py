"""Tools that report the use of content: cite, mark_used, mark_contradicted, end_session."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from paragone.errors import ParagoneError
from paragone.mcp.answers import NAME, ROWS, EndAnswer, MarkAnswer
from paragone.mcp.tool_calls import ToolCalls, result_of

if TYPE_CHECKING:
    from paragone.memory import Memory

Call = Context[Any, Any]
Contents = Annotated[
    list[Annotated[str, Field(max_length=NAME)]],
    Field(
        min_length=1,
        max_length=ROWS,
        description="Paths, ids of symbols (@path::name), records (ADR-027) or notes (note:7f3a).",
    ),
]


class UsageTools:
    """What says how content served."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def cite(self, context: Call, content: Contents) -> Annotated[CallToolResult, MarkAnswer]:
        """Log that your answer rests on content. Call it before you answer, with every path, symbol or record you cite.

        Next: mark_used, once the work has succeeded.
        """
        return await self._mark(context, "cited", content)

    async def mark_used(self, context: Call, content: Contents) -> Annotated[CallToolResult, MarkAnswer]:
        """Log that content was used in work that succeeded. Call it once tests pass or the change is accepted.

        Name only what really served: marking everything says nothing.
        Next: end_session.
        """
        return await self._mark(context, "used", content)

    async def mark_contradicted(self, context: Call, content: Contents) -> Annotated[CallToolResult, MarkAnswer]:
        """Log that content turned out to be wrong or out of date. It sinks in search and packs.

        Call it as soon as you know. Next: note_add what is right instead.
        """
        return await self._mark(context, "contradicted", content)

    async def _mark(
        self, context: Call, action: Literal["cited", "used", "contradicted"], content: list[str]
    ) -> CallToolResult:
        def mark(memory: "Memory") -> MarkAnswer:
            act = {"cited": memory.cite, "used": memory.used, "contradicted": memory.contradicted}[action]
            marked = act(*content)
            return MarkAnswer(
                session=memory.session_id, action=action, content=[content_id.id for content_id in marked]
            )

        return await self._calls.answer(context, mark)

    async def end_session(
        self,
        context: Call,
        outcome: Annotated[
            Literal["success", "failure", "unknown"],
            Field(description="After a success, all that was read counts as used."),
        ] = "unknown",
    ) -> Annotated[CallToolResult, EndAnswer]:
        """Write down how the session ended. Call it last, when the task is done or given up.

        What comes after belongs to a new session.
        """
        try:
            ended = await self._calls.sessions.end(context, outcome)
        except ParagoneError as error:
            raise self._calls.refusal(error) from error
        return result_of(EndAnswer(session=ended, outcome=outcome))
