"""Whether a request was forged: any site can have a browser send one, with the cookie of whoever looks at that site.

So what changes something in the name of a cookie has to come from a page of this server, by what the browser says of
it (``Origin``, ``Sec-Fetch-Site``), and has to bring what only such a page knows. Programs that bring a token of their
own need neither: nobody can have them send it.
"""

import hashlib
import hmac

from starlette.datastructures import Headers

CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
HEADER = "x-csrf-token"
"""Where a page's scripts put what the page was given."""

_MARKS = ("origin", "sec-fetch-site", "sec-fetch-mode", "referer", "cookie")
_PORTS = {"http": ":80", "https": ":443"}


def is_of_browser(headers: Headers) -> bool:
    """Whether a request that changes something comes from a browser: all of them say where from, programs do not."""
    return any(mark in headers for mark in _MARKS)


def is_own(headers: Headers, scheme: str) -> bool:
    """Whether the browser says that a page of this very server sends this; not where it says nothing.

    Another port of the same machine is another server. Behind a proxy that was not named the scheme is not known; there
    ``Sec-Fetch-Site`` decides, which browsers send over https.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is None:
        return site is not None
    of, _, origin_host = origin.lower().partition("://")
    own_host = headers.get("host", "").lower()
    return _bare(origin_host, of) == _bare(own_host, of) and (site is not None or of == scheme)


def is_embedded(headers: Headers) -> bool:
    """Whether another site has a browser read this for a page of its own: as an image, a script, a frame, a stream.

    It would learn nothing but how long that takes and whether it failed; and it could keep the server busy. A link to a
    page is something else.
    """
    if headers.get("sec-fetch-site") not in {"cross-site", "same-site"}:
        return False
    return headers.get("sec-fetch-mode") != "navigate" or headers.get("sec-fetch-dest", "document") != "document"


def csrf_of(session: str, secret: bytes) -> str:
    """What the pages of a session are given, and no other site can know."""
    return keyed("csrf:" + session, secret)


def is_same(secret: str, expected: str) -> bool:
    """Whether two secrets are the same, in a time that says nothing of where they differ."""
    return hmac.compare_digest(secret.encode("utf-8", "surrogatepass"), expected.encode())


def keyed(text: str, secret: bytes) -> str:
    """HMAC-SHA-256 of a text, in hexadecimal; the text begins with what it is for."""
    return hmac.new(secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _bare(netloc: str, scheme: str) -> str:
    return netloc.removesuffix(_PORTS.get(scheme, "\0"))
