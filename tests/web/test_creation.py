"""Tournaments that are made over HTTP for a judge of the server's list, forecast, and run."""

import time

import pytest

from paragone.errors import InvalidConfig, UnknownJudge, UnreadableFile
from paragone.ledger import Ledger
from paragone.tournaments.tournament import Tournament
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.workers.judge_list import ListedJudge, listed_judges

API = "/api/v1"
ITEMS = [{"id": f"h{n}", "text": f"Compound {n} slows the decline."} for n in range(6)]
WANTED = {"name": "ideas", "items": ITEMS, "judge": "fast", "criteria": "worth", "seed": 1, "budget": 12}


@pytest.fixture
def simulated(tmp_path):
    (tmp_path / "strengths.csv").write_text("id,score\n" + "".join(f"h{n},{n / 2}\n" for n in range(6)))
    return f"simulated:{tmp_path / 'strengths.csv'}"


@pytest.fixture
def client_with(tmp_path, client_of):
    """Makes clients of servers over one ledger, each with judges of its own."""
    return lambda **specs: client_of(
        WebConfig(db=str(tmp_path / "l.db"), judges={name: ListedJudge(spec=spec) for name, spec in specs.items()})
    )


def forecast(client, pool="ideas-1"):
    answer = client.get(f"{API}/pools/{pool}/forecast")
    assert answer.status_code == 200, answer.text
    return answer.json()


def run(client, confirm, pool="ideas-1"):
    return client.post(f"{API}/pools/{pool}/run", json={"confirm": confirm})


def ended(client, pool="ideas-1"):
    deadline = time.monotonic() + 60
    while (now := client.get(f"{API}/pools/{pool}/live").json())["condition"] != "finished":
        assert time.monotonic() < deadline, now
        time.sleep(0.02)
    return now


def test_a_tournament_is_made_forecast_and_run_as_at_the_terminal(client_with, simulated, tmp_path):
    client = client_with(fast=simulated, other=simulated)
    named = [{"name": name, "reads_dossier": False, "debates": True} for name in ("fast", "other")]
    assert client.get(f"{API}/judges").json() == {"judges": named}
    made = client.post(f"{API}/tournaments", json=WANTED)
    assert made.status_code == 201, made.text
    assert (made.json()["id"], made.json()["tournament"]["judge"]) == ("ideas-1", "listed:fast")
    assert made.headers["location"] == f"{API}/pools/ideas-1"
    told = forecast(client)
    assert (told["expected"]["decisions"], told["items"], told["expected"]["dollars"]) == (12, 6, 0.0)
    assert client.get(f"{API}/pools/ideas-1").json()["matches"] == 0, "nothing was asked so far"
    assert run(client, "").status_code == 409
    assert run(client, told["confirm"]).status_code == 202
    assert ended(client)["budget"]["answered"] == 12
    options = {"criteria": "worth", "seed": 1, "budget": 12}
    with Tournament.create({i["id"]: i["text"] for i in ITEMS}, judge=simulated, **options) as twin:
        twin.run()
        own = [(match.a, match.b, match.outcome.value) for match in twin.state.matches]
    with Ledger.open(tmp_path / "l.db") as ledger:
        over_http = [each.match for each in ledger.matches.all("ideas-1")]
    assert [(match.a, match.b, match.outcome.value) for match in over_http] == own


def test_the_judge_sees_the_dossier_and_ratings_start_from_the_reviews(client_with, serve_model):
    endpoint = serve_model()
    client = client_with(fast=f"llm:secret-model@{endpoint.url}")
    dossier = {
        "goal": "Cure it.",
        "rubric": [{"name": "relevance", "weight": 0.5}, {"name": "cost", "definition": "How cheap.", "weight": 0.5}],
        "preferences": ["cheap"],
        "notes": [{"item": "h0", "attributes": {"organ": "brain"}, "evidence": ["PMID 1"]}],
        "reviews": [{"item": "h5", "reviewer": "ann", "score": 1.0, "text": "Strong."}],
    }
    wanted = {**WANTED, "criteria": None, "dossier": dossier, "pairing": "weighted", "debates": False, "budget": 4}
    parameters = {"scheduling": {"rounds_per_session": 1, "matches_per_round": 4}}
    made = client.post(f"{API}/tournaments", json={**wanted, "parameters": parameters})
    assert made.status_code == 201, made.text
    assert made.json()["tournament"]["criteria"] == "relevance, cost"
    told = client.get(f"{API}/pools/ideas-1/dossier").json()
    assert (told["goal"], told["preferences"], told["items_with_notes"]) == ("Cure it.", ["cheap"], 2)
    assert client.get(f"{API}/pools/ideas-1/items/h5").json()["row"]["elo"] == 1400
    assert client.get(f"{API}/pools/ideas-1/parameters").json()["scheduling"]["matches_per_round"] == 4
    confirm = forecast(client)["confirm"]
    assert endpoint.count.requests == 0
    assert run(client, confirm).status_code == 202
    deadline = time.monotonic() + 60
    while endpoint.count.completions < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    prompts = ["".join(message["content"] for message in body["messages"]) for body in endpoint.seen]
    assert len(prompts) == 4
    assert all("Cure it." in prompt and "How cheap." in prompt for prompt in prompts)
    assert any("PMID 1" in prompt for prompt in prompts) or not any("Compound 0 " in prompt for prompt in prompts)


