"""The OpenAPI document: what this server can be asked for, to whom it may answer."""

import re
from typing import Any

from fastapi import APIRouter, Request

from paragone.web.middleware.authentication import Reader
from paragone.wire.value import describe

Document = dict[str, Any]

TAGS = {
    "pools": "Pools and their items.",
    "boards": "Leaderboards.",
    "matches": "Matches: listed, recorded, taken back.",
    "tournaments": "How tournaments are doing, what was found out about them, their tasks, and running them.",
    "exports": "Everything of a pool as a file.",
    "audits": "Whether the ledger is what it says.",
    "events": "What moves, as it moves.",
    "votes": "Votes of people.",
    "judging": "Judges that work elsewhere: leases, and verdicts on them.",
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
    "RollbackRequest": {"reason": "disputed"},
    "AnomalyReview": {"decision": "kept", "reason": "a fair result"},
    "TaskRequest": {"id": "t-1", "task_type": "GlobalRanking", "hypothesis_ids": []},
    "RunRequest": {"confirm": "the `confirm` of the forecast", "budget": 200},
    "Problem": {"type": "about:blank", "title": "Not found", "status": 404, "detail": "there is no pool 'ideas-9'"},
}


def described(document: Document) -> Document:
    """The document with summaries, descriptions of fields, tags and examples put in."""
    for methods in document["paths"].values():
        for operation in methods.values():
            _summarise(operation)
    schemas = document.get("components", {}).get("schemas", {})
    for name, schema in schemas.items():
        describe(schema)  # those of the documents; ours have done it
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
    """The first sentence of what is said of a route, in place of its function's name."""
    first = operation.get("description", "").partition("\n\n")[0]
    sentence = " ".join(re.split(r"(?<=\.)\s", first, maxsplit=1)[0].split())
    operation["summary"] = sentence.rstrip(".") or operation["summary"]


router = APIRouter()


@router.get("/openapi.json", include_in_schema=False)
def get_document(request: Request, _: Reader) -> dict[str, Any]:
    """Every route, parameter and field."""
    state = request.app.state
    if state.document is None:
        state.document = described(request.app.openapi())
    document: dict[str, Any] = state.document
    return document
