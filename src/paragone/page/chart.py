"""A figure in its place on a page."""

from dataclasses import dataclass

from paragone.analysis.figures import Figure


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """A figure in its place.

    Attributes:
        id: Its name on the page.
        section: The section that it belongs to.
        title: What it is.
        note: How to read it.
        figure: The figure.
        half: Whether two of its kind stand side by side where there is room.
    """

    id: str
    section: str
    title: str
    note: str
    figure: Figure
    half: bool = False
