"""Votes and leases as values: a pair without anything that could sway, how far things are, how reliable somebody is."""

from paragone.domain.text import harmless
from paragone.errors import InvalidConfig, NotFound
from paragone.web.books.library import Library
from paragone.web.people import HUMAN
from paragone.web.views import judges as judging
from paragone.web.views.small import is_small
from paragone.web.voting.ballot import Ballot
from paragone.web.voting.ballots import Ballots
from paragone.web.voting.offer import Offer
from paragone.wire import vote as wire_vote
from paragone.wire.judge import VoterReliability
from paragone.wire.vote import Lease, Pair, VotingProgress


def ballot(ballots: Ballots, at: Ballot, offer: Offer | None, voter: str, criteria: str) -> wire_vote.Ballot:
    """What a voter is shown.

    Args:
        ballots: The ballots of the server.
        at: That of the pool.
        offer: The pair; None where there is none left.
        voter: The voter's name.
        criteria: What "better" means.
    """
    return wire_vote.Ballot(
        voter=voter,
        criteria=harmless(criteria),
        pair=None if offer is None else _pair(ballots, offer),
        last=at.last(HUMAN + voter),
        progress=progress(at, HUMAN + voter),
    )


def progress(at: Ballot, judge: str) -> VotingProgress:
    """How far the votes are."""
    yours, skipped = at.votes(judge)
    known = at.progress
    if known is None:
        return VotingProgress(
            yours=yours,
            skipped=skipped,
            answers=None,
            aim=at.goal.aim.value,
            confidence=at.goal.confidence,
            pending=at.pending,
        )
    return VotingProgress(
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


def lease(ballots: Ballots, offer: Offer, criteria: str) -> Lease:
    """A pair for an external judge, which is shown the texts to the letter."""
    first, second = ballots.texts(offer)
    return Lease(
        lease=ballots.sealed(offer),
        id=offer.id,
        criteria=criteria,
        first=first.text,
        second=second.text,
        until=offer.until,
    )


def reliability(library: Library, pool: str) -> VoterReliability:
    """How reliable the voters on a pool are.

    Raises:
        NotFound: If there is no such pool.
    """
    library.version(pool)
    if not is_small(library, pool):
        return VoterReliability(pending=False, consensus="none", why="the pool is too large for this", voters={})
    try:
        found = judging.judges(library, pool)
    except (NotFound, InvalidConfig) as reason:
        return VoterReliability(pending=False, consensus="none", why=str(reason), voters={})
    voters = {one.judge.removeprefix(HUMAN): one for one in found.judges if one.judge.startswith(HUMAN)}
    return VoterReliability(pending=found.pending, consensus=found.consensus, voters=voters)


def _pair(ballots: Ballots, offer: Offer) -> Pair:
    left, right = ballots.texts(offer)
    return Pair(offer=ballots.sealed(offer), left=harmless(left.text), right=harmless(right.text), until=offer.until)
