"""Votes and leases as values: a pair without anything that could sway, how far things are, how reliable somebody is."""

from paragone.domain.text import harmless
from paragone.errors import InvalidConfig, NotFound
from paragone.web.judge_identities import HUMAN
from paragone.web.readers.ledger_reader import Library
from paragone.web.views import judges as judging
from paragone.web.views.judges import JudgeView
from paragone.web.views.small import is_small
from paragone.web.views.values import Known, View, Words
from paragone.web.voting.ballots import Ballot, Ballots
from paragone.web.voting.offer import Offer


class ProgressView(View):
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
    p_best: Known = None
    top: int | None = None
    recall: Known = None
    tau: Known = None
    reached: bool = False
    more: int | None = None


class PairView(View):
    """A pair for a voter; nothing in it tells which items these are, or what others think of them.

    Attributes:
        offer: Names the pair to this server; an answer brings it.
        left: Text of the one shown first.
        right: Text of the other.
        until: Until when it may be answered, in seconds since 1970.
    """

    offer: str
    left: Words
    right: Words
    until: float


class BallotView(View):
    """What a voter is shown.

    Attributes:
        voter: The voter's name.
        criteria: What "better" means.
        pair: The pair; None where the voter has seen all in both orders.
        last: Id of the voter's last vote, which can be taken back; None where there is none.
        progress: How far things are.
    """

    voter: Words
    criteria: Words
    pair: PairView | None
    last: Words | None
    progress: ProgressView


class VotedView(BallotView):
    """What became of a vote, and what is next.

    Attributes:
        vote: Id of the vote, which is that of its match.
    """

    vote: Words


class ReliabilityView(View):
    """How reliable voters are.

    Attributes:
        pending: Whether newer figures are being made: ask again.
        consensus: Whom agreement is with: ``others``, ``all``, or ``none`` where there is one judge; see ``judges``.
        why: Why nothing is known, where that is so.
        voters: Voters, by name; their figures are those of ``judges``.
    """

    pending: bool
    consensus: str
    why: str = ""
    voters: dict[str, JudgeView]


class LeaseView(View):
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
    id: Words
    criteria: Words
    first: Words
    second: Words
    until: float


class JudgedView(View):
    """What became of a verdict.

    Attributes:
        match: Id of the match that it is.
        is_new: Whether it was recorded now; the same verdict again changes nothing.
    """

    match: Words
    is_new: bool


def ballot(ballots: Ballots, at: Ballot, offer: Offer | None, voter: str, criteria: str) -> BallotView:
    """What a voter is shown.

    Args:
        ballots: The ballots of the server.
        at: That of the pool.
        offer: The pair; None where there is none left.
        voter: The voter's name.
        criteria: What "better" means.
    """
    return BallotView(
        voter=voter,
        criteria=harmless(criteria),
        pair=None if offer is None else _pair(ballots, offer),
        last=at.last(HUMAN + voter),
        progress=progress(at, HUMAN + voter),
    )


def progress(at: Ballot, judge: str) -> ProgressView:
    """How far the votes are."""
    yours, skipped = at.votes(judge)
    known = at.progress
    if known is None:
        return ProgressView(
            yours=yours,
            skipped=skipped,
            answers=None,
            aim=at.goal.aim.value,
            confidence=at.goal.confidence,
            pending=at.pending,
        )
    return ProgressView(
        yours=yours,
        skipped=skipped,
        answers=known.answers + at.since,
        aim=known.aim.value,
        confidence=known.confidence,
        p_best=known.p_best,
        top=known.top,
        recall=known.recall,
        tau=known.tau,
        reached=known.reached,
        more=None if known.more is None else max(0, known.more - at.since),
    )


def lease(ballots: Ballots, offer: Offer, criteria: str) -> LeaseView:
    """A pair for an external judge, which is shown the texts to the letter."""
    first, second = ballots.texts(offer)
    return LeaseView(
        lease=ballots.sealed(offer),
        id=offer.id,
        criteria=criteria,
        first=first.text,
        second=second.text,
        until=offer.until,
    )


def reliability(library: Library, pool: str) -> ReliabilityView:
    """How reliable the voters on a pool are.

    Raises:
        NotFound: If there is no such pool.
    """
    library.version(pool)
    if not is_small(library, pool):
        return ReliabilityView(pending=False, consensus="none", why="the pool is too large for this", voters={})
    try:
        found = judging.judges(library, pool)
    except (NotFound, InvalidConfig) as reason:
        return ReliabilityView(pending=False, consensus="none", why=str(reason), voters={})
    voters = {one.judge.removeprefix(HUMAN): one for one in found.judges if one.judge.startswith(HUMAN)}
    return ReliabilityView(pending=found.pending, consensus=found.consensus, voters=voters)


def _pair(ballots: Ballots, offer: Offer) -> PairView:
    left, right = ballots.texts(offer)
    return PairView(
        offer=ballots.sealed(offer), left=harmless(left.text), right=harmless(right.text), until=offer.until
    )
