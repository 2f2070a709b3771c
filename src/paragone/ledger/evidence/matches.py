"""Matches, each recorded in one transaction with the ratings that it changes."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict
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
from paragone.ratings.running_elo import step

_scorecard = schema.scorecard
_FIELDS = ("domain", "task", "counting", "normalization")


def scorecard_values(scorecard: Scorecard) -> dict[str, Any]:
    """A scorecard as the values of its row, less its match."""
    multipliers = scorecard.multipliers or (1.0,) * len(scorecard.participants)
    entries = zip(scorecard.participants, map(float, scorecard.scores), map(float, multipliers), strict=True)
    return {"entries": [list(entry) for entry in entries], **{name: getattr(scorecard, name) for name in _FIELDS}}


def scorecard_of(row: Row[tuple[Any, ...]]) -> Scorecard:
    """A row as the scorecard that was recorded.

    Raises:
        Corrupted: If it is no valid scorecard.
    """
    try:
        participants, scores, multipliers = zip(*row.entries, strict=True)
        return Scorecard(
            participants=participants,
            scores=scores,
            multipliers=() if all(times == 1.0 for times in multipliers) else multipliers,
            **{name: getattr(row, name) for name in _FIELDS},
        )
    except (TypeError, ValueError) as error:  # no version of paragone wrote such a row
        raise Corrupted(f"the scorecard of match {row.match!r} is not valid ({error}); an audit says more") from error


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
_MATCH_FIELDS = ("round", "a", "b", "outcome", "protocol", "confidence")
_SEQ = select(_match.c.seq).where(_match.c.pool == bindparam("of_pool"), _match.c.match == bindparam("of_match"))
_EXISTS = Statement(_SEQ)


def record(connection: Connection, page: Page, match: Match) -> tuple[RatingChange, ...]:
    """Record a match with the rating changes it causes, all or nothing; new comparisons of it are recorded too.

    Returns:
        The rating changes; for a match that is already recorded, those of then.

    Raises:
        NotFound: If there is no such pool, or it lacks one of the items.
        Conflict: If the match is recorded with other content, or one of its calls has another answer.
    """
    if match.a == match.b:
        raise LedgerError(f"match {match.id!r} pairs {match.a!r} with itself")
    pool = page.head.pool
    before = _before(connection, pool, match)
    if before is None:
        (recorded_match,) = _load(connection, pool, _match.c.match == match.id)
        _require_equal(pool, recorded_match.match, match)
        return rating_changes.of_match(connection, pool, match.id)
    return _write(connection, page, match, *before)


@StatementForNames
def _before_match(items: Sequence[BindParameter[str]]) -> Select[tuple[Any, ...]]:
    """A pool's parameters, a match if it is recorded, and the ratings of items: one query, as every match needs it."""
    rating, pool = schema.rating, schema.pool
    return (
        select(
            type_coerce(pool.c.config, Text).label("config"),
            _SEQ.scalar_subquery().label("there"),
            *rating.c["item", *running_ratings.RECORD],
        )
        .join(pool, pool.c.pool == rating.c.pool)
        .where(rating.c.pool == bindparam("of_pool"), rating.c.item.in_(items))
    )


def _before(connection: Connection, pool: str, match: Match) -> tuple[tuple[Rating, ...], RatingConfig] | None:
    """The ratings of a match's items, in their order, and the pool's parameters; None if the match is recorded.

    Raises:
        NotFound: If one of the items is not in the pool.
    """
    values = {"of_pool": pool, "of_match": match.id}
    rows = _before_match.rows(connection, match.items, values)
    if len(rows) < len(match.items) and _EXISTS.rows(connection, values):
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
    """Refuse a match whose answers are about other items, or contradict its outcome."""
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
    """All matches of a pool in the order of record, rolled back ones too.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.record(connection, pool)
    return tuple(_load(connection, pool))


def page(connection: Connection, pool: str, after: int, count: int) -> tuple[list[RecordedMatch], int]:
    """A page of the matches of a pool, in the order of record, and the sequence number of the last.

    Args:
        connection: A transaction.
        pool: The pool.
        after: The sequence number before the page.
        count: The largest number of matches.
    """
    query = select(_match.c.seq, _match.c.match).where(_match.c.pool == pool, _match.c.seq > after)
    rows = connection.execute(query.order_by(_match.c.seq).limit(count)).all()
    if not rows:
        return [], after
    last, condition = rows[-1].seq, _match.c.match.in_([row.match for row in rows])
    return _load(connection, pool, _match.c.seq > after, _match.c.seq <= last, by_name=condition), last


def get(connection: Connection, pool: str, id: str) -> RecordedMatch:
    """A match by its id.

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
    """Some matches of a pool by id, each with its changes: the global ones, then those of its domain."""
    by_id: dict[str, tuple[RecordedMatch, tuple[RatingChange, ...]]] = {}
    for part in in_parts(list(ids)):
        did = rating_changes.of_matches(connection, pool, part)
        entries = _load(connection, pool, _match.c.match.in_(part))
        by_id.update((entry.match.id, (entry, tuple(did.get(entry.match.id, ())))) for entry in entries)
    return by_id


def _load(
    connection: Connection, pool: str, *conditions: ColumnElement[bool], by_name: ColumnElement[bool] | None = None
) -> list[RecordedMatch]:
    """The matches that meet the conditions; for many, ``by_name`` is the condition that selects their answers."""
    rollback = schema.rollback
    query = (
        chain.with_time(_match, select(_match, rollback.c.seq.label("rolled_back")))
        .outerjoin(rollback, (rollback.c.pool == _match.c.pool) & (rollback.c.match == _match.c.match))
        .where(_match.c.pool == pool, *conditions)
        .order_by(of_few(_match.c.seq) if conditions and by_name is None else _match.c.seq)
    )
    rows = connection.execute(query).all()
    answer_conditions = conditions if by_name is None else (by_name,)
    comparisons = _comparisons(connection, pool, *answer_conditions) if rows else {}
    ranked = verdicts.rankings_of_matches(connection, pool, *answer_conditions) if rows else {}
    scored = scorecards_of_matches(connection, pool, *answer_conditions) if rows else {}
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
    """A match as the values of its row; its comparisons, ranking and scorecard have rows of their own."""
    return {"match": match.id, **{name: getattr(match, name) for name in _MATCH_FIELDS}}


def _of(
    row: Row[tuple[Any, ...]],
    comparisons: tuple[Comparison, ...],
    ranking: Ranking | None,
    scorecard: Scorecard | None,
) -> Match:
    fields = {name: getattr(row, name) for name in _MATCH_FIELDS}
    return Match(id=row.match, **fields, comparisons=comparisons, ranking=ranking, scorecard=scorecard)
