"""Rows that cannot be evidence: a few are skipped, more refuse the file that holds them."""

from collections.abc import Sequence

_ONE_IN = 20


def refuse_unsound(
    name: str, rows: int, skipped: int, problems: Sequence[str], *, strict: bool, error: type[Exception]
) -> None:
    """Refuse a source where any row in it (``strict``), or more than one in twenty, cannot be evidence.

    Args:
        name: What the source is called.
        rows: How many rows there are.
        skipped: How many cannot be evidence.
        problems: The first of these, by place and reason.
        strict: Whether one is too many.
        error: What to raise.
    """
    if not skipped or (skipped * _ONE_IN <= rows and not strict):
        return
    limit = "with --strict none may be" if strict else "more than one in twenty"
    raise error(
        f"{listed(problems, skipped)}. {skipped:,} of {rows:,} rows of {name} cannot be evidence, {limit}: "
        "repair them, or name the right columns"
    )


def listed(problems: Sequence[str], count: int) -> str:
    """The first problems, and how many more there are."""
    more = f"; and {count - len(problems):,} more" if count > len(problems) else ""
    return "; ".join(problems) + more
