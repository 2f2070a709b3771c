"""Validation of queries, pages and globs."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paragone.domain.text import visible
from paragone.errors import MissingExtra, UsageError
from paragone.wire.search import SearchMethod, SearchTarget

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

How = SearchMethod
What = SearchTarget

NOTHING = "the index holds nothing; paragone memory index fills it, and says what it leaves out and why"
LONGEST_QUERY = 4000
"""Characters of a query: more is a text, not a question."""
LONGEST_GLOB = 500
LONGEST_PAGE = 100
"""Results a page."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """Which results: so many from the one after an offset."""

    offset: int
    limit: int

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= LONGEST_PAGE:
            raise UsageError(
                f"limit lies between 1 and {LONGEST_PAGE}, not {self.limit}; use offset for what comes next"
            )
        if self.offset < 0:
            raise UsageError(f"offset is 0 or more, not {self.offset}")


def checked_query(query: str) -> str:
    """A query on one line, without characters that cannot be seen.

    Raises:
        UsageError: If nothing is left of it, or it is too long.
    """
    if len(query) > LONGEST_QUERY:
        raise UsageError(f"the query has {len(query):,} characters; {LONGEST_QUERY:,} is the most")
    text = visible(query)
    if not text:
        raise UsageError("the query is empty; say what to look for")
    return text


def paths_like(glob: str) -> "GitIgnoreSpec":
    """Which paths a glob names, as in .gitignore: ``*.py`` is at any depth, ``docs/`` is all below it.

    It is matched in time that is linear in the path, whatever the glob.

    Raises:
        UsageError: If it names nothing, or is no glob.
        MissingExtra: If pathspec is not installed.
    """
    try:
        from pathspec import GitIgnoreSpec
    except ImportError as error:
        raise MissingExtra(
            "memory needs the package pathspec; install it with: pip install 'paragone[memory]'"
        ) from error
    if len(glob) > LONGEST_GLOB:
        raise UsageError(f"the glob has {len(glob):,} characters; {LONGEST_GLOB} is the most")
    try:
        spec = GitIgnoreSpec.from_lines([glob], backend="re2")
    except (ValueError, re.error) as error:
        raise UsageError(f"{visible(glob)!r} is no glob: {error}") from error
    if not any(pattern.include for pattern in spec.patterns):
        raise UsageError(
            f"the glob {visible(glob)!r} names no file; write one as in .gitignore, such as *.py or docs/**"
        )
    return spec
