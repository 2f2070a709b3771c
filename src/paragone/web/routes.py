"""All routes, the API under /api/v1, operations and pages; and the OpenAPI document, with summaries and examples."""

import re
from functools import cache
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from paragone.web.api import (
    agent_evidence,
    agents,
    agreement,
    creation,
    dossiers,
    events,
    lifecycle,
    matches,
    memory,
    operations,
    people,
    pools,
    search,
    standing,
    tasks,
    texts,
    tournaments,
    votes,
    workers,
)
from paragone.web.middleware.authorization import Reader
from paragone.web.pages import agents as agents_page
from paragone.web.pages import agreement as agreement_page
from paragone.web.pages import assets as assets_page
from paragone.web.pages import begin as begin_page
from paragone.web.pages import board as board_page
from paragone.web.pages import change as change_page
from paragone.web.pages import item as item_page
from paragone.web.pages import join as join_page
from paragone.web.pages import judges as judges_page
from paragone.web.pages import live as live_page
from paragone.web.pages import login as login_page
from paragone.web.pages import match as match_page
from paragone.web.pages import memory as memory_page
from paragone.web.pages import overview as overview_page
from paragone.web.pages import people as people_page
from paragone.web.pages import records as records_page
from paragone.web.pages import report as report_page
from paragone.web.pages import search as search_page
from paragone.web.pages import side_by_side as side_by_side_page
from paragone.web.pages import vote as vote_page
from paragone.web.pages import what_if as what_if_page
from paragone.web.pages import workers as workers_page
from paragone.web.parameters import only_known
from paragone.wire.address import API
from paragone.wire.value import describe

_API = (
    votes,  # first: they come most often, and FastAPI tries one router after the other
    agreement,
    pools,
    lifecycle,
    standing,
    matches,
    search,
    tournaments,
    creation,
    people,
    tasks,
    texts,
    dossiers,
    workers,
    events,
    memory,
    agents,
    agent_evidence,
)
_PAGES = (
    assets_page,
    overview_page,
    login_page,
    join_page,
    people_page,
    begin_page,
    change_page,
    vote_page,
    agreement_page,
    board_page,
    side_by_side_page,
    what_if_page,
    match_page,
    item_page,
    judges_page,
    records_page,
    report_page,
    search_page,
    live_page,
    workers_page,
    agents_page,
    memory_page,
)


@cache
def routes() -> list[BaseRoute]:
    """All routes. They do not depend on the application, so a process builds them once: nothing else takes as long."""
    router = APIRouter(generate_unique_id_function=lambda route: route.name)  # method names of generated clients
    for part in (*(module.router for module in _API), texts.images, openapi):
        router.include_router(part, prefix=API, dependencies=[Depends(only_known)])
    router.include_router(texts.images, include_in_schema=False)  # where pages of the pool look for them
    router.include_router(operations.router)
    for page in _PAGES:
        router.include_router(page.router, include_in_schema=False)
    return router.routes


Document = dict[str, Any]

TITLE = "paragone"
SUMMARY = "Rank what cannot be measured but can be compared."
TAGS = {
    "pools": "Pools and their items.",
    "boards": "Leaderboards.",
    "matches": "Matches: listed, recorded and rolled back.",
    "tournaments": "Status, analyses, tasks and runs of tournaments.",
    "exports": "The records of a pool as files.",
    "audits": "Checks of the hash chain and of every rating.",
    "events": "Changes as they happen, as Server-Sent Events.",
    "votes": "Votes of people.",
    "judging": "External judges: leases of pairs, and verdicts on them.",
    "people": "People who were invited: who may do what, quotas, and revocations.",
    "agents": "Agents that debate.",
    "memory": "The memory of a folder.",
}
EXAMPLES: dict[str, Document] = {
    "NewPool": {
        "name": "names",
        "criteria": "short and easy to say",
        "items": [{"id": "ada", "text": "Ada"}, {"id": "grace", "text": "Grace"}],
    },
    "NewItems": {"items": [{"id": "hedy", "text": "Hedy"}]},
    "NewMatch": {
        "id": "ci-4711",
        "a": "ada",
        "b": "grace",
        "answers": [
            {"first": "ada", "choice": "first", "rationale": "It is shorter."},
            {"first": "grace", "choice": "second"},
        ],
    },
    "NewVote": {"offer": "the `offer` of the pair", "choice": "first", "voter": "ann", "seconds": 2.5},
    "LeaseRequest": {"seconds": 600},
    "LeasedVerdict": {
        "lease": "the `lease` of the pair",
        "choice": "second",
        "probability": 0.2,
        "rationale": "Shorter.",
    },
    "NewInvitation": {"pool": "ideas-1", "role": "vote", "uses": 5, "hours": 48, "a_day": 50},
    "NewVotingRules": {"overlap": 3, "guidelines": "Choose the one that you would rather read again."},
    "RollbackRequest": {"reason": "disputed"},
    "AnomalyReview": {"decision": "kept", "reason": "a fair result"},
    "TaskRequest": {"id": "t-1", "task_type": "GlobalRanking", "hypothesis_ids": []},
    "RunRequest": {"confirm": "the `confirm` of the forecast", "budget": 200},
    "Problem": {"type": "about:blank", "title": "Not found", "status": 404, "detail": "there is no pool 'ideas-9'"},
}


def described(document: Document) -> Document:
    """The document with summaries, descriptions of fields, tags and examples added."""
    for methods in document["paths"].values():
        for operation in methods.values():
            _summarise(operation)
    schemas = document.get("components", {}).get("schemas", {})
    for name, schema in schemas.items():
        describe(schema)  # for records of the documents; ours are described already
        if name in EXAMPLES:
            schema["examples"] = [EXAMPLES[name]]
    used = {
        tag
        for methods in document["paths"].values()
        for operation in methods.values()
        for tag in operation.get("tags", ())
    }
    document["tags"] = [{"name": tag, "description": TAGS[tag]} for tag in TAGS if tag in used]
    return document


def _summarise(operation: Document) -> None:
    """Set the summary of a route to the first sentence of its description."""
    first = operation.get("description", "").partition("\n\n")[0]
    sentence = " ".join(re.split(r"(?<=\.)\s", first, maxsplit=1)[0].split())
    operation["summary"] = sentence.rstrip(".") or operation["summary"]


openapi = APIRouter()


@openapi.get("/openapi.json", include_in_schema=False)
def get_document(_: Reader) -> Document:
    """Every route, parameter and field."""
    return document()


@cache
def document() -> Document:
    """The OpenAPI document; a process makes it once, as it does the routes."""
    return described(get_openapi(title=TITLE, version=version("paragone"), summary=SUMMARY, routes=routes()))
