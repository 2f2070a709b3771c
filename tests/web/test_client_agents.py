"""The client's methods for agents against a real server: each reads or records, and what is sent again counts once."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_server import served
from paragone import Client
from paragone.client import addresses
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.web.views import links


@pytest.fixture(scope="module")
def client(debated_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("agents")
    shutil.copy(debated_once, folder / "debated.db")
    with served(folder / "debated.db", folder=folder) as running, Client(running.url) as client:
        while client.agent_board(domain="law").pending or client.agent_board().pending:
            pass
        yield client


def test_it_reads_what_there_is_of_agents(client: Client) -> None:
    assert [row.agent for row in client.agents()] == ["ada", "ben", "cyd", "dan"]
    assert [row.agent for row in client.agents(by="calibration")] == ["ada", "ben", "cyd"]
    page = client.agent_board(by="elo", limit=1)
    assert client.agent_board(by="elo", limit=3, cursor=page.next).rows == list(client.agents(by="elo"))[1:]
    found = client.agent("ada")
    assert (found.standing.rank, found.critiques, found.domains[0].domain) == (1, 2, "law")
    assert [move.cause for move in client.agent_history("ada", track="law")] == ["redteam:s1:ada", "d2", "d1"]
    assert [one.domain for one in client.agent_domains()] == ["law", "art"]
    assert client.calibration("ada").buckets[0].predictions == 6
    assert client.calibration("ben", domain="art").predictions == 1
    assert len(list(client.predictions("ada"))) == 7
    assert [(one.a, one.b) for one in client.relations(kind="allies")] == [("ben", "cyd")]
    assert [one.b for one in client.relations_of("ben").rivals] == ["ada"]
    assert client.relation("ben", "ada").behind == 3
    assert client.agent_tests("ada").proofs[0].verified == 3
    assert [one.id for one in client.debates("ada")] == ["d6", "d4", "d2", "d1"]
    assert next(client.debates()) == client.debate("d6")


def test_it_records_what_agents_did_once(client: Client) -> None:
    pool = "team a/b"
    assert client.register_agent("eve", "model-e", pool=pool).standing.model == "model-e"
    scores = {"eve": 0.9, "domains": 0.4}
    first = client.record_debate("one/two", scores, pool=pool, domain="law", outcome="win")
    assert client.record_debate("one/two", scores, pool=pool, domain="law", outcome="win") == first
    assert (first.winner, first.entries[0].change) == ("eve", 16.0)
    with pytest.raises(Conflict, match="one/two"):
        client.record_debate("one/two", {"eve": 0.1, "domains": 0.4}, pool=pool, domain="law", outcome="win")
    assert client.agent("domains", pool=pool).standing.losses == 1
    assert client.predict_winner("cup", "eve", "domains", 0.5, pool=pool).predictions == 0
    assert client.resolve_tournament("cup", "eve", pool=pool).briers == {"eve": 0.25}
    assert client.record_prediction("p1", "eve", "law", 1.0, correct=True, pool=pool).predictions == 2
    assert client.record_critique("c1", "eve", accepted=True, pool=pool).accepted == 1
    assert client.relate("r1", "eve", "domains", pool=pool, debates=3, agreements=3).agreement == 1.0
    assert client.record_red_team("s", "eve", 0.9, successful=1, total=10, pool=pool).change == pytest.approx(8.64)
    assert client.record_verification("v", "eve", verified=1, k=8.0, pool=pool).change == pytest.approx(4.0)
    assert client.agent("eve", pool=pool).standing.elo == pytest.approx(1516 + 8.64 + 4)
    assert next(client.agents()).agent == "ada"
    with pytest.raises(NotFound, match="no agent 'nobody'"):
        client.agent("nobody")
    with pytest.raises(InvalidConfig, match="two different agents"):
        client.relation("ada", "ada")


@given(st.text())
def test_agents_stand_in_paths_as_the_server_reads_them(name: str) -> None:
    assert addresses.agent_path(name, "history") == links.API + links.agent_url(name, links.AGENTS, "history")
    assert addresses.agents_path("debates", pool="team a") == links.API + links.agents_url("team a", "debates")


def test_names_of_what_is_beside_agents_are_known_on_both_sides() -> None:
    names = links.BESIDE_AGENTS
    assert {addresses.agent_path(name) for name in names} == {links.API + links.agent_url(name) for name in names}


def test_any_evidence_is_listed_and_voided_by_its_id(client: Client) -> None:
    pool = "voids"
    client.register_agent("eve", "model-e", pool=pool)
    client.register_agent("bob", pool=pool)
    before = client.agent("eve", pool=pool).standing
    client.record_debate("d", {"eve": 1.0, "bob": 0.0}, pool=pool)
    client.record_critique("c", "eve", accepted=True, pool=pool)
    client.record_red_team("s", "eve", 0.9, successful=1, total=20, pool=pool)
    client.record_verification("v", "eve", verified=4, pool=pool)
    client.record_prediction("p", "eve", "law", 0.8, correct=True, pool=pool)
    client.relate("r", "eve", "bob", debates=2, pool=pool)
    client.predict_winner("cup", "eve", "bob", 0.75, pool=pool)
    client.resolve_tournament("cup", "bob", pool=pool)
    recorded = list(client.evidence(pool=pool))
    assert [each.kind for each in recorded][:3] == ["resolution", "prediction", "relation"]
    assert [each.id for each in client.evidence(agent="bob", kind="debate", pool=pool)] == ["d"]
    for each in recorded[:-1]:  # the first is that eve was registered
        done = client.void_evidence(each.reference, "recorded by mistake", pool=pool)
        assert (done.new, done.evidence.void is not None) == (True, True)
        assert not client.void_evidence(each.reference, "again", pool=pool).new
    assert client.agent("eve", pool=pool).standing == before
    assert client.agent("eve", pool=pool).critiques == 0
    assert client.agent_tests("eve", pool=pool).sessions == 0
    assert client.relation("eve", "bob", pool=pool).debates == 0
    assert all(each.void for each in list(client.evidence(pool=pool))[:-1])
    assert client.record_red_team("s", "eve", 0.9, successful=1, total=20, pool=pool).id == "redteam:s:eve"
    assert client.agent("eve", pool=pool).standing == before, "what is sent again does not bring it back"
    with pytest.raises(NotFound, match=r"did you mean 'verification:v'"):
        client.void_evidence("verification:x", "x", pool=pool)
    client.predict_winner("shield", "eve", "bob", 0.75, pool=pool)
    with pytest.raises(NotFound, match=r"did you mean 'bob'\?"):
        client.resolve_tournament("shield", "bobb", pool=pool)
