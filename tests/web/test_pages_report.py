"""The report as a page and as files, and matches that are searched for."""

import csv
import io
import json
import re
import shutil
import zipfile

import pytest

from paragone.presenting.tournament_report import as_html, as_json
from paragone.tournaments.report import gather
from paragone.tournaments.tournament import Tournament
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.pages import item as item_page
from paragone.web.pages import match as match_page
from paragone.web.pages import what_if as what_if_page
from paragone.web.pages.rendering import numbered_pages, page_of
from paragone.web.views import reports

API = "/api/v1/pools/tournament-1"
PAGE = "/pools/tournament-1"


@pytest.fixture(scope="module")
def gathered(played_once, tmp_path_factory):
    """The report of the tournament, as the command gathers it."""
    with Tournament.open(shutil.copy(played_once, tmp_path_factory.mktemp("gathered"))) as tournament:
        return gather(tournament.ledger, tournament.state)


@pytest.fixture(scope="module")
def whole(gathered):
    """The page that the command writes."""
    return as_html(gathered)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A report is waited for, however busy the machine is."""
    monkeypatch.setattr(reports, "PATIENCE", 60.0)


def test_the_report_is_the_same_as_at_the_terminal(shared_client, gathered, whole):
    answer = shared_client.get(f"{API}/report?format=html")
    assert answer.text == whole
    assert answer.headers["content-disposition"] == 'attachment; filename="report.html"'
    assert shared_client.get(f"{API}/report").json() == json.loads(as_json(gathered))
    rows = list(csv.DictReader(io.StringIO(shared_client.get(f"{API}/report?format=csv").text)))
    assert [row["rank"] for row in rows] == [str(rank) for rank in range(1, 9)]
    assert shared_client.get(f"{API}/report?format=pdf").status_code == 422


def test_the_page_has_every_section_every_figure_and_every_file(shared_client, whole):
    page = shared_client.get(f"{PAGE}/report").text
    assert set(re.findall(r'<section id="(\w+)"', whole)) - {"summary"} == set(re.findall(r'<section id="(\w+)"', page))
    assert re.findall(r'id="chart-(\w+)"', whole) == re.findall(r'id="chart-(\w+)"', page)
    assert len(re.findall("<tbody>", whole)) == len(re.findall("<tbody>", page)) - 1, "the table of files is besides"
    for what in ("board", "items", "matches", "verdicts", "turns", "changes"):
        for format in ("csv", "jsonl", "parquet"):
            address = f"{API}/exports/{what}?format={format}"
            assert f'href="{address}"' in page
            assert shared_client.get(address).status_code == 200
    for address in re.findall(rf'href="({API}/report\?format=\w+)"', page):
        assert shared_client.get(address).status_code == 200


def test_a_pool_that_is_no_tournament_says_so_and_has_its_files(library, client):
    from paragone.domain import RatingConfig

    library.ledger.pools.create("plain", RatingConfig())
    page = client.get("/pools/plain/report")
    assert (page.status_code, "is not a tournament" in page.text, "exports/items" in page.text) == (200, True, True)
    assert client.get("/pools/none/report").status_code == 404
    assert client.get("/api/v1/pools/plain/report").status_code == 404


def ids(page):
    return re.findall(rf'href="{PAGE}/matches/([\w.]+)"', page)


def test_matches_are_found_by_page_and_rest_alike(shared_client):
    for filter in ("item=i3", "outcome=won", "judge=simulated", "item=i3&outcome=won", "words=absent"):
        over_http = shared_client.get(f"{API}/matches?{filter}&limit=500").json()
        page = shared_client.get(f"{PAGE}/matches?{filter}").text
        assert ids(page) == [match["id"] for match in over_http["matches"]]
        assert over_http["total"] == len(over_http["matches"])
    assert "No match is like that" in shared_client.get(f"{PAGE}/matches?words=absent").text
    assert shared_client.get(f"{API}/matches?outcome=lost").status_code == 422
    assert shared_client.get(f"{API}/matches").json()["total"] is None


def test_pages_are_numbered_and_have_addresses(shared_client, monkeypatch):
    monkeypatch.setattr(match_page, "MOST", 7)
    every = ids(shared_client.get(f"{PAGE}/matches").text)
    assert len(every) == 7
    number, page = 1, shared_client.get(f"{PAGE}/matches?judge=simulated").text
    seen = ids(page)
    while f'aria-label="Page {number + 1}"' in page:
        number += 1
        page = shared_client.get(f"{PAGE}/matches?judge=simulated&page={number}").text
        assert re.search(rf'aria-current="page" aria-label="Page {number}"', page)
        seen += ids(page)
    expected = shared_client.get(f"{API}/matches?limit=500").json()["matches"]
    assert seen == [match["id"] for match in expected]
    assert "There is no page 99" in shared_client.get(f"{PAGE}/matches?page=99").text


def test_long_lists_have_pages_whose_addresses_hold_the_rest(shared_client, monkeypatch):
    monkeypatch.setattr(item_page, "MOST", 4)
    monkeypatch.setattr(what_if_page, "MOST", 3)
    every = shared_client.get(f"{API}/items/i3/matches?limit=500").json()["matches"]
    seen = [
        id
        for at in range(1, 9)
        for id in ids(shared_client.get(f"{PAGE}/items/i3?page={at}").text.split('id="matches"')[1])
    ]
    assert seen == [match["id"] for match in every]
    assert f'href="{PAGE}/items/i3?page=2#matches" aria-label="Page 2"' in shared_client.get(f"{PAGE}/items/i3").text
    rows = shared_client.get(f"{API}/whatif?without_match=1.1&without_match=1.2").json()["rows"]
    pages = [shared_client.get(f"{PAGE}/whatif?without_match=1.1&without_match=1.2&page={at}").text for at in (1, 2, 3)]
    assert [id for page in pages for id in re.findall(rf'href="{PAGE}/items/(i\d)"', page)] == [
        row["id"] for row in rows
    ]
    assert f'rel="next" href="{PAGE}/whatif?without_match=1.1&amp;without_match=1.2&amp;page=2"' in pages[0]
    for path in ("live?rounds=9", "judges?spenders=9", "change?retired=9&images=2"):
        assert "There is no page 9 here" in shared_client.get(f"{PAGE}/{path}").text, path


def test_rest_goes_on_from_cursor_to_cursor(shared_client):
    seen, cursor = [], ""
    while True:
        page = shared_client.get(f"{API}/matches?outcome=won&limit=3{cursor}").json()
        seen += [match["id"] for match in page["matches"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == [
        match["id"] for match in shared_client.get(f"{API}/matches?outcome=won&limit=500").json()["matches"]
    ]
    assert shared_client.get(f"{API}/matches?outcome=tie{cursor}").status_code == 422, "of another listing"


@pytest.mark.parametrize(
    ("number", "last", "shown"),
    [
        (1, 0, [1]),
        (1, 1, [1]),
        (1, 3, [1, 2, 3]),
        (5, 9, [1, None, 3, 4, 5, 6, 7, None, 9]),
        (9, 9, [1, None, 7, 8, 9]),
    ],
)
def test_the_pages_around_one_are_linked(number, last, shown):
    pages = numbered_pages("/x", number, 7 * last - 3, 7, {"q": "a b", "page": number}, anchor="#there")
    assert (pages.near, pages.last, pages.is_beyond) == (tuple(shown), max(1, last), False)
    assert [pages.url(each) for each in (1, 5)] == ["/x?q=a%20b#there", "/x?q=a%20b&page=5#there"]


def test_what_is_there_as_a_whole_is_cut_into_pages():
    rows, pages = page_of(range(23), "/pools/x?pool=y", 3, 10, name="lists")
    assert (list(rows), pages.last, pages.url(2)) == ([20, 21, 22], 3, "/pools/x?pool=y&lists=2")
    assert page_of(range(23), "/x", 4, 10)[1].is_beyond


def test_whoever_may_read_may_have_the_report(played, tmp_path, client_of):
    file = TokenFile(tmp_path / "tokens.json")
    reading = {"authorization": f"Bearer {file.add('ann', Role.READ)}"}
    client = client_of(WebConfig(db=str(played), tokens=file.path))
    for path in (f"{PAGE}/report", f"{API}/report", f"{PAGE}/matches?words=x", f"{API}/matches?words=x"):
        assert client.get(path, headers=reading).status_code == 200
        assert client.get(path).status_code == 401


def test_each_page_links_its_data_and_every_link_leads_to_it(shared_client, data_links):
    pages = {
        "/": 1, PAGE: 7, f"{PAGE}?q=text&sort=wins": 7, f"{PAGE}/matches?item=i3": 13, f"{PAGE}/matches/1.1": 1,
        f"{PAGE}/items/i3": 3, f"{PAGE}/items/i3/beside/i4": 1, f"{PAGE}/whatif?without_match=1.1&without_match=1.2": 1,
        f"{PAGE}/compare": 1, f"{PAGE}/judges": 4, f"{PAGE}/live": 2, f"{PAGE}/report": 4, f"{PAGE}/change": 7,
        f"{PAGE}/agreement": 4, f"{PAGE}/search?text=text&kind=item": 1, "/workers": 1, "/begin": 0,
    }  # fmt: skip
    answers = {}
    for path, count in pages.items():
        links = data_links(shared_client.get(path).text)
        assert len(links) == count, (path, links)
        answers |= {url: shared_client.get(url) for url in links if url not in answers}
    assert {url: answer.status_code for url, answer in answers.items() if answer.status_code != 200} == {}
    narrowed = answers[f"{API}/board?sort=wins&search=text"].json()
    assert (narrowed["sort"], narrowed["total"]) == ("wins", 8)
    assert answers[f"{API}/whatif?without_match=1.1&without_match=1.2"].json()["rows"]


def test_files_are_gathered_once_and_anew_after_a_write(tmp_path, client_of, monkeypatch):
    gathered, gather_once = [], reports.gather
    monkeypatch.setattr(reports, "gather", lambda *of: (gathered.append(of), gather_once(*of))[1])
    with Tournament.create(list("abc"), judge=lambda a, b, _: "first", criteria="c", db=tmp_path / "l.db",
                           seed=1, budget=4) as tournament:  # fmt: skip
        tournament.run()
        url = f"/api/v1/pools/{tournament.state.id}"
    client = client_of(WebConfig(db=str(tmp_path / "l.db")))
    before = client.get(f"{url}/report").json()
    assert client.get(f"{url}/report?format=csv").status_code == 200
    assert len(gathered) == 1
    assert client.post(f"{url}/matches/1.1/rollback", json={"reason": "disputed"}).status_code == 200
    assert client.get(f"{url}/report").json() != before
    assert len(gathered) == 2


def test_a_site_comes_as_a_zip(shared_client):
    link = re.search(rf'href="({API}/report\?format=zip)"', shared_client.get(f"{PAGE}/report").text)[1]
    with zipfile.ZipFile(io.BytesIO(shared_client.get(link).content)) as site:
        assert site.namelist() == ["index.html", "report.html", "report.json", "leaderboard.csv"]
        assert b'href="report.html"' in site.read("index.html")
