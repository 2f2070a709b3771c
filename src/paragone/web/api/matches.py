"""Matches over HTTP: lists, one match with its transcripts, recording one, and rolling one back."""

from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import Field
from starlette.exceptions import HTTPException

from paragone import domain
from paragone.domain import Choice, Comparison, CriterionScore, Outcome, Usage, Verdict, decide
from paragone.errors import InvalidEvidence
from paragone.intake.items import MAX_ID
from paragone.ledger.records import MatchFilter
from paragone.web.api_router import api_router
from paragone.web.middleware.access_tokens import Caller, Role
from paragone.web.middleware.authorization import Admin, Judging, Reader
from paragone.web.parameters import (
    NOT_MODIFIED,
    Amount,
    Body,
    Count,
    Cursor,
    ItemId,
    LedgerDep,
    Limit,
    MatchId,
    PoolId,
    Reason,
    Share,
    StorableText,
    Tagged,
)
from paragone.web.problems import refusals
from paragone.web.views import matches as views
from paragone.web.voting.voters import PROGRAM
from paragone.wire.address import API, match_url
from paragone.wire.match import Match, MatchPage
from paragone.wire.text_search import MatchOutcome

router = api_router(404, prefix="/pools", tags=["matches"])

Id = Annotated[StorableText, Field(min_length=1, max_length=MAX_ID)]


