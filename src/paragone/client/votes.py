"""Votes of people, and verdicts of judges that lease pairs."""

from collections.abc import Iterable
from typing import Any

from paragone.client.connection import Namespace
from paragone.domain.voting_rules import VotingRules
from paragone.wire.address import pool_url
from paragone.wire.agreement import PeopleAgreement
from paragone.wire.item import ShownPair
from paragone.wire.judge import VoterReliability
from paragone.wire.vote import Ballot, Lease, RecordedVerdict, RecordedVote, VerdictChoice, VoteChoice


class Votes(Namespace):
    """The votes of people on a pool."""

    def next(self, pool: str, *, voter: str | None = None) -> Ballot:
        """The pair that a voter is to answer; the same one until they have.

        Args:
            pool: The pool.
            voter: The voter's name, where the server has no tokens; else it is the token's.
        """
        return self._connection.get(Ballot, pool_url(pool, "votes", "next"), voter=voter)

    def shown(self, pool: str, offer: str, *, voter: str | None = None) -> ShownPair:
        """The texts of an offered pair as sanitised HTML, in a pool whose texts are Markdown."""
        return self._connection.post(ShownPair, pool_url(pool, "votes", "shown"), {"offer": offer, "voter": voter})

    def cast(
        self,
        pool: str,
        offer: str,
        choice: VoteChoice,
        *,
        voter: str | None = None,
        seconds: float = 0.0,
        rationale: str = "",
    ) -> RecordedVote:
        """Answer a pair and get the next one. The same answer again changes nothing."""
        body = {"offer": offer, "choice": choice, "voter": voter, "seconds": seconds, "rationale": rationale}
        return self._connection.post(RecordedVote, pool_url(pool, "votes"), body)

    def undo(self, pool: str, vote: str, *, voter: str | None = None) -> Ballot:
        """Take the voter's last vote back."""
        return self._connection.post(Ballot, pool_url(pool, "votes", "undo"), {"vote": vote, "voter": voter})

    def voters(self, pool: str) -> VoterReliability:
        """How reliable voters are: how far they agree with the others, and which side they favour."""
        return self._connection.get(VoterReliability, pool_url(pool, "voters"))

    def rules(self, pool: str) -> VotingRules:
        """How people vote on a pool."""
        return self._connection.get(VotingRules, pool_url(pool, "voting"))

    def change_rules(
        self,
        pool: str,
        *,
        overlap: int | None = None,
        guidelines: str | None = None,
        known: Iterable[tuple[str, str]] | None = None,
        known_share: float | None = None,
    ) -> VotingRules:
        """Change how people vote on a pool; what is None stays.

        Args:
            pool: The pool.
            overlap: How many people judge a pair before another one is given.
            guidelines: What voters read beside the ballot.
            known: Pairs of ids whose first is known to be the better one, mixed in for everybody.
            known_share: Share of a voter's pairs that are known ones.
        """
        pairs = None if known is None else [{"better": better, "worse": worse} for better, worse in known]
        body = {"overlap": overlap, "guidelines": guidelines, "known": pairs, "known_share": known_share}
        return self._connection.post(VotingRules, pool_url(pool, "voting"), body)

    def agreement(self, pool: str) -> PeopleAgreement:
        """How far people agree: Krippendorff's alpha, and each person against the others."""
        return self._connection.get(PeopleAgreement, pool_url(pool, "agreement"))


class Leases(Namespace):
    """Pairs that an external judge leases, and its verdicts on them."""

    def take(self, pool: str, *, seconds: float = 600.0) -> Lease | None:
        """Lease the most informative pair for so long; None where the judge has seen every pair.

        The request is not repeated where the answer is lost: each one leases another pair.
        """
        path = pool_url(pool, "judgements", "next")
        return self._connection.post_or_none(Lease, path, {"seconds": seconds}, again=False)

    def renew(self, pool: str, lease: str, *, seconds: float = 600.0) -> Lease:
        """Extend a lease to so long from now; answer with the returned ``lease``."""
        body = {"lease": lease, "seconds": seconds}
        return self._connection.post(Lease, pool_url(pool, "judgements", "renew"), body)

    def give_back(self, pool: str, lease: str) -> None:
        """Return a pair that will not be judged."""
        self._connection.post_or_none(Lease, pool_url(pool, "judgements", "return"), {"lease": lease})

    def judge(
        self,
        pool: str,
        lease: str,
        choice: VerdictChoice,
        *,
        probability: float | None = None,
        rationale: str = "",
        cost: float | None = None,
        **fields: Any,  # noqa: ANN401 - further fields of the API's LeasedVerdict
    ) -> RecordedVerdict:
        """Record the verdict on a leased pair. The same again changes nothing.

        Args:
            pool: The pool.
            lease: The ``lease`` of the pair.
            choice: Which is better, by the order of presentation; ``abstain`` to decline.
            probability: The judge's own probability that the first is better.
            rationale: Why.
            cost: Money in US dollars.
            fields: ``scores``, ``calls``, ``input_tokens``, ``output_tokens`` and ``seconds`` of ``LeasedVerdict``.
        """
        verdict = {"lease": lease, "choice": choice, "probability": probability, "rationale": rationale, "cost": cost}
        return self._connection.post(RecordedVerdict, pool_url(pool, "judgements"), {**verdict, **fields})
