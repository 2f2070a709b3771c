"""Matches over HTTP: lists, one with everything that was said, recording one, and taking one back."""

from fastapi import APIRouter, Response
from starlette.exceptions import HTTPException

from paragone.web.admin_log import note
from paragone.web.api.answers import Cursor, Limit, Reason, refusals
from paragone.web.api.etags import NOT_MODIFIED, Tagged
from paragone.web.dependencies import LedgerDep
from paragone.web.judge_identities import PROGRAM
from paragone.web.middleware.authentication import Admin, Judging, Reader
from paragone.web.middleware.tokens import Caller, Role
from paragone.web.views import matches as views
from paragone.web.views import recording
from paragone.web.views.body import Body
from paragone.web.views.links import ItemId, MatchId, PoolId
from paragone.web.views.recording import NewMatch
from paragone.wire.address import API, match_url
from paragone.wire.match import Match, MatchPage

router = APIRouter(prefix="/pools", tags=["matches"], responses=refusals(404))


@router.get("/{pool}/matches", dependencies=[Tagged], responses=NOT_MODIFIED)
def list_matches(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> MatchPage:
    """The matches of a pool, the newest first."""
    return views.matches(reader, pool, limit=limit, cursor=cursor)


@router.get("/{pool}/items/{item}/matches", dependencies=[Tagged], responses=NOT_MODIFIED)
def list_matches_of_item(
    pool: PoolId, item: ItemId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None
) -> MatchPage:
    """The matches that moved an item's rating, the newest first."""
    return views.matches_of(reader, pool, item, limit=limit, cursor=cursor)


@router.get("/{pool}/matches/{match}", dependencies=[Tagged], responses=NOT_MODIFIED)
def get_match(pool: PoolId, match: MatchId, reader: LedgerDep, _: Reader) -> Match:
    """One match: verdicts in both orders, transcripts, cost and rating changes."""
    return views.match(reader, pool, match)


class RollbackRequest(Body):
    """A match to be voided.

    Attributes:
        reason: Why.
    """

    reason: Reason


@router.post("/{pool}/matches", status_code=201, responses={200: {"model": Match}, **refusals(404, 409)})
def record_match(pool: PoolId, body: NewMatch, reader: LedgerDep, who: Judging, response: Response) -> Match:
    """Record a match that was played elsewhere.

    Its id is the key: the same again changes nothing and is answered with 200 and what is stored. Judges answer under
    their own name, `token:NAME`; admins may name others, and record an outcome alone, which names nobody.
    """
    own = own_name(who)
    is_of_others = not body.answers or any(answer.judge not in {None, own} for answer in body.answers)
    if is_of_others and who.role < Role.ADMIN:
        raise HTTPException(
            403, f"the token {who.name!r} answers as {own!r}; to name other judges, or none, takes admin"
        )
    is_new = recording.record_match(reader, pool, body, own)
    if is_new and is_of_others:
        note(reader, pool, who, "record match", match=body.id)
    response.status_code = 201 if is_new else 200
    response.headers["location"] = API + match_url(pool, body.id)
    return views.match(reader, pool, body.id)


@router.post("/{pool}/matches/{match}/rollback")
def roll_back(pool: PoolId, match: MatchId, body: RollbackRequest, reader: LedgerDep, who: Admin) -> Match:
    """Void a match: ratings become what they would be without it. The ledger keeps both. Again, it changes nothing.

    The reason is kept with the name of who gave it.
    """
    if not reader.ledger.matches.get(pool, match).rolled_back:
        reader.ledger.matches.rollback(pool, match, f"{who.name}: {body.reason}")
        note(reader, pool, who, "roll back", match=match, reason=body.reason)
    return views.match(reader, pool, match)


def own_name(who: Caller) -> str:
    """The identity under which a caller judges."""
    return PROGRAM + who.name
