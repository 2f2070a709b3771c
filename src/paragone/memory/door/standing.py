"""Where content stands, and why."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from paragone.domain.content import Content, ContentKind, ContentTier, UsageMove
from paragone.memory import boards
from paragone.memory.boards import BoardOrder, ContentBoard
from paragone.memory.door.opened import OpenMemory

if TYPE_CHECKING:
    from paragone.memory.scores import CaughtUp, ContentRating
    from paragone.memory.store import TakenIn


class Standings(OpenMemory):
    """The part of a memory's methods that says where content stands."""

    def rating(self, content: str | Content, *, as_of: float | None = None) -> "ContentRating":
        """Where one piece of content stands.

        Args:
            content: By whatever it is called.
            as_of: At which time, in seconds since 1970; now where None.

        Raises:
            NotFound: If neither the index nor the logs know it.
        """
        return boards.rating(self._parts, content, as_of=as_of)

    def board(
        self,
        kind: ContentKind | str | None = None,
        *,
        by: BoardOrder = "rating",
        tier: ContentTier | str | None = None,
        limit: int = 20,
        offset: int = 0,
        as_of: float | None = None,
    ) -> ContentBoard:
        """Content by its rating, the highest first, with what nobody has touched.

        Args:
            kind: ``file``, ``symbol``, ``adr`` or ``vector``; all where None.
            by: ``rating`` as configured, ``elo``, ``need`` or ``r``.
            tier: Only of this tier: ``high``, ``medium``, ``low`` or ``very low``.
            limit: How many at most.
            offset: How many to pass over.
            as_of: At which time, in seconds since 1970; now where None.

        Raises:
            UsageError: If an argument is none of its values.
        """
        return boards.board(self._parts, kind, by=by, tier=tier, limit=limit, offset=offset, as_of=as_of)

    def history(self, content: str | Content, *, limit: int = 50) -> list[UsageMove]:
        """The last moves of a rating with their reasons, the newest last.

        Raises:
            NotFound: If neither the index nor the logs know the content.
        """
        return boards.history(self._parts, content, limit=limit)

    def take_in(self, path: str | os.PathLike[str], *, kind: str | None = None) -> "TakenIn":
        """Take in somebody else's search log or session audit; what is known already changes nothing.

        Args:
            path: A JSONL file, with document M's fields.
            kind: Which log it is; told from its lines where None.

        Raises:
            UnreadableFile: If it cannot be read.
        """
        return self._parts.store.logs.take_in(Path(path), kind=kind)

    def rebuild(self) -> "CaughtUp":
        """Count all logs anew. The scores are the same to the last bit as if each line had been counted as it came."""
        return self._parts.scores.caught_up(anew=True)
