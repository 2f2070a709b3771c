"""Keep untrusted texts apart from the instructions around them."""

import hashlib

_MARK_LENGTH = 16


def mark(*texts: str) -> str:
    """A mark that occurs in none of the texts: the same texts always get the same one.

    It comes from a hash of all texts together, so nobody who writes one of them can write the mark into it: adding it
    would change it. Should it occur all the same, the next one is tried.
    """
    seed = hashlib.sha256()
    for text in texts:
        raw = text.encode()
        seed.update(len(raw).to_bytes(8, "big") + raw)
    found = seed.hexdigest()[:_MARK_LENGTH]
    while any(found in text for text in texts):
        seed.update(b"again")
        found = seed.hexdigest()[:_MARK_LENGTH]
    return found


def encodable(text: str) -> str:
    """A text that can be sent: halves of characters, which no encoding allows, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, limit: int) -> str:
    """A text of at most ``limit`` characters, and after it a remark that says how much was left out, if anything."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut here: {len(text) - limit} of {len(text)} characters left out]"
