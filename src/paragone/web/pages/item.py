"""One item: its text, board row, rating history and matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.analysis.text_differences import differences
from paragone.domain import GLOBAL
from paragone.domain.text import cut
from paragone.intake.items import MAX_ID
from paragone.presenting.figures import RatingSeries, rating_history
from paragone.presenting.page import Chart
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import MOST as MOST_CHARACTERS
from paragone.web.pages.rendering import as_data, events_url, numbered_pages, page, points, rating_tiles, scale_of
from paragone.web.parameters import ItemId, LedgerDep, PageNumber, PoolId
from paragone.web.views import items as views
from paragone.web.views import matches, pools, texts
from paragone.web.views.board import QUICK
from paragone.web.views.standing import is_quick, standing
from paragone.wire.address import item_url
from paragone.wire.item import Item
from paragone.wire.match import RatingChange

RADIUS = 100.0
FEWEST, MOST_SPOKES = 3, 10
"""Criteria of a drawing: fewer are no area, and more cannot be told apart."""
RINGS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoke:
    """A criterion in the drawing.

    Attributes:
        name: Its name, cut.
        x: Where its line ends, with the centre at 0; to the right.
        y: The same, downwards.
        label_x: Where its name stands.
        label_y: The same, downwards.
        anchor: Which end of the name that is: ``start``, ``middle`` or ``end``.
    """

    name: str
    x: float
    y: float
    label_x: float
    label_y: float
    anchor: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Radar:
    """A drawing.

    Attributes:
        spokes: The criteria, the first on top, clockwise.
        area: Points of the scores, as SVG has them.
        rings: Points of the polygons in the background.
        alt: What it shows, in words.
    """

    spokes: tuple[Spoke, ...]
    area: str
    rings: tuple[str, ...]
    alt: str


def radar(scores: Sequence[tuple[str, float]]) -> Radar | None:
    """The drawing of scores by criterion, each from 0 to 1; None of fewer than three criteria or more than ten."""
    if not FEWEST <= len(scores) <= MOST_SPOKES:
        return None
    turns = [2 * pi * index / len(scores) for index in range(len(scores))]
    reached = [min(1.0, max(0.0, score)) for _, score in scores]
    description = ", ".join(f"{cut(name, 40)} {score:.0%}" for (name, _), score in zip(scores, reached, strict=True))
    return Radar(
        spokes=tuple(_spoke(name, turn) for (name, _), turn in zip(scores, turns, strict=True)),
        area=_points(turns, reached),
        rings=tuple(_points(turns, [ring] * len(turns)) for ring in RINGS),
        alt=f"Mean scores: {description}",
    )


def _spoke(name: str, turn: float) -> Spoke:
    right, down = sin(turn), -cos(turn)
    anchor = "middle" if abs(right) < 0.2 else "start" if right > 0 else "end"
    return Spoke(
        name=cut(name, 16),
        x=round(RADIUS * right, 1),
        y=round(RADIUS * down, 1),
        label_x=round((RADIUS + 8) * right, 1),
        label_y=round((RADIUS + 12) * down + 4, 1),
        anchor=anchor,
    )


def _points(turns: Sequence[float], reached: Sequence[float]) -> str:
    ends = [(RADIUS * far * sin(turn), -RADIUS * far * cos(turn)) for turn, far in zip(turns, reached, strict=True)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)


router = APIRouter()
MOST = 25
"""Matches of a page."""
MOST_VERSIONS = 10
"""Other versions of a text that are listed."""


@router.get("/pools/{pool}/items/{item}")
def item(
    pool: PoolId,
    item: ItemId,
    reader: LedgerDep,
    who: Reader,
    at: PageNumber = 1,
    why: Annotated[bool, Query()] = False,
    version: Annotated[str, Query(max_length=MAX_ID)] = "",
) -> HTMLResponse:
    """One item."""
    detail = views.item(reader, pool, item)
    explains = detail.row.rating is not None and reader.is_small(pool)
    quick = explains and is_quick(reader, pool)
    played = matches.matches_of(reader, pool, item, limit=MOST, cursor=MOST * (at - 1))
    url, about = item_url(pool, item), pools.pool(reader, pool)
    versions = texts.versions(reader, pool, item, detail.text, who)
    older = versions.get(version)
    return page(
        "item.html",
        section="board",
        who=who,
        pool=about,
        pending=detail.row.rating is None and about.tournament is not None and about.items <= QUICK,
        live=events_url(pool),
        data=as_data(
            item=url,
            matches=item_url(pool, item) + "/matches",
            **({"why it is here": item_url(pool, item) + "/standing"} if explains else {}),
        ),
        charts=_charts(detail),
        item=detail,
        html=texts.rich_text(reader, pool, detail.text),
        versions=list(versions)[:MOST_VERSIONS],
        compared=version,
        changes=() if older is None else differences(older[:MOST_CHARACTERS], detail.text[:MOST_CHARACTERS]),
        tiles=rating_tiles(detail.row, detail.row.rating),
        scale=scale_of(detail.around),
        radar=radar([(score.criterion, score.mean) for score in detail.criteria]),
        played=played,
        standing=standing(reader, pool, item) if quick or (explains and why) else None,
        asks_why=explains and not quick,
        pages=numbered_pages(url, at, played.total or 0, MOST, {"why": "1" if why else None}, anchor="#matches"),
    )


def _charts(detail: Item) -> tuple[Chart, ...]:
    """The rating history, if it has more than one point."""
    tracks: dict[str, list[RatingChange]] = {}
    for move in detail.progression:
        tracks.setdefault(move.track, []).append(move)
    histories = [_history(detail.id if track == GLOBAL else track, moves) for track, moves in tracks.items()]
    if not any(len(history.rating) > 1 for history in histories):
        return ()
    note = "What it was after each change."
    if detail.moves > len(detail.progression):
        note += f" The last {len(detail.progression):,} of {detail.moves:,} changes."
    note += _in_words(tracks.get(GLOBAL, []))
    figure = rating_history(histories)
    return (Chart(id="progression", section="item", title="Running Elo over time", note=note, figure=figure),)


def _in_words(moves: list[RatingChange]) -> str:
    """The figure in words, for screen readers."""
    if not moves:
        return ""
    ratings = [moves[0].old, *(move.new for move in moves)]
    went = f" It went from {points(ratings[0])} to {points(ratings[-1])}"
    return f"{went} and was between {points(min(ratings))} and {points(max(ratings))}."


def _history(name: str, moves: list[RatingChange]) -> RatingSeries:
    return RatingSeries(
        agent=name, rating=tuple(move.new for move in moves), causes=tuple(move.match for move in moves)
    )
