"""Plugins: what other packages add by entry points to judges, pairings, similarity, readers, exporters and reports.

A `Registry` holds what paragone brings under its names, and looks among the installed packages only for a name that is
none of these: nothing is searched or imported before. Plugins are code of whoever set up this environment, as every
package in it is. A name of paragone's own cannot be taken over; a name that two packages offer is neither's.

Source: the Python packaging user guide, "Entry points specification".
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from paragone.errors import ParagoneError, PluginRefused

T = TypeVar("T")

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")


@dataclass(frozen=True, kw_only=True, slots=True)
class PluginReport:
    """A plugin as it is installed here.

    Attributes:
        group: What it adds to, such as ``paragone.judges``.
        name: Its name there.
        target: The module and the object in it.
        distribution: The distribution that brings it.
        version: Its version.
        state: ``ready`` or ``refused``.
        reason: Why it was refused; empty if it is ready.
    """

    group: str
    name: str
    target: str
    distribution: str
    version: str
    state: str
    reason: str = ""


class Registry(Mapping[str, T], Generic[T]):
    """What goes by a name: paragone's own first, then what plugins add.

    Iteration names plugins that may work without importing them; to look a plugin up imports it.

    Args:
        kind: The group of entry points below ``paragone``.
        built_in: What paragone brings.
        adapt: Makes the value of what a plugin's entry point names, given the plugin's name; raises ``TypeError``, with
            what is wrong, for anything that is none.
        reserved: Further names that plugins cannot have.
        prefix: Precedes the name of a plugin in the registry, such as the point of a file's ending.
    """

    def __init__(
        self,
        kind: str,
        built_in: Mapping[str, T],
        adapt: Callable[[str, object], T],
        *,
        reserved: frozenset[str] = frozenset(),
        prefix: str = "",
    ) -> None:
        self.group = f"paragone.{kind}"
        self.built_in = built_in
        self._adapt = adapt
        self._reserved = reserved | built_in.keys()
        self._prefix = prefix

    def __getitem__(self, key: str) -> T:
        """What has a name.

        Raises:
            KeyError: If nothing has it.
            PluginRefused: If the plugin that has it cannot be used.
        """
        if key in self.built_in:
            return self.built_in[key]
        points = self._points().get(key, ())
        if not points:
            raise KeyError(key)
        return self._loaded(key, points)

    def __contains__(self, key: object) -> bool:
        """Whether something has a name, even if it is broken; nothing is imported."""
        return key in self.built_in or key in self._points()

    def __iter__(self) -> Iterator[str]:
        """All names but those of plugins that are refused for their names."""
        yield from self.built_in
        yield from (key for key, points in self._points().items() if not self._clash(key, points))

    def __len__(self) -> int:
        """How many names there are."""
        return sum(1 for _ in self)

    def plugins(self) -> Iterator[tuple[str, T | PluginRefused]]:
        """Each plugin's name with what it adds, or with why it is refused."""
        for key, points in self._points().items():
            try:
                value = self._loaded(key, points)
            except PluginRefused as refusal:
                yield key, refusal
            else:
                yield key, value

    def reports(self) -> Iterator[PluginReport]:
        """All plugins, those that are refused as well."""
        for key, points in self._points().items():
            try:
                self._loaded(key, points)
                reason = ""
            except PluginRefused as refusal:
                reason = refusal.reason
            for point in points:
                name, version = _distribution(point)
                yield PluginReport(
                    group=self.group,
                    name=point.name,
                    target=point.value,
                    distribution=name,
                    version=version,
                    state="refused" if reason else "ready",
                    reason=reason,
                )

    def _points(self) -> Mapping[str, tuple[EntryPoint, ...]]:
        by_name = _by_name(self.group, tuple(sys.path))
        return {self._prefix + name: points for name, points in by_name.items()} if self._prefix else by_name

    def _clash(self, key: str, points: tuple[EntryPoint, ...]) -> str:
        if {key, points[0].name} & self._reserved:
            return "the name is paragone's own"
        if not _NAME.fullmatch(points[0].name):
            return "a name has at most 60 small letters, digits, hyphens and underscores, and begins with a letter"
        if len(points) > 1:
            offers = sorted(f"{' '.join(_distribution(point))} ({point.value})" for point in points)
            return f"several packages offer this name: {', '.join(offers)}; uninstall all but one of them"
        return ""

    def _loaded(self, key: str, points: tuple[EntryPoint, ...]) -> T:
        point = points[0]
        clash = self._clash(key, points)
        if clash:
            raise self._refusal(point, clash)
        try:
            return self._adapt(point.name, point.load())
        except ParagoneError as error:
            raise self._refusal(point, str(error)) from error
        except (Exception, SystemExit) as error:  # a module may raise anything when it is imported
            raise self._refusal(point, f"{type(error).__name__}: {error}") from error

    def _refusal(self, point: EntryPoint, reason: str) -> PluginRefused:
        name, version = _distribution(point)
        return PluginRefused(
            f"the plugin {point.name!r} of {name} {version} ({self.group}) cannot be used: {reason}", reason=reason
        )


@cache
def _by_name(group: str, path: tuple[str, ...]) -> Mapping[str, tuple[EntryPoint, ...]]:  # noqa: ARG001 - where it looks
    """The entry points of a group on the path, by their names in alphabetical order."""
    points: dict[str, tuple[EntryPoint, ...]] = {}
    for point in sorted(entry_points(group=group), key=lambda each: (each.name, each.value)):
        points[point.name] = (*points.get(point.name, ()), point)
    return points


def _distribution(point: EntryPoint) -> tuple[str, str]:
    """Name and version of the distribution that declares an entry point."""
    return ("?", "?") if point.dist is None else (point.dist.name, point.dist.version)


def require_callable(name: str, value: object) -> None:
    """Refuse what cannot be called.

    Raises:
        TypeError: If it cannot.
    """
    if not callable(value):
        raise TypeError(f"{name} is {type(value).__name__}, which cannot be called")
