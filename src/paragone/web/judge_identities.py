"""How a pool says that people judge it, and how what they are called begins."""

from paragone.tournaments.tournament_settings import OBJECT_PREFIX

PEOPLE = OBJECT_PREFIX + "people"
"""The judge of pools that people vote on."""
HUMAN = "human:"
"""What the identity of a person who votes begins with."""
PROGRAM = "token:"
"""What that of a program begins with, which judges over HTTP."""
