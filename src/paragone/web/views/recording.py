"""What programs and admins write: pools, items, matches. What is sent again changes nothing."""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from paragone.domain import (
    Choice,
    Comparison,
    CriterionScore,
    Item,
    ItemKind,
    Match,
    Outcome,
    RatingConfig,
    Usage,
    Verdict,
    decide,
)
from paragone.errors import InvalidEvidence
from paragone.intake.items import MAX_ID, MAX_TEXT, check_item, checked
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.judge_identities import PEOPLE
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.body import Body, StorableText
from paragone.wire.pool import AddedItems

Id = Annotated[StorableText, Field(min_length=1, max_length=MAX_ID)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Amount = Annotated[float, Field(ge=0.0, le=1e9)]


class NewItem(Body):
    """An item to be added.

    Attributes:
        id: Its id within the pool; its text where none is given.
        text: What judges see.
    """

    id: Id | None = None
    text: Annotated[StorableText, Field(min_length=1, max_length=MAX_TEXT)]


class NewPool(Body):
    """A pool for people to vote on.

    Attributes:
        name: What its id is made of.
        criteria: What "better" means, in words.
        items: Its items, two or more.
        judge: ``people``: tournaments with other judges are started as such.
        top: Settle who belongs to the top so many; the whole order where None.
        seed: Seeds the pairing; a random one where None.
        level: Probability that intervals are meant to hold.
    """

    name: Annotated[StorableText, Field(min_length=1, max_length=200)]
    criteria: Annotated[StorableText, Field(min_length=1, max_length=10_000)]
    items: Annotated[list[NewItem], Field(min_length=2)]
    judge: Literal["people"] = "people"
    top: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    level: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95


class NewItems(Body):
    """Items to be added to a pool.

    Attributes:
        items: They.
    """

    items: Annotated[list[NewItem], Field(min_length=1)]


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


class NewVerdict(Body):
    """What a judge said in one order of presentation.

    Attributes:
        first: Id of the item shown first; the other one was shown second.
        choice: Which is better, by the order of presentation.
        judge: Identity of the judge; the caller's own where None. Only admins may name another.
        probability: The judge's own probability that the first is better.
        scores: Scores by criterion.
        rationale: Why.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cost: Money in US dollars.
        seconds: Time that it took.
    """

    first: Id
    choice: Literal["first", "second", "tie", "abstain"]
    judge: Annotated[StorableText, Field(min_length=1, max_length=500)] | None = None
    probability: Share | None = None
    scores: list[NewScore] = Field(default=[])
    rationale: Annotated[StorableText, Field(max_length=100_000)] = ""
    input_tokens: Count = 0
    output_tokens: Count = 0
    cost: Amount | None = None
    seconds: Amount = 0.0


class NewMatch(Body):
    """A match between two that was played elsewhere.

    Attributes:
        id: Names it within its pool, and is the key by which sending it again changes nothing.
        a: Id of one item.
        b: Id of the other.
        answers: What judges said, in the order in which they were asked. The outcome is what they add up to.
        outcome: What it came to, where nothing is known of the answers. It moves the running Elo; the strength rests
            on answers alone.
        confidence: Weight of the match in the running Elo.
    """

    id: Id
    a: Id
    b: Id
    answers: Annotated[list[NewVerdict], Field(max_length=100)] = Field(default=[])
    outcome: Literal["a", "b", "draw"] | None = None
    confidence: Annotated[float, Field(ge=0.1, le=1.0)] = 1.0


def create_pool(reader: LedgerReader, request: NewPool, key: str | None = None) -> tuple[str, bool]:
    """Make a pool for people to vote on.

    Args:
        reader: Where.
        request: What is wanted.
        key: Names the wish; the same again makes no other pool.

    Returns:
        Its id, which is the name and a number; and whether it was made now.

    Raises:
        Conflict: If the key was used for another pool.
        InvalidItems: If its items cannot be ranked.
    """
    wish = None if key is None else {"key": key, "of": hashlib.sha256(request.model_dump_json().encode()).hexdigest()}
    existing = None if wish is None else reader.ledger.tournaments.for_request(wish)
    if existing is not None:
        return existing.id, False
    items = [_item(item, ItemKind.TEXT) for item in request.items]
    pool = checked(items, [f"items.{index}" for index in range(len(items))], source="items")
    brief = settings_for(
        len(pool), criteria=request.criteria, judge=PEOPLE, top=request.top, seed=request.seed, level=request.level
    )
    return State.begin(reader.ledger, request.name, brief, pool, RatingConfig(), wish=wish).id, True


def add_items(reader: LedgerReader, pool: str, new_items: Sequence[NewItem]) -> AddedItems:
    """Add items to a pool, to a tournament that runs too; those that are there with the same text stay as they are.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If one is there with another text.
        InvalidItems: If one cannot be ranked.
    """
    kind = reader.ledger.pools.get(pool).kind
    items = [_item(new_item, kind) for new_item in new_items]
    for index, item in enumerate(items):
        check_item(item, f"items.{index}")
    if reader.is_tournament(pool):
        fresh = reader.ledger.tournaments.join(pool, items, round=reader.ledger.tournaments.count_rounds(pool) + 1)
        return AddedItems(added=[item.id for item in fresh])
    existing = reader.ledger.items.by_id(pool, [item.id for item in items])
    reader.ledger.items.add(pool, items)
    return AddedItems(added=[item.id for item in items if item.id not in existing])


def record_match(reader: LedgerReader, pool: str, request: NewMatch, judge: str) -> bool:
    """Record a match; the same again changes nothing.

    Args:
        reader: Where.
        pool: Which pool.
        request: The match.
        judge: Who answered where an answer names nobody.

    Returns:
        Whether it is new.

    Raises:
        NotFound: If there is no such pool, or it lacks one of the items.
        Conflict: If the match is there with other content.
        InvalidEvidence: If it cannot be.
    """
    match = _match(request, judge)
    exists = reader.ledger.matches.exists(pool, match.id)
    reader.ledger.matches.record(pool, match)
    return not exists


def _item(request: NewItem, kind: ItemKind) -> Item:
    return Item(id=request.text if request.id is None else request.id, text=request.text, kind=kind)


def _match(request: NewMatch, judge: str) -> Match:
    if request.a == request.b:
        raise InvalidEvidence(f"match {request.id!r} pairs {request.a!r} with itself")
    if bool(request.answers) == (request.outcome is not None):
        raise InvalidEvidence(f"match {request.id!r} has either answers, which add up to its outcome, or an outcome")
    calls = tuple(_call(request, number, answer, judge) for number, answer in enumerate(request.answers, start=1))
    scores = (call.score_of(request.a) for call in calls)
    outcome = Outcome(request.outcome) if request.outcome else decide(score for score in scores if score is not None)
    return Match(
        id=request.id, a=request.a, b=request.b, outcome=outcome, comparisons=calls, confidence=request.confidence
    )


def _call(request: NewMatch, number: int, answer: NewVerdict, judge: str) -> Comparison:
    if answer.first not in {request.a, request.b}:
        raise InvalidEvidence(f"answer {number} of match {request.id!r} is about {answer.first!r}, who is not in it")
    verdict = Verdict(
        choice=Choice(answer.choice),
        judge=answer.judge or judge,
        probability=answer.probability,
        scores=tuple(
            CriterionScore(criterion=score.criterion, first=score.first, second=score.second) for score in answer.scores
        ),
        rationale=answer.rationale,
        usage=Usage(
            calls=1,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cost=answer.cost,
            seconds=answer.seconds,
        ),
    )
    second = request.b if answer.first == request.a else request.a
    return Comparison(call=f"{request.id}/{number}", first=answer.first, second=second, verdict=verdict)
