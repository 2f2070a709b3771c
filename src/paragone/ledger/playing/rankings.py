"""Rankings as rows: judge calls on several items."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from paragone.domain import Ranking, Verdict
from paragone.ledger import schema
from paragone.ledger.playing.verdict_columns import verdict_fields, verdict_values


def ranking_of(row: Row[tuple[Any, ...]]) -> Ranking:
    """A row as the ranking that was recorded."""
    verdict = Verdict(**verdict_fields(row), order=tuple(row.order))
    return Ranking(call=row.call, shown=tuple(row.shown), verdict=verdict)


def values_of(ranking: Ranking) -> dict[str, Any]:
    """A ranking as the values of its row, less attempt and key."""
    verdict = ranking.verdict
    return {
        "call": ranking.call,
        "shown": list(ranking.shown),
        "order": list(verdict.order),
        **verdict_values(verdict),
    }


def of_matches(connection: Connection, pool: str, *conditions: ColumnElement[bool]) -> dict[str, Ranking]:
    """The rankings that matches rest on, by the match's id, for those that meet the conditions."""
    link, ranking, match = schema.match_ranking, schema.ranking, schema.match
    wanted = (
        select(link.c.match.label("of_match"), ranking)
        .join(ranking, (ranking.c.pool == link.c.pool) & (ranking.c.seq == link.c.ranking))
        .join(match, (match.c.pool == link.c.pool) & (match.c.match == link.c.match))
        .where(link.c.pool == pool, *conditions)
    )
    return {row.of_match: ranking_of(row) for row in connection.execute(wanted)}
