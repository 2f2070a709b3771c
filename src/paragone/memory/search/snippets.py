"""The lines of a chunk that show why it was found. What is shown is harmless: nothing in it steers a terminal."""

from collections.abc import Sequence

from paragone.domain.text import harmless
from paragone.memory.search.words import words

LINES = 6
WIDTH = 160


def snippet(text: str, query: Sequence[str], *, lines: int = LINES, width: int = WIDTH) -> str:
    """So many lines of a text: those with most different words of a query, the first of those that are equal.

    Args:
        text: Where it was found.
        query: The words that were looked for.
        lines: How many lines at most.
        width: Characters a line; what is longer is cut, and ends in ``…``.
    """
    rows = harmless(text).strip("\n").split("\n")
    wanted = set(query)
    has = [wanted.intersection(words(row)) for row in rows]
    starts = range(max(len(rows) - lines, 0) + 1)
    first = max(starts, key=lambda at: (len(set().union(*has[at : at + lines])), bool(has[at]), -at))
    shown = [row.rstrip() for row in rows[first : first + lines]]
    return "\n".join(row if len(row) <= width else row[: width - 1] + "…" for row in shown)
