"""Offered pairs over HTTP: votes of people, and leases and verdicts of external judges."""

import math
from dataclasses import replace
from enum import Enum
from typing import Annotated, Literal

from fastapi import Query, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from paragone.domain import Choice, Usage, Verdict
from paragone.domain.names import LONGEST_NAME, name_problem
from paragone.domain.text import counted, harmless
from paragone.errors import InvalidConfig, InvalidEvidence, NotFound
from paragone.web.api.matches import JudgeAnswer, own_name
from paragone.web.api_router import api_router
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Caller
from paragone.web.middleware.authorization import Judging, Reader, Voter
from paragone.web.parameters import Body, ConfigDep, Count, LedgerDep, PoolId, StorableText, VotingDep
from paragone.web.problems import refusals
from paragone.web.views import judges as judging
from paragone.web.views.texts import rich_text
from paragone.web.voting.pool_voting import Offer, PoolVoting, Voting
from paragone.web.voting.voters import HUMAN
from paragone.wire.address import API, match_url
from paragone.wire.item import ShownPair
from paragone.wire.judge import VoterReliability
from paragone.wire.value import shallow
from paragone.wire.vote import Ballot, Lease, Pair, RecordedVerdict, RecordedVote, VotingProgress

router = api_router(404, prefix="/pools")
_VOTES: list[str | Enum] = ["votes"]
_JUDGING: list[str | Enum] = ["judging"]

WHO = "The voter; the token's name where there are tokens."
Name = Annotated[StorableText, Field(max_length=LONGEST_NAME, description=WHO)]
MOST_OFFER = 20_000
"""Characters of a sealed offer: it holds the ids of a pool and of two items."""

CHOICES = {"first": Choice.FIRST, "second": Choice.SECOND, "tie": Choice.TIE, "skip": Choice.ABSTAIN}


class NewVote(Body):
    """An answer to a pair.

    Attributes:
        offer: The ``offer`` of the pair.
        choice: Which is better, by the order of presentation: ``first`` was on the left; ``skip`` where the voter would
            rather not say.
        voter: The voter's name; the token's name if the server has tokens.
        seconds: How long the voter looked at it.
        rationale: Why, where the voter says so.
    """

    offer: Annotated[str, Field(min_length=1, max_length=MOST_OFFER)]
    choice: Literal["first", "second", "tie", "skip"]
    voter: Name | None = None
    seconds: Annotated[float, Field(ge=0.0, le=1e6, allow_inf_nan=False)] = 0.0
    rationale: Annotated[StorableText, Field(max_length=10_000)] = ""


class ShownOffer(Body):
    """A pair whose texts are to be shown.

    Attributes:
        offer: The ``offer`` of the pair.
        voter: The voter's name; the token's name if the server has tokens.
    """

    offer: Annotated[str, Field(min_length=1, max_length=MOST_OFFER)]
    voter: Name | None = None


class VoteUndo(Body):
    """The voter's last vote, to be taken back.

    Attributes:
        vote: Its id.
        voter: The voter's name; the token's name if the server has tokens.
    """

    vote: Annotated[str, Field(min_length=1, max_length=500)]
    voter: Name | None = None


@router.get("/{pool}/votes/next", tags=_VOTES)
def next_pair(
    pool: PoolId,
    voting: VotingDep,
    config: ConfigDep,
    who: Voter,
    voter: Annotated[str | None, Query(max_length=LONGEST_NAME, description=WHO)] = None,
) -> Ballot:
    """The pair that a voter is to answer; the same one until they have."""
    name, at = voter_name(who, config, voter), voting.of(pool)
    return _ballot(voting, at, at.offer(HUMAN + name, voting.seconds), name)


@router.post("/{pool}/votes/shown", tags=_VOTES)
def show_pair(
    pool: PoolId, body: ShownOffer, voting: VotingDep, config: ConfigDep, reader: LedgerDep, who: Voter
) -> ShownPair:
    """The texts of an offered pair as sanitised HTML, in a pool whose texts are Markdown."""
    offer = voting.opened(body.offer, pool, HUMAN + voter_name(who, config, body.voter))
    first, second = (rich_text(reader, pool, item.text, 3) for item in voting.texts(offer))
    if first is None or second is None:
        raise InvalidConfig(f"the texts of {pool} are shown as they are: the pair has them")
    return ShownPair(left=first, right=second)


