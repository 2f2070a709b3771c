"""Joining by the link of an invitation: a name is asked for once, and the browser has a session."""

import math
import time
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from paragone.domain import ItemKind
from paragone.errors import Conflict, Refused, UsageError
from paragone.web.forms import FormDep
from paragone.web.middleware.authentication import DAYS, cookie_of
from paragone.web.middleware.limits import Rate, network
from paragone.web.middleware.roles import Caller, Invitation, Role
from paragone.web.pages.login import cookie_flags, who_is
from paragone.web.pages.rendering import page
from paragone.web.parameters import LedgerDep, PeopleDep
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import pools
from paragone.wire.address import agents_url, pool_url
from paragone.wire.pool import Pool

router = APIRouter()

ATTEMPTS = 60
"""A minute and address, looking at the page included: a class behind one address joins within a minute."""
LONGEST = 200
"""Maximum characters of what a link carries."""


@router.get("/join")
def ask(
    request: Request,
    reader: LedgerDep,
    people: PeopleDep,
    invite: Annotated[str, Query(max_length=LONGEST)] = "",
) -> HTMLResponse:
    """Say what the invitation is to, and ask for a name."""
    refused, who = _too_many(request), who_is(request)
    if refused is not None:
        return refused
    try:
        invitation = people.opened(invite, request.headers["host"], who)
    except Refused as problem:
        return _refused(str(problem))
    return _form(reader, invitation, invite, who)


@router.post("/join")
def enter(request: Request, reader: LedgerDep, people: PeopleDep, form: FormDep) -> Response:
    """Join under a name. That a page of this server sent it is checked of every request that changes something."""
    refused, who = _too_many(request), who_is(request)
    if refused is not None:
        return refused
    token, name, host = form.fields.get("invite", "")[:LONGEST], form.fields.get("name", ""), request.headers["host"]
    try:
        invitation = people.opened(token, host, who)
        if who is not None and who.grants is None:  # who sees all pools already
            return RedirectResponse(_first_page(reader, invitation), 303)
        person = people.join(token, host, name, who)
    except Refused as problem:
        return _refused(str(problem))
    except (Conflict, UsageError) as problem:
        return _form(reader, invitation, token, who, name=name, problem=str(problem))
    answer = RedirectResponse(_first_page(reader, invitation), 303)
    cookie = cookie_of(person.caller, request.app.state.config.secret, time.time() + DAYS * 86_400)
    answer.set_cookie(value=cookie, max_age=DAYS * 86_400, **cookie_flags(request))
    return answer


def _first_page(reader: LedgerReader, invitation: Invitation) -> str:
    about = pools.pool(reader, invitation.pool)
    if about.kind == ItemKind.AGENT:
        return agents_url(invitation.pool)
    votes = invitation.role >= Role.VOTE and about.tournament is not None and about.tournament.votable
    return pool_url(invitation.pool, *(["vote"] if votes else []))


def _form(
    reader: LedgerReader, invitation: Invitation, token: str, who: Caller | None, *, name: str = "", problem: str = ""
) -> HTMLResponse:
    about: Pool = pools.pool(reader, invitation.pool)
    return page(
        "join.html",
        status=422 if problem else 200,
        section="join",
        refused="",
        about=about,
        role=invitation.role.word,
        a_day=invitation.a_day,
        token=token,
        known=None if who is None else who.name,
        sees_all=who is not None and who.grants is None,
        name=name,
        problem=problem,
    )


def _refused(words: str) -> HTMLResponse:
    return page("join.html", status=403, section="join", refused=words)


def _too_many(request: Request) -> HTMLResponse | None:
    """The refusal of somebody who tries too often; None if they do not."""
    state = request.app.state
    if not hasattr(state, "joins"):
        state.joins = Rate(ATTEMPTS)
    rate: Rate = state.joins
    wait = rate.wait(network((request.scope.get("client") or ("",))[0]))
    if not wait:
        return None
    words = f"Too many attempts: wait {math.ceil(wait)} seconds."
    refused = page("join.html", status=429, section="join", refused=words)
    refused.headers["retry-after"] = str(math.ceil(wait))
    return refused
