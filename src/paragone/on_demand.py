"""Names of a package that are imported when they are first used, so that nobody loads what they do not need."""

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules
from typing import Any


def names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """What a package calls for a name that it does not have yet: its ``__getattr__``.

    Args:
        package: The package.
        homes: The names that each module defines, with blanks between them, by the module's name; one that begins with
            a point is in the package.
    """
    home = {name: module for module, defined in homes.items() for name in defined.split()}

    def first_use(name: str) -> Any:  # noqa: ANN401 - the package's own names, whatever they are
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name], package), name)
        setattr(modules[package], name, value)  # the next use finds it there
        return value

    return first_use
