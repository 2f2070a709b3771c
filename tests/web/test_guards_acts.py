"""Who may make what look like whose, and what is on record of it."""

import json

import pytest
from fastapi.testclient import TestClient

from local_server import soon
from paragone.domain import Choice
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.voting.pool_voting import opened
from paragone.web.voting.voters import Cast, Voters

POOL = "/api/v1/pools/tournament-1"
SECRET = b"s" * 32


@pytest.fixture
def board(played, tmp_path, client_of):
    """A client of a server, headers that bring a token of each of some, and the library."""
    file = TokenFile(tmp_path / "tokens.json")
    people = (
        ("anna", Role.VOTE),
        ("bert", Role.VOTE),
        ("grader", Role.JUDGE),
        ("other", Role.JUDGE),
        ("ada", Role.ADMIN),
    )
    tokens = {name: {"authorization": f"Bearer {file.add(name, role)}"} for name, role in people}
    client: TestClient = client_of(WebConfig(db=str(played), tokens=file.path, secret=SECRET))
    return client, tokens, client.app.state.reader


def acts(library):
    return [event.detail for event in library.ledger.tournaments.events("tournament-1") if event.kind == "admin"]


def test_what_names_no_judge_or_another_is_for_admins_and_on_record(board):
    client, tokens, library = board
    bare = {"id": "bare", "a": "i0", "b": "i1", "outcome": "a"}
    foreign = {
        "id": "for",
        "a": "i0",
        "b": "i1",
        "answers": [{"first": "i0", "choice": "first", "judge": "human:anna"}],
    }
    own = {"id": "own", "a": "i0", "b": "i1", "answers": [{"first": "i0", "choice": "first"}]}
    for match in (bare, foreign):
        assert client.post(f"{POOL}/matches", json=match, headers=tokens["grader"]).status_code == 403
    assert client.post(f"{POOL}/matches", json=own, headers=tokens["grader"]).status_code == 201
    assert acts(library) == []
    for match in (bare, foreign, bare):
        assert client.post(f"{POOL}/matches", json=match, headers=tokens["ada"]).status_code in {200, 201}
    assert acts(library) == [{"by": "ada", "act": "record match", "match": id} for id in ("bare", "for")]


def test_every_act_of_an_admin_is_on_record_with_who_it_was(board):
    client, tokens, library = board
    ada = tokens["ada"]
    told = client.get(f"{POOL}/forecast", params={"budget": 41}, headers=ada).json()
    assert client.post(f"{POOL}/run", json={"budget": 41, "confirm": told["confirm"]}, headers=ada).status_code == 202
    assert soon(lambda: client.get(f"{POOL}/live", headers=ada).json()["condition"] == "finished")
    client.post(f"{POOL}/matches/1.1/rollback", json={"reason": "odd"}, headers=ada)
    client.post(f"{POOL}/items", json={"items": [{"id": "new", "text": "n"}]}, headers=ada)
    client.post(f"{POOL}/tasks", json={"id": "t", "task_type": "GlobalRanking"}, headers=ada)
    assert [(one["by"], one["act"]) for one in acts(library)] == [
        ("ada", act) for act in ("run", "roll back", "add items", "submit task")
    ]
    made = client.post(
        "/api/v1/pools", json={"name": "x", "criteria": "c", "items": [{"text": "a"}, {"text": "b"}]}, headers=ada
    ).json()
    (event,) = [event for event in library.ledger.tournaments.events(made["id"]) if event.kind == "admin"]
    assert event.detail == {"by": "ada", "act": "create"}


