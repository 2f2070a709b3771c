"""Patterns of paths as in .gitignore files, in linear time whatever the pattern."""

import re
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from paragone import extras
from paragone.domain.text import visible
from paragone.errors import InvalidConfig, UsageError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


MAX_GLOB_LENGTH = 500


def gitignore(patterns: Sequence[str]) -> "GitIgnoreSpec":
    """Patterns as in .gitignore files, matched by RE2 in linear time.

    Raises:
        InvalidConfig: If one of them is invalid.
        MissingExtra: If pathspec or google-re2 is not installed.
    """
    re2 = regular_expressions()
    with extras.importing("memory needs", "pathspec"):
        import pathspec  # noqa: F401
    try:
        return _compiled(tuple(patterns))
    except (ValueError, re.error, re2.error) as error:
        raise InvalidConfig(f"not a pattern as .gitignore files have them: {error}") from error


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    """The patterns as an automaton: to make that of the secrets' names takes longer than to open a store."""
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings(action="ignore"):  # of what a pattern would mean in a later Python
        spec = GitIgnoreSpec.from_lines(patterns, backend="re2")
        spec.check_file("compiled when it is first asked")
    return spec


def paths_like(glob: str) -> "GitIgnoreSpec":
    """The paths that a glob names, as in .gitignore: ``*.py`` at any depth, ``docs/`` for all below it.

    Raises:
        UsageError: If the glob is invalid or names nothing.
        MissingExtra: If pathspec or google-re2 is not installed.
    """
    if len(glob) > MAX_GLOB_LENGTH:
        raise UsageError(f"the glob has {len(glob):,} characters; {MAX_GLOB_LENGTH} is the most")
    try:
        spec = gitignore([glob])
    except InvalidConfig as error:
        raise UsageError(f"{visible(glob)!r} is not a valid glob: {error}") from error
    if not any(pattern.include for pattern in spec.patterns):
        raise UsageError(
            f"the glob {visible(glob)!r} names no file; write one as in .gitignore, such as *.py or docs/**"
        )
    return spec


def regular_expressions() -> Any:  # noqa: ANN401 - re2 has no types
    """The module ``re2``, whose patterns match in linear time.

    Raises:
        MissingExtra: If google-re2 is not installed.
    """
    with extras.importing("memory needs", "google-re2"):
        import re2
    return re2
