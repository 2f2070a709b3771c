"""Votes and leases as values: a pair without anything that could sway, how far things are, how reliable somebody is."""

from paragone.domain.text import harmless
from paragone.errors import InvalidConfig, NotFound
from paragone.web.judge_identities import HUMAN
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import judges as judging
from paragone.web.views.whole_tournament import is_small
from paragone.web.voting.ballots import Ballot, Ballots
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
    progress = at.progress
    if progress is None:
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
        answers=progress.answers + at.since,
        aim=progress.aim.value,
        confidence=progress.confidence,
        p_best=progress.p_best,
        top=progress.top,
        recall=progress.recall,
        tau=progress.tau,
        reached=progress.reached,
        more=None if progress.more is None else max(0, progress.more - at.since),
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


def reliability(reader: LedgerReader, pool: str) -> VoterReliability:
    """How reliable the voters on a pool are.

    Raises:
        NotFound: If there is no such pool.
    """
    reader.version(pool)
    if not is_small(reader, pool):
        return VoterReliability(pending=False, consensus="none", why="the pool is too large for this", voters={})
    try:
        report = judging.judges(reader, pool)
    except (NotFound, InvalidConfig) as reason:
        return VoterReliability(pending=False, consensus="none", why=str(reason), voters={})
    voters = {judge.judge.removeprefix(HUMAN): judge for judge in report.judges if judge.judge.startswith(HUMAN)}
    return VoterReliability(pending=report.pending, consensus=report.consensus, voters=voters)


def _pair(ballots: Ballots, offer: Offer) -> Pair:
    left, right = ballots.texts(offer)
    return Pair(offer=ballots.sealed(offer), left=harmless(left.text), right=harmless(right.text), until=offer.until)
