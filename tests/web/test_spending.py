"""Decisions, requests, tokens, dollars: the same sums wherever they are shown, and those of the endpoint."""

import html
import json
import re
import sys
from contextlib import suppress

import pytest
from prometheus_client.parser import text_string_to_metric_families

from paragone import import_votes
from paragone.cli import main
from paragone.domain import PolicyConfig, SchedulingConfig, TournamentConfig, TournamentSystemConfig
from paragone.domain.spending import total
from paragone.judges.call_options import CallOptions
from paragone.ledger import By
from paragone.tournaments.tournament import Tournament
from paragone.web.config import WebConfig
from scripted_endpoint import Model, cut_json, hang, status

PRICE = (2.0, 8.0)
FAULTS = [status(429, retry_after=0), cut_json(), status(500), hang(60)]
FAILED = len(FAULTS)


def begun(endpoint, folder):
    """A tournament whose three matches are debates."""
    system = TournamentSystemConfig(
        tournament_parameters=TournamentConfig(multi_turn_threshold=1000.0, match_batch_size=2),
        scheduling=SchedulingConfig(matches_per_round=3, rounds_per_session=1),
        policy=PolicyConfig(elite_threshold=3500.0),
    )
    return Tournament.create(
        {f"h{number}": f"Hypothesis {number} says this." for number in range(6)},
        judge=f"llm:any@{endpoint.url}",
        criteria="testable",
        db=folder / "ledger.db",
        pairing="weighted",
        system=system,
        seed=3,
        price=PRICE,
    )


@pytest.fixture
def played(serve_model, tmp_path):
    """The same with retries, failures and a request that hung; and its endpoint."""
    endpoint = serve_model(Model(thinks=90, thoughts="content"), faults=FAULTS)
    with begun(endpoint, tmp_path) as tournament:
        tournament.run(pace=CallOptions(concurrency=1, attempts=5, wait=0.001, timeout=1.0))
        assert tournament.ledger.tournaments.turns(tournament.state.id), "there are debates"
        yield tournament, endpoint


def test_the_same_sums_everywhere(played, client_of, capsys, monkeypatch, tmp_path):
    tournament, endpoint = played
    id, db = tournament.state.id, str(tmp_path / "ledger.db")
    spent = tournament.board().spending

    # The endpoint's own accounts
    assert (spent.requests, spent.input_tokens, spent.output_tokens) == (
        endpoint.count.requests, endpoint.count.input_tokens, endpoint.count.output_tokens,
    )  # fmt: skip
    assert spent.dollars == pytest.approx(endpoint.count.dollars(*PRICE))
    assert (spent.failed, spent.unmetered, spent.unpriced) == (FAILED, 1, 1)
    assert spent.decisions == sum(len(match.comparisons) for match in tournament.state.matches)
    assert spent.requests == spent.decisions + spent.turns + spent.failed
    assert spent.dollars > 0
    assert spent.cost is None
    words = spent.facts()
    assert words["dollars"].startswith("at least $")

    # Python, and the parts of which the sums are made
    ledger, same = tournament.ledger, spent.as_dict()
    parts = [ledger.tournaments.spending_by(id, By.WHO), ledger.tournaments.spending_by(id, By.CALL)]
    parts.append(
        {
            m.id: ledger.tournaments.match_spending(id, m.id, [a.call for a in m.answers])
            for m in tournament.state.matches
        }
    )
    for by in parts:
        assert rounded(total(by.values()).as_dict()) == rounded(same)
    assert len(parts[0]) == 2, "the judge and the advocate"
    tournament.close()

    # The terminal and its JSON
    def told(*arguments):
        monkeypatch.setattr(sys, "argv", ["paragone", *arguments, id, "--db", db])
        capsys.readouterr()
        with suppress(SystemExit):
            main()
        return capsys.readouterr().out

    assert all(f"{name}: {said}" in flat(told("board")) for name, said in words.items())
    assert spent.sentence() in flat(told("tournament", "status"))
    board = json.loads(told("board", "--json"))["spending"]
    assert board == {name: value for name, value in same.items() if name != "seconds"}
    assert rounded(json.loads(told("tournament", "status", "--json"))["spent"]) == rounded(same)
    page = tmp_path / "report.html"
    reported = json.loads(told("tournament", "report", "--out", str(page), "--json"))
    assert rounded(reported["resources"]) == rounded(same)
    assert spent.sentence() in flat(shown(page.read_text()))

    # Pages
    web = client_of(WebConfig(db=db))
    for path in ("/", f"/pools/{id}", f"/pools/{id}/live", f"/pools/{id}/judges"):
        text = flat(shown(web.get(path).text))
        assert all(said in text for said in words.values()), path
    assert spent.sentence() in flat(shown(web.get("/").text))
    for match, took in parts[2].items():
        text = flat(shown(web.get(f"/pools/{id}/matches/{match}").text))
        assert all(said in text for said in took.facts().values())

    # REST and metrics
    api = f"/api/v1/pools/{id}"
    answers = [
        web.get(api).json()["tournament"]["spending"],
        web.get(f"{api}/board").json()["spending"],
        web.get(f"{api}/live").json()["budget"]["spending"],
        web.get(f"{api}/judges").json()["spending"],
        web.get(f"{api}/status").json()["spent"],
    ]
    for answer in answers:
        assert rounded(answer) == rounded(same)
    metrics = {
        sample.name: sample.value
        for family in text_string_to_metric_families(web.get("/metrics").text)
        for sample in family.samples
    }
    assert metrics["paragone_decisions"] == spent.decisions
    assert metrics["paragone_model_requests"] == spent.requests
    assert metrics["paragone_tokens"] == spent.tokens
    assert metrics["paragone_dollars"] == pytest.approx(spent.dollars)


