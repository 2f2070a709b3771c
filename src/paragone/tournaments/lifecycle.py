"""Tournaments and pools of agents renamed, archived and deleted: events, so that all evidence stays.

Deleting refuses new evidence.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from paragone.errors import Conflict, InvalidConfig
from paragone.ledger import Ledger
from paragone.ledger.chain import DELETED
from paragone.ledger.evidence.tournaments import ARCHIVED, JOURNAL, RENAMED, UNARCHIVED
from paragone.tournaments.journal import is_tournament, note

LONGEST_TITLE = 200
_STATES = {ARCHIVED: "archived", JOURNAL: "archived", UNARCHIVED: "active", DELETED: "deleted"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Lifecycle:
    """Where a tournament stands.

    Attributes:
        title: What it was renamed to; None if it was not.
        state: ``active``, ``archived`` (lists leave it out) or ``deleted`` (it takes no new evidence, either).
    """

    title: str | None = None
    state: str = "active"


def lifecycles(ledger: Ledger, tournament: str | None = None) -> dict[str, Lifecycle]:
    """The tournaments, and pools of agents, that were renamed, archived or deleted.

    Args:
        ledger: The ledger.
        tournament: Only this one; all if None.
    """
    result: dict[str, Lifecycle] = {}
    for pool, event in ledger.tournaments.marks(tournament):
        before = result.get(pool, Lifecycle())
        title = event.detail["title"] if event.kind == RENAMED else before.title
        state = _STATES.get(event.kind, before.state)
        result[pool] = Lifecycle(title=title, state="deleted" if before.state == "deleted" else state)
    return result


def lifecycle(ledger: Ledger, tournament: str) -> Lifecycle:
    """Where one tournament, or pool of agents, stands.

    Raises:
        NotFound: If there is none of that id.
    """
    is_tournament(ledger, tournament)
    return lifecycles(ledger, tournament).get(tournament, Lifecycle())


def _mark(ledger: Ledger, pool: str, kind: str, detail: Mapping[str, str]) -> None:
    """An event of a tournament; one of the journal, of a pool that has no events."""
    if is_tournament(ledger, pool):
        ledger.tournaments.add_event(pool, kind, detail)
    else:
        note(ledger, kind, detail, pool)


def rename(ledger: Ledger, tournament: str, title: str, by: str = "") -> Lifecycle:
    """Give a tournament another title; its id stays. The same title again changes nothing.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If the title is blank or long.
    """
    before, title = lifecycle(ledger, tournament), title.strip()
    if not title or len(title) > LONGEST_TITLE or not title.isprintable():
        raise InvalidConfig(f"a title has 1 to {LONGEST_TITLE} characters, on one line", key="title")
    if before.title != title:
        _mark(ledger, tournament, RENAMED, {"by": by, "title": title})
    return Lifecycle(title=title, state=before.state)


def archive(ledger: Ledger, tournament: str, by: str = "", *, is_archived: bool = True) -> Lifecycle:
    """Leave a tournament out of lists, or show it in them again. It goes on as before.

    Raises:
        NotFound: If there is no such tournament.
        Conflict: If it was deleted.
    """
    before, state = lifecycle(ledger, tournament), "archived" if is_archived else "active"
    if before.state == "deleted":
        raise Conflict(f"{tournament} was deleted, which cannot be taken back; its evidence stays on record")
    if before.state != state:
        _mark(ledger, tournament, ARCHIVED if is_archived else UNARCHIVED, {"by": by})
    return Lifecycle(title=before.title, state=state)


def delete(ledger: Ledger, tournament: str, by: str = "", reason: str = "") -> Lifecycle:
    """Delete a tournament: lists leave it out, and it takes no new evidence, for good. What is on record stays.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is a pool of agents.
    """
    before = lifecycle(ledger, tournament)
    if not is_tournament(ledger, tournament):
        raise InvalidConfig(
            f"{tournament} is no tournament: programs record into it what happened elsewhere, and nothing may refuse "
            "that, so it cannot be deleted; archive it instead, and lists leave it out"
        )
    if before.state != "deleted":
        ledger.tournaments.add_event(tournament, DELETED, {"by": by, "reason": reason})
    return Lifecycle(title=before.title, state="deleted")
