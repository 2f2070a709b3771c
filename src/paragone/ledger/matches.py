"""Matches: recorded whole, in one transaction, with the ratings they move."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, Text, bindparam, select, type_coerce

from paragone.domain import Comparison, Match, Ranking, Rating, RatingChange, RatingConfig
from paragone.errors import Conflict, LedgerError
from paragone.ledger import chain, pools, projections, rankings, schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import of_few
from paragone.ledger.records import RecordedMatch
from paragone.ledger.verdicts import Known, comparison_of
from paragone.ratings.replay import step

_match, _link, _change = schema.match, schema.match_comparison, schema.rating_change
_MOVED = tuple(field.name for field in fields(RatingChange))
_THERE = select(_match.c.seq).where(_match.c.pool == bindparam("of_pool"), _match.c.match == bindparam("of_match"))


def record(connection: Connection, pool: str, match: Match, at: datetime) -> tuple[RatingChange, ...]:
    """Record a match: its comparisons that are not kept yet, its outcome, the ratings it moves.

    Returns:
        The changes it made; for a match that is there already, those that it made then.

    Raises:
        NotFound: If there is no such pool, or one of the items is not in it.
        Conflict: If the match is there with other content, or one of its calls has another answer.
    """
    if match.a == match.b:
        raise LedgerError(f"match {match.id!r} pairs {match.a!r} with itself")
    with chain.appending(connection, pool, at) as page:
        before = _before(connection, pool, match)
        if before is None:
            (there,) = _load(connection, pool, _match.c.match == match.id)
            _require_equal(pool, there.match, match)
            return changes(connection, pool, _change.c.match == match.id, _change.c.compensates == 0)
        return _write(connection, page, match, *before)


@cache
def _standing(count: int) -> Select[tuple[Any, ...]]:
    """The ratings of so many items, the configuration of their pool, and whether a match is there: one question."""
    rating, pool = schema.rating, schema.pool
    items = [bindparam(f"item_{place}", type_=rating.c.item.type) for place in range(count)]
    config = type_coerce(pool.c.config, Text).label("config")
    return (
        select(*rating.c["item", *projections.RECORD], config, _THERE.scalar_subquery().label("there"))
        .join(pool, pool.c.pool == rating.c.pool)
        .where(rating.c.pool == bindparam("of_pool"), rating.c.item.in_(items))
    )


def _before(connection: Connection, pool: str, match: Match) -> tuple[tuple[Rating, ...], RatingConfig] | None:
    """The ratings of a match's items, in their order, and how they move; None for a match that is there already.

    Raises:
        NotFound: If one of the items is not in the pool.
    """
    asked = {"of_pool": pool, "of_match": match.id}
    items = {f"item_{place}": item for place, item in enumerate(match.items)}
    rows = connection.execute(_standing(len(items)), {**asked, **items}).all()
    if len(rows) < len(items) and connection.execute(_THERE, asked).first() is not None:
        return None  # with other items
    if rows and rows[0].there is not None:
        return None
    return projections.in_order(pool, rows, match.items), pools.configured(rows[0].config)


def _write(
    connection: Connection, page: Page, match: Match, before: tuple[Rating, ...], config: RatingConfig
) -> tuple[RatingChange, ...]:
    pool = page.head.pool
    _require_fitting(match)
    after, made = step(before, match, config)
    known = Known(connection, pool, match.answers)
    compared = [known.find(page, comparison) for comparison in match.comparisons]
    ranked = [] if match.ranking is None else [known.find(page, match.ranking)]
    page.add(_match, **_values(match))
    for seq in compared:
        page.add(_link, match=match.id, comparison=seq)
    for seq in ranked:
        page.add(schema.match_ranking, match=match.id, ranking=seq)
    add_changes(page, made, compensates=False)
    if made:
        page.after.append((projections.SET, projections.settings(pool, after)))
    return made


def _require_fitting(match: Match) -> None:
    """Refuse a match whose answers are about other items, or say something else than its outcome."""
    if match.ranking is None:
        shown = {id for comparison in match.comparisons for id in comparison.shown}
        if not shown <= {match.a, match.b}:
            raise LedgerError(f"match {match.id!r} between {match.a!r} and {match.b!r} has comparisons of other items")
        return
    told = Match.ranked(match.id, match.ranking)
    if match.comparisons or (match.a, match.b, match.outcome) != (told.a, told.b, told.outcome):
        raise LedgerError(f"match {match.id!r} does not say what its ranking says")


def add_changes(page: Page, made: Sequence[RatingChange], *, compensates: bool) -> None:
    """Put rating changes on a page."""
    for change in made:
        page.add(_change, **{name: getattr(change, name) for name in _MOVED}, compensates=compensates)


def recorded(connection: Connection, pool: str) -> tuple[RecordedMatch, ...]:
    """All matches of a pool, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.record(connection, pool)
    return tuple(_load(connection, pool))


