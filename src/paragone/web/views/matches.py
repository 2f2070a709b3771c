"""Matches: lists of them, and one with its verdicts and transcripts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple

from paragone.domain import Comparison, DebateTurn, Match, Ranking
from paragone.ledger import RecordedMatch
from paragone.ledger.records import MatchFilter
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.cursors import After, number_of
from paragone.web.views.cursors import cursor as _cursor
from paragone.web.views.dossiers import seen_in
from paragone.wire import match as wire_match
from paragone.wire.match import CriterionScore, MatchPage, MatchRow, MatchSide, Turn, Verdict
from paragone.wire.spending import SpendingSummary
from paragone.wire.value import shallow

SHOWN = 200
"""Characters of a text in a listing."""


def matches(reader: LedgerReader, pool: str, *, limit: int = 50, cursor: str | None = None) -> MatchPage:
    """The matches of a pool, the newest first.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing.
    """
    return _listed(reader, pool, None, limit, cursor)


def found(
    reader: LedgerReader, pool: str, match_filter: MatchFilter, *, limit: int = 50, cursor: str | None = None
) -> MatchPage:
    """The matches of a pool that meet a filter, the newest first.

    A page may have fewer than there could be, and a cursor all the same: each looks through a bounded number.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing.
    """
    reader.version(pool)  # refuses a pool that is not there
    listing = ("matches", pool, *map(str, astuple(match_filter)))
    before = number_of(cursor, listing)
    matching = reader.ledger.matches.search(pool, match_filter, before=before, count=limit)
    more = matching.total > len(matching.matches)
    last = matching.matches[-1].sequence if more else matching.older
    return MatchPage(
        matches=lines(reader, pool, matching.matches),
        next=None if last is None else _cursor(listing, [last]),
        total=matching.total,
    )


def numbered(
    reader: LedgerReader, pool: str, match_filter: MatchFilter, number: int, size: int, before: int | None = None
) -> tuple[list[MatchRow], int, int | None]:
    """A page of the matches that meet a filter, by its number.

    Args:
        reader: The ledger.
        pool: The pool.
        match_filter: The filter.
        number: The number of the page, from 1.
        size: Rows of a page.
        before: Only matches before this sequence number.

    Returns:
        Its rows, how many matches meet the filter, and the sequence number before which none was looked through.

    Raises:
        NotFound: If there is no such pool.
    """
    reader.version(pool)
    if match_filter == MatchFilter() and before is None:
        records = reader.ledger.matches.before(pool, None, size, offset=size * (number - 1))
        return lines(reader, pool, records), reader.matches(pool), None
    matching = reader.ledger.matches.search(pool, match_filter, before=before, count=size, offset=size * (number - 1))
    return lines(reader, pool, matching.matches), matching.total, matching.older


def lines(reader: LedgerReader, pool: str, records: Sequence[RecordedMatch]) -> list[MatchRow]:
    """Matches as a listing has them."""
    texts = _texts(reader, pool, [side for recorded in records for side in (recorded.match.a, recorded.match.b)])
    return [_line(recorded, texts, None) for recorded in records]


def matches_of(reader: LedgerReader, pool: str, item: str, *, limit: int = 50, cursor: After = None) -> MatchPage:
    """The matches that moved an item's rating, the newest first.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing.
    """
    return _listed(reader, pool, item, limit, cursor)


def match(reader: LedgerReader, pool: str, id: str) -> wire_match.Match:
    """One match.

    Raises:
        NotFound: If there is no such pool, or no such match in it.
    """
    recorded = reader.ledger.matches.get(pool, id)
    did, undid = reader.ledger.matches.effects(pool, id)
    answers, texts = recorded.match.answers, _texts(reader, pool, recorded.match.items)
    turns = {answer.call: reader.ledger.tournaments.turns(pool, answer.call) for answer in answers}
    return wire_match.Match(
        **shallow(_line(recorded, texts, None, in_full=True)),
        entrants=[MatchSide(id=item, text=texts.get(item, "")) for item in recorded.match.items],
        verdicts=[_verdict(recorded.match, answer, turns[answer.call]) for answer in answers],
        changes=[wire_match.RatingChange.like(change) for change in did],
        compensations=[wire_match.RatingChange.like(change) for change in undid],
        reason=reader.ledger.matches.rollback_reason(pool, id) if recorded.rolled_back else "",
        spending=SpendingSummary.of(
            reader.ledger.tournaments.match_spending(pool, id, [answer.call for answer in answers])
        ),
        dossier=seen_in(reader, pool, recorded.match),
    )


def _listed(reader: LedgerReader, pool: str, item: str | None, limit: int, after: After) -> MatchPage:
    reader.version(pool)  # refuses a pool that is not there
    listing = ("matches", pool) if item is None else ("matches", pool, item)
    before, passed = (None, after) if isinstance(after, int) else (number_of(after, listing), 0)
    records = reader.ledger.matches.before(pool, before, limit + 1, item, offset=passed)
    page = records[:limit]
    texts = _texts(reader, pool, [side for recorded in page for side in (recorded.match.a, recorded.match.b)])
    gained = {} if item is None else _gained(reader, pool, item, [recorded.match.id for recorded in page])
    return MatchPage(
        matches=[_line(recorded, texts, gained.get(recorded.match.id)) for recorded in page],
        next=_cursor(listing, [page[-1].sequence]) if len(records) > limit else None,
        total=None if item is None else reader.ledger.matches.count_of(pool, item),
    )


def _gained(reader: LedgerReader, pool: str, item: str, ids: Sequence[str]) -> dict[str, float]:
    """Change of an item's global rating by each match."""
    gained: defaultdict[str, float] = defaultdict(float)
    for change in reader.ledger.ratings.changes_of_matches(pool, ids):
        if change.item == item and change.track == "global":
            gained[change.match] += change.change
    return gained


