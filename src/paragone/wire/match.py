"""Matches: listings, and single matches with their verdicts and debates."""

from dataclasses import dataclass
from datetime import datetime

from paragone.wire.dossier import SeenDossier
from paragone.wire.spending import SpendingSummary
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchSide(Value):
    """An item of a match.

    Attributes:
        id: Its id.
        text: Its text; shortened in listings.
    """

    id: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchRow(Value):
    """A match in a listing.

    Attributes:
        id: Its id.
        sequence: Its sequence number in the pool.
        at: When it was recorded.
        round: The round that it was planned in, from 1; 0 where no schedule planned it.
        a: One side; of a match among several, the best.
        b: The other side; of a match among several, the last.
        items: Ids of all items, best first if they were ranked.
        outcome: ``a``, ``b``, ``draw`` or ``void``.
        winner: Id of the winner; None if there is none.
        protocol: ``single_turn``; for a debate ``multi_turn``, or ``panel`` where it was held in one answer.
        confidence: Weight of the match in the running Elo.
        judges: Identities of the judges.
        rolled_back: Whether it was voided.
        change: Elo points gained by the item that the listing is about; None in other listings.
    """

    id: str
    sequence: int
    at: datetime
    round: int
    a: MatchSide
    b: MatchSide
    items: list[str]
    outcome: str
    winner: str | None
    protocol: str
    confidence: float
    judges: list[str]
    rolled_back: bool
    change: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchPage(Value):
    """Matches, the newest first.

    Attributes:
        matches: The matches.
        next: Cursor of the next page; None on the last.
        total: How many meet the filter, among the latest that were looked through, or are of the item; None for all
            of a pool.
    """

    matches: list[MatchRow]
    next: str | None = None
    total: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionScore(Value):
    """How both sides did on one criterion, from 0 to 1.

    Attributes:
        criterion: The criterion.
        a: Score of side ``a``.
        b: Score of side ``b``.
    """

    criterion: str
    a: float
    b: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn(Value):
    """A turn of a debate.

    Attributes:
        number: Its place in the debate, from 1.
        item: Id of the item being argued for.
        stage: ``opening``, ``exchange`` or ``closing``.
        content: What was said.
        claims: The claims made.
        rebuttals: Answers to claims of the other side.
        evidence: Evidence cited.
        advocate: Identity of the advocate.
        cost: Money in US dollars; None where it is not known.
        seconds: Time that it took.
    """

    number: int
    item: str
    stage: str
    content: str
    claims: list[str]
    rebuttals: list[str]
    evidence: list[str]
    advocate: str
    cost: float | None
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict(Value):
    """A judge's verdict on a match in one order of presentation.

    Attributes:
        call: Names the judge call.
        judge: Identity of the judge.
        shown: Ids in the order of presentation.
        choice: ``first``, ``second``, ``tie``, ``ranked``, ``abstain`` or ``failed``.
        winner: Id of the preferred item; None if there is none.
        order: All ids, best first, where several were ranked.
        probability: The judge's own probability that the first is better; None where it gave none.
        scores: Scores by criterion.
        rationale: The judge's reasons.
        cached: Whether the answer came from the cache.
        calls: Requests of the attempt that produced it.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cost: Money in US dollars; None where it is not known.
        seconds: Time that it took.
        turns: The debate before it.
    """

    call: str
    judge: str
    shown: list[str]
    choice: str
    winner: str | None
    order: list[str]
    probability: float | None
    scores: list[CriterionScore]
    rationale: str
    cached: bool
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float
    turns: list[Turn]


# ``domain.RatingChange`` computes ``change``, and has what a floor or a ceiling took, which is nobody's business here.
@dataclass(frozen=True, kw_only=True, slots=True)
class RatingChange(Value):
    """A change of a rating.

    Attributes:
        item: Id of the rated item.
        match: Id of the match or adjustment that caused it.
        old: Rating before, in Elo points.
        new: Rating after.
        change: Elo points gained or lost.
        k: The effective K.
        expected: Expected score.
        score: Actual score.
        track: Which of the item's ratings: ``global``, or a domain.
    """

    item: str
    match: str
    old: float
    new: float
    change: float
    k: float
    expected: float
    score: float
    track: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Match(MatchRow):
    """A match with its verdicts, debates and rating changes.

    Attributes:
        entrants: The items with their texts, in the order of ``items``.
        verdicts: The judge's calls in the order in which they were asked.
        changes: Rating changes that it caused.
        compensations: Rating changes that its rollback caused; empty without one.
        reason: Why it was rolled back; empty if it was not.
        spending: Its cost, with debate turns and failed attempts.
        dossier: What its judges saw beside the texts, if they read a dossier; None without one.
    """

    entrants: list[MatchSide]
    verdicts: list[Verdict]
    changes: list[RatingChange]
    compensations: list[RatingChange]
    reason: str
    spending: SpendingSummary
    dossier: SeenDossier | None = None
