"""``Displayed``: a value that a notebook shows as a table, plots, and hands over as a data frame."""

from importlib import import_module
from typing import Any, TypeVar

Row = TypeVar("Row")

_LAYOUT = "paragone.presenting.notebook"
"""What lays values out. It stands above them, so it is found by its name, and only when a value is shown."""


def layout() -> Any:  # noqa: ANN401 - a module
    """What lays values out: ``presenting/notebook``."""
    return import_module(_LAYOUT)


class Displayed:
    """The base of what notebooks show: the same tables, facts and figures as reports and pages."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(layout().as_html(self))

    def plot(self, backend: str | None = None) -> Any:  # noqa: ANN401 - a figure of that library
        """A figure, as reports have it: a ``plotly.graph_objects.Figure``, or a ``matplotlib.figure.Figure``.

        Args:
            backend: ``plotly`` or ``matplotlib``; None takes the first of these that is installed.

        Raises:
            MissingExtra: If it is not installed, or neither is.
            InvalidConfig: If there is nothing to be drawn, or no such library.
        """
        return layout().plotted(self, backend)

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas' DataFrame
        """The rows as a pandas ``DataFrame``.

        Raises:
            MissingExtra: If pandas is not installed; the others likewise.
        """
        return layout().as_frame(self, "pandas")

    def to_polars(self) -> Any:  # noqa: ANN401 - polars' DataFrame
        """The rows as a polars ``DataFrame``."""
        return layout().as_frame(self, "polars")

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow's Table
        """The rows as a pyarrow ``Table``."""
        return layout().as_frame(self, "pyarrow")


class DisplayedList(list[Row], Displayed):
    """A list whose rows are shown together."""

    __slots__ = ()
