"""Changes of ratings by matches, tests, voids of either, and adjustments, in the order of record."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Row,
    Select,
    Table,
    bindparam,
    cast,
    func,
    literal,
    null,
    select,
    union_all,
)

from paragone.domain import GLOBAL, Adjustment, RatingChange
from paragone.errors import Conflict, Corrupted
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import Real, Words, in_parts, of_few
from paragone.ledger.evidence import pools
from paragone.ledger.records import Progress, RecordedAdjustment
from paragone.ledger.statements import StatementForNames
from paragone.ratings.replay import adjust


def every(connection: Connection, pool: str, item: str | None = None) -> tuple[RatingChange, ...]:
    """The moves of all items of a pool, or of one; each begins where the one before it of its item and track ended.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    rows = connection.execute(_moves(pool, item))
    return tuple(change for row in rows for change in _nouns(row))


def page(connection: Connection, pool: str, after: int, count: int) -> tuple[list[RatingChange], int]:
    """So many moves of a pool from a place in its record on, in the order of record, and where the last of them is.

    Args:
        connection: A transaction.
        pool: The pool.
        after: The last row that is left out.
        count: Moves at the most; a test in a domain, which is two, counts as one.
    """
    rows = connection.execute(_moves(pool, after=after).limit(count)).all()
    return [change for row in rows for change in _nouns(row)], rows[-1].seq if rows else after


def _moves(pool: str, item: str | None = None, *, after: int = 0) -> CompoundSelect[Any] | Select[Any]:
    parts = [(table, part.where(table.c.seq > after) if after else part) for table, part in _PARTS]
    return merged(pool, parts, item)


def merged(
    pool: str, parts: Sequence[tuple[Table, Select[Any]]], item: str | None = None
) -> CompoundSelect[Any] | Select[Any]:
    """The same columns of several tables of a pool, ``seq`` among them, in the order of record; all rows or an item's.

    Args:
        pool: The pool.
        parts: The columns, with the table that they are of.
        item: Id of the item.
    """
    rows = [part.where(table.c.pool == pool) for table, part in parts]
    if item is not None:
        moves = union_all(*(row.where(table.c.item == item) for row, (table, _) in zip(rows, parts, strict=True)))
        few = moves.subquery()
        return select(few).order_by(of_few(few.c.seq))
    return union_all(*rows).order_by("seq")


def _nouns(row: Row[Any]) -> tuple[RatingChange, ...]:
    """The move of a row; or, of a test in a domain, both."""
    _, item, cause, k, expected, score, old, new, clamped, track, domain, *its_own = tuple(row)
    same = {"item": item, "match": cause, "k": k, "expected": expected, "score": score}
    change = RatingChange(old=old, new=new, clamped=clamped, track=track, **same)
    if domain is None:
        return (change,)
    old, new, clamped = its_own
    return (change, RatingChange(old=old, new=new, clamped=clamped, track=domain, **same))


def _part(table: Table, cause: str = "match", track: str | None = None) -> tuple[Table, Select[Any]]:
    """The columns that all moves have, from one table; what it lacks is nothing."""
    nothing = literal(0.0, Real)
    k, expected, score, clamped = (
        table.c[name] if name in table.c else nothing.label(name) for name in ("k", "expected", "score", "clamped")
    )
    whose = literal(GLOBAL, Words) if track is None else table.c[track]
    chosen = select(
        *table.c["seq", "item", cause],
        k,
        expected,
        score,
        *table.c["old", "new"],
        clamped,
        whose.label("track"),
        _or_absent(table, "domain", Words),
        *(_or_absent(table, f"domain_{name}", Real) for name in ("old", "new", "clamped")),
    )
    return table, chosen


def _or_absent(table: Table, name: str, kind: type[Real] | type[Words]) -> ColumnElement[Any]:
    """A column of a table, which most of these lack; where a text is empty, that is absent too."""
    if name not in table.c:
        return cast(null(), kind).label(name)
    column = table.c[name]
    return (func.nullif(column, "", type_=Words) if kind is Words else column).label(name)


