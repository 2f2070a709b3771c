"""The memory: summary, board, one piece of content, search, packs and pruning."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.domain.text import counted
from paragone.errors import Busy, MissingExtra, UsageError
from paragone.presenting.figures import (
    PackPart,
    Series,
    need_against_elo,
    over_time,
    sampled,
    tier_sizes,
    truth_against_use,
    where_tokens_go,
)
from paragone.presenting.memory_dashboard.charts import measure_series
from paragone.presenting.memory_dashboard.summary import PLURALS
from paragone.presenting.page import Chart
from paragone.web.middleware.access_tokens import Role
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import as_data, link, numbered_pages, page
from paragone.web.parameters import ContentId, MemoryDep, Nth, PageNumber, unless_empty
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.memory import board as boards
from paragone.web.views.memory import content as contents
from paragone.web.views.memory import packs, pruning, summary
from paragone.web.views.memory.board import ContentBoardQuery
from paragone.web.views.memory.packs import PackQuery, SearchQuery
from paragone.wire.address import API, api_url, content_url, memory_url
from paragone.wire.content import Content, ContentOrder
from paragone.wire.memory import Memory, MemoryMeasure, QuadrantDot, Quadrants, RatingHistories
from paragone.wire.pack import Pack, PackedFile, PackMode
from paragone.wire.prune import PrunePlan
from paragone.wire.search import Search, SearchMethod, SearchTarget

router = APIRouter()
EVENTS = f"{API}/memory/events"
KINDS = {kind: words.capitalize() for kind, words in PLURALS.items()}
"""Kinds of content, as headings and options."""
ORDERS: dict[ContentOrder, str] = {
    "rating": "rating",
    "elo": "Elo",
    "need": "need",
    "r": "R",
    "uses": "uses",
    "last_use": "last use",
    "id": "name",
}
MOST = 50
"""Rows of a page."""
RESULTS = 10
"""Results of a page of a search."""
MOVES = 40
"""Moves of a rating that a page lists; the API has more."""
CHAMBERS = 6
"""Echo chambers of the first page."""


@router.get("/memory")
def memory(request: Request, who: Reader) -> HTMLResponse:
    """The summary; if the server has no memory, how to begin."""
    reader: MemoryReader | None = request.app.state.memory
    if reader is None:
        return page("memory/none.html", section="memory", who=who)
    try:
        overview = summary.summary(reader)
    except Busy:
        return page("memory/busy.html", status=503, section="memory", part="", who=who)
    return page(
        "memory/summary.html",
        section="memory",
        part="",
        who=who,
        live=EVENTS,
        data=as_data(
            summary=memory_url(),
            **{name: memory_url(name) for name in ("quadrants", "metrics", "histories")},
            echo_chambers=memory_url("echo"),
        ),
        charts=tuple(
            _overview_charts(overview, summary.quadrants_of(reader, ContentKind.FILE), summary.histories(reader))
        )
        if overview.files
        else (),
        overview=overview,
        tiles=_tiles(overview),
        echoes=summary.echoes_of(reader, ContentKind.FILE),
        most=CHAMBERS,
        unknown=Quadrant.UNKNOWN,
    )


@router.get("/memory/board")
def memory_board(
    memory: MemoryDep,
    who: Reader,
    kind: Annotated[ContentKind, Query()] = ContentKind.FILE,
    by: Annotated[ContentOrder, Query()] = "rating",
    tier: Annotated[ContentTier | None, unless_empty] = None,
    quadrant: Annotated[Quadrant | None, unless_empty] = None,
    q: Annotated[str, Query(max_length=200)] = "",
    at: PageNumber = 1,
) -> HTMLResponse:
    """Content by a rating."""
    request = ContentBoardQuery(
        kind=kind, by=by, tier=tier, quadrant=quadrant, search=q.strip(), limit=MOST, cursor=MOST * (at - 1)
    )
    board = boards.board(memory, request)
    parameters = {"kind": kind, "by": by, "tier": tier, "quadrant": quadrant, "q": request.search}
    return page(
        "memory/board.html",
        section="memory",
        part="board",
        who=who,
        live=EVENTS,
        data=as_data(board=link(memory_url("board"), parameters, q=None, search=request.search)),
        board=board,
        kept=parameters,
        kinds=KINDS,
        orders=ORDERS,
        tiers=list(ContentTier),
        quadrants=list(Quadrant),
        pages=numbered_pages(memory_url("board"), at, board.total, MOST, parameters),
    )


@router.get("/memory/files/{content}")
def memory_content(
    content: ContentId, memory: MemoryDep, who: Reader, start: Annotated[int | None, Query(ge=1, le=10_000_000)] = None
) -> HTMLResponse:
    """One piece of content: its ratings and their history, its users and its text."""
    detail = contents.content(memory, content, start=start)
    return page(
        "memory/content.html",
        section="memory",
        part="content",
        who=who,
        live=EVENTS,
        data=as_data(content=content_url(content)),
        charts=(_ratings_over_time(detail),) if len(detail.moves) > 1 else (),
        detail=detail,
        moves=detail.moves[::-1][:MOVES],
        kinds=KINDS,
        truth=api_url(memory_url("truth")),
    )


@router.get("/memory/search")
def memory_search(
    memory: MemoryDep,
    who: Reader,
    q: Annotated[str, Query(max_length=4_000)] = "",
    how: Annotated[SearchMethod, Query()] = "hybrid",
    what: Annotated[SearchTarget, Query()] = "chunk",
    at: Annotated[int, Query(ge=1, le=1_000, alias="page")] = 1,
) -> HTMLResponse:
    """Search results with the parts of their scores. Nothing is logged."""
    request = SearchQuery(query=q, how=how, what=what, limit=RESULTS, offset=RESULTS * (at - 1))
    results, why = _search_results(memory, request) if q.strip() else (None, "")
    parameters = {"q": q.strip(), "how": how, "what": what}
    total = 0 if results is None else results.total
    return page(
        "memory/search.html",
        section="memory",
        part="search",
        who=who,
        data=as_data(results=link(memory_url("search"), parameters)) if results else None,
        results=results,
        why=why,
        kept=parameters,
        pages=numbered_pages(memory_url("search"), at, total, RESULTS, parameters),
    )


def _search_results(memory: MemoryReader, request: SearchQuery) -> tuple[Search | None, str]:
    """Search results; if the search fails, why."""
    try:
        return packs.search(memory, request), ""
    except (UsageError, MissingExtra) as reason:
        return None, str(reason)


def _tiles(overview: Memory) -> list[tuple[str, str]]:
    counts = {
        counted_kind.kind: counted_kind.count
        for counted_kind in overview.kinds
        if counted_kind.kind is not ContentKind.FILE and counted_kind.count
    }
    return [
        ("Files", f"{overview.files:,}"),
        ("Used", f"{overview.used:,}"),
        ("R known", f"{overview.files - overview.unknown:,}"),
        ("Echo chambers", f"{overview.echo_chambers:,}"),
        *((KINDS[kind], f"{count:,}") for kind, count in counts.items()),
        ("In the archive", f"{overview.archived:,}"),
    ]


FILES = 100
"""Rows of a page."""
ACTS = 20
"""Operations of a page."""
PICTURED = 200
"""Files of a pack's picture, and of its first page."""


