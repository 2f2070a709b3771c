"""Items that join a tournament after its start."""

from collections.abc import Sequence
from dataclasses import replace

from paragone.domain import Item
from paragone.errors import InvalidConfig
from paragone.intake.items import as_items
from paragone.judges.base import Judge
from paragone.ledger import Ledger
from paragone.tournaments.running.participants import check_judge_knows
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings


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
    candidates = [replace(item, kind=state.items[0].kind) for item in as_items(items, fewest=1)]
    if judge is not None:
        check_judge_knows(judge, candidates)
    added = join(ledger, state.id, candidates)
    state.refresh(ledger)
    return added


def join(ledger: Ledger, tournament: str, items: Sequence[Item]) -> tuple[Item, ...]:
    """Record items that join a tournament from its next round on; returns the new ones.

    Raises:
        NotFound: If there is no such tournament.
        Conflict: If an item is there with another text.
        InvalidConfig: If the tournament compares two systems.
    """
    if TournamentSettings.from_json(ledger.tournaments.get(tournament).settings).paired is not None:
        raise InvalidConfig(f"{tournament} compares the outputs of two systems, and takes no other items")
    return ledger.tournaments.join(tournament, items, round=ledger.tournaments.count_rounds(tournament) + 1)
