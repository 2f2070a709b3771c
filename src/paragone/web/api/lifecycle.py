"""Renaming, archiving and deleting tournaments over HTTP."""

from typing import Annotated, Literal

from pydantic import Field

from paragone.errors import InvalidConfig
from paragone.tournaments import lifecycle
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Admin
from paragone.web.parameters import Body, LedgerDep, PoolId, StorableText
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import pools as views
from paragone.wire.pool import Pool

router = api_router(404, 409, prefix="/pools", tags=["pools"])


class NewTitle(Body):
    """Another title of a tournament.

    Attributes:
        title: The title.
    """

    title: Annotated[StorableText, Field(min_length=1, max_length=lifecycle.LONGEST_TITLE)]


class NewState(Body):
    """Whether lists show a tournament, and whether it takes evidence.

    Attributes:
        state: ``active``, ``archived`` (lists leave it out) or ``deleted`` (it takes no new evidence, for good).
        confirm: The id of the tournament again, to delete it.
        reason: Why it is deleted; kept in the ledger.
    """

    state: Literal["active", "archived", "deleted"]
    confirm: Annotated[StorableText, Field(max_length=200)] = ""
    reason: Annotated[StorableText, Field(max_length=2_000)] = ""


@router.post("/{pool}/title")
def rename(pool: PoolId, body: NewTitle, reader: LedgerDep, who: Admin) -> Pool:
    """Give a tournament another title; its id stays."""
    lifecycle.rename(reader.ledger, pool, body.title, who.name)
    return views.pool(reader, pool)


@router.post("/{pool}/state")
def set_state(pool: PoolId, body: NewState, reader: LedgerDep, who: Admin) -> Pool:
    """Archive a tournament, show it again, or delete it. The same state again changes nothing; its evidence stays."""
    change_state(reader, pool, body, who.name)
    return views.pool(reader, pool)


def change_state(reader: LedgerReader, pool: str, body: NewState, by: str) -> None:
    """Archive a tournament, show it again, or delete it.

    Raises:
        InvalidConfig: If it is to be deleted, and its id was not repeated.
    """
    if body.state != "deleted":
        lifecycle.archive(reader.ledger, pool, by, is_archived=body.state == "archived")
        return
    if body.confirm != pool:
        raise InvalidConfig(f"to delete {pool}, confirm it by its id: it cannot be taken back", key="confirm")
    lifecycle.delete(reader.ledger, pool, by, body.reason)
