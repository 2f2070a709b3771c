"""How far a tournament is planned ahead of its answers."""

import math
from dataclasses import dataclass

from paragone.tournaments.state import State
from paragone.tournaments.state.plan_order import block_notes
from paragone.tournaments.tournament_settings import TournamentSettings

SMALLEST = 16
"""The smallest window: room for as many calls in flight as there are by default."""
MARGIN = 2
"""A window holds at least so many times the calls in flight; a smaller one keeps them waiting for each other."""
WIDE = 4
"""A window that is chosen for its calls in flight holds so many times as many, for stragglers not to fill it."""
MOST = 4
"""The largest window, as a multiple of the items: one more and the pairs would be as good as random."""
PLAIN = 4
"""Up to an item in so many, calls in flight change no result: the window is half of the items."""
PARTS = 2
"""Blocks in a window; more where a block would have more matches than there are disjoint pairs. Smaller blocks
tell worse which pairs go together: with four, tau at five calls an item was .03 lower for 150 items."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """How far ahead matches are planned and asked.

    Attributes:
        size: Matches between the oldest without an answer and the newest that may be asked; None for no limit.
        block: Matches that are planned together.
    """

    size: int | None
    block: int


def window_of(settings: TournamentSettings, items: int, concurrency: int, before: int = 0) -> Window | None:
    """The window of a tournament; None if each of its rounds needs the results of the one before.

    Args:
        settings: Its settings.
        items: Number of items.
        concurrency: Calls in flight at the most.
        before: Its window in an earlier run, which is kept if it is wide enough; 0 without one.
    """
    if settings.pairing == "round-robin":
        return Window(size=None, block=max(1, items // 2))
    if settings.pairing != "informative" or settings.group_size != 2:
        return None
    size = max(SMALLEST, math.ceil(items / 2), before)
    matches = math.ceil(concurrency / settings.comparison_rounds)
    if size < MARGIN * matches:
        size = max(size, min(WIDE * matches, MOST * max(items, SMALLEST // 2)))
    return Window(size=size, block=min(size // PARTS, max(SMALLEST, items) // 2))


def window_of_state(state: State, concurrency: int) -> Window | None:
    """The window of a tournament as it stands: at least as wide as in earlier runs; see ``window_of``."""
    noted = [note.get("window") or 0 for note in block_notes(state.events).values()]
    return window_of(state.settings, len(state.items), concurrency, max(noted, default=0))


def window_note(window: Window | None, items: int, concurrency: int) -> str:
    """What a window costs that is wider than there are items, in words; empty if it costs nothing, or there is none."""
    if window is None or window.size is None or window.size <= max(items, SMALLEST):
        return ""
    return (
        f"with {concurrency} calls in flight {window.size} matches are planned ahead of their answers, more than there "
        f"are items: a run that reaches its confidence ends up to so many matches later; with a concurrency of "
        f"{max(1, items // PLAIN)} it would be {max(SMALLEST, math.ceil(items / 2))}"
    )
