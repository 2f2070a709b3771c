"""Changes of ratings by matches, tests, voids of either, and adjustments, in the order of record."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
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
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import Real, TextType, of_few
from paragone.ledger.evidence import pools
from paragone.ledger.records import RatingPoint, RecordedAdjustment
from paragone.ledger.statements import Statement, StatementForNames
from paragone.ratings.running_elo import adjust


def every(connection: Connection, pool: str, item: str | None = None) -> tuple[RatingChange, ...]:
    """Every rating change, of all items or of one, in the order of record.

    Each starts where the previous one of the same item and track ended. Compensating changes are included, and so
    are adjustments and tests, with their own id as the match. A track that ended starts anew.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    statement, values = (_EVERY, {}) if item is None else (_OF_ITEM, {"of_item": item})
    rows = statement.rows(connection, {"of_pool": pool, **values})
    return tuple(change for row in rows for change in _changes(row))


def page(connection: Connection, pool: str, after: int, count: int) -> tuple[list[RatingChange], int]:
    """A page of the changes of a pool, in the order of record, and the sequence number of the last.

    Args:
        connection: A transaction.
        pool: The pool.
        after: The sequence number before the page.
        count: The largest number of changes; the two of a test in a domain count as one.
    """
    rows = _FOLLOWING.rows(connection, {"of_pool": pool, "after": after, "most": count})
    return [change for row in rows for change in _changes(row)], rows[-1][0] if rows else after


def merged(
    pool: str | BindParameter[str],
    parts: Sequence[tuple[Table, Select[Any]]],
    item: str | BindParameter[str] | None = None,
) -> CompoundSelect[Any] | Select[Any]:
    """Rows of several tables of a pool, all with the same columns, in the order of record; of all items or of one.

    Args:
        pool: The pool.
        parts: Each table with the query for its columns, ``seq`` among them.
        item: Id of the item.
    """
    rows = [part.where(table.c.pool == pool) for table, part in parts]
    if item is not None:
        moves = union_all(*(row.where(table.c.item == item) for row, (table, _) in zip(rows, parts, strict=True)))
        few = moves.subquery()
        return select(few).order_by(of_few(few.c.seq))
    return union_all(*rows).order_by("seq")


def _changes(row: tuple[Any, ...]) -> tuple[RatingChange, ...]:
    """The change of a row; for a test in a domain, both changes."""
    _, item, cause, k, expected, score, old, new, clamped, track, domain, *in_domain = row
    same = {"item": item, "match": cause, "k": k, "expected": expected, "score": score}
    change = RatingChange(old=old, new=new, clamped=clamped, track=track, **same)
    if domain is None:
        return (change,)
    old, new, clamped = in_domain
    return (change, RatingChange(old=old, new=new, clamped=clamped, track=domain, **same))


def _part(table: Table, cause: str = "match", track: str | None = None) -> tuple[Table, Select[Any]]:
    """The columns of a change, from one table; zero or NULL for those that it lacks."""
    nothing = literal(0.0, Real)
    k, expected, score, clamped = (
        table.c[name] if name in table.c else nothing.label(name) for name in ("k", "expected", "score", "clamped")
    )
    track_column = literal(GLOBAL, TextType) if track is None else table.c[track]
    chosen = select(
        *table.c["seq", "item", cause],
        k,
        expected,
        score,
        *table.c["old", "new"],
        clamped,
        track_column.label("track"),
        _or_absent(table, "domain", TextType),
        *(_or_absent(table, f"domain_{name}", Real) for name in ("old", "new", "clamped")),
    )
    return table, chosen


def _or_absent(table: Table, name: str, kind: type[Real] | type[TextType]) -> ColumnElement[Any]:
    """A column that most of the tables lack; NULL there, and for an empty text."""
    if name not in table.c:
        return cast(null(), kind).label(name)
    column = table.c[name]
    return (func.nullif(column, "", type_=TextType) if kind is TextType else column).label(name)


