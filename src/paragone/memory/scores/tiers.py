"""Initial ratings by path: which tier content begins in, and what is pinned.

Source: document M, "Initial ELO"; patterns are those of .gitignore files.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from paragone.domain.content import Content, ContentKind
from paragone.errors import InvalidConfig, MissingExtra
from paragone.memory.store.config import TierConfig

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

INITIAL = {"high": 1600.0, "medium": 1200.0, "low": 800.0}
"""Elo points that a tier begins with."""


def initial_rating(content: Content, tiers: TierConfig) -> float:
    """What content begins at, in Elo points: by its path, and the default where none is known."""
    path = path_of(content)
    return _compiled(tiers).initial(path) if path else INITIAL[tiers.default]


def is_pinned(path: str, tiers: TierConfig) -> bool:
    """Whether a path is initially high: never pruned, always packed."""
    return _compiled(tiers).initial(path) == INITIAL["high"]


def path_of(content: Content) -> str:
    """The file that content lies in; empty where nothing says."""
    if content.path:
        return content.path
    if content.kind is ContentKind.FILE:
        return content.id
    if content.kind is ContentKind.SYMBOL and "::" in content.id:
        return content.id.removeprefix("@").split("::")[0]
    return ""


class _Compiled:
    """The patterns of a configuration, ready to match; what a path came to is kept."""

    def __init__(self, tiers: TierConfig) -> None:
        self._specs = [
            (_spec(name, patterns), INITIAL[name])
            for name, patterns in (("high", tiers.high), ("medium", tiers.medium), ("low", tiers.low))
        ]
        self._default = INITIAL[tiers.default]
        self._kept: dict[str, float] = {}

    def initial(self, path: str) -> float:
        found = self._kept.get(path)
        if found is None:
            found = next((points for spec, points in self._specs if spec.match_file(path)), self._default)
            if len(self._kept) >= _MOST_PATHS:
                self._kept.clear()
            self._kept[path] = found
        return found


_MOST_PATHS = 200_000


def _spec(name: str, patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    try:
        from pathspec import GitIgnoreSpec
    except ImportError:
        raise MissingExtra(
            "patterns of paths need the package pathspec; install it with: pip install 'paragone[memory]'"
        ) from None
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise InvalidConfig(f"tiers.{name} has a pattern that cannot be: {error}", key=f"tiers.{name}") from None


@lru_cache(maxsize=16)
def _compiled(tiers: TierConfig) -> _Compiled:
    return _Compiled(tiers)
