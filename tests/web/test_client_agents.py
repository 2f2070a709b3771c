"""The client's methods for agents against a real server: each reads or records, and what is sent again counts once."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_server import served_in_thread
from paragone import Client
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.web.config import WebConfig


@pytest.fixture(scope="module")
def client(debated_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("agents")
    shutil.copy(debated_once, folder / "debated.db")
    with served_in_thread(WebConfig(db=str(folder / "debated.db"))) as running, Client(running.url) as client:
        while client.agents.board(domain="law").pending or client.agents.board().pending:
            pass
        yield client


def test_it_reads_what_there_is_of_agents(client: Client) -> None:
    assert [row.agent for row in client.agents.list()] == ["ada", "ben", "cyd", "dan"]
    assert [row.agent for row in client.agents.list(by="calibration")] == ["ada", "ben", "cyd"]
    page = client.agents.board(by="elo", limit=1)
    assert client.agents.board(by="elo", limit=3, cursor=page.next).rows == list(client.agents.list(by="elo"))[1:]
    found = client.agents.get("ada")
    assert (found.row.rank, found.critiques, found.domains[0].domain) == (1, 2, "law")
    assert [move.cause for move in client.agents.history("ada", track="law")] == ["redteam:s1:ada", "d2", "d1"]
    assert [one.domain for one in client.agents.domains()] == ["law", "art"]
    assert client.predictions.calibration("ada").buckets[0].predictions == 6
    assert client.predictions.calibration("ben", domain="art").predictions == 1
    assert len(list(client.predictions.list("ada"))) == 7
    assert [(one.a, one.b) for one in client.relations.list(kind="allies")] == [("ben", "cyd")]
    assert [one.b for one in client.relations.of("ben").rivals] == ["ada"]
    assert client.relations.get("ben", "ada").behind == 3
    assert client.agents.tests("ada").proofs[0].verified == 3
    ahead, behind = (
        client.agents.forecast("ada", "ben", domain="law"),
        client.agents.forecast("ben", "ada", domain="law"),
    )
    assert (ahead.domain, ahead.debates, ahead.expected) == ("law", 2, pytest.approx(1 - behind.expected))
    assert [one.id for one in client.debates.list("ada")] == ["d6", "d4", "d2", "d1"]
    assert next(client.debates.list()) == client.debates.get("d6")


def test_it_records_what_agents_did_once(client: Client) -> None:
    pool = "team a/b"
    assert client.agents.register("eve", "model-e", pool=pool).row.model == "model-e"
    scores = {"eve": 0.9, "domains": 0.4}
    first = client.debates.record("one/two", scores, pool=pool, domain="law", outcome="win")
    assert client.debates.record("one/two", scores, pool=pool, domain="law", outcome="win") == first
    assert (first.winner, first.entries[0].change) == ("eve", 16.0)
    with pytest.raises(Conflict, match="one/two"):
        client.debates.record("one/two", {"eve": 0.1, "domains": 0.4}, pool=pool, domain="law", outcome="win")
    assert client.agents.get("domains", pool=pool).row.losses == 1
    assert client.predictions.record_winner("cup", "eve", "domains", 0.5, pool=pool).predictions == 0
    assert client.predictions.resolve("cup", "eve", pool=pool).briers == {"eve": 0.25}
    assert client.predictions.record("p1", "eve", "law", 1.0, correct=True, pool=pool).predictions == 2
    assert client.agents.record_critique("c1", "eve", accepted=True, pool=pool).accepted == 1
    assert client.relations.record("r1", "eve", "domains", pool=pool, debates=3, agreements=3).agreement == 1.0
    assert client.agents.record_red_team("s", "eve", 0.9, successful=1, total=10, pool=pool).change == pytest.approx(
        8.64
    )
    assert client.agents.record_verification("v", "eve", verified=1, k=8.0, pool=pool).change == pytest.approx(4.0)
    assert client.agents.get("eve", pool=pool).row.elo == pytest.approx(1516 + 8.64 + 4)
    assert next(client.agents.list()).agent == "ada"
    with pytest.raises(NotFound, match="no agent 'nobody'"):
        client.agents.get("nobody")
    with pytest.raises(InvalidConfig, match="two different agents"):
        client.relations.get("ada", "ada")


def test_any_evidence_is_listed_and_voided_by_its_id(client: Client) -> None:
    pool = "voids"
    client.agents.register("eve", "model-e", pool=pool)
    client.agents.register("bob", pool=pool)
    before = client.agents.get("eve", pool=pool).row
    client.debates.record("d", {"eve": 1.0, "bob": 0.0}, pool=pool)
    client.agents.record_critique("c", "eve", accepted=True, pool=pool)
    client.agents.record_red_team("s", "eve", 0.9, successful=1, total=20, pool=pool)
    client.agents.record_verification("v", "eve", verified=4, pool=pool)
    client.predictions.record("p", "eve", "law", 0.8, correct=True, pool=pool)
    client.relations.record("r", "eve", "bob", debates=2, pool=pool)
    client.predictions.record_winner("cup", "eve", "bob", 0.75, pool=pool)
    client.predictions.resolve("cup", "bob", pool=pool)
    recorded = list(client.agents.evidence(pool=pool))
    assert [each.kind for each in recorded][:3] == ["resolution", "prediction", "relation"]
    assert [each.id for each in client.agents.evidence(agent="bob", kind="debate", pool=pool)] == ["d"]
    for each in recorded[:-1]:  # the first is that eve was registered
        done = client.agents.void(each.reference, "recorded by mistake", pool=pool)
        assert (done.new, done.evidence.void is not None) == (True, True)
        assert not client.agents.void(each.reference, "again", pool=pool).new
    assert client.agents.get("eve", pool=pool).row == before
    assert client.agents.get("eve", pool=pool).critiques == 0
    assert client.agents.tests("eve", pool=pool).sessions == 0
    assert client.relations.get("eve", "bob", pool=pool).debates == 0
    assert all(each.void for each in list(client.agents.evidence(pool=pool))[:-1])
    assert client.agents.record_red_team("s", "eve", 0.9, successful=1, total=20, pool=pool).id == "redteam:s:eve"
    assert client.agents.get("eve", pool=pool).row == before, "what is sent again does not bring it back"
    with pytest.raises(NotFound, match=r"did you mean 'verification:v'"):
        client.agents.void("verification:x", "x", pool=pool)
    client.predictions.record_winner("shield", "eve", "bob", 0.75, pool=pool)
    with pytest.raises(NotFound, match=r"did you mean 'bob'\?"):
        client.predictions.resolve("shield", "bobb", pool=pool)
