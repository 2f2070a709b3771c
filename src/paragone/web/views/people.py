"""People and invitations, as pages, REST and the command line show them."""

from collections.abc import Mapping
from datetime import UTC, datetime

from paragone.web.middleware.roles import Caller, Invitation, Person
from paragone.web.people import People
from paragone.wire import people as wire


def people_list(people: People, sightings: Mapping[str, int]) -> wire.PeopleList:
    """All who may get in, the latest first; tokens at the end.

    Args:
        people: The people of the server.
        sightings: When each name was last seen, in seconds since 1970.
    """
    access = people.access()
    latest = sorted(access.people.values(), key=lambda each: (each.revoked is not None, -each.joined))
    return wire.PeopleList(
        people=[
            *(person_view(each, sightings) for each in latest),
            *(_token(each, sightings) for each in access.tokens.values()),
        ],
        invitations=[invitation_view(people, each) for each in reversed(tuple(access.invitations.values()))],
    )


def person_view(person: Person, sightings: Mapping[str, int]) -> wire.Person:
    """One person."""
    return wire.Person(
        name=person.name,
        kind="signed in" if person.subject else "invited",
        role=None if person.role is None else person.role.word,
        grants=[*person.grants],
        joined=_moment(person.joined),
        seen=_moment(sightings.get(person.name)),
        revoked=_moment(person.revoked),
    )


def invitation_view(people: People, invitation: Invitation) -> wire.Invitation:
    """One invitation, with its link if that may be used."""
    state = people.state(invitation)
    link = people.link(invitation) if state == "open" else ""
    until = datetime.fromtimestamp(invitation.until, UTC)
    return wire.Invitation.like(invitation, role=invitation.role.word, state=state, until=until, link=link)


def _token(caller: Caller, sightings: Mapping[str, int]) -> wire.Person:
    at, role = _moment(sightings.get(caller.name)), caller.role.word
    return wire.Person(name=caller.name, kind="token", role=role, grants=[], joined=None, seen=at, revoked=None)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
