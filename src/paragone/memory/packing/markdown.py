"""Packs as Markdown. Content cannot end its own quotation: fences are longer than any row of their marks in it."""

import json
import re
from collections.abc import Mapping

from paragone.domain.text import counted
from paragone.memory.packing.layout import NOTICE, Quote, tally
from paragone.wire.pack import PackForm


class Markdown:
    """Headings, fenced blocks and a list of pointers."""

    def opening(self, counts: Mapping[PackForm, int]) -> str:
        """Title, notice and tally."""
        return f"# Pack of files\n\n{NOTICE}\n\n{tally(counts)}\n\n"

    def whole(self, quote: Quote) -> str:
        """A heading with the path, and the content."""
        return f"## {code_span(quote.path)}\n\n{fenced(quote.text, quote.language)}\n"

    def signatures(self, quote: Quote) -> str:
        """A heading that says so, and the signatures."""
        return f"## {code_span(quote.path)}, signatures only\n\n{fenced(quote.text, quote.language)}\n"

    def before_pointers(self) -> str:
        """A heading."""
        return "## Pointers\n\n"

    def pointer(self, quote: Quote) -> str:
        """An entry of the list."""
        return f"- {code_span(quote.path)}, {counted(quote.lines, 'line')}\n"

    def closing(self) -> str:
        """Nothing."""
        return ""


def code_span(text: str) -> str:
    """A text as a code span on one line, whatever it holds.

    Source: CommonMark 0.31, "Code spans".
    """
    line = text if text.isprintable() else json.dumps(text)
    marks = "`" * (_longest(line, "`") + 1)
    pad = " " if line.startswith(("`", " ")) or line.endswith(("`", " ")) else ""
    return f"{marks}{pad}{line}{pad}{marks}"


def fenced(text: str, language: str) -> str:
    """A text in a fenced block that ends where the text does; of backticks, or of tildes where those are fewer.

    Source: CommonMark 0.31, "Fenced code blocks".
    """
    fences = [mark * max(3, _longest(text, mark) + 1) for mark in "`~"]
    fence = min(fences, key=len)
    info = language if re.fullmatch(r"[\w+#.-]*", language) else ""
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{fence}{info}\n{text}{end}{fence}\n"


def _longest(text: str, mark: str) -> int:
    """The length of the longest row of a mark."""
    return max((len(row) for row in re.findall(re.escape(mark) + "+", text)), default=0)
