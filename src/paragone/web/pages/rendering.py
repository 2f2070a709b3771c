"""Templates: everything that stands in them is escaped, and characters that cannot be seen are taken out."""

import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from paragone.domain import Forecast
from paragone.domain.board import CHANCE, LITTLE_DOUBT
from paragone.domain.text import counted, cut, harmless, visible, whole
from paragone.ledger import is_url, without_password
from paragone.presenting.page import Chart, embedded, shown
from paragone.tournaments.tournament_settings import OBJECT_PREFIX
from paragone.web.config import WebConfig
from paragone.web.judge_identities import PEOPLE
from paragone.web.middleware.tokens import Caller, Role
from paragone.web.pages.assets import address
from paragone.wire.address import agent_url, agents_url, api_url, content_url, item_url, match_url, memory_url, pool_url

EVENTS = "/api/v1/events"
MOST = 20_000
"""Characters of one text that a page shows at the most; the API has all of it."""


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
    for show in (between, cut, harmless, judge, money, number, points, share, signed, visible):
        environment.filters[show.__name__] = show
    environment.globals.update(
        agent_url=agent_url,
        agents_url=agents_url,
        api_url=api_url,
        asset=address,
        content_url=content_url,
        counted=counted,
        events_url=events_url,
        item_url=item_url,
        match_url=match_url,
        memory_url=memory_url,
        most=MOST,
        people=PEOPLE,
        pool_url=pool_url,
        query=query,
        version=version("paragone"),
    )
    return environment


def ledger_option(config: WebConfig, who: Caller) -> str:
    """The option by which a command names this server's ledger, with a blank before it.

    Empty for all but admins: nobody else is told where files lie.
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
    **values: object,
) -> HTMLResponse:
    """A page from a template of this package.

    Args:
        template: Its name.
        status: Status of the answer.
        section: Which entry of the navigation the page belongs to.
        who: Who asks; None where that is not known.
        pool: The pool that the page is about, with an ``id``; its pages are in the navigation. None for none.
        charts: Figures, each drawn where the template has ``parts.chart`` of it.
        live: Address of the events after which what is marked ``data-live`` is fetched anew; empty for none.
        values: What else the template names.
    """
    figures = Markup(embedded(charts)) if charts else ""  # noqa: S704 - JSON without a single "<"
    text = (
        _templates()
        .get_template(template)
        .render(
            section=section,
            who=who,
            is_admin=who is not None and who.role >= Role.ADMIN,
            is_named=who is not None and who.name != "local",
            pool=pool,
            charts={chart.id: chart for chart in charts},
            figures=figures,
            live=live,
            csrf="" if who is None else who.csrf,
            **values,
        )
    )
    return HTMLResponse(whole(text), status_code=status, headers={"cache-control": "no-store"})


def events_url(pool: str | None = None) -> str:
    """Where the events of a pool are, or those of all pools."""
    return EVENTS if pool is None else f"{EVENTS}?{query(pool=pool)}"


def query(values: Mapping[str, Any] | None = None, **more: object) -> str:
    """Parameters as they stand in an address; what is None or empty is left out."""
    parameters = {**(values or {}), **more}
    filled = {name: value for name, value in parameters.items() if value is not None and value != ""}
    return urlencode(filled, quote_via=quote)


def number(value: float | None, form: str = ",.0f") -> str:
    """A number; a dash where there is none."""
    return "–" if value is None else format(value, form)


def points(value: float | None) -> str:
    """Elo points."""
    return number(value, "z.0f").replace("-", "−")


def between(ends: Sequence[float | None]) -> str:
    """An interval of Elo points; where one is below zero, its minus would be lost beside a dash."""
    low, high = map(points, ends)
    return f"{low} to {high}" if "−" in low + high else f"{low}–{high}"


def signed(value: float | None, form: str = "+z.1f") -> str:
    """A number with its sign, the minus as long as the plus, and none before what rounds to zero."""
    return number(value, form).replace("-", "−")


def money(value: float | None) -> str:
    """US dollars, small ones with as many digits as they need; a dash where it is not known."""
    if value is None:
        return "–"
    if value == 0 or value >= 1:
        return f"${value:,.2f}"
    return f"${value:.2f}" if value >= 0.1 else f"${value:.2g}" if value >= 1e-4 else "< $0.0001"


def judge(identity: str) -> str:
    """Who judges, without the mark of judges that cannot be opened again."""
    return identity.removeprefix(OBJECT_PREFIX)


def forecast_tiles(forecast: Forecast) -> list[tuple[str, str]]:
    """How sure a ranking is, as names and values; where chance is the likelier, that alone."""
    tiles = []
    if forecast.no_signal >= LITTLE_DOUBT:
        tiles.append(("No signal beyond chance", share(forecast.no_signal)))
    if forecast.no_signal <= CHANCE:
        tiles += [
            ("The first is the best", share(forecast.p_best)),
            (f"Of the true top {forecast.top}, found", share(forecast.recall)),
            ("Expected tau", number(forecast.tau, ".2f")),
        ]
    return tiles


def share(value: float | None) -> str:
    """A share of 1 in percent."""
    return "–" if value is None else f"{value:.0%}"
