"""Where a tournament is: its items, what was planned, what was played, and how its course so far reads."""

from paragone.tournaments.state.state import State, match_id

__all__ = ["State", "match_id"]
