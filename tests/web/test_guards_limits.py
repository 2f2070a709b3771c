"""What lasts is bounded by how much of it a client has open."""

from contextlib import ExitStack

import pytest
from starlette.exceptions import HTTPException

from paragone.web.app import MOST_STREAMS
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.middleware.limits import ConnectionLimit

EVENTS = "/api/v1/events"


def test_each_client_has_its_own_number():
    crowd = ConnectionLimit(2)
    with crowd.joined("a"), crowd.joined("a"):
        with pytest.raises(HTTPException) as refused:
            crowd.admit("a")
        assert (refused.value.status_code, refused.value.headers) == (429, {"retry-after": "10"})
        crowd.admit("b")
    crowd.admit("a")


def test_who_leaves_by_a_failure_is_not_counted_any_more():
    crowd = ConnectionLimit(1)
    with pytest.raises(RuntimeError, match="gone"), crowd.joined("a"):
        raise RuntimeError("gone")
    crowd.admit("a")


def test_event_streams_are_counted_by_token_and_address(played, tmp_path, client_of):
    file = TokenFile(tmp_path / "tokens.json")
    anna, bert = ({"authorization": f"Bearer {file.add(name, Role.READ)}"} for name in ("anna", "bert"))
    client = client_of(WebConfig(db=str(played), tokens=file.path, proxies=("127.0.0.1",)))
    crowd: ConnectionLimit = client.app.state.stream_limit
    here, there = {"x-forwarded-for": "10.0.0.1"}, {"x-forwarded-for": "10.0.0.2"}
    key = file.caller(anna["authorization"].removeprefix("Bearer ")).key
    with ExitStack() as streams:
        for _ in range(MOST_STREAMS):
            streams.enter_context(crowd.joined(f"{key}:10.0.0.1"))
        assert client.head(EVENTS, headers=anna | here).status_code == 429
        assert client.head(EVENTS, headers=anna | there).status_code == 200
        assert client.head(EVENTS, headers=bert | here).status_code == 200
    assert client.head(EVENTS, headers=anna | here).status_code == 200
