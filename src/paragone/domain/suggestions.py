"""Did you mean ...? Which existing name, id or option was probably meant by one that does not exist."""

from collections.abc import Iterable

SHOWN = 5
"""Known names that are listed where none is near."""


def close_names(name: str, existing: Iterable[str], count: int = 3) -> list[str]:
    """Known names that are spelt nearly like a name, the nearest first; upper and lower case are alike.

    Args:
        name: The name that is unknown.
        existing: The names that exist.
        count: How many at most.
    """
    from difflib import get_close_matches

    spelt = {each.casefold(): each for each in existing}
    return [spelt[match] for match in get_close_matches(name.casefold(), spelt, n=count)]


def instead(name: str, existing: Iterable[str]) -> str:
    """What to do about an unknown name, in words: the nearest names, or else some of those that exist."""
    names = list(existing)
    nearest = close_names(name, names)
    if nearest:
        return f"did you mean {' or '.join(map(repr, nearest))}?"
    if not names:
        return "there is none yet"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"there are {', '.join(map(repr, names[:SHOWN]))}{more}"


def did_you_mean(word: str, existing: Iterable[str]) -> str:
    """Which names a mistyped one may stand for, as the end of a sentence; empty where none is like it."""
    from difflib import get_close_matches

    folded = word.casefold().strip("-")
    names = {name.casefold().strip("-"): name for name in existing}
    prefixed = [name for name in names if len(folded) > 1 and name.startswith(folded)]
    close = prefixed or get_close_matches(folded, names, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(names[name] for name in close[:2])}?" if close else ""
