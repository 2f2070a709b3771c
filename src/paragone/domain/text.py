"""Text that is safe to show: one line, visible characters only, at most so long."""

import re
import unicodedata

_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Control characters, those that turn the direction of writing among them, and halves of characters."""
_JOINERS = "\u200c\u200d"
"""Invisible, and part of the spelling of Persian and of many symbols."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_FINGERPRINT = re.compile(r"(?:#[0-9a-f]{8,64}|(?<=\w)[:@][0-9a-f]{12})(?=/|$)")
"""What tells versions of a judge apart, and nobody reads in a row."""


def whole(text: str) -> str:
    """A text without halves of surrogate pairs, which no JSON can hold: each becomes the replacement character.

    Models write them now and then. The ledger keeps what they wrote.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def visible(text: str) -> str:
    """The text on one line, without characters that cannot be seen or that change what stands around them."""
    return " ".join(_shown(text, "").split())


def harmless(text: str) -> str:
    """The same with the text's own lines and tabs kept; every kind of line break becomes one line feed."""
    if text.isprintable():  # a page has thousands of these
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return _shown(lines, "\n\t")


def cut(text: str, most: int) -> str:
    """The text on one line and at most so many letters long, with an ellipsis where something is missing."""
    line = visible(text[: 8 * most + 64])
    fits = len(line) <= most and len(text) <= 8 * most + 64
    return line if fits else line[: most - 1].rstrip() + ELLIPSIS


def without_fingerprint(identity: str) -> str:
    """A judge without its fingerprint, which a row or a label has no room for."""
    return _FINGERPRINT.sub("", identity)


def counted(number: int, thing: str) -> str:
    """A number with what it counts, as ``1 debate`` and ``2,000 debates``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def factor(value: float) -> str:
    """A factor, or a percentage, with two significant digits, as ``0.012``, ``2.3`` and ``1,400``."""
    return f"{float(f'{value:.2g}'):,g}"


def _shown(text: str, allowed: str) -> str:
    if text.isprintable():  # holds nothing of the kinds that are taken out
        return text
    allowed += _JOINERS
    return "".join(ch if ch in allowed or unicodedata.category(ch) not in _INVISIBLE else " " for ch in text)
