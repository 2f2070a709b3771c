"""The memory in a browser, as the server sends it: whole without scripts, with the figures of the API, and no more."""

import html
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from filled_forms import questions
from local_client import LocalClient
from paragone.memory import Memory
from paragone.memory.store import Store
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.pages import memory as memory_page
from paragone.web.views.memory import summary
from paragone.wire.address import content_url
from remembered_folder import HOSTILE

HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def looking(remembered_once: Path, played_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A browser without scripts before a server that shows a memory."""
    folder = tmp_path_factory.mktemp("looking-at-pages")
    shutil.copy(played_once, folder / "played.db")
    root = Path(shutil.copytree(remembered_once, folder / "root"))
    app = create_app(WebConfig(db=str(folder / "played.db"), memory=root))
    with LocalClient(app, headers=HTML) as one:
        one.get("/api/v1/memory/metrics")
        yield one


def figures(text: str) -> dict[str, dict]:
    found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])["figures"] if found else {}


def rows(text: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(r'<td class="t"><a class="item" [^>]*><bdi>([^<]*)</bdi>', text)]


def test_the_first_page_has_truth_and_use_echoes_tiers_and_measures(looking: TestClient) -> None:
    text = looking.get("/memory").text
    told = looking.get("/api/v1/memory").json()
    drawn = figures(text)
    assert drawn.keys() >= {"quadrants", "tiers", "over-time", "need"}
    assert sum(len(trace["x"]) for trace in drawn["quadrants"]["data"]) == told["files"]
    assert sum(sum(bar["x"]) for bar in drawn["tiers"]["data"]) == told["files"]
    for one in told["quadrants"]:
        assert re.search(
            rf">{one['quadrant'].capitalize().replace('r u', 'R u')}</a></td><td class=\"n\">{one['count']}<",
            text,
            re.IGNORECASE,
        )
    (echo,) = looking.get("/api/v1/memory/echo").json()["chambers"]
    for words in echo["why"]:
        assert html.escape(words) in text
    assert "token savings" in text
    assert 'data-events="/api/v1/memory/events"' in text
    assert 'aria-current="page">Memory<' in text


def test_the_board_is_narrowed_by_links_and_pages_follow(looking: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    text = looking.get("/memory/board?by=id").text
    told = [row["id"] for row in looking.get("/api/v1/memory/board?by=id").json()["rows"]]
    assert rows(text) == told
    monkeypatch.setattr(memory_page, "MOST", 2)
    assert rows(looking.get("/memory/board?by=id&page=2").text) == told[2:4]
    assert rows(looking.get("/memory/board?quadrant=echo+chamber").text) == ["docs/loud.md"]
    assert rows(looking.get("/memory/board?kind=adr").text) == ["ADR-001"]
    assert "nothing more of that kind" in looking.get("/memory/board?q=zzz").text


def test_pages_link_their_data(looking: TestClient, data_links: Callable[[str], list[str]]) -> None:
    file = content_url("docs/loud.md")
    for path, count in (("", 5), ("/board?q=docs&by=id", 1), (file.removeprefix("/memory"), 1), ("/search?q=tower", 1),
                        ("/pack?budget=150", 1), ("/prune?scope=docs", 3)):  # fmt: skip
        links = data_links(looking.get(f"/memory{path}").text)
        assert len(links) == count, (path, links)
        assert {url: looking.get(url).status_code for url in links} == dict.fromkeys(links, 200)


def test_one_file_says_why_it_stands_there(looking: TestClient) -> None:
    text = looking.get(content_url("docs/loud.md")).text
    told = looking.get(f"/api/v1{content_url('docs/loud.md')}").json()
    assert f"{told['stored']:,.1f} after its last move" in text
    assert "lets 25% of each change through" in text
    assert "14 uses" in text
    assert "8 searches showed it, for 2 different queries" in text
    assert text.count('<td class="k">file read</td>') == 8
    assert "All about the tower, loud." in text
    assert "history" in figures(text)
    assert "the gate stands open" in looking.get(content_url("span.py")).text


def test_names_and_contents_are_texts(looking: TestClient) -> None:
    for path in ("/memory", "/memory/board", content_url(HOSTILE), "/memory/search?q=nothing", "/memory/pack"):
        text = looking.get(path).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in looking.get(content_url(HOSTILE)).text


def test_a_search_shows_what_an_agent_would_find(looking: TestClient) -> None:
    assert "Searches here are not logged" in looking.get("/memory/search").text
    text = looking.get("/memory/search?q=tower").text
    assert "results by words" in text
    assert re.findall(r'<h2 class="small">(\d+)\. ', text)[:2] == ["1", "2"]
    assert "Nothing was found" in looking.get("/memory/search?q=zzzzqqq&how=keyword").text
    assert "no vectors" in looking.get("/memory/search?q=x&how=semantic").text


def test_the_pack_explorer_shows_where_tokens_go(looking: TestClient) -> None:
    text = looking.get("/memory/pack?budget=150&task=tower").text
    told = looking.get("/api/v1/memory/pack?budget=150&task=tower").json()
    inside = [one["path"] for one in told["files"] if one["form"] != "excluded"]
    assert rows(text)[: len(inside)] == inside
    (drawn,) = figures(text)["tokens"]["data"]
    values = dict(zip(drawn["ids"], drawn["values"], strict=True))
    assert values["/"] == told["tokens"]
    assert all(values[f"/{one['path']}"] == one["tokens"] for one in told["files"] if one["tokens"])
    assert "no room" in looking.get("/memory/pack?budget=2").text
    assert "a budget is a number" in looking.get("/memory/pack?budget=many").text


def test_pruning_says_what_would_go_and_asks_before_it_does(looking: TestClient) -> None:
    assert "so nothing is ever pruned" in looking.get("/memory/prune").text
    text = looking.get("/memory/prune?scope=scratch/").text
    confirm = looking.get("/api/v1/memory/prune?scope=scratch/").json()["confirm"]
    assert f'name="confirm" value="{confirm}"' in text
    assert 'data-opens="prune">Archive 1 file …<' in text
    assert "is no pattern" in (said := looking.get("/memory/prune?scope=!").text) or "not a pattern" in said


def test_readers_see_no_acts(remembered: Path, played: Path, tmp_path: Path, client_of: Callable) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    client = client_of(WebConfig(db=str(played), memory=remembered, tokens=file.path))
    texts = {}
    for role in (Role.READ, Role.ADMIN):
        headers = {**HTML, "authorization": f"Bearer {file.add(role.name, role)}"}
        texts[role] = client.get("/memory/prune?scope=scratch/", headers=headers).text
        texts[role] += client.get(content_url("docs/new.md"), headers=headers).text
    for words in ('data-opens="prune"', "<dialog", 'data-opens="truth"', "data-post"):
        assert (words in texts[Role.READ], words in texts[Role.ADMIN]) == (False, True)


def test_without_a_memory_the_page_says_how_to_begin(shared_client: TestClient) -> None:
    answer = shared_client.get("/memory", headers=HTML)
    assert answer.status_code == 200
    assert "paragone serve --memory ." in answer.text
    below = shared_client.get("/memory/board", headers=HTML)
    assert (below.status_code, "paragone serve --memory" in below.text) == (404, True)


def test_an_empty_store_says_what_to_run(tmp_path: Path, played: Path, client_of: Callable) -> None:
    with Memory.create(tmp_path):
        pass
    client = client_of(WebConfig(db=str(played), memory=tmp_path))
    assert "paragone memory index" in client.get("/memory", headers=HTML).text
    for path in ("/memory/board", "/memory/search?q=x", "/memory/pack", "/memory/prune"):
        answer = client.get(path, headers=HTML)
        assert answer.status_code == 200
        assert "paragone memory index" in answer.text, path


def test_while_another_process_counts_pages_say_so(
    remembered: Path, played: Path, client_of: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary, "GLANCE", 0.05)
    client = client_of(WebConfig(db=str(played), memory=remembered))
    client.app.state.memory.patience = 0.05
    with Store.open(remembered) as other, other.locked("scores"):
        with Memory.open(remembered) as writer:
            writer.session("eve").cite("docs/new.md")  # there is something to count, and somebody does
        answer = client.get("/memory", headers=HTML)
        assert (answer.status_code, "Look again" in answer.text) == (503, True)
        assert client.get("/memory/board", headers=HTML).status_code == 503
        assert "It is being read" in client.get("/", headers=HTML).text
    client.app.state.memory.patience = 10.0
    assert client.get("/memory", headers=HTML).status_code == 200


def test_the_overview_leads_to_the_memory(looking: TestClient, client: TestClient) -> None:
    text = looking.get("/").text
    assert re.search(r'href="/memory">Memory of <bdi>root</bdi></a>', text)
    assert "9 files" in text
    assert "Memory of" not in client.get("/", headers=HTML).text


@pytest.mark.parametrize(
    "path",
    [
        "/memory/board", "/memory/search?q=tower", "/memory/pack", "/memory/prune", "/pools/tournament-1",
        "/pools/tournament-1/matches", "/pools/tournament-1/search?text=text", "/pools/tournament-1/live/start",
    ],
)  # fmt: skip
def test_a_form_that_only_asks_is_answered_with_what_its_reader_left_open(looking: TestClient, path: str) -> None:
    (address,) = questions(looking.get(path).text)
    assert looking.get(address).status_code == 200, address
