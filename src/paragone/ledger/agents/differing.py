"""How two accounts of the same thing differ, in words."""

from collections.abc import Mapping


def told(there: Mapping[str, object], given: Mapping[str, object]) -> str:
    """What is on record, and what was given in its place, for each of their names that differs.

    Example:
        >>> told({"domain": "law", "confidence": 1.0}, {"domain": "code", "confidence": 1.0})
        "domain 'law' instead of 'code'"
    """
    different = [name for name in given if there.get(name) != given[name]]
    return ", ".join(f"{name} {_said(there.get(name))} instead of {_said(given[name])}" for name in different)


def _said(value: object) -> str:
    return "none" if value in ("", None) else repr(value)
