"""People of a server and invitations."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from paragone.wire.value import Value

RoleName = Literal["read", "vote", "judge", "admin"]
InvitedRole = Literal["read", "vote", "judge"]
InvitationState = Literal["open", "used up", "ended", "taken back"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonGrant(Value):
    """What somebody may do in one pool.

    Attributes:
        pool: Id of the pool.
        role: What they may do there.
        a_day: Maximum answers within 24 hours; None for no limit.
        invitation: Id of the invitation that they came by; empty if there is none.
    """

    pool: str
    role: RoleName
    a_day: int | None = None
    invitation: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Person(Value):
    """Somebody who may get in, or was shut out.

    Attributes:
        name: Their name.
        kind: ``token`` for a token of the terminal; ``invited``, or ``signed in`` with a provider.
        role: What they may do in all pools; None if only what the grants say.
        grants: What they may do in single pools.
        joined: When they joined; None for tokens.
        seen: When they were last seen, to the minute; None if never.
        revoked: When they were shut out; None if they were not.
    """

    name: str
    kind: Literal["token", "invited", "signed in"]
    role: RoleName | None
    grants: list[PersonGrant]
    joined: datetime | None
    seen: datetime | None
    revoked: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedIn(Value):
    """That somebody signed in.

    Attributes:
        person: Their name, or that of a token.
        way: ``provider`` or ``token``.
        at: When.
    """

    person: str
    way: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class SignInPage(Value):
    """Who signed in, the newest first.

    Attributes:
        sign_ins: The sign-ins of this page.
        total: Number of them in all.
        next: Cursor of the next page; None on the last.
    """

    sign_ins: list[SignedIn]
    total: int
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Invitation(Value):
    """An invitation into a pool.

    Attributes:
        id: Its id.
        pool: Id of the pool.
        role: What those who join may do there.
        state: Whether it may be used.
        until: When it ends.
        uses: How many may join.
        used: How many did.
        a_day: Maximum answers of each within 24 hours; None for no limit.
        by: Who made it.
        link: Its link, which lets in whoever has it; empty if it is not open.
    """

    id: str
    pool: str
    role: RoleName
    state: InvitationState
    until: datetime
    uses: int
    used: int
    a_day: int | None
    by: str
    link: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleList(Value):
    """All who may get in.

    Attributes:
        people: People and tokens, the latest first.
        invitations: Invitations, the latest first.
    """

    people: list[Person]
    invitations: list[Invitation]
