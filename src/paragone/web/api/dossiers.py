"""What judges see beside the texts, and what people direct them to heed, over HTTP."""

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from paragone.domain import ItemNotes, Review
from paragone.intake.items import MAX_ID
from paragone.tournaments.dossiers import (
    LONGEST_DIRECTIVE,
    add_reviews,
    direct,
    directives,
    inform,
    present_dossier,
    withdraw,
)
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.parameters import Body, Cursor, LedgerDep, Limit, PoolId, Share, StorableText
from paragone.web.views import items
from paragone.wire.dossier import Directive, Directives, Dossier
from paragone.wire.item import AddedReviews, ReviewPage

router = api_router(404, prefix="/pools", tags=["tournaments"])

_Text = Annotated[StorableText, Field(min_length=1, max_length=20_000)]
_Texts = Annotated[list[_Text], Field(max_length=100)]
_Id = Annotated[StorableText, Field(min_length=1, max_length=MAX_ID)]


class NewDirective(Body):
    """What judges should heed.

    Attributes:
        text: The words.
    """

    text: Annotated[StorableText, Field(min_length=1, max_length=LONGEST_DIRECTIVE)]


# The fields of ``domain.Criterion``, all but the name optional: ``Rubric.of`` knows the rest of the named ones.
class NewCriterion(Body):
    """A criterion of a rubric.

    Attributes:
        name: A single word.
        definition: What is meant by it; None for a known criterion.
        scale: What the ends of the scale mean.
        weight: Its share in the decision; given for all criteria or for none.
    """

    name: _Id
    definition: _Text | None = None
    scale: _Text | None = None
    weight: Annotated[float, Field(ge=0, le=100)] | None = None


class NewNotes(Body):
    """Notes on an item; they replace those that there were.

    Attributes:
        item: Id of the item.
        attributes: Names and values.
        evidence: What it cites, one source each.
    """

    item: _Id
    attributes: Annotated[dict[_Id, _Text], Field(max_length=100)] = Field(default={})
    evidence: _Texts = Field(default=[])


# The fields of ``domain.Review``, with the limits of what may be sent.
class NewReview(Body):
    """A review of an item.

    Attributes:
        item: Id of the item.
        reviewer: Who reviewed it.
        score: Overall, from 0 to 1.
        scores: By criterion, each from 0 to 1.
        text: The review in words.
    """

    item: _Id
    reviewer: _Id
    score: Share
    scores: Annotated[dict[_Id, Share], Field(max_length=100)] = Field(default={})
    text: Annotated[StorableText, Field(max_length=100_000)] = ""

    @property
    def review(self) -> Review:
        """The review that it describes."""
        return Review(**self.model_dump())


class NewReviews(Body):
    """Reviews to be added.

    Attributes:
        reviews: The reviews.
    """

    reviews: Annotated[list[NewReview], Field(min_length=1, max_length=10_000)]


class DossierChange(Body):
    """What changes in the dossier from the next planned match on.

    Attributes:
        goal: The research goal; None to leave it.
        preferences: What is preferred among equals; None to leave them.
        constraints: What must hold; None to leave them.
        rubric: By what to score; None to leave it.
        insights: What a meta-review found; added to those that there are.
        max_tokens: The length of the dossier at the most; None to leave it.
        notes: Notes on items.
        reviews: More reviews of items.
    """

    goal: Annotated[StorableText, Field(max_length=20_000)] | None = None
    preferences: _Texts | None = None
    constraints: _Texts | None = None
    rubric: Annotated[list[NewCriterion], Field(min_length=1, max_length=50)] | None = None
    insights: _Texts | None = None
    max_tokens: Annotated[int, Field(ge=100, le=10**6)] | None = None
    notes: Annotated[list[NewNotes], Field(max_length=10_000)] = Field(default=[])
    reviews: Annotated[list[NewReview], Field(max_length=10_000)] = Field(default=[])


@router.get("/{pool}/dossier")
def get_dossier(pool: PoolId, reader: LedgerDep, _: Reader) -> Dossier:
    """What judges see beside the texts, in matches that are planned from now on."""
    return Dossier.like(present_dossier(reader.ledger, pool))


@router.post("/{pool}/dossier")
def change_the_dossier(pool: PoolId, body: DossierChange, reader: LedgerDep, who: Admin) -> Dossier:
    """Change what judges see beside the texts, from the next planned match on, even while the tournament runs."""
    ledger = reader.ledger
    notes = {
        each.item: ItemNotes(attributes=tuple(each.attributes.items()), evidence=tuple(each.evidence))
        for each in body.notes
    }
    reviews = [each.review for each in body.reviews]
    changes = body.model_dump(exclude={"notes", "reviews"}, exclude_none=True)
    inform(ledger, pool, changes, notes, reviews)
    if changes or notes or reviews:
        reader.log_act(pool, who.name, "change dossier", parts=[*changes], notes=[*notes], reviews=len(reviews))
    return Dossier.like(present_dossier(ledger, pool))


@router.get("/{pool}/reviews")
def list_reviews(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    item: Annotated[str | None, Query(max_length=MAX_ID, description="Only those of this item.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ReviewPage:
    """The latest review of each item by each reviewer, by item and reviewer."""
    return items.reviews(reader, pool, item, limit=limit, after=cursor)


@router.post("/{pool}/reviews")
def post_reviews(pool: PoolId, body: NewReviews, reader: LedgerDep, who: Admin) -> AddedReviews:
    """Add reviews of items, even while the tournament runs; the same again changes nothing.

    Where there is a dossier, the text of an item's best review is shown to judges from the next planned match on. An
    item that rests after losses plays again.
    """
    fresh = add_reviews(reader.ledger, pool, [each.review for each in body.reviews])
    if fresh:
        reader.log_act(pool, who.name, "add reviews", reviews=len(fresh))
    return AddedReviews(added=list(fresh))


@router.get("/{pool}/directives")
def list_directives(pool: PoolId, reader: LedgerDep, _: Reader) -> Directives:
    """What people asked judges to heed, in the order in which they did."""
    return Directives(directives=[*directives(reader.ledger, pool)])


@router.post("/{pool}/directives", status_code=201)
def add_directive(pool: PoolId, body: NewDirective, reader: LedgerDep, who: Admin) -> Directive:
    """Have judges heed something from the next planned match on. It is on record with the admin's name."""
    reader.ledger.tournaments.get(pool)
    return direct(reader.ledger, pool, body.text, who.name)


@router.post("/{pool}/directives/{number}/withdraw")
def withdraw_directive(
    pool: PoolId, number: Annotated[int, Path(ge=1, le=2**31, description="Number of the directive.")],
    reader: LedgerDep, who: Admin,
) -> Directive:  # fmt: skip
    """Take a directive back, from the next planned match on. The same again changes nothing."""
    return withdraw(reader.ledger, pool, number, who.name)
