"""People of a server: invited by links, with a quota, shut out at once; all of it on record in the ledger.

The file of tokens says who may get in, and is read for every request. The ledger has an event for each invitation,
each who joins, and each who is shut out, in the pool that it is about. No link and no secret is in it.
"""

import json
import secrets
import threading
import time
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paragone import extras
from paragone.domain.names import LONGEST_NAME
from paragone.errors import Conflict, InvalidConfig, NotFound, Refused
from paragone.ledger import Ledger
from paragone.tournaments.journal import is_tournament, note, notes
from paragone.web.middleware.access_tokens import TokenFile, require_name
from paragone.web.middleware.authentication import is_same, keyed
from paragone.web.middleware.hosts import checked_origins
from paragone.web.middleware.roles import LOCAL, Access, Caller, Invitation, Person, Role
from paragone.wire.people import InvitationState, PersonGrant, SignedIn

if TYPE_CHECKING:
    from paragone.web.sign_in import Provider

EVENT = "people"
"""Kind of the events about people."""
SIGN_IN = "sign in"
HOUR = 3600.0
MOST_SIGN_INS = 200
"""Sign-ins that are recorded within an hour, at most."""
ROLES = (Role.READ, Role.VOTE, Role.JUDGE)
"""Roles that an invitation may give. An admin has a token."""
MOST_USES = 10_000
MOST_HOURS = 24.0 * 366
HOURS = 24.0 * 7
"""Hours that an invitation lasts where nothing else is said."""
_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, kw_only=True, slots=True)
class InvitationTerms:
    """What an invitation offers.

    Attributes:
        role: What those who join may do in the pool.
        uses: How many may join.
        hours: Hours until it ends.
        a_day: Maximum answers of each within 24 hours; None for no limit.
        address: Origin by which they reach the server.
    """

    role: Role
    address: str
    uses: int = 1
    hours: float = HOURS
    a_day: int | None = None

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise InvalidConfig(
                "an invitation is to read, vote or judge in one pool; for an admin make a token "
                "(paragone token add NAME --role admin)",
                key="role",
            )
        checked_origins([self.address])
        _within("uses", self.uses, 1, MOST_USES)
        _within("hours", self.hours, 1 / 60, MOST_HOURS)
        _require_quota(self.a_day)


