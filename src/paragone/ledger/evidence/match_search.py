"""Find matches by item, judge, outcome and what was said, among a bounded number of the latest."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Subquery, Table, exists, func, or_, select

from paragone.domain import Outcome
from paragone.ledger import schema
from paragone.ledger.column_types import AT_ONCE, contains
from paragone.ledger.evidence import matches
from paragone.ledger.records import MatchesFound, MatchFilter

SEARCHED = 20_000
"""Matches that one search looks through: a rationale is found by reading all of them."""

_match, _rollback, _change = schema.match, schema.rollback, schema.rating_change
ANSWERS = (
    (schema.match_comparison, "comparison", schema.comparison),
    (schema.match_ranking, "ranking", schema.ranking),
)
"""Which table links matches to their answers, by which column, and the table of those answers."""


def search(
    connection: Connection, pool: str, match_filter: MatchFilter, *, before: int | None, count: int, offset: int = 0
) -> MatchesFound:
    """Matches that meet a filter, the newest first.

    Args:
        connection: The connection.
        pool: The pool.
        match_filter: What they must be.
        before: Only matches before this sequence number; None starts at the end.
        count: The largest number of matches.
        offset: How many of those that meet it to pass over.
    """
    window = _window(pool, before)
    condition = _conditions(connection, window, match_filter)
    newest_first = select(window.c.match).where(*condition).order_by(window.c.seq.desc())
    ids = connection.scalars(newest_first.limit(count).offset(offset)).all()
    total = connection.scalar(select(func.count()).select_from(window).where(*condition)) or 0
    searched, oldest = connection.execute(select(func.count(), func.min(window.c.seq))).one()
    by_id = matches.with_changes(connection, pool, ids)
    return MatchesFound(
        matches=tuple(by_id[id][0] for id in ids), total=total, older=oldest if searched == SEARCHED else None
    )


def _window(pool: str, before: int | None) -> Subquery:
    """The latest matches, or those before one."""
    query = _columns(pool)
    if before is not None:
        query = query.where(_match.c.seq < before)
    window: Subquery = query.order_by(_match.c.seq.desc()).limit(SEARCHED).subquery()
    return window


def those_that_meet(
    connection: Connection, pool: str, sequences: Sequence[int], match_filter: MatchFilter
) -> list[int]:
    """The sequence numbers of those of the newest of some matches that meet a filter.

    Args:
        connection: The connection.
        pool: The pool.
        sequences: Sequence numbers of matches, the newest first; ``SEARCHED`` of them are looked at.
        match_filter: What the matches must be.
    """
    meeting: list[int] = []
    for begin in range(0, min(len(sequences), SEARCHED), AT_ONCE):
        window = _columns(pool).where(_match.c.seq.in_(sequences[begin : begin + AT_ONCE])).subquery()
        condition = _conditions(connection, window, match_filter)
        meeting += connection.scalars(select(window.c.seq).where(*condition).order_by(window.c.seq.desc()))
    return meeting


def _columns(pool: str) -> Select[Any]:
    columns = (_match.c.pool, _match.c.seq, _match.c.match, _match.c.a, _match.c.b, _match.c.outcome)
    return select(*columns).where(_match.c.pool == pool)


def _conditions(connection: Connection, window: Subquery, match_filter: MatchFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if match_filter.item is not None:
        changed = exists().where(
            _change.c.pool == window.c.pool,
            _change.c.match == window.c.match,
            _change.c.item == match_filter.item,
            _change.c.compensates == 0,  # a rollback moves others, too
        )
        conditions.append(or_(window.c.a == match_filter.item, window.c.b == match_filter.item, changed))
    rolled_back = exists().where(_rollback.c.pool == window.c.pool, _rollback.c.match == window.c.match)
    if match_filter.outcome == "rolled back":
        conditions.append(rolled_back)
    elif match_filter.outcome is not None:
        outcomes = {"won": (Outcome.A, Outcome.B), "tie": (Outcome.DRAW,), "void": (Outcome.VOID,)}
        conditions += [window.c.outcome.in_(outcomes[match_filter.outcome]), ~rolled_back]
    for text, column in ((match_filter.judge, "judge"), (match_filter.words, "rationale")):
        if text is not None:
            conditions.append(or_(*(_said(connection, window, text, column, *answers) for answers in ANSWERS)))
    return conditions


def _said(
    connection: Connection,
    window: Subquery,
    text: str,
    column: str,
    link: Table,
    linked: str,
    answer: Table,
) -> ColumnElement[bool]:
    """Whether a match has an answer whose column contains a text."""
    return exists().where(
        link.c.pool == window.c.pool,
        link.c.match == window.c.match,
        answer.c.pool == link.c.pool,
        answer.c.seq == link.c[linked],
        contains(connection, text, answer.c[column]),
    )
