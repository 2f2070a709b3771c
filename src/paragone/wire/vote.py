"""Votes of people, and verdicts of judges that lease pairs."""

from dataclasses import dataclass
from typing import Literal

from paragone.wire.value import Value

VoteChoice = Literal["first", "second", "tie", "skip"]
VerdictChoice = Literal["first", "second", "tie", "abstain"]


@dataclass(frozen=True, kw_only=True, slots=True)
class VotingProgress(Value):
    """Progress of the votes on a pool.

    Attributes:
        yours: Votes of this voter that were not taken back.
        skipped: Pairs that the voter skipped.
        answers: Valid answers of all voters.
        aim: The ranking asked for: ``balanced``, ``order``, ``top`` or ``winner``.
        confidence: Probability to reach, from 0 to 1.
        p_best: Probability that the first of the board is the best; None, like what follows, without a forecast: before
            every item was compared with two others, and of pools too large for a quick fit.
        top: The k of ``recall``, which is that of the top k.
        recall: Expected share of the true top k among the first k.
        tau: Expected Kendall tau with the true order.
        reached: Whether the ranking asked for is settled; more votes make it surer.
        more: Rough number of votes still needed; 0 once settled, None if it cannot be estimated.
        pending: Whether the first plan, and with it the forecast, is being made; until then pairs are neighbours by the
            running Elo, as they stay in pools too large for a quick fit.
    """

    yours: int
    skipped: int
    answers: int | None
    aim: str
    confidence: float
    pending: bool = False
    p_best: float | None = None
    top: int | None = None
    recall: float | None = None
    tau: float | None = None
    reached: bool = False
    more: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair(Value):
    """A pair for a voter. It does not reveal which items these are or how others voted.

    Attributes:
        offer: Opaque id of the pair, to be sent back with the answer.
        left: Text of the item shown first.
        right: Text of the other item.
        until: When the offer expires, in seconds since 1970.
    """

    offer: str
    left: str
    right: str
    until: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Ballot(Value):
    """The next pair for a voter, with the progress.

    Attributes:
        voter: The voter's name.
        criteria: What "better" means.
        guidelines: What voters are to heed, in plain text; empty for nothing.
        pair: The pair; None where the voter has seen all in both orders.
        last: Id of the voter's last vote, which can be taken back; None if there is none.
        progress: Progress of the votes.
    """

    voter: str
    criteria: str
    pair: Pair | None
    last: str | None
    progress: VotingProgress
    guidelines: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedVote(Ballot):
    """A recorded vote, and the next pair.

    Attributes:
        vote: Id of the vote, which is the id of its match.
    """

    vote: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease(Value):
    """A pair for an external judge.

    Attributes:
        lease: Opaque id of the lease, to be sent back with the verdict.
        id: Id of the match that the verdict will be recorded as.
        criteria: What "better" means.
        first: Text of the item shown first.
        second: Text of the other item.
        until: When the lease expires, in seconds since 1970.
    """

    lease: str
    id: str
    criteria: str
    first: str
    second: str
    until: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedVerdict(Value):
    """A recorded verdict.

    Attributes:
        match: Id of the match it was recorded as.
        is_new: Whether this request recorded it; sending the same verdict again changes nothing.
    """

    match: str
    is_new: bool