def one(connection: Connection, pool: str, id: str) -> RecordedMatch:
    """A match.

    Raises:
        NotFound: If there is no such pool, or no such match in it.
    """
    pools.record(connection, pool)
    found = _load(connection, pool, _match.c.match == id)
    if not found:
        raise chain.absent("match", id, ids(connection, pool))
    return found[0]


def ids(connection: Connection, pool: str) -> list[str]:
    """Ids of all matches of a pool, in the order of record."""
    return list(connection.scalars(select(_match.c.match).where(_match.c.pool == pool).order_by(_match.c.seq)))


def changes(connection: Connection, pool: str, *conditions: ColumnElement[bool]) -> tuple[RatingChange, ...]:
    """The rating changes by matches and rollbacks that meet the conditions, in the order of record."""
    order = of_few(_change.c.seq) if conditions else _change.c.seq
    rows = connection.execute(select(_change).where(_change.c.pool == pool, *conditions).order_by(order))
    return tuple(_rating_change(row) for row in rows)


def _load(connection: Connection, pool: str, *conditions: ColumnElement[bool]) -> list[RecordedMatch]:
    rollback, commit = schema.rollback, schema.commit
    wanted = (
        select(_match, commit.c.at, rollback.c.seq.label("rolled_back"))
        .join(commit, _same_commit(_match))
        .outerjoin(rollback, (rollback.c.pool == _match.c.pool) & (rollback.c.match == _match.c.match))
        .where(_match.c.pool == pool, *conditions)
        .order_by(_match.c.seq)
    )
    rows = connection.execute(wanted).all()
    comparisons = _comparisons(connection, pool, *conditions) if rows else {}
    ranked = rankings.of_matches(connection, pool, *conditions) if rows else {}
    return [
        RecordedMatch(
            match=_of(row, comparisons.get(row.match, ()), ranked.get(row.match)),
            sequence=row.seq,
            at=row.at,
            rolled_back=row.rolled_back is not None,
        )
        for row in rows
    ]


def _comparisons(
    connection: Connection, pool: str, *conditions: ColumnElement[bool]
) -> dict[str, tuple[Comparison, ...]]:
    comparison = schema.comparison
    wanted = (
        select(_link.c.match.label("of_match"), comparison)
        .join(comparison, (comparison.c.pool == _link.c.pool) & (comparison.c.seq == _link.c.comparison))
        .join(_match, (_match.c.pool == _link.c.pool) & (_match.c.match == _link.c.match))
        .where(_link.c.pool == pool, *conditions)
        .order_by(of_few(_link.c.seq) if conditions else _link.c.seq)
    )
    found: dict[str, list[Comparison]] = defaultdict(list)
    for row in connection.execute(wanted):
        found[row.of_match].append(comparison_of(row))
    return {match: tuple(parts) for match, parts in found.items()}


def _same_commit(table: Table) -> ColumnElement[bool]:
    return (schema.commit.c.pool == table.c.pool) & (schema.commit.c.number == table.c.commit)


def _require_equal(pool: str, there: Match, match: Match) -> None:
    if there == match:
        return
    field = next(name for name in asdict(match) if getattr(there, name) != getattr(match, name))
    raise Conflict(
        f"match {match.id!r} of pool {pool!r} is recorded already, with another {field}; to correct it, roll it back "
        "and record the new one under another id"
    )


def _values(match: Match) -> dict[str, Any]:
    return {
        "match": match.id,
        "round": match.round,
        "a": match.a,
        "b": match.b,
        "outcome": match.outcome,
        "protocol": match.protocol,
        "confidence": match.confidence,
    }


def _of(row: Row[tuple[Any, ...]], comparisons: tuple[Comparison, ...], ranking: Ranking | None) -> Match:
    return Match(
        id=row.match,
        round=row.round,
        a=row.a,
        b=row.b,
        outcome=row.outcome,
        comparisons=comparisons,
        protocol=row.protocol,
        confidence=row.confidence,
        ranking=ranking,
    )


def _rating_change(row: Row[tuple[Any, ...]]) -> RatingChange:
    return RatingChange(
        item=row.item,
        match=row.match,
        old=row.old,
        new=row.new,
        k=row.k,
        expected=row.expected,
        score=row.score,
        clamped=row.clamped,
    )
