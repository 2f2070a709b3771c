"""Items that join a tournament after its start."""

from dataclasses import replace

from paragone.domain import Item
from paragone.errors import InvalidConfig
from paragone.intake.items import as_items
from paragone.judges.base import Judge
from paragone.ledger import Ledger
from paragone.tournaments.running.participants import check_judge_knows
from paragone.tournaments.state import TournamentState


def add_items(ledger: Ledger, state: TournamentState, items: object, judge: Judge | None = None) -> tuple[Item, ...]:
    """Add items to a tournament, which may be running: all of them, or none. Those that are there change nothing.

    All evidence stays. The newcomers play from the next planned match on. The budget stays as it is.

    Args:
        ledger: The ledger.
        state: The tournament; refreshed here.
        items: As for ``Tournament.create``; one is enough.
        judge: The judge, if it is open, which must know them.

    Returns:
        The new ones.

    Raises:
        InvalidItems: If they are invalid.
        Conflict: If an item is there with another text.
        InvalidConfig: If the judge lacks data on one, or the tournament compares two systems.
    """
    if state.settings.paired is not None:
        raise InvalidConfig(f"{state.id} compares the outputs of two systems, and takes no other items")
    candidates = [replace(item, kind=state.items[0].kind) for item in as_items(items, fewest=1)]
    if judge is not None:
        check_judge_knows(judge, candidates)
    added = ledger.tournaments.join(state.id, candidates, round=ledger.tournaments.count_rounds(state.id) + 1)
    state.refresh(ledger)
    return added
