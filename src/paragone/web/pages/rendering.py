"""Rendering of templates: all values are escaped, and invisible characters are removed."""

import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from paragone.domain import Forecast
from paragone.domain.board import CHANCE, LITTLE_DOUBT
from paragone.domain.text import counted, cut, harmless, visible, whole, without_fingerprint
from paragone.ledger import is_url, without_password
from paragone.presenting.page import Chart, embedded, shown
from paragone.presenting.terms import AGREEMENT, TERMS
from paragone.tournaments.running.delegation import WORKERS_PREFIX
from paragone.tournaments.tournament_settings import OBJECT_PREFIX
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import LOCAL, Caller, Role
from paragone.web.middleware.authorization import identified
from paragone.web.pages.assets import address
from paragone.web.views import exports
from paragone.web.voting.voters import PEOPLE
from paragone.wire.address import (
    agent_url,
    agents_url,
    api_url,
    beside_url,
    content_url,
    image_url,
    item_url,
    match_url,
    memory_url,
    pool_url,
)
from paragone.wire.agent import AgentDomain, AgentRow
from paragone.wire.board import BoardRow

EVENTS = "/api/v1/events"
MOST = 20_000
"""Maximum characters of one text on a page; the API has all of it."""


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("paragone.web.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for show in (between, coded, cut, judge, judge_name, money, number, opening, points, rank, share, signed, visible):
        environment.filters[show.__name__] = show
    environment.globals.update(
        agent_url=agent_url,
        agents_url=agents_url,
        api_url=api_url,
        asset=address,
        beside_url=beside_url,
        content_url=content_url,
        counted=counted,
        is_open_to=is_open_to,
        image_url=image_url,
        item_url=item_url,
        match_url=match_url,
        memory_url=memory_url,
        most=MOST,
        people=PEOPLE,
        pool_url=pool_url,
        query=query,
        terms=TERMS,
        version=version("paragone"),
        workers_prefix=WORKERS_PREFIX,
    )
    return environment


def is_open_to(who: Caller | None, section: str) -> bool:
    """Whether the navigation shows somebody a section: what only leads to a refusal is left out."""
    if section == "people":
        return who is not None and who.role >= Role.ADMIN and who.name != LOCAL.name
    return who is None or who.grants is None or section in {"overview", "vote"}


def ledger_option(config: WebConfig, who: Caller) -> str:
    """The command-line option that names this server's ledger, after a blank.

    Empty for all but admins: nobody else learns where files are.
    """
    if who.role < Role.ADMIN:
        return ""
    db = without_password(config.db) if is_url(config.db) else str(Path(config.db).resolve())
    return f" --db {shlex.quote(db)}"


def page(
    template: str,
    *,
    status: int = 200,
    section: str = "",
    who: Caller | None = None,
    pool: object = None,
    charts: Sequence[Chart] = (),
    live: str = "",
    data: Mapping[str, Mapping[str, str]] | None = None,
    **values: object,
) -> HTMLResponse:
    """Render a page from a template.

    Args:
        template: Its name.
        status: Status of the answer.
        section: Which entry of the navigation the page belongs to.
        who: The caller; None if unknown.
        pool: The pool that the page is about, with an ``id``; its pages are in the navigation. None for none.
        charts: Figures, each placed by ``parts.chart`` in the template.
        live: Address of the events on which elements marked ``data-live`` are reloaded; empty for none.
        data: Where the same can be had as files, as ``as_data`` says it.
        values: Other variables of the template.
    """
    figures = Markup(embedded(charts)) if charts else ""  # noqa: S704 - JSON without a single "<"
    text = (
        _templates()
        .get_template(template)
        .render(
            section=section,
            who=who,
            is_admin=who is not None and who.role >= Role.ADMIN,
            is_named=who is not None and who.name != LOCAL.name,
            pool=pool,
            charts={chart.id: chart for chart in charts},
            figures=figures,
            live=live,
            data=data or {},
            csrf="" if who is None else who.csrf,
            **values,
        )
    )
    return HTMLResponse(whole(text), status_code=status, headers={"cache-control": "no-store"})


def events_url(pool: str | None = None) -> str:
    """Where the events of a pool are, or those of all pools."""
    return EVENTS if pool is None else f"{EVENTS}?{query(pool=pool)}"


def query(values: Mapping[str, Any] | None = None, **more: object) -> str:
    """URL-encoded parameters, one for each of several values; None and empty values are left out."""
    parameters = {**(values or {}), **more}
    filled = {name: value for name, value in parameters.items() if value is not None and value != ""}
    return urlencode(filled, doseq=True, quote_via=quote)


def link(url: str, values: Mapping[str, Any] | None = None, **more: object) -> str:
    """An address with parameters, or with more of them; what is None or empty is left out."""
    parameters = query(values, **more)
    return f"{url}{'&' if '?' in url else '?'}{parameters}" if parameters else url


@dataclass(frozen=True, kw_only=True, slots=True)
class Pages:
    """The pages of a listing, as ``parts.pages`` shows them. Every address holds all that the listing goes by.

    Attributes:
        number: Number of this page, from 1.
        last: Number of the last page; 1 if there is nothing.
        near: The first, the last and those around this one, by number; None for a gap.
    """

    number: int
    last: int
    near: tuple[int | None, ...]
    _url: str
    _values: Mapping[str, Any]
    _name: str
    _anchor: str

    def url(self, number: int) -> str:
        """The address of a page."""
        return link(self._url, {**self._values, self._name: None if number == 1 else number}) + self._anchor

    @property
    def is_beyond(self) -> bool:
        """Whether there is no such page."""
        return self.number > self.last


def numbered_pages(
    url: str,
    number: int,
    total: int,
    size: int,
    values: Mapping[str, Any] | None = None,
    *,
    name: str = "page",
    anchor: str = "",
) -> Pages:
    """The pages of a listing.

    Args:
        url: Address of the page that has it.
        number: Number of this page, from 1.
        total: Number of rows in all.
        size: Rows of a page.
        values: The other parameters of the address.
        name: The parameter that holds the number: a page with several listings has as many.
        anchor: Where on the page the listing is, with its ``#``.
    """
    last = max(1, math.ceil(total / size))
    around = (1, number - 2, number - 1, number, number + 1, number + 2, last)
    near: list[int | None] = []
    for each in sorted({each for each in around if 1 <= each <= last}):
        if near and near[-1] != each - 1:
            near.append(None)
        near.append(each)
    return Pages(number=number, last=last, near=tuple(near), _url=url, _values=values or {}, _name=name, _anchor=anchor)


T = TypeVar("T")


def page_of(
    rows: Sequence[T],
    url: str,
    number: int,
    size: int,
    values: Mapping[str, Any] | None = None,
    *,
    name: str = "page",
    anchor: str = "",
) -> tuple[Sequence[T], Pages]:
    """The rows of a page of a listing that is there as a whole, and its pages; see ``numbered_pages``."""
    pages = numbered_pages(url, number, len(rows), size, values, name=name, anchor=anchor)
    return rows[size * (number - 1) : size * number], pages


def beyond_first(numbers: Mapping[str, int]) -> dict[str, int]:
    """The numbers of pages that an address names: a first page goes without saying."""
    return {name: number for name, number in numbers.items() if number > 1}


def pages_of(
    url: str, listings: Mapping[str, tuple[Sequence[Any], int, int, str]]
) -> dict[str, tuple[Sequence[Any], Pages]]:
    """Several listings of one page: the rows of each that are shown, and its pages, whose addresses hold the others.

    Args:
        url: Address of the page.
        listings: By the parameter that holds the number of its page: all rows, that number, the rows of a page, and
            where on the page the listing is.
    """
    beyond = beyond_first({name: number for name, (_, number, _, _) in listings.items()})
    return {
        name: page_of(rows, url, number, size, beyond, name=name, anchor=anchor)
        for name, (rows, number, size, anchor) in listings.items()
    }


_FORMATS: Mapping[exports.Format, str] = {"csv": "CSV", "jsonl": "JSONL", "parquet": "Parquet"}


def as_data(pool: str = "", *records: exports.What, **json: str) -> dict[str, dict[str, str]]:
    """Where what a page shows can be had as files: for each name, the address of each format.

    Args:
        pool: The pool.
        records: Which of its records are shown.
        json: Addresses of pages whose values the API has, by what they show.
    """
    files: dict[str, dict[str, str]] = {
        what: {name: link(api_url(pool_url(pool, "exports", what)), format=form) for form, name in _FORMATS.items()}
        for what in records
    }
    for name, url in json.items():
        files.setdefault(name.replace("_", " "), {})["JSON"] = api_url(url)
    return files


def number(value: float | None, form: str = ",.0f") -> str:
    """A number; a dash for None."""
    return "–" if value is None else format(value, form)


def rank(row: Any) -> str:  # noqa: ANN401 - a row of any board
    """The rank of a row; ``=`` marks one that others have, too, and a dash is for none."""
    return number(row.rank) + (_SHARED if row.rank_shared else "")


_SHARED = Markup('<span class="after">=</span>')


def points(value: float | None) -> str:
    """Elo points."""
    return number(value, "z.0f").replace("-", "−")


def between(ends: Sequence[float | None]) -> str:
    """An interval of Elo points; with "to" if one is negative, since a minus would be lost beside a dash."""
    low, high = map(points, ends)
    return f"{low} to {high}" if "−" in low + high else f"{low}–{high}"


def signed(value: float | None, form: str = "+z.1f") -> str:
    """A number with its sign, the minus as long as the plus, and none before what rounds to zero."""
    return number(value, form).replace("-", "−")


def money(value: float | None) -> str:
    """US dollars, small amounts with as many digits as they need; a dash if unknown."""
    if value is None:
        return "–"
    if value == 0 or value >= 1:
        return f"${value:,.2f}"
    return f"${value:.2f}" if value >= 0.1 else f"${value:.2g}" if value >= 1e-4 else "< $0.0001"


def judge(identity: str) -> str:
    """A judge without the prefix of judges that cannot be reopened."""
    return identity.removeprefix(OBJECT_PREFIX)


def judge_name(identity: str) -> str:
    """The same without its fingerprint, which a row has no room for."""
    return without_fingerprint(judge(identity))


def rating_tiles(row: BoardRow | AgentRow, strength: float | None) -> list[tuple[str, str]]:
    """Tiles of one row of a board; without a strength, only those of the running Elo."""
    tiles = []
    if row.rank is not None:
        tiles.append(("Rank", rank(row)))
    if row.rank_low is not None and row.rank_high is not None:
        tiles.append(("Range of ranks", f"{row.rank_low:,}–{row.rank_high:,}"))
    if strength is not None:
        tiles.append(("Strength", points(strength)))
        tiles.append(("Interval", between([row.low, row.high])))
    tiles.append(("Running Elo", points(row.elo)))
    tiles.append(("Won–lost–tied", f"{row.wins}–{row.losses}–{row.ties}"))
    return tiles


def forecast_tiles(forecast: Forecast) -> list[tuple[str, str]]:
    """Tiles of a forecast; if chance is more likely than signal, only that."""
    tiles = []
    if forecast.no_signal >= LITTLE_DOUBT:
        tiles.append(("No signal beyond chance", share(forecast.no_signal)))
    if forecast.no_signal <= CHANCE:
        tiles += [
            (TERMS["p_best"].name, share(forecast.p_best)),
            *([(f"Of the true top {forecast.top}, found", share(forecast.recall))] if forecast.top > 1 else []),
            (AGREEMENT.name, number(forecast.tau, ".2f")),
        ]
    return tiles


def opening(message: str) -> str:
    """The class of a message that is shown with a capital letter: all that do not begin with a name of something."""
    return " opening" if message.partition(" ")[0].isalpha() else ""


def coded(message: str) -> Markup:
    """A message in which what stands between backticks is code."""
    parts = enumerate(_BACKTICKS.split(harmless(message)))
    return Markup("").join(_CODE.format(part) if at % 2 else part for at, part in parts)


_BACKTICKS, _CODE = re.compile(r"`([^`]+)`"), Markup("<code>{}</code>")


def share(value: float | None) -> str:
    """A share of 1 in percent."""
    return "–" if value is None else f"{value:.0%}"


_WORDS = {
    400: "This request cannot be read",
    401: "Please log in",
    403: "You may not do this",
    404: "There is nothing here",
    405: "This method is not allowed here",
    409: "This conflicts with what is there",
    422: "This request is not valid",
    429: "Too many requests",
    503: "The server is busy",
}


def wants_page(request: Request) -> bool:
    """Whether the client is a browser that expects a page; addresses of the API always answer in JSON."""
    if request.url.path.startswith("/api/"):
        return False
    kinds = [kind.partition(";")[0].strip().lower() for kind in request.headers.get("accept", "").split(",")]
    return "text/html" in kinds


def error_page(request: Request, status: int, detail: str) -> HTMLResponse:
    """An error page with the reason."""
    title = _WORDS.get(status, "Something went wrong" if status >= 500 else "This did not work")
    return page(
        "error.html",
        status=status,
        who=identified(request),
        title=title,
        detail=detail,
        code=status,
        back=request.url.path,
    )


MOST_MARKS = 6
"""Maximum marks on a scale."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """A scale.

    Attributes:
        least: Where it begins.
        most: Where it ends.
        marks: Round numbers on it, each with its position in percent.
    """

    least: float
    most: float
    marks: tuple[tuple[float, str], ...]

    @property
    def grid(self) -> str:
        """A line at each mark, as a background of CSS."""
        return ",".join(
            f"linear-gradient(var(--tick),var(--tick)) {at:.2f}% 0/1px 100% no-repeat" for at, _ in self.marks
        )


def scale(least: float, most: float) -> Scale:
    """The scale between two values."""
    width = most - least
    step = _step(width)
    if step is None:
        return Scale(least=least, most=most, marks=())
    first, last = math.ceil(least / step), math.floor(most / step)
    marks = ((100 * (number * step - least) / width, f"{number * step:.10g}") for number in range(first, last + 1))
    return Scale(least=least, most=most, marks=tuple((at, name.replace("-", "−")) for at, name in marks))


def scale_of(rows: Iterable[BoardRow | AgentRow | AgentDomain]) -> Scale | None:
    """A scale that holds the intervals of some rows; None if none has one."""
    ends = [end for row in rows for end in (row.low, row.high) if end is not None]
    return scale(min(ends), max(ends)) if ends else None


def _step(width: float) -> float | None:
    """Distance of marks: the smallest of 1, 2 and 5 times a power of ten that leaves few enough."""
    if not 0 < width < math.inf:
        return None
    tens = 10.0 ** (math.floor(math.log10(width)) - 1)
    return next(tens * factor for factor in (1, 2, 5, 10, 20, 50, 100) if width / (tens * factor) <= MOST_MARKS - 1)
