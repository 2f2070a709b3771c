"""Judges: cost, position bias and agreement."""

from dataclasses import dataclass

from paragone.analysis.quality.judge_quality import rated
from paragone.domain import JudgeReport, ListReport
from paragone.domain.spending import total
from paragone.ledger import By
from paragone.tournaments.results.quality import agreements_of, habits_of, took
from paragone.tournaments.results.tournament_board import board_of
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.wire.judge import Judges, Spender
from paragone.wire.spending import SpendingSummary

PATIENCE = 3.0
"""Seconds to wait for current figures; after these the previous ones are used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _JudgeFigures:
    judges: tuple[JudgeReport, ...] = ()
    lists: tuple[ListReport, ...] = ()
    consensus: str = "none"
    level: float = 0.95


def judges(reader: LedgerReader, pool: str) -> Judges:
    """The judges of a tournament.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
    """
    reader.require_small(pool)
    voices = reader.ledger.tournaments.spending_by(pool, By.WHO)
    snapshot, pending = reader.newest("judges", pool, lambda: _figures(reader, pool), PATIENCE)
    figures = _JudgeFigures() if snapshot is None else snapshot.value
    return Judges(
        pool=pool,
        pending=pending,
        consensus=figures.consensus,
        level=figures.level,
        judges=list(figures.judges),
        lists=list(figures.lists),
        spending=SpendingSummary.of(total(voices.values())),
        voices=[Spender(who=who, spending=SpendingSummary.of(spent)) for who, spent in voices.items()],
    )


def _figures(reader: LedgerReader, pool: str) -> _JudgeFigures:
    state = reader.state(pool)
    board, (agreements, consensus) = board_of(reader.ledger, state), agreements_of(state)
    reports = rated(board.judges, took(reader.ledger, state), habits_of(state.posterior.fit), agreements)
    return _JudgeFigures(judges=reports, lists=board.lists, consensus=consensus, level=board.level)
