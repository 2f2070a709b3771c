"""Parts of sentences that reports share."""

from collections.abc import Sequence


def were(count: int) -> str:
    """``was`` or ``were``."""
    return "was" if count == 1 else "were"


def have(count: int) -> str:
    """``has`` or ``have``."""
    return "has" if count == 1 else "have"


def others(count: int) -> str:
    """Where a report's rows are that a table leaves out; empty where it leaves out none."""
    if count <= 0:
        return ""
    subject = "The other one is" if count == 1 else f"The other {count:,} are"
    return f" {subject} in the JSON and CSV reports."


def enumerated(names: Sequence[str], most: int) -> str:
    """Some names, and how many more there are."""
    listed, remaining = list(names[:most]), len(names) - most
    if remaining > 0:
        return f"{', '.join(listed)} and {remaining:,} more"
    return " and ".join(part for part in (", ".join(listed[:-1]), *listed[-1:]) if part)
