"""Untrusted texts on a figure: harmless, on one line, and no longer than there is room for."""

import html
import textwrap

from paragone.domain.text import visible

HOVER_WIDTH = 56
"""Letters a line of what is shown on hovering."""
HOVER_MOST = 320
"""Letters of a text that are shown on hovering; the rest is in the table."""

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def cut(text: str, most: int) -> str:
    """The text on one line and at most so many letters long, with an ellipsis where something is missing."""
    line = visible(text[: 8 * most + 64])
    fits = len(line) <= most and len(text) <= 8 * most + 64
    return line if fits else line[: most - 1].rstrip() + _ELLIPSIS


def label(text: str, most: int = 22) -> str:
    """What stands at an axis or in a legend: cut, and escaped, since a figure reads markup in its texts."""
    return html.escape(cut(text, most), quote=False)


def ends(text: str, most: int = 24) -> str:
    """A name cut in its middle, since judges of one kind differ at the end; escaped."""
    line = visible(text)
    if len(line) > most:
        head = (most - 1) // 2
        line = line[:head].rstrip() + _ELLIPSIS + line[len(line) - (most - 1 - head) :].lstrip()
    return html.escape(line, quote=False)


def hover(text: str) -> str:
    """What is shown on hovering: more of the text, in lines, escaped."""
    lines = textwrap.wrap(cut(text, HOVER_MOST), HOVER_WIDTH)
    return "<br>".join(html.escape(line, quote=False) for line in lines)


def named(id: str, text: str) -> str:
    """An item on hovering: its id in bold, and its text where that says more."""
    head = f"<b>{html.escape(cut(id, HOVER_WIDTH), quote=False)}</b>"
    return head if text in ("", id) else f"{head}<br>{hover(text)}"
