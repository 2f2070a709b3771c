"""What a ledger is called in messages: its path, or its URL without what is secret in it."""

import os
import re

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+]+:(//|$)")
_PASSWORD = re.compile(r"(?s)^([^:/?#]+://[^:@/?]*):.*@")
_SECRET = re.compile(r"(?i)([?&](?:ssl)?password=)[^&]*")


def is_url(text: str) -> bool:
    """Whether a text is meant as a URL; any other is the path of a file."""
    return _URL.match(text) is not None


def without_password(url: str | os.PathLike[str]) -> str:
    """A URL as it may be shown, with ``***`` for a password; the path of a file as it is.

    A password that holds an unescaped ``@`` is hidden whole: everything up to the last one goes.
    """
    text = os.fspath(url)
    if not is_url(text):
        return text
    return _SECRET.sub(r"\1***", _PASSWORD.sub(r"\1:***@", text))
