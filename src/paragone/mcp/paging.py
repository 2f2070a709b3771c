"""Pages of files, no longer than an answer may be."""

from typing import TYPE_CHECKING

from paragone.domain.text import counted
from paragone.mcp.answers import CHARACTERS

if TYPE_CHECKING:
    from paragone.memory.search import Page


def trimmed(page: "Page", most: int = CHARACTERS) -> tuple[str, int, int | None]:
    """As many whole lines of a page as fit, the number of the last one, and where the next page begins, if anywhere.

    A first line that does not fit by itself is cut, and says so.
    """
    lines = page.text.split("\n") if page.end >= page.start else []
    kept: list[str] = []
    room = most
    for line in lines:
        room -= len(line) + 1
        if room < 0 and kept:
            break
        kept.append(_shortened(line, most))
    end = page.start + len(kept) - 1
    return "\n".join(kept), end, page.next_start if end >= page.end else end + 1


def _shortened(line: str, most: int) -> str:
    if len(line) <= most:
        return line
    return f"{line[:most]}… ({counted(len(line) - most, 'character')} more)"
