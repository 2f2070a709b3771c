"""Votes over HTTP: the next pair, an answer, taking the last one back, and how reliable voters are."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from starlette.exceptions import HTTPException

from paragone.domain import Choice, Usage, Verdict
from paragone.domain.agent_name import LONGEST_NAME, name_problem
from paragone.errors import InvalidEvidence
from paragone.web.api.answers import refusals
from paragone.web.config import WebConfig
from paragone.web.dependencies import BallotsDep, ConfigDep, LedgerDep
from paragone.web.judge_identities import HUMAN
from paragone.web.middleware.authentication import Reader, Voter
from paragone.web.middleware.tokens import Caller
from paragone.web.views import votes as views
from paragone.web.views.body import Body, StorableText
from paragone.web.views.links import PoolId
from paragone.web.voting.ballots import brief_of
from paragone.wire.address import API, match_url
from paragone.wire.judge import VoterReliability
from paragone.wire.value import shallow
from paragone.wire.vote import Ballot, RecordedVote

router = APIRouter(prefix="/pools", tags=["votes"], responses=refusals(404))

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


class VoteUndo(Body):
    """The voter's last vote, to be taken back.

    Attributes:
        vote: Its id.
        voter: The voter's name; the token's name if the server has tokens.
    """

    vote: Annotated[str, Field(min_length=1, max_length=500)]
    voter: Name | None = None


@router.get("/{pool}/votes/next")
def next_pair(
    pool: PoolId,
    reader: LedgerDep,
    ballots: BallotsDep,
    config: ConfigDep,
    who: Voter,
    voter: Annotated[str | None, Query(max_length=LONGEST_NAME, description=WHO)] = None,
) -> Ballot:
    """The pair that a voter is to answer; the same one until they have."""
    name, at = voter_name(who, config, voter), ballots.of(pool)
    return views.ballot(ballots, at, at.offer(HUMAN + name, ballots.seconds), name, brief_of(reader, pool).criteria)


@router.post("/{pool}/votes", status_code=201, responses={200: {"model": RecordedVote}, **refusals(404, 409)})
def cast_vote(
    pool: PoolId,
    body: NewVote,
    reader: LedgerDep,
    ballots: BallotsDep,
    config: ConfigDep,
    who: Voter,
    request: Request,
    response: Response,
) -> RecordedVote:
    """Answer a pair; what comes back holds the next one.

    The same answer again changes nothing, and is answered by 200.
    """
    name, at = voter_name(who, config, body.voter), ballots.of(pool)
    offer = ballots.opened(body.offer, pool, HUMAN + name)
    verdict = Verdict(
        choice=CHOICES[body.choice],
        judge=offer.judge,
        rationale=body.rationale,
        usage=Usage(seconds=body.seconds),
    )
    done = at.answer(offer, verdict)
    if done.is_new:
        request.app.state.meters.votes.inc()
    response.status_code = 201 if done.is_new else 200
    response.headers["location"] = API + match_url(pool, done.id)
    following = at.offer(offer.judge, ballots.seconds)
    next_ballot = views.ballot(ballots, at, following, name, brief_of(reader, pool).criteria)
    return RecordedVote(vote=done.id, **shallow(next_ballot))


@router.post("/{pool}/votes/undo", responses=refusals(404, 409))
def undo_vote(
    pool: PoolId, body: VoteUndo, reader: LedgerDep, ballots: BallotsDep, config: ConfigDep, who: Voter
) -> Ballot:
    """Take one's last vote back: it counts no more, and its pair is there again. Again, it changes nothing."""
    name, at = voter_name(who, config, body.voter), ballots.of(pool)
    offer = at.undo(HUMAN + name, body.vote, ballots.seconds)
    return views.ballot(ballots, at, offer, name, brief_of(reader, pool).criteria)


@router.get("/{pool}/voters")
def list_voters(pool: PoolId, reader: LedgerDep, _: Reader) -> VoterReliability:
    """How reliable voters are: agreement with the others, and favour for a side, each with its interval."""
    return views.reliability(reader, pool)


def voter_name(who: Caller, config: WebConfig, name: str | None) -> str:
    """Under which name somebody votes.

    Raises:
        HTTPException: 403 for another's name where there are tokens.
        InvalidEvidence: If there are none and no name is given, or nobody can be called so.
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
