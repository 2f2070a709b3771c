"""Who may ask which route: every route, by role and by pool, for tokens and for people who were invited."""

import re
import time
from typing import get_args

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import TokenFile
from paragone.web.middleware.authentication import cookie_of
from paragone.web.middleware.authorization import Admin, Judging, Reader, Voter, here
from paragone.web.middleware.roles import Access, Caller, Person, Role
from paragone.wire.people import PersonGrant

SECRET = b"s" * 32
ROLES = {Reader: Role.READ, Voter: Role.VOTE, Judging: Role.JUDGE, Admin: Role.ADMIN}
CHECKS = {get_args(check)[1].dependency: role for check, role in ROLES.items()}
LISTINGS = {"/", "/vote", "/api/v1/pools", "/api/v1/openapi.json"}
"""What people who were invited may read beside their pools."""
OWN, OTHER = "tournament-1", "other-1"


def needed(dependant):
    """The most that a route's checks ask for; None if it asks for nothing."""
    roles = [CHECKS[dependant.call]] if dependant.call in CHECKS else []
    roles += [role for each in dependant.dependencies if (role := needed(each)) is not None]
    return max(roles, default=None)


@pytest.fixture(scope="module")
def guarded(played_once, routes_of):
    """Every route that asks who it is: path, method, and the role that it takes."""
    app = create_app(WebConfig(db=str(played_once)))
    try:
        return [
            (path, method, role)
            for path, route in routes_of(app.routes)
            if hasattr(route, "dependant") and (role := needed(route.dependant)) is not None
            for method in route.methods - {"HEAD"}
        ]
    finally:
        app.state.reader.close()


def scoped(role):
    return Caller(name="ann", role=role, key="k", grants=(PersonGrant(pool=OWN, role=role.word),))


def may(who, path, method, role, pool):
    params = {"pool": pool} if "{pool}" in path else {}
    scope = {"type": "http", "method": method, "path": path.replace("{pool}", pool), "path_params": params}
    request = Request({**scope, "query_string": b"", "headers": [(b"host", b"localhost")], "scheme": "http"})
    try:
        return here(request, who).role >= role
    except HTTPException:
        return False


def test_each_route_by_role_and_by_pool(guarded):
    assert len(guarded) > 120
    assert {role for *_, role in guarded} == set(Role)
    for path, method, role in guarded:
        for held in Role:
            assert may(Caller(name="t", role=held), path, method, role, OTHER) == (held >= role), "tokens see all"
            in_pool, listed = "{pool}" in path, path in LISTINGS and method == "GET"
            wanted = (in_pool and held >= role) or (listed and role == Role.READ)
            assert may(scoped(held), path, method, role, OWN) == wanted, (path, method, held)
            assert may(scoped(held), path, method, role, OTHER) == (listed and role == Role.READ), (path, method, held)


def test_over_http_people_reach_nothing_outside_their_pools(guarded, played, tmp_path, client_of):
    file = TokenFile(tmp_path / "tokens.json")
    grants = (PersonGrant(pool="elsewhere-1", role="judge"),)
    person = Person(name="ann", key="a" * 64, joined=0.0, grants=grants)
    file.change(lambda _: (Access(people={"ann": person}), None))
    client = client_of(WebConfig(db=str(played), tokens=file.path, secret=SECRET, rate=10**6))
    cookie = cookie_of(person.caller, SECRET, time.time() + 60)
    headers = {"cookie": f"paragone={cookie}", "origin": "http://localhost", "sec-fetch-site": "same-origin"}
    page = client.get("/", headers={**headers, "accept": "text/html"})
    headers["x-csrf-token"] = re.search('<meta name="csrf" content="([0-9a-f]{64})">', page.text)[1]
    assert OWN not in page.text
    assert client.get("/api/v1/pools", headers=headers).json()["pools"] == []
    statuses = {
        (path, method): client.request(
            method, re.sub(r"\{(\w+)(:\w+)?\}", "x", path.replace("{pool}", OWN)), headers=headers
        ).status_code
        for path, method, _ in guarded
        if path not in LISTINGS
    }
    no_memory = {404} if client.app.state.memory is None else set()  # said before anything else, and to anybody
    odd = {key: status for key, status in statuses.items() if status != 403}
    assert {key: status for key, status in odd.items() if status not in no_memory or "/memory" not in key[0]} == {}
    assert client.get("/api/v1/events", params={"pool": OWN}, headers=headers).status_code == 403
