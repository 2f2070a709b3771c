"""Rules of voting, and agreement between people, over HTTP."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from paragone.domain.gold import GoldPair
from paragone.domain.voting_rules import LONGEST_GUIDELINES, MOST_KNOWN, MOST_OVERLAP, VotingRules
from paragone.intake.items import MAX_ID
from paragone.tournaments.agreement import people_agreement, set_voting_rules, voting_rules
from paragone.web.api_router import api_router
from paragone.web.middleware.access_tokens import Caller, Role
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.parameters import Body, LedgerDep, PoolId, StorableText, VotingDep
from paragone.wire.agreement import PeopleAgreement

router = api_router(404, prefix="/pools", tags=["votes"])
Id = Annotated[StorableText, Field(min_length=1, max_length=MAX_ID)]


class NewKnownPair(Body):
    """A pair whose better item is known.

    Attributes:
        better: Id of the better item.
        worse: Id of the other.
    """

    better: Id
    worse: Id


# The fields of ``VotingRules``, each optional: a body says only what changes.
class NewVotingRules(Body):
    """Rules of voting; what is left out stays.

    Attributes:
        overlap: How many people judge a pair before another one is given.
        guidelines: What voters read beside the ballot, as plain text.
        known: Pairs whose better item is known, mixed in for everybody.
        known_share: Share of a voter's pairs that are known ones, until they have seen all of them.
    """

    overlap: Annotated[int, Field(ge=1, le=MOST_OVERLAP)] | None = None
    guidelines: Annotated[StorableText, Field(max_length=LONGEST_GUIDELINES)] | None = None
    known: Annotated[list[NewKnownPair], Field(max_length=MOST_KNOWN)] | None = None
    known_share: Annotated[float, Field(gt=0, le=1)] | None = None

    def after(self, rules: VotingRules) -> VotingRules:
        """The rules with these changes."""
        changes = self.model_dump(exclude_none=True)
        if self.known is not None:
            changes["known"] = tuple(GoldPair(better=pair.better, worse=pair.worse) for pair in self.known)
        return VotingRules(**{name: changes.get(name, getattr(rules, name)) for name in VotingRules.__slots__})


@router.get("/{pool}/voting")
def get_voting_rules(pool: PoolId, reader: LedgerDep, who: Reader) -> VotingRules:
    """How people vote on a pool. Only admins see which pairs are known."""
    return rules_for(who, voting_rules(reader.ledger, pool))


@router.post("/{pool}/voting")
def change_voting_rules(
    pool: PoolId, body: NewVotingRules, reader: LedgerDep, voting: VotingDep, who: Admin
) -> VotingRules:
    """Change how people vote on a pool, from the next pair on. The same rules again change nothing."""
    rules = set_voting_rules(reader.ledger, pool, body.after(voting_rules(reader.ledger, pool)), who.name)
    pairs = voting.kept(pool)
    if pairs is not None:
        pairs.reread_rules()
    return rules_for(who, rules)


@router.get("/{pool}/agreement")
def get_agreement(pool: PoolId, reader: LedgerDep, _: Reader) -> PeopleAgreement:
    """How far the people who vote on a pool agree: Krippendorff's alpha, and each person against the others."""
    return reader.whole("people", pool, lambda: people_agreement(reader.ledger, pool))


def rules_for(who: Caller, rules: VotingRules) -> VotingRules:
    """The rules as somebody may see them."""
    return rules if who.role >= Role.ADMIN else replace(rules, known=())
