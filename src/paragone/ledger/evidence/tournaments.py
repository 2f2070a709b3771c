"""Rows of tournaments and their events; files of votes that were imported into them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from paragone.domain import Item, ItemKind, RatingConfig
from paragone.errors import Conflict, NotFound
from paragone.ledger import chain, schema
from paragone.ledger.evidence import pools
from paragone.ledger.records import Event, TournamentRecord

STARTED, JOINED, ROUND = "started", "joined", "round"
"""Kinds of events: it was created; items were added after the start; what is noted about the plan of a round."""

_LONGEST = 40
_RECORDS = chain.with_time(schema.tournament, select(schema.tournament)).order_by(schema.commit.c.id)


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
    event = schema.tournament_event
    query = chain.with_time(event, select(event.c.kind, event.c.detail))
    query = query.where(event.c.pool == id).order_by(event.c.seq)
    if after:
        seq = select(event.c.seq).where(event.c.pool == id).order_by(event.c.seq)
        last = connection.scalar(seq.offset(after - 1).limit(1))  # keys alone, which are less to read than events
        query = query.where(event.c.seq > last) if last is not None else query.limit(0)
    return tuple(Event(kind=row.kind, detail=row.detail, at=row.at) for row in connection.execute(query))


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


IMPORT, IMPORTED = "import", "imported"
"""Kinds of events: a file is new to a tournament; rows of it were recorded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedFile:
    """How much of a file is in a tournament.

    Attributes:
        tournament: Id of the tournament.
        name: Name of the file.
        number: Its number among the files of the tournament, from 1.
        digests: By how many rows were there after each chunk, a digest of the rows up to there.
    """

    tournament: str
    name: str
    number: int
    digests: Mapping[int, str]

    @property
    def rows(self) -> int:
        """Rows that are there."""
        return max(self.digests, default=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileToImport:
    """What to import, and where to.

    Attributes:
        name: Name of the file.
        into: Id of a tournament, or the name of one that imports made or are to make.
        adds: Whether the caller named the tournament, so that another file may be added to it.
        how: How the votes are to be taken; all files of a tournament are taken alike.
        settings: Settings of the tournament, if it is to be made.
        config: How its ratings move, if it is to be made.
    """

    name: str
    into: str
    adds: bool
    how: Mapping[str, Any]
    settings: Mapping[str, Any]
    config: RatingConfig


def begin_import(connection: Connection, file: FileToImport, at: datetime) -> ImportedFile:
    """Find out where a file belongs and how much of it is there; make what is not there yet.

    Args:
        connection: A transaction that makes pools alone.
        file: The file.
        at: Now.

    Raises:
        Conflict: If the tournament was not made by imports, takes its votes otherwise, or has other files and was not
            named.
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
    """The tournament with that id, or the newest with that name that imports made."""
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
    add_events(connection, tournament, [(IMPORT, detail)], at)
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