_PARTS = (
    _part(schema.rating_change),
    _part(schema.adjustment, "adjustment"),
    _part(schema.track_change, track="track"),
    _part(schema.test, "test"),
    _part(schema.void_change, "test", track="track"),
)
"""What moves ratings."""


_change, _track = schema.rating_change, schema.track_change
_MOVED = tuple(field.name for field in fields(RatingChange) if field.name != "track")


def add(page: Page, changes: Sequence[RatingChange], *, compensates: bool) -> None:
    """Put rating changes on a page, those of domains too."""
    for change in changes:
        values = {name: getattr(change, name) for name in _MOVED}
        if change.track == GLOBAL:
            page.add(_change, **values, compensates=compensates)
        else:
            page.add(_track, **values, track=change.track, compensates=compensates)


def of_match(connection: Connection, pool: str, id: str, *, compensates: bool = False) -> tuple[RatingChange, ...]:
    """What a match did, or what its rollback did: the global changes, then those of domains."""
    return tuple(_of(connection, pool, [id], compensates=compensates))


def of_matches(connection: Connection, pool: str, ids: Sequence[str]) -> dict[str, list[RatingChange]]:
    """What some matches did, by id, each in the order of ``of_match``."""
    by_match: dict[str, list[RatingChange]] = defaultdict(list)
    for change in _of(connection, pool, ids, compensates=False):
        by_match[change.match].append(change)
    return by_match


def _asked(table: Table, *track: str) -> StatementForNames:
    conditions = table.c.pool == bindparam("of_pool"), table.c.compensates == bindparam("compensating")
    query = select(*table.c[*_MOVED, *track]).where(*conditions).order_by(of_few(table.c.seq))
    return StatementForNames(lambda matches: query.where(table.c.match.in_(matches)))


_BY_MATCH = (_asked(_change), _asked(_track, "track"))


def _of(connection: Connection, pool: str, ids: Sequence[str], *, compensates: bool) -> Iterator[RatingChange]:
    values = {"of_pool": pool, "compensating": compensates}
    for table in _BY_MATCH:
        for row in table.rows(connection, ids, values):
            yield _noun(*row)


def _noun(item: str, match: str, *numbers: Any) -> RatingChange:  # noqa: ANN401 - six floats, and a track perhaps
    old, new, k, expected, score, clamped, *track = numbers
    return RatingChange(
        item=item,
        match=match,
        old=old,
        new=new,
        k=k,
        expected=expected,
        score=score,
        clamped=clamped,
        track=track[0] if track else GLOBAL,
    )


_VOIDED = schema.void_change
_GLOBAL = (
    (schema.rating_change, "match", "new"),
    (schema.adjustment, "adjustment", "new"),
    (schema.test, "test", "new"),
)
_OF_DOMAIN = (
    (schema.track_change, "match", "new", schema.track_change.c.track),
    (schema.test, "test", "domain_new", schema.test.c.domain),
    (_VOIDED, "test", "new", _VOIDED.c.track),
)


