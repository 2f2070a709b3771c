"""Columns of every leaderboard: of items, hypotheses and agents. Figures that no fit gives are None."""

from paragone.domain import BoardRow
from paragone.presenting.table import Column, number, numbers
from paragone.wire.agent import AgentRow

Ranked = BoardRow | AgentRow

RANK: Column[Ranked] = number("rank", lambda row: row.rank, "")
BETWEEN: Column[Ranked] = numbers(
    "between", lambda row: span(row.rank_low, row.rank_high, "d", "-"), lambda row: row.rank_low
)
ELO: Column[Ranked] = number("Elo", lambda row: row.elo, ".0f")


def interval(level: float) -> Column[Ranked]:
    """The interval of the strength, sorted by its width."""
    return numbers(f"{level:.0%} interval", lambda row: span(row.low, row.high), lambda row: width(row.low, row.high))


def record(draws: str = "T") -> Column[Ranked]:
    """Wins, losses and ties, sorted by the share of wins."""
    return numbers(
        f"W-L-{draws}",
        lambda row: f"{row.wins}-{row.losses}-{row.ties}",
        lambda row: row.wins / max(1, row.wins + row.losses + row.ties),
    )


def span(low: float | None, high: float | None, form: str = ".0f", between: str = " to ") -> str:
    """An interval in words; empty where there is none."""
    return "" if low is None or high is None else f"{low:{form}}{between}{high:{form}}"


def width(low: float | None, high: float | None) -> float | None:
    """How wide an interval is; None where there is none."""
    return None if low is None or high is None else high - low
