"""Votes and leases over HTTP, with and without tokens."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from markupsafe import escape

from paragone.ledger import Ledger
from paragone.tournaments.vote_import import import_votes
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.views import judges

POOL = "/api/v1/pools/ideas-1"
HOSTILE = "<script>alert(1)</script>\u202egnp.exe\n<img src=x onerror=alert(2)>"
TEXTS = ["one", "two", "three", "four"]

Clients = Callable[[WebConfig], TestClient]


def made(client: TestClient, texts: list[str], **headers: str) -> None:
    body = {"name": "ideas", "criteria": f"better {HOSTILE}", "items": [{"id": t[:8], "text": t} for t in texts]}
    assert client.post("/api/v1/pools", json=body, headers=headers).status_code == 201


@pytest.fixture
def asking(tmp_path: Path, client_of: Clients, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(judges, "PATIENCE", 60.0)  # however busy the machine is
    client = client_of(WebConfig(db=str(tmp_path / "votes.db")))
    made(client, TEXTS)
    return client


def cast(client: TestClient, seen: dict[str, Any], choice: str = "first", **more: Any) -> Any:
    return client.post(f"{POOL}/votes", json={"offer": seen["pair"]["offer"], "choice": choice, "voter": "ann", **more})


def test_a_vote_brings_the_next_pair(asking: TestClient) -> None:
    seen = asking.get(f"{POOL}/votes/next", params={"voter": "ann"}).json()
    assert {seen["pair"]["left"], seen["pair"]["right"]} <= set(TEXTS)
    assert seen["last"] is None
    voted = cast(asking, seen, seconds=2.5, rationale="clearer")
    assert voted.status_code == 201
    after = voted.json()
    assert after["vote"] == after["last"]
    assert after["progress"]["yours"] == after["progress"]["answers"] == 1
    assert after["pair"]["offer"] != seen["pair"]["offer"]
    match = asking.get(voted.headers["location"]).json()
    assert match["winner"] is not None
    assert [verdict["judge"] for verdict in match["verdicts"]] == ["human:ann"]
    assert match["verdicts"][0]["rationale"] == "clearer"


def test_the_same_vote_again_changes_nothing_and_another_is_a_conflict(asking: TestClient) -> None:
    seen = asking.get(f"{POOL}/votes/next", params={"voter": "ann"}).json()
    first, second = cast(asking, seen, seconds=1), cast(asking, seen, seconds=2)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["vote"] == second.json()["vote"]
    assert first.json()["pair"] == second.json()["pair"]
    other = cast(asking, seen, "second")
    assert other.status_code == 409
    assert "another window" in other.json()["detail"]
    assert asking.get(POOL).json()["matches"] == 1


def test_undo_brings_the_pair_back(asking: TestClient) -> None:
    seen = asking.get(f"{POOL}/votes/next", params={"voter": "ann"}).json()
    vote = cast(asking, seen, "tie").json()["vote"]
    undone = asking.post(f"{POOL}/votes/undo", json={"vote": vote, "voter": "ann"})
    assert undone.status_code == 200
    again = undone.json()["pair"]
    assert (again["left"], again["right"]) == (seen["pair"]["left"], seen["pair"]["right"])
    assert undone.json()["progress"]["yours"] == 0
    assert asking.post(f"{POOL}/votes/undo", json={"vote": vote, "voter": "ben"}).status_code == 404


def test_a_pair_that_was_shown_to_somebody_else_is_not_answered(asking: TestClient) -> None:
    seen = asking.get(f"{POOL}/votes/next", params={"voter": "ann"}).json()
    stolen = cast(asking, seen, voter="ben")
    assert stolen.status_code == 422
    assert "somebody else" in stolen.json()["detail"]
    forged = cast(asking, {"pair": {"offer": seen["pair"]["offer"][:-1] + "!"}})
    assert forged.status_code == 422


@pytest.mark.parametrize(("voter", "why"), [(None, "say who votes"), (" ", "blank"), ("a\nb", "control character")])
def test_a_voter_has_a_name(asking: TestClient, voter: str | None, why: str) -> None:
    answer = asking.get(f"{POOL}/votes/next", params={} if voter is None else {"voter": voter})
    assert answer.status_code == 422
    assert why in answer.json()["detail"]


def test_how_reliable_voters_are_is_known_once_there_are_two(asking: TestClient) -> None:
    for voter, flip in (("ann", False), ("ben", True)):
        seen = asking.get(f"{POOL}/votes/next", params={"voter": voter}).json()
        while seen["pair"]:
            alphabetical = seen["pair"]["left"] < seen["pair"]["right"]
            choice = "first" if alphabetical != flip else "second"
            seen = cast(asking, seen, choice, voter=voter).json()
        assert seen["progress"]["yours"] == 12
    found = asking.get(f"{POOL}/voters").json()
    assert found["consensus"] == "others"
    assert set(found["voters"]) == {"ann", "ben"}
    assert found["voters"]["ann"]["agreement"] == 0.0
    assert found["voters"]["ann"]["agreement_low"] == pytest.approx(0.0)
    assert 0.0 < found["voters"]["ann"]["agreement_high"] < 0.5
    assert found["voters"]["ben"]["first_share"] == 0.5


def test_agreement_is_the_share_of_answers_that_a_fit_of_the_others_shares(asking: TestClient) -> None:
    order = sorted(TEXTS)
    flipped = {(order[0], order[3]), (order[3], order[0]), (order[0], order[2])}  # three of twelve
    first = dict.fromkeys(("ann", "ben", "cat"), 0)
    for voter in first:
        seen = asking.get(f"{POOL}/votes/next", params={"voter": voter}).json()
        while seen["pair"]:
            pair = (seen["pair"]["left"], seen["pair"]["right"])
            is_first = (pair[0] < pair[1]) != (voter == "cat" and pair in flipped)
            first[voter] += is_first
            seen = cast(asking, seen, "first" if is_first else "second", voter=voter).json()
        assert (seen["progress"]["yours"], seen["progress"]["skipped"]) == (12, 0)
    found = asking.get(f"{POOL}/voters").json()["voters"]
    assert {voter: one["comparisons"] for voter, one in found.items()} == dict.fromkeys(first, 12)
    assert {voter: one["agreement"] for voter, one in found.items()} == {"ann": 1.0, "ben": 1.0, "cat": 9 / 12}
    assert {voter: one["first_share"] for voter, one in found.items()} == {
        voter: count / 12 for voter, count in first.items()
    }
    # Wilson's interval of 9 of 12 at 0.95
    assert found["cat"]["agreement_low"] == pytest.approx(0.4677, abs=5e-4)
    assert found["cat"]["agreement_high"] == pytest.approx(0.9111, abs=5e-4)


def test_a_lease_is_renewed_and_given_back_over_http(asking: TestClient) -> None:
    lease = asking.post(f"{POOL}/judgements/next", json={"seconds": 5}).json()
    longer = asking.post(f"{POOL}/judgements/renew", json={"lease": lease["lease"], "seconds": 3600})
    assert (longer.status_code, longer.json()["id"]) == (200, lease["id"])
    assert longer.json()["until"] > lease["until"] + 3000
    back = asking.post(f"{POOL}/judgements/return", json={"lease": longer.json()["lease"]})
    assert (back.status_code, back.content) == (204, b"")
    again = asking.post(f"{POOL}/judgements/next").json()
    assert (again["first"], again["second"]) == (lease["first"], lease["second"])
    forged = asking.post(f"{POOL}/judgements/return", json={"lease": "x" + lease["lease"]})
    assert forged.status_code == 422


def test_a_lease_is_judged_once(asking: TestClient) -> None:
    lease = asking.post(f"{POOL}/judgements/next").json()
    assert {lease["first"], lease["second"]} <= set(TEXTS)
    assert lease["criteria"] == f"better {HOSTILE}"
    told = {
        "lease": lease["lease"],
        "choice": "second",
        "probability": 0.2,
        "rationale": "shorter",
        "scores": [{"criterion": "brief", "first": 0.1, "second": 0.9}],
        "input_tokens": 12,
        "output_tokens": 3,
        "cost": 0.001,
    }
    first, second = (asking.post(f"{POOL}/judgements", json=told) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == {"match": lease["id"], "is_new": True}
    assert asking.post(f"{POOL}/judgements", json={**told, "choice": "tie"}).status_code == 409
    verdict = asking.get(first.headers["location"]).json()["verdicts"][0]
    assert (verdict["judge"], verdict["probability"], verdict["cost"]) == ("token:local", 0.2, 0.001)
    assert verdict["scores"][0]["criterion"] == "brief"
    assert asking.get(POOL).json()["matches"] == 1


def test_a_lease_that_ended_is_refused_with_what_to_do(asking: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    lease = asking.post(f"{POOL}/judgements/next", json={"seconds": 5}).json()
    monkeypatch.setattr("paragone.web.voting.pool_voting.time.time", lambda: lease["until"] + 1)
    late = asking.post(f"{POOL}/judgements", json={"lease": lease["lease"], "choice": "first"})
    assert late.status_code == 422
    assert "ask for the next one" in late.json()["detail"]
    assert asking.get(POOL).json()["matches"] == 0


def test_a_judge_that_has_seen_every_pair_gets_none(asking: TestClient) -> None:
    leases = 0
    while (answer := asking.post(f"{POOL}/judgements/next")).status_code == 200:
        asking.post(f"{POOL}/judgements", json={"lease": answer.json()["lease"], "choice": "abstain"})
        leases += 1
    assert (answer.status_code, leases) == (204, 12)


def test_with_tokens_the_role_counts_and_the_name_is_the_tokens(tmp_path: Path, client_of: Clients) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    of = {role: {"authorization": f"Bearer {tokens.add(role.name.lower(), role)}"} for role in Role}
    client = client_of(WebConfig(db=str(tmp_path / "votes.db"), tokens=tmp_path / "tokens.json", secret=b"s" * 32))
    made(client, TEXTS, **of[Role.ADMIN])
    here = f"{POOL}/votes/next"
    assert client.get(here).status_code == 401
    assert client.get(here, headers=of[Role.READ]).status_code == 403
    seen = client.get(here, headers=of[Role.VOTE]).json()
    assert seen["voter"] == "vote"
    assert client.get(here, headers=of[Role.VOTE], params={"voter": "ann"}).status_code == 403
    body = {"offer": seen["pair"]["offer"], "choice": "skip"}
    assert client.post(f"{POOL}/votes", headers=of[Role.JUDGE], json=body).status_code == 422  # it was not theirs
    assert client.post(f"{POOL}/votes", headers=of[Role.VOTE], json=body).json()["progress"]["skipped"] == 1
    assert client.post(f"{POOL}/judgements/next", headers=of[Role.VOTE]).status_code == 403
    lease = client.post(f"{POOL}/judgements/next", headers=of[Role.JUDGE]).json()
    stolen = client.post(
        f"{POOL}/judgements", headers=of[Role.ADMIN], json={"lease": lease["lease"], "choice": "first"}
    )
    assert stolen.status_code == 422


def test_processes_with_one_secret_take_each_others_offers(tmp_path: Path, client_of: Clients) -> None:
    here, there = (client_of(WebConfig(db=str(tmp_path / "votes.db"), secret=b"s" * 32)) for _ in range(2))
    made(here, TEXTS)
    seen = here.get(f"{POOL}/votes/next", params={"voter": "ann"}).json()
    assert (cast(there, seen).status_code, cast(here, seen).status_code) == (201, 200)
    assert here.get(POOL).json()["matches"] == 1


def test_what_plans_its_own_rounds_takes_no_votes(tmp_path: Path, client_of: Clients) -> None:
    from paragone.domain import Item, RatingConfig
    from paragone.tournaments.state import TournamentState
    from paragone.tournaments.tournament_settings import settings_for

    with Ledger.open(tmp_path / "votes.db") as ledger:
        brief = settings_for(2, criteria="x", judge="given: people", pairing="swiss")
        TournamentState.begin(ledger, "ideas", brief, tuple(Item(id=id, text=id) for id in "ab"), RatingConfig())
        ledger.pools.create("bare", RatingConfig())
    client = client_of(WebConfig(db=str(tmp_path / "votes.db")))
    answer = client.get(f"{POOL}/votes/next", params={"voter": "ann"})
    assert answer.status_code == 422
    assert "swiss" in answer.json()["detail"]
    assert client.get("/api/v1/pools/bare/votes/next", params={"voter": "ann"}).status_code == 404
    assert client.get("/api/v1/pools/none/votes/next", params={"voter": "ann"}).status_code == 404
    assert "rounds of its own" in client.get("/pools/ideas-1/vote").text
    assert "no criteria" in client.get("/pools/bare/vote").text


def test_nothing_that_sways_or_harms_is_on_the_page(tmp_path: Path, client_of: Clients) -> None:
    client = client_of(WebConfig(db=str(tmp_path / "votes.db")))
    made(client, [HOSTILE, f"b{HOSTILE}"])
    seen = client.get(f"{POOL}/votes/next", params={"voter": "ann"}).json()["pair"]
    assert set(seen) == {"offer", "left", "right", "until"}
    assert "\u202e" not in seen["left"] + seen["right"]
    page = client.get("/pools/ideas-1/vote").text
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "better &lt;script&gt;" in page


def test_a_ledger_without_pools_tells_how_to_begin(tmp_path: Path, client_of: Clients) -> None:
    client = client_of(WebConfig(db=str(tmp_path / "votes.db")))
    assert 'href="/vote"' in client.get("/").text
    page = client.get("/vote").text
    assert "nothing to vote on yet" in page
    assert 'href="/begin?judge=%3Apeople"' in page
    made(client, TEXTS)
    page = client.get("/vote").text
    assert 'href="/pools/ideas-1/vote"' in page
    assert "for people" in page


def test_a_pool_keeps_the_title_that_its_maker_gave(asking: TestClient) -> None:
    title = "Names for the project: Ä & Ω <b>"
    items = [{"text": text} for text in TEXTS]
    made = asking.post("/api/v1/pools", json={"name": title, "criteria": "shorter", "items": items})
    id = made.json()["id"]
    assert id == "names-for-the-project-ä-ω-b-1"
    assert asking.get(f"/api/v1/pools/{id}").json()["title"] == title
    for address in ("/", "/vote", f"/pools/{id}", f"/pools/{id}/vote", f"/pools/{id}/matches"):
        assert escape(title) in asking.get(address).text, address
    assert asking.get(POOL).json()["title"] == "ideas-1", "a title that is all in the id is the id, with its number"


@pytest.fixture
def imported(tmp_path: Path, client_of: Clients) -> TestClient:
    """A server over a pool of imported votes, whose items are known by their ids alone."""
    db = str(tmp_path / "imported.db")
    import_votes([("m1", "m2", "a"), ("m2", "m3", "b"), ("m1", "m3", "tie")], db=db, into="arena")
    return client_of(WebConfig(db=db))


def test_items_without_texts_are_not_offered_for_blind_votes(imported: TestClient) -> None:
    pool = "/pools/arena-1"
    assert pool not in imported.get("/vote").text
    assert f"{pool}/vote" not in imported.get(pool).text
    assert "known by their ids alone" in imported.get(f"{pool}/vote").text
    refused = imported.get(f"/api/v1{pool}/votes/next", params={"voter": "ann"})
    assert (refused.status_code, "ids alone" in refused.json()["detail"]) == (422, True)
    assert imported.get(f"/api/v1{pool}").json()["tournament"]["votable"] is False
    added = imported.post(f"/api/v1{pool}/items", json={"items": [{"id": "m4", "text": "an answer in words"}]})
    assert added.status_code in (200, 201)
    assert imported.get(f"/api/v1{pool}").json()["tournament"]["votable"] is True
    assert pool in imported.get("/vote").text


def test_names_that_are_texts_are_voted_on(asking: TestClient) -> None:
    names = [{"text": name} for name in ("tea", "milk", "water")]
    asking.post("/api/v1/pools", json={"name": "drinks", "criteria": "better", "items": names})
    assert "/pools/drinks-1/vote" in asking.get("/vote").text
    pair = asking.get("/api/v1/pools/drinks-1/votes/next", params={"voter": "ann"}).json()["pair"]
    assert {pair["left"], pair["right"]} < {"tea", "milk", "water"}
