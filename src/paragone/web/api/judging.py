"""External judges over HTTP: a lease of the pair that tells most, and the verdict on it."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from paragone.web.api.answers import refusals
from paragone.web.api.matches import JudgeAnswer, own_name
from paragone.web.api.votes import MOST_OFFER
from paragone.web.middleware.authentication import Judging
from paragone.web.parameters import BallotsDep, Body, Count, PoolId
from paragone.web.voting.ballots import Ballots
from paragone.web.voting.offer import Offer
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


class LeasedVerdict(JudgeAnswer):
    """The verdict on a leased pair.

    Attributes:
        lease: The ``lease`` of the pair.
        calls: Requests that it took.
    """

    lease: Annotated[str, Field(min_length=1, max_length=MOST_OFFER)]
    calls: Count = 1


@router.post("/{pool}/judgements/next", responses={204: {"description": "The judge has seen every pair."}})
def lease_pair(pool: PoolId, ballots: BallotsDep, who: Judging, body: LeaseRequest | None = None) -> Lease | None:
    """Lease a pair. No other judge gets it until the lease ends; a judge may hold several leases."""
    offer = ballots.of(pool).lease(own_name(who), (body or LeaseRequest()).seconds)
    if offer is None:
        return Response(status_code=204)  # type: ignore[return-value]  # a response stands for itself
    return _lease(ballots, offer, ballots.of(pool).criteria)


@router.post("/{pool}/judgements/renew", responses=refusals(404, 409))
def renew_lease(pool: PoolId, body: LeaseRenewal, ballots: BallotsDep, who: Judging) -> Lease:
    """Have a lease last longer, before it ends. Answer with `lease` of this one; its id stays."""
    offer = ballots.opened(body.lease, pool, own_name(who))
    return _lease(ballots, ballots.of(pool).renew(offer, body.seconds), ballots.of(pool).criteria)


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
    done = ballots.of(pool).answer(offer, body.verdict(offer.judge, body.calls))
    response.status_code = 201 if done.is_new else 200
    response.headers["location"] = API + match_url(pool, done.id)
    return RecordedVerdict(match=done.id, is_new=done.is_new)


def _lease(ballots: Ballots, offer: Offer, criteria: str) -> Lease:
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
