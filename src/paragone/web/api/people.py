"""People and invitations over HTTP."""

from typing import Annotated

from fastapi import Path, Request
from pydantic import Field

from paragone.web.api_router import api_router
from paragone.web.middleware.access_tokens import role_named
from paragone.web.middleware.authorization import Admin
from paragone.web.parameters import Body, Cursor, Limit, PeopleDep, StorableText, decoded
from paragone.web.people import HOURS, MOST_HOURS, MOST_USES, InvitationTerms
from paragone.web.problems import refusals
from paragone.web.views import people as views
from paragone.web.views.cursors import page_of_newest
from paragone.wire.people import Invitation, InvitedRole, PeopleList, Person, SignInPage

router = api_router(prefix="/people", tags=["people"])
_ONE = refusals(404)

InvitationId = Annotated[str, Path(description="Id of the invitation.", max_length=100)]
PersonName = Annotated[str, Path(description="Name of the person."), decoded]
ADay = Annotated[int, Field(ge=1, le=1_000_000)]


class NewInvitation(Body):
    """An invitation into a pool.

    Attributes:
        pool: Id of the pool.
        role: What those who join may do there.
        uses: How many may join.
        hours: Hours until it ends.
        a_day: Maximum answers of each within 24 hours; no limit if None.
        address: Origin of the server in the link; that of the request if None.
    """

    pool: Annotated[StorableText, Field(min_length=1, max_length=200)]
    role: InvitedRole = "vote"
    uses: Annotated[int, Field(ge=1, le=MOST_USES)] = 1
    hours: Annotated[float, Field(ge=1 / 60, le=MOST_HOURS)] = HOURS
    a_day: ADay | None = None
    address: Annotated[str, Field(max_length=300)] | None = None

    def terms(self, request: Request) -> InvitationTerms:
        """What it offers, at the address that it or else the request names."""
        return InvitationTerms(
            role=role_named(self.role),
            uses=self.uses,
            hours=self.hours,
            a_day=self.a_day,
            address=self.address or f"{request.url.scheme}://{request.url.netloc}",
        )


class Revocation(Body):
    """Why somebody is shut out.

    Attributes:
        reason: Why; kept in the ledger.
    """

    reason: Annotated[StorableText, Field(max_length=2_000)] = ""


class Quota(Body):
    """How many answers somebody may give in a pool.

    Attributes:
        pool: Id of the pool.
        a_day: Maximum answers within 24 hours; no limit if None.
    """

    pool: Annotated[StorableText, Field(min_length=1, max_length=200)]
    a_day: ADay | None = None


@router.get("")
def list_people(request: Request, people: PeopleDep, _: Admin) -> PeopleList:
    """All who may get in, those who were shut out, and the invitations with their links."""
    return views.people_list(people, request.app.state.sightings.last())


@router.get("/sign-ins")
def list_sign_ins(people: PeopleDep, _: Admin, limit: Limit = 50, cursor: Cursor = None) -> SignInPage:
    """Who signed in, when and by what way, the newest first; once an hour and person at most."""
    every = people.sign_ins()[::-1]  # the oldest first, so that a cursor stays where it is while more sign in
    page, following = page_of_newest(every, ("sign-ins",), limit, cursor)
    return SignInPage(sign_ins=list(page), total=len(every), next=following)


@router.post("/invitations", status_code=201, responses=_ONE)
def invite(request: Request, body: NewInvitation, people: PeopleDep, who: Admin) -> Invitation:
    """Make an invitation into a pool. Whoever opens its link is asked for a name, and is in."""
    return views.invitation_view(people, people.invite(body.pool, body.terms(request), who.name))


@router.post("/invitations/{invitation}/revoke", responses=_ONE)
def take_back_invitation(invitation: InvitationId, people: PeopleDep, who: Admin) -> Invitation:
    """End an invitation. Those who joined by it stay. Repeating it changes nothing."""
    return views.invitation_view(people, people.take_back(invitation, who.name))


@router.post("/{person}/revoke", responses=_ONE)
def revoke_person(
    person: PersonName, request: Request, people: PeopleDep, who: Admin, body: Revocation | None = None
) -> Person:
    """Shut somebody out at once; their votes stay. Repeating it changes nothing."""
    revoked = people.revoke(person, who.name, "" if body is None else body.reason)
    return views.person_view(revoked, request.app.state.sightings.last())


@router.post("/{person}/quota", responses=_ONE)
def set_quota(person: PersonName, body: Quota, request: Request, people: PeopleDep, who: Admin) -> Person:
    """Change how many answers somebody may give in a pool within 24 hours."""
    changed = people.set_quota(person, body.pool, body.a_day, who.name)
    return views.person_view(changed, request.app.state.sightings.last())
