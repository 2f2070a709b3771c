"""The libraries that draw plots, loaded when one is used."""

from importlib import import_module
from typing import Any

from paragone import extras
from paragone.errors import InvalidConfig
from paragone.presenting import figures

LIBRARIES = ("plotly", "matplotlib")
"""The preferred one first."""


def drawn(figure: figures.Figure, backend: str | None = None) -> Any:  # noqa: ANN401 - a figure of that library
    """A figure as a library draws it.

    Args:
        figure: The figure.
        backend: ``plotly`` or ``matplotlib``; None takes the first of these that is installed.

    Raises:
        InvalidConfig: If there is no such library.
        MissingExtra: If it is not installed, or none is.
    """
    if _chosen(backend) == "matplotlib":
        return matplotlib_figures().figure_of(figure)
    layout = {**figure["layout"], "template": figures.TEMPLATES["light"]}
    return import_module("plotly.graph_objects").Figure(data=figure["data"], layout=layout)


def _chosen(backend: str | None) -> str:
    if backend is None:
        library = next(filter(extras.installed, LIBRARIES), None)
        if library is None:
            raise extras.missing(
                "a plot needs", LIBRARIES[0], instead=", or matplotlib with: pip install 'paragone[plot]'"
            )
        return library
    if backend not in LIBRARIES:
        raise InvalidConfig(f"plots are drawn by {' or '.join(LIBRARIES)}, not by {backend!r}")
    extras.require("this plot needs", backend)
    return backend


def matplotlib_figures() -> Any:  # noqa: ANN401 - a module
    """What draws with matplotlib.

    Raises:
        MissingExtra: If that is not installed.
    """
    extras.require("this plot needs", "matplotlib")
    return import_module("paragone.presenting.matplotlib_figures")
