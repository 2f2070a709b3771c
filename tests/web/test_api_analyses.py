"""A closer look over HTTP: the same as the command line shows, and decisions about what looks wrong."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from paragone.ledger import Ledger
from paragone.tournaments.results.quality import quality_of
from paragone.tournaments.results.tournament_board import WhatIf
from paragone.tournaments.tournament import Tournament

POOL = "tournament-1"
AT = f"/api/v1/pools/{POOL}"


def test_what_if_is_the_board_of_the_command_line_and_changes_nothing(shared_client: TestClient, played: Path) -> None:
    before = shared_client.get(AT).json()
    with Tournament.open(played) as tournament:
        (judge,) = {one["judge"] for one in shared_client.get(f"{AT}/judges").json()["judges"]}
        suppose = WhatIf(k=64.0, without_matches=("1.1", "1.2"), position=False)
        expected = tournament.whatif(suppose)
    asked = {"k": 64, "without_match": ["1.1", "1.2"], "position": False, "limit": 3}
    found = shared_client.get(f"{AT}/whatif", params=asked).json()
    rows = [(row.id, row.rank, row.rating, row.elo) for row in expected.items[:3]]
    assert [(row["id"], row["rank"], row["rating"], row["elo"]) for row in found["rows"]] == rows
    assert (found["total"], found["next"], found["by"]) == (8, None, "strength")
    alone = shared_client.get(f"{AT}/whatif", params={"without_judge": judge}).json()
    assert {row["matches"] for row in alone["rows"]} == {0}
    assert shared_client.get(AT).json() == before


def test_consistency_is_that_of_the_command_line(shared_client: TestClient, played: Path) -> None:
    with Tournament.open(played) as tournament:
        expected = quality_of(tournament.ledger, tournament.state)
    found = shared_client.get(f"{AT}/consistency").json()
    assert (found["matches"], found["consensus"]) == (expected.matches, "none")
    assert found["transitivity"]["triples"] == expected.transitivity.triples > 0
    assert found["transitivity"]["share"] == expected.transitivity.share
    assert [[beat["winner"] for beat in ring["beats"]] for ring in found["tangles"]["cycles"]] == [
        list(ring.items) for ring in expected.tangles.cycles
    ]
    assert [one["match"] for one in found["outliers"]["listed"]] == [one.match for one in expected.outliers.listed]
    assert [one["judge"] for one in found["judges"]] == [one.judge for one in expected.judges]


def test_patterns_and_parameters_are_told(shared_client: TestClient) -> None:
    patterns = shared_client.get(f"{AT}/patterns").json()
    assert (patterns["matches"], patterns["found"], patterns["confidence"]) == (40, False, 0.0)
    assert "100 are needed" in patterns["summary"]
    assert shared_client.get(f"{AT}/parameters").json()["scheduling"]["rounds_per_session"] == 10


@pytest.mark.parametrize("path", ["consistency", "patterns", "parameters", "whatif"])
def test_a_pool_that_is_no_tournament_has_none_of_it(client: TestClient, played: Path, path: str) -> None:
    with Ledger.open(played) as ledger:
        ledger.pools.create("bare", ledger.pools.config(POOL))
    answer = client.get(f"/api/v1/pools/bare/{path}")
    assert (answer.status_code, "not a tournament" in answer.json()["detail"]) == (404, True)


def test_what_looks_wrong_is_decided_once(client: TestClient, played: Path) -> None:
    with Ledger.open(played) as ledger:
        for number, match in enumerate(("1.1", "1.2", "1.3")):
            odd = {
                "id": f"spike:{number}/é",
                "item": "i1",
                "match": match,
                "kind": "spike",
                "size": 99.0,
                "reason": "?",
            }
            ledger.tournaments.add_event(POOL, "anomaly", odd)
    first = client.get(f"{AT}/anomalies", params={"limit": 2}).json()
    rest = client.get(f"{AT}/anomalies", params={"limit": 2, "cursor": first["next"]}).json()
    assert [one["id"] for one in first["anomalies"] + rest["anomalies"]] == [f"spike:{n}/é" for n in range(3)]
    assert rest["next"] is None
    path = f"{AT}/anomalies/~c3Bpa2U6MC_DqQ"
    away = {"decision": "rolled back", "reason": "a slip"}
    done = client.post(path, json=away)
    assert (done.status_code, done.json()["decision"], done.json()["because"]) == (200, "rolled back", "local: a slip")
    assert client.get(f"{AT}/matches/1.1").json()["rolled_back"]
    assert client.post(path, json=away).json() == done.json()
    other = client.post(path, json={"decision": "kept", "reason": "no"})
    assert (other.status_code, "was rolled back already" in other.json()["detail"]) == (409, True)
    assert client.post(f"{AT}/anomalies/spike", json=away).status_code == 404
    with Ledger.open(played) as ledger:
        acts = [event.detail["act"] for event in ledger.tournaments.events(POOL) if event.kind == "admin"]
    assert acts == ["review"]
    assert client.post(f"{AT}/audit").json()["ok"]
