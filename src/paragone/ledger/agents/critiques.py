"""Critiques that agents made, accepted or not."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from paragone.domain import Critique
from paragone.ledger import chain, schema
from paragone.ledger.agents import duplicates, roster, tallies

_critique = schema.critique


def record(connection: Connection, pool: str, critiques: Sequence[Critique], at: datetime) -> None:
    """Keep and count critiques; one whose id is there already changes nothing.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If one of that id is there with other content.
    """
    with chain.appending(connection, pool, at) as page:
        new = duplicates.fresh(connection, pool, _critique.c.critique, critiques, _of)
        roster.enrol(connection, page, [critique.agent for critique in new])
        with tallies.counting(connection, page, [critique.agent for critique in new]) as counted:
            for critique in new:
                page.add(_critique, critique=critique.id or None, item=critique.agent, accepted=critique.accepted)
                counted.critique(critique.agent, critique.accepted)


def _of(row: Row[tuple[Any, ...]]) -> Critique:
    return Critique(id=row.critique or "", agent=row.item, accepted=row.accepted)
