"""Logging in and out: a token, or sign-in with a provider of the organisation, becomes a cookie.

So a browser stays known, and pages never hold the token.
"""

import asyncio
import math
import re
import time
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from paragone.errors import Conflict, Failure, LedgerError, UsageError
from paragone.web.forms import fields
from paragone.web.middleware.access_tokens import Caller, TokenFile
from paragone.web.middleware.authentication import DAYS, HEADER, cookie_name, cookie_of, identify, is_own, is_same
from paragone.web.middleware.limits import Rate, network
from paragone.web.pages.rendering import page
from paragone.web.parameters import ConfigDep, PeopleDep
from paragone.web.sign_in import MINUTES, Attempt, SignIn

router = APIRouter()

ATTEMPTS = 10
"""A minute and address."""
FIELDS = 8
"""Maximum number of fields of a login."""
COOKIE = "paragone-sign-in"
BACK = "/login/provider/back"

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


@router.get("/login/provider")
def leave_for_provider(
    request: Request, config: ConfigDep, next: Annotated[str, Query(max_length=2_000)] = "/"
) -> Response:
    """Send the browser to the provider."""
    sign_in: SignIn | None = request.app.state.sign_in
    if sign_in is None:
        return _refused(404, "this server has no provider of sign-in: enter a token, or open a link")
    refused = attempts_left(request)
    if refused is not None:
        return refused
    address = f"{request.url.scheme}://{request.headers['host']}{BACK}"
    attempt = Attempt.begun(address, inward(next), time.time())
    try:
        answer = RedirectResponse(sign_in.address(attempt), 303)
    except (UsageError, Failure) as problem:
        return _refused(503, str(problem))
    # "Lax", since the provider sends the browser back; the session's cookie stays "Strict".
    flags = {**cookie_flags(request), "key": COOKIE, "samesite": "lax", "path": "/login"}
    answer.set_cookie(value=attempt.sealed(config.secret), max_age=60 * MINUTES, **flags)
    return answer


@router.get(BACK)
def come_back(
    request: Request,
    config: ConfigDep,
    people: PeopleDep,
    code: Annotated[str, Query(max_length=4_000)] = "",
    state: Annotated[str, Query(max_length=200)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Take the provider's answer, and begin a session."""
    sign_in: SignIn | None = request.app.state.sign_in
    if sign_in is None:
        return _refused(404, "this server has no provider of sign-in")
    try:
        attempt = Attempt.opened(request.cookies.get(COOKIE, ""), state, config.secret, time.time())
        if error or not code:
            return _refused(403, f"the provider did not sign you in ({error or 'no code'})")
        claims = sign_in.claims(attempt, code)
        person = people.sign_in(claims, sign_in.provider)
        with suppress(LedgerError):  # whoever may come in may, even while the ledger cannot be written
            people.note_sign_in(person.name, "provider")
    except (UsageError, Conflict) as problem:
        return _refused(403, str(problem))
    except Failure as problem:
        return _refused(503, str(problem))
    # A page, not a redirect: after one from another site browsers withhold cookies that are "Strict".
    answer = page("signed_in.html", section="login", who=person.caller, next=attempt.next)
    cookie = cookie_of(person.caller, config.secret, time.time() + DAYS * 86_400)
    answer.set_cookie(value=cookie, max_age=DAYS * 86_400, **cookie_flags(request))
    answer.delete_cookie(COOKIE, path="/login")
    return answer


def _refused(status: int, words: str) -> HTMLResponse:
    return page("error.html", status=status, title="You are not signed in", detail=words, code=status, back="/login")
