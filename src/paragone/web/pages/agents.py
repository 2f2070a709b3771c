"""Agents: boards with domains, rivals, allies and debates; one agent with all of its own; and forecasts of debates."""

from collections.abc import Collection, Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.agents.strengths import LEVEL
from paragone.domain import GLOBAL
from paragone.errors import InvalidConfig, InvalidEvidence, MissingExtra, NotFound
from paragone.presenting.agents import expected_points
from paragone.presenting.figures import (
    DomainRating,
    RatingSeries,
    domain_ratings,
    rating_history,
    relationships,
    reliability,
)
from paragone.presenting.page import Chart
from paragone.web.middleware.access_tokens import Caller
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.board import SEARCHED
from paragone.web.pages.rendering import (
    Pages,
    as_data,
    beyond_first,
    events_url,
    ledger_option,
    link,
    number,
    numbered_pages,
    page,
    rating_tiles,
    scale,
    scale_of,
)
from paragone.web.parameters import AgentId, ConfigDep, LedgerDep, Nth, PageNumber
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents import board as boards
from paragone.web.views.agents import calibration as calibrations
from paragone.web.views.agents import evidence, relations
from paragone.web.views.agents import forecast as forecasts
from paragone.web.views.agents.board import AgentBoardQuery
from paragone.web.views.agents.roster import (
    agent_pools,
    pairs,
    roster,
    strengths_by_domain,
)
from paragone.web.views.pools import may_see
from paragone.web.views.pools import pool as about_pool
from paragone.wire.address import AGENTS, agent_url, agents_url
from paragone.wire.agent import Agent, AgentBoard, AgentRanking, DomainPage
from paragone.wire.calibration import Calibration
from paragone.wire.debate import DebatePage
from paragone.wire.prediction import PredictionPage
from paragone.wire.relation import AgentRelations, RelationPage

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
CHOICES = 200
"""Agents up to which they are chosen from a list; names of more are typed."""
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
    at: PageNumber = 1,
    domains: Nth = 1,
    rivals: Nth = 1,
    allies: Nth = 1,
) -> HTMLResponse:
    """A page of a board of agents, with domains, relations and debates."""
    pools = [id for id in agent_pools(reader) if may_see(who, id)]
    of = pool if pool is not None else AGENTS if AGENTS in pools or not pools else pools[0]
    if who.grants is not None and pool is None:
        of = AGENTS  # the pool that the request was let in for
    ledger = ledger_option(config, who)
    if pool is None and not pools:
        return page("agents.html", section="agents", who=who, live=events_url(), board=None, pools=[], ledger=ledger)
    request = AgentBoardQuery(pool=of, by=by, domain=domain, search=q.strip(), limit=MOST, cursor=MOST * (at - 1))
    return _page(
        reader, who, ledger, pools, request, {"page": at, "domains": domains, "rivals": rivals, "allies": allies}
    )


def _page(
    reader: LedgerReader,
    who: Caller,
    ledger: str,
    pools: list[str],
    request: AgentBoardQuery,
    numbers: Mapping[str, int],
) -> HTMLResponse:
    board = boards.board(reader, request)
    every = boards.domains(reader, request.pool, limit=CELLS)
    pairs_of = relations.relations(reader, request.pool, limit=1)
    is_whole = not request.cursor and not request.search

    def pairs_at(kind: Literal["rivals", "allies"]) -> RelationPage:
        return relations.relations(reader, request.pool, kind, limit=PAIRS, after=PAIRS * (numbers[kind] - 1))

    # Without a fit yet it is the running Elo, and the figures come with the strengths.
    has_charts = is_whole and not request.domain and board.by == request.by
    return page(
        "agents.html",
        section="agents",
        who=who,
        ledger=ledger,
        live=events_url(request.pool),
        data=_data(request),
        charts=_charts(reader, request.pool, board, every, pairs_of) if has_charts else (),
        pools=pools,
        about=about_pool(reader, request.pool),
        board=board,
        ways=[(name, link("/agents", _parameters(request, way)), way == request.by) for way, name in WAYS],
        scale=None if board.least is None or board.most is None else scale(board.least, board.most),
        shares=scale(0.0, 1.0),
        tiles=_board_tiles(board, every, pairs_of),
        search=request.search,
        fixed={
            "pool": None if request.pool == AGENTS else request.pool,
            "by": None if request.by == "strength" else request.by,
        },
        domains=every,
        has_strengths=any(row.may_lead is not None for row in every.domains),
        listed_domains=boards.domains(reader, request.pool, limit=DOMAINS, after=DOMAINS * (numbers["domains"] - 1)),
        rivals=pairs_at("rivals") if is_whole else None,
        allies=pairs_at("allies") if is_whole else None,
        debates=evidence.debates(reader, request.pool, limit=DEBATES).debates if is_whole else [],
        is_whole=is_whole,
        choice=_choice(reader, request.pool, domain=request.domain),
        pages=_pages(
            request,
            numbers,
            page=(board.total, MOST),
            domains=(every.total, DOMAINS),
            rivals=(pairs_of.rivals, PAIRS),
            allies=(pairs_of.allies, PAIRS),
        ),
    )


