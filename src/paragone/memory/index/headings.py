"""The headings of Markdown and reStructuredText, by line. Fenced blocks of code have none."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_PROSE = re.compile(r" {0,3}(?![-*+>|#]|`{3}|~{3}|\d+[.)][ \t])\S")
_END = re.compile(r"\s*$| {4}|\t| {0,3}(?:`{3}|~{3}|(?:-{3,}|=+)\s*$)")
"""A line after which a paragraph begins."""
_ADORNED = re.compile(r"([=\-~^\"'`#*+:.<>_])\1{2,}\s*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading.

    Attributes:
        line: Of its title, from 1.
        level: From 1, the highest.
        title: Without marks.
        shown: As an outline shows it: with as many ``#`` as its level.
    """

    line: int
    level: int
    title: str

    @property
    def shown(self) -> str:
        return f"{'#' * self.level} {self.title}"


def markdown_headings(text: str) -> list[Heading]:
    """The headings of Markdown, those that are underlined too; none in fences or in front matter."""
    headings: list[Heading] = []
    fence = ""
    lines = text.split("\n")
    for number, line in enumerate(lines[_front_matter(lines) :], _front_matter(lines) + 1):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not mark[2].strip() else fence
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
        elif atx := _ATX.match(line):
            headings.append(Heading(number, len(atx[1]), _plain(atx[2] or "")))
        elif number > 1 and _SETEXT.match(line) and _is_title(lines, number - 2, headings):
            headings.append(Heading(number - 1, 1 if "=" in line else 2, _plain(lines[number - 2])))
    return [heading for heading in headings if heading.title]


def rst_headings(text: str) -> list[Heading]:
    """The headings of reStructuredText: underlined at full length, in the order of levels in which marks appear."""
    headings: list[Heading] = []
    levels: list[tuple[str, bool]] = []
    lines = text.split("\n")
    for row in range(1, len(lines)):
        mark, title = _ADORNED.match(lines[row]), lines[row - 1]
        if not mark or not title.strip() or _ADORNED.match(title) or len(lines[row].rstrip()) < len(title.rstrip()):
            continue
        over = row >= 2 and lines[row - 2].rstrip() == lines[row].rstrip()
        if not over and (title[0].isspace() or (row >= 2 and lines[row - 2].strip())):
            continue
        kind = (mark[1], over)
        if kind not in levels:
            levels.append(kind)
        headings.append(Heading(row, levels.index(kind) + 1, _plain(title)))
    return headings


HEADINGS: Mapping[str, Callable[[str], list[Heading]]] = {"markdown": markdown_headings, "rst": rst_headings}
"""By language, what finds its headings."""


def _front_matter(lines: list[str]) -> int:
    """How many lines of front matter a text begins with."""
    if lines[0].rstrip() not in {"---", "+++"}:
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() == lines[0].rstrip()), 0)


def _is_title(lines: list[str], row: int, headings: list[Heading]) -> bool:
    """Whether a row can be the title over a line: one line of prose that is no heading already."""
    alone = row == 0 or bool(_END.match(lines[row - 1])) or (bool(headings) and headings[-1].line == row)
    return alone and bool(_PROSE.match(lines[row])) and not (headings and headings[-1].line == row + 1)


def _plain(title: str) -> str:
    """A title without code marks, emphasis and links."""
    return " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("**", "").split())
