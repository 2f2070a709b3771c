"""Agents over HTTP: what is read, what is recorded and by whom, and that nothing counts twice."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from local_client import LocalClient
from paragone.agents import EloSystem
from paragone.ledger import Ledger
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile

AT = "/api/v1/agents"
DEBATE = {"id": "n1", "scores": {"ada": 0.8, "ben": 0.6, "new/one": 0.4}, "domain": "law", "task": "a <b>test</b>"}


@pytest.fixture
def db(debated_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(debated_once, tmp_path / "debated.db"))


@pytest.fixture
def client(db: Path, client_of: Callable[[WebConfig], TestClient]) -> TestClient:
    return client_of(WebConfig(db=str(db)))


@pytest.fixture(scope="module")
def steady(debated_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Path]]:
    """A client of a server that nothing is recorded on, and its ledger."""
    db = Path(shutil.copy(debated_once, tmp_path_factory.mktemp("steady") / "debated.db"))
    with LocalClient(create_app(WebConfig(db=str(db)))) as client:
        yield client, db


def version(db: Path) -> int:
    with Ledger.open(db) as ledger:
        return ledger.pools.versions()["agents"]


def test_everything_that_is_shown_can_be_read(steady: tuple[TestClient, Path]) -> None:
    client, _ = steady
    paths = (
        "", "?by=calibration", "?domain=law&by=elo", "/domains", "/relations?kind=rivals", "/debates", "/debates/d1",
        "/ada", "/ada/history?track=law", "/ada/debates", "/ada/calibration", "/ada/predictions", "/ada/relations",
        "/ada/relations/ben", "/ada/tests", "/forecast?agent=ada&opponent=dan&domain=law",
    )  # fmt: skip
    assert {path: client.get(AT + path).status_code for path in paths} == dict.fromkeys(paths, 200)
    assert client.get(AT, params={"limit": 1}).json()["rows"][0]["agent"] == "ada"
    assert client.get(f"{AT}/ada/relations/ben").json()["ahead"] == 3


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/eve", 404, "no agent 'eve'"),
        ("?pool=none", 404, "no agents in a pool 'none'"),
        ("?domain=none", 404, "nothing was recorded in the domain 'none'"),
        ("?by=beauty", 422, "by"),
        ("?cursor=abc", 422, "cursor"),
        ("/debates/none", 404, "no match 'none'"),
        ("/ada/relations/ada", 422, "two different agents"),
        ("/forecast?agent=ada&opponent=ada", 422, "cannot meet itself"),
        ("/forecast?agent=ada&opponent=eve", 404, "no agent 'eve'"),
        ("/forecast?agent=ada&opponent=ben&domain=none", 404, "nothing was recorded in the domain 'none'"),
        ("/forecast?agent=ada", 422, "opponent"),
        ("/ada/history?track=none", 404, "no rating in the domain"),
    ],
)
def test_what_is_not_there_is_refused_in_words(
    steady: tuple[TestClient, Path], path: str, status: int, words: str
) -> None:
    answer = steady[0].get(AT + path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.json()["detail"]


def test_a_debate_counts_once(client: TestClient, db: Path) -> None:
    first = client.post(f"{AT}/debates", json=DEBATE)
    assert first.status_code == 201
    assert client.get(first.headers["location"]).json() == first.json()
    changes = {one["agent"]: one["change"] for one in first.json()["entries"]}
    assert list(changes) == ["ada", "ben", "new/one"]
    assert sum(changes.values()) == pytest.approx(0.0)
    was = version(db)
    again = client.post(f"{AT}/debates", json=DEBATE)
    assert (again.status_code, again.json()) == (200, first.json())
    other = client.post(f"{AT}/debates", json={**DEBATE, "scores": {"ada": 0.1, "ben": 0.6, "new/one": 0.4}})
    assert other.status_code == 409
    assert "n1" in other.json()["detail"]
    assert version(db) == was
    with EloSystem(db, snapshot=False) as elo:
        recorded = elo.get_recent_matches(1)[0]
        assert (recorded["debate_id"], recorded["elo_changes"]) == ("n1", changes)
        assert elo.audit().ok
    assert client.get(f"{AT}/~bmV3L29uZQ").json()["row"]["agent"] == "new/one"


KEYED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("critiques", {"id": "k1", "agent": "ada", "accepted": True}, {"accepted": False}),
    ("predictions/domain", {"id": "k2", "agent": "ada", "domain": "law", "confidence": 0.5, "correct": True},
     {"correct": False}),
    ("relations", {"id": "k3", "a": "ada", "b": "cyd", "debates": 2, "agreements": 1, "wins": 1}, {"debates": 3}),
    ("red-team", {"session": "k4", "agent": "ben", "robustness": 0.9, "successful": 1, "total": 9}, {"total": 10}),
    ("verifications", {"id": "k5", "agent": "ben", "verified": 2, "domain": "law"}, {"verified": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "change"), KEYED, ids=[path for path, _, _ in KEYED])
def test_what_has_a_key_counts_once(
    client: TestClient, db: Path, path: str, body: dict[str, Any], change: dict[str, Any]
) -> None:
    first = client.post(f"{AT}/{path}", json=body)
    assert first.status_code == 201, first.text
    was = version(db)
    again = client.post(f"{AT}/{path}", json=body)
    assert (again.status_code, again.json()) == (200, first.json())
    assert client.post(f"{AT}/{path}", json={**body, **change}).status_code == 409
    assert version(db) == was


def test_tests_move_ratings_by_the_formulas(client: TestClient) -> None:
    hurt = {"session": "s", "agent": "dan", "robustness": 0.4, "successful": 5, "total": 10, "critical": 1}
    told = client.post(f"{AT}/red-team", json=hurt).json()
    assert told["change"] == pytest.approx(-0.5 * 32 * 0.5 - 2)
    assert told["elo"] == pytest.approx(1490.0)
    proven = {"id": "v", "agent": "dan", "verified": 3, "disproven": 1, "k": 8}
    assert client.post(f"{AT}/verifications", json=proven).json()["change"] == pytest.approx(8.0)
    assert client.get(f"{AT}/dan/tests").json()["verification"] == pytest.approx(8.0)


def test_a_prediction_stands_until_its_tournament_is_resolved(client: TestClient) -> None:
    body = {"tournament": "final", "agent": "dan", "winner": "ada", "confidence": 0.6}
    assert client.post(f"{AT}/predictions", json=body).status_code == 201
    assert client.post(f"{AT}/predictions", json=body).status_code == 200
    assert client.post(f"{AT}/predictions", json={**body, "confidence": 0.8}).status_code == 201
    won = {"tournament": "final", "winner": "ada"}
    resolved = client.post(f"{AT}/predictions/resolve", json=won)
    assert resolved.json()["briers"] == {"dan": pytest.approx(0.04)}
    assert client.post(f"{AT}/predictions/resolve", json=won).json() == resolved.json()
    assert client.post(f"{AT}/predictions/resolve", json={**won, "winner": "ben"}).status_code == 409
    assert client.post(f"{AT}/predictions", json=body).status_code == 409
    row = client.get(f"{AT}/dan").json()["row"]
    assert (row["predictions"], row["correct"]) == (1, 1)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("debates", {"id": "x", "scores": {"ada": 1.0}}),
        ("debates", {"id": "x", "scores": {"ada": 1.0, "ben": -1.0}}),
        ("debates", {"id": "x", "scores": {"ada": 1.0, "  ": 0.0}}),
        ("debates", {"id": "x", "scores": {"ada": 1.0, "a\u0000b": 0.0}}),
        ("debates", {"id": "x", "scores": {"ada": 1.0, "ben": 0.0}, "domain": "global"}),
        ("debates", {"id": "x", "scores": {"ada": 1.0, "ben": 0.0}, "winner": "ada"}),
        ("predictions", {"tournament": "t", "agent": "ada", "winner": "ben", "confidence": 1.1}),
        ("relations", {"id": "x", "a": "ada", "b": "ada", "debates": 1}),
        ("relations", {"id": "x", "a": "ada", "b": "ben"}),
        ("red-team", {"session": "x", "agent": "ada", "robustness": 0.5, "successful": 3, "total": 2}),
        ("verifications", {"id": "x", "agent": "ada"}),
        ("critiques", {"agent": "ada", "accepted": True}),
    ],
    ids=[
        "alone", "below zero", "blank", "null", "global", "unknown field", "certain", "itself", "nothing",
        "more than all", "no claim", "no id",
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_and_leaves_nothing(
    steady: tuple[TestClient, Path], path: str, body: dict[str, Any]
) -> None:
    client, db = steady
    was = version(db)
    answer = client.post(f"{AT}/{path}", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"]
    assert version(db) == was


def test_judges_record_and_admins_begin(db: Path, client_of: Callable[[WebConfig], TestClient], tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    tokens = {role: {"authorization": f"Bearer {file.add(role.name.lower(), role)}"} for role in Role}
    client = client_of(WebConfig(db=str(db), tokens=file.path))
    assert client.get(AT).status_code == 401
    assert client.get(AT, headers=tokens[Role.READ]).status_code == 200
    assert client.post(f"{AT}/debates", json=DEBATE, headers=tokens[Role.VOTE]).status_code == 403
    assert client.post(f"{AT}/debates", json=DEBATE, headers=tokens[Role.JUDGE]).status_code == 201
    agent = {"agent": "eve", "model": "m"}
    assert client.post(AT, json=agent, headers=tokens[Role.JUDGE]).status_code == 403
    elsewhere = {"params": {"pool": "team"}, "headers": tokens[Role.JUDGE]}
    refused = client.post(f"{AT}/debates", json=DEBATE, **elsewhere)
    assert (refused.status_code, "an admin makes it" in refused.json()["detail"]) == (404, True)
    made = client.post(AT, json=agent, params={"pool": "team"}, headers=tokens[Role.ADMIN])
    assert (made.status_code, made.json()["row"]["model"]) == (201, "m")
    assert made.headers["location"] == f"{AT}/eve?pool=team"
    again = client.post(AT, json=agent, params={"pool": "team"}, headers=tokens[Role.ADMIN])
    assert again.status_code == 200
    assert client.post(f"{AT}/debates", json=DEBATE, **elsewhere).status_code == 201


def test_an_agent_may_be_called_as_what_is_beside_agents(client: TestClient) -> None:
    made = client.post(AT, json={"agent": "domains"})
    assert made.headers["location"] == f"{AT}/~ZG9tYWlucw"
    assert client.get(f"{AT}/~ZG9tYWlucw").json()["row"]["agent"] == "domains"
    assert "domains" in client.get(f"{AT}/domains").json()


def test_a_snapshot_that_is_there_is_kept_up_and_none_is_begun(client: TestClient, db: Path) -> None:
    client.post(f"{AT}/debates", json=DEBATE)
    assert list(db.parent.glob("*.snapshot.json")) == []
    with EloSystem(db) as elo:
        file = Path(elo.write_snapshot())
    client.post(f"{AT}/debates", json={**DEBATE, "id": "n2"})
    assert '"n2"' in file.read_text("utf-8")


def test_what_another_process_records_is_seen(client: TestClient, db: Path) -> None:
    assert client.get(AT).json()["debates"] == 6
    with EloSystem(db, snapshot=False, warn=False) as elo:
        elo.record_match("elsewhere", ["ada", "dan"], {"ada": 0.0, "dan": 1.0})
        elo.record_critique("dan", accepted=True)
    assert client.get(f"{AT}/debates", params={"limit": 1}).json()["debates"][0]["id"] == "elsewhere"
    found = client.get(f"{AT}/dan").json()
    while found["pending"]:
        found = client.get(f"{AT}/dan").json()
    assert (found["row"]["wins"], found["critiques"]) == (1, 1)


def test_a_debate_is_voided_as_any_match_is(client: TestClient) -> None:
    path, before = "/api/v1/pools/agents/matches/n1/rollback", client.get(f"{AT}/ada").json()["row"]
    client.post(f"{AT}/debates", json=DEBATE)
    assert client.post(path, json={"reason": "the judge was ill"}).status_code == 200
    voided = client.get(f"{AT}/debates/n1").json()
    assert (voided["rolled_back"], len(voided["entries"])) == (True, 3)
    after = client.get(f"{AT}/ada").json()["row"]
    assert after["elo"] == pytest.approx(before["elo"])
    assert (after["wins"], after["debates"]) == (before["wins"], before["debates"])
    assert client.get(f"{AT}/ada/history", params={"limit": 1}).json()["moves"][0]["cause"] == "n1"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/debates", {"id": "x", "scores": {"ada": 0.8, "bne": 0.6}}),
        ("/predictions", {"tournament": "x", "agent": "ada", "winner": "bne", "confidence": 0.5}),
        ("/predictions/resolve", {"tournament": "x", "winner": "bne"}),
        ("/predictions/domain", {"id": "x", "agent": "bne", "domain": "law", "confidence": 0.5, "correct": True}),
        ("/critiques", {"id": "x", "agent": "bne", "accepted": True}),
        ("/relations", {"id": "x", "a": "ada", "b": "bne", "debates": 1}),
        ("/red-team", {"session": "x", "agent": "bne", "robustness": 0.9, "successful": 1, "total": 9}),
        ("/verifications", {"id": "x", "agent": "bne", "verified": 1}),
    ],
)
def test_strict_refuses_an_agent_that_is_not_registered(
    steady: tuple[TestClient, Path], path: str, body: dict[str, Any]
) -> None:
    client, db = steady
    before = version(db)
    refused = client.post(AT + path, json=body, params={"strict": True})
    assert (refused.status_code, "did you mean 'ben'?" in refused.text) == (404, True)
    assert version(db) == before


def test_an_agent_that_is_called_evidence_has_its_own_page(client: TestClient) -> None:
    assert client.post(AT, json={"agent": "evidence"}).status_code == 201
    assert client.get(client.post(AT, json={"agent": "evidence"}).headers["location"]).json()["row"]["agent"] == (
        "evidence"
    )
    assert client.get(f"{AT}/evidence", params={"kind": "critique"}).json()["evidence"][0]["kind"] == "critique"
