"""The pairing policies by name, and what a draw means to the Swiss one."""

from enum import StrEnum


class PairingPolicy(StrEnum):
    """How opponents are chosen. ``tournaments/planning`` has a module for each, which bears its name."""

    INFORMATIVE = "informative"
    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    WEIGHTED = "weighted"


class Draws(StrEnum):
    """What a drawn match means in Swiss."""

    LOSS = "loss"  # for both
    REPLAY = "replay"  # played again in the next round; the third draw in a row is a loss for both
    NONE = "none"  # neither a win nor a loss; the pair is not asked again
