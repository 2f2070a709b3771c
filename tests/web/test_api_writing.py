"""Writing over HTTP: once, however often it is sent; by who may; and on record."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from paragone.domain import Item, PairedDesign, RatingConfig
from paragone.ledger.evidence.tournaments import ADMIN
from paragone.tournaments.paired_comparison import begin
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.readers.ledger_reader import LedgerReader

POOL = "tournament-1"
AT = f"/api/v1/pools/{POOL}"
MATCH = {
    "id": "mine/1",
    "a": "i1",
    "b": "i2",
    "answers": [
        {
            "first": "i1",
            "choice": "first",
            "rationale": "longer",
            "scores": [{"criterion": "c", "first": 1, "second": 0}],
        },
        {"first": "i2", "choice": "second", "cost": 0.5, "seconds": 2.5, "input_tokens": 9},
    ],
}


def test_a_match_is_recorded_once_however_often_it_is_sent(client: TestClient, library: LedgerReader) -> None:
    first, second = (client.post(f"{AT}/matches", json=MATCH) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert first.headers["location"] == f"{AT}/matches/~bWluZS8x"
    assert client.get(first.headers["location"]).json() == first.json()
    assert (first.json()["winner"], first.json()["verdicts"][1]["judge"]) == ("i1", "token:local")
    assert library.ledger.matches.count(POOL) == 41
    assert client.post(f"{AT}/audit").json()["ok"]


def test_the_same_id_with_other_content_is_a_conflict(client: TestClient, library: LedgerReader) -> None:
    client.post(f"{AT}/matches", json=MATCH)
    other = client.post(f"{AT}/matches", json={**MATCH, "b": "i3", "answers": [{"first": "i1", "choice": "tie"}]})
    assert (other.status_code, other.headers["content-type"]) == (409, "application/problem+json")
    assert library.ledger.matches.get(POOL, "mine/1").match.b == "i2"


def test_a_match_that_many_send_at_once_is_recorded_once(client: TestClient, library: LedgerReader) -> None:
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(client.post(f"{AT}/matches", json=MATCH).status_code))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) <= {200, 201}
    assert len(answers) == 8
    assert library.ledger.matches.count(POOL) == 41


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"b": "i1"}, 422, "itself"),
        ({"b": "nobody", "answers": [], "outcome": "a"}, 404, "nobody"),
        ({"answers": []}, 422, "either"),
        ({"outcome": "a"}, 422, "either"),
        ({"answers": [{"first": "i5", "choice": "first"}]}, 422, "not in it"),
        ({"answers": [{"first": "i1", "choice": "best"}]}, 422, "choice"),
        ({"answers": [{"first": "i1", "choice": "tie", "cost": -1}]}, 422, "cost"),
        ({"id": ""}, 422, "id"),
        ({"more": 1}, 422, "more: there is no such field"),
    ],
)
def test_a_match_that_cannot_be_is_refused_in_words(
    shared_client: TestClient, change: dict, status: int, words: str
) -> None:
    answer = shared_client.post(f"{AT}/matches", json={**MATCH, **change})
    assert (answer.status_code, words in answer.json()["detail"]) == (status, True), answer.text


def test_a_rollback_moves_ratings_once_and_is_on_record(client: TestClient, library: LedgerReader) -> None:
    before = {id: rating.elo for id, rating in library.ledger.ratings.all(POOL).items()}
    client.post(f"{AT}/matches", json=MATCH)
    done = [client.post(f"{AT}/matches/~bWluZS8x/rollback", json={"reason": "a mistake"}) for _ in range(2)]
    assert [one.status_code for one in done] == [200, 200]
    assert (done[0].json()["rolled_back"], done[0].json()["reason"]) == (True, "local: a mistake")
    after = {id: rating.elo for id, rating in library.ledger.ratings.all(POOL).items()}
    assert after == pytest.approx(before)
    acts = [event.detail for event in library.ledger.tournaments.events(POOL) if event.kind == ADMIN]
    assert acts == [{"by": "local", "act": "roll back", "match": "mine/1", "reason": "a mistake"}]
    assert client.post(f"{AT}/matches/9.9/rollback", json={"reason": "x"}).status_code == 404
    assert client.post(f"{AT}/matches/1.1/rollback", json={"reason": ""}).status_code == 422


def test_a_pool_for_people_is_made_and_takes_matches_and_items(client: TestClient) -> None:
    wanted = {
        "name": "My ideas",
        "criteria": "bolder",
        "items": [{"text": "one"}, {"id": "2", "text": "two"}],
        "seed": 5,
    }
    made = client.post("/api/v1/pools", json=wanted)
    at = made.headers["location"]
    assert (made.status_code, at) == (201, "/api/v1/pools/my-ideas-1")
    told = made.json()["tournament"]
    assert (told["criteria"], told["judge"], told["running"]) == ("bolder", "given: people", False)
    assert client.post(f"{at}/items", json={"items": [{"text": "three"}, {"text": "one"}]}).json() == {
        "added": ["three"]
    }
    assert client.post(f"{at}/items", json={"items": [{"text": "three"}]}).json() == {"added": []}
    clash = client.post(f"{at}/items", json={"items": [{"id": "2", "text": "another"}]})
    assert clash.status_code == 409
    match = {"id": "m", "a": "three", "b": "one", "answers": [{"first": "one", "choice": "second"}]}
    assert client.post(f"{at}/matches", json=match).status_code == 201
    assert client.get(f"{at}/board").json()["rows"][0]["id"] == "three"


@pytest.mark.parametrize(
    "items", [[], [{"text": "one"}], [{"text": "x"}, {"text": "x"}], [{"text": "x"}, {"text": " "}], [{"text": "x"}, 3]]
)
def test_items_that_cannot_be_ranked_make_no_pool(shared_client: TestClient, items: list) -> None:
    assert shared_client.post("/api/v1/pools", json={"name": "n", "criteria": "c", "items": items}).status_code == 422
    assert len(shared_client.get("/api/v1/pools").json()["pools"]) == 1


def test_no_items_join_a_comparison_of_two_systems(client: TestClient, played: Path) -> None:
    outputs = ({f"q{number}": text for number in range(20)} for text in ("longer", "short"))
    compared, _ = begin(*outputs, PairedDesign(), judge=lambda first, second, criteria: "tie", db=played)
    with compared:
        pool = compared.state.id
    refused = client.post(f"/api/v1/pools/{pool}/items", json={"items": [{"text": "x"}]})
    assert refused.status_code == 422
    assert refused.json()["detail"] == f"{pool} compares the outputs of two systems, and takes no other items"


def test_items_join_a_pool_that_is_no_tournament(client: TestClient, library: LedgerReader) -> None:
    library.ledger.pools.create("plain", RatingConfig())
    library.ledger.items.add("plain", [Item(id="a", text="a")])
    added = client.post("/api/v1/pools/plain/items", json={"items": [{"text": "a"}, {"text": "b"}]})
    assert added.json() == {"added": ["b"]}
    assert set(library.ledger.ratings.all("plain")) == {"a", "b"}


def test_a_task_is_queued_once(client: TestClient) -> None:
    task = {"id": "t/1", "task_type": "TournamentRound", "hypothesis_ids": ["i1", "i2"], "context": {"matches": 2}}
    first, second = (client.post(f"{AT}/tasks", json=task) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 200)
    assert (first.json()["state"], first.json()["context"]) == ("queued", {"matches": 2})
    assert [one["id"] for one in client.get(f"{AT}/tasks").json()["tasks"]] == ["t/1"]
    assert client.get(f"{AT}/tasks/~dC8x").json() == first.json()
    assert client.post(f"{AT}/tasks", json={**task, "priority": 1}).status_code == 409
    unknown = client.post(f"{AT}/tasks", json={**task, "id": "2", "hypothesis_ids": ["i1", "zz"]})
    assert (unknown.status_code, "'zz'" in unknown.json()["detail"]) == (422, True)


def test_an_audit_names_the_row_that_was_altered(client: TestClient, played: Path) -> None:
    import sqlite3

    assert client.post("/api/v1/audit").json()["ok"]
    with sqlite3.connect(played) as database:
        database.execute("DROP TRIGGER item_refuses_update")
        database.execute("UPDATE item SET text = 'better' WHERE item = 'i3'")
    found = client.post(f"{AT}/audit").json()
    assert (found["ok"], found["differences"][0]["table"]) == (False, "item")
    assert found["heads"].keys() == {POOL}


@pytest.fixture
def guarded(played: Path, tmp_path: Path, client_of: Callable[[WebConfig], TestClient]) -> dict[str, dict[str, str]]:
    """A server with tokens: for each role the header that its caller sends, and the client."""
    tokens = TokenFile(tmp_path / "tokens.json")
    headers = {role.name.lower(): {"authorization": f"Bearer {tokens.add(role.name.lower(), role)}"} for role in Role}
    client = client_of(WebConfig(db=str(played), tokens=tokens.path, secret=b"s" * 32))
    return {"client": client, **headers}


def test_who_may_not_write_is_refused_and_nothing_is_written(guarded: dict, library: LedgerReader) -> None:
    client = guarded["client"]
    before = library.version(POOL)
    pool = {"name": "n", "criteria": "c", "items": [{"text": "1"}, {"text": "2"}]}
    task = {"id": "t", "task_type": "TournamentRound"}
    for role, path, body in (
        ("vote", f"{AT}/matches", MATCH),
        ("judge", f"{AT}/matches/1.1/rollback", {"reason": "x"}),
        ("judge", "/api/v1/pools", pool),
        ("judge", f"{AT}/items", {"items": [{"text": "x"}]}),
        ("judge", f"{AT}/tasks", task),
        ("judge", f"{AT}/audit", None),
    ):
        assert client.post(path, json=body, headers=guarded[role]).status_code == 403, path
        assert client.post(path, json=body).status_code == 401, path
    assert library.version(POOL) == before


def test_a_judge_answers_under_its_own_name_and_an_admin_under_any(guarded: dict) -> None:
    client = guarded["client"]
    named = {**MATCH, "answers": [{"first": "i1", "choice": "first", "judge": "human:ann"}]}
    assert client.post(f"{AT}/matches", json=named, headers=guarded["judge"]).status_code == 403
    own = client.post(f"{AT}/matches", json=MATCH, headers=guarded["judge"])
    assert own.json()["judges"] == ["token:judge"]
    other = client.post(f"{AT}/matches", json={**named, "id": "2"}, headers=guarded["admin"])
    assert other.json()["judges"] == ["human:ann"]


def test_a_writer_does_not_wait_for_a_reader_that_takes_long(client: TestClient, library: LedgerReader) -> None:
    held: LedgerReader = client.app.state.reader
    let_go, begun = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        assert let_go.wait(20)
        return 1

    reader = threading.Thread(target=lambda: held.kept("slow", POOL, slow))
    reader.start()
    assert begun.wait(20)
    assert client.post(f"{AT}/matches", json=MATCH).status_code == 201
    let_go.set()
    reader.join()
