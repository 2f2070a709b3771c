"""``paragone people``: who may get in over HTTP, invitations and quotas; how people vote, and how far they agree."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.cli.servers import DEFAULT_TOKENS, TokenPath
from paragone.cli.terminal import moment
from paragone.presenting.table import Table, number, table, text

if TYPE_CHECKING:
    from paragone.domain.voting_rules import VotingRules
    from paragone.web.middleware.sightings import Sightings
    from paragone.web.people import People
    from paragone.wire.agreement import Estimate, PeopleAgreement, PersonReliability
    from paragone.wire.people import Invitation, PeopleList, Person

_NO_ADMIN = (
    "the server now asks everybody who they are, you included: `paragone token add NAME --role admin` makes your token"
)
ADDRESS = "http://127.0.0.1:8321"
Who = Annotated[str, argument("Name of the person.", metavar="PERSON")]
ADay = Annotated[int | None, option("Maximum answers within 24 hours.  [default: no limit]", metavar="N", min=1)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """The people of a server: its ledger, and its file of tokens."""

    db: options.Database = None
    tokens: TokenPath = None

    @contextmanager
    def opened(self) -> "Iterator[tuple[People, Sightings]]":
        """Its people, and when they were last seen."""
        from paragone.ledger import Ledger
        from paragone.web.server.serving import need_packages

        need_packages()
        from paragone.web.middleware.access_tokens import TokenFile, secret_in
        from paragone.web.middleware.sightings import Sightings
        from paragone.web.people import People

        path = self.tokens or DEFAULT_TOKENS
        with Ledger.open(options.db_url(self.db)) as ledger:
            yield People(TokenFile(path), ledger, secret_in(path.with_suffix(".secret"))), Sightings(path)


def list_people(server: Server, output: options.Output) -> None:
    """List people, tokens and invitations: who may do what, their quotas, and when they were last seen."""
    from paragone.web.views.people import people_list
    from paragone.wire.people import PeopleList

    listing = PeopleList(people=[], invitations=[])
    if (server.tokens or DEFAULT_TOKENS).exists():  # looking makes no files
        with server.opened() as (people, sightings):
            listing = people_list(people, sightings.last())
    output.show(listing, _listing)


def invite(
    server: Server,
    output: options.Output,
    tournament: options.TournamentId = None,
    role: Annotated[str, option("read, vote or judge.", metavar="ROLE")] = "vote",
    uses: Annotated[int, option("How many people may join by the link.", metavar="N", min=1, max=10_000)] = 1,
    days: Annotated[float, option("Days until it expires.", metavar="N", min=0.001, max=366)] = 7.0,
    a_day: ADay = None,
    address: Annotated[str, option("Address by which they reach the server.", metavar="URL")] = ADDRESS,
    qr: Annotated[bool, option("Also show the link as a QR code.")] = False,
    by: options.By = "terminal",
) -> None:
    """Make a link that lets people into a tournament. They are asked for a name, and need no token."""
    from paragone.web.middleware.access_tokens import role_named
    from paragone.web.middleware.roles import Role
    from paragone.web.people import InvitationTerms, print_qr
    from paragone.web.views.people import invitation_view

    terms = InvitationTerms(role=role_named(role), uses=uses, hours=24 * days, a_day=a_day, address=address.rstrip("/"))
    with server.opened() as (people, _):
        invitation = invitation_view(people, people.invite(tournament, terms, by))
        has_admin = any(caller.role >= Role.ADMIN for caller in people.access().sessions)
    output.show(invitation, _link)
    if not has_admin:
        typer.echo(_NO_ADMIN, err=True)
    if qr and not output.as_json:
        sys.stdout.flush()
        print_qr(invitation.link)


def take_back(
    server: Server,
    output: options.Output,
    invitation: Annotated[str, argument("Id of the invitation.", metavar="INVITATION")],
    by: options.By = "terminal",
) -> None:
    """End an invitation. Those who joined by it stay."""
    from paragone.web.views.people import invitation_view

    with server.opened() as (people, _):
        ended = invitation_view(people, people.take_back(invitation, by))
    output.say(ended, f"taken back: {ended.id} ({ended.used} of {ended.uses} had joined)")


def revoke(
    server: Server,
    output: options.Output,
    person: Who,
    reason: Annotated[str, option("Why, for the record.", metavar="TEXT")] = "",
    by: options.By = "terminal",
) -> None:
    """Shut somebody out, at once and in every browser. Their votes stay."""
    from paragone.web.views.people import person_view

    with server.opened() as (people, sightings):
        revoked = person_view(people.revoke(person, by, reason), sightings.last())
        came_by = {grant.invitation for grant in revoked.grants}
        invitations = people.access().invitations.values()
        still_open = [each.id for each in invitations if each.id in came_by and people.state(each) == "open"]
    hints = (f"they came by {id}, which is still open: paragone people take-back {id}" for id in still_open)
    output.say(revoked, f"shut out: {revoked.name}", *hints)


def quota(
    server: Server,
    output: options.Output,
    person: Who,
    pool: Annotated[str, argument("Id of the tournament.", metavar="TOURNAMENT")],
    a_day: ADay = None,
    by: options.By = "terminal",
) -> None:
    """Change how many answers somebody may give in a tournament within 24 hours; without --a-day, any number."""
    from paragone.web.views.people import person_view

    with server.opened() as (people, sightings):
        changed = person_view(people.set_quota(person, pool, a_day, by), sightings.last())
    output.say(changed, f"{changed.name} in {pool}: {a_day or 'any number of'} answers a day")


def _link(invitation: "Invitation") -> Iterator[str]:
    people = "one person" if invitation.uses == 1 else f"{invitation.uses:,} people"
    yield f"to {invitation.role} in {invitation.pool}, for {people}, until {moment(invitation.until)}:"
    yield invitation.link


def _listing(listing: "PeopleList") -> Iterator[str | Table[Any]]:
    if not listing.people and not listing.invitations:
        yield "nobody has a token or an invitation yet: paragone people invite makes a link"
    if listing.people:
        yield table(
            listing.people,
            text("name", lambda each: each.name),
            text("may", _may),
            text("kind", lambda each: "shut out" if each.revoked else each.kind),
            text("joined", lambda each: moment(each.joined)),
            text("seen", lambda each: moment(each.seen)),
        )
    if listing.people and listing.invitations:
        yield ""
    if listing.invitations:
        yield table(
            listing.invitations,
            text("invitation", lambda each: each.id),
            text("may", lambda each: _in_pool(each.role, each.pool, each.a_day)),
            text("used", lambda each: f"{each.used} of {each.uses}"),
            text("state", lambda each: each.state),
            text("until", lambda each: moment(each.until)),
        )


def _may(person: "Person") -> str:
    everywhere = [f"{person.role} in all"] if person.role else []
    return "; ".join([*everywhere, *(_in_pool(each.role, each.pool, each.a_day) for each in person.grants)])


def _in_pool(role: str, pool: str, a_day: int | None) -> str:
    return f"{role} in {pool}" + (f", {a_day:,} a day" if a_day else "")


def rules(
    stored: options.Stored,
    output: options.Output,
    overlap: Annotated[
        int | None, option("How many people judge a pair before another one is given.", metavar="N", min=1)
    ] = None,
    guidelines: Annotated[
        Path | None, option("A text file of guidelines that voters see beside the ballot; an empty file removes them.")
    ] = None,
    known: Annotated[
        Path | None, option("Pairs whose better item is known (winner, loser), mixed in for everybody.", metavar="FILE")
    ] = None,
    known_share: Annotated[
        float | None, option("Share of known pairs among those of each voter.", metavar="SHARE")
    ] = None,
    by: options.By = "terminal",
) -> None:
    """Show how people vote on a tournament; with options, change it from the next pair on."""
    from dataclasses import replace

    from paragone.intake.gold import read_gold
    from paragone.intake.text_file import read_text

    changes: dict[str, Any] = {"overlap": overlap, "known_share": known_share}
    changes["guidelines"] = None if guidelines is None else read_text(guidelines).strip()
    changes["known"] = None if known is None else read_gold(known)
    changes = {name: value for name, value in changes.items() if value is not None}
    with stored.opened() as tournament:
        present = tournament.voting_rules
        if changes:
            present = tournament.set_voting_rules(replace(present, **changes), by)
    output.show(present, _rules, values=lambda each: each.as_json())


def agreement(stored: options.Stored, output: options.Output) -> None:
    """Say how far people who judged the same pairs agree, and who disagrees with the others."""
    with stored.opened() as tournament:
        result = tournament.people_agreement()
    output.show(result, _agreement)


def _rules(rules: "VotingRules") -> Iterator[str]:
    yield f"overlap: {'1 person judges' if rules.overlap == 1 else f'{rules.overlap:,} people judge'} a pair"
    yield f"known pairs: {len(rules.known):,}, {rules.known_share:.0%} of a voter's pairs"
    yield f"guidelines: {rules.guidelines or 'none'}"


def _agreement(result: "PeopleAgreement") -> Iterator[str | Table[Any]]:
    yield (
        f"Krippendorff's alpha {_estimate(result.alpha, '.2f') or 'unknown'}, "
        f"from {result.answers:,} answers of {len(result.people):,} people, "
        f"on {result.pairs:,} pairs that two or more judged"
    )
    if not result.people:
        return
    yield ""
    yield table(
        result.people,
        text("person", lambda each: each.person),
        number("pairs", lambda each: each.judged),
        number("shared", lambda each: each.pairs),
        text("agrees", lambda each: _estimate(each.agreement, ".0%")),
        text("more or less than others", lambda each: _estimate(each.difference, "+.0%")),
        number("alpha without", lambda each: each.without, ".2f"),
        text("known right", _known),
        text("", lambda each: "disagrees" if each.disagrees else ""),
    )


def _estimate(of: "Estimate", form: str) -> str:
    if of.value is None:
        return ""
    return f"{of.value:{form}}" + ("" if of.low is None else f" ({of.low:{form}} to {of.high:{form}})")


def _known(person: "PersonReliability") -> str:
    answers = person.known
    return f"{answers.right} of {answers.decided}" if answers.decided else ""