def _texts(reader: LedgerReader, pool: str, ids: Sequence[str]) -> dict[str, str]:
    return {id: item.text for id, item in reader.ledger.items.by_id(pool, list(dict.fromkeys(ids))).items()}


def _line(recorded: RecordedMatch, texts: dict[str, str], change: float | None, *, in_full: bool = False) -> MatchRow:
    played, most = recorded.match, None if in_full else SHOWN
    return MatchRow(
        id=played.id,
        sequence=recorded.sequence,
        at=recorded.at,
        round=played.round,
        a=MatchSide(id=played.a, text=texts.get(played.a, "")[:most]),
        b=MatchSide(id=played.b, text=texts.get(played.b, "")[:most]),
        items=list(played.items),
        outcome=played.outcome.value,
        winner={"a": played.a, "b": played.b}.get(played.outcome.value),
        protocol=played.protocol.value,
        confidence=played.confidence,
        judges=list(dict.fromkeys(answer.verdict.judge for answer in played.answers)),
        rolled_back=recorded.rolled_back,
        change=change,
    )


def _verdict(played: Match, answer: Comparison | Ranking, turns: Sequence[DebateTurn]) -> Verdict:
    verdict, sides = answer.verdict, answer.shown
    order = list(answer.order) if isinstance(answer, Ranking) else []
    preferred = {"first": sides[0], "second": sides[1]}.get(verdict.choice.value, order[0] if order else None)
    forward = sides[0] == played.a
    return Verdict.like(
        {**shallow(verdict.usage), **shallow(verdict)},
        call=answer.call,
        shown=list(sides),
        choice=verdict.choice.value,
        winner=preferred,
        order=order,
        scores=[
            CriterionScore(
                criterion=score.criterion,
                a=score.first if forward else score.second,
                b=score.second if forward else score.first,
            )
            for score in verdict.scores
        ],
        turns=[_turn(turn, sides) for turn in turns],
    )


def _turn(turn: DebateTurn, sides: Sequence[str]) -> Turn:
    item = sides[0] if turn.speaker.value == "first" else sides[1]
    return Turn.like(turn, item=item, cost=turn.usage.cost, seconds=turn.usage.seconds)
