"""People of a server, and invitations."""

from collections.abc import Iterator

from paragone.client.connection import Namespace
from paragone.wire.address import segment
from paragone.wire.people import Invitation, InvitedRole, PeopleList, Person, SignedIn, SignInPage


class People(Namespace):
    """Who may get in: all of this takes the role admin."""

    def list(self) -> PeopleList:
        """All who may get in, those who were shut out, and the invitations with their links."""
        return self._connection.get(PeopleList, "/people")

    def sign_ins(self) -> Iterator[SignedIn]:
        """Who signed in, when and by what way, the newest first; once an hour and person at most."""
        return self._connection.every(SignInPage, "/people/sign-ins", "sign_ins")

    def invite(
        self,
        pool: str,
        role: InvitedRole = "vote",
        *,
        uses: int = 1,
        hours: float = 168.0,
        a_day: int | None = None,
        address: str | None = None,
    ) -> Invitation:
        """Make an invitation into a pool; its ``link`` is to be sent.

        Args:
            pool: The pool.
            role: What those who join may do there.
            uses: How many may join.
            hours: Hours until it ends.
            a_day: Maximum answers of each within 24 hours; None for no limit.
            address: Origin of the server in the link; the one that this client uses if None.
        """
        terms = {"pool": pool, "role": role, "uses": uses, "hours": hours, "a_day": a_day, "address": address}
        return self._connection.post(Invitation, "/people/invitations", terms, again=False)

    def take_back(self, invitation: str) -> Invitation:
        """End an invitation. Those who joined by it stay."""
        return self._connection.post(Invitation, f"/people/invitations/{segment(invitation)}/revoke", {})

    def revoke(self, person: str, reason: str = "") -> Person:
        """Shut somebody out at once; their votes stay."""
        return self._connection.post(Person, f"/people/{segment(person)}/revoke", {"reason": reason})

    def set_quota(self, person: str, pool: str, a_day: int | None) -> Person:
        """Change how many answers somebody may give in a pool within 24 hours."""
        body = {"pool": pool, "a_day": a_day}
        return self._connection.post(Person, f"/people/{segment(person)}/quota", body)
