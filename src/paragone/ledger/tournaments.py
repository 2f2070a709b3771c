"""Tournaments: how they are created, what happened to them, and what was planned."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from paragone.domain import Item, ItemKind, Lineup, Order, Pairing, Planned, RatingConfig
from paragone.errors import Conflict, NotFound
from paragone.ledger import chain, pools, schema
from paragone.ledger.records import Event, PlannedRound, TournamentRecord

_LONGEST = 40
_RECORDS = (
    select(schema.tournament, schema.commit.c.at)
    .join(
        schema.commit,
        (schema.commit.c.pool == schema.tournament.c.pool) & (schema.commit.c.number == schema.tournament.c.commit),
    )
    .order_by(schema.commit.c.id)
)


def create(
    connection: Connection,
    stem: str,
    settings: Mapping[str, Any],
    items: Sequence[Item],
    config: RatingConfig,
    at: datetime,
) -> TournamentRecord:
    """Create a tournament with its pool and its items, and say that it started.

    Args:
        connection: A transaction that makes pools alone.
        stem: What its readable id is made of, such as the name of a file.
        settings: What it is asked to do.
        items: Its items.
        config: How their running Elo moves.
        at: Now.

    Raises:
        Conflict: If two items with the same id differ.
        InvalidItems: If the items are of several kinds.
    """
    named, wanted = slug(stem), pools.distinct(items)
    kind = wanted[0].kind if wanted else ItemKind.TEXT
    number = _next_number(connection, named)
    id = f"{named}-{number}"
    chain.begin(connection, id)
    with chain.appending(connection, id, at) as page:
        pools.write(page, config, kind)
        pools.write_items(page, wanted, kind)
        page.add(schema.tournament, slug=named, number=number, settings=settings)
        page.add(schema.tournament_event, kind="started", detail={})
    pools.begin_ratings(connection, id, wanted, config)
    return record(connection, id)


def record(connection: Connection, id: str | None) -> TournamentRecord:
    """A tournament; the newest where no id is given.

    Raises:
        NotFound: If there is none.
    """
    if id is None:
        every = records(connection)
        if not every:
            raise NotFound("there is no tournament in the ledger yet; rank something first")
        return every[-1]
    row = connection.execute(_RECORDS.where(schema.tournament.c.pool == id)).first()
    if row is None:
        raise chain.absent("tournament", id, [other.id for other in records(connection)])
    return _record(row)


def records(connection: Connection) -> tuple[TournamentRecord, ...]:
    """All tournaments, oldest first."""
    return tuple(map(_record, connection.execute(_RECORDS)))


def add_event(connection: Connection, id: str, kind: str, detail: Mapping[str, Any], at: datetime) -> None:
    """Say that something happened.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, id)
    with chain.appending(connection, id, at) as page:
        page.add(schema.tournament_event, kind=kind, detail=detail)


def events(connection: Connection, id: str) -> tuple[Event, ...]:
    """What happened, in order.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, id)
    event, commit = schema.tournament_event, schema.commit
    joined = select(event.c.kind, event.c.detail, commit.c.at).join(
        commit, (commit.c.pool == event.c.pool) & (commit.c.number == event.c.commit)
    )
    rows = connection.execute(joined.where(event.c.pool == id).order_by(event.c.seq))
    return tuple(Event(kind=row.kind, detail=row.detail, at=row.at) for row in rows)


def plan_round(connection: Connection, id: str, number: int, pairings: Sequence[Planned], at: datetime) -> None:
    """Keep the plan of a round; the same plan again changes nothing.

    Raises:
        NotFound: If there is no such tournament.
        Conflict: If the round has another plan.
    """
    record(connection, id)
    plan = PlannedRound(number=number, pairings=tuple(pairings))
    with chain.appending(connection, id, at) as page:
        there = next((known for known in _rounds(connection, id) if known.number == number), None)
        if there is None:
            page.add(schema.planned_round, number=number, pairings=list(map(_written, pairings)))
        elif there != plan:
            raise Conflict(f"round {number} of tournament {id!r} has another plan already")


def rounds(connection: Connection, id: str) -> tuple[PlannedRound, ...]:
    """The planned rounds, in the order of planning.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, id)
    return tuple(_rounds(connection, id))


def _rounds(connection: Connection, id: str) -> list[PlannedRound]:
    table = schema.planned_round
    rows = connection.execute(select(table.c.number, table.c.pairings).where(table.c.pool == id).order_by(table.c.seq))
    return [PlannedRound(number=row.number, pairings=tuple(map(_planned, row.pairings))) for row in rows]


def _written(planned: Planned) -> list[Any]:
    if isinstance(planned, Lineup):
        return [list(planned.items)]
    return [planned.a, planned.b, list(planned.orders)]


def _planned(written: list[Any]) -> Planned:
    if len(written) == 1:
        return Lineup(items=tuple(written[0]))
    a, b, orders = written
    return Pairing(a=a, b=b, orders=tuple(map(Order, orders)))


def _record(row: Row[tuple[Any, ...]]) -> TournamentRecord:
    return TournamentRecord(id=row.pool, pool=row.pool, settings=row.settings, created=row.at)


def slug(stem: str) -> str:
    """What ids are made of, from any name: letters and digits of any script, in small letters, joined by hyphens."""
    return re.sub(r"[\W_]+", "-", stem.casefold()).strip("-")[:_LONGEST].strip("-") or "tournament"


def _next_number(connection: Connection, slug: str) -> int:
    table = schema.tournament
    number = (connection.scalar(select(func.max(table.c.number)).where(table.c.slug == slug)) or 0) + 1
    taken = set(chain.pools(connection))  # pools may be made without a tournament, under any name
    while f"{slug}-{number}" in taken:
        number += 1
    return number
