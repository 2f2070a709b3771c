"""What a client reads before it calls anything: instructions, resources and prompts."""

from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer

from paragone.mcp.answer_texts import NOTICE, fenced
from paragone.mcp.sessions import MemoryThread

if TYPE_CHECKING:
    from paragone.memory import Memory

FLOW = """\
1. search for what the task is about (grep for exact words; pack for a first look at an unknown project).
2. read or expand_symbol what it shows.
3. cite what your answer rests on; mark_contradicted what is wrong, and note_add what is right.
4. mark_used what served, once the work has succeeded; report_tests if you ran tests.
5. end_session with the outcome."""
"""The order in which tools are called."""

INSTRUCTIONS = f"""Memory of this project's files and notes: searches get better by what you report.
{FLOW}
{NOTICE}"""

RANKING = """To know which of several texts is better: rank_begin; then rank_next and rank_verdict for each pair, or
rank_status while a listed judge works; then rank_board, and rank_why for what surprises."""
"""What is added where tools that rank are offered."""

_BOARD_ROWS = 20
_PACK_TOKENS = 8_000


def offer_guide(protocol: "MCPServer[Any]", memory: "Memory", thread: MemoryThread) -> None:
    """Add the resources and prompts to a server.

    Args:
        protocol: The server.
        memory: What the resources show; touched in its thread only.
        thread: The memory's thread.
    """

    @protocol.resource("memory://guide", mime_type="text/plain", description="Which tool to call when.")
    def guide() -> str:
        return FLOW

    @protocol.resource("memory://board", mime_type="text/plain", description="The files that are rated highest.")
    async def board() -> str:
        def ask() -> str:
            rows = memory.board("file", limit=_BOARD_ROWS).rows
            return fenced("\n".join(f"{rating.rating:.0f} {rating.content.id}" for rating in rows))

        return await thread.run(ask)

    @protocol.resource(
        "memory://pack", mime_type="text/markdown", description="The project at a glance: signatures and likely bodies."
    )
    async def pack() -> str:
        return await thread.run(lambda: memory.pack(tokens=_PACK_TOKENS).text)

    @protocol.resource("memory://notes", mime_type="text/markdown", description="What agents have noted, as Markdown.")
    async def notes() -> str:
        return await thread.run(lambda: fenced(memory.notes.export()))

    @protocol.prompt(description="Begin a task with this memory.")
    def begin_task(task: str) -> str:
        return f"{task}\n\nUse the project's memory:\n{FLOW}"

    @protocol.prompt(description="Report what served at the end of a task.")
    def finish_task() -> str:
        return (
            "The task is over. Call cite for what the answer rests on, mark_used for what served if it succeeded, "
            "mark_contradicted for what turned out to be wrong, with note_add for what is right; and then end_session."
        )