@router.get("/{pool}/matches", dependencies=[Tagged], responses=NOT_MODIFIED)
def list_matches(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    item: Annotated[str | None, Query(max_length=MAX_ID, description="Only those with this item.")] = None,
    judge: Annotated[str | None, Query(max_length=200, description="Only those with such a judge.")] = None,
    outcome: Annotated[MatchOutcome | None, Query(description="Only those that ended so.")] = None,
    words: Annotated[str | None, Query(max_length=200, description="Only those with this in a rationale.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> MatchPage:
    """The matches of a pool, the newest first. With a filter, each page looks through 20,000 at the most."""
    match_filter = MatchFilter(item=item or None, judge=judge or None, outcome=outcome, words=words or None)
    if match_filter == MatchFilter():
        return views.matches(reader, pool, limit=limit, cursor=cursor)
    return views.found(reader, pool, match_filter, limit=limit, cursor=cursor)


@router.get("/{pool}/items/{item}/matches", dependencies=[Tagged], responses=NOT_MODIFIED)
def list_matches_of_item(
    pool: PoolId, item: ItemId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None
) -> MatchPage:
    """The matches that moved an item's rating, the newest first."""
    return views.matches_of(reader, pool, item, limit=limit, cursor=cursor)


@router.get("/{pool}/matches/{match}", dependencies=[Tagged], responses=NOT_MODIFIED)
def get_match(pool: PoolId, match: MatchId, reader: LedgerDep, _: Reader) -> Match:
    """One match: verdicts in both orders, transcripts, cost and rating changes."""
    return views.match(reader, pool, match)


# The fields of ``domain.CriterionScore``, with the limits of what may be sent.
# The fields are those of ``domain.CriterionScore``, whose ranges a body has to check.
class NewScore(Body):
    """How both sides did on one criterion, from 0 to 1, by the order of presentation.

    Attributes:
        criterion: The criterion.
        first: What the item shown first scored.
        second: What the other scored.
    """

    criterion: Annotated[StorableText, Field(min_length=1, max_length=200)]
    first: Share
    second: Share


class JudgeAnswer(Body):
    """What a judge answered about one pair in one order of presentation.

    Attributes:
        choice: Which is better, by the order of presentation; ``abstain`` if the judge declines to say.
        probability: The judge's own probability that the first is better.
        rationale: Why.
        scores: Scores by criterion.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cost: Cost in US dollars; None if unknown.
        seconds: Time that it took.
    """

    choice: Literal["first", "second", "tie", "abstain"]
    probability: Share | None = None
    rationale: Annotated[StorableText, Field(max_length=100_000)] = ""
    scores: list[NewScore] = Field(default=[])
    input_tokens: Count = 0
    output_tokens: Count = 0
    cost: Amount | None = None
    seconds: Amount = 0.0

    def verdict(self, judge: str, calls: int = 1) -> Verdict:
        """The answer as the verdict of a judge that made so many requests for it."""
        return Verdict(
            choice=Choice(self.choice),
            judge=judge,
            probability=self.probability,
            scores=tuple(CriterionScore(**score.model_dump()) for score in self.scores),
            rationale=self.rationale,
            usage=Usage(
                calls=calls,
                input_tokens=self.input_tokens,
                output_tokens=self.output_tokens,
                cost=self.cost,
                seconds=self.seconds,
            ),
        )


class NewVerdict(JudgeAnswer):
    """The verdict of a judge in one order of presentation.

    Attributes:
        first: Id of the item shown first; the other one was shown second.
        judge: Identity of the judge; the caller's own if None. Only admins may name another.
    """

    first: Id
    judge: Annotated[StorableText, Field(min_length=1, max_length=500)] | None = None


class NewMatch(Body):
    """A match between two that was played elsewhere.

    Attributes:
        id: Names it within its pool, and is the key by which sending it again changes nothing.
        a: Id of one item.
        b: Id of the other.
        answers: Verdicts of judges, in the order in which they were asked. Together they decide the outcome.
        outcome: The outcome, if no answers are known. It moves the running Elo; the strength rests on answers alone.
        confidence: Weight of the match in the running Elo.
    """

    id: Id
    a: Id
    b: Id
    answers: Annotated[list[NewVerdict], Field(max_length=100)] = Field(default=[])
    outcome: Literal["a", "b", "draw"] | None = None
    confidence: Annotated[float, Field(ge=0.1, le=1.0)] = 1.0


class RollbackRequest(Body):
    """A match to be voided.

    Attributes:
        reason: Why.
    """

    reason: Reason


@router.post("/{pool}/matches", status_code=201, responses={200: {"model": Match}, **refusals(404, 409)})
def record_match(pool: PoolId, body: NewMatch, reader: LedgerDep, who: Judging, response: Response) -> Match:
    """Record a match that was played elsewhere.

    Its id is the key: the same match again changes nothing, and gets 200 with what is stored. Judges answer under
    their own name, `token:NAME`; admins may name others, and may record an outcome alone, without a judge.
    """
    own = own_name(who)
    is_of_others = not body.answers or any(answer.judge not in {None, own} for answer in body.answers)
    if is_of_others and who.role < Role.ADMIN:
        raise HTTPException(
            403, f"the token {who.name!r} answers as {own!r}; to name other judges, or none, takes admin"
        )
    match = _match(body, own)
    is_new = not reader.ledger.matches.exists(pool, match.id)
    reader.ledger.matches.record(pool, match)
    if is_new and is_of_others:
        reader.log_act(pool, who.name, "record match", match=body.id)
    response.status_code = 201 if is_new else 200
    response.headers["location"] = API + match_url(pool, body.id)
    return views.match(reader, pool, body.id)


@router.post("/{pool}/matches/{match}/rollback")
def roll_back(pool: PoolId, match: MatchId, body: RollbackRequest, reader: LedgerDep, who: Admin) -> Match:
    """Void a match: ratings become what they would be without it. The ledger keeps both. Repeating it changes nothing.

    The reason is kept with the admin's name.
    """
    if not reader.ledger.matches.get(pool, match).rolled_back:
        reader.ledger.matches.rollback(pool, match, f"{who.name}: {body.reason}")
        reader.log_act(pool, who.name, "roll back", match=match, reason=body.reason)
    return views.match(reader, pool, match)


def own_name(who: Caller) -> str:
    """The identity under which a caller judges."""
    return PROGRAM + who.name


def _match(request: NewMatch, judge: str) -> domain.Match:
    if request.a == request.b:
        raise InvalidEvidence(f"match {request.id!r} pairs {request.a!r} with itself")
    if bool(request.answers) == (request.outcome is not None):
        raise InvalidEvidence(f"match {request.id!r} has either answers, which add up to its outcome, or an outcome")
    calls = tuple(_call(request, number, answer, judge) for number, answer in enumerate(request.answers, start=1))
    scores = (call.score_of(request.a) for call in calls)
    outcome = Outcome(request.outcome) if request.outcome else decide(score for score in scores if score is not None)
    return domain.Match(
        id=request.id, a=request.a, b=request.b, outcome=outcome, comparisons=calls, confidence=request.confidence
    )


def _call(request: NewMatch, number: int, answer: NewVerdict, judge: str) -> Comparison:
    if answer.first not in {request.a, request.b}:
        raise InvalidEvidence(f"answer {number} of match {request.id!r} is about {answer.first!r}, who is not in it")
    second = request.b if answer.first == request.a else request.a
    return Comparison(
        call=f"{request.id}/{number}", first=answer.first, second=second, verdict=answer.verdict(answer.judge or judge)
    )
