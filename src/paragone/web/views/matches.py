"""Matches as values: lists of them, and one with everything that was said."""

from collections import defaultdict
from collections.abc import Sequence

from paragone.domain import Comparison, DebateTurn, Match, Ranking, RatingChange
from paragone.ledger import RecordedMatch
from paragone.web.books.library import Library
from paragone.web.views.cursors import cursor, place_of
from paragone.wire import match as wire_match
from paragone.wire.match import CriterionScore, MatchPage, MatchRow, MatchSide, Turn, Verdict
from paragone.wire.spending import SpendingSummary
from paragone.wire.value import shallow

SHOWN = 200
"""Characters of a text that a listing shows."""


def matches(library: Library, pool: str, *, limit: int = 50, cursor: str | None = None) -> MatchPage:
    """The matches of a pool, the newest first.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing.
    """
    return _listed(library, pool, None, limit, cursor)


def matches_of(library: Library, pool: str, item: str, *, limit: int = 50, cursor: str | None = None) -> MatchPage:
    """The matches that moved an item's rating, the newest first.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing.
    """
    return _listed(library, pool, item, limit, cursor)


def match(library: Library, pool: str, id: str) -> wire_match.Match:
    """One match.

    Raises:
        NotFound: If there is no such pool, or no such match in it.
    """
    found = library.ledger.match(pool, id)
    did, undid = library.ledger.effects(pool, id)
    answers, texts = found.match.answers, _texts(library, pool, found.match.items)
    heard = {answer.call: library.ledger.turns(pool, answer.call) for answer in answers}
    return wire_match.Match(
        **shallow(_line(found, texts, None, whole=True)),
        entrants=[MatchSide(id=item, text=texts.get(item, "")) for item in found.match.items],
        verdicts=[_verdict(found.match, answer, heard[answer.call]) for answer in answers],
        changes=[change_view(change) for change in did],
        compensations=[change_view(change) for change in undid],
        reason=library.ledger.rollback_reason(pool, id) if found.rolled_back else "",
        spending=SpendingSummary.of(library.ledger.spending_of_match(pool, id, [answer.call for answer in answers])),
    )


def change_view(change: RatingChange) -> wire_match.RatingChange:
    """A move of a rating."""
    return wire_match.RatingChange(
        item=change.item,
        match=change.match,
        old=change.old,
        new=change.new,
        change=change.change,
        k=change.k,
        expected=change.expected,
        score=change.score,
        track=change.track,
    )


def _listed(library: Library, pool: str, item: str | None, limit: int, after: str | None) -> MatchPage:
    library.version(pool)  # refuses a pool that is not there
    listing = ("matches", pool) if item is None else ("matches", pool, item)
    last = place_of(after, listing)
    before = None if last is None else int(last[0] or 0)
    found = library.ledger.matches_before(pool, before, limit + 1, item)
    shown = found[:limit]
    texts = _texts(library, pool, [side for one in shown for side in (one.match.a, one.match.b)])
    gained = {} if item is None else _gained(library, pool, item, [one.match.id for one in shown])
    return MatchPage(
        matches=[_line(one, texts, gained.get(one.match.id)) for one in shown],
        next=cursor(listing, [shown[-1].sequence]) if len(found) > limit else None,
    )


def _gained(library: Library, pool: str, item: str, ids: Sequence[str]) -> dict[str, float]:
    """What matches brought an item, on all of its global rating."""
    gained: defaultdict[str, float] = defaultdict(float)
    for change in library.ledger.changes_of(pool, ids):
        if change.item == item and change.track == "global":
            gained[change.match] += change.change
    return gained


def _texts(library: Library, pool: str, ids: Sequence[str]) -> dict[str, str]:
    return {id: item.text for id, item in library.ledger.some_items(pool, list(dict.fromkeys(ids))).items()}


def _line(found: RecordedMatch, texts: dict[str, str], change: float | None, *, whole: bool = False) -> MatchRow:
    played, most = found.match, None if whole else SHOWN
    return MatchRow(
        id=played.id,
        sequence=found.sequence,
        at=found.at,
        round=played.round,
        a=MatchSide(id=played.a, text=texts.get(played.a, "")[:most]),
        b=MatchSide(id=played.b, text=texts.get(played.b, "")[:most]),
        items=list(played.items),
        outcome=played.outcome.value,
        winner={"a": played.a, "b": played.b}.get(played.outcome.value),
        protocol=played.protocol.value,
        confidence=played.confidence,
        judges=list(dict.fromkeys(answer.verdict.judge for answer in played.answers)),
        rolled_back=found.rolled_back,
        change=change,
    )


def _verdict(played: Match, answer: Comparison | Ranking, turns: Sequence[DebateTurn]) -> Verdict:
    said, shown = answer.verdict, answer.shown
    order = list(answer.order) if isinstance(answer, Ranking) else []
    preferred = {"first": shown[0], "second": shown[1]}.get(said.choice.value, order[0] if order else None)
    forward = shown[0] == played.a
    return Verdict(
        call=answer.call,
        judge=said.judge,
        shown=list(shown),
        choice=said.choice.value,
        winner=preferred,
        order=order,
        probability=said.probability,
        scores=[
            CriterionScore(
                criterion=one.criterion, a=one.first if forward else one.second, b=one.second if forward else one.first
            )
            for one in said.scores
        ],
        rationale=said.rationale,
        cached=said.cached,
        calls=said.usage.calls,
        input_tokens=said.usage.input_tokens,
        output_tokens=said.usage.output_tokens,
        cost=said.usage.cost,
        seconds=said.usage.seconds,
        turns=[_turn(turn, shown) for turn in turns],
    )


def _turn(turn: DebateTurn, shown: Sequence[str]) -> Turn:
    return Turn(
        number=turn.number,
        item=shown[0] if turn.speaker.value == "first" else shown[1],
        stage=turn.stage.value,
        content=turn.content,
        claims=list(turn.claims),
        rebuttals=list(turn.rebuttals),
        evidence=list(turn.evidence),
        advocate=turn.advocate,
        cost=turn.usage.cost,
        seconds=turn.usage.seconds,
    )
