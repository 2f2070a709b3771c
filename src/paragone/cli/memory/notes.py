"""``paragone memory note``: short claims that agents and people write, in Markdown files."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.cli.terminal import iso, seconds_of
from paragone.domain.text import harmless
from paragone.presenting.table import Table, table, text

if TYPE_CHECKING:
    from paragone.memory.notes import Added, Note

Claim = Annotated[str, argument("A short claim, in Markdown.", metavar="TEXT")]
Id = Annotated[str, argument("Its id, or its path.", metavar="NOTE")]
Source = Annotated[str, option("Where it comes from: a path, an address, a person.", metavar="TEXT")]
Tags = Annotated[list[str] | None, option("A word to find it by; repeatable.", "--tag", metavar="WORD")]
From = Annotated[str | None, option("The day from which it holds, such as 2026-01-31.", "--from", metavar="DATE")]
Until = Annotated[str | None, option("The day from which it no longer holds.", "--until", metavar="DATE")]


def add(
    claim: Claim,
    store: options.MemoryStore,
    output: options.Output,
    source: Source = "",
    tags: Tags = None,
    begin: From = None,
    end: Until = None,
) -> None:
    """Note a claim. A note that says the same gets the source and the tags instead."""
    with store.opened() as memory:
        added = memory.notes.add(
            claim,
            source=source,
            tags=tags or (),
            valid_from=seconds_of("--from", begin),
            valid_until=seconds_of("--until", end),
        )
    output.show(added, _added, values=_added_values)


def replace(
    note: Id, claim: Claim, store: options.MemoryStore, output: options.Output, source: Source = "", tags: Tags = None
) -> None:
    """Replace a note by another. The old one stays as a file, is no longer packed, and its R is low."""
    with store.opened() as memory:
        added = memory.notes.add(claim, source=source, tags=tags or (), replaces=note)
    output.show(added, _added, values=_added_values)


def contradict(
    note: Id,
    store: options.MemoryStore,
    output: options.Output,
    why: Annotated[str, option("Why it is wrong.", metavar="TEXT")],
) -> None:
    """Mark a note as wrong. It no longer holds, is no longer packed, and its rating falls."""
    with store.opened() as memory:
        marked = memory.notes.contradict(note, why)
    output.show(marked, lambda each: [f"note:{each.id} is contradicted: {each.contradicted}"], values=_values)


def list_notes(
    store: options.MemoryStore,
    output: options.Output,
    query: Annotated[str, option("Only notes with any of these words, best first.", metavar="TEXT")] = "",
    tag: Annotated[str, option("Only notes with this tag.", metavar="WORD")] = "",
    everything: Annotated[bool, option("Also those that no longer hold.", "--all")] = False,
    limit: options.Limit = 50,
) -> None:
    """List the notes that hold now, the newest first."""
    with store.opened() as memory:
        now = memory.store.moment(None)
        notes = memory.notes.all() if everything else memory.notes.live(query=query, tag=tag)
        doubts = {note.id: note.doubt(now) for note in notes}
    output.show(notes[:limit], lambda rows: _listed(rows, doubts), values=lambda rows: [_values(row) for row in rows])


def export(
    store: options.MemoryStore,
    out: Annotated[Path | None, option("Write to a file.  [default: standard output]", "-o")] = None,
    everything: Annotated[bool, option("Also those that no longer hold, at the end.", "--all")] = False,
) -> None:
    """Write all notes that hold as one Markdown document, by their first tag."""
    from paragone.presenting.files import save

    with store.opened() as memory:
        document = memory.notes.export(with_past=everything)
    if out is not None:
        save(document, out)
    else:
        sys.stdout.write(harmless(document) if sys.stdout.isatty() else document)


def _added(added: "Added") -> Iterator[str]:
    note = added.note
    yield f"note:{note.id} {'says the same, and has this source now' if added.merged else 'added'}: {note.path}"
    for other in added.questions:
        yield f"beware: note:{other.id} says otherwise: {other.claim}; replace or contradict one of the two"


def _listed(notes: "list[Note]", doubts: dict[str, str]) -> Iterator[str | Table[Any]]:
    if not notes:
        yield "no notes"
        return
    yield table(
        notes,
        text("note", lambda note: note.id),
        text("says", lambda note: note.claim),
        text("from", lambda note: ", ".join(note.sources)),
        text("tags", lambda note: " ".join(note.tags)),
        text("doubt", lambda note: doubts[note.id]),
    )


def _values(note: "Note") -> dict[str, object]:
    return {
        "id": note.id,
        "path": note.path,
        "text": note.text,
        "created": iso(note.created),
        "author": note.author,
        "sources": list(note.sources),
        "tags": list(note.tags),
        "valid_from": iso(note.valid_from),
        "valid_until": iso(note.valid_until),
        "replaces": list(note.replaces),
        "replaced_by": note.replaced_by,
        "contradicted": note.contradicted,
        "links": list(note.links),
    }


def _added_values(added: "Added") -> dict[str, object]:
    return _values(added.note) | {"merged": added.merged, "questions": [note.id for note in added.questions]}
