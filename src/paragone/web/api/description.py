"""The OpenAPI document as people read it: summaries, fields and examples, from what the code says of itself."""

import re
from collections.abc import Iterable
from typing import Any

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
    "PoolGiven": {
        "name": "names",
        "criteria": "short and easy to say",
        "items": [{"id": "ada", "text": "Ada"}, {"id": "grace", "text": "Grace"}],
    },
    "ItemsGiven": {"items": [{"id": "hedy", "text": "Hedy"}]},
    "MatchGiven": {
        "id": "ci-4711",
        "a": "ada",
        "b": "grace",
        "answers": [
            {"first": "ada", "choice": "first", "rationale": "It is shorter."},
            {"first": "grace", "choice": "second"},
        ],
    },
    "VoteGiven": {"offer": "the `offer` of the pair", "choice": "first", "voter": "ann", "seconds": 2.5},
    "LeaseWanted": {"seconds": 600},
    "VerdictGiven": {
        "lease": "the `lease` of the pair",
        "choice": "second",
        "probability": 0.2,
        "rationale": "Shorter.",
    },
    "RollbackWanted": {"reason": "disputed"},
    "DecisionGiven": {"decision": "kept", "reason": "a fair result"},
    "TaskWanted": {"id": "t-1", "task_type": "GlobalRanking", "hypothesis_ids": []},
    "RunWanted": {"confirm": "the `confirm` of the forecast", "budget": 200},
    "Problem": {"type": "about:blank", "title": "Not found", "status": 404, "detail": "there is no pool 'ideas-9'"},
}
_FIELD = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)


def described(document: Document) -> Document:
    """The document with summaries, descriptions of fields, tags and examples put in."""
    for methods in document["paths"].values():
        for operation in methods.values():
            _summarise(operation)
    schemas = document.get("components", {}).get("schemas", {})
    for name, schema in schemas.items():
        _explain(schema)
        if name in EXAMPLES:
            schema["examples"] = [EXAMPLES[name]]
    for schema in schemas.values():
        _inherit(schema, schemas.values())
    used = {tag for methods in document["paths"].values() for one in methods.values() for tag in one.get("tags", ())}
    document["tags"] = [{"name": tag, "description": TAGS[tag]} for tag in TAGS if tag in used]
    return document


def _inherit(schema: Document, others: Iterable[Document]) -> None:
    """What another schema says of a field, where all of its fields are here too: it is what this one is made from."""
    fields = schema.get("properties", {})
    for other in others:
        theirs = other.get("properties", {})
        for name in theirs if theirs and theirs.keys() < fields.keys() else ():
            if "description" in theirs[name]:
                fields[name].setdefault("description", theirs[name]["description"])


def _summarise(operation: Document) -> None:
    """The first sentence of what is said of a route, in place of its function's name."""
    first = operation.get("description", "").partition("\n\n")[0]
    sentence = " ".join(re.split(r"(?<=\.)\s", first, maxsplit=1)[0].split())
    operation["summary"] = sentence.rstrip(".") or operation["summary"]


def _explain(schema: Document) -> None:
    """What a docstring says of each attribute goes to the field, and stays out of what is said of the whole."""
    said, _, attributes = schema.get("description", "").partition("\n\nAttributes:\n")
    known = {name: " ".join(words.split()) for name, words in _FIELD.findall(attributes)}
    for name, field in schema.get("properties", {}).items():
        if name in known:
            field.setdefault("description", known[name])
    if said:
        schema["description"] = said
