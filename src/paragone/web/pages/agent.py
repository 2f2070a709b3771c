"""One agent: where it stands, how its rating went, how sure it may be, its rivals and allies, what tests made of it."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.domain import GLOBAL
from paragone.errors import MissingExtra
from paragone.presenting.figures import History, rating_history, reliability
from paragone.presenting.page import Chart
from paragone.web.middleware.authentication import Reader
from paragone.web.pages.rendering import events_url, number, page, points, query
from paragone.web.pages.scales import Scale, scale
from paragone.web.parameters import AgentId, LedgerDep
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents import board as views
from paragone.web.views.agents import calibration as foretelling
from paragone.web.views.agents import evidence
from paragone.web.views.agents import evidence as debating
from paragone.web.views.agents import evidence as histories
from paragone.web.views.agents import relations as relating
from paragone.web.views.agents.calibration import predictions_of
from paragone.wire.address import AGENTS, agent_url
from paragone.wire.agent import Agent, AgentDomain, AgentRow
from paragone.wire.calibration import Calibration
from paragone.wire.debate import DebatePage
from paragone.wire.prediction import PredictionPage
from paragone.wire.relation import AgentRelations

router = APIRouter()
MOST = 10
"""Lines of a listing."""
MOVES = 500
"""Latest rating changes that are listed."""
TRACKS = 4
"""Domains whose ratings are drawn beside the global one: those with the most debates."""


@router.get("/agents/{agent}")
def agent(
    agent: AgentId,
    reader: LedgerDep,
    who: Reader,
    pool: Annotated[str, Query(max_length=1_000)] = AGENTS,
    debates: Annotated[str | None, Query()] = None,
    predictions: Annotated[str | None, Query()] = None,
    others: Annotated[str | None, Query()] = None,
) -> HTMLResponse:
    """One agent."""
    detail = views.agent(reader, pool, agent)
    calibrated, missing = _calibration(reader, pool, detail)
    listings = _Listings(reader, pool, agent, debates=debates, predictions=predictions, others=others)
    return page(
        "agent.html",
        section="agents",
        who=who,
        live=events_url(pool),
        charts=(*_history(reader, pool, detail), *_reliability(reader, pool, calibrated)),
        detail=detail,
        row=detail.row,
        tiles=_tiles(detail),
        around=_scale(detail.around),
        fields=_scale(detail.domains),
        calibrated=calibrated,
        missing=missing,
        listings=listings,
        tested=evidence.results_of(reader, pool, agent, limit=MOST),
    )


class _Listings:
    """The listings of the page, each of which goes on by a cursor of its own."""

    def __init__(
        self,
        reader: LedgerReader,
        pool: str,
        agent: str,
        *,
        debates: str | None,
        predictions: str | None,
        others: str | None,
    ) -> None:
        self._here = agent_url(agent, pool)
        self.paged = {
            name for name, at in (("debates", debates), ("predictions", predictions), ("others", others)) if at
        }
        self.debates: DebatePage = debating.debates(reader, pool, agent, limit=MOST, after=debates)
        self.predictions: PredictionPage = predictions_of(reader, pool, agent, limit=MOST, after=predictions)
        self.others: AgentRelations = relating.relations_of(reader, pool, agent, limit=MOST, after=others)

    def first(self, what: str) -> str:
        """Where a listing begins."""
        return f"{self._here}#{what}"

    def next(self, what: str, cursor: str | None) -> str | None:
        """Where it goes on; None on its last page."""
        if cursor is None:
            return None
        joint = "&" if "?" in self._here else "?"
        return f"{self._here}{joint}{query({what: cursor})}#{what}"


def _calibration(reader: LedgerReader, pool: str, detail: Agent) -> tuple[Calibration | None, str]:
    """How well its confidences fit; None where it foretold nothing, or where a package is missing: then what to do."""
    if not detail.row.predictions:
        return None, ""
    try:
        return foretelling.calibration(reader, pool, detail.row.agent), ""
    except MissingExtra as reason:
        return None, str(reason)


def _history(reader: LedgerReader, pool: str, detail: Agent) -> tuple[Chart, ...]:
    """How its ratings went, where there is more than a point of one."""
    name = detail.row.agent
    rated = [history.domain for history in detail.domains if history.elo is not None][:TRACKS]
    went = [(track, histories.history(reader, pool, name, track=track, limit=MOVES)) for track in (GLOBAL, *rated)]
    lines = [
        History(
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
    report = foretelling.examined(reader, pool, calibration.agent)
    note = (
        "How often predictions came true, by the confidence that was said, with intervals. The grey area is where the "
        "line would lie by chance if every confidence were right."
    )
    figure = reliability(report, calibration.agent)
    return (Chart(id="reliability", section="calibration", title="Said and come true", note=note, figure=figure),)


def _tiles(detail: Agent) -> list[tuple[str, str]]:
    row = detail.row
    tiles = []
    if row.rank is not None and row.rank_low is not None and row.rank_high is not None:
        tiles.append(("Rank", f"{row.rank:,}"))
        tiles.append(("Range of ranks", f"{row.rank_low:,}–{row.rank_high:,}"))
        tiles.append(("Strength", points(row.strength)))
        tiles.append(("Interval", f"{points(row.low)}–{points(row.high)}"))
    tiles.append(("Running Elo", points(row.elo)))
    tiles.append(("Won–lost–tied", f"{row.wins}–{row.losses}–{row.ties}"))
    if row.predictions:
        tiles.append(("Calibration score", "too few" if row.score is None else number(row.score, ".2f")))
        tiles.append(("Predictions that came true", f"{row.correct:,} of {row.predictions:,}"))
    if detail.critiques:
        tiles.append(("Critiques accepted", f"{detail.accepted:,} of {detail.critiques:,}"))
    return tiles


def _scale(rows: Sequence[AgentRow | AgentDomain]) -> Scale | None:
    """The scale that holds the intervals of some rows; None where none has one."""
    ends = [end for row in rows for end in (row.low, row.high) if end is not None]
    return scale(min(ends), max(ends)) if ends else None