@router.post(
    "/{pool}/votes", tags=_VOTES, status_code=201, responses={200: {"model": RecordedVote}, **refusals(404, 409)}
)
async def cast_vote(
    pool: PoolId,
    body: NewVote,
    who: Voter,
    request: Request,
    response: Response,
) -> RecordedVote:
    """Answer a pair; the answer to that has the next one.

    The same answer again changes nothing, and gets 200.
    """
    state = request.app.state  # read here: a dependency of FastAPI would take longer
    voting: Voting = state.voting
    name = voter_name(who, state.config, body.voter)
    at = voting.kept(pool)
    if at is None:
        at = await run_in_threadpool(voting.of, pool)
    offer = voting.opened(body.offer, pool, HUMAN + name)
    grant = who.grant(pool)
    if grant is not None and grant.a_day is not None:
        await run_in_threadpool(_require_quota, at, offer, grant.a_day)
    verdict = Verdict(
        choice=CHOICES[body.choice],
        judge=offer.judge,
        rationale=body.rationale,
        usage=Usage(seconds=body.seconds),
    )
    done, following = await at.vote(offer, verdict, voting.seconds)
    if done.is_new:
        state.meters.votes.inc()
    response.status_code = 201 if done.is_new else 200
    response.headers["location"] = API + match_url(pool, done.id)
    if following is None or None not in voting.texts_at_hand(following):
        next_ballot = _ballot(voting, at, following, name)
    else:
        next_ballot = await run_in_threadpool(_ballot, voting, at, following, name)
    return RecordedVote(vote=done.id, **shallow(next_ballot))


@router.post("/{pool}/votes/undo", tags=_VOTES, responses=refusals(404, 409))
def undo_vote(pool: PoolId, body: VoteUndo, voting: VotingDep, config: ConfigDep, who: Voter) -> Ballot:
    """Take back the voter's last vote, and offer its pair again. Repeating it changes nothing."""
    name, at = voter_name(who, config, body.voter), voting.of(pool)
    offer = at.undo(HUMAN + name, body.vote, voting.seconds)
    return _ballot(voting, at, offer, name)


@router.get("/{pool}/voters", tags=_VOTES)
def list_voters(pool: PoolId, reader: LedgerDep, _: Reader) -> VoterReliability:
    """How reliable voters are: agreement with the others, and favour for a side, each with its interval."""
    reader.version(pool)
    if not reader.is_small(pool):
        return VoterReliability(pending=False, consensus="none", why="the pool is too large for this", voters={})
    try:
        report = judging.judges(reader, pool)
    except (NotFound, InvalidConfig) as reason:
        return VoterReliability(pending=False, consensus="none", why=str(reason), voters={})
    voters = {judge.judge.removeprefix(HUMAN): judge for judge in report.judges if judge.judge.startswith(HUMAN)}
    return VoterReliability(pending=report.pending, consensus=report.consensus, voters=voters)


def _require_quota(at: PoolVoting, offer: Offer, a_day: int) -> None:
    """Refuse an answer beyond what the voter may give in a day.

    Raises:
        HTTPException: 429 if it is.
    """
    wait = math.ceil(at.wait(offer, a_day))
    if wait:
        again = f"{wait / 3600:.0f} hours" if wait > 5400 else f"{wait / 60:.0f} minutes"
        words = f"you have reached the limit of {counted(a_day, 'answer')} in 24 hours; try again in {again}"
        raise HTTPException(429, words, headers={"retry-after": str(wait)})


def voter_name(who: Caller, config: WebConfig, name: str | None) -> str:
    """The name under which a caller votes.

    Raises:
        HTTPException: 403 for another's name where there are tokens.
        InvalidEvidence: If there are none and no name is given, or it is invalid.
    """
    if config.tokens is not None:
        if name not in {None, who.name}:
            raise HTTPException(403, f"the token {who.name!r} votes under its own name, not as {name!r}")
        return who.name
    if name is None:
        raise InvalidEvidence("say who votes: voter is missing")
    problem = name_problem(name, "the name of a voter")
    if problem is not None:
        raise InvalidEvidence(problem)
    return name


def _ballot(voting: Voting, at: PoolVoting, offer: Offer | None, voter: str) -> Ballot:
    """What a voter sees: the pair, without anything that could sway them, and how far the votes are."""
    return Ballot(
        voter=voter,
        criteria=harmless(at.criteria),
        guidelines=harmless(at.rules().guidelines),
        pair=None if offer is None else _pair(voting, offer),
        last=at.last(HUMAN + voter),
        progress=_progress(at, HUMAN + voter),
    )


