"""Voting: the pools that can be voted on, a form for a new one, and the ballot of one pool."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from paragone.errors import InvalidConfig, NotFound
from paragone.tournaments.agreement import voting_rules
from paragone.web.middleware.access_tokens import Role
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.begin import PEOPLE_VOTE
from paragone.web.pages.rendering import link, numbered_pages, page
from paragone.web.parameters import ConfigDep, LedgerDep, PageNumber, PoolId
from paragone.web.views import pools as views
from paragone.web.views.texts import read_as
from paragone.web.voting.voters import PEOPLE, require_open, settings_of
from paragone.wire.address import api_url, pool_url
from paragone.wire.pool import Pool

router = APIRouter()
MOST = 50
"""Pools considered for a page."""


@router.get("/vote")
def vote(reader: LedgerDep, who: Reader, at: PageNumber = 1) -> HTMLResponse:
    """Pools that can be voted on, those made for people first; and a form for a new one."""
    listing = views.page(reader, limit=MOST, after=MOST * (at - 1), who=who)
    open_ones = [pool for pool in listing.pools if pool.tournament is not None and pool.tournament.votable]
    return page(
        "vote.html",
        section="vote",
        who=who,
        open=sorted(open_ones, key=lambda pool: not _is_for_people(pool)),
        for_people={pool.id for pool in open_ones if _is_for_people(pool)},
        begin=link("/begin", judge=PEOPLE_VOTE),
        pages=numbered_pages("/vote", at, listing.total or 0, MOST),
    )


@router.get("/pools/{pool}/vote")
def ballot(pool: PoolId, reader: LedgerDep, config: ConfigDep, who: Reader) -> HTMLResponse:
    """The ballot of a pool; its script asks for the pairs."""
    about, why, criteria, guidelines = views.pool(reader, pool), "", "", ""
    try:
        settings = settings_of(reader, pool)
        require_open(reader, pool, settings)
        criteria, guidelines = settings.criteria, voting_rules(reader.ledger, pool).guidelines
    except (InvalidConfig, NotFound) as reason:
        why = str(reason)
    if who.role < Role.VOTE:
        why = f"{who.name} may read here and not vote: ask an admin to let you vote"
    votes = api_url(pool_url(pool, "votes"))
    return page(
        "ballot.html",
        section="pool-vote",
        who=who,
        pool=about,
        why=why,
        criteria=criteria,
        guidelines=guidelines,
        voter=who.name if config.tokens is not None else "",
        votes=votes,
        shown=api_url(pool_url(pool, "votes", "shown")) if not why and read_as(reader, pool) == "markdown" else "",
        voters=api_url(pool_url(pool, "voters")),
    )


def _is_for_people(pool: Pool) -> bool:
    return pool.tournament is not None and pool.tournament.judge == PEOPLE
