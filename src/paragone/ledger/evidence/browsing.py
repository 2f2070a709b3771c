"""What somebody who looks at a pool is shown of it: a page of its items or matches, however many there are.

Each question reads what it shows and little more, by an index; only a search may have to pass over all items.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    String,
    Table,
    cast,
    func,
    or_,
    select,
    type_coerce,
)

from paragone.domain import Item, Rating, RatingChange
from paragone.ledger import running_ratings, schema
from paragone.ledger.columns import escaped
from paragone.ledger.evidence import matches, pools, rating_changes
from paragone.ledger.records import Answered, RecordedMatch

_item, _match, _rating, _change = schema.item, schema.match, schema.rating, schema.rating_change
_ITEM = _item.c["item", "kind", "text"]
_HIGHEST_FIRST = (_rating.c.elo.desc(), _rating.c.item)
FIRST = 2_000
"""Ratings, the highest, among which a search looks before it passes over all texts."""
FOUND = 20_000
"""Items found by that pass up to which their ratings are looked up one by one."""


def items_since(connection: Connection, pool: str, after: int) -> tuple[int, int]:
    """How many items a pool has after a place in its record, and where the last of them is."""
    return _count(connection, _item, pool, after)


def matches_since(connection: Connection, pool: str, after: int) -> tuple[int, int]:
    """How many matches a pool has after a place in its record, rolled back ones too, and where the last of them is."""
    return _count(connection, _match, pool, after)


def count_rounds(connection: Connection, pool: str) -> int:
    """How many rounds of a tournament were planned."""
    return _count(connection, schema.planned_round, pool, 0)[0]


def _count(connection: Connection, table: Table, pool: str, after: int) -> tuple[int, int]:
    counted = select(func.count(), func.max(table.c.seq)).where(table.c.pool == pool, table.c.seq > after)
    row = connection.execute(counted).one()
    return int(row[0]), after if row[1] is None else int(row[1])


def some_items(connection: Connection, pool: str, ids: Sequence[str]) -> dict[str, Item]:
    """Those of some items that are in the pool, by id."""
    rows = connection.execute(select(*_ITEM).where(_item.c.pool == pool, _item.c.item.in_(ids)))
    return {row.item: Item(id=row.item, text=row.text, kind=row.kind) for row in rows}


def has_texts(connection: Connection, pool: str) -> bool:
    """Whether an item of a pool has a text beside its id."""
    query = select(_item.c.seq).where(_item.c.pool == pool, _item.c.text != _item.c.item, _item.c.text != "")
    return connection.execute(query.limit(1)).first() is not None


def items_after(connection: Connection, pool: str, after: int, count: int) -> list[tuple[int, Item]]:
    """So many items from a place in the record on, in the order of record, each with its place."""
    query = select(_item.c.seq, *_ITEM).where(_item.c.pool == pool, _item.c.seq > after)
    rows = connection.execute(query.order_by(_item.c.seq).limit(count))
    return [(row.seq, Item(id=row.item, text=row.text, kind=row.kind)) for row in rows]


def ratings_like(connection: Connection, pool: str, text: str, count: int) -> list[Rating]:
    """The ratings of items with a text in their id or their own, in any case, the highest first.

    Letters outside ASCII are found as they are written where the database knows no others. What many items have is
    found among the first ones; what few have, by one pass over the texts: quicker than in the order of ratings.
    """
    is_like = _is_like(connection, text)
    first = select(_rating).where(_rating.c.pool == pool).order_by(*_HIGHEST_FIRST).limit(FIRST).subquery()
    candidates = _highest_of(connection, pool, first, is_like, count)
    if len(candidates) == count:
        return candidates
    ids = connection.scalars(select(_item.c.item).where(_item.c.pool == pool, is_like).limit(FOUND + 1)).all()
    if len(ids) > FOUND:  # many, and yet few of the first ones
        return _highest_of(connection, pool, _rating, is_like, count)
    ratings = running_ratings.present(connection, pool, ids).values()
    return sorted(ratings, key=lambda rating: (-rating.elo, rating.item))[:count]


def _highest_of(
    connection: Connection, pool: str, ratings: FromClause, is_like: ColumnElement[bool], count: int
) -> list[Rating]:
    """The highest of some ratings whose items are as they should be."""
    joined = select(ratings).join(_item, (_item.c.pool == ratings.c.pool) & (_item.c.item == ratings.c.item))
    query = joined.where(ratings.c.pool == pool, is_like).order_by(ratings.c.elo.desc(), ratings.c.item)
    rows = connection.execute(query.limit(count))
    return [
        running_ratings.rating_of(*(getattr(row, name) for name in ("item", *running_ratings.RECORD))) for row in rows
    ]


def _is_like(connection: Connection, text: str) -> ColumnElement[bool]:
    pattern = "%" + re.sub(r"([%_/])", r"/\1", escaped(text)) + "%"
    texts = [type_coerce(column, String) for column in (_item.c.item, _item.c.text)]
    if connection.dialect.name == "sqlite":  # whose LIKE is for any case as it is, and twice as quick so
        return or_(*(column.like(pattern, escape="/") for column in texts))
    return or_(*(column.ilike(pattern, escape="/") for column in texts))


def higher(connection: Connection, pool: str, elos: Iterable[float]) -> dict[float, int]:
    """How many items have a higher running Elo than each of some, counted in one pass from the highest on."""
    counts, total = {}, 0
    counted = select(func.count()).select_from(_rating).where(_rating.c.pool == pool)
    for elo in sorted(set(elos), reverse=True):
        total += connection.scalar(counted.where(_rating.c.elo > elo)) or 0
        counts[elo] = total
        counted = select(func.count()).select_from(_rating).where(_rating.c.pool == pool, _rating.c.elo <= elo)
    return counts


def latest_scores(connection: Connection, pool: str, ids: Sequence[str], count: int) -> dict[str, list[float]]:
    """What items scored in the last matches that moved their rating and stand, the newest first, by id."""
    voided = select(schema.rollback.c.match).where(schema.rollback.c.pool == pool)
    order = (
        _change.c.seq + 0
    ).desc()  # or all moves of the pool would be read in this order, where one item is asked for
    rank = func.row_number().over(partition_by=_change.c.item, order_by=order).label("place")
    ranked = (
        select(_change.c.item, _change.c.score, rank)
        .where(_change.c.pool == pool, _change.c.item.in_(ids), _change.c.compensates.in_([False]))
        .where(_change.c.match.not_in(voided))
        .subquery()
    )
    rows = connection.execute(
        select(ranked.c.item, ranked.c.score).where(ranked.c.place <= count).order_by(ranked.c.item, ranked.c.place)
    )
    scores: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        scores[row.item].append(row.score)
    return dict(scores)


def matches_before(
    connection: Connection, pool: str, before: int | None, count: int, item: str | None = None
) -> list[RecordedMatch]:
    """So many matches from a place in the record backwards, newest first; of an item, those that moved its rating."""
    query = _of_item(pool, item) if item is not None else select(_match.c.seq, _match.c.match)
    query = query.where(_match.c.pool == pool)
    if before is not None:
        query = query.where(_match.c.seq < before)
    order = _match.c.seq if item is None else _match.c.seq + 0  # of an item: few, found by the index of its moves
    ids = [row.match for row in connection.execute(query.order_by(order.desc()).limit(count))]
    by_id = matches.with_changes(connection, pool, ids) if ids else {}
    return [by_id[id][0] for id in ids]


def _of_item(pool: str, item: str) -> Select[tuple[int, str]]:
    changed = select(_change.c.match).where(
        _change.c.pool == pool, _change.c.item == item, _change.c.compensates.in_([False])
    )
    return select(_match.c.seq, _match.c.match).where(_match.c.match.in_(changed))


def rollbacks_after(connection: Connection, pool: str, after: int) -> list[tuple[int, str]]:
    """Matches that were rolled back after a place in the record, in order, each with the place of its rollback."""
    row = schema.rollback
    query = select(row.c.seq, row.c.match).where(row.c.pool == pool, row.c.seq > after).order_by(row.c.seq)
    return [(rollback.seq, rollback.match) for rollback in connection.execute(query)]


def item_at(connection: Connection, pool: str, share: float) -> str | None:
    """An item at a share of the way from the first to the last in the record; None where there are no items."""
    seqs = select(_item.c.seq).where(_item.c.pool == pool).limit(1)  # each end alone, which is where an index begins
    least = connection.scalar(seqs.order_by(_item.c.seq))
    most = connection.scalar(seqs.order_by(_item.c.seq.desc()))
    if least is None or most is None:
        return None
    query = select(_item.c.item).where(_item.c.pool == pool, _item.c.seq >= least + int(share * (most - least)))
    return str(connection.scalar(query.order_by(_item.c.seq).limit(1)))


def effects(connection: Connection, pool: str, id: str) -> tuple[tuple[RatingChange, ...], tuple[RatingChange, ...]]:
    """What a match did to ratings, and what its rollback did; the latter empty where there was none."""
    did = rating_changes.of_match(connection, pool, id)
    return did, rating_changes.of_match(connection, pool, id, compensates=True)


def has_match(connection: Connection, pool: str, id: str) -> bool:
    """Whether a match is in a pool."""
    query = select(_match.c.seq).where(_match.c.pool == pool, _match.c.match == id)
    return connection.execute(query).first() is not None


def answered_by(connection: Connection, pool: str, beginnings: Sequence[str], after: int) -> tuple[list[Answered], int]:
    """What judges whose identities begin so were asked once and answered in matches; and where the record ends.

    Args:
        connection: A transaction.
        pool: The pool.
        beginnings: Of identities.
        after: The last place of the record that is left out.
    """
    comparison, link = schema.comparison, schema.match_comparison
    last = connection.scalar(select(func.max(link.c.seq)).where(link.c.pool == pool)) or after
    query = (
        select(link.c.match, *comparison.c["judge", "first", "second", "choice"])
        .join(comparison, (comparison.c.pool == link.c.pool) & (comparison.c.seq == link.c.comparison))
        .where(link.c.pool == pool, link.c.seq > after, link.c.seq <= last)
        .where(or_(*(cast(comparison.c.judge, String).startswith(answer) for answer in beginnings)))
        .order_by(link.c.seq)
    )
    answers: dict[str, Answered | None] = {}
    for row in connection.execute(query):
        once = row.match not in answers
        answers[row.match] = Answered(**dict(zip(row._fields, row, strict=True))) if once else None
    return [answer for answer in answers.values() if answer is not None], last


def changes_of(connection: Connection, pool: str, ids: Sequence[str]) -> list[RatingChange]:
    """What some matches did to ratings."""
    return [change for changes in rating_changes.of_matches(connection, pool, ids).values() for change in changes]


def reason(connection: Connection, pool: str, id: str) -> str:
    """Why a match was rolled back; empty where it was not."""
    row = schema.rollback
    return str(connection.scalar(select(row.c.reason).where(row.c.pool == pool, row.c.match == id)) or "")


def page(
    connection: Connection, pool: str, *, after: int, count: int, below: Rating | None = None
) -> tuple[Rating, ...]:
    """So many ratings after the first so many below a given one, the highest first; equal ones in the order of ids.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    query = select(_rating).where(_rating.c.pool == pool)
    order = (_rating.c.elo.desc(), _rating.c.item)
    if below is None:
        rows = connection.execute(query.order_by(*order).limit(count).offset(after)).all()
    else:  # in two parts, each of which the index has in one piece: many items may share a rating
        least = after + count
        equal = query.where(_rating.c.elo == below.elo, _rating.c.item > below.item).order_by(_rating.c.item)
        rows = list(connection.execute(equal.limit(least)))
        lower = query.where(_rating.c.elo < below.elo).order_by(*order)
        rows = [*rows, *connection.execute(lower.limit(least - len(rows)))][after:]
    return tuple(
        Rating(item=row.item, elo=row.elo, matches=row.matches, wins=row.wins, losses=row.losses, ties=row.ties)
        for row in rows
    )
