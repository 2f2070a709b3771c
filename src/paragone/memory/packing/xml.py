"""Packs as XML. Content cannot end its own quotation: ``]]>`` is split over two sections, names are escaped."""

import re
from collections.abc import Mapping

from paragone.memory.packing.layout import NOTICE, Quote, tally
from paragone.wire.pack import PackForm

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, escaped or not. Source: XML 1.0, "Characters"."""
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


class Xml:
    """One element a file, content in CDATA sections. It can be parsed."""

    def opening(self, counts: Mapping[PackForm, int]) -> str:
        """The root element, the notice and the tally."""
        return f"<pack>\n<notice>{NOTICE}</notice>\n<tally>{tally(counts)}</tally>\n"

    def whole(self, quote: Quote) -> str:
        """An element with the content."""
        return _element("file", quote)

    def signatures(self, quote: Quote) -> str:
        """An element with the signatures."""
        return _element("signatures", quote)

    def before_pointers(self) -> str:
        """Nothing."""
        return ""

    def pointer(self, quote: Quote) -> str:
        """An empty element."""
        return f'<pointer path="{attribute(quote.path)}" lines="{quote.lines}"/>\n'

    def closing(self) -> str:
        """The end of the root element."""
        return "</pack>\n"


def attribute(text: str) -> str:
    """A text as the value of an attribute, without its quotes."""
    return "".join(_ESCAPES.get(letter, letter) for letter in _possible(text))


def cdata(text: str) -> str:
    """A text in CDATA sections; what XML cannot hold becomes the replacement character."""
    return "<![CDATA[" + _possible(text).replace("]]>", "]]]]><![CDATA[>") + "]]>"


def _possible(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def _element(name: str, quote: Quote) -> str:
    language = f' language="{attribute(quote.language)}"' if quote.language else ""
    opened = f'<{name} path="{attribute(quote.path)}"{language}>'
    return f"{opened}{cdata(_on_own_lines(quote.text))}</{name}>\n"


def _on_own_lines(text: str) -> str:
    """A text that begins on a line of its own, and ends with a line end."""
    return "\n" + text + ("" if not text or text.endswith("\n") else "\n")