class People:
    """The people of a server. Thread-safe; processes meet in the file of tokens.

    Args:
        file: The file of tokens.
        ledger: Where it is recorded.
        secret: Signs links.
        clock: Seconds since 1970.
        new_key: Makes what stands for a person or an invitation.
    """

    def __init__(
        self,
        file: TokenFile,
        ledger: Ledger,
        secret: bytes,
        *,
        clock: Callable[[], float] = time.time,
        new_key: Callable[[int], str] = secrets.token_hex,
    ) -> None:
        self._file, self._ledger, self._secret = file, ledger, secret
        self._clock, self._new_key = clock, new_key
        self._noted: dict[tuple[str, str], float] = {}
        self._noting = threading.Lock()

    def access(self) -> Access:
        """All who may get in, and those who were shut out."""
        return self._file.read()

    def invite(self, pool: str | None, terms: InvitationTerms, by: str) -> Invitation:
        """Make an invitation into a pool.

        Args:
            pool: Id of the pool, of a tournament or of agents; None for the newest tournament.
            terms: What it offers.
            by: Who makes it.

        Raises:
            NotFound: If there is no such pool.
        """
        invitation = Invitation(
            id=self._new_key(8),
            pool=self._ledger.tournaments.get().id if pool is None else self._ledger.pools.get(pool).id,
            role=terms.role,
            address=terms.address.lower(),
            until=float(int(self._clock() + 3600 * terms.hours)),
            uses=terms.uses,
            a_day=terms.a_day,
            by=by,
        )
        about = {"role": terms.role.word, "uses": terms.uses, "a_day": terms.a_day, "until": invitation.until}

        def log(made: Invitation) -> None:
            self._log(made.pool, "invite", by=by, invitation=made.id, **about)

        return self._file.change(lambda access: (_with_invitation(access, invitation), invitation), log)

    def link(self, invitation: Invitation) -> str:
        """The link of an invitation: made anew from the secret each time, and stored nowhere."""
        return f"{invitation.address}/join?invite={invitation.id}.{self._signature(invitation)}"

    def state(self, invitation: Invitation) -> InvitationState:
        """Whether an invitation is open, has ended, was used up or was taken back."""
        if invitation.revoked is not None:
            return "taken back"
        if invitation.used >= invitation.uses:
            return "used up"
        return "ended" if invitation.until < self._clock() else "open"

    def opened(self, token: str, host: str, who: Caller | None = None) -> Invitation:
        """The invitation of a link, if it may be used.

        Args:
            token: What the link has after ``invite=``.
            host: Host of the request, with its port.
            who: Somebody who has joined already, and may open it again.

        Raises:
            Refused: If it may not, saying why.
        """
        return self._usable(self.access(), token, host, who)

    def join(self, token: str, host: str, name: str, who: Caller | None = None) -> Person:
        """Let somebody in by a link. Whoever is in already gets what the link gives besides.

        Args:
            token: What the link has after ``invite=``.
            host: Host of the request, with its port.
            name: What they want to be called.
            who: Who they are already; None if they are new.

        Raises:
            Refused: If the link may not be used.
            Conflict: If somebody has that name, or had.
            InvalidEvidence: If the name is invalid.
        """

        def joined(access: Access) -> tuple[Access, tuple[Person, Invitation]]:
            invitation = self._usable(access, token, host, who)
            person = None if who is None else access.people.get(who.name)
            if person is None:
                require_free(access, name)
                person = Person(name=name, key=self._new_key(32), joined=self._clock())
            elif _has(person, invitation):
                return access, (person, invitation)
            person = _granted(person, invitation)
            used = replace(invitation, used=invitation.used + 1)
            return _with_person(_with_invitation(access, used), person), (person, invitation)

        def log(both: tuple[Person, Invitation]) -> None:
            person, invitation = both
            role = invitation.role.word
            self._log(invitation.pool, "join", person=person.name, invitation=invitation.id, role=role)

        person, _ = self._file.change(joined, log)
        return person

    def sign_in(self, claims: Mapping[str, Any], provider: "Provider") -> Person:
        """Let somebody in whom a provider vouches for; who they are is its word for them, not their address.

        Args:
            claims: Those of a valid ID token.
            provider: The provider, with who may do what.

        Raises:
            Refused: If they may do nothing, or were shut out.
            Conflict: If somebody else has their name.
        """
        role, subject = provider.role(claims), f"{claims['iss']} {claims['sub']}"
        if role is None:
            raise Refused("nobody has let you in here: ask whoever runs this server to list your address")
        name = str(claims.get("email") or claims.get("preferred_username") or claims["sub"])[:LONGEST_NAME]

        def signed_in(access: Access) -> tuple[Access, Person]:
            person = next((each for each in access.people.values() if each.subject == subject), None)
            if person is None:
                require_free(access, name)
                key = self._new_key(32)
                person = Person(name=name, key=key, joined=self._clock(), role=role, subject=subject)
            elif person.revoked is not None:
                raise Refused(f"{person.name!r} was shut out of this server")
            elif person.role == role:
                return access, person
            person = replace(person, role=role)
            return _with_person(access, person), person

        return self._file.change(signed_in)

    def note_sign_in(self, name: str, way: str) -> bool:
        """Record that somebody signed in, and by what way; nothing that lets anybody in is in it.

        It is recorded once an hour and person at most, and ``MOST_SIGN_INS`` times an hour in all: so nobody fills the
        ledger by signing in over and over.

        Returns:
            Whether it was recorded.
        """
        now = self._clock()
        with self._noting:
            self._noted = {each: at for each, at in self._noted.items() if now - at < HOUR}
            if (name, way) in self._noted or len(self._noted) >= MOST_SIGN_INS:
                return False
            self._noted[name, way] = now
        note(self._ledger, EVENT, {"act": SIGN_IN, "person": name, "way": way})
        return True

    def sign_ins(self) -> list[SignedIn]:
        """Who signed in, when and by what way, the newest first."""
        events = (event for event in notes(self._ledger, EVENT) if event.detail["act"] == SIGN_IN)
        return [SignedIn(person=event.detail["person"], way=event.detail["way"], at=event.at) for event in events]

    def take_back(self, id: str, by: str) -> Invitation:
        """End an invitation. Those who joined by it stay; ``revoke`` shuts them out. Repeating it changes nothing.

        Raises:
            NotFound: If there is no such invitation.
        """

        def taken_back(access: Access) -> tuple[Access, tuple[Invitation, bool]]:
            invitation = access.invitations.get(id)
            if invitation is None:
                raise NotFound(f"there is no invitation {id!r}")
            if invitation.revoked is not None:
                return access, (invitation, False)
            invitation = replace(invitation, revoked=self._clock())
            return _with_invitation(access, invitation), (invitation, True)

        invitation, is_new = self._file.change(taken_back)
        if is_new:
            self._log(invitation.pool, "take back", by=by, invitation=id)
        return invitation

    def revoke(self, name: str, by: str, reason: str = "") -> Person:
        """Shut somebody out, at once and in every process; their votes stay. Repeating it changes nothing.

        The event on record wakes the streams that they listen to, which then end.

        Raises:
            NotFound: If there is no such person.
        """

        def revoked(access: Access) -> tuple[Access, tuple[Person, bool]]:
            person = _person(access, name)
            if person.revoked is not None:
                return access, (person, False)
            person = replace(person, revoked=self._clock())
            return _with_person(access, person), (person, True)

        person, is_new = self._file.change(revoked)
        if is_new:
            for grant in person.grants:
                with suppress(NotFound):  # the file of tokens may serve another ledger, too
                    self._log(grant.pool, "revoke", by=by, person=name, reason=reason)
        return person

    def set_quota(self, name: str, pool: str, a_day: int | None, by: str) -> Person:
        """Change how many answers somebody may give in a pool within 24 hours.

        Raises:
            NotFound: If there is no such person, or they are not in that pool.
        """
        _require_quota(a_day)

        def changed(access: Access) -> tuple[Access, tuple[Person, bool]]:
            person = _person(access, name)
            grants = tuple(replace(each, a_day=a_day) if each.pool == pool else each for each in person.grants)
            if not any(each.pool == pool for each in grants):
                raise NotFound(f"{name!r} was not invited to {pool!r}")
            if grants == person.grants:
                return access, (person, False)
            person = replace(person, grants=grants)
            return _with_person(access, person), (person, True)

        person, is_new = self._file.change(changed)
        if is_new:
            self._log(pool, "quota", by=by, person=name, a_day=a_day)
        return person

    def _usable(self, access: Access, token: str, host: str, who: Caller | None) -> Invitation:
        id, _, signature = token.partition(".")
        invitation = access.invitations.get(id)
        if invitation is None or not is_same(signature, self._signature(invitation)):
            raise Refused("this link was not made by this server, or was altered on its way: copy the whole of it")
        if _bare(host, "") != _bare(*invitation.address.split("://")[::-1]):
            raise Refused(f"this link is for {invitation.address}, and was opened at another address: open it there")
        state = self.state(invitation)
        person = None if who is None else access.people.get(who.name)
        if state == "open" or (person is not None and state == "used up" and _has(person, invitation)):
            return invitation
        words = {"ended": "has expired", "used up": "was used as often as it may be", "taken back": "was taken back"}
        raise Refused(f"this invitation {words[state]}: ask whoever sent it for another one")

    def _signature(self, invitation: Invitation) -> str:
        return keyed("invitation:" + json.dumps(invitation.terms), self._secret)

    def _log(self, pool: str, act: str, **about: object) -> None:
        if is_tournament(self._ledger, pool):
            self._ledger.tournaments.add_event(pool, EVENT, {"act": act, **about})
        else:
            note(self._ledger, EVENT, {"act": act, **about}, pool)


