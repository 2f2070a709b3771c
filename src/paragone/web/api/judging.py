"""External judges over HTTP: a lease of the pair that tells most, and the verdict on it."""

from typing import Annotated, Literal

from fastapi import APIRouter, Response
from pydantic import Field

from paragone.domain import Choice, CriterionScore, Usage, Verdict
from paragone.web.api.answers import refusals
from paragone.web.api.matches import own_name
from paragone.web.api.votes import MOST_OFFER
from paragone.web.dependencies import BallotsDep, LedgerDep
from paragone.web.middleware.authentication import Judging
from paragone.web.views import votes as views
from paragone.web.views.body import Body, StorableText
from paragone.web.views.links import PoolId
from paragone.web.views.recording import Count, NewScore, Share
from paragone.web.voting.ballots import brief_of
from paragone.wire.address import API, match_url
from paragone.wire.vote import Lease, RecordedVerdict

router = APIRouter(prefix="/pools", tags=["judging"], responses=refusals(404))


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


class LeasedVerdict(Body):
    """The verdict on a leased pair.

    Attributes:
        lease: The ``lease`` of the pair.
        choice: Which is better, by the order of presentation; ``abstain`` where the judge declines to say.
        probability: The judge's own probability that the first is better.
        rationale: Why.
        scores: Scores by criterion.
        calls: Requests that it took.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cost: Cost in US dollars; None if unknown.
        seconds: Time that it took.
    """

    lease: Annotated[str, Field(min_length=1, max_length=MOST_OFFER)]
    choice: Literal["first", "second", "tie", "abstain"]
    probability: Share | None = None
    rationale: Annotated[StorableText, Field(max_length=100_000)] = ""
    scores: Annotated[list[NewScore], Field(max_length=100)] = Field(default=[])
    calls: Count = 1
    input_tokens: Count = 0
    output_tokens: Count = 0
    cost: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = None
    seconds: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 0.0


@router.post("/{pool}/judgements/next", responses={204: {"description": "The judge has seen every pair."}})
def lease_pair(
    pool: PoolId, reader: LedgerDep, ballots: BallotsDep, who: Judging, body: LeaseRequest | None = None
) -> Lease | None:
    """Lease a pair. No other judge gets it until the lease ends; a judge may hold several leases."""
    offer = ballots.of(pool).lease(own_name(who), (body or LeaseRequest()).seconds)
    if offer is None:
        return Response(status_code=204)  # type: ignore[return-value]  # a response stands for itself
    return views.lease(ballots, offer, brief_of(reader, pool).criteria)


@router.post("/{pool}/judgements/renew", responses=refusals(404, 409))
def renew_lease(pool: PoolId, body: LeaseRenewal, reader: LedgerDep, ballots: BallotsDep, who: Judging) -> Lease:
    """Have a lease last longer, before it ends. Answer with `lease` of this one; its id stays."""
    offer = ballots.opened(body.lease, pool, own_name(who))
    return views.lease(ballots, ballots.of(pool).renew(offer, body.seconds), brief_of(reader, pool).criteria)


@router.post("/{pool}/judgements/return", status_code=204)
def return_lease(pool: PoolId, body: LeaseReturn, ballots: BallotsDep, who: Judging) -> None:
    """Return a pair that will not be judged, so that another judge can have it. Repeating it changes nothing."""
    ballots.of(pool).give_back(ballots.opened(body.lease, pool, own_name(who)))


@router.post("/{pool}/judgements", status_code=201, responses={200: {"model": RecordedVerdict}, **refusals(404, 409)})
def judge_pair(
    pool: PoolId, body: LeasedVerdict, ballots: BallotsDep, who: Judging, response: Response
) -> RecordedVerdict:
    """Give the verdict on a leased pair.

    The same again changes nothing, and is answered by 200. After its end a lease is refused: lease the next pair.
    """
    offer = ballots.opened(body.lease, pool, own_name(who))
    done = ballots.of(pool).answer(offer, _verdict(body, offer.judge))
    response.status_code = 201 if done.is_new else 200
    response.headers["location"] = API + match_url(pool, done.id)
    return RecordedVerdict(match=done.id, is_new=done.is_new)


def _verdict(body: LeasedVerdict, judge: str) -> Verdict:
    return Verdict(
        choice=Choice(body.choice),
        judge=judge,
        probability=body.probability,
        scores=tuple(
            CriterionScore(criterion=score.criterion, first=score.first, second=score.second) for score in body.scores
        ),
        rationale=body.rationale,
        usage=Usage(
            calls=body.calls,
            input_tokens=body.input_tokens,
            output_tokens=body.output_tokens,
            cost=body.cost,
            seconds=body.seconds,
        ),
    )
