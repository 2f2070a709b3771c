"""Votes of people, and verdicts of judges that lease pairs."""

from dataclasses import dataclass
from typing import Literal

from paragone.wire.value import Value

VoteChoice = Literal["first", "second", "tie", "skip"]
VerdictChoice = Literal["first", "second", "tie", "abstain"]


@dataclass(frozen=True, kw_only=True, slots=True)
class VotingProgress(Value):
    """How far the votes on a pool are.

    Attributes:
        yours: Votes of the voter that stand.
        skipped: Pairs that the voter skipped.
        answers: Answers of all that stand and say something.
        aim: The ranking asked for: ``balanced``, ``order``, ``top`` or ``winner``.
        confidence: How sure it was asked to be, from 0 to 1.
        p_best: Probability that the first of the board is the best; None, like what follows, without a forecast: before
            every item was compared with two others, and of pools too large for a quick fit.
        top: The k of the top k that ``recall`` speaks of.
        recall: Expected share of the true top k among the first k.
        tau: Expected Kendall tau with the true order.
        reached: Whether the ranking asked for is settled; more votes make it surer.
        more: Votes that it will take, roughly; 0 once settled, None where that cannot be told.
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
    """A pair for a voter; nothing in it tells which items these are, or what others think of them.

    Attributes:
        offer: Names the pair to this server; an answer brings it.
        left: Text of the one shown first.
        right: Text of the other.
        until: Until when it may be answered, in seconds since 1970.
    """

    offer: str
    left: str
    right: str
    until: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Ballot(Value):
    """What a voter is shown.

    Attributes:
        voter: The voter's name.
        criteria: What "better" means.
        pair: The pair; None where the voter has seen all in both orders.
        last: Id of the voter's last vote, which can be taken back; None where there is none.
        progress: How far things are.
    """

    voter: str
    criteria: str
    pair: Pair | None
    last: str | None
    progress: VotingProgress


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedVote(Ballot):
    """What became of a vote, and what is next.

    Attributes:
        vote: Id of the vote, which is that of its match.
    """

    vote: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease(Value):
    """A pair for an external judge.

    Attributes:
        lease: Names the pair to this server; the verdict brings it.
        id: Of the match that the verdict becomes.
        criteria: What "better" means.
        first: Text of the one shown first.
        second: Text of the other.
        until: Until when the verdict is taken, in seconds since 1970.
    """

    lease: str
    id: str
    criteria: str
    first: str
    second: str
    until: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedVerdict(Value):
    """What became of a verdict.

    Attributes:
        match: Id of the match that it is.
        is_new: Whether it was recorded now; the same verdict again changes nothing.
    """

    match: str
    is_new: bool