@router.get("/memory/pack")
def memory_pack(
    memory: MemoryDep,
    who: Reader,
    budget: Annotated[str, Query(max_length=20)] = "",
    task: Annotated[str, Query(max_length=4_000)] = "",
    mode: Annotated[PackMode | None, unless_empty] = None,
    at: PageNumber = 1,
) -> HTMLResponse:
    """A pack, and where its tokens go."""
    parameters = {"budget": budget.strip(), "task": task.strip(), "mode": mode}
    pack, why = _packed(memory, parameters["budget"] or "", parameters["task"] or "", mode, PICTURED * (at - 1))
    url = memory_url("pack")
    return page(
        "memory/pack.html",
        section="memory",
        part="pack",
        who=who,
        data=as_data(pack=link(url, parameters)) if pack else None,
        charts=() if pack is None or at > 1 or not pack.tokens else (_pack_picture(pack),),
        pack=pack,
        why=why,
        kept=parameters,
        most=packs.MOST,
        pages=numbered_pages(url, at, sum(pack.counts.values()) if pack else 0, PICTURED, parameters),
        text=link(api_url(url), parameters, text="true", limit=1),
    )


@router.get("/memory/prune")
def memory_prune(
    memory: MemoryDep,
    who: Reader,
    scope: Annotated[str, Query(max_length=4_000)] = "",
    at: PageNumber = 1,
    archived: Nth = 1,
    acts: Nth = 1,
) -> HTMLResponse:
    """What may be archived and why, what the archive holds, and what admins did."""
    patterns = tuple(line.strip() for line in scope.splitlines() if line.strip())
    plan, why = _planned(memory, patterns, FILES * (at - 1))
    gone = pruning.archive(memory, limit=FILES, after=FILES * (archived - 1))
    done = pruning.acts(memory, limit=ACTS, after=ACTS * (acts - 1)) if who.role >= Role.ADMIN else None
    numbers = {"page": (at, plan.archive + plan.keep if plan else 0, FILES), "archived": (archived, gone.total, FILES)}
    numbers["acts"] = (acts, 0 if done is None else done.total, ACTS)
    url, parameters = memory_url("prune"), {"scope": scope}
    parameters |= {name: str(number) for name, (number, *_) in numbers.items() if number > 1}
    return page(
        "memory/prune.html",
        section="memory",
        part="prune",
        who=who,
        live=EVENTS,
        data=as_data(
            plan=link(url, {"scope": list(patterns)}),
            archive=memory_url("archive"),
            **({"acts": memory_url("acts")} if who.role >= Role.ADMIN else {}),
        ),
        plan=plan,
        why=why,
        scope="\n".join(patterns),
        gone=gone,
        acts=[] if done is None else done.acts,
        pages={
            name: numbered_pages(url, *of, parameters, name=name, anchor=anchor)
            for (name, of), anchor in zip(numbers.items(), ("#plan", "#archive", "#acts"), strict=True)
        },
        prune=api_url(url),
        restore=api_url(memory_url("restore")),
    )


