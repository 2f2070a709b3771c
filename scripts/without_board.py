"""Plays tournaments without making their boards, whose draws take longer than all else in a small run."""

import asyncio

from paragone.domain.spending import Spending
from paragone.judges.call_options import CallOptions
from paragone.tournaments.paired_comparison import play_on as arun
from paragone.tournaments.running.control import Observer, unobserved
from paragone.tournaments.tournament import Tournament

__all__ = ["arun", "run"]


def run(tournament: Tournament, observer: Observer = unobserved, pace: CallOptions | None = None) -> Spending:
    """Play until there is a reason to stop, as ``Tournament.run`` does; what all runs took."""
    asyncio.run(arun(tournament, observer, pace))
    return tournament.ledger.tournaments.spending(tournament.state.id)
