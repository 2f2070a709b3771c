"""Authentication by bearer token, or by cookie in browsers; protection against forged requests.

Servers without tokens accept everybody. Any site can make a browser send a request with the user's cookie (CSRF). So a
change authenticated by cookie must come from a page of this server, according to ``Origin`` and ``Sec-Fetch-Site``, and
carry the CSRF token of that page. Requests with a bearer token need neither: no other site can make a browser send one.
"""

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from fastapi import Request
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser

from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import LOCAL, Caller, TokenFile

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


DAYS = 30
"""Days for which a login in a browser lasts."""

_FORM = re.compile(r"([0-9a-f]{64})\.([0-9]{1,12})\.([0-9a-f]{32})")
_ASK = {"www-authenticate": "Bearer"}
NEEDED = "this server requires a token: send Authorization: Bearer TOKEN, or log in at /login"
UNKNOWN = "this server has no such token: it is mistyped, revoked, or another server's; see `paragone token list`"


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """The authenticated caller of a request.

    Attributes:
        who: The caller.
        is_bearer: Whether by a bearer token, which no other site can make a browser send.
    """

    who: Caller
    is_bearer: bool


def identify(headers: Headers, scheme: str, config: WebConfig, tokens: TokenFile, now: float) -> Identity | None:
    """Identify the caller of a request; None if the server has tokens and the request has no valid one.

    Raises:
        UnreadableFile: If the token file cannot be read.
    """
    if config.tokens is None:
        return _local(config.secret)
    bearer = bearer_in(headers)
    if bearer is not None:
        who = tokens.caller(bearer)
    else:
        cookie = cookie_parser(headers.get("cookie", "")).get(cookie_name(scheme), "")
        who = identify_by_cookie(cookie, tokens, config.secret, now)
    return None if who is None else Identity(who=who, is_bearer=bearer is not None)


@lru_cache(maxsize=8)
def _local(secret: bytes) -> Identity:
    return Identity(who=replace(LOCAL, csrf=csrf_of(LOCAL.name, secret)), is_bearer=False)


def caller_of(request: Request, csrf: str | None = None) -> Caller:
    """The caller of a request.

    Args:
        request: The request.
        csrf: CSRF token of its page; that of its header if None.

    Raises:
        HTTPException: 401 if a token is required and missing or invalid; 403 if the request may be forged.
        UnreadableFile: If the token file cannot be read.
    """
    identity = identity_of(request)
    if request.method in CHANGING and not identity.is_bearer:
        _require_own(request, identity.who, request.headers.get(HEADER, "") if csrf is None else csrf)
    request.state.who = identity.who.name  # for the log
    return identity.who


def identity_of(request: Request) -> Identity:
    """Who sent a request, as far as its token or cookie tells.

    Raises:
        HTTPException: 401 if a token is required and missing or invalid.
        UnreadableFile: If the token file cannot be read.
    """
    config: WebConfig = request.app.state.config
    identity = identify(request.headers, request.scope["scheme"], config, request.app.state.tokens, time.time())
    if identity is None:
        raise HTTPException(401, NEEDED if bearer_in(request.headers) is None else UNKNOWN, headers=_ASK)
    return identity


def _require_own(request: Request, who: Caller, csrf: str) -> None:
    """Refuse a request that another site may have made a browser send.

    Without tokens there are no cookies, and a request from no browser was sent by a program on this machine.
    """
    headers = request.headers
    if who.name == LOCAL.name and not is_of_browser(headers):
        return
    if not is_own(headers, request.scope["scheme"]):
        raise HTTPException(403, "this request comes from another site, or does not name its origin")
    if not is_same(csrf, who.csrf):
        raise HTTPException(403, f"the CSRF token ({HEADER}) is missing or wrong: reload the page")


def bearer_in(headers: Mapping[str, str]) -> str | None:
    """The bearer token of a request; None if it has none."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def cookie_name(scheme: str) -> str:
    """The name of the session cookie; over https with the ``__Host-`` prefix, which subdomains cannot set."""
    return "__Host-paragone" if scheme == "https" else "paragone"


def cookie_of(who: Caller, secret: bytes, until: float) -> str:
    """A signed session cookie with a digest of the token, an expiry time and a nonce.

    Name and role are looked up by the digest, so revoking a token ends its sessions even if the name is reused.
    """
    body = f"{_mark(who.key, secret)}.{int(until)}.{secrets.token_hex(16)}"
    return f"{body}.{_signature(body, secret)}"


def identify_by_cookie(cookie: str, tokens: TokenFile, secret: bytes, now: float) -> Caller | None:
    """The caller of a session cookie; None if it is invalid or expired, or its token was revoked."""
    body, _, signed = cookie.rpartition(".")
    form = _FORM.fullmatch(body)
    if form is None or not is_same(signed, _signature(body, secret)) or int(form[2]) < now:
        return None
    caller = tokens.by_mark(_mark, secret).get(form[1])  # the cookie is signed, so a look-up tells nobody anything
    return None if caller is None else replace(caller, csrf=csrf_of(body, secret))


def _mark(key: str, secret: bytes) -> str:
    return keyed("token:" + key, secret)


def _signature(body: str, secret: bytes) -> str:
    return keyed("cookie:" + body, secret)
