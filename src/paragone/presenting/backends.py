"""The libraries that draw plots, loaded when one is used."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from paragone.errors import InvalidConfig, MissingExtra
from paragone.presenting import figures

EXTRAS = {"plotly": "report", "matplotlib": "plot"}
"""The libraries, the preferred one first, and the extras that bring them."""


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
        installed = [name for name in EXTRAS if find_spec(name) is not None]
        if not installed:
            raise MissingExtra(
                "a plot needs plotly or matplotlib; install one of them with: pip install 'paragone[report]' or "
                "pip install 'paragone[plot]'"
            )
        return installed[0]
    if backend not in EXTRAS:
        raise InvalidConfig(f"plots are drawn by {' or '.join(EXTRAS)}, not by {backend!r}")
    _need(backend)
    return backend


def _need(library: str) -> None:
    if find_spec(library) is None:
        raise MissingExtra(
            f"this plot needs the package {library}; install it with: pip install 'paragone[{EXTRAS[library]}]'"
        )


def matplotlib_figures() -> Any:  # noqa: ANN401 - a module
    """What draws with matplotlib.

    Raises:
        MissingExtra: If that is not installed.
    """
    _need("matplotlib")
    return import_module("paragone.presenting.matplotlib_figures")
