"""Agents: boards of them, the domains in which they debate, who is whose rival and ally, and the last debates."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.errors import InvalidConfig, MissingExtra
from paragone.presenting.figures import domain_ratings, relationships
from paragone.presenting.page import Chart
from paragone.web.middleware.authentication import Reader
from paragone.web.middleware.tokens import Caller
from paragone.web.pages.board import SEARCHED
from paragone.web.pages.rendering import events_url, ledger_option, link, page, paging
from paragone.web.pages.scales import scale
from paragone.web.parameters import ConfigDep, LedgerDep
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents import board as boards
from paragone.web.views.agents import domains as fields
from paragone.web.views.agents import evidence as debating
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
    reader: LedgerDep,
    config: ConfigDep,
    who: Reader,
    pool: Annotated[str | None, Query(max_length=1_000)] = None,
    by: Annotated[AgentRanking, Query()] = "strength",
    domain: Annotated[str, Query(max_length=SEARCHED)] = "",
    q: Annotated[str, Query(max_length=SEARCHED)] = "",
    cursor: Annotated[str | None, Query()] = None,
) -> HTMLResponse:
    """A page of a board of agents, and what else there is of them."""
    pools = agent_pools(reader)
    of = pool if pool is not None else AGENTS if AGENTS in pools or not pools else pools[0]
    if pool is None and not pools:
        ledger = ledger_option(config, who)
        return page("agents.html", section="agents", who=who, live=events_url(), board=None, pools=[], ledger=ledger)
    request = AgentBoardQuery(pool=of, by=by, domain=domain, search=q.strip(), limit=MOST, cursor=cursor)
    return _shown(reader, who, pools, request)


def _shown(reader: LedgerReader, who: Caller, pools: list[str], request: AgentBoardQuery) -> HTMLResponse:
    board = _found(reader, request)
    every = fields.domains(reader, request.pool, limit=CELLS)
    pairs_of = relating.relations(reader, request.pool, limit=1)
    is_whole = request.cursor is None and not request.search
    # Without a fit yet it is the running Elo, and the figures come with the strengths.
    has_charts = is_whole and not request.domain and board.by == request.by
    return page(
        "agents.html",
        section="agents",
        who=who,
        live=events_url(request.pool),
        charts=_charts(reader, request.pool, board, every, pairs_of) if has_charts else (),
        pools=pools,
        board=board,
        ways=[(name, link("/agents", _parameters(request, way)), way == request.by) for way, name in WAYS],
        scale=None if board.least is None or board.most is None else scale(board.least, board.most),
        shares=scale(0.0, 1.0),
        tiles=_tiles(board, every, pairs_of),
        search=request.search,
        fixed={
            "pool": None if request.pool == AGENTS else request.pool,
            "by": None if request.by == "strength" else request.by,
        },
        domains=every,
        has_strengths=any(row.may_lead is not None for row in every.domains),
        most_domains=DOMAINS,
        rivals=relating.relations(reader, request.pool, "rivals", limit=PAIRS) if is_whole else None,
        allies=relating.relations(reader, request.pool, "allies", limit=PAIRS) if is_whole else None,
        debates=debating.debates(reader, request.pool, limit=DEBATES).debates if is_whole else [],
        is_whole=is_whole,
        **paging("/agents", request.cursor, board.next, _parameters(request, request.by)),
    )


def _found(reader: LedgerReader, request: AgentBoardQuery) -> AgentBoard:
    """The page that was asked for; the first one where the board is another than before."""
    try:
        return boards.board(reader, request)
    except InvalidConfig as error:
        if error.key != "cursor":
            raise
        return boards.board(reader, replace(request, cursor=None))


def _parameters(request: AgentBoardQuery, by: AgentRanking) -> dict[str, str | None]:
    """The parameters of the page of a board by something."""
    return {
        "pool": None if request.pool == AGENTS else request.pool,
        "by": None if by == "strength" else by,
        "domain": request.domain,
        "q": request.search,
    }


def _tiles(board: AgentBoard, every: DomainPage, relations: RelationPage) -> list[tuple[str, str]]:
    tiles = [("Agents", f"{board.agents:,}"), ("Debates here" if board.domain else "Debates", f"{board.debates:,}")]
    if not board.domain:
        tiles.append(("Domains", f"{every.total:,}"))
    if relations.total:
        tiles += [("Pairs of rivals", f"{relations.rivals:,}"), ("Pairs of allies", f"{relations.allies:,}")]
    return tiles


def _charts(
    reader: LedgerReader, pool: str, board: AgentBoard, every: DomainPage, relations: RelationPage
) -> tuple[Chart, ...]:
    charts = []
    best = [row.agent for row in board.rows[:CELLS]]
    cells, is_strength = fields.ratings(reader, pool, best)
    if cells:
        what = "Strength" if is_strength else "Running Elo"
        note = (
            "Where an agent debated. A domain with few debates stays near the strength elsewhere; pointing at a cell "
            "tells its interval."
            if is_strength
            else "Where an agent debated. There are too many agents and domains to fit strengths to each."
        )
        figure = domain_ratings(best, [domain.domain for domain in every.domains], cells, what=what)
        charts.append(
            Chart(id="domains", section="domains", title=f"{what} by domain, of the first", note=note, figure=figure)
        )
    if relations.total:
        charts += _graph(reader, pool)
    return tuple(charts)


def _graph(reader: LedgerReader, pool: str) -> list[Chart]:
    """Who is whose rival and ally; nothing where the package is missing that lays it out."""
    try:
        figure = reader.kept("agent graph", pool, lambda: relationships(pairs(reader, pool)))
    except MissingExtra:
        return []
    note = (
        "Lines join those who met, wider where they did so more often; pointing at the middle of one tells the scores. "
        "Of many agents those with the most debates."
    )
    return [Chart(id="relations", section="relations", title="Who met whom", note=note, figure=figure)]
