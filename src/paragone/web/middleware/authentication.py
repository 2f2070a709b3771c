"""Who asks, and what they may: by a bearer token, by a cookie in browsers; anybody where there are no tokens."""

import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser

from paragone.web.config import WebConfig
from paragone.web.middleware.csrf import CHANGING, HEADER, csrf_of, is_of_browser, is_own, is_same, keyed
from paragone.web.middleware.tokens import LOCAL, Caller, Role, TokenFile

DAYS = 30
"""For how long a browser stays known."""

_FORM = re.compile(r"([0-9a-f]{64})\.([0-9]{1,12})\.([0-9a-f]{32})")
_ASK = {"www-authenticate": "Bearer"}
_BEARER = HTTPBearer(auto_error=False, description="A token of `paragone token add`. Servers without tokens take none.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """Whom a request names.

    Attributes:
        who: They.
        is_bearer: Whether by a token of the request's own, which no other site can have a browser send.
    """

    who: Caller
    is_bearer: bool


def known(headers: Headers, scheme: str, config: WebConfig, tokens: TokenFile, now: float) -> Identity | None:
    """Whom a request names; None where there are tokens and the request has none of them.

    Raises:
        UnreadableFile: If the file of tokens cannot be read: then nobody is known.
    """
    if config.tokens is None:
        return Identity(who=replace(LOCAL, csrf=csrf_of(LOCAL.name, config.secret)), is_bearer=False)
    bearer = bearer_in(headers)
    if bearer is not None:
        who = tokens.caller(bearer)
    else:
        cookie = cookie_parser(headers.get("cookie", "")).get(cookie_name(scheme), "")
        who = known_by_cookie(cookie, tokens, config.secret, now)
    return None if who is None else Identity(who=who, is_bearer=bearer is not None)


async def caller(request: Request, _: Annotated[object, Depends(_BEARER)] = None) -> Caller:
    """Who asks; see ``named``. It is quick, and so has no thread of its own."""
    return named(request)


def named(request: Request) -> Caller:
    """Who asks.

    Raises:
        HTTPException: 401 where there are tokens and the request has none of them; 403 where it may be forged.
        UnreadableFile: If the file of tokens cannot be read.
    """
    config: WebConfig = request.app.state.config
    identity = known(request.headers, request.scope["scheme"], config, request.app.state.tokens, time.time())
    if identity is None:
        words = "this server asks for a token: Authorization: Bearer TOKEN, or /login in a browser"
        raise HTTPException(401, words, headers=_ASK)
    if request.method in CHANGING and not identity.is_bearer:
        _require_own(request, identity.who)
    request.state.who = identity.who.name  # for the log
    return identity.who


def _require_own(request: Request, who: Caller) -> None:
    """Refuse what another site may have a browser send.

    Without tokens there are no cookies, and what comes from no browser was sent by a program of this machine.
    """
    headers = request.headers
    if who.name == LOCAL.name and not is_of_browser(headers):
        return
    if not is_own(headers, request.scope["scheme"]):
        raise HTTPException(403, "this request comes from another site, or does not say from which")
    if not is_same(headers.get(HEADER, ""), who.csrf):
        raise HTTPException(403, f"this request lacks what its page was given ({HEADER}): load the page again")


def needs(role: Role) -> Callable[..., Awaitable[Caller]]:
    """A dependency that lets through who may do what a role may."""

    async def allowed(who: Annotated[Caller, Depends(caller)]) -> Caller:
        if who.role < role:
            raise HTTPException(
                403, f"the token {who.name!r} may {who.role.name.lower()}; this takes {role.name.lower()}"
            )
        return who

    return allowed


Reader = Annotated[Caller, Depends(needs(Role.READ))]
Voter = Annotated[Caller, Depends(needs(Role.VOTE))]
Judging = Annotated[Caller, Depends(needs(Role.JUDGE))]
Admin = Annotated[Caller, Depends(needs(Role.ADMIN))]


def bearer_in(headers: Mapping[str, str]) -> str | None:
    """The token that a request brings itself; None where it brings none."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def cookie_name(scheme: str) -> str:
    """The name of our cookie. Over https it is one that no neighbour of the host can set."""
    return "__Host-paragone" if scheme == "https" else "paragone"


def cookie_of(who: Caller, secret: bytes, until: float) -> str:
    """What a browser keeps: a mark of the token, a time and a number of its own, signed.

    Name and role are looked up by the mark, so that revoking a token ends its cookies, whoever has its name later.
    """
    body = f"{_mark(who.key, secret)}.{int(until)}.{secrets.token_hex(16)}"
    return f"{body}.{_signature(body, secret)}"


def known_by_cookie(cookie: str, tokens: TokenFile, secret: bytes, now: float) -> Caller | None:
    """Whom a cookie names; None where it is none of ours, too old, or its token was revoked."""
    body, _, signed = cookie.rpartition(".")
    form = _FORM.fullmatch(body)
    if form is None or not is_same(signed, _signature(body, secret)) or int(form[2]) < now:
        return None
    caller = None
    for candidate in tokens.callers():
        if is_same(form[1], _mark(candidate.key, secret)):
            caller = replace(candidate, csrf=csrf_of(body, secret))
    return caller


def _mark(key: str, secret: bytes) -> str:
    return keyed("token:" + key, secret)


def _signature(body: str, secret: bytes) -> str:
    return keyed("cookie:" + body, secret)
