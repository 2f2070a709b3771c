"""Agents: boards of them, the domains in which they debate, who is whose rival and ally, and the last debates."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.analysis.figures import domain_ratings, relationships
from paragone.errors import InvalidConfig, MissingExtra
from paragone.page import Chart
from paragone.web.books.library import Library
from paragone.web.guards.identity import Reader
from paragone.web.guards.tokens import Caller
from paragone.web.pages.board import SEARCHED
from paragone.web.pages.scales import scale
from paragone.web.pages.shown import events_url, ledger_option, page, query
from paragone.web.reaching import Books, Told
from paragone.web.views.agents import board as boards
from paragone.web.views.agents import debates as debating
from paragone.web.views.agents import domains as fields
from paragone.web.views.agents import relations as relating
from paragone.web.views.agents.board import AgentBoardQuery
from paragone.web.views.agents.roster import agent_pools, pairs
from paragone.wire.address import AGENTS
from paragone.wire.agent import AgentBoard, AgentRanking, DomainPage
from paragone.wire.relation import RelationPage

router = APIRouter()
MOST = 50
"""Agents of a page."""
CELLS = 30
"""Agents and domains in the figure of both."""
DOMAINS = 12
"""Domains in the table."""
PAIRS = 6
"""Rivals and allies that are named."""
DEBATES = 8
"""Debates that are listed."""
WAYS: tuple[tuple[AgentRanking, str], ...] = (
    ("strength", "Strength"),
    ("elo", "Running Elo"),
    ("calibration", "Calibration"),
)


@router.get("/agents")
def agents(
    books: Books,
    told: Told,
    who: Reader,
    pool: Annotated[str | None, Query(max_length=1_000)] = None,
    by: Annotated[AgentRanking, Query()] = "strength",
    domain: Annotated[str, Query(max_length=SEARCHED)] = "",
    q: Annotated[str, Query(max_length=SEARCHED)] = "",
    cursor: Annotated[str | None, Query()] = None,
) -> HTMLResponse:
    """A page of a board of agents, and what else there is of them."""
    pools = agent_pools(books)
    of = pool if pool is not None else AGENTS if AGENTS in pools or not pools else pools[0]
    if pool is None and not pools:
        ledger = ledger_option(told, who)
        return page("agents.html", here="agents", who=who, live=events_url(), board=None, pools=[], ledger=ledger)
    asked = AgentBoardQuery(pool=of, by=by, domain=domain, search=q.strip(), limit=MOST, cursor=cursor)
    return _shown(books, who, pools, asked)


def _shown(books: Library, who: Caller, pools: list[str], asked: AgentBoardQuery) -> HTMLResponse:
    found = _found(books, asked)
    is_first = asked.cursor is None
    every = fields.domains(books, asked.pool, limit=CELLS)
    pairs_of = relating.relations(books, asked.pool, limit=1)
    is_whole = is_first and not asked.search
    # Without a fit yet it is the running Elo, and the figures come with the strengths.
    has_charts = is_whole and not asked.domain and found.by == asked.by
    return page(
        "agents.html",
        here="agents",
        who=who,
        live=events_url(asked.pool),
        charts=_charts(books, asked.pool, found, every, pairs_of) if has_charts else (),
        pools=pools,
        board=found,
        ways=[(name, _link(asked, by=way), way == asked.by) for way, name in WAYS],
        scale=None if found.least is None or found.most is None else scale(found.least, found.most),
        shares=scale(0.0, 1.0),
        tiles=_tiles(found, every, pairs_of),
        search=asked.search,
        fixed={
            "pool": None if asked.pool == AGENTS else asked.pool,
            "by": None if asked.by == "strength" else asked.by,
        },
        domains=every,
        has_strengths=any(one.may_lead is not None for one in every.domains),
        most_domains=DOMAINS,
        rivals=relating.relations(books, asked.pool, "rivals", limit=PAIRS) if is_whole else None,
        allies=relating.relations(books, asked.pool, "allies", limit=PAIRS) if is_whole else None,
        debates=debating.debates(books, asked.pool, limit=DEBATES).debates if is_whole else [],
        is_whole=is_whole,
        first=_link(asked),
        next=None if found.next is None else _link(asked, cursor=found.next),
        is_first=is_first,
    )


def _found(books: Library, asked: AgentBoardQuery) -> AgentBoard:
    """The page that was asked for; the first one where the board is another than before."""
    try:
        return boards.board(books, asked)
    except InvalidConfig as error:
        if error.key != "cursor":
            raise
        return boards.board(books, replace(asked, cursor=None))


def _link(asked: AgentBoardQuery, *, by: AgentRanking | None = None, cursor: str | None = None) -> str:
    """The same page by something else, or further on."""
    way = asked.by if by is None else by
    named = query(
        pool=None if asked.pool == AGENTS else asked.pool,
        by=None if way == "strength" else way,
        domain=asked.domain,
        q=asked.search,
        cursor=cursor,
    )
    return f"/agents?{named}" if named else "/agents"


def _tiles(found: AgentBoard, every: DomainPage, known: RelationPage) -> list[tuple[str, str]]:
    tiles = [("Agents", f"{found.agents:,}"), ("Debates here" if found.domain else "Debates", f"{found.debates:,}")]
    if not found.domain:
        tiles.append(("Domains", f"{every.total:,}"))
    if known.total:
        tiles += [("Pairs of rivals", f"{known.rivals:,}"), ("Pairs of allies", f"{known.allies:,}")]
    return tiles


def _charts(books: Library, pool: str, found: AgentBoard, every: DomainPage, known: RelationPage) -> tuple[Chart, ...]:
    charts = []
    best = [row.agent for row in found.rows[:CELLS]]
    cells, is_strength = fields.ratings(books, pool, best)
    if cells:
        what = "Strength" if is_strength else "Running Elo"
        note = (
            "Where an agent debated. A domain with few debates stays near the strength elsewhere; pointing at a cell "
            "tells its interval."
            if is_strength
            else "Where an agent debated. There are too many agents and domains to fit strengths to each."
        )
        figure = domain_ratings(best, [one.domain for one in every.domains], cells, what=what)
        charts.append(
            Chart(id="domains", section="domains", title=f"{what} by domain, of the first", note=note, figure=figure)
        )
    if known.total:
        charts += _graph(books, pool)
    return tuple(charts)


def _graph(books: Library, pool: str) -> list[Chart]:
    """Who is whose rival and ally; nothing where the package is missing that lays it out."""
    try:
        figure = books.kept("agent graph", pool, lambda: relationships(pairs(books, pool)))
    except MissingExtra:
        return []
    note = (
        "Lines join those who met, wider where they did so more often; pointing at the middle of one tells the scores. "
        "Of many agents those with the most debates."
    )
    return [Chart(id="relations", section="relations", title="Who met whom", note=note, figure=figure)]