_PARTS = (
    _part(schema.rating_change),
    _part(schema.adjustment, "adjustment"),
    _part(schema.track_change, track="track"),
    _part(schema.test, "test"),
    _part(schema.void_change, "test", track="track"),
)
"""The tables with changes of ratings."""
_POOL: BindParameter[str] = bindparam("of_pool")
_EVERY, _OF_ITEM = Statement(merged(_POOL, _PARTS)), Statement(merged(_POOL, _PARTS, bindparam("of_item")))
_LATER = [(table, part.where(table.c.seq > bindparam("after"))) for table, part in _PARTS]
_FOLLOWING = Statement(merged(_POOL, _LATER).limit(bindparam("most")))


_change, _track = schema.rating_change, schema.track_change
_FIELDS = tuple(field.name for field in fields(RatingChange) if field.name != "track")


def add(page: LedgerPage, changes: Sequence[RatingChange], *, compensates: bool) -> None:
    """Put rating changes on a page, those of domains too."""
    for change in changes:
        values = {
            "item": change.item,
            "match": change.match,
            "old": change.old,
            "new": change.new,
            "k": change.k,
            "expected": change.expected,
            "score": change.score,
            "clamped": change.clamped,
            "compensates": compensates,
        }
        if change.track == GLOBAL:
            page.add(_change, **values)
        else:
            page.add(_track, **values, track=change.track)


def of_match(connection: Connection, pool: str, id: str, *, compensates: bool = False) -> tuple[RatingChange, ...]:
    """The changes by a match, or by its rollback: the global ones, then those in domains."""
    return tuple(_of(connection, pool, [id], compensates=compensates))


def matches_of(pool: str | ColumnElement[str], item: str | BindParameter[str]) -> Select[tuple[str]]:
    """The query for the matches that changed the rating of an item."""
    return select(_change.c.match).where(_change.c.pool == pool, _change.c.item == item, _change.c.compensates == 0)


def of_matches(connection: Connection, pool: str, ids: Sequence[str]) -> dict[str, list[RatingChange]]:
    """The changes by some matches, by id, each in the order of ``of_match``."""
    by_match: dict[str, list[RatingChange]] = defaultdict(list)
    for change in _of(connection, pool, ids, compensates=False):
        by_match[change.match].append(change)
    return by_match


def _by_match(table: Table, names: Sequence[str]) -> tuple[Sequence[str], StatementForNames]:
    """The names of the columns of a table with changes by matches, and the query for those columns."""
    conditions = table.c.pool == bindparam("of_pool"), table.c.compensates == bindparam("compensating")
    query = select(*table.c[*names]).where(*conditions).order_by(of_few(table.c.seq))
    return names, StatementForNames(lambda matches: query.where(table.c.match.in_(matches)))


_BY_MATCH = (_by_match(_change, _FIELDS), _by_match(_track, (*_FIELDS, "track")))


def _of(connection: Connection, pool: str, ids: Sequence[str], *, compensates: bool) -> Iterator[RatingChange]:
    for names, statement in _BY_MATCH:
        for row in statement.rows(connection, ids, {"of_pool": pool, "compensating": compensates}):
            yield RatingChange(**dict(zip(names, row, strict=True)))


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
) -> tuple[RatingPoint, ...]:
    """A rating of an agent after each change by a match, test, rollback or adjustment, newest first.

    Args:
        connection: A transaction.
        pool: The pool.
        agent: Id of the agent; an unknown one has no history.
        track: A domain, or the global rating.
        count: The largest number of changes; None for all.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    statement = _history(track == GLOBAL)
    conditions = {"of_track": track} if track != GLOBAL else {}
    values = {"of_pool": pool, "of_agent": agent, "most": ALL if count is None else count, **conditions}
    return tuple([RatingPoint(at=at, elo=elo, cause=cause) for cause, elo, at in statement.rows(connection, values)])


ALL = 2**62
"""A limit that nothing reaches."""


@cache
def _history(of_all: bool) -> Statement:
    """The changes of an agent's global rating, or of its rating in a domain, newest first."""
    commit = schema.commit
    if of_all:
        parts = [_history_part(*columns) for columns in _GLOBAL]
        parts.append(_history_part(_VOIDED, "test", "new").where(_VOIDED.c.track == GLOBAL))
    else:
        parts = [
            _history_part(table, cause, elo).where(track_column == bindparam("of_track"))
            for table, cause, elo, track_column in _OF_DOMAIN
        ]
    moves = union_all(*parts).subquery()
    return Statement(
        select(moves.c.cause, moves.c.elo, commit.c.at)
        .join(commit, (commit.c.pool == bindparam("of_pool")) & (commit.c.number == moves.c.commit))
        .order_by(of_few(moves.c.seq).desc())
        .limit(bindparam("most"))
    )


