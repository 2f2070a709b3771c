"""Beginning a tournament in the browser: without a script, by admins, for judges of the list or people."""

import re
import time

import pytest

from filled_forms import OWN, Browser, alert
from paragone.ledger import Ledger
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.pages import begin
from paragone.web.pages.begin import packed, rubric_of, unpacked
from paragone.workers.judge_list import ListedJudge

PASTED = "id,text\n" + "".join(f"h{number},Compound {number} slows it.\n" for number in range(6))
ASKED = {"name": "Ideas", "criteria": "worth", "judge": "fast", "aim": "", "budget": "12"}


@pytest.fixture
def simulated(tmp_path):
    (tmp_path / "strengths.csv").write_text("id,score\n" + "".join(f"h{n},{n / 2}\n" for n in range(6)))
    return f"simulated:{tmp_path / 'strengths.csv'}"


@pytest.fixture
def browser_of(tmp_path, client_of, simulated):
    """Makes browsers of servers over one ledger and one secret, each with judges of its own, as an admin."""

    def made(*names, tokens=None, **options):
        judges = {name: ListedJudge(spec=simulated) for name in names}
        config = WebConfig(db=str(tmp_path / "l.db"), judges=judges, secret=b"s" * 32, tokens=tokens, **options)
        return Browser(client_of(config))

    return made


def to_the_settings(browser):
    assert browser.open("/begin").status_code == 200
    assert browser.send({"pasted": PASTED}).status_code == 200
    return browser


def test_a_list_becomes_a_tournament_with_a_forecast_that_is_started(browser_of, tmp_path):
    browser = to_the_settings(browser_of("fast", "other"))
    assert '<h2 id="understood">6 items</h2>' in browser.page
    assert '<th scope="col">Id</th>' in browser.page
    assert "A table: ids from" in browser.page
    made = browser.send(ASKED)
    assert (made.status_code, made.headers["location"]) == (303, "/pools/ideas-1/live/start")
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert [item.text for item in ledger.items.all("ideas-1")] == [f"Compound {n} slows it." for n in range(6)]
        assert ledger.matches.count("ideas-1") == 0, "nothing was asked so far"
    browser.open("/pools/ideas-1/live/start")
    assert "at most 12 decisions" in browser.page
    begun = browser.send({}, button="confirm")
    assert (begun.status_code, begun.headers["location"]) == (303, "/pools/ideas-1/live")
    deadline = time.monotonic() + 60
    while (now := browser.client.get("/api/v1/pools/ideas-1/live").json())["condition"] != "finished":
        assert time.monotonic() < deadline, now
        time.sleep(0.02)
    assert now["budget"]["answered"] == 12


@pytest.mark.parametrize(
    ("change", "goal"),
    [
        ({}, ("balanced", None)),
        ({"aim": "order"}, ("order", None)),
        ({"aim": "winner", "top": "3"}, ("winner", None)),
        ({"aim": "top", "top": "2"}, ("top", 2)),
        ({"pairing": "swiss"}, ("balanced", None)),
    ],
)
def test_what_is_asked_is_what_the_tournament_settles(browser_of, change, goal):
    browser = to_the_settings(browser_of("fast"))
    assert browser.send({**ASKED, **change}).status_code == 303
    with Ledger.open(browser.client.app.state.config.db) as ledger:
        settings = ledger.tournaments.get("ideas-1").settings
    assert (settings["goal"]["aim"], settings["goal"].get("k")) == goal
    assert settings["pairing"] == change.get("pairing", "informative")


def test_the_same_form_twice_makes_one_tournament_and_another_form_makes_another(browser_of):
    browser = to_the_settings(browser_of("fast"))
    page = browser.page
    places = []
    for name in ("Ideas", "Ideas", "Others"):
        browser.page = page
        places.append(browser.send({**ASKED, "name": name}).headers["location"])
    assert places == ["/pools/ideas-1/live/start", "/pools/ideas-1/live/start", "/pools/others-1/live/start"]


