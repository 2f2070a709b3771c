"""The state of a tournament: items, planned rounds, played matches, and what is derived from them."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.tournaments.state.state import TournamentState, match_id
else:
    __getattr__ = names(
        __name__,
        {
            ".state": "TournamentState match_id",
        },
    )

__all__ = ["TournamentState", "match_id"]
