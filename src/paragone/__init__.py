"""Rank what cannot be measured but can be compared.

Names are imported when they are first used, so that ``import paragone`` loads nothing heavy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paragone.agents.elo_system import EloSystem
    from paragone.client import Client
    from paragone.domain import Board, BoardRow, Item, RatingConfig
    from paragone.errors import ParagoneError
    from paragone.intake.vote_options import VoteOptions
    from paragone.memory.memory import Memory
    from paragone.tournaments.door import Tournament
    from paragone.tournaments.imports import Imported, import_votes
    from paragone.tournaments.recorded_votes import fit
    from paragone.tournaments.results.board import WhatIf
    from paragone.tournaments.results.publish import write
    from paragone.tournaments.running.pace import Pace
    from paragone.tournaments.running.progress import Progress
    from paragone.tournaments.single_call import arank, rank

__all__ = [
    "Board",
    "BoardRow",
    "Client",
    "EloSystem",
    "Imported",
    "Item",
    "Memory",
    "Pace",
    "ParagoneError",
    "Progress",
    "RatingConfig",
    "Tournament",
    "VoteOptions",
    "WhatIf",
    "arank",
    "fit",
    "import_votes",
    "rank",
    "write",
]

_HOMES = {
    "Board": "paragone.domain",
    "BoardRow": "paragone.domain",
    "Client": "paragone.client",
    "EloSystem": "paragone.agents.elo_system",
    "Imported": "paragone.tournaments.imports",
    "Item": "paragone.domain",
    "Memory": "paragone.memory.memory",
    "Pace": "paragone.tournaments.running.pace",
    "ParagoneError": "paragone.errors",
    "Progress": "paragone.tournaments.running.progress",
    "RatingConfig": "paragone.domain",
    "Tournament": "paragone.tournaments.door",
    "VoteOptions": "paragone.intake.vote_options",
    "WhatIf": "paragone.tournaments.results.board",
    "arank": "paragone.tournaments.single_call",
    "fit": "paragone.tournaments.recorded_votes",
    "import_votes": "paragone.tournaments.imports",
    "rank": "paragone.tournaments.single_call",
    "write": "paragone.tournaments.results.publish",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the module's own names, whatever they are
    if name not in _HOMES:
        raise AttributeError(f"module 'paragone' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
