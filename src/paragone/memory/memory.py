"""The door for those who remember content: ``Memory``."""

from paragone.memory.door.keeping import Keeping
from paragone.memory.door.knowing import Knowing
from paragone.memory.door.looking import Looking
from paragone.memory.door.marking import Marking
from paragone.memory.door.standing import Standings


class Memory(Looking, Marking, Standings, Knowing, Keeping):
    r"""Content rated by use, gated by truth, packed for a context window (document M).

    ``Memory.create`` begins to remember a folder, ``Memory.open`` opens what was begun. One memory is one session of
    one agent; ``session`` gives others that share the parts. What is searched and read through it is logged before it
    is shown, and ratings follow from the logs alone.

    Every method may raise ``Busy`` where another process keeps the store for too long, and ``Unwritable`` where the
    disk is full or may not be written; besides what it says itself.

    Example:
        >>> import tempfile, pathlib
        >>> root = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (root / "notes.md").write_text("# Notes\n")
        >>> with Memory.create(root) as memory:
        ...     _ = memory.read("notes.md")
        ...     round(memory.rating("notes.md").stored, 2)
        1208.0
    """
