"""Fences around untrusted texts: a text stands between two lines with a mark that no text has."""

import hashlib
from collections.abc import Sequence

_MARK_LENGTH = 16


def mark(*texts: str, avoid: Sequence[str] = ()) -> str:
    """A mark that occurs in none of the texts; the same texts always get the same one.

    It comes from a hash of all texts together, so the author of a text cannot write the mark into it: that would change
    the mark. If it occurs all the same, the next one is tried.

    Args:
        texts: The texts that it depends on.
        avoid: More texts in which it must not occur. It does not depend on them unless it does.
    """
    seed = hashlib.sha256()
    for text in texts:
        raw = text.encode()
        seed.update(len(raw).to_bytes(8, "big") + raw)
    candidate = seed.hexdigest()[:_MARK_LENGTH]
    while any(candidate in text for text in (*texts, *avoid)):
        seed.update(b"again")
        candidate = seed.hexdigest()[:_MARK_LENGTH]
    return candidate


def encodable(text: str) -> str:
    """A text that can be encoded: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, limit: int) -> str:
    """A text cut to ``limit`` characters, followed by a remark on how much was left out, if anything."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut here: {len(text) - limit} of {len(text)} characters left out]"
