"""What an agent or a domain may be called."""

import re

from paragone.domain.scorecard import GLOBAL

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
