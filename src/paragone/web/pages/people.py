"""The page of people: who may do what, invitations with their links, quotas, and revocations."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from paragone.domain import ItemKind
from paragone.errors import InvalidConfig, MissingExtra
from paragone.web.api.people import NewInvitation, Quota, Revocation
from paragone.web.forms import Acts, Form, FormDep, answer_form, do, words_of_act
from paragone.web.middleware.access_tokens import Caller
from paragone.web.middleware.authorization import Admin
from paragone.web.pages.rendering import as_data, link, page, pages_of
from paragone.web.parameters import LedgerDep, Nth, PageNumber, PeopleDep
from paragone.web.people import HOURS, People, qr
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.people import people_list
from paragone.wire.people import Invitation

router = APIRouter()
DAY = 24.0
MOST = 50
"""People of a page, and invitations."""


@dataclass(frozen=True, slots=True)
class _Act:
    """A form that was sent, by whom."""

    people: People
    request: Request
    who: Caller
    form: Form

    def values(self, *names: str) -> dict[str, Any]:
        """Fields that were filled in."""
        return {name: self.form.fields[name] for name in names if self.form.fields.get(name)}


def _invite(act: _Act) -> str:
    values = act.values("pool", "role", "uses", "a_day")
    days = act.form.fields.get("days", "")
    if days:
        try:
            values["hours"] = DAY * float(days)
        except ValueError:
            raise InvalidConfig("the days for which the invitation lasts are a number") from None
    body = NewInvitation.model_validate(values)
    return act.people.invite(body.pool, body.terms(act.request), act.who.name).id


def _take_back(act: _Act) -> str:
    return act.people.take_back(act.form.fields.get("invitation", ""), act.who.name).id


def _revoke(act: _Act) -> str:
    body = Revocation.model_validate(act.values("reason"))
    return act.people.revoke(act.form.fields.get("person", ""), act.who.name, body.reason).name


def _quota(act: _Act) -> str:
    body = Quota.model_validate(act.values("pool", "a_day"))
    return act.people.set_quota(act.form.fields.get("person", ""), body.pool, body.a_day, act.who.name).name


_ACTS: Acts[_Act] = {
    "invite": (_invite, "The invitation is ready: send its link, or show its code."),
    "take back": (_take_back, "The invitation was taken back. Those who joined by it stay."),
    "revoke": (_revoke, "{} was shut out, at once. Their votes stay."),
    "quota": (_quota, "The quota of {} was changed."),
}


@router.get("/people")
def show(
    request: Request,
    reader: LedgerDep,
    people: PeopleDep,
    who: Admin,
    done: Annotated[str, Query(max_length=20)] = "",
    about: Annotated[str, Query(max_length=128)] = "",
    pool: Annotated[str, Query(max_length=200)] = "",
    at: PageNumber = 1,
    invitations: Nth = 1,
    sign_ins: Annotated[int, Query(ge=1, le=1_000_000, alias="sign-ins")] = 1,
) -> HTMLResponse:
    """Everybody who may get in, and a form for an invitation."""
    opened = about if done == "invite" else ""
    words = words_of_act(_ACTS, done, about)
    return _page(
        request, reader, people, who, {"pool": pool}, done=words, opened=opened, at=(at, invitations, sign_ins)
    )


@router.post("/people")
def act(request: Request, reader: LedgerDep, people: PeopleDep, who: Admin, form: FormDep) -> Response:
    """Do what one of the forms says."""
    name = form.fields.get("act", "")
    return answer_form(
        lambda: link("/people", done=name, about=do(_ACTS, name, _Act(people, request, who, form))),
        lambda problem: _page(request, reader, people, who, form.fields, problem=problem),
    )


def _page(
    request: Request,
    reader: LedgerReader,
    people: People,
    who: Caller,
    fields: Mapping[str, str],
    *,
    problem: str = "",
    done: str = "",
    opened: str = "",
    at: tuple[int, int, int] = (1, 1, 1),
) -> HTMLResponse:
    hidden = reader.ledger.tournaments.states()
    listing = people_list(people, request.app.state.sightings.last())
    return page(
        "people.html",
        status=422 if problem else 200,
        section="people",
        who=who,
        data=as_data(people="/people", sign_ins="/people/sign-ins"),
        listings=pages_of(
            "/people",
            {
                "page": (listing.people, at[0], MOST, "#people"),
                "invitations": (listing.invitations, at[1], MOST, "#invitations"),
                "sign-ins": (people.sign_ins(), at[2], MOST, "#sign-ins"),
            },
        ),
        opened=next((each for each in listing.invitations if each.id == opened and each.link), None),
        code=_code,
        pools=[
            record.id
            for record in reversed(reader.pools())
            if record.id not in hidden and (record.kind == ItemKind.AGENT or reader.is_tournament(record.id))
        ],
        given=defaultdict(str, fields),
        days=HOURS / DAY,
        problem=problem,
        done=done,
    )


def _code(invitation: Invitation) -> str:
    """The QR code of an invitation; empty if the package is not installed."""
    try:
        return qr(invitation.link)
    except MissingExtra:
        return ""
