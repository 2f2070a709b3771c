"""Names that were probably meant by one that is unknown."""

import difflib
from collections.abc import Iterable

SHOWN = 5
"""Known names that are listed where none is near."""


def near(name: str, existing: Iterable[str], count: int = 3) -> list[str]:
    """Known names that are spelt nearly like a name, the nearest first; upper and lower case are alike.

    Args:
        name: The name that is unknown.
        existing: The names that exist.
        count: How many at most.
    """
    spelt = {each.casefold(): each for each in existing}
    return [spelt[match] for match in difflib.get_close_matches(name.casefold(), spelt, n=count)]


def instead(name: str, existing: Iterable[str]) -> str:
    """What to do about an unknown name, in words: the nearest names, or else some of those that exist."""
    names = list(existing)
    nearest = near(name, names)
    if nearest:
        return f"did you mean {' or '.join(map(repr, nearest))}?"
    if not names:
        return "there is none yet"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"there are {', '.join(map(repr, names[:SHOWN]))}{more}"
