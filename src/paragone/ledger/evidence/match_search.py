"""Find matches by item, judge, outcome and what was said, among a bounded number of the latest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    String,
    Subquery,
    Table,
    bindparam,
    exists,
    func,
    or_,
    select,
)

from paragone.domain import Outcome
from paragone.ledger import schema
from paragone.ledger.column_types import AT_ONCE, like, like_pattern
from paragone.ledger.evidence import matches
from paragone.ledger.records import MatchesFound, MatchFilter
from paragone.ledger.statements import Statement

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
    statements = _statements(connection.dialect.name, _form(match_filter), is_bounded=before is not None)
    window = {"of_pool": pool, "before": before, "within": SEARCHED}
    values = {**window, "most": count, "skipped": offset, **_values(match_filter)}
    ids = [id for (id,) in statements.page.rows(connection, values)]
    ((total,),) = statements.total.rows(connection, values)
    ((searched, oldest),) = statements.extent.rows(connection, values)
    by_id = matches.with_changes(connection, pool, ids)
    return MatchesFound(
        matches=tuple(by_id[id][0] for id in ids), total=total, older=oldest if searched == SEARCHED else None
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Search:
    """The statements of a search of some form.

    Attributes:
        page: The ids of matches that meet the filter, the newest first.
        total: How many there are.
        extent: How many matches are looked through, and the sequence number of the first.
    """

    page: Statement
    total: Statement
    extent: Statement


@cache
def _statements(dialect: str, form: MatchFilter, *, is_bounded: bool) -> _Search:
    """The statements for a form of filter: to build them takes longer than to run them on a small ledger."""
    query = _COLUMNS.where(_match.c.seq < bindparam("before")) if is_bounded else _COLUMNS
    window = query.order_by(_match.c.seq.desc()).limit(bindparam("within")).subquery()
    condition = _conditions(dialect, window, form)
    newest_first = select(window.c.match).where(*condition).order_by(window.c.seq.desc())
    return _Search(
        page=Statement(newest_first.limit(bindparam("most")).offset(bindparam("skipped"))),
        total=Statement(select(func.count()).select_from(window).where(*condition)),
        extent=Statement(select(func.count(), func.min(window.c.seq))),
    )


def _form(match_filter: MatchFilter) -> MatchFilter:
    """The same filter without its texts."""
    item, judge, words = (
        None if text is None else "" for text in (match_filter.item, match_filter.judge, match_filter.words)
    )
    return replace(match_filter, item=item, judge=judge, words=words)


def _values(match_filter: MatchFilter) -> dict[str, str | None]:
    """The texts of a filter, by the parameters of its conditions."""
    parts = {"of_judge": match_filter.judge, "of_words": match_filter.words}
    patterns = {name: None if text is None else like_pattern(text) for name, text in parts.items()}
    return {"of_item": match_filter.item, **patterns}


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
    values = {"of_pool": pool, **_values(match_filter)}
    for begin in range(0, min(len(sequences), SEARCHED), AT_ONCE):
        window = _COLUMNS.where(_match.c.seq.in_(sequences[begin : begin + AT_ONCE])).subquery()
        condition = _conditions(connection.dialect.name, window, match_filter)
        query = select(window.c.seq).where(*condition).order_by(window.c.seq.desc())
        meeting += connection.scalars(query, values)
    return meeting


_COLUMNS = select(_match.c.pool, _match.c.seq, _match.c.match, _match.c.a, _match.c.b, _match.c.outcome).where(
    _match.c.pool == bindparam("of_pool")
)


def _conditions(dialect: str, window: Subquery, form: MatchFilter) -> list[ColumnElement[bool]]:
    """What a window's matches must be; the texts of the filter are parameters, see ``_values``."""
    conditions: list[ColumnElement[bool]] = []
    if form.item is not None:
        item: BindParameter[str] = bindparam("of_item")
        changed = exists().where(
            _change.c.pool == window.c.pool,
            _change.c.match == window.c.match,
            _change.c.item == item,
            _change.c.compensates == 0,  # a rollback moves others, too
        )
        conditions.append(or_(window.c.a == item, window.c.b == item, changed))
    rolled_back = exists().where(_rollback.c.pool == window.c.pool, _rollback.c.match == window.c.match)
    if form.outcome == "rolled back":
        conditions.append(rolled_back)
    elif form.outcome is not None:
        outcomes = {"won": (Outcome.A, Outcome.B), "tie": (Outcome.DRAW,), "void": (Outcome.VOID,)}
        conditions += [or_(*(window.c.outcome == outcome for outcome in outcomes[form.outcome])), ~rolled_back]
    for name, column in (("judge", "judge"), ("words", "rationale")):
        if getattr(form, name) is not None:
            pattern = bindparam(f"of_{name}", type_=String)
            conditions.append(or_(*(_said(dialect, window, pattern, column, *answers) for answers in ANSWERS)))
    return conditions


def _said(
    dialect: str,
    window: Subquery,
    pattern: BindParameter[str],
    column: str,
    link: Table,
    linked: str,
    answer: Table,
) -> ColumnElement[bool]:
    """Whether a match has an answer whose column is like a pattern."""
    return exists().where(
        link.c.pool == window.c.pool,
        link.c.match == window.c.match,
        answer.c.pool == link.c.pool,
        answer.c.seq == link.c[linked],
        like(dialect, pattern, answer.c[column]),
    )
