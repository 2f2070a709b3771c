"""Pages of agents: boards, one agent, what there is to see of none, of many, and of names that would be code."""

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from filled_forms import questions
from local_client import LocalClient
from paragone.agents import EloSystem
from paragone.ledger import Ledger
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.views.agents import roster

EVIL = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def shown(debated_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    db = shutil.copy(debated_once, tmp_path_factory.mktemp("shown") / "debated.db")
    with LocalClient(create_app(WebConfig(db=str(db)))) as client:
        for path in ("/api/v1/agents", "/api/v1/agents?domain=law", "/api/v1/agents?by=calibration"):
            while client.get(path).json()["pending"]:
                pass
        yield client


def words_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.partition("<main")[2].partition("</main>")[0]))


def figures_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', page, re.DOTALL)
    return {} if found is None else json.loads(found[1])["figures"]


def test_the_board_names_all_and_draws_intervals_domains_and_relations(shown: TestClient) -> None:
    page = shown.get("/agents").text
    names = re.findall(r'<a class="item" href="/agents/(\w+)">', page)
    assert names[:4] == ["ada", "ben", "cyd", "dan"]
    assert page.count('class="interval"') == 2 * 3
    assert set(figures_of(page)) == {"domains", "relations"}
    assert 'data-events="/api/v1/events?pool=agents"' in page
    words = words_of(page)
    assert "Pairs of rivals 1 Pairs of allies 1" in words
    assert "0.96 · 20 debates, agreed in 10% · 5–5" in words


def test_the_board_by_calibration_tells_scores_and_who_has_too_few(shown: TestClient) -> None:
    words = words_of(shown.get("/agents?by=calibration").text)
    assert "0.39" in words
    assert "4 of 6" in words
    assert words.count("too few") == 2


def test_pages_link_their_data(shown: TestClient, data_links: Callable[[str], list[str]]) -> None:
    for path, count in (
        ("/agents?by=elo&domain=law", 14),
        ("/agents/ada", 7),
        ("/agents/dan", 6),
        ("/agents/forecast?agent=ada&opponent=ben", 1),
    ):
        links = data_links(shown.get(path).text)
        assert len(links) == count, (path, links)
        assert {url: shown.get(url).status_code for url in links} == dict.fromkeys(links, 200)


def test_a_domain_is_chosen_and_kept_by_links(shown: TestClient) -> None:
    page = shown.get("/agents?domain=law&by=elo").text
    assert '<option value="law" selected>' in page
    assert 'href="/agents?by=calibration&amp;domain=law"' in page
    assert '<input type="hidden" name="by" value="elo">' in page
    assert figures_of(page) == {}


def test_a_search_that_finds_nothing_says_so(shown: TestClient) -> None:
    words = words_of(shown.get("/agents?q=zz").text).replace(" ", "")
    assert "Noagenthas“zz”initsnameormodel" in words


def test_a_page_that_is_not_there_says_which_is_the_last(shown: TestClient) -> None:
    assert "There is no page 2 here: the last is page 1" in words_of(shown.get("/agents?page=2").text)


def test_an_agent_has_everything_on_one_page(shown: TestClient) -> None:
    page = shown.get("/agents/ada").text
    assert set(figures_of(page)) == {"history", "reliability"}
    words = words_of(page)
    for said in (
        "Running Elo 1549", "Won–lost–tied 3–0–1", "Predictions that came true 4 of 6", "Critiques accepted 1 of 2",
        "no miscalibration beyond chance", "1 more wait for their tournaments", "cyd wins open",
        "9 of 20 attacks got through, 2 critical ; mean robustness 0.60; −8.2 Elo points",
        "4 claims : 3 proven, 1 disproven; +16.0 Elo points", "rival 3–0–0 20 debates",
    ):  # fmt: skip
        assert said.replace(" ", "") in words.replace(" ", ""), said


