"""Tournaments, their rounds, events and spending, and the files of votes that were imported into them."""

import itertools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, literal_column, select

from paragone.domain import Item, ItemKind, Lineup, Order, Pairing, Planned, RatingConfig, Spending
from paragone.errors import Conflict, NotFound
from paragone.ledger import chain, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import canonical
from paragone.ledger.evidence import pools
from paragone.ledger.evidence import spending as spending_
from paragone.ledger.records import Event, PlannedRound, TournamentRecord
from paragone.ledger.statements import Statement

STARTED, JOINED, ROUND, REVIEWED = "started", "joined", "round", "reviewed"
"""Kinds of events: created; items joined later; notes on the plan of a round; new reviews of items that were there."""

_LONGEST = 40
_plan, _event = schema.planned_round, schema.tournament_event
_PLANS = select(*_plan.c["number", "pairings"]).where(_plan.c.pool == bindparam("of_pool")).order_by(_plan.c.seq)
_ROUNDS = Statement(_PLANS.offset(bindparam("beyond")))
_ROUND = Statement(_PLANS.where(_plan.c.number == bindparam("of_number")))
_TOURNAMENTS = chain.with_time(schema.tournament, select(*schema.tournament.c["pool", "settings"]))
_RECORDS = Statement(_TOURNAMENTS.order_by(schema.commit.c.id))
_RECORD = Statement(_TOURNAMENTS.where(schema.tournament.c.pool == bindparam("of_pool")))


def create(
    connection: Connection,
    stem: str,
    settings: Mapping[str, Any],
    items: Sequence[Item],
    config: RatingConfig,
    at: datetime,
    wish: Mapping[str, str] | None = None,
) -> TournamentRecord:
    """Create a tournament with its pool, its items and its ``started`` event.

    Args:
        connection: A transaction in which nobody else can create pools.
        stem: What its id is made of, such as the name of a file.
        settings: Its settings.
        items: Its items.
        config: Its rating parameters.
        at: The time of recording.
        wish: Identifies the request, as ``wished`` looks for it.

    Raises:
        Conflict: If two items with the same id differ.
        InvalidItems: If the items are of several kinds.
    """
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
    """The tournament that a request created; None if it created none.

    Raises:
        Conflict: If the key was used for another request.
    """
    event = schema.tournament_event
    query = select(event.c.pool, event.c.detail).where(event.c.kind == STARTED, event.c.detail != {})
    for row in connection.execute(query):
        if row.detail["key"] == wish["key"]:
            if row.detail != wish:
                raise Conflict(f"the key {wish['key']!r} was used for {row.pool}, which is another one: take a new key")
            return record(connection, row.pool)
    return None


def record(connection: Connection, id: str | None = None) -> TournamentRecord:
    """A tournament by its id, or the newest one.

    Raises:
        NotFound: If there is none; the message names some that exist.
    """
    if id is None:
        return _newest(connection)
    for row in _RECORD.rows(connection, {"of_pool": id}):
        return _record(*row)
    raise chain.absent("tournament", id, [other.id for other in records(connection)])


def _newest(connection: Connection) -> TournamentRecord:
    """The tournament that is meant where none is named: the newest that is neither archived nor deleted."""
    hidden = states(connection)
    every = [each for each in records(connection) if hidden.get(each.id) != JOURNAL]
    listed = [each for each in every if each.id not in hidden]
    if listed:
        return listed[-1]
    if every:
        raise NotFound(
            f"{'the only tournament' if len(every) == 1 else f'each of the {len(every):,} tournaments'} of the "
            "ledger was archived or deleted: paragone tournament list --all lists them; name one by its id, or "
            "bring it back with paragone tournament unarchive"
        )
    rated = any(pool.kind is ItemKind.AGENT for pool in pools.records(connection))
    agents = " (agents are here: paragone agents board)" if rated else ""
    raise NotFound(f"there is no tournament in the ledger yet{agents}; rank something first")


def records(connection: Connection) -> tuple[TournamentRecord, ...]:
    """All tournaments, oldest first."""
    return tuple(itertools.starmap(_record, _RECORDS.rows(connection, {})))


def put_event(connection: Connection, page: LedgerPage, kind: str, detail: Mapping[str, Any]) -> None:
    """Record an event.

    Raises:
        NotFound: If there is no such tournament.
    """
    put_events(connection, page, [(kind, detail)])


def put_events(connection: Connection, page: LedgerPage, events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Record several events, each a kind and its detail: all of them, or none.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, page.head.pool)
    for kind, detail in events:
        page.add(schema.tournament_event, kind=kind, detail=detail)


