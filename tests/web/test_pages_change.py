"""Changing a tournament in the browser, without a script."""

import pytest

from filled_forms import Browser, alert
from paragone.ledger import Ledger
from paragone.ledger.evidence.tournaments import ADMIN

PAGE = "/pools/tournament-1/change"


@pytest.fixture
def browser(client):
    made = Browser(client)
    assert made.open(PAGE).status_code == 200
    return made


def send(browser, change, values, **more):
    answer = browser.send(values, button=f'value="{change}"', **more)
    if answer.status_code == 303:
        browser.open(answer.headers["location"])
        return answer.status_code, browser.page
    return answer.status_code, alert(answer.text)


def test_items_join_retire_and_return(browser, played):
    status, page = send(browser, "add", {"pasted": "id,text\nn1,new one\nn2,new two"})
    assert (status, "Items added: 2." in page) == (303, True)
    status, page = send(browser, "add", {"pasted": ""}, file=("x.csv", b"id,text\nn3,new three"))
    assert (status, "Items added: 1." in page) == (303, True)
    status, page = send(browser, "retire", {"items": "n1\nn2", "reason": "a <slip>"})
    assert (status, "Items retired now: 2." in page, "a &lt;slip&gt;" in page) == (303, True, True)
    status, page = send(browser, "readmit", {})
    assert (status, "Items still retired: 1." in page) == (303, True)
    assert browser.client.get("/api/v1/pools/tournament-1/items/n2").json()["retired"] == "a <slip>"
    with Ledger.open(played) as ledger:
        acts = [event.detail["act"] for event in ledger.tournaments.events("tournament-1") if event.kind == ADMIN]
    assert acts == ["add items", "add items", "retire", "readmit"]


def test_directives_are_given_and_taken_back(browser):
    status, page = send(browser, "direct", {"text": "Heed the <cost>."})
    assert (status, "Directive 1 is heeded" in page, "Heed the &lt;cost&gt;." in page) == (303, True, True)
    status, page = send(browser, "withdraw", {})
    assert (status, "taken back" in page, 'value="withdraw"' in page) == (303, True, False)


def test_a_review_is_added_once(browser):
    review = {"item": "i3", "reviewer": "ann", "score": "0.8", "text": "Good."}
    assert "Reviews added: 1." in send(browser, "review", review)[1]
    assert "Reviews added: 0." in send(browser, "review", review)[1]
    assert browser.client.get("/api/v1/pools/tournament-1/reviews").json()["reviews"][0]["score"] == 0.8


@pytest.mark.parametrize(
    ("change", "values", "words"),
    [
        ("add", {"pasted": ""}, "give at least one"),
        ("add", {"pasted": "id,text\ni1,other\nn2,b"}, "i1"),
        ("retire", {"items": ""}, "items: must not be empty"),
        ("retire", {"items": "nobody"}, "nobody"),
        ("direct", {"text": " "}, "text: must not be empty"),
        ("review", {"item": "i33", "reviewer": "ann", "score": "0.8"}, "did you mean i3"),
        ("review", {"item": "i3", "reviewer": "ann", "score": "8"}, "score"),
        ("add", {"change": "erase"}, "that form is of another page"),
        ("add", {"change": "withdraw", "number": "x"}, "a whole number"),
        ("add", {"change": "withdraw", "number": "99"}, "99"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(browser, played, change, values, words):
    status, said = send(browser, change, values)
    assert (status, words in said) == (422, True), said
    with Ledger.open(played) as ledger:
        assert not [event for event in ledger.tournaments.events("tournament-1") if event.kind == ADMIN]


def test_an_item_leads_to_its_forms(browser):
    page = browser.open("/pools/tournament-1/items/i3").text
    assert f'href="{PAGE}?item=i3#retire"' in page
    assert 'value="i3"' in browser.open(f"{PAGE}?item=i3").text
    assert browser.open(f"{PAGE}?done=<b>").status_code == 200
    assert browser.open("/pools/none/change").status_code == 404
