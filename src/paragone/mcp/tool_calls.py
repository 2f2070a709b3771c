"""Where a tool's call becomes an answer: in the caller's session, in words that hold no path of this machine."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent

from paragone.domain.text import harmless
from paragone.errors import NotFound, ParagoneError
from paragone.mcp.answer_texts import text_of
from paragone.mcp.answers import ToolAnswer
from paragone.mcp.background_indexing import BackgroundIndexing
from paragone.mcp.sessions import Sessions

if TYPE_CHECKING:
    from paragone.memory import Memory

_LONGEST_MESSAGE = 2_000


class Refusals:
    """Words errors for those who call.

    Args:
        private_paths: Paths of this machine that nobody is told, each with what stands for it.
    """

    def __init__(self, private_paths: Iterable[tuple[str, str]]) -> None:
        # the longest first, since one may lie in the other
        self._places = sorted(((path, name) for path, name in private_paths if path.strip("/.")), key=_longest_first)

    def refusal(self, error: ParagoneError) -> ToolError:
        """An error as the client is told it."""
        words = for_agents(str(error))
        for path, name in self._places:
            words = words.replace(path, name)
        return ToolError(cut(harmless(words + hint(error)), _LONGEST_MESSAGE))


class ToolCalls(Refusals):
    """What the tools of a memory work with.

    Args:
        sessions: Sessions by caller.
        indexing: Brings the index up to date.
        private_paths: As for ``Refusals``.
    """

    def __init__(
        self, sessions: Sessions, indexing: BackgroundIndexing, private_paths: Iterable[tuple[str, str]]
    ) -> None:
        super().__init__(private_paths)
        self.sessions = sessions
        self.indexing = indexing

    async def answer(self, context: Context[Any, Any], call: "Callable[[Memory], ToolAnswer]") -> CallToolResult:
        """Ask the memory, in the session of whoever calls.

        Raises:
            ToolError: For what the memory refuses, in its words.
        """
        try:
            return result_of(await self.sessions.run(context, call))
        except ParagoneError as error:
            raise self.refusal(error) from error


_COMMANDS = {
    "index": "the tool index",
    "search": "the tool search",
    "search --kind symbol": "the tool search (what=symbol)",
    "grep": "the tool grep",
    "read": "the tool read",
    "pack": "the tool pack",
    "board": "the tool board",
    "restore": "the tools archived and restore",
    "prune": "a person, on the command line",
    "init": "a person, on the command line",
    "doctor": "a person, on the command line",
    "learn-git": "a person, on the command line",
    "truth": "the tools truth, check_claim, report_tests and supply_truth",
    "note": "the tool note_list",
}
"""What an agent has in place of each command."""
_COMMAND = re.compile(r"`?paragone memory (search --kind symbol|[a-z]+(?:-[a-z]+)*)(?: [a-z]+)?(?: --[a-z-]+)*`?")
_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


def for_agents(words: str) -> str:
    """A message in the words of those who have tools, and neither a shell nor a configuration."""
    words = _COMMAND.sub(lambda match: _COMMANDS.get(match[1], "a person, on the command line"), words)
    return _OPTION.sub(lambda match: f"argument {match[1].replace('-', '_')}", words)


def hint(error: ParagoneError) -> str:
    """Which tool helps after an error; empty if none does."""
    words = str(error)
    if isinstance(error, NotFound) and "symbol" not in words and ("content" in words or "file" in words):
        return "; search or grep finds paths"
    return ""


def result_of(answer: ToolAnswer) -> CallToolResult:
    """An answer as structure and as text."""
    return CallToolResult(
        content=[TextContent(type="text", text=text_of(answer))], structured_content=answer.model_dump(mode="json")
    )


def cut(text: str, most: int) -> str:
    """A text of so many characters at the most; one that was cut ends in an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _longest_first(entry: tuple[str, str]) -> int:
    return -len(entry[0])