def _packed(
    memory: MemoryReader, budget: str, task: str, mode: PackMode | None, passed: int
) -> tuple[Pack | None, str]:
    """A pack; if there can be none, why; neither while it is being computed."""
    if budget and not (budget.isascii() and budget.isdigit() and 1 <= int(budget) <= packs.MOST):
        return None, f"a budget is a number of tokens from 1 to {packs.MOST:,}"
    request = PackQuery(budget=int(budget) if budget else None, task=task, mode=mode, limit=PICTURED, cursor=passed)
    try:
        return packs.pack(memory, request), ""
    except Busy:
        return None, ""
    except (UsageError, MissingExtra) as reason:
        return None, str(reason)


def _planned(memory: MemoryReader, patterns: tuple[str, ...], passed: int) -> tuple[PrunePlan | None, str]:
    """A pruning plan; if there can be none, why."""
    try:
        return pruning.plan(memory, patterns or None, limit=FILES, after=passed), ""
    except UsageError as reason:
        return None, str(reason)


DRAWN = 600
"""Dots of a figure at the most, so that a page stays light; the API has 1,500."""


def _overview_charts(overview: Memory, quadrants: Quadrants, histories: RatingHistories) -> Iterator[Chart]:
    """All figures of the first page that there is something to show in."""
    yield _quadrants(overview, quadrants.dots)
    yield _tiers(overview)
    if histories.histories:
        yield _ratings(histories)
    used = sampled([dot for dot in quadrants.dots if dot.note != "never used"], DRAWN // 2)
    if used:
        yield Chart(
            id="need", section="over-time", title="Need against Elo",
            note="Need is how likely a file is to be used next, by how often and how recently it was.",
            figure=need_against_elo(used, of=overview.used, what="used files"),
        )  # fmt: skip
    measured = [measure for measure in overview.measures or [] if len(measure.series) > 1]
    if measured:
        yield _measures(measured)


def _ratings_over_time(content: Content) -> Chart:
    """The rating of one piece of content, move by move."""
    line = Series(
        name=content.id,
        times=tuple(move.at.timestamp() for move in content.moves),
        values=tuple(move.new for move in content.moves),
        notes=tuple(f"{move.reason.replace('_', ' ')}, {move.delta:+.1f}" for move in content.moves),
    )
    figure = over_time([line], title="Elo points", alt="Running Elo over time", steps=True)
    note = "The running Elo after each move; it fades between them, which is not drawn."
    return Chart(id="history", section="history", title="Rating over time", note=note, figure=figure)


def _pack_picture(pack: Pack) -> Chart:
    """Where the tokens of a pack go."""
    pieces = [_piece(file) for file in pack.files if file.tokens]
    note = "Blue: whole; green: as signatures; grey: pointers, and what is not listed one by one."
    return Chart(
        id="tokens", section="pack", title="Where the tokens go", note=note,
        figure=where_tokens_go(pieces, total=pack.tokens),
    )  # fmt: skip


def _piece(file: PackedFile) -> PackPart:
    return PackPart(path=file.path, form=file.form, tokens=file.tokens, note=file.reason)


def _quadrants(overview: Memory, dots: list[QuadrantDot]) -> Chart:
    drawn = sampled(dots, DRAWN)
    some = (
        f" Drawn: {len(drawn):,} of {counted(overview.files, 'file')}, evenly." if len(drawn) < overview.files else ""
    )
    note = f"Elo tells what is used, R what is true. Ratings above {overview.often:.0f} count as high.{some}"
    return Chart(
        id="quadrants", section="quadrants", title="R against Elo", note=note,
        figure=truth_against_use(drawn, often=overview.often, of=overview.files),
    )  # fmt: skip


def _tiers(overview: Memory) -> Chart:
    return Chart(
        id="tiers", section="tiers", title="Files by tier",
        note="High from 1600, medium from 1200, low from 800; by Elo, as it stands now.",
        figure=tier_sizes({tier.tier: tier.quadrants for tier in overview.tiers}),
    )  # fmt: skip


def _ratings(histories: RatingHistories) -> Chart:
    lines = [
        Series(
            name=history.id,
            times=tuple(step.at.timestamp() for step in history.steps),
            values=tuple(step.elo for step in history.steps),
            notes=tuple(step.reason.replace("_", " ") for step in history.steps),
        )
        for history in histories.histories
    ]
    return Chart(
        id="over-time", section="over-time", title="Ratings over time",
        note="The running Elo after each move, before decay, of the used files with the highest ratings.",
        figure=over_time(lines, title="Elo points", alt="Running Elo over time", steps=True),
    )  # fmt: skip


def _measures(measured: list[MemoryMeasure]) -> Chart:
    figure = over_time(
        [measure_series(measure) for measure in measured], title="", alt="Measures of success over time", shares=True
    )
    return Chart(
        id="measures", section="measures", title="Measures over time", note="Dotted: the targets.", figure=figure
    )