def _choice(
    reader: LedgerReader, pool: str, agent: str = "", opponent: str = "", domain: str = ""
) -> dict[str, object]:
    """What the form for a forecast offers, and what was chosen."""
    agents = roster(reader, pool)
    return {
        "pool": pool,
        "names": sorted(agents.records) if len(agents.records) <= CHOICES else [],
        "domains": list(agents.domains)[:CELLS],
        "agent": agent,
        "opponent": opponent,
        "domain": domain,
    }


def _data(request: AgentBoardQuery) -> dict[str, dict[str, str]]:
    """Where what the page shows can be had as files."""
    parameters = {**_parameters(request, request.by), "q": None, "search": request.search}
    parts = {name: agents_url(request.pool, name) for name in ("domains", "relations", "debates", "evidence")}
    board = link("/agents", parameters, pool=request.pool)
    return as_data(request.pool, "items", "matches", "changes", board=board, **parts)


def _pages(request: AgentBoardQuery, numbers: Mapping[str, int], **listings: tuple[int, int]) -> dict[str, Pages]:
    """The pages of each listing, by how many rows it has and how many a page shows."""
    parameters = {**_parameters(request, request.by), **beyond_first(numbers)}
    return {
        name: numbered_pages(
            "/agents", numbers[name], total, size, parameters, name=name, anchor="" if name == "page" else f"#{name}"
        )
        for name, (total, size) in listings.items()
    }


def _parameters(request: AgentBoardQuery, by: AgentRanking) -> dict[str, str | None]:
    """The parameters of the page of a board by something."""
    return {
        "pool": None if request.pool == AGENTS else request.pool,
        "by": None if by == "strength" else by,
        "domain": request.domain,
        "q": request.search,
    }


def _board_tiles(board: AgentBoard, every: DomainPage, relations: RelationPage) -> list[tuple[str, str]]:
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
    cells, is_strength = ratings_by_domain(reader, pool, best)
    if cells:
        what = "Strength" if is_strength else "Running Elo"
        note = (
            "Where an agent debated. A domain with few debates stays near the strength elsewhere; pointing at a cell "
            "tells its interval."
            if is_strength
            else "Where an agent debated. There are too many agents and domains to fit strengths to each."
        )
        figure = domain_ratings(best, [domain.domain for domain in every.domains], cells, what=what)
        charts.append(Chart(id="domains", section="domains", title=f"{what} by domain", note=note, figure=figure))
    if relations.total:
        charts += _graph(reader, pool)
    return tuple(charts)


def _graph(reader: LedgerReader, pool: str) -> list[Chart]:
    """The graph of rivals and allies; nothing if the package for its layout is missing."""
    try:
        figure = reader.kept("agent graph", pool, lambda: relationships(pairs(reader, pool)))
    except MissingExtra:
        return []
    note = (
        "Lines join those who met, wider where they did so more often; pointing at the middle of one tells the scores. "
        "Of many agents those with the most debates."
    )
    return [Chart(id="relations", section="relations", title="Who met whom", note=note, figure=figure)]


def ratings_by_domain(
    reader: LedgerReader, pool: str, agents: Collection[str]
) -> tuple[dict[tuple[str, str], DomainRating], bool]:
    """Ratings of some agents in the domains in which they debated, by name and domain; and whether these are strengths.

    Without strengths, ratings are the running Elo.
    """
    fitted, _ = strengths_by_domain(reader, pool)
    if fitted:
        strong = {(name, domain): of.rows.get(name) for domain, of in fitted.items() for name in agents}
        return {
            where: DomainRating(
                rating=strength.strength, low=strength.low, high=strength.high, matches=strength.matches
            )
            for where, strength in strong.items()
            if strength is not None and strength.matches
        }, True
    records = roster(reader, pool).records
    tracks = [track for name in agents if name in records for track in records[name].tracks if track.matches]
    return {
        (strength.item, strength.track): DomainRating(rating=strength.elo, matches=strength.matches)
        for strength in tracks
    }, False


_Name = Annotated[str, Query(max_length=1_000)]


@router.get("/agents/forecast")
def forecast(
    reader: LedgerDep,
    who: Reader,
    agent: _Name = "",
    opponent: _Name = "",
    domain: Annotated[str, Query(max_length=SEARCHED)] = "",
    pool: _Name = AGENTS,
) -> HTMLResponse:
    """What is expected of a debate between two agents that are chosen here."""
    expected, head_to_head, problem = None, None, ""
    try:
        if agent and opponent:
            expected = forecasts.forecast(reader, pool, agent, opponent, domain)
            head_to_head = relations.relation(reader, pool, agent, opponent)
    except (NotFound, InvalidEvidence, InvalidConfig) as reason:
        problem = str(reason)
    url, names = agents_url(pool, "forecast"), {"agent": agent, "opponent": opponent, "domain": domain}
    return page(
        "forecast.html",
        status=422 if problem else 200,
        section="agents",
        who=who,
        live=events_url(pool),
        data=None if expected is None else as_data(forecast=link(url, names)),
        choice=_choice(reader, pool, **names),
        expected=expected,
        sentence="" if expected is None else expected_points(expected),
        head_to_head=head_to_head,
        problem=problem,
        shares=scale(0.0, 100.0),
        level=LEVEL,
        swapped=link(url, names, agent=opponent, opponent=agent),
    )


