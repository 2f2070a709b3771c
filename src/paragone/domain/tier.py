"""The tiers of a tournament."""

from enum import StrEnum


class Tier(StrEnum):
    """Where an item stands, by its rating; an item with few matches is new, whatever its rating.

    Source: document R, "Rating Brackets"; lower bounds are inclusive.
    """

    ELITE = "elite"
    STRONG = "strong"
    AVERAGE = "average"
    DEVELOPING = "developing"
    NEW = "new"
