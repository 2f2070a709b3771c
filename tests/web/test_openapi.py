"""The OpenAPI document against the server: what it allows, and much that it does not, is answered as it says."""

import re
import shutil

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema_rs import Draft202012Validator, meta
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from debating_agents import debated
from local_client import LocalClient
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile

EXAMPLES = max(2, settings().max_examples // 20)
"""Requests of each kind to each operation."""
ENDLESS = {"/api/v1/events", "/api/v1/memory/events"}
THERE = {"pool": "tournament-1", "item": "i3", "match": "1.1", "content": "span.py",
         "agent": "ada", "other": "ben", "debate": "d1"}  # fmt: skip
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def document(played_once, remembered_once, tmp_path_factory):
    """The document of a server over a tournament and a memory."""
    db = tmp_path_factory.mktemp("openapi") / "played.db"
    db.write_bytes(played_once.read_bytes())
    debated(db)
    root = shutil.copytree(remembered_once, db.parent / "root")
    app = create_app(WebConfig(db=str(db), hosts=("testserver",), rate=10**9, memory=root))
    yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", lasting(app))
    app.state.reader.close()
    app.state.memory.close()


def lasting(app):
    """The same application for clients of one request each, which would end it with each."""

    async def asked(scope, receive, send):
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})

    return asked


def operations(document):
    return [found.ok() for found in document.get_all_operations()]


def takes_body(operation):
    return "requestBody" in operation.definition.raw


def parameters(operation):
    """What each parameter may be, by name."""
    return {each["name"]: each for each in operation.definition.raw.get("parameters", ())}


def kind(operation):
    """Its method, whether it takes a body, and where its parameters are and what they may be, whatever their names."""
    words = ("title", "description", "default")
    rules = [
        (each["in"], sorted((key, str(value)) for key, value in each["schema"].items() if key not in words))
        for each in parameters(operation).values()
    ]
    return operation.method, takes_body(operation), str(sorted(rules))


def test_the_document_tells_of_everything_and_nothing_private(document):
    raw = document.raw_schema
    found = {(operation.method, operation.path) for operation in operations(document)}
    assert {("get", "/api/v1/pools"), ("post", "/api/v1/pools/{pool}/matches"), ("get", "/api/v1/events")} <= found
    assert not [path for _, path in found if not path.startswith("/api/v1/")]
    assert raw["components"]["securitySchemes"]
    assert all(operation.definition.raw.get("security") for operation in operations(document))
    assert "Traceback" not in str(raw)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["allowed", "not allowed"])
def test_every_answer_is_as_documented(document, mode, deep):
    """What is allowed of every operation; what is not of the first of each kind, of every one with --deep."""
    wrong = {}
    documented = operations(document)
    if mode is GenerationMode.NEGATIVE and not deep:
        documented = list({kind(operation): operation for operation in reversed(documented)}.values())
    for operation in documented:
        if operation.path in ENDLESS:
            continue
        has_one = mode is GenerationMode.POSITIVE and not (
            takes_body(operation) or parameters(operation).keys() - THERE.keys()
        )

        @settings(
            max_examples=1 if has_one else EXAMPLES,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def answers(case):  # short, since its text is read twice for each operation
            look(case, mode, wrong)

        answers()
    assert wrong == {}


def look(case, mode, wrong):
    if mode is GenerationMode.POSITIVE:  # what is there, so that more is asked than whether it is
        case.path_parameters |= {name: THERE[name] for name in case.path_parameters.keys() & THERE.keys()}
    answer = case.call()
    try:
        case.validate_response(answer, checks=CHECKS)
    except BaseExceptionGroup as problems:
        wrong.setdefault(case.operation.label, f"{problems.exceptions[0]}\n{case.as_curl_command()}")


def test_the_document_says_what_everything_is(document):
    raw = document.raw_schema
    said = [(path, one) for path, methods in raw["paths"].items() for one in methods.values()]
    names = [one["operationId"] for _, one in said]
    assert len(set(names)) == len(names)
    assert {"list_pools", "record_match", "lease_pair"} <= set(names)
    assert [path for path, one in said if not (one["summary"] and one["description"] and one["tags"])] == []
    assert [path for path, one in said for told in one.get("parameters", ()) if not told.get("description")] == []
    schemas = raw["components"]["schemas"]
    fields = [(name, field, about) for name, schema in schemas.items() for field, about in fields_of(schema)]
    ours = {"Pool", "Board", "BoardRow", "Match", "Item", "LiveTournament", "NewPool", "LeasedVerdict"}
    assert [(name, field) for name, field, about in fields if name in ours and "description" not in about] == []
    assert "Attributes:" not in str(schemas["Board"]["description"])
    assert {tag["name"] for tag in raw["tags"]} >= {tag for _, one in said for tag in one["tags"]}


def fields_of(schema):
    return schema.get("properties", {}).items()


def test_schemas_are_valid_and_so_are_examples(document):
    schemas = document.raw_schema["components"]["schemas"]
    for name, schema in schemas.items():
        meta.validate(schema)
        whole = {"components": {"schemas": schemas}, "$ref": f"#/components/schemas/{name}"}
        for example in schema.get("examples", ()):
            Draft202012Validator(whole).validate(example)
    assert schemas["NewMatch"]["examples"]


def test_without_a_token_every_route_asks_for_one(document, played_once, tmp_path):
    db = shutil.copy(played_once, tmp_path / "played.db")
    TokenFile(tmp_path / "tokens.json").add("ada", Role.ADMIN)
    app = create_app(WebConfig(db=str(db), hosts=("testserver",), rate=10**9, tokens=tmp_path / "tokens.json"))
    missing = []
    with LocalClient(app, base_url="http://testserver") as client:
        for path, methods in document.raw_schema["paths"].items():
            for method in methods:
                answer = client.request(method, re.sub(r"{\w+}", "x", path), headers={"sec-fetch-site": "same-origin"})
                if answer.status_code != 401 or answer.headers["content-type"] != "application/problem+json":
                    missing.append((method, path, answer.status_code))
    assert missing == []