def rounded(values):
    """Sums of money and seconds to a billionth: they are added up in another order."""
    return {name: round(value, 9) if isinstance(value, float) else value for name, value in values.items()}


def shown(page):
    """The text of a page without its tags."""
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


def flat(text):
    """A text on one line with single blanks."""
    return " ".join(text.split())


def test_imported_votes_are_decisions_without_requests_and_without_a_budget(client_of, tmp_path):
    votes = tmp_path / "votes.csv"
    votes.write_text("a,b,winner\ntea,milk,tea\nmilk,water,milk\nwater,tea,tea\n")
    id = import_votes(votes, db=tmp_path / "ledger.db").tournament
    web = client_of(WebConfig(db=str(tmp_path / "ledger.db")))
    seen = web.get(f"/api/v1/pools/{id}").json()["tournament"]
    assert seen["spending"]["sentence"] == "3 decisions, no requests"
    assert (seen["spending"]["dollars"], seen["budget"]) == (None, None)
    for path in ("/", f"/pools/{id}"):
        text = flat(shown(web.get(path).text))
        assert "3 decisions, no requests" in text or "Decisions 3 Requests none Tokens none Dollars none" in text
        assert "at most" not in text
        assert "$0" not in text


def test_the_forecast_names_as_many_requests_as_are_sent(serve_model, client_of, tmp_path):
    """Of a tournament with debates where nothing fails; the pages and the terminal say the same."""
    endpoint = serve_model(Model())
    with begun(endpoint, tmp_path) as tournament:
        web = client_of(WebConfig(db=str(tmp_path / "ledger.db")))
        told = web.get(f"/api/v1/pools/{tournament.state.id}/forecast").json()
        page = flat(shown(web.get(f"/pools/{tournament.state.id}/live/start").text))
        spent = tournament.run(pace=CallOptions(concurrency=1, wait=0.001)).spending
    expected = told["expected"]
    assert (expected["decisions"], expected["requests"]) == (spent.decisions, spent.requests)
    assert spent.requests == endpoint.count.requests > 3 * spent.decisions
    assert expected["tokens"] == pytest.approx(spent.tokens, rel=0.5)
    assert 1 / 3 < expected["dollars"] / endpoint.count.dollars(*PRICE) < 3, "a turn is taken for 350 tokens"
    assert f"about {spent.requests} requests" in told["sentence"]
    assert told["sentence"] in page
