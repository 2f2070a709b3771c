"""Notes that agents write: short claims with source and validity, in Markdown files."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.memory.notes.note import Note
    from paragone.memory.notes.notes import Added, Notes
else:
    __getattr__ = names(__name__, {".note": "Note", ".notes": "Added Notes"})

__all__ = ["Added", "Note", "Notes"]
