"""Votes of people, and verdicts of judges that lease pairs."""

from typing import Any

from paragone.client.connection import Connection
from paragone.wire.address import api_url, pool_url
from paragone.wire.item import ShownPair
from paragone.wire.judge import VoterReliability
from paragone.wire.vote import Ballot, Lease, RecordedVerdict, RecordedVote, VerdictChoice, VoteChoice


class Votes:
    """The votes of people on a pool."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def next(self, pool: str, *, voter: str | None = None) -> Ballot:
        """The pair that a voter is to answer; the same one until they have.

        Args:
            pool: The pool.
            voter: The voter's name, where the server has no tokens; else it is the token's.
        """
        return self._connection.get(Ballot, api_url(pool_url(pool, "votes", "next")), voter=voter)

    def shown(self, pool: str, offer: str, *, voter: str | None = None) -> ShownPair:
        """The texts of an offered pair as sanitised HTML, in a pool whose texts are Markdown."""
        return self._connection.post(
            ShownPair, api_url(pool_url(pool, "votes", "shown")), {"offer": offer, "voter": voter}
        )

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
        """Answer a pair, and get the next one. The same answer again changes nothing."""
        body = {"offer": offer, "choice": choice, "voter": voter, "seconds": seconds, "rationale": rationale}
        return self._connection.post(RecordedVote, api_url(pool_url(pool, "votes")), body)

    def undo(self, pool: str, vote: str, *, voter: str | None = None) -> Ballot:
        """Take the voter's last vote back."""
        return self._connection.post(Ballot, api_url(pool_url(pool, "votes", "undo")), {"vote": vote, "voter": voter})

    def voters(self, pool: str) -> VoterReliability:
        """How reliable voters are: how far they agree with the others, and which side they favour."""
        return self._connection.get(VoterReliability, api_url(pool_url(pool, "voters")))


class Leases:
    """Pairs that an external judge leases, and its verdicts on them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, pool: str, *, seconds: float = 600.0) -> Lease | None:
        """Lease the most informative pair for so long; None where the judge has seen every pair.

        The request is not repeated where the answer is lost: each one leases another pair.
        """
        path = api_url(pool_url(pool, "judgements", "next"))
        return self._connection.post_or_none(Lease, path, {"seconds": seconds}, again=False)

    def renew(self, pool: str, lease: str, *, seconds: float = 600.0) -> Lease:
        """Extend a lease to so long from now; answer with the returned ``lease``."""
        body = {"lease": lease, "seconds": seconds}
        return self._connection.post(Lease, api_url(pool_url(pool, "judgements", "renew")), body)

    def give_back(self, pool: str, lease: str) -> None:
        """Return a pair that will not be judged."""
        self._connection.post_or_none(Lease, api_url(pool_url(pool, "judgements", "return")), {"lease": lease})

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
        return self._connection.post(RecordedVerdict, api_url(pool_url(pool, "judgements")), {**verdict, **fields})
