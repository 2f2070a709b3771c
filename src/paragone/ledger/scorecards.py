"""Scorecards as rows: what the participants of a match scored."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from paragone.domain import Scorecard
from paragone.errors import Corrupted
from paragone.ledger import schema

_scorecard = schema.scorecard
_SAID = ("domain", "task", "counting", "normalization")


def values_of(scorecard: Scorecard) -> dict[str, Any]:
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


def of_matches(connection: Connection, pool: str, *conditions: ColumnElement[bool]) -> dict[str, Scorecard]:
    """The scorecards of matches, by the match's id, for those that meet the conditions."""
    match = schema.match
    wanted = (
        select(_scorecard)
        .join(match, (match.c.pool == _scorecard.c.pool) & (match.c.match == _scorecard.c.match))
        .where(_scorecard.c.pool == pool, *conditions)
    )
    return {row.match: scorecard_of(row) for row in connection.execute(wanted)}