_EVENTS = Statement(
    chain.with_time(_event, select(*_event.c["kind", "detail"]))
    .where(_event.c.pool == bindparam("of_pool"), _event.c.seq > bindparam("after"))
    .order_by(_event.c.seq)
)


def events(connection: Connection, id: str, *, after: int = 0) -> tuple[Event, ...]:
    """The events of a tournament, in order.

    Args:
        connection: A transaction.
        id: Id of the tournament.
        after: How many events to skip: those that were read before.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, id)
    last = 0
    if after:  # keys alone, which are less to read than events
        seq = select(_event.c.seq).where(_event.c.pool == id).order_by(_event.c.seq)
        last = connection.scalar(seq.offset(after - 1).limit(1)) or sys.maxsize
    rows = _EVENTS.rows(connection, {"of_pool": id, "after": last})
    return tuple(Event(kind=kind, detail=detail, at=at) for kind, detail, at in rows)


ADMIN = "admin"
"""Kind of the events that record acts of admins."""
RENAMED, ARCHIVED, UNARCHIVED = "renamed", "archived", "unarchived"
"""Kinds of events: another title; hidden from lists, and shown again. ``chain.DELETED`` ends a tournament."""
JOURNAL = "journal"
"""Kind of the event that makes a tournament the journal of its ledger; lists leave it out."""
ABOUT = "about"
"""In events of the journal: the pool that they are about, if it is not a tournament."""
_MARKS = (RENAMED, ARCHIVED, UNARCHIVED, JOURNAL, chain.DELETED)
_ALL_MARKS = (
    chain.with_time(_event, select(*_event.c["pool", "kind", "detail"]))
    .where(_event.c.kind.in_([literal_column(f"'{kind}'") for kind in _MARKS]))
    .order_by(_event.c.pool, _event.c.seq)
)
_MARKED = Statement(_ALL_MARKS)
_MARKED_IN = Statement(_ALL_MARKS.where(_event.c.pool == bindparam("of_pool")))
_EXISTS = Statement(select(schema.tournament.c.seq).where(schema.tournament.c.pool == bindparam("of_pool")))


def marks(connection: Connection, id: str | None = None) -> tuple[tuple[str, Event], ...]:
    """The events that rename, archive or delete tournaments and other pools, with the pool of each, in order.

    Args:
        connection: A transaction.
        id: Those of one pool; of all if None.
    """
    of_pool = {"of_pool": id}
    alone = id is not None and _EXISTS.rows(connection, of_pool)  # the journal has none of its events
    rows = _MARKED_IN.rows(connection, of_pool) if alone else _MARKED.rows(connection, {})
    marked = ((detail.get(ABOUT, pool), Event(kind=kind, detail=detail, at=at)) for pool, kind, detail, at in rows)
    return tuple((pool, mark) for pool, mark in marked if id in (None, pool))


def states(connection: Connection) -> dict[str, str]:
    """Pools that lists leave out, each with ``archived``, ``deleted`` or ``journal``."""
    state: dict[str, str] = {}
    for pool, event in marks(connection):
        if event.kind == UNARCHIVED and state.get(pool) == ARCHIVED:
            del state[pool]
        elif event.kind in {ARCHIVED, JOURNAL, chain.DELETED} and state.get(pool) != chain.DELETED:
            state[pool] = event.kind
    return state


DOSSIER, BACKGROUND, INSIGHTS = "dossier", "background", "insights"
"""Kinds of events: goal, rubric or preferences changed; notes on items; the insights of a meta-review."""
DIRECTIVE, WITHDRAWN = "directive", "directive withdrawn"
"""Kinds of events: a person directed the judges, and took it back."""
GUIDANCE = (DOSSIER, BACKGROUND, INSIGHTS, DIRECTIVE, WITHDRAWN)


_GUIDING = Statement(
    chain.with_time(_event, select(*_event.c["seq", "kind", "detail"]))
    .where(_event.c.pool == bindparam("of_pool"), _event.c.seq > bindparam("after"), _event.c.seq < bindparam("before"))
    .where(_event.c.kind.in_([literal_column(f"'{kind}'") for kind in GUIDANCE]))
    .order_by(_event.c.seq)
)


def guidance(connection: Connection, id: str, after: int, before: int | None = None) -> tuple[tuple[int, Event], ...]:
    """The events that change what judges see beside the texts, each with its sequence number, in order.

    Args:
        connection: A transaction.
        id: Id of the tournament.
        after: Only those with a higher sequence number.
        before: Only those with a lower one; None for all.
    """
    last = sys.maxsize if before is None else before
    rows = _GUIDING.rows(connection, {"of_pool": id, "after": after, "before": last})
    return tuple((seq, Event(kind=kind, detail=detail, at=at)) for seq, kind, detail, at in rows)


def place_of_round(connection: Connection, id: str, number: int) -> int | None:
    """The sequence number of a round's plan; None if it is not on record."""
    rows = _PLACE.rows(connection, {"of_pool": id, "of_number": number})
    return rows[0][0] if rows else None


