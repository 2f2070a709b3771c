"""Rank what cannot be measured but can be compared.

Names are imported when they are first used, so that ``import paragone`` loads nothing heavy.
"""

from importlib import import_module

TYPE_CHECKING = False  # as typing has it, which takes longer to load than all else before the command line
if TYPE_CHECKING:
    from typing import Any

    from paragone.agents.elo_system import EloSystem
    from paragone.client import Client
    from paragone.domain import Board, BoardRow, Item, PairedResult, RatingConfig
    from paragone.errors import ParagoneError
    from paragone.intake.vote import VoteOptions
    from paragone.judges.call_options import CallOptions
    from paragone.memory.memory import Memory
    from paragone.presenting.board_files import write, write_plots
    from paragone.presenting.board_page import write_site
    from paragone.presenting.progress import progress
    from paragone.tournaments.method_comparison import fit_methods
    from paragone.tournaments.paired_comparison import acompare, compare
    from paragone.tournaments.ranking import arank, rank
    from paragone.tournaments.recorded_votes import fit, fit_shards
    from paragone.tournaments.results.tournament_board import WhatIf
    from paragone.tournaments.running.control import Progress
    from paragone.tournaments.tournament import Tournament
    from paragone.tournaments.vote_import import ImportResult, import_votes

__all__ = [
    "Board",
    "BoardRow",
    "CallOptions",
    "Client",
    "EloSystem",
    "ImportResult",
    "Item",
    "Memory",
    "PairedResult",
    "ParagoneError",
    "Progress",
    "RatingConfig",
    "Tournament",
    "VoteOptions",
    "WhatIf",
    "acompare",
    "arank",
    "compare",
    "fit",
    "fit_methods",
    "fit_shards",
    "import_votes",
    "progress",
    "rank",
    "write",
    "write_plots",
    "write_site",
]

_HOMES = {
    "Board": "paragone.domain",
    "BoardRow": "paragone.domain",
    "Client": "paragone.client",
    "EloSystem": "paragone.agents.elo_system",
    "ImportResult": "paragone.tournaments.vote_import",
    "Item": "paragone.domain",
    "Memory": "paragone.memory.memory",
    "CallOptions": "paragone.judges.call_options",
    "PairedResult": "paragone.domain",
    "ParagoneError": "paragone.errors",
    "Progress": "paragone.tournaments.running.control",
    "RatingConfig": "paragone.domain",
    "Tournament": "paragone.tournaments.tournament",
    "VoteOptions": "paragone.intake.vote",
    "WhatIf": "paragone.tournaments.results.tournament_board",
    "acompare": "paragone.tournaments.paired_comparison",
    "arank": "paragone.tournaments.ranking",
    "compare": "paragone.tournaments.paired_comparison",
    "fit": "paragone.tournaments.recorded_votes",
    "fit_methods": "paragone.tournaments.method_comparison",
    "fit_shards": "paragone.tournaments.recorded_votes",
    "import_votes": "paragone.tournaments.vote_import",
    "progress": "paragone.presenting.progress",
    "rank": "paragone.tournaments.ranking",
    "write": "paragone.presenting.board_files",
    "write_plots": "paragone.presenting.board_files",
    "write_site": "paragone.presenting.board_page",
}


def __getattr__(name: str) -> "Any":  # noqa: ANN401 - the module's own names, whatever they are
    if name not in _HOMES:
        raise AttributeError(f"module 'paragone' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
