"""Reading over HTTP: the same as the views, refusals as problem+json, ids of any kind."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from paragone.domain import Item, Match, Outcome, RatingConfig
from paragone.ledger import Ledger
from paragone.web.api.tournaments import get_history, get_status
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import LOCAL
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import board as board_views
from paragone.web.views import judges as judging
from paragone.web.views.board import board, compare
from paragone.web.views.items import item
from paragone.web.views.judges import judges
from paragone.web.views.matches import match
from paragone.web.views.pools import pool
from paragone.wire.address import api_url, item_url, match_url, pool_url

AT = "/api/v1/pools/tournament-1"
POOL = "tournament-1"


def test_routes_answer_with_what_the_views_say(
    shared_client: TestClient, library: LedgerReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part, name in ((board_views, "PATIENCE"), (board_views, "PATIENCE_FOR_CYCLES"), (judging, "PATIENCE")):
        monkeypatch.setattr(part, name, 60.0)  # however busy the machine is
    pairs = {
        "": pool(library, POOL),
        "/board": board(library, POOL),
        "/items/i3": item(library, POOL, "i3"),
        "/matches/1.1": match(library, POOL, "1.1"),
        "/status": get_status(POOL, library, LOCAL),
        "/history": get_history(POOL, library, LOCAL),
        "/judges": judges(library, POOL),
        "/compare": compare(library, POOL),
    }
    for path, expected in pairs.items():
        answer = shared_client.get(AT + path)
        assert (answer.status_code, answer.json()) == (
            200,
            TypeAdapter(type(expected)).dump_python(expected, mode="json"),
        ), path


def test_pools_say_what_is_in_them_and_what_they_took(shared_client: TestClient) -> None:
    (found,) = shared_client.get("/api/v1/pools").json()["pools"]
    assert (found["id"], found["items"], found["matches"]) == (POOL, 8, 40)
    assert (found["tournament"]["spending"]["decisions"], found["tournament"]["running"]) == (40, False)
    assert found["tournament"]["stopped"] == "the budget of 40 comparisons is spent"


def test_a_tournament_that_somebody_holds_is_running(client: TestClient, library: LedgerReader) -> None:
    with library.ledger.tournaments.claim(POOL):
        assert client.get(AT).json()["tournament"]["running"]
    assert not client.get(AT).json()["tournament"]["running"]


def test_every_listing_goes_on_where_the_page_before_ended(shared_client: TestClient) -> None:
    for path, rows, total in (("/board", "rows", 8), ("/items", "items", 8), ("/matches", "matches", 40)):
        seen, cursor = [], {}
        while True:
            page = shared_client.get(AT + path, params={"limit": 7, **cursor}).json()
            seen += [row["id"] for row in page[rows]]
            if page["next"] is None:
                break
            cursor = {"cursor": page["next"]}
        assert len(seen) == len(set(seen)) == total, path


def test_pools_are_listed_newest_first_page_by_page(client: TestClient, library: LedgerReader) -> None:
    for number in range(3):
        library.ledger.pools.create(f"p{number}", RatingConfig())
    first = client.get("/api/v1/pools?limit=2").json()
    second = client.get("/api/v1/pools", params={"limit": 2, "cursor": first["next"]}).json()
    assert [one["id"] for one in first["pools"] + second["pools"]] == ["p2", "p1", "p0", POOL]
    assert (second["next"], first["pools"][0]["tournament"]) == (None, None)


def test_the_matrix_has_each_meeting_from_both_sides(shared_client: TestClient, library: LedgerReader) -> None:
    seen = shared_client.get(f"{AT}/compare?count=5").json()
    played = [set(one.items) for one in library.state(POOL).matches]
    for row, one in enumerate(seen["items"]):
        for column, other in enumerate(seen["items"]):
            cell, mirrored = seen["cells"][row][column], seen["cells"][column][row]
            met = sum({one["id"], other["id"]} == pair for pair in played)
            assert (cell is None) == (met == 0)
            if cell is not None:
                assert cell["wins"] + cell["draws"] + cell["losses"] == met
                assert (cell["wins"], cell["losses"]) == (mirrored["losses"], mirrored["wins"])


def test_exports_are_files_to_be_saved(shared_client: TestClient) -> None:
    answer = shared_client.get(f"{AT}/exports/items?format=jsonl")
    assert answer.headers["content-type"] == "application/jsonl"
    assert answer.headers["content-disposition"] == 'attachment; filename="items.jsonl"'
    assert [json.loads(line)["id"] for line in answer.text.splitlines()] == [f"i{number}" for number in range(8)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/v1/pools/nowhere", 404),
        ("/api/v1/pools/nowhere/board", 404),
        ("/api/v1/pools/nowhere/exports/items", 404),
        (f"{AT}/items/nobody", 404),
        (f"{AT}/matches/9.9", 404),
        (f"{AT}/tasks/none", 404),
        (f"{AT}/board?limit=0", 422),
        (f"{AT}/board?sort=luck", 422),
        (f"{AT}/board?cursor=AAAA", 422),
        (f"{AT}/exports/everything", 422),
        ("/api/v1/pools/~%C3%BC", 422),
        ("/api/v1/nothing", 404),
    ],
)
def test_what_cannot_be_is_refused_as_a_problem(shared_client: TestClient, path: str, expected: int) -> None:
    answer = shared_client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (expected, "application/problem+json")
    problem = answer.json()
    assert problem["status"] == expected
    assert problem["detail"]


def test_a_pool_that_is_no_tournament_has_a_board_and_no_judges(client: TestClient, library: LedgerReader) -> None:
    library.ledger.pools.create("plain", RatingConfig())
    library.ledger.items.add("plain", [Item(id="a", text="a")])
    assert client.get("/api/v1/pools/plain/board").json()["rows"][0]["id"] == "a"
    assert "is not a tournament" in client.get("/api/v1/pools/plain/judges").json()["detail"]


HOSTILE = [
    "a/b",
    "..",
    ".",
    "%2F",
    "%252e",
    "~YQ",
    "a\\b",
    "a?b#c&d=e",
    "ü 漢",
    "\u202etxt",
    "a\nb",
    "\x00",
    " ",
    "'; --",
]


def test_ids_of_any_kind_are_found_by_their_addresses(
    tmp_path: Path, client_of: Callable[[WebConfig], TestClient]
) -> None:
    with Ledger.open(tmp_path / "h.db") as ledger:
        for id in HOSTILE:
            ledger.pools.create(id, RatingConfig())
            ledger.items.add(id, [Item(id=other, text=f"text of {other}") for other in HOSTILE])
        ledger.matches.record("..", Match(id="../x", a="a/b", b="..", outcome=Outcome.A))
    client = client_of(WebConfig(db=str(tmp_path / "h.db")))
    for id in HOSTILE:
        assert client.get(api_url(pool_url(id))).json()["id"] == id
        assert client.get(api_url(pool_url(id, "board"))).json()["total"] == len(HOSTILE)
        assert client.get(api_url(item_url("a/b", id))).json()["text"] == f"text of {id}"
    assert client.get(api_url(match_url("..", "../x"))).json()["winner"] == "a/b"


def test_the_document_describes_every_answer_and_every_refusal(shared_client: TestClient) -> None:
    document = shared_client.get("/api/v1/openapi.json").json()
    routes = [
        (path, verb, told)
        for path, verbs in document["paths"].items()
        for verb, told in verbs.items()
        if path.startswith("/api/v1/pools") and "events" not in path and "votes" not in path
    ]
    assert len(routes) > 20
    for path, verb, told in routes:
        assert told["description"] or told["summary"]
        for status_code, answer in told["responses"].items():
            kinds = answer.get("content", {})
            if status_code.startswith("2") and status_code != "204":
                assert kinds, (path, verb)
                assert all(kind["schema"] for kind in kinds.values()), (path, verb)
        if verb == "get" and "{pool}" in path:
            assert told["responses"]["404"]["content"]["application/problem+json"]["schema"], (path, verb)
    assert {"Problem", "Board", "Match", "Item"} <= set(document["components"]["schemas"])
