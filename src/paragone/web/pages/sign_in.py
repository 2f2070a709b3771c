"""Signing in with a provider of OpenID Connect: to it, and back."""

import time
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from paragone.errors import Conflict, Failure, LedgerError, UsageError
from paragone.web.middleware.authentication import DAYS, cookie_of
from paragone.web.pages.login import attempts_left, cookie_flags, inward
from paragone.web.pages.rendering import page
from paragone.web.parameters import ConfigDep, PeopleDep
from paragone.web.sign_in import MINUTES, Attempt, SignIn

router = APIRouter()
COOKIE = "paragone-sign-in"
BACK = "/login/provider/back"


@router.get("/login/provider")
def leave(request: Request, config: ConfigDep, next: Annotated[str, Query(max_length=2_000)] = "/") -> Response:
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