def test_an_offer_is_for_one_voter_one_pool_and_votes_only(board):
    client, tokens, _ = board
    offer = client.get(f"{POOL}/votes/next", headers=tokens["anna"]).json()["pair"]["offer"]
    vote = {"offer": offer, "choice": "first"}
    assert client.post(f"{POOL}/votes", json=vote, headers=tokens["bert"]).status_code == 422
    assert client.post(f"{POOL}/votes", json={**vote, "voter": "anna"}, headers=tokens["bert"]).status_code == 403
    verdict = {"lease": offer, "choice": "first"}
    assert client.post(f"{POOL}/judgements", json=verdict, headers=tokens["grader"]).status_code == 422
    lease = client.post(f"{POOL}/judgements/next", headers=tokens["grader"]).json()["lease"]
    verdict = {"lease": lease, "choice": "first"}
    assert client.post(f"{POOL}/judgements", json=verdict, headers=tokens["other"]).status_code == 422
    assert client.post(f"{POOL}/judgements", json=verdict, headers=tokens["grader"]).status_code == 201
    assert client.post(f"{POOL}/judgements", json=verdict, headers=tokens["grader"]).status_code == 200
    other = {**verdict, "choice": "second"}
    assert client.post(f"{POOL}/judgements", json=other, headers=tokens["grader"]).status_code == 409
    cast = client.post(f"{POOL}/votes", json=vote, headers=tokens["anna"]).json()["vote"]
    assert client.post(f"{POOL}/votes/undo", json={"vote": cast}, headers=tokens["bert"]).status_code == 404


def test_an_offer_tells_a_voter_nothing_of_ratings_and_votes(board):
    client, tokens, _ = board
    seen = client.get(f"{POOL}/votes/next", headers=tokens["anna"]).json()
    assert sorted(seen["pair"]) == ["left", "offer", "right", "until"]
    offer = opened(seen["pair"]["offer"], SECRET, 0)
    assert (offer.pool, offer.judge) == ("tournament-1", "human:anna")
    assert set(seen["progress"]) <= {
        *("yours", "skipped", "answers", "aim", "confidence"),
        *("p_best", "top", "recall", "tau", "reached", "more", "pending"),
    }


def test_nobody_takes_the_place_of_another_voters_votes(board):
    """Ids of votes can be foretold: a judge that records matches under them keeps nobody from voting."""
    client, tokens, library = board
    offer = client.get(f"{POOL}/votes/next", headers=tokens["anna"]).json()["pair"]["offer"]
    pair = opened(offer, SECRET, 0)
    squat = {"id": pair.id, "a": pair.first, "b": pair.second, "answers": [{"first": pair.first, "choice": "tie"}]}
    assert client.post(f"{POOL}/matches", json=squat, headers=tokens["grader"]).status_code == 201
    vote = client.post(f"{POOL}/votes", json={"offer": offer, "choice": "tie"}, headers=tokens["anna"])
    assert vote.status_code == 201, "though the grader's match says the same of the same pair"
    assert vote.json()["vote"] != pair.id
    matches = [library.ledger.matches.get("tournament-1", id).match for id in (pair.id, vote.json()["vote"])]
    assert [match.comparisons[0].verdict.judge for match in matches] == ["token:grader", "human:anna"]
    again = client.post(f"{POOL}/votes", json={"offer": offer, "choice": "tie"}, headers=tokens["anna"])
    assert (again.status_code, again.json()["vote"]) == (200, vote.json()["vote"])


def test_whoever_only_asks_under_a_name_is_not_remembered():
    voters = Voters()
    assert voters.of("human:x") is not voters.of("human:x")
    voters.add("human:x", Cast(id="m", first="a", second="b", choice=Choice.TIE))
    assert voters.of("human:x").votes == 1


def test_a_line_of_the_log_names_who_asked_and_no_token(played, tmp_path, client_of, capsys):
    file = TokenFile(tmp_path / "tokens.json")
    token = file.add("ada", Role.READ)
    client = client_of(WebConfig(db=str(played), tokens=file.path, log="json"))
    client.get("/api/v1/pools", headers={"authorization": f"Bearer {token}"})
    client.get("/api/v1/pools", headers={"authorization": "Bearer pgn_wrong"})
    said = capsys.readouterr().err
    lines = [json.loads(line) for line in said.splitlines() if '"/api/v1/pools"' in line]
    assert [(line["who"], line["status"]) for line in lines] == [("ada", 200), (None, 401)]
    assert "pgn_" not in said
