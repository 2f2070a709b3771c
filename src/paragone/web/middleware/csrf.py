"""Protection against cross-site request forgery: any site can make a browser send a request with the user's cookie.

A change authenticated by cookie must come from a page of this server, according to ``Origin`` and
``Sec-Fetch-Site``, and carry the CSRF token of that page. Requests with a bearer token need neither: no other site
can make a browser send one.
"""

import hashlib
import hmac

from starlette.datastructures import Headers

CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
HEADER = "x-csrf-token"
"""Header in which scripts send the CSRF token of their page."""

_MARKS = ("origin", "sec-fetch-site", "sec-fetch-mode", "referer", "cookie")
_PORTS = {"http": ":80", "https": ":443"}


def is_of_browser(headers: Headers) -> bool:
    """Whether a changing request comes from a browser: every browser names the origin, programs do not."""
    return any(mark in headers for mark in _MARKS)


def is_own(headers: Headers, scheme: str) -> bool:
    """Whether the browser states that a page of this server sent the request; False if it states nothing.

    Another port of the same host is another origin. Behind an undeclared proxy the scheme is unknown; there
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
    """Whether another site embeds this address as an image, script, frame or stream.

    It would only learn the timing and whether it failed, but it could keep the server busy. Links to a page are
    navigation and allowed.
    """
    if headers.get("sec-fetch-site") not in {"cross-site", "same-site"}:
        return False
    return headers.get("sec-fetch-mode") != "navigate" or headers.get("sec-fetch-dest", "document") != "document"


def csrf_of(session: str, secret: bytes) -> str:
    """The CSRF token of a session, which only its pages know."""
    return keyed("csrf:" + session, secret)


def is_same(secret: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(secret.encode("utf-8", "surrogatepass"), expected.encode())


def keyed(text: str, secret: bytes) -> str:
    """HMAC-SHA-256 of a text, in hexadecimal; the text starts with its purpose."""
    return hmac.new(secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _bare(netloc: str, scheme: str) -> str:
    return netloc.removesuffix(_PORTS.get(scheme, "\0"))