def test_people_may_judge_and_then_the_ballot_comes_next(browser_of):
    browser = to_the_settings(browser_of())
    assert "This server has no other judge" in browser.page
    browser.open("/begin")
    assert '<th scope="col">Id</th>' not in browser.send({"pasted": "Ada\nGrace"}).text, "lines are their own ids"
    to_the_settings(browser)
    made = browser.send({**ASKED, "judge": ":people", "aim": "winner"})
    assert (made.status_code, made.headers["location"]) == (303, "/pools/ideas-1/vote")
    browser.page = to_the_settings(browser).page
    refused = browser.send({**ASKED, "judge": ":people", "goal": "x"})
    assert (refused.status_code, alert(refused.text).startswith("people are shown")) == (422, True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"criteria": ""}, "say what makes one item better than another"),
        ({"name": ""}, "name: is missing"),
        ({"judge": "gone"}, "no judge of this server is called 'gone'; there are fast"),
        ({"aim": "top"}, "say how many of the best"),
        ({"aim": "top", "top": "6"}, "the top 6 of 6 items"),
        ({"budget": "many"}, "budget is a number, not 'many'"),
        ({"budget": "0"}, "budget"),
        ({"max_cost": "nan"}, "max_cost"),
        ({"rubric": "loud and clear"}, "loud and clear"),
        ({"packed": "x"}, "arrived damaged"),
        ({"pairing": "sideways"}, "pairing"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_filled_in_stays(browser_of, change, words):
    browser = to_the_settings(browser_of("fast"))
    refused = browser.send({**ASKED, "goal": "Find it.", **change})
    assert refused.status_code == 422
    assert words.replace("'", "&#39;") in refused.text, alert(refused.text)
    assert ("Find it." in refused.text) is ("packed" not in change)
    assert browser.client.get("/api/v1/pools").json()["pools"] == []


def test_items_that_cannot_be_read_leave_what_was_pasted(browser_of):
    browser = browser_of("fast")
    browser.open("/begin")
    refused = browser.send({"pasted": "only <one>"})
    assert (refused.status_code, "only &lt;one&gt;</textarea>" in refused.text) == (422, True)
    refused = browser.send({"pasted": ""}, file=("x<b>.exe", b"MZ\0"))
    assert (refused.status_code, "x&lt;b&gt;.exe: .exe is not known" in refused.text) == (422, True)
    assert browser.send({"pasted": ""}, file=("x.txt", b"tea\nmilk")).status_code == 200
    assert "2 items" in browser.page


def test_a_judge_that_left_the_list_between_forecast_and_start_is_named_and_nothing_is_spent(browser_of):
    first = to_the_settings(browser_of("fast"))
    first.open(first.send(ASKED).headers["location"])
    later = browser_of("slow")  # the operator took it from the list
    later.page = first.page
    refused = later.send({}, button="confirm")
    assert refused.status_code == 409
    assert "its judge, &#39;fast&#39;, is not on this server&#39;s list of judges" in refused.text
    assert later.client.get("/api/v1/pools/ideas-1").json()["matches"] == 0
    before = to_the_settings(browser_of("fast"))
    later.page = before.page
    refused = later.send({**ASKED, "name": "Second"})
    assert (refused.status_code, "The judge <bdi>fast</bdi> is not on this server" in refused.text) == (422, True)


def test_a_forecast_that_changed_is_not_confirmed(browser_of):
    browser = to_the_settings(browser_of("fast"))
    browser.open(browser.send(ASKED).headers["location"])
    refused = browser.send({"confirm": "0" * 24}, button="confirm")
    assert (refused.status_code, "nothing was spent" in refused.text) == (409, True)


@pytest.mark.parametrize("role", ["read", "vote", "judge"])
def test_only_admins_begin(browser_of, tmp_path, role):
    file = TokenFile(tmp_path / "tokens.json")
    bearer = {"authorization": f"Bearer {file.add('ann', Role[role.upper()])}"}
    client = browser_of("fast", tokens=file.path).client
    for path in ("/begin", "/pools/x/change"):
        refused = client.get(path, headers={**bearer, "accept": "text/html"})
        assert refused.status_code == 403
        assert f"ann&#39; has the role {role}; this takes the role admin" in refused.text
        assert '<bdi>ann</bdi>: <a href="/login">log out</a> to come back as somebody else' in refused.text
        assert client.post(path, data={"pasted": PASTED}, headers=bearer).status_code == 403
        assert client.post(path, data={"pasted": PASTED}).status_code == 401


def test_another_site_cannot_send_the_form(browser_of):
    browser = browser_of("fast")
    browser.open("/begin")
    csrf = re.search(r'name="csrf" value="([0-9a-f]+)"', browser.page)[1]
    for headers, sent in [({**OWN, "origin": "https://evil.example", "sec-fetch-site": "cross-site"}, csrf), (OWN, "")]:
        refused = browser.client.post("/begin", data={"pasted": PASTED, "csrf": sent}, headers=headers)
        assert refused.status_code == 403


def test_a_body_that_is_too_large_is_refused_with_a_page(browser_of):
    browser = browser_of("fast", max_upload=2000, max_body=1000)
    browser.open("/begin")
    refused = browser.send({"pasted": "a\nb\n" * 1000})
    assert (refused.status_code, "at most 2,000 bytes" in refused.text, "<!doctype" in refused.text) == (
        413,
        True,
        True,
    )


def test_packed_items_come_back_and_a_bomb_does_not(monkeypatch):
    import base64
    import zlib

    from paragone.domain import Item
    from paragone.errors import InvalidItems

    items = (Item(id="a", text="tea\n☕"), Item(id="b", text="x" * 100_000))
    assert unpacked(packed(items)) == items
    monkeypatch.setattr(begin, "MOST_LETTERS", 100_000)
    bomb = base64.urlsafe_b64encode(zlib.compress(b'[["a","' + b"x" * 600_000 + b'"]]')).decode()
    for text in (bomb, "", "!", packed(items)[:-9], base64.urlsafe_b64encode(zlib.compress(b"[1]")).decode()):
        with pytest.raises(InvalidItems, match="damaged"):
            unpacked(text)


def test_a_rubric_has_a_criterion_a_line():
    assert rubric_of("novelty\n clarity (0.4)\n\ncost (0.6): how cheap: in euros") == [
        {"name": "novelty"},
        {"name": "clarity", "weight": "0.4"},
        {"name": "cost", "weight": "0.6", "definition": "how cheap: in euros"},
    ]
