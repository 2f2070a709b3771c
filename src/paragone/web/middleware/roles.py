"""The roles of a server: who may do what, with tokens, people and invitations, as its file of tokens keeps them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Any, cast

from paragone.wire.people import PersonGrant, RoleName


class Role(IntEnum):
    """What a token may do; each role includes those before it."""

    READ = 1
    VOTE = 2
    JUDGE = 3
    ADMIN = 4

    @property
    def word(self) -> RoleName:
        """Its name in files, at the terminal and over HTTP."""
        return cast("RoleName", self.name.lower())

    @classmethod
    def of(cls, word: str) -> "Role":
        """The role of a name.

        Raises:
            KeyError: If there is none.
        """
        return cls[word.upper()]


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """The caller of a request.

    Attributes:
        name: Name of the token or the person; ``local`` if there are no tokens.
        role: What it may do; of somebody with grants, the most that one of them allows.
        key: SHA-256 of its token, in hexadecimal, or what stands for a person in cookies; empty if there are no tokens.
        csrf: CSRF token of its pages, which requests from them carry; empty if none is needed.
        grants: The pools that it may see; None for all of them.
    """

    name: str
    role: Role
    key: str = field(default="", repr=False)
    csrf: str = field(default="", repr=False, compare=False)
    grants: tuple[PersonGrant, ...] | None = None

    def grant(self, pool: str) -> PersonGrant | None:
        """What it may do in one pool, if that was granted to it; None if not, or if it may see all."""
        return next((grant for grant in self.grants or () if grant.pool == pool), None)


LOCAL = Caller(name="local", role=Role.ADMIN)
"""The caller of a server without tokens, which is bound to loopback."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Somebody who came by an invitation or signed in.

    Attributes:
        name: Their name, which their votes have. It is nobody else's for good.
        key: What stands for them in cookies: random, and no secret, since cookies are signed.
        joined: When, in seconds since 1970.
        grants: The pools that they may see.
        role: What they may do in all pools; None if only what the grants say.
        subject: Who they are for the provider that they sign in with; empty if there is none.
        revoked: When they were shut out; None if they were not.
    """

    name: str
    key: str = field(repr=False)
    joined: float
    grants: tuple[PersonGrant, ...] = ()
    role: Role | None = None
    subject: str = ""
    revoked: float | None = None

    @property
    def caller(self) -> Caller:
        """What they may do."""
        if self.role is not None:
            return Caller(name=self.name, role=self.role, key=self.key)
        most = max((Role.of(grant.role) for grant in self.grants), default=Role.READ)
        return Caller(name=self.name, role=most, key=self.key, grants=self.grants)


@dataclass(frozen=True, kw_only=True, slots=True)
class Invitation:
    """An invitation into one pool. Whoever opens its link joins, until it has ended or was used up.

    Attributes:
        id: Its id: random, and worth nothing without the signature of its link.
        pool: Id of the pool.
        role: What those who join may do there.
        address: Origin of the server as its link names it, such as ``https://board.example.org``.
        until: When it ends, in seconds since 1970.
        uses: How many may join.
        used: How many did.
        a_day: Maximum answers of each within 24 hours; None for no limit.
        by: Who made it.
        revoked: When it was taken back; None if it was not.
    """

    id: str
    pool: str
    role: Role
    address: str
    until: float
    uses: int = 1
    used: int = 0
    a_day: int | None = None
    by: str = ""
    revoked: float | None = None

    @property
    def terms(self) -> list[object]:
        """What its link is signed for: all that does not change while it is used."""
        return [self.id, self.pool, self.role.name, self.address, self.until, self.uses, self.a_day]


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """All who may get in.

    Attributes:
        tokens: The callers of tokens, by the SHA-256 of the token.
        people: People by name, those who were shut out as well.
        invitations: Invitations by id.
    """

    tokens: Mapping[str, Caller] = field(default_factory=dict)
    people: Mapping[str, Person] = field(default_factory=dict)
    invitations: Mapping[str, Invitation] = field(default_factory=dict)

    @property
    def sessions(self) -> tuple[Caller, ...]:
        """All who may have a session in a browser."""
        people = (person.caller for person in self.people.values() if person.revoked is None)
        return (*self.tokens.values(), *people)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "Access":
        """From the values of JSON.

        Raises:
            KeyError: If a part is missing; also TypeError, ValueError or AttributeError for what is no such value.
        """
        tokens = [_caller(row) for row in stored["tokens"]]
        people = [_person(row) for row in stored.get("people", ())]
        invitations = [Invitation(**{**row, "role": Role.of(row["role"])}) for row in stored.get("invitations", ())]
        return cls(
            tokens={caller.key: caller for caller in tokens},
            people={person.name: person for person in people},
            invitations={invitation.id: invitation for invitation in invitations},
        )

    def as_json(self) -> dict[str, Any]:
        """As values of JSON. What is empty is left out."""
        tokens = [{"name": caller.name, "role": caller.role.word, "sha256": key} for key, caller in self.tokens.items()]
        parts = {"people": map(_stored, self.people.values()), "invitations": map(_stored, self.invitations.values())}
        return {"tokens": tokens} | {name: rows for name, part in parts.items() if (rows := list(part))}


def _caller(row: Mapping[str, Any]) -> Caller:
    return Caller(name=str(row["name"]), role=Role.of(row["role"]), key=str(row["sha256"]))


def _person(row: Mapping[str, Any]) -> Person:
    grants = tuple(PersonGrant(**{**grant, "role": Role.of(grant["role"]).word}) for grant in row["grants"])
    return Person(**{**row, "grants": grants, "role": None if row["role"] is None else Role.of(row["role"])})


def _stored(value: Person | Invitation) -> dict[str, Any]:
    return asdict(value) | {"role": None if value.role is None else value.role.word}
