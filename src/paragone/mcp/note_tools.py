"""Tools for notes: note_add, note_list, note_contradict."""

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field

from paragone.errors import UsageError
from paragone.mcp.answers import LINE, NAME, ROWS, NoteAnswer, NoteRow, NotesAnswer
from paragone.mcp.tool_calls import ToolCalls, cut

if TYPE_CHECKING:
    from paragone.memory import Memory
    from paragone.memory.notes import Note

Call = Context[Any, Any]
Id = Annotated[str, Field(max_length=NAME, description="The id of a note, such as 7f3a91c2.")]


class NoteTools:
    """Short claims that agents write for those who come after."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def note_add(
        self,
        context: Call,
        text: Annotated[str, Field(max_length=2_000, description="One claim in a sentence or two, that stands alone.")],
        source: Annotated[str, Field(max_length=NAME, description="Where you know it from: a path, an address.")] = "",
        tags: Annotated[list[str], Field(max_length=10, description="Words to find it by.")] = [],  # noqa: B006 - copied
        replaces: Annotated[str, Field(max_length=NAME, description="The id of a note that no longer holds.")] = "",
        valid_until: Annotated[str, Field(max_length=40, description="A date from which it does not hold.")] = "",
    ) -> Annotated[CallToolResult, NoteAnswer]:
        """Note what you learned and nobody wrote down: a decision, a trap, a fact about this project.

        Call it when later sessions would need it. One that says the same is merged; those that say otherwise are named.
        Next: note_add with replaces, or note_contradict, if a note that is named is out of date or wrong.
        """

        def ask(memory: "Memory") -> NoteAnswer:
            until = _time(valid_until)
            added = memory.notes.add(text, source=source, tags=tags, replaces=replaces, valid_until=until)
            return NoteAnswer(
                session=memory.session_id,
                note=_row(added.note),
                merged=added.merged,
                questions=[_row(note) for note in added.questions[:ROWS]],
            )

        return await self._calls.answer(context, ask)

    async def note_list(
        self,
        context: Call,
        query: Annotated[str, Field(max_length=NAME, description="Words; all notes if empty.")] = "",
        tag: Annotated[str, Field(max_length=NAME, description="Only notes with this tag.")] = "",
    ) -> Annotated[CallToolResult, NotesAnswer]:
        """List notes that hold now: what earlier sessions learned. Call it at the beginning of a task.

        Next: search for what they do not answer; cite a note that your answer rests on as note:ID.
        """

        def ask(memory: "Memory") -> NotesAnswer:
            notes = memory.notes.live(query=query, tag=tag)
            return NotesAnswer(session=memory.session_id, rows=[_row(note) for note in notes[:ROWS]], total=len(notes))

        return await self._calls.answer(context, ask)

    async def note_contradict(
        self, context: Call, note: Id, why: Annotated[str, Field(max_length=NAME, description="What is wrong with it.")]
    ) -> Annotated[CallToolResult, NoteAnswer]:
        """Mark a note as wrong. It is listed and no longer packed.

        Next: note_add what is right, if you know it.
        """

        def ask(memory: "Memory") -> NoteAnswer:
            return NoteAnswer(session=memory.session_id, note=_row(memory.notes.contradict(note, why)), merged=False)

        return await self._calls.answer(context, ask)


def _time(text: str) -> float | None:
    from paragone.memory.store.lines import from_iso

    try:
        return from_iso(text) if text else None
    except ValueError as error:
        raise UsageError(f"valid_until: {error}") from None


def _row(note: "Note") -> NoteRow:
    return NoteRow(
        id=note.id,
        path=note.path,
        text=cut(note.text, 2_000),
        source=cut(", ".join(note.sources), LINE),
        tags=list(note.tags[:ROWS]),
    )