def _history_part(table: Table, cause: str, elo: str) -> Select[Any]:
    """The changes of an agent in one table."""
    columns = table.c[cause].label("cause"), table.c[elo].label("elo")
    own = (table.c.pool == bindparam("of_pool")) & (table.c.item == bindparam("of_agent"))
    return select(*table.c["seq", "commit"], *columns).where(own)


_adjustment = schema.adjustment
_CONTENT = ("item", "kind", "target", "share", "reason")
_EFFECT = ("old", "new", "clamped")


def put_adjustments(
    connection: Connection, page: LedgerPage, adjustments: Sequence[Adjustment]
) -> tuple[RatingChange, ...]:
    """Move ratings without a match, all or none; an adjustment that is already recorded changes nothing.

    Matches and adjustments apply in the order of record, also in audits, rollbacks and what-ifs. The floor and
    ceiling of the pool hold. An adjustment does not count as a match.

    Returns:
        One change per adjustment, in the given order; for one that is already recorded, the change of then. Its
        match is the adjustment's id; K, expectation and score are 0.

    Raises:
        NotFound: If there is no such pool, or it lacks one of the items.
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
    return tuple(
        RecordedAdjustment(adjustment=_adjustment_of(row), change=_change_of(row), sequence=row.seq, at=row.at)
        for row in _RECORDED.named_rows(connection, {"of_pool": pool})
    )


_RECORDED = Statement(
    chain.with_time(_adjustment, select(_adjustment))
    .where(_adjustment.c.pool == bindparam("of_pool"))
    .order_by(_adjustment.c.seq)
)


def _known_adjustments(
    connection: Connection, pool: str, ids: Sequence[str]
) -> dict[str, tuple[Adjustment, RatingChange]]:
    """Which of some adjustments were made already, by id, and what they came to."""
    rows = _MADE.named_rows(connection, list(dict.fromkeys(ids)), {"of_pool": pool})
    return {row.adjustment: (_adjustment_of(row), _change_of(row)) for row in rows}


_MADE = StatementForNames(
    lambda ids: select(_adjustment).where(_adjustment.c.pool == bindparam("of_pool"), _adjustment.c.adjustment.in_(ids))
)


def _require_same_adjustment(pool: str, recorded: Adjustment, adjustment: Adjustment) -> None:
    if recorded != adjustment:
        field = next(name for name in _CONTENT if getattr(recorded, name) != getattr(adjustment, name))
        raise Conflict(
            f"adjustment {adjustment.id!r} of pool {pool!r} is recorded already, with another {field}; record this one "
            "under another id"
        )


def _adjustment_values(adjustment: Adjustment, change: RatingChange) -> dict[str, Any]:
    content = {name: getattr(adjustment, name) for name in _CONTENT}
    return {"adjustment": adjustment.id, **content, **{name: getattr(change, name) for name in _EFFECT}}


def _adjustment_of(row: Row[tuple[Any, ...]]) -> Adjustment:
    try:
        return Adjustment(id=row.adjustment, **{name: getattr(row, name) for name in _CONTENT})
    except ValueError as error:  # no version of paragone wrote such a row
        raise Corrupted(f"adjustment {row.adjustment!r} is not valid ({error}); an audit says more") from error


def _change_of(row: Row[tuple[Any, ...]]) -> RatingChange:
    return uncontested(row.item, row.adjustment, **{name: getattr(row, name) for name in _EFFECT})


def uncontested(
    item: str, cause: str, old: float, new: float, *, clamped: float = 0.0, track: str = GLOBAL
) -> RatingChange:
    """A change without a contest, by an adjustment, a test or a void: its K, expectation and score are zero."""
    return RatingChange(
        item=item, match=cause, old=old, new=new, k=0.0, expected=0.0, score=0.0, clamped=clamped, track=track
    )