def test_listings_of_an_agent_go_on(debated_once: Path, tmp_path: Path, client_of: Callable[..., TestClient]) -> None:
    db = shutil.copy(debated_once, tmp_path / "debated.db")
    with EloSystem(db, snapshot=False, warn=False) as elo:
        elo.record_matches([{"debate_id": f"m{n}", "winner": "dan", "loser": "ben"} for n in range(12)])
    client = client_of(WebConfig(db=str(db)))
    page = client.get("/agents/dan").text
    link = re.search(r'rel="next" href="(/agents/dan\?debates=2)#debates"', page)
    assert link is not None
    second = client.get(link[1]).text
    assert all(f'/matches/m{n}"' in second for n in (0, 1))
    assert f'/matches/m{5}"' not in second
    assert 'rel="prev" href="/agents/dan#debates">Previous' in second


def test_who_would_win_is_asked_on_the_board_and_said_with_an_interval_and_what_it_is_from(shown: TestClient) -> None:
    form = shown.get("/agents?domain=law").text.partition('action="/agents/forecast"')[2].partition("</form>")[0]
    assert re.findall(r'<option value="(\w+)"', form.partition('id="opponent"')[2]) == [
        "ada", "ben", "cyd", "dan", "law", "art",
    ]  # fmt: skip
    assert '<option value="law" selected>' in form
    page = shown.get("/agents/forecast?agent=ben&opponent=ada&domain=law").text
    expected = shown.get("/api/v1/agents/forecast?agent=ben&opponent=ada&domain=law").json()
    points, low, high, by_elo = (f"{expected[name]:.0%}" for name in ("expected", "low", "high", "elo"))
    words = words_of(page)
    assert f"ben is expected to take {points} of the points against ada in law, between {low} and {high}" in words
    assert f"Running Elo {by_elo}" in words
    assert "0% 0 ahead, 3 behind, 0 level" in words
    assert 'href="/agents/forecast?agent=ada&amp;opponent=ben&amp;domain=law">The other way round' in page
    assert "has not debated" not in words
    unknown = words_of(shown.get("/agents/forecast?agent=dan&opponent=ada").text)
    assert "dan has not debated yet: it counts as average" in unknown
    assert "Debates with each other" not in unknown


def test_forms_are_answered_with_what_their_reader_left_open(shown: TestClient) -> None:
    for path, forms in (("/agents", 2), ("/agents/forecast?agent=ada&opponent=ben", 1)):
        addresses = list(questions(shown.get(path).text))
        assert [shown.get(address).status_code for address in addresses] == [200] * forms


def test_a_debate_stands_with_its_task_domain_and_scores(shown: TestClient) -> None:
    html = shown.get("/pools/agents/matches/d1").text
    words = words_of(html)
    assert "Debate d1" in words
    assert "whether it is so" in words
    assert "Domain law Agents 2" in words
    assert "Agent Score ada won 1 ben 0" in words
    assert ("Verdicts" in words, "Requests" in words, "one turn" in words) == (False, False, False)
    assert "A tie." in words_of(shown.get("/pools/agents/matches/d6").text)
    assert '<a class="item" href="/agents/ben">' in html


def test_a_forecast_of_one_agent_alone_is_not_made_and_asks_for_another(shown: TestClient) -> None:
    begun = shown.get("/agents/forecast?agent=ada")
    assert (begun.status_code, '<option value="ada" selected>' in begun.text) == (200, True)
    assert 'id="expected"' not in begun.text
    alone = shown.get("/agents/forecast?agent=ada&opponent=ada")
    assert (alone.status_code, "&#39;ada&#39; cannot meet itself" in alone.text) == (422, True)


def test_an_agent_that_did_nothing_says_so(shown: TestClient) -> None:
    words = words_of(shown.get("/agents/dan").text)
    assert "It has not taken part in a debate yet." in words
    assert "Model: model-d" in words
    assert shown.get("/agents/eve", headers={"accept": "text/html"}).status_code == 404


def test_until_there_is_a_debate_the_board_says_how_to_begin(
    tmp_path: Path, client_of: Callable[..., TestClient]
) -> None:
    db = str(tmp_path / "new.db")
    client = client_of(WebConfig(db=db))
    for name in ("ann", "bob"):
        client.post("/api/v1/agents", json={"agent": name})
    html = client.get("/agents").text
    assert f"paragone agents import debates.jsonl --db {db}" in html
    assert "Bars: the interval" not in html
    client.post("/api/v1/agents/debates", json={"id": "d", "scores": {"ann": 1, "bob": 0}})
    assert "agents import" not in client.get("/agents").text
    met = client.get("/agents/ann").text.partition('aria-label="Head to head"')[2].partition("</table>")[0]
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)', met) == ["With", "W–L–T", "Next debate"]
    assert 'href="/agents/forecast?agent=ann&amp;opponent=bob">forecast' in met