def _progress(at: PoolVoting, judge: str) -> VotingProgress:
    yours, skipped = at.votes(judge)
    progress, goal = at.progress, at.goal
    if progress is None:
        return VotingProgress(
            yours=yours,
            skipped=skipped,
            answers=None,
            aim=goal.aim.value,
            confidence=goal.confidence,
            pending=at.pending,
        )
    return replace(
        progress,
        yours=yours,
        skipped=skipped,
        answers=(progress.answers or 0) + at.since,
        more=None if progress.more is None else max(0, progress.more - at.since),
    )


def _pair(voting: Voting, offer: Offer) -> Pair:
    first, second = voting.texts(offer)
    return Pair(offer=voting.sealed(offer), left=harmless(first.text), right=harmless(second.text), until=offer.until)


class LeaseRequest(Body):
    """A judge's request for a pair.

    Attributes:
        seconds: Duration of the lease.
    """

    seconds: Annotated[float, Field(ge=1.0, le=86_400.0)] = 600.0


class LeaseRenewal(LeaseRequest):
    """A lease that is to last longer.

    Attributes:
        lease: The ``lease`` of the pair.
        seconds: New duration of the lease, from now.
    """

    lease: Annotated[str, Field(min_length=1, max_length=MOST_OFFER)]


class LeaseReturn(Body):
    """A lease that will not be answered.

    Attributes:
        lease: The ``lease`` of the pair.
    """

    lease: Annotated[str, Field(min_length=1, max_length=MOST_OFFER)]


class LeasedVerdict(JudgeAnswer):
    """The verdict on a leased pair.

    Attributes:
        lease: The ``lease`` of the pair.
        calls: Requests that it took.
    """

    lease: Annotated[str, Field(min_length=1, max_length=MOST_OFFER)]
    calls: Count = 1


@router.post(
    "/{pool}/judgements/next", tags=_JUDGING, responses={204: {"description": "The judge has seen every pair."}}
)
def lease_pair(pool: PoolId, voting: VotingDep, who: Judging, body: LeaseRequest | None = None) -> Lease | None:
    """Lease a pair. No other judge gets it until the lease ends; a judge may hold several leases."""
    offer = voting.of(pool).lease(own_name(who), (body or LeaseRequest()).seconds)
    if offer is None:
        return Response(status_code=204)  # type: ignore[return-value]  # a response stands for itself
    return _lease(voting, offer, voting.of(pool).criteria)


@router.post("/{pool}/judgements/renew", tags=_JUDGING, responses=refusals(404, 409))
def renew_lease(pool: PoolId, body: LeaseRenewal, voting: VotingDep, who: Judging) -> Lease:
    """Extend a lease before it ends. Answer with the new `lease`; its id stays."""
    offer = voting.opened(body.lease, pool, own_name(who))
    return _lease(voting, voting.of(pool).renew(offer, body.seconds), voting.of(pool).criteria)


@router.post("/{pool}/judgements/return", tags=_JUDGING, status_code=204)
def return_lease(pool: PoolId, body: LeaseReturn, voting: VotingDep, who: Judging) -> None:
    """Return a pair that will not be judged, so that another judge can have it. Repeating it changes nothing."""
    voting.of(pool).give_back(voting.opened(body.lease, pool, own_name(who)))


@router.post(
    "/{pool}/judgements",
    tags=_JUDGING,
    status_code=201,
    responses={200: {"model": RecordedVerdict}, **refusals(404, 409)},
)
def judge_pair(
    pool: PoolId, body: LeasedVerdict, voting: VotingDep, who: Judging, response: Response
) -> RecordedVerdict:
    """Record the verdict on a leased pair.

    The same verdict again changes nothing, and gets 200. A lease that has ended is refused: lease the next pair.
    """
    offer = voting.opened(body.lease, pool, own_name(who))
    done = voting.of(pool).answer(offer, body.verdict(offer.judge, body.calls))
    response.status_code = 201 if done.is_new else 200
    response.headers["location"] = API + match_url(pool, done.id)
    return RecordedVerdict(match=done.id, is_new=done.is_new)


def _lease(voting: Voting, offer: Offer, criteria: str) -> Lease:
    """A pair for an external judge, which is shown the texts to the letter."""
    first, second = voting.texts(offer)
    return Lease(
        lease=voting.sealed(offer),
        id=offer.id,
        criteria=criteria,
        first=first.text,
        second=second.text,
        until=offer.until,
    )