@pytest.mark.parametrize(
    "judge", ["fasst", "llm:gpt-5@http://127.0.0.1:9/v1", "simulated:/etc/passwd", "human", "people"]
)
def test_only_names_of_the_list_are_taken_and_nothing_else_of_a_request_names_a_judge(client_with, simulated, judge):
    client = client_with(fast=simulated)
    refused = client.post(f"{API}/tournaments", json={**WANTED, "judge": judge})
    assert refused.status_code == 422
    assert "there are fast" in refused.json()["detail"]
    assert ("did you mean fast" in refused.json()["detail"]) is (judge == "fasst")
    assert client.get(f"{API}/pools").json()["pools"] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"advocate": "llm:x"}, "advocate"),
        ({"similarity": "vectors:/etc/passwd"}, "similarity"),
        ({"price": [1, 1]}, "price"),
        ({"dossier": {"rubric": "/etc/passwd"}}, "rubric"),
        ({"criteria": None}, "criteria in words, or a rubric"),
        ({"parameters": {"scheduling": {}}}, "parameters belong to the weighted pairing"),
        ({"pairing": "weighted", "parameters": {"scheduling": {"rounds": 1}}}, "rounds"),
        ({"pairing": "sideways"}, "pairing"),
        ({"items": ITEMS[:1]}, "items"),
        ({"items": [*ITEMS, {"id": "h9", "text": "x"}]}, "knows no strength of 1 of 7 items"),
        ({"dossier": {"reviews": [{"item": "h55", "reviewer": "r", "score": 0.5}]}}, "did you mean h5"),
        ({"dossier": {"notes": [{"item": "h55"}]}}, "sees the criteria and the texts alone"),
        ({"max_cost": 0}, "max_cost"),
        ({"top": 6}, "the top 6 of 6 items"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_and_leaves_nothing(client_with, simulated, change, words):
    client = client_with(fast=simulated)
    refused = client.post(f"{API}/tournaments", json={**WANTED, **change})
    assert (refused.status_code, words in refused.text) == (422, True), refused.text
    assert client.get(f"{API}/pools").json()["pools"] == []


def test_a_name_that_was_removed_since_the_forecast_is_a_conflict_and_so_is_another_judge(client_with, simulated):
    first = client_with(fast=simulated)
    assert first.post(f"{API}/tournaments", json=WANTED).status_code == 201
    confirm = forecast(first)["confirm"]
    without = client_with(slow=simulated)
    refused = run(without, confirm)
    assert refused.status_code == 409
    assert "its judge, 'fast', is not on this server's list of judges" in refused.json()["detail"]
    assert without.get(f"{API}/pools/ideas-1/forecast").status_code == 409
    live = without.get(f"{API}/pools/ideas-1/live").json()
    assert (live["acts"], "is not on this server's list" in live["cannot"]) == ([], True)
    changed = run(client_with(fast=f"{simulated}?noise=2"), confirm)
    assert (changed.status_code, "has to be confirmed first" in changed.json()["detail"]) == (409, True)
    assert first.get(f"{API}/pools/ideas-1").json()["matches"] == 0
    assert run(first, confirm).status_code == 202
    ended(first)


def test_the_same_key_makes_one_tournament(client_with, simulated):
    client = client_with(fast=simulated)
    sent = [client.post(f"{API}/tournaments", json=WANTED, headers={"idempotency-key": "k1"}) for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 200]
    other = client.post(f"{API}/tournaments", json={**WANTED, "budget": 9}, headers={"idempotency-key": "k1"})
    assert other.status_code == 409
    assert [pool["id"] for pool in client.get(f"{API}/pools").json()["pools"]] == ["ideas-1"]


def test_only_admins_make_tournaments_and_see_the_list(tmp_path, client_of, simulated):
    tokens = TokenFile(tmp_path / "tokens.json")
    judges = {"fast": ListedJudge(spec=simulated)}
    owned = {role: tokens.add(role.name, role) for role in (Role.READ, Role.JUDGE, Role.ADMIN)}
    client = client_of(WebConfig(db=str(tmp_path / "l.db"), tokens=tmp_path / "tokens.json", judges=judges))
    for role, token in owned.items():
        told = {"authorization": f"Bearer {token}"}
        assert client.get(f"{API}/judges", headers=told).status_code == (200 if role is Role.ADMIN else 403)
        made = client.post(f"{API}/tournaments", json=WANTED, headers=told)
        assert made.status_code == (201 if role is Role.ADMIN else 403)
        assert simulated not in made.text


def test_a_list_is_read_from_a_file_and_from_options(tmp_path, simulated):
    file = tmp_path / "judges.toml"
    file.write_text(f'fast = "{simulated}"\n[slow]\nspec = "{simulated}"\nprice = [1.0, 2.0]\n')
    listed = listed_judges(file, [f"fast={simulated}?noise=2"])
    assert listed == {
        "fast": ListedJudge(spec=f"{simulated}?noise=2"), "slow": ListedJudge(spec=simulated, price=(1.0, 2.0))
    }  # fmt: skip
    for entry, words in (("fast", "NAME=SPEC"), ("a b=human", "at most 60"), ("h=human", "a server has none")):
        with pytest.raises(InvalidConfig, match=words):
            listed_judges(None, [entry])
    with pytest.raises(UnknownJudge):
        listed_judges(None, ["fast=nonsense"])
    with pytest.raises(UnreadableFile):
        listed_judges(tmp_path / "none.toml")


def test_elsewhere_such_a_tournament_says_who_can_run_it(client_with, simulated, tmp_path):
    client = client_with(fast=simulated)
    client.post(f"{API}/tournaments", json=WANTED)
    with Tournament.open(tmp_path / "l.db") as tournament, pytest.raises(UnknownJudge, match="of a server's list"):
        tournament.run()
    with Tournament.open(tmp_path / "l.db", judge=simulated) as tournament:
        tournament.run()
        assert len(tournament.state.played) == 12