LISTED = 10
"""Lines of a listing."""
MOVES = 500
"""Latest rating changes that are listed."""
AGENT_PARTS = ("history", "debates", "calibration", "predictions", "relations", "tests")
"""What the API has of an agent."""
TRACKS = 4
"""Domains whose ratings are drawn beside the global one, the most debates first."""


@router.get("/agents/{agent}")
def agent(
    agent: AgentId,
    reader: LedgerDep,
    who: Reader,
    pool: Annotated[str, Query(max_length=1_000)] = AGENTS,
    debates: Nth = 1,
    predictions: Nth = 1,
    others: Nth = 1,
) -> HTMLResponse:
    """One agent."""
    detail = boards.agent(reader, pool, agent)
    calibrated = calibrations.calibration(reader, pool, agent) if detail.row.predictions else None
    numbers = {"debates": debates, "predictions": predictions, "others": others}
    return page(
        "agent.html",
        section="agents",
        who=who,
        live=events_url(pool),
        data=as_data(
            agent=agent_url(agent, pool),
            **{name: agent_url(agent, pool, name) for name in AGENT_PARTS if detail.row.predictions or name[0] != "c"},
        ),
        charts=(*_history(reader, pool, detail), *_reliability(reader, pool, calibrated)),
        detail=detail,
        row=detail.row,
        tiles=_agent_tiles(detail),
        around=scale_of(detail.around),
        fields=scale_of(detail.domains),
        calibrated=calibrated,
        listings=_Listings(reader, pool, agent, numbers),
        tested=evidence.results_of(reader, pool, agent, limit=LISTED),
    )


class _Listings:
    """The listings of the page, each with its own pages."""

    def __init__(self, reader: LedgerReader, pool: str, agent: str, numbers: Mapping[str, int]) -> None:
        passed = {name: LISTED * (at - 1) for name, at in numbers.items()}
        self.debates: DebatePage = evidence.debates(reader, pool, agent, limit=LISTED, after=passed["debates"])
        self.predictions: PredictionPage = calibrations.predictions_of(
            reader, pool, agent, limit=LISTED, after=passed["predictions"]
        )
        self.others: AgentRelations = relations.relations_of(reader, pool, agent, limit=LISTED, after=passed["others"])
        totals = {name: getattr(self, name).total or 0 for name in numbers}
        url, parameters = agent_url(agent, pool), beyond_first(numbers)
        self.pages = {
            name: numbered_pages(url, at, totals[name], LISTED, parameters, name=name, anchor=f"#{name}")
            for name, at in numbers.items()
        }


def _history(reader: LedgerReader, pool: str, detail: Agent) -> tuple[Chart, ...]:
    """Its rating evidence, if one has more than one point."""
    name = detail.row.agent
    rated = [history.domain for history in detail.domains if history.elo is not None][:TRACKS]
    went = [(track, evidence.history(reader, pool, name, track=track, limit=MOVES)) for track in (GLOBAL, *rated)]
    lines = [
        RatingSeries(
            agent=name if track == GLOBAL else track,
            rating=tuple(move.elo for move in history.moves[::-1]),
            causes=tuple(f"{move.at:%d %b %Y %H:%M} {move.cause}" for move in history.moves[::-1]),
        )
        for track, history in went
        if history.moves
    ]
    if not any(len(line.rating) > 1 for line in lines):
        return ()
    overall = went[0][1]
    note = "The running Elo after each debate and each test: the global one, and those of the domains debated most."
    if overall.total > len(overall.moves):
        note += f" The last {len(overall.moves):,} of {overall.total:,} moves."
    return (
        Chart(id="history", section="agent", title="How its ratings went", note=note, figure=rating_history(lines)),
    )


def _reliability(reader: LedgerReader, pool: str, calibration: Calibration | None) -> tuple[Chart, ...]:
    if calibration is None:
        return ()
    report = calibrations.examined(reader, pool, calibration.agent)
    note = (
        "How often predictions came true, by the confidence that was said, with intervals. The grey area is where the "
        "line would lie by chance if every confidence were right."
    )
    figure = reliability(report, calibration.agent)
    return (Chart(id="reliability", section="calibration", title="Said and come true", note=note, figure=figure),)


def _agent_tiles(detail: Agent) -> list[tuple[str, str]]:
    row = detail.row
    tiles = rating_tiles(row, row.strength)
    if row.predictions:
        tiles.append(("Calibration score", "too few" if row.score is None else number(row.score, ".2f")))
        tiles.append(("Predictions that came true", f"{row.correct:,} of {row.predictions:,}"))
    if detail.critiques:
        tiles.append(("Critiques accepted", f"{detail.accepted:,} of {detail.critiques:,}"))
    return tiles