_PLACE = Statement(
    select(schema.planned_round.c.seq).where(
        schema.planned_round.c.pool == bindparam("of_pool"), schema.planned_round.c.number == bindparam("of_number")
    )
)


def _record(pool: str, settings: Mapping[str, Any], at: datetime) -> TournamentRecord:
    return TournamentRecord(id=pool, pool=pool, settings=settings, created=at)


def rounds(connection: Connection, tournament: str, *, beyond: int = 0) -> tuple[PlannedRound, ...]:
    """The planned rounds of a tournament, in the order of planning.

    Args:
        connection: A transaction.
        tournament: Its id.
        beyond: How many of the first to leave out; none is ever changed or removed.

    Raises:
        NotFound: If there is no such tournament.
    """
    record(connection, tournament)
    return tuple(itertools.starmap(_round, _ROUNDS.rows(connection, {"of_pool": tournament, "beyond": beyond})))


def put_round(
    connection: Connection, page: LedgerPage, number: int, pairings: Sequence[Planned], notes: Mapping[str, Any]
) -> None:
    """Put the plan of a round on a page; an equal plan again changes nothing.

    Raises:
        Conflict: If the round has another plan, or other notes.
    """
    id, detail = page.head.pool, {**notes, "number": number}
    rows = _ROUND.rows(connection, {"of_pool": id, "of_number": number})
    if not rows:
        page.add(_plan, number=number, pairings=list(map(_stored, pairings)))
        if notes:
            page.add(schema.tournament_event, kind=ROUND, detail=detail)
    elif _round(*rows[0]) != PlannedRound(number=number, pairings=tuple(pairings)):
        raise Conflict(f"round {number} of tournament {id!r} has another plan already")
    elif notes and canonical(detail) not in map(canonical, _notes(connection, id, number)):
        raise Conflict(f"round {number} of tournament {id!r} was planned already, with other notes")


def _round(number: int, pairings: Sequence[list[Any]]) -> PlannedRound:
    return PlannedRound(number=number, pairings=tuple(map(_planned, pairings)))


def _stored(planned: Planned) -> list[Any]:
    if isinstance(planned, Lineup):
        return [list(planned.items)]
    debate: list[Any] = [planned.turns, planned.degraded] if planned.turns or planned.degraded else []
    if planned.panel or planned.level:  # plans without them are stored as they were before there were any
        debate = [planned.turns, planned.degraded, planned.panel, planned.level]
    return [planned.a, planned.b, list(planned.orders), *debate]


def _planned(stored: list[Any]) -> Planned:
    if len(stored) == 1:
        return Lineup(items=tuple(stored[0]))
    a, b, orders, *debate = stored
    form: list[Any] = debate + [0, False, False, 0][len(debate) :]
    turns, degraded, panel, level = form
    orders_shown = tuple(map(Order, orders))
    return Pairing(a=a, b=b, orders=orders_shown, turns=turns, degraded=degraded, panel=panel, level=level)


def _notes(connection: Connection, id: str, number: int) -> list[Mapping[str, Any]]:
    details = (event.detail for event in events(connection, id) if event.kind == ROUND)
    return [detail for detail in details if detail["number"] == number]


def spending(connection: Connection, tournament: str) -> Spending:
    """The decisions, requests, tokens and dollars of a tournament.

    Raises:
        NotFound: If there is no such tournament.
    """
    return spending_.of_pool(connection, record(connection, tournament).pool)


def spending_by(connection: Connection, tournament: str, by: spending_.By) -> dict[str, Spending]:
    """The spending of a tournament by judge and advocate, or by call; the parts add up to the whole.

    Raises:
        NotFound: If there is no such tournament.
    """
    return spending_.by(connection, record(connection, tournament).pool, by)


def slug(stem: str) -> str:
    """The stem of ids, from any name: letters and digits of any script in lower case, joined by hyphens."""
    return re.sub(r"[\W_]+", "-", stem.casefold()).strip("-")[:_LONGEST].strip("-") or "tournament"


