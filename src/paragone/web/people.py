"""How a pool says that people judge it."""

from paragone.tournaments.brief import GIVEN

PEOPLE = GIVEN + "people"
"""The judge of pools that people vote on."""
