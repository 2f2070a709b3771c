"""Texts that may leave the house."""


def whole(text: str) -> str:
    """A text without halves of surrogate pairs, which no JSON can hold: each becomes the replacement character.

    Models write them now and then. The ledger keeps what they wrote.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
