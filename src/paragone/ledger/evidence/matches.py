"""Matches: recorded whole, in one transaction, with the ratings they move."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Row,
    Select,
    Text,
    bindparam,
    select,
    type_coerce,
)

from paragone.domain import Comparison, Match, Ranking, Rating, RatingChange, RatingConfig, Scorecard
from paragone.errors import Conflict, Corrupted, LedgerError
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import in_parts, of_few
from paragone.ledger.evidence import pools, rating_changes, verdicts
from paragone.ledger.evidence.verdicts import Attempts, comparison_of
from paragone.ledger.records import RecordedMatch
from paragone.ledger.statements import Statement, StatementForNames
from paragone.ratings.replay import step

_scorecard = schema.scorecard
_SAID = ("domain", "task", "counting", "normalization")


def scorecard_values(scorecard: Scorecard) -> dict[str, Any]:
    """A scorecard as the values of its row, less its match."""
    multipliers = scorecard.multipliers or (1.0,) * len(scorecard.participants)
    entries = zip(scorecard.participants, map(float, scorecard.scores), map(float, multipliers), strict=True)
    return {"entries": [list(entry) for entry in entries], **{name: getattr(scorecard, name) for name in _SAID}}


def scorecard_of(row: Row[tuple[Any, ...]]) -> Scorecard:
    """A row as the scorecard that was recorded.

    Raises:
        Corrupted: If it cannot be one.
    """
    try:
        participants, scores, multipliers = zip(*row.entries, strict=True)
        return Scorecard(
            participants=participants,
            scores=scores,
            multipliers=() if all(times == 1.0 for times in multipliers) else multipliers,
            **{name: getattr(row, name) for name in _SAID},
        )
    except (TypeError, ValueError) as error:  # nothing of ours wrote that
        raise Corrupted(f"the scorecard of match {row.match!r} cannot be ({error}); an audit says more") from error


def scorecards_of_matches(connection: Connection, pool: str, *conditions: ColumnElement[bool]) -> dict[str, Scorecard]:
    """The scorecards of matches, by the match's id, for those that meet the conditions."""
    match = schema.match
    query = (
        select(_scorecard)
        .join(match, (match.c.pool == _scorecard.c.pool) & (match.c.match == _scorecard.c.match))
        .where(_scorecard.c.pool == pool, *conditions)
    )
    return {row.match: scorecard_of(row) for row in connection.execute(query)}


_match, _link = schema.match, schema.match_comparison
_WHERE = select(_match.c.seq).where(_match.c.pool == bindparam("of_pool"), _match.c.match == bindparam("of_match"))
_THERE = Statement(_WHERE)


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
            (recorded_match,) = _load(connection, pool, _match.c.match == match.id)
            _require_equal(pool, recorded_match.match, match)
            return rating_changes.of_match(connection, pool, match.id)
        return _write(connection, page, match, *before)


@StatementForNames
def _standing(items: Sequence[BindParameter[str]]) -> Select[tuple[Any, ...]]:
    """The configuration of a pool, whether a match is there, and the ratings of items: one question."""
    rating, pool = schema.rating, schema.pool
    return (
        select(
            type_coerce(pool.c.config, Text).label("config"),
            _WHERE.scalar_subquery().label("there"),
            *rating.c["item", *running_ratings.RECORD],
        )
        .join(pool, pool.c.pool == rating.c.pool)
        .where(rating.c.pool == bindparam("of_pool"), rating.c.item.in_(items))
    )


def _before(connection: Connection, pool: str, match: Match) -> tuple[tuple[Rating, ...], RatingConfig] | None:
    """The ratings of a match's items, in their order, and how they move; None for a match that is there already.

    Raises:
        NotFound: If one of the items is not in the pool.
    """
    values = {"of_pool": pool, "of_match": match.id}
    rows = _standing.rows(connection, match.items, values)
    if len(rows) < len(match.items) and _THERE.rows(connection, values):
        return None  # with other items
    by_item = {rating.item: rating for rating in (running_ratings.rating_of(*record) for _, _, *record in rows)}
    config, match_seq = rows[0][:2] if rows else ("", None)
    if match_seq is not None:
        return None
    running_ratings.require(pool, by_item, match.items)
    return tuple([by_item[item] for item in match.items]), pools.configured(config)


def _write(
    connection: Connection, page: Page, match: Match, before: tuple[Rating, ...], config: RatingConfig
) -> tuple[RatingChange, ...]:
    pool = page.head.pool
    _require_fitting(match)
    after, changes = step(before, match, config)
    attempts = Attempts(connection, pool, match.answers)
    compared = [attempts.find_or_add(page, comparison) for comparison in match.comparisons]
    ranked = [] if match.ranking is None else [attempts.find_or_add(page, match.ranking)]
    page.add(_match, **values_of(match))
    for seq in compared:
        page.add(_link, match=match.id, comparison=seq)
    for seq in ranked:
        page.add(schema.match_ranking, match=match.id, ranking=seq)
    rating_changes.add(page, changes, compensates=False)
    if changes:
        running_ratings.put(page, *({rating.item: rating for rating in ratings} for ratings in (before, after)))
    return changes


