"""How far the people who vote on a pool agree; and for admins the rules by which they do."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from paragone.domain.gold import GoldPair
from paragone.domain.voting_rules import LONGEST_GUIDELINES, MOST_OVERLAP
from paragone.errors import Busy, InvalidConfig, UsageError
from paragone.tournaments.agreement import voting_rules
from paragone.web.api.agreement import NewVotingRules, change_voting_rules, get_agreement
from paragone.web.forms import FormDep, answer_form
from paragone.web.middleware.access_tokens import Caller, Role
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.pages.rendering import as_data, events_url, link, page, page_of
from paragone.web.parameters import LedgerDep, PageNumber, PoolId, VotingDep
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import pools
from paragone.wire.address import pool_url
from paragone.wire.agreement import PeopleAgreement

router = APIRouter()
MOST = 50
"""People of a page."""


@router.get("/pools/{pool}/agreement")
def show(
    pool: PoolId, reader: LedgerDep, who: Reader, done: Annotated[bool, Query()] = False, at: PageNumber = 1
) -> HTMLResponse:
    """How far people agree, and who disagrees."""
    return _page(reader, pool, who, _fields(reader, pool) if who.role >= Role.ADMIN else {}, done=done, at=at)


@router.post("/pools/{pool}/agreement")
def change(pool: PoolId, reader: LedgerDep, voting: VotingDep, who: Admin, form: FormDep) -> Response:
    """Change the rules."""

    def changed() -> str:
        change_voting_rules(pool, _rules(form.fields), reader, voting, who)
        return link(pool_url(pool, "agreement"), done=1)

    return answer_form(changed, lambda problem: _page(reader, pool, who, form.fields, problem=problem))


def _rules(fields: Mapping[str, str]) -> NewVotingRules:
    values: dict[str, Any] = {
        "guidelines": fields.get("guidelines", ""),
        "known": list(_known(fields.get("known", ""))),
    }
    for name in ("overlap", "known_share"):
        if fields.get(name):
            values[name] = fields[name]
    return NewVotingRules.model_validate(values)


def _known(text: str) -> Iterable[dict[str, str]]:
    for number, row in enumerate(csv.reader(io.StringIO(text), skipinitialspace=True), 1):
        ids = [cell.strip() for cell in row]
        if any(ids):
            if len(ids) != 2 or not all(ids):
                raise InvalidConfig(f"line {number} of the known pairs is not two ids with a comma between them")
            yield {"better": ids[0], "worse": ids[1]}


def _lines(pairs: Iterable[GoldPair]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows((pair.better, pair.worse) for pair in pairs)
    return text.getvalue()


def _fields(reader: LedgerReader, pool: str) -> dict[str, str]:
    if not reader.is_tournament(pool):
        return {}
    rules = voting_rules(reader.ledger, pool)
    return {
        "overlap": str(rules.overlap),
        "guidelines": rules.guidelines,
        "known": _lines(rules.known),
        "known_share": f"{rules.known_share:g}",
    }


def _page(
    reader: LedgerReader,
    pool: str,
    who: Caller,
    fields: Mapping[str, str],
    *,
    problem: str = "",
    done: bool = False,
    at: int = 1,
) -> HTMLResponse:
    about, why = pools.pool(reader, pool), ""
    agreement: PeopleAgreement | None = None
    try:
        agreement = get_agreement(pool, reader, who)
    except (UsageError, Busy) as reason:
        why = str(reason)
    people, pages = page_of(agreement.people if agreement else [], pool_url(pool, "agreement"), at, MOST)
    return page(
        "agreement.html",
        status=422 if problem else 200,
        section="agreement",
        who=who,
        pool=about,
        live=events_url(pool),
        data=as_data(pool, "verdicts", agreement=pool_url(pool, "agreement")) if agreement else None,
        agreement=agreement,
        people=people,
        pages=pages,
        why=why,
        given=defaultdict(str, fields),
        most_overlap=MOST_OVERLAP,
        longest=LONGEST_GUIDELINES,
        problem=problem,
        done=done,
    )
