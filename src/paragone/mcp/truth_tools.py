"""Tools for the truth of content: truth, supply_truth, report_tests, check_claim; and archived, restore."""

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from paragone.mcp.answers import NAME, ROWS, ArchivedAnswer, ArchivedRow, RestoreAnswer, TruthAnswer, TruthRow
from paragone.mcp.tool_calls import ToolCalls, cut

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paragone.memory import Memory
    from paragone.memory.scores import ContentRating

Call = Context[Any, Any]
Name = Annotated[str, Field(max_length=NAME, description="A path, the id of a symbol (@path::name) or a record.")]
_MOST_RESULTS = 2_000


class Result(BaseModel):
    """The result of one test."""

    model_config = ConfigDict(extra="forbid")

    file: str = Field(max_length=NAME, description="The file that the test is about, below the root.")
    passed: bool
    test: str = Field("", max_length=NAME, description="Its name.")


# The fields of ``memory.truth.TruthEvidence``, with limits, and in the words of the tool's published schema.
class Piece(BaseModel):
    """A piece of evidence."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=4_000, description="What it says, in its own words.")
    source: str = Field("", max_length=NAME, description="Where it comes from; texts of one source count once.")
    supports: bool | None = Field(None, description="Whether it supports the content or denies it; null if unsure.")


class TruthTools:
    """What is known of the truth of content, and what came into the archive."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def truth(self, context: Call, content: Name) -> Annotated[CallToolResult, TruthAnswer]:
        """Say how true content is known to be: R, where it comes from, or why it is unknown.

        Call it before you rely on a document that may be out of date.
        Next: check_claim or report_tests if R is unknown; else cite.
        """

        def ask(memory: "Memory") -> TruthAnswer:
            return _truth(memory, [memory.rating(content)])

        return await self._calls.answer(context, ask)

    async def supply_truth(
        self,
        context: Call,
        content: Name,
        r: Annotated[
            float | None, Field(description="Above 1.73 counts as true, at or below as doubtful; null withdraws it.")
        ],
        note: Annotated[str, Field(max_length=NAME, description="How you know.")] = "",
    ) -> Annotated[CallToolResult, TruthAnswer]:
        """Record how true content is, if a person or a source outside this memory told you.

        Do not call it for an opinion of your own: mark_contradicted or check_claim are for that.
        Next: end_session.
        """

        def ask(memory: "Memory") -> TruthAnswer:
            memory.supply_truth(content, r, note=note)
            return _truth(memory, [memory.rating(content)])

        return await self._calls.answer(context, ask)

    async def report_tests(
        self,
        context: Call,
        results: Annotated[list[Result], Field(min_length=1, max_length=_MOST_RESULTS, description="One a test.")],
    ) -> Annotated[CallToolResult, TruthAnswer]:
        """Report tests that passed or failed, by the file that each is about: R of these files follows from it.

        Call it after you have run tests. A later report about a file replaces the one before.
        Next: mark_used what the work rested on, if they pass.
        """
        from paragone.memory.truth import TestResult

        def ask(memory: "Memory") -> TruthAnswer:
            rows = [
                TestResult(name=row.test, passed=row.passed, file=row.file.removeprefix("./"), about=True)
                for row in results
            ]
            update = memory.truth.from_tests(rows)
            ratings = [memory.rating(line.entity_id) for line in update.lines[:ROWS]]
            return _truth(memory, ratings, lost=update.lost)

        return await self._calls.answer(context, ask)

    async def check_claim(
        self,
        context: Call,
        content: Name,
        evidence: Annotated[list[Piece], Field(max_length=ROWS, description="Independent pieces; three are needed.")],
    ) -> Annotated[CallToolResult, TruthAnswer]:
        """Estimate R of content from how well independent evidence about the same claim agrees with it.

        Call it with what other sources say about the same thing, in their words. Evidence about something else leaves R
        unknown, evidence against lowers it.
        Next: mark_contradicted if it is wrong; else cite.
        """
        from paragone.memory.truth import TruthEvidence

        def ask(memory: "Memory") -> TruthAnswer:
            pieces = [TruthEvidence(text=row.text, source=row.source, supports=row.supports) for row in evidence]
            memory.find_truth(content, pieces)
            return _truth(memory, [memory.rating(content)])

        return await self._calls.answer(context, ask)

    async def archived(self, context: Call) -> Annotated[CallToolResult, ArchivedAnswer]:
        """List files that were archived because they were stale and doubtful, the newest first.

        Call it if a file that you expect is gone.
        Next: restore one of them by its path.
        """

        def ask(memory: "Memory") -> ArchivedAnswer:
            entries = memory.pruner.archived()[::-1]
            rows = [ArchivedRow(path=entry.path, reason=cut(entry.reason, NAME)) for entry in entries[:ROWS]]
            return ArchivedAnswer(session=memory.session_id, rows=rows, total=len(entries))

        return await self._calls.answer(context, ask)

    async def restore(
        self, context: Call, path: Annotated[str, Field(max_length=NAME, description="Of an archived file.")]
    ) -> Annotated[CallToolResult, RestoreAnswer]:
        """Put an archived file back in its place, byte for byte. Another file that is there meanwhile is not touched.

        Next: read it.
        """

        def ask(memory: "Memory") -> RestoreAnswer:
            return RestoreAnswer(session=memory.session_id, path=memory.pruner.restore(path).path)

        return await self._calls.answer(context, ask)


def _truth(memory: "Memory", ratings: "Iterable[ContentRating]", *, lost: int = 0) -> TruthAnswer:
    reasons = memory.truth.reasons()
    rows = [
        TruthRow(
            content=rating.content.id,
            r=rating.r,
            is_high=rating.is_high,
            source=rating.r_source or "",
            why_unknown=memory.truth.why(rating, reasons),
        )
        for rating in ratings
    ]
    return TruthAnswer(session=memory.session_id, rows=rows, lost=lost)
