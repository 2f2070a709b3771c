"""Matches: the list, and one with its verdicts, transcripts, cost and rating changes."""

from typing import Annotated, get_args

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.domain import ItemKind
from paragone.domain.text import cut
from paragone.errors import NotFound
from paragone.intake.items import MAX_ID
from paragone.ledger.records import MatchFilter
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import as_data, events_url, link, numbered_pages, page
from paragone.web.parameters import LedgerDep, MatchId, PageNumber, PoolId, unless_empty
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import matches as views
from paragone.web.views import pools
from paragone.web.views.agents import evidence
from paragone.web.views.texts import rich_text
from paragone.wire.address import agents_url, api_url, match_url, pool_url, segment
from paragone.wire.debate import Debate
from paragone.wire.match import Match, RatingChange
from paragone.wire.text_search import MatchOutcome

router = APIRouter()
MOST = 50
"""Matches of a page."""
SEARCHED_TEXT = 200
"""Characters of a search at the most."""
MOVED = 20
"""Maximum rating changes listed for one match."""


_Text = Annotated[str, Query(max_length=SEARCHED_TEXT)]


@router.get("/pools/{pool}/matches")
def matches(
    pool: PoolId,
    reader: LedgerDep,
    who: Reader,
    item: Annotated[str, Query(max_length=MAX_ID)] = "",
    judge: _Text = "",
    outcome: Annotated[MatchOutcome | None, unless_empty] = None,
    words: _Text = "",
    number: PageNumber = 1,
    before: Annotated[int | None, Query(ge=1, lt=2**62)] = None,
) -> HTMLResponse:
    """The matches of a pool that meet a filter, the newest first."""
    filters = {"item": item, "judge": judge.strip(), "outcome": outcome or "", "words": words.strip()}
    match_filter = MatchFilter(
        item=item or None, judge=filters["judge"] or None, outcome=outcome, words=filters["words"] or None
    )
    rows, total, older = views.numbered(reader, pool, match_filter, number, MOST, before)
    url = pool_url(pool, "matches")
    return page(
        "matches.html",
        section="matches",
        who=who,
        pool=pools.pool(reader, pool),
        live=events_url(pool),
        data=as_data(pool, "matches", "verdicts", "turns", "changes", matches=link(url, filters)),
        rows=rows,
        total=total,
        given=filters,
        is_narrowed=match_filter != MatchFilter(),
        outcomes=get_args(MatchOutcome),
        pages=numbered_pages(url, number, total, MOST, {**filters, "before": before}),
        older=None if older is None else link(url, filters, before=older),
        first=link(url, filters),
        before=before,
    )


@router.get("/pools/{pool}/matches/{match}")
def match(pool: PoolId, match: MatchId, reader: LedgerDep, who: Reader) -> HTMLResponse:
    """One match."""
    detail, about = views.match(reader, pool, match), pools.pool(reader, pool)
    debate = _debate(reader, pool, match) if about.kind == ItemKind.AGENT.value else None
    texts = {side.id: side.text for side in detail.entrants}
    return page(
        "match.html",
        section="matches",
        who=who,
        pool=about,
        live=events_url(pool),
        data=as_data(match=match_url(pool, match), **_debate_data(pool, debate)),
        match=detail,
        debate=debate,
        texts=texts,
        html={side.id: rich_text(reader, pool, side.text, 4) for side in detail.entrants},
        tiles=_tiles(detail, debate),
        result=_result(detail),
        farthest=_farthest,
        rollback=api_url(match_url(pool, match) + "/rollback"),
    )


def _debate(reader: LedgerReader, pool: str, match: str) -> Debate | None:
    """A match as a debate of agents; None if it has no scores."""
    try:
        return evidence.debate(reader, pool, match)
    except NotFound:
        return None


def _debate_data(pool: str, debate: Debate | None) -> dict[str, str]:
    return {} if debate is None else {"debate": agents_url(pool, "debates", segment(debate.id))}


def _tiles(detail: Match, debate: Debate | None) -> list[tuple[str, str]]:
    if debate is None:
        tiles = [*detail.spending.tiles(), ("Time taken", f"{detail.spending.seconds:,.1f} s")]
    else:
        tiles = [("Domain", cut(debate.domain, 40) or "none"), ("Agents", f"{len(debate.entries):,}")]
    if detail.confidence != 1:
        tiles.append(("Weight in the running Elo", f"{detail.confidence:.2f}"))
    return tiles


def _farthest(changes: list[RatingChange]) -> list[RatingChange]:
    """The largest changes if there are many: a rollback may move all items that played since."""
    if len(changes) <= MOVED:
        return changes
    return sorted(changes, key=lambda change: abs(change.change), reverse=True)[:MOVED]


def _result(detail: Match) -> str:
    """The result in a word; the winner is named beside it."""
    if len(detail.items) > 2:
        return "ranked"
    return {"a": "won", "b": "won", "draw": "tie"}.get(detail.outcome, "void")
