"""Tournaments: how they are created, what happened to them, and what was planned."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from paragone.domain import Adjustment, Item, ItemKind, Lineup, Order, Pairing, Planned, RatingConfig, Review
from paragone.errors import Conflict, NotFound
from paragone.ledger import chain, schema
from paragone.ledger.columns import canonical
from paragone.ledger.evidence import adjustments, pools, reviews
from paragone.ledger.records import Event, PlannedRound, TournamentRecord

STARTED, JOINED, ROUND = "started", "joined", "round"
"""Kinds of events: it was created; items were added after the start; what is noted about the plan of a round."""

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
    wish: Mapping[str, str] | None = None,
) -> TournamentRecord:
    """Create a tournament with its pool and its items, and say that it started.

    Args:
        connection: A transaction that makes pools alone.
        stem: What its readable id is made of, such as the name of a file.
        settings: What it is asked to do.
        items: Its items.
        config: How their running Elo moves.
        at: Now.
        wish: What names the wish for it; where that was granted already, the tournament of then is returned.

    Raises:
        Conflict: If two items with the same id differ.
        InvalidItems: If the items are of several kinds.
    """
    existing = None if wish is None else wished(connection, wish)
    if existing is not None:
        return existing
    name, unique = slug(stem), pools.distinct(items)
    kind = unique[0].kind if unique else ItemKind.TEXT
    number = _next_number(connection, name)
    id = f"{name}-{number}"
    chain.begin(connection, id)
    with chain.appending(connection, id, at) as page:
        pools.write(page, config, kind)
        pools.write_items(page, unique, kind)
        page.add(schema.tournament, slug=name, number=number, settings=settings)
        page.add(schema.tournament_event, kind=STARTED, detail=dict(wish or {}))
    pools.begin_ratings(connection, id, unique, config)
    return record(connection, id)


def wished(connection: Connection, wish: Mapping[str, str]) -> TournamentRecord | None:
    """The tournament that was created for a wish; None where none was.

    Raises:
        Conflict: If the key of the wish names another one.
    """
    event = schema.tournament_event
    query = select(event.c.pool, event.c.detail).where(event.c.kind == STARTED, event.c.detail != {})
    for row in connection.execute(query):
        if row.detail["key"] == wish["key"]:
            if row.detail != wish:
                raise Conflict(f"the key {wish['key']!r} was used for {row.pool}, which is another one: take a new key")
            return record(connection, row.pool)
    return None


def record(connection: Connection, id: str | None) -> TournamentRecord:
    """A tournament; the newest where no id is given.

    Raises:
        NotFound: If there is none.
    """
    if id is None:
        every = records(connection)
        if not every:
            rated = any(pool.kind is ItemKind.AGENT for pool in pools.records(connection))
            agents = " (agents are here: paragone agents board)" if rated else ""
            raise NotFound(f"there is no tournament in the ledger yet{agents}; rank something first")
        return every[-1]
    row = connection.execute(_RECORDS.where(schema.tournament.c.pool == id)).first()
    if row is None:
        raise chain.absent("tournament", id, [other.id for other in records(connection)])
    return _record(row)


def records(connection: Connection) -> tuple[TournamentRecord, ...]:
    """All tournaments, oldest first."""
    return tuple(map(_record, connection.execute(_RECORDS)))


def add_events(connection: Connection, id: str, events: Iterable[tuple[str, Mapping[str, Any]]], at: datetime) -> None:
    """Say that some things happened, each with its kind and detail: all of them or none.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, id)
    with chain.appending(connection, id, at) as page:
        for kind, detail in events:
            page.add(schema.tournament_event, kind=kind, detail=detail)