def _require_fitting(match: Match) -> None:
    """Refuse a match whose answers are about other items, or say something else than its outcome."""
    if match.scorecard is not None:
        raise LedgerError(f"match {match.id!r} has a scorecard: record_scores takes it")
    if match.ranking is None:
        items = {id for comparison in match.comparisons for id in comparison.shown}
        if not items <= {match.a, match.b}:
            raise LedgerError(f"match {match.id!r} between {match.a!r} and {match.b!r} has comparisons of other items")
        return
    expected = Match.ranked(match.id, match.ranking)
    if match.comparisons or (match.a, match.b, match.outcome) != (expected.a, expected.b, expected.outcome):
        raise LedgerError(f"match {match.id!r} does not say what its ranking says")


def recorded(connection: Connection, pool: str) -> tuple[RecordedMatch, ...]:
    """All matches of a pool, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.record(connection, pool)
    return tuple(_load(connection, pool))


def page(connection: Connection, pool: str, after: int, count: int) -> tuple[list[RecordedMatch], int]:
    """So many matches of a pool from a place in its record on, in the order of record, and where the last of them is.

    Args:
        connection: A transaction.
        pool: The pool.
        after: The last row that is left out.
        count: Matches at the most.
    """
    rows = select(_match.c.seq, _match.c.match).where(_match.c.pool == pool, _match.c.seq > after)
    found_rows = connection.execute(rows.order_by(_match.c.seq).limit(count)).all()
    if not found_rows:
        return [], after
    last, condition = found_rows[-1].seq, _match.c.match.in_([row.match for row in found_rows])
    return _load(connection, pool, _match.c.seq > after, _match.c.seq <= last, by_name=condition), last


def one(connection: Connection, pool: str, id: str) -> RecordedMatch:
    """A match.

    Raises:
        NotFound: If there is no such pool, or no such match in it.
    """
    pools.record(connection, pool)
    matches = _load(connection, pool, _match.c.match == id)
    if not matches:
        raise chain.absent("match", id, ids(connection, pool))
    return matches[0]


def ids(connection: Connection, pool: str) -> list[str]:
    """Ids of all matches of a pool, in the order of record."""
    return list(connection.scalars(select(_match.c.match).where(_match.c.pool == pool).order_by(_match.c.seq)))


def with_changes(
    connection: Connection, pool: str, ids: Collection[str]
) -> dict[str, tuple[RecordedMatch, tuple[RatingChange, ...]]]:
    """Some of the matches of a pool by id, each with what it did: the global changes, then those of its domain."""
    by_id: dict[str, tuple[RecordedMatch, tuple[RatingChange, ...]]] = {}
    for part in in_parts(list(ids)):
        did = rating_changes.of_matches(connection, pool, part)
        entries = _load(connection, pool, _match.c.match.in_(part))
        by_id.update((entry.match.id, (entry, tuple(did.get(entry.match.id, ())))) for entry in entries)
    return by_id


def _load(
    connection: Connection, pool: str, *conditions: ColumnElement[bool], by_name: ColumnElement[bool] | None = None
) -> list[RecordedMatch]:
    """The matches that meet the conditions; for many, ``by_name`` is the condition that finds their answers."""
    rollback = schema.rollback
    query = (
        chain.with_time(_match, select(_match, rollback.c.seq.label("rolled_back")))
        .outerjoin(rollback, (rollback.c.pool == _match.c.pool) & (rollback.c.match == _match.c.match))
        .where(_match.c.pool == pool, *conditions)
        .order_by(of_few(_match.c.seq) if conditions and by_name is None else _match.c.seq)
    )
    rows = connection.execute(query).all()
    theirs = conditions if by_name is None else (by_name,)
    comparisons = _comparisons(connection, pool, *theirs) if rows else {}
    ranked = verdicts.rankings_of_matches(connection, pool, *theirs) if rows else {}
    scored = scorecards_of_matches(connection, pool, *theirs) if rows else {}
    return [
        RecordedMatch(
            match=_of(row, comparisons.get(row.match, ()), ranked.get(row.match), scored.get(row.match)),
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
    query = (
        select(_link.c.match.label("of_match"), comparison)
        .join(comparison, (comparison.c.pool == _link.c.pool) & (comparison.c.seq == _link.c.comparison))
        .join(_match, (_match.c.pool == _link.c.pool) & (_match.c.match == _link.c.match))
        .where(_link.c.pool == pool, *conditions)
        .order_by(of_few(_link.c.seq) if conditions else _link.c.seq)
    )
    by_match: dict[str, list[Comparison]] = defaultdict(list)
    for row in connection.execute(query):
        by_match[row.of_match].append(comparison_of(row))
    return {match: tuple(parts) for match, parts in by_match.items()}


def _require_equal(pool: str, recorded_match: Match, match: Match) -> None:
    if recorded_match == match:
        return
    field = next(name for name in asdict(match) if getattr(recorded_match, name) != getattr(match, name))
    raise Conflict(
        f"match {match.id!r} of pool {pool!r} is recorded already, with another {field}; to correct it, roll it back "
        "and record the new one under another id"
    )


def values_of(match: Match) -> dict[str, Any]:
    """A match as the values of its row; what it rests on has rows of its own."""
    return {
        "match": match.id,
        "round": match.round,
        "a": match.a,
        "b": match.b,
        "outcome": match.outcome,
        "protocol": match.protocol,
        "confidence": match.confidence,
    }


def _of(
    row: Row[tuple[Any, ...]],
    comparisons: tuple[Comparison, ...],
    ranking: Ranking | None,
    scorecard: Scorecard | None,
) -> Match:
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
        scorecard=scorecard,
    )
