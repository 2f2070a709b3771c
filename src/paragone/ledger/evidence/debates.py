"""Turns of debates: kept as they arrive, so that a debate that is broken off is not paid for again."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from paragone.domain import DebateTurn
from paragone.errors import Conflict
from paragone.ledger import chain, schema
from paragone.ledger.evidence.verdicts import usage_of, usage_values

_turn = schema.debate_turn
_LISTS = ("claims", "rebuttals", "evidence")
_PLAIN = ("call", "number", "speaker", "stage", "content", "advocate", "prompt_hash")


def record(connection: Connection, pool: str, turn: DebateTurn, at: datetime) -> None:
    """Keep a turn; the same turn again changes nothing.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If something else was said in that turn.
    """
    with chain.appending(connection, pool, at) as page:
        query = select(_turn).where(_turn.c.pool == pool, _turn.c.call == turn.call, _turn.c.number == turn.number)
        row = connection.execute(query).first()
        if row is None:
            page.add(_turn, **values_of(turn))
        elif turn_of(row) != turn:
            raise Conflict(
                f"turn {turn.number} of the debate for call {turn.call!r} is there already, with other content; "
                "a debate goes on from the turns that it has"
            )


def turns(connection: Connection, pool: str, call: str | None) -> tuple[DebateTurn, ...]:
    """The turns of one debate, in their order; or of all debates of a pool, in the order of record."""
    query = select(_turn).where(_turn.c.pool == pool)
    in_order = (
        query.order_by(_turn.c.seq) if call is None else query.where(_turn.c.call == call).order_by(_turn.c.number)
    )
    return tuple(turn_of(row) for row in connection.execute(in_order))


def page(connection: Connection, pool: str, after: int, count: int) -> tuple[list[DebateTurn], int]:
    """So many turns of a pool from a place in its record on, in the order of record, and where the last of them is."""
    query = select(_turn).where(_turn.c.pool == pool, _turn.c.seq > after).order_by(_turn.c.seq).limit(count)
    rows = connection.execute(query).all()
    return [turn_of(row) for row in rows], rows[-1].seq if rows else after


def values_of(turn: DebateTurn) -> dict[str, Any]:
    """A turn as the values of its row."""
    return {
        **{name: getattr(turn, name) for name in _PLAIN},
        **{name: list(getattr(turn, name)) for name in _LISTS},
        **usage_values(turn.usage),
    }


def turn_of(row: Row[tuple[Any, ...]]) -> DebateTurn:
    """A row as the turn that was recorded."""
    lists: dict[str, Any] = {name: tuple(getattr(row, name)) for name in _LISTS}
    return DebateTurn(**{name: getattr(row, name) for name in _PLAIN}, **lists, usage=usage_of(row))
