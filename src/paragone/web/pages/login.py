"""Logging in and out: a token becomes a cookie, so that a browser stays known and pages never hold the token."""

import asyncio
import math
import re
import time
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from paragone.errors import LedgerError
from paragone.web.forms import fields
from paragone.web.middleware.access_tokens import Caller, TokenFile
from paragone.web.middleware.authentication import DAYS, HEADER, cookie_name, cookie_of, identify, is_own, is_same
from paragone.web.middleware.limits import Rate, network
from paragone.web.pages.rendering import page
from paragone.web.parameters import ConfigDep

router = APIRouter()

ATTEMPTS = 10
"""A minute and address."""
FIELDS = 8
"""Maximum number of fields of a login."""

_PATH = re.compile(r"/(?![/\\])[^\\\x00-\x1f\x7f-\U0010ffff]*")
"""A path of this server: ``//host`` and ``/\\host`` lead to others."""


@router.get("/login")
def ask(request: Request, config: ConfigDep, next: Annotated[str, Query()] = "/") -> Response:
    """The login form; somebody who is logged in may log out."""
    if config.tokens is None:
        return RedirectResponse("/", 303)
    sign_in = request.app.state.sign_in
    return _form(next, who=who_is(request), provider="" if sign_in is None else sign_in.provider.name)


@router.post("/login")
async def enter(request: Request, config: ConfigDep) -> Response:
    """Exchange a token for a cookie."""
    form = fields(await request.body(), FIELDS)
    if config.tokens is None:
        return RedirectResponse("/", 303)
    refused = attempts_left(request, form.get("next", "/"))
    if refused is not None:
        return refused
    tokens: TokenFile = request.app.state.tokens
    who = tokens.caller(form.get("token", "").strip())
    if who is None:
        return _form(form.get("next", "/"), status=401, problem="This server has no such token.")
    with suppress(LedgerError):  # whoever may come in may, even while the ledger cannot be written
        await asyncio.to_thread(request.app.state.people.note_sign_in, who.name, "token")
    answer = RedirectResponse(inward(form.get("next", "/")), 303)
    cookie = cookie_of(who, config.secret, time.time() + DAYS * 86_400)
    answer.set_cookie(value=cookie, max_age=DAYS * 86_400, **cookie_flags(request))
    return answer


@router.post("/logout")
async def leave(request: Request) -> Response:
    """Log out: delete the cookie."""
    form = fields(await request.body(), FIELDS)
    who = who_is(request)
    csrf = request.headers.get(HEADER) or form.get("csrf", "")
    if who is not None and not (is_own(request.headers, request.scope["scheme"]) and is_same(csrf, who.csrf)):
        return _form("/", status=403, problem="This came from another page: log out here.", who=who)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(**cookie_flags(request))
    return answer


def attempts_left(request: Request, next: str = "/") -> HTMLResponse | None:
    """The refusal of an address that tries to log in too often; None if it may."""
    wait = _attempts(request).wait(network((request.scope.get("client") or ("",))[0]))
    if not wait:
        return None
    refused = _form(next, status=429, problem=f"Too many attempts: wait {math.ceil(wait)} seconds.")
    refused.headers["retry-after"] = str(math.ceil(wait))
    return refused


def inward(path: str) -> str:
    """A path of this server; the overview if it is not."""
    return path if _PATH.fullmatch(path) else "/"


def _form(
    next: str, *, status: int = 200, problem: str = "", who: Caller | None = None, provider: str = ""
) -> HTMLResponse:
    return page(
        "login.html", status=status, section="login", who=who, next=inward(next), problem=problem, provider=provider
    )


def who_is(request: Request) -> Caller | None:
    """The name that the browser is signed in under; None if nobody is."""
    state = request.app.state
    identity = identify(request.headers, request.scope["scheme"], state.config, state.tokens, time.time())
    return None if identity is None else identity.who


def _attempts(request: Request) -> Rate:
    """Login attempts by client."""
    state = request.app.state
    if not hasattr(state, "attempts"):
        state.attempts = Rate(ATTEMPTS)
    rate: Rate = state.attempts
    return rate


def cookie_flags(request: Request) -> dict[str, Any]:
    """Name and flags of the session cookie."""
    scheme = request.scope["scheme"]
    return {
        "key": cookie_name(scheme),
        "path": "/",
        "httponly": True,
        "samesite": "strict",
        "secure": scheme == "https",
    }
