"""Events for listeners."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """A change of a pool, or its state when somebody starts to listen.

    It is no ``Value``: an event is written as JSON with escapes, which also hold an id with half of a surrogate pair.

    Attributes:
        pool: The pool; None for the memory, and for all pools together.
        version: Its version, which grows with every write; of all pools together, the sum of theirs.
        id: Where to go on after a lost connection: the version of the pool, or that sum when listening to all.
        moved: Whether it changed; false if this is how things are.
    """

    pool: str | None
    version: int
    id: int
    moved: bool = True
