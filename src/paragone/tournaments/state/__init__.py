"""The state of a tournament: items, planned rounds, played matches, and what is derived from them."""

from paragone.tournaments.state.state import State, match_id

__all__ = ["State", "match_id"]