def require_free(access: Access, name: str) -> None:
    """Refuse a name that is somebody's, or was, in whatever spelling: votes have it.

    Raises:
        Conflict: If it is.
        InvalidEvidence: If it is no name.
    """
    require_name(name, "your name")
    names = {LOCAL.name, *access.people, *(caller.name for caller in access.tokens.values())}
    if _spelt(name) in map(_spelt, names):
        raise Conflict(f"somebody here is called {name!r} already: take another name")


def qr(link: str) -> str:
    """A link as a QR code: an image as a data URL.

    Raises:
        MissingExtra: If the package is not installed.
    """
    return str(_code(link).svg_data_uri(scale=4, border=2, light="#fff"))


def print_qr(link: str) -> None:
    """Print a link as a QR code on a terminal.

    Raises:
        MissingExtra: If the package is not installed.
    """
    _code(link).terminal(compact=True)


def _code(link: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - of segno
    with extras.importing("a QR code needs", "segno"):
        import segno
    return segno.make(link, error="m", micro=False)


def _spelt(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _bare(netloc: str, scheme: str) -> str:
    """A host with its port, without one that goes without saying."""
    lowered = netloc.lower()
    ports = [_PORTS[scheme]] if scheme in _PORTS else _PORTS.values()
    return next((lowered.removesuffix(port) for port in ports if lowered.endswith(port)), lowered)


def _person(access: Access, name: str) -> Person:
    person = access.people.get(name)
    if person is None:
        is_token = any(caller.name == name for caller in access.tokens.values())
        hint = ": it is a token, which `paragone token revoke` revokes" if is_token else ""
        raise NotFound(f"there is nobody called {name!r}{hint}")
    return person


def _has(person: Person, invitation: Invitation) -> bool:
    grant = person.caller.grant(invitation.pool)
    return person.role is not None or (grant is not None and Role.of(grant.role) >= invitation.role)


def _granted(person: Person, invitation: Invitation) -> Person:
    grant = PersonGrant(
        pool=invitation.pool, role=invitation.role.word, a_day=invitation.a_day, invitation=invitation.id
    )
    return replace(person, grants=(*(each for each in person.grants if each.pool != invitation.pool), grant))


def _with_person(access: Access, person: Person) -> Access:
    return replace(access, people={**access.people, person.name: person})


def _with_invitation(access: Access, invitation: Invitation) -> Access:
    return replace(access, invitations={**access.invitations, invitation.id: invitation})


def _within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise InvalidConfig(f"{name} must be from {least:g} to {most:g}, not {value:g}", key=name)


def _require_quota(a_day: int | None) -> None:
    if a_day is not None:
        _within("a_day", a_day, 1, 1_000_000)
