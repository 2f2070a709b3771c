"""Tools that find and read: search, grep, read, expand_symbol, read_decision."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from paragone.domain.text import counted
from paragone.mcp.answers import (
    CHARACTERS,
    LINE,
    NAME,
    ROWS,
    DecisionAnswer,
    GrepAnswer,
    PageAnswer,
    SearchAnswer,
    SymbolAnswer,
)
from paragone.mcp.tool_calls import ToolCalls, cut
from paragone.wire.search import SearchResult

if TYPE_CHECKING:
    from paragone.memory import Memory
    from paragone.memory.search import FilePage, Found

Call = Context[Any, Any]
Limit = Annotated[int, Field(ge=1, le=ROWS, description="Rows of a page at the most.")]
Offset = Annotated[int, Field(ge=0, description="Rows to pass over: next of the page before.")]
Glob = Annotated[str, Field(max_length=NAME, description="Only files that match, as in .gitignore: *.py, docs/**")]
Path = Annotated[str, Field(max_length=NAME, description="A file, below the root, with slashes.")]
Start = Annotated[int, Field(ge=1, description="The first line: next of the page before.")]
Lines = Annotated[int, Field(ge=1, le=1_000, description="Lines of a page at the most.")]


class RetrievalTools:
    """The tools that search and read."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def search(
        self,
        context: Call,
        query: Annotated[str, Field(max_length=4_000, description="What to look for, in words.")],
        how: Annotated[
            Literal["hybrid", "semantic", "keyword"], Field(description="By meaning, by words, or both.")
        ] = "hybrid",
        what: Annotated[
            Literal["chunk", "file", "symbol", "decision"], Field(description="What the results are.")
        ] = "chunk",
        mode: Annotated[
            Literal["learned", "document"] | None,
            Field(
                description="What orders them: likeness and past use, or likeness and rating. Default: as configured."
            ),
        ] = None,
        limit: Limit = 10,
        offset: Offset = 0,
        glob: Glob = "",
    ) -> Annotated[CallToolResult, SearchAnswer]:
        """Find passages of the project's files. Call this first, before you open any file.

        Say in words what you look for. What it shows is logged, so that later searches learn what served.
        Next: read the path of a result, or expand_symbol if it names a symbol.
        """

        def ask(memory: "Memory") -> SearchAnswer:
            results = memory.search(query, how=how, what=what, mode=mode, limit=limit, offset=offset, glob=glob or None)
            return _search_answer(results, memory.session_id, self._calls.indexing.age(memory))

        return await self._calls.answer(context, ask)

    async def grep(
        self,
        context: Call,
        pattern: Annotated[
            str, Field(max_length=NAME, description="A regular expression (RE2), matched line by line.")
        ],
        glob: Glob = "",
        ignore_case: bool = False,
        limit: Limit = ROWS,
        offset: Offset = 0,
    ) -> Annotated[CallToolResult, GrepAnswer]:
        """Find lines that match a regular expression. Call it in place of search if you know the exact words.

        Next: read the path of a match.
        """

        def ask(memory: "Memory") -> GrepAnswer:
            results = memory.grep(pattern, glob=glob or None, ignore_case=ignore_case, limit=limit, offset=offset)
            rows = [replace(row, text=cut(row.text, LINE)) for row in results.matches]
            return GrepAnswer(
                session=memory.session_id,
                matches=rows,
                files=results.files_searched,
                timed_out=results.timed_out,
                next=results.next_offset,
            )

        return await self._calls.answer(context, ask)

    async def read(
        self, context: Call, path: Path, start: Start = 1, lines: Lines = 200
    ) -> Annotated[CallToolResult, PageAnswer]:
        """Read lines of a file that search, grep or pack named. A read alone is no praise; say afterwards what served.

        Next: cite what your answer rests on, mark_contradicted what is wrong; or search again.
        """

        def ask(memory: "Memory") -> PageAnswer:
            page = memory.read(path, start=start, lines=lines)
            return PageAnswer(session=memory.session_id, path=page.path, **_lines(page))

        return await self._calls.answer(context, ask)

    async def expand_symbol(
        self,
        context: Call,
        symbol: Annotated[
            str, Field(max_length=NAME, description="@path::Qualified.name, or the end of a qualified name.")
        ],
    ) -> Annotated[CallToolResult, SymbolAnswer]:
        """Show a definition in full. Call it in place of read if you need one function or class and not its file.

        Next: cite what your answer rests on; or search again.
        """

        def ask(memory: "Memory") -> SymbolAnswer:
            definition = memory.expand(symbol)
            return SymbolAnswer(
                session=memory.session_id,
                symbol=definition.symbol.id,
                kind=definition.symbol.kind,
                path=definition.symbol.path,
                **_lines(definition.page),
            )

        return await self._calls.answer(context, ask)

    async def read_decision(
        self,
        context: Call,
        decision: Annotated[str, Field(max_length=NAME, description="Its id, such as ADR-027.")],
        start: Start = 1,
        lines: Lines = 200,
    ) -> Annotated[CallToolResult, DecisionAnswer]:
        """Read a decision record by its id. Call it where a text or a result names one, before you decide otherwise.

        Next: cite it if your answer rests on it.
        """

        def ask(memory: "Memory") -> DecisionAnswer:
            reading = memory.decision(decision, start=start, lines=lines)
            record = reading.decision
            return DecisionAnswer(
                session=memory.session_id,
                path=record.path,
                adr=record.id,
                title=cut(record.title, LINE),
                cites=list(record.cites[:ROWS]),
                **_lines(reading.page),
            )

        return await self._calls.answer(context, ask)


def _search_answer(results: "Found", session: str, index: str) -> SearchAnswer:
    most = CHARACTERS // max(len(results.results), 1)
    rows = [
        replace(SearchResult.like(row), title=cut(row.title, LINE), snippet=cut(row.snippet, most))
        for row in results.results
    ]
    return SearchAnswer(
        session=session,
        tool=results.tool,
        mode=results.mode,
        results=rows,
        total=results.total,
        index=index,
        next=results.next_offset,
    )


def _lines(page: "FilePage") -> dict[str, Any]:
    """The lines of a page as the fields of an answer."""
    text, end, following = trimmed(page)
    return {"start": page.start, "end": end, "total_lines": page.total_lines, "text": text, "next": following}


def trimmed(page: "FilePage", most: int = CHARACTERS) -> tuple[str, int, int | None]:
    """As many whole lines of a page as fit, the number of the last one, and where the next page begins, if anywhere.

    A first line that does not fit by itself is cut, and says so.
    """
    lines = page.text.split("\n") if page.end >= page.start else []
    page_lines: list[str] = []
    space = most
    for line in lines:
        space -= len(line) + 1
        if space < 0 and page_lines:
            break
        page_lines.append(_shortened(line, most))
    end = page.start + len(page_lines) - 1
    return "\n".join(page_lines), end, page.next_start if end >= page.end else end + 1


def _shortened(line: str, most: int) -> str:
    if len(line) <= most:
        return line
    return f"{line[:most]}… ({counted(len(line) - most, 'character')} more)"