def of_agent(
    connection: Connection, pool: str, agent: str, *, track: str = GLOBAL, count: int | None = None
) -> tuple[Progress, ...]:
    """Where a rating of an agent stood after each move, by matches, tests, voids and adjustments, newest first.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    commit = schema.commit
    if track == GLOBAL:
        parts = [_history_part(pool, agent, *columns) for columns in _GLOBAL]
        parts.append(_history_part(pool, agent, _VOIDED, "test", "new").where(_VOIDED.c.track == GLOBAL))
    else:
        parts = [
            _history_part(pool, agent, table, cause, elo).where(whose == track)
            for table, cause, elo, whose in _OF_DOMAIN
        ]
    moves = union_all(*parts).subquery()
    query = (
        select(moves.c.cause, moves.c.elo, commit.c.at)
        .join(commit, (commit.c.pool == pool) & (commit.c.number == moves.c.commit))
        .order_by(of_few(moves.c.seq).desc())
        .limit(count)
    )
    return tuple(Progress(at=row.at, elo=row.elo, cause=row.cause) for row in connection.execute(query))


def _history_part(pool: str, agent: str, table: Table, cause: str, elo: str) -> Select[Any]:
    """The moves of an agent in one table."""
    columns = table.c[cause].label("cause"), table.c[elo].label("elo")
    return select(*table.c["seq", "commit"], *columns).where(table.c.pool == pool, table.c.item == agent)


_adjustment = schema.adjustment
_CONTENT = ("item", "kind", "target", "share", "reason")
_EFFECT = ("old", "new", "clamped")


def put_adjustments(connection: Connection, page: Page, adjustments: Sequence[Adjustment]) -> tuple[RatingChange, ...]:
    """Add adjustments to a page, each with the change it causes; one that is recorded already changes nothing.

    Returns:
        A change for each, in the given order; for one that was recorded before, the change of then.

    Raises:
        NotFound: If the pool lacks one of the items.
        Conflict: If an adjustment of that id is recorded with other content.
    """
    pool = page.head.pool
    config = pools.config(connection, pool)
    known_by_id = _known_adjustments(connection, pool, [adjustment.id for adjustment in adjustments])
    before = running_ratings.some(
        connection, pool, [adjustment.item for adjustment in adjustments if adjustment.id not in known_by_id]
    )
    ratings = dict(before)
    for adjustment in adjustments:
        if adjustment.id in known_by_id:
            _require_same_adjustment(pool, known_by_id[adjustment.id][0], adjustment)
            continue
        ratings[adjustment.item], change = adjust(ratings[adjustment.item], adjustment, config)
        known_by_id[adjustment.id] = (adjustment, change)
        page.add(_adjustment, **_adjustment_values(adjustment, change))
    running_ratings.put(page, before, ratings)
    return tuple(known_by_id[adjustment.id][1] for adjustment in adjustments)


def recorded_adjustments(connection: Connection, pool: str) -> tuple[RecordedAdjustment, ...]:
    """All adjustments of a pool, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    query = chain.with_time(_adjustment, select(_adjustment)).where(_adjustment.c.pool == pool)
    return tuple(
        RecordedAdjustment(adjustment=_adjustment_of(row), change=_change_of(row), sequence=row.seq, at=row.at)
        for row in connection.execute(query.order_by(_adjustment.c.seq))
    )


def _known_adjustments(
    connection: Connection, pool: str, ids: Sequence[str]
) -> dict[str, tuple[Adjustment, RatingChange]]:
    """Which of some adjustments were made already, by id, and what they came to."""
    by_id: dict[str, tuple[Adjustment, RatingChange]] = {}
    for some_ids in in_parts(ids):
        condition = _adjustment.c.adjustment.in_(some_ids)
        rows = connection.execute(select(_adjustment).where(_adjustment.c.pool == pool, condition))
        by_id.update((row.adjustment, (_adjustment_of(row), _change_of(row))) for row in rows)
    return by_id


def _require_same_adjustment(pool: str, known: Adjustment, adjustment: Adjustment) -> None:
    if known != adjustment:
        field = next(name for name in _CONTENT if getattr(known, name) != getattr(adjustment, name))
        raise Conflict(
            f"adjustment {adjustment.id!r} of pool {pool!r} was made already, with another {field}; make another move "
            "under another id"
        )


def _adjustment_values(adjustment: Adjustment, change: RatingChange) -> dict[str, Any]:
    content = {name: getattr(adjustment, name) for name in _CONTENT}
    return {"adjustment": adjustment.id, **content, **{name: getattr(change, name) for name in _EFFECT}}


def _adjustment_of(row: Row[tuple[Any, ...]]) -> Adjustment:
    try:
        return Adjustment(id=row.adjustment, **{name: getattr(row, name) for name in _CONTENT})
    except ValueError as error:  # nothing of ours wrote that
        raise Corrupted(f"adjustment {row.adjustment!r} cannot be ({error}); an audit says more") from error


def _change_of(row: Row[tuple[Any, ...]]) -> RatingChange:
    effect = {name: getattr(row, name) for name in _EFFECT}
    return RatingChange(item=row.item, match=row.adjustment, **effect, k=0.0, expected=0.0, score=0.0)
