"""Names: what an agent or a domain may be called, and which known name was probably meant by an unknown one."""

import difflib
import re
from collections.abc import Iterable

from paragone.domain.scorecard import GLOBAL

SHOWN = 5
"""Known names that are listed where none is near."""


def close_names(name: str, existing: Iterable[str], count: int = 3) -> list[str]:
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
    nearest = close_names(name, names)
    if nearest:
        return f"did you mean {' or '.join(map(repr, nearest))}?"
    if not names:
        return "there is none yet"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"there are {', '.join(map(repr, names[:SHOWN]))}{more}"


LONGEST_NAME = 128
"""Characters of the name of an agent or a domain."""

LONGEST_ID = 512
"""Characters of the id of a debate, a tournament, a session or anything else that counts once."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def name_problem(name: str, what: str = "the name of an agent", longest: int = LONGEST_NAME) -> str | None:
    """Why nothing can be called so, in words; None where it can.

    Args:
        name: The name.
        what: What is called so, for the words.
        longest: Characters that it may have.
    """
    if name.isprintable() and len(name) <= longest and name.strip():  # nearly all are; a batch has a thousand
        return None
    quoted = repr(name if len(name) <= longest else f"{name[:40]}...")
    if not name.strip():
        return f"{what} is blank"
    if len(name) > longest:
        return f"{what} has at most {longest} characters, and {quoted} has {len(name):,}"
    if _CONTROL.search(name):
        return f"{what} holds a control character: {quoted}; remove it"
    if _SURROGATE.search(name):
        return f"{what} holds half a character (a lone surrogate): {quoted}"
    return None


def domain_problem(domain: str) -> str | None:
    """Why no domain can be called so, in words; None where one can."""
    if domain == GLOBAL:
        return f"a domain cannot be called {GLOBAL!r}: that is the track of all matches"
    return name_problem(domain, "the name of a domain")