def _next_number(connection: Connection, slug: str) -> int:
    ((highest,),) = _HIGHEST.rows(connection, {"of_slug": slug})
    number = (highest or 0) + 1
    pools = set(chain.pools(connection))  # a pool without a tournament may have any name
    while f"{slug}-{number}" in pools:
        number += 1
    return number


_HIGHEST = Statement(
    select(func.max(schema.tournament.c.number)).where(schema.tournament.c.slug == bindparam("of_slug"))
)


IMPORT, IMPORTED = "import", "imported"
"""Kinds of events: the import of a file began; rows of it were recorded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedFile:
    """A file of votes, and how much of it a tournament has.

    Attributes:
        tournament: Id of the tournament.
        name: Name of the file.
        number: Its number among the files of the tournament, from 1.
        digests: After each chunk, a digest of all rows so far, by their number.
    """

    tournament: str
    name: str
    number: int
    digests: Mapping[int, str]

    @property
    def rows(self) -> int:
        """The number of recorded rows."""
        return max(self.digests, default=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileToImport:
    """A file of votes, and the tournament to import it into.

    Attributes:
        name: Name of the file.
        into: Id of a tournament, or the name of one that an import created or is to create.
        adds: Whether the caller named the tournament, so that another file may be added to it.
        how: How votes are read; the same for all files of a tournament.
        settings: Settings of the tournament, if it is to be created.
        config: Its rating parameters, if it is to be created.
    """

    name: str
    into: str
    adds: bool
    how: Mapping[str, Any]
    settings: Mapping[str, Any]
    config: RatingConfig


def begin_import(connection: Connection, file: FileToImport, at: datetime) -> ImportedFile:
    """Find or create the tournament of a file, and tell how much of the file is recorded.

    Args:
        connection: A transaction in which nobody else can create pools.
        file: The file.
        at: The time of recording.

    Raises:
        Conflict: If the tournament was not created by an import, reads votes in another way, or has other files and
            was not named.
    """
    tournament = _import_target(connection, file.into)
    if tournament is None:
        tournament = create(connection, file.into, file.settings, (), file.config, at)
        return _begin_file(connection, file, tournament.id, 1, at)
    files = _begun_files(connection, tournament.id)
    if not files:
        raise Conflict(f"{tournament.id} was judged, not imported; import the votes under another name (--into)")
    for previous in files:
        if previous["how"] != file.how:
            raise Conflict(
                f"{tournament.id} took its votes {_options_text(previous['how'])}, and {file.name} would be taken "
                f"{_options_text(file.how)}; say the same, or import under another name (--into)"
            )
        if previous["file"] == file.name:
            return _imported(connection, tournament.id, previous)
    if not file.adds:
        raise Conflict(
            f"{tournament.id} holds {files[-1]['file']} already; to add {file.name} to it say --into {tournament.id}, "
            "for a tournament of its own --into another name"
        )
    return _begin_file(connection, file, tournament.id, len(files) + 1, at)


def _import_target(connection: Connection, into: str) -> TournamentRecord | None:
    """The tournament with that id, or the newest with that name that an import created."""
    every = records(connection)
    exact = next((record for record in every if record.id == into), None)
    if exact is not None:
        return exact
    stem = slug(into)
    same_stem = (record for record in reversed(every) if record.id.rpartition("-")[0] == stem)
    return next((record for record in same_stem if _begun_files(connection, record.id)), None)


def _begun_files(connection: Connection, tournament: str) -> list[Mapping[str, Any]]:
    return [event.detail for event in events(connection, tournament) if event.kind == IMPORT]


def _begin_file(connection: Connection, file: FileToImport, tournament: str, number: int, at: datetime) -> ImportedFile:
    detail = {"file": file.name, "number": number, "how": dict(file.how)}
    with chain.appending(connection, tournament, at) as page:
        put_event(connection, page, IMPORT, detail)
    return ImportedFile(tournament=tournament, name=file.name, number=number, digests={})


def _imported(connection: Connection, tournament: str, file: Mapping[str, Any]) -> ImportedFile:
    digests = {
        event.detail["rows"]: event.detail["digest"]
        for event in events(connection, tournament)
        if event.kind == IMPORTED and event.detail["number"] == file["number"]
    }
    return ImportedFile(tournament=tournament, name=file["file"], number=file["number"], digests=digests)


def _options_text(how: Mapping[str, Any]) -> str:
    return f"with {', '.join(f'{name} {value}' for name, value in sorted(how.items()))}"
