"""Votes of people, and verdicts of judges that work elsewhere."""

from typing import Any, Literal

from paragone.client.addresses import pool_path
from paragone.client.methods.asking import Asking, there
from paragone.client.values import Ballot, Judged, Lease, Reliability, Voted

Choice = Literal["first", "second", "tie", "skip"]
Verdict = Literal["first", "second", "tie", "abstain"]


class VotingMethods(Asking):
    """Votes and leases."""

    def next_pair(self, pool: str, *, voter: str | None = None) -> Ballot:
        """The pair that a voter is to answer; the same one until they have.

        Args:
            pool: The pool.
            voter: The voter's name, where the server has no tokens; else it is the token's.
        """
        return self._at.get(Ballot, pool_path(pool, "votes", "next"), voter=voter)

    def vote(
        self,
        pool: str,
        offer: str,
        choice: Choice,
        *,
        voter: str | None = None,
        seconds: float = 0.0,
        rationale: str = "",
    ) -> Voted:
        """Answer a pair; what comes back holds the next one. The same answer again changes nothing."""
        body = {"offer": offer, "choice": choice, "voter": voter, "seconds": seconds, "rationale": rationale}
        return there(self._at.post(Voted, pool_path(pool, "votes"), body))

    def undo(self, pool: str, vote: str, *, voter: str | None = None) -> Ballot:
        """Take one's last vote back."""
        return there(self._at.post(Ballot, pool_path(pool, "votes", "undo"), {"vote": vote, "voter": voter}))

    def voters(self, pool: str) -> Reliability:
        """How reliable voters are: how far they agree with the others, and which side they favour."""
        return self._at.get(Reliability, pool_path(pool, "voters"))

    def lease(self, pool: str, *, seconds: float = 600.0) -> Lease | None:
        """Lease the pair that tells most, for so long; None where the judge has seen every pair.

        It is not asked again where the answer is lost: each time leases another pair.
        """
        return self._at.post(Lease, pool_path(pool, "judgements", "next"), {"seconds": seconds}, again=False)

    def renew(self, pool: str, lease: str, *, seconds: float = 600.0) -> Lease:
        """Have a lease last so long from now on; answer with ``lease`` of what comes back."""
        return there(self._at.post(Lease, pool_path(pool, "judgements", "renew"), {"lease": lease, "seconds": seconds}))

    def give_back(self, pool: str, lease: str) -> None:
        """Give a pair back that will not be judged."""
        self._at.post(Lease, pool_path(pool, "judgements", "return"), {"lease": lease})

    def judge(
        self,
        pool: str,
        lease: str,
        choice: Verdict,
        *,
        probability: float | None = None,
        rationale: str = "",
        cost: float | None = None,
        **more: Any,  # noqa: ANN401 - the further fields of the API's LeasedVerdict
    ) -> Judged:
        """Give the verdict on a leased pair. The same again changes nothing.

        Args:
            pool: The pool.
            lease: That of the pair.
            choice: Which is better, by the order of presentation; ``abstain`` to decline.
            probability: The judge's own probability that the first is better.
            rationale: Why.
            cost: Money in US dollars.
            more: ``scores``, ``calls``, ``input_tokens``, ``output_tokens`` and ``seconds`` of ``LeasedVerdict``.
        """
        said = {"lease": lease, "choice": choice, "probability": probability, "rationale": rationale, "cost": cost}
        return there(self._at.post(Judged, pool_path(pool, "judgements"), {**said, **more}))