def events(connection: Connection, id: str, *, after: int = 0) -> tuple[Event, ...]:
    """What happened, in order, the first ``after`` left out.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, id)
    event, commit = schema.tournament_event, schema.commit
    joined = select(event.c.kind, event.c.detail, commit.c.at).join(
        commit, (commit.c.pool == event.c.pool) & (commit.c.number == event.c.commit)
    )
    ours = joined.where(event.c.pool == id).order_by(event.c.seq)
    if after:
        query = select(event.c.seq).where(event.c.pool == id).order_by(event.c.seq).offset(after - 1).limit(1)
        last = connection.scalar(query)  # of the keys alone, which is less to read than the events
        ours = ours.where(event.c.seq > last) if last is not None else ours.limit(0)
    rows = connection.execute(ours)
    return tuple(Event(kind=row.kind, detail=row.detail, at=row.at) for row in rows)


def plan_round(
    connection: Connection,
    id: str,
    number: int,
    pairings: Sequence[Planned],
    notes: Mapping[str, Any] | None,
    at: datetime,
) -> None:
    """Keep the plan of a round, and what is noted about it as an event; the same again changes nothing.

    Raises:
        NotFound: If there is no such tournament.
        Conflict: If the round has another plan, or other notes.
    """
    record(connection, id)
    plan, detail = PlannedRound(number=number, pairings=tuple(pairings)), {**(notes or {}), "number": number}
    with chain.appending(connection, id, at) as page:
        recorded = next(iter(_rounds(connection, id, number)), None)
        if recorded is None:
            page.add(schema.planned_round, number=number, pairings=list(map(_written, pairings)))
            if notes:
                page.add(schema.tournament_event, kind=ROUND, detail=detail)
        elif recorded != plan:
            raise Conflict(f"round {number} of tournament {id!r} has another plan already")
        elif notes and canonical(detail) not in map(canonical, _noted(connection, id, number)):
            raise Conflict(f"round {number} of tournament {id!r} was planned already, with other notes")


def _noted(connection: Connection, id: str, number: int) -> list[Mapping[str, Any]]:
    details = (event.detail for event in events(connection, id) if event.kind == ROUND)
    return [detail for detail in details if detail["number"] == number]


def join(
    connection: Connection,
    id: str,
    items: Sequence[Item],
    round: int,
    moves: Sequence[Adjustment],
    reviewed: Sequence[Review],
    at: datetime,
) -> tuple[Item, ...]:
    """Add items to a tournament that may be running, with what seeds them: all of it or nothing.

    Items, adjustments and reviews that are there already change nothing; a ``joined`` event names the items that are
    new, where there are any.

    Returns:
        The new items.

    Raises:
        NotFound: If there is no such tournament, or an adjustment or review is of an item that is not in it.
        Conflict: If an item is there with another text, or an adjustment with other content.
        InvalidItems: If an item is of another kind than the pool.
    """
    record(connection, id)
    with chain.appending(connection, id, at) as page:
        fresh = pools.put_items(connection, page, items)
        if fresh:
            detail = {"items": [item.id for item in fresh], "round": round}
            page.add(schema.tournament_event, kind=JOINED, detail=detail)
        reviews.put(connection, page, reviewed)
        adjustments.put(connection, page, moves)
    return tuple(fresh)


def rounds(connection: Connection, id: str) -> tuple[PlannedRound, ...]:
    """The planned rounds, in the order of planning.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, id)
    return tuple(_rounds(connection, id))


def _rounds(connection: Connection, id: str, number: int | None = None) -> list[PlannedRound]:
    table = schema.planned_round
    conditions = [table.c.pool == id, *([] if number is None else [table.c.number == number])]
    rows = connection.execute(select(table.c.number, table.c.pairings).where(*conditions).order_by(table.c.seq))
    return [PlannedRound(number=row.number, pairings=tuple(map(_planned, row.pairings))) for row in rows]


def _written(planned: Planned) -> list[Any]:
    if isinstance(planned, Lineup):
        return [list(planned.items)]
    debate = [planned.turns, planned.degraded] if planned.turns or planned.degraded else []
    return [planned.a, planned.b, list(planned.orders), *debate]


def _planned(written: list[Any]) -> Planned:
    if len(written) == 1:
        return Lineup(items=tuple(written[0]))
    a, b, orders, *debate = written
    turns, degraded = debate or (0, False)
    return Pairing(a=a, b=b, orders=tuple(map(Order, orders)), turns=turns, degraded=degraded)


def _record(row: Row[tuple[Any, ...]]) -> TournamentRecord:
    return TournamentRecord(id=row.pool, pool=row.pool, settings=row.settings, created=row.at)


def slug(stem: str) -> str:
    """What ids are made of, from any name: letters and digits of any script, in small letters, joined by hyphens."""
    return re.sub(r"[\W_]+", "-", stem.casefold()).strip("-")[:_LONGEST].strip("-") or "tournament"


def _next_number(connection: Connection, slug: str) -> int:
    table = schema.tournament
    number = (connection.scalar(select(func.max(table.c.number)).where(table.c.slug == slug)) or 0) + 1
    pools = set(chain.pools(connection))  # pools may be made without a tournament, under any name
    while f"{slug}-{number}" in pools:
        number += 1
    return number