def test_without_agents_the_page_says_how_to_begin(tmp_path: Path, client_of: Callable[..., TestClient]) -> None:
    Ledger.open(tmp_path / "empty.db").close()
    client = client_of(WebConfig(db=str(tmp_path / "empty.db")))
    page = client.get("/agents").text
    assert "paragone agents record claude=0.8 gpt4=0.6" in page
    assert 'data-events="/api/v1/events"' in page
    client.post("/api/v1/agents/debates", json={"id": "d", "scores": {"ada": 1, "ben": 0}})
    assert "ada" in words_of(client.get("/agents").text)


def test_a_pool_of_another_name_is_found_and_several_are_named(
    tmp_path: Path, client_of: Callable[..., TestClient]
) -> None:
    for pool in ("team a/b", "team c"):
        with closing(EloSystem(tmp_path / "two.db", pool=pool, snapshot=False)) as elo:
            elo.record_match(debate_id="d", winner=f"best of {pool}", loser="other")
    client = client_of(WebConfig(db=str(tmp_path / "two.db")))
    page = client.get("/agents").text
    assert 'href="/agents?pool=team%20a%2Fb" aria-current="page"' in page
    assert 'href="/agents/~YmVzdCBvZiB0ZWFtIGEvYg?pool=team%20a%2Fb"' in page
    assert "best of team c" in words_of(client.get("/agents?pool=team%20c").text)
    assert "agents?pool=team%20c" in client.get("/").text


def test_names_that_would_be_code_are_text(tmp_path: Path, client_of: Callable[..., TestClient]) -> None:
    with closing(EloSystem(tmp_path / "evil.db", snapshot=False, warn=False)) as elo:
        elo.record_match(EVIL, [EVIL, "b"], {EVIL: 1.0, "b": 0.0}, domain=EVIL, task=EVIL)
        elo.register_agent(EVIL, model=EVIL)
        elo.record_domain_prediction(EVIL, EVIL, 0.5, True)
        elo.record_winner_prediction(EVIL, EVIL, EVIL, 0.5)
        elo.update_relationship(EVIL, "b", 20, 0)
        elo.record_redteam_result(EVIL, 0.9, 1, 2, session_id=EVIL, domain=EVIL)
        elo.update_from_verification(EVIL, EVIL, 1)
    client = client_of(WebConfig(db=str(tmp_path / "evil.db")))
    link = re.search(r'<a class="item" href="(/agents/~[^"]+)"', client.get("/agents").text)
    assert link is not None
    forecast = f"/agents/forecast?agent=b&opponent={quote(EVIL)}&domain={quote(EVIL)}"
    for path in ("/agents", "/agents?by=calibration", link[1], forecast):
        page = client.get(path).text
        assert "<img src=x" not in page
        assert "<script>alert" not in page
        assert "</title><" not in page.partition("</title>\n")[2]
        assert "&lt;script&gt;alert(1)" in page


def test_the_running_elo_is_there_while_the_strengths_are_fitted(
    debated_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, fit = threading.Event(), roster.table

    def late(*args: Any, **options: Any) -> Any:
        released.wait(60)
        return fit(*args, **options)

    monkeypatch.setattr(roster, "table", late)
    monkeypatch.setattr(roster, "FIT", 0.05)
    db = shutil.copy(debated_once, tmp_path / "debated.db")
    with LocalClient(create_app(WebConfig(db=str(db)))) as client:
        try:
            html = client.get("/agents").text
            assert "until they are there, this is the running Elo" in html
            assert "data-pending" in html, "the page asks again by itself"
            assert html.count('<tr>\n<td class="n">') == 4
            assert ">Strength</th>" not in html
        finally:
            released.set()
        while "data-pending" in (html := client.get("/agents").text):
            pass
        assert ">Strength</th>" in html
