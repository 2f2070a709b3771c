"""Results of full-text searches, and views that somebody saved."""

from dataclasses import dataclass
from typing import Literal

from paragone.wire.value import Value

SearchKind = Literal["match", "item"]
"""What is searched: matches, by what was said in them; or items, by their ids and texts."""
MatchOutcome = Literal["won", "tie", "void", "rolled back"]
"""How a match may have ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchHit(Value):
    """A match or an item that was found.

    Attributes:
        id: Its id.
        by: The judge or advocate who said what was found; empty for an item.
        excerpt: The text around the first word that was found.
    """

    id: str
    by: str
    excerpt: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchPage(Value):
    """Results of a search, the newest first.

    Attributes:
        hits: The results.
        total: How many there are.
        complete: Whether all of the pool was searched; if not, its index is still being made: ask again.
        next: Cursor of the next page; None on the last.
    """

    hits: list[SearchHit]
    total: int
    complete: bool
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SavedView(Value):
    """A page with its filters, under a name that somebody gave it.

    Attributes:
        name: The name.
        address: The path of the page with its query.
    """

    name: str
    address: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SavedViews(Value):
    """The views that somebody saved.

    Attributes:
        views: The views, by name.
    """

    views: list[SavedView]
