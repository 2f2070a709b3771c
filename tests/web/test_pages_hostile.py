"""Texts that would like to be code: on every page they are only texts."""

from html.parser import HTMLParser

import pytest

from local_client import LocalClient
from paragone.domain import Choice, Comparison, CriterionScore, Item, Match, Outcome, RatingConfig, Verdict
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.wire.address import item_url, match_url, pool_url

EVIL = (
    "<script>window.hacked=1</script>",
    '" onmouseover="window.hacked=1" x=\'',
    "</script></title></textarea><img src=x onerror=window.hacked=1>",
    "javascript:window.hacked=1",
    "{{ 7*7 }}{% include 'base.html' %}",
    "a\u202eb\u200bc\x1bd\ud800",
    "../..//\\?#%2F&amp;<!--",
    "-->]]><svg onload=window.hacked=1>",
    "<b>" * 9000,
)
POOL = "</script><pool>/'\""
SCRIPTS = {"src", "type", "defer", "id"}


class Reading(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of a pool whose every text is hostile, by their addresses."""
    file = tmp_path_factory.mktemp("hostile") / "h.db"
    library = LedgerReader.open(str(file))
    ledger = library.ledger
    ledger.pools.create(POOL, RatingConfig())
    ledger.items.add(POOL, [Item(id=id_of(text), text=text) for text in EVIL])
    ids = [id_of(text) for text in EVIL]
    for number, (one, other) in enumerate(zip(ids, ids[1:] + ids[:1], strict=True)):
        ledger.matches.record(POOL, match(f"m<b>{number}", one, other, EVIL[number]))
    ledger.matches.rollback(POOL, "m<b>1", EVIL[0])
    library.close()
    pages = ["/", *(pool_url(POOL, *part) for part in ([], ["matches"], ["compare"], ["judges"]))]
    pages += [f"{pool_url(POOL)}?q=%3Cscript%3E%22"]
    pages += [item_url(POOL, id) for id in ids] + [match_url(POOL, f"m<b>{number}") for number in range(len(ids))]
    with LocalClient(create_app(WebConfig(db=str(file)))) as client:
        answers = {url: client.get(url, headers={"accept": "text/html"}) for url in pages}
    assert {url: answer.status_code for url, answer in answers.items()} == dict.fromkeys(pages, 200)
    return {url: answer.text for url, answer in answers.items()}


def id_of(text):
    """The beginning of a text as an id; no half of a character stands in ids."""
    return text[:80].replace("\ud800", "")


def match(id, one, other, text):
    scores = tuple(CriterionScore(criterion=name[:60], first=0.9, second=0.1) for name in EVIL[:4])
    verdict = Verdict(choice=Choice.FIRST, judge=text[:60], rationale=text, scores=scores)
    call = Comparison(call=f"{id}/1", first=one, second=other, verdict=verdict)
    return Match(id=id, a=one, b=other, outcome=Outcome.A, comparisons=(call,))


def test_nothing_of_a_hostile_text_becomes_an_element_an_attribute_or_a_script(pages):
    assert "window.hacked" in pages[pool_url(POOL)]
    for url, html in pages.items():
        for tag, attributes in Reading(html).elements:
            assert tag not in {"img", "iframe", "object", "embed", "b>", "pool", "style", "base"}, url
            assert not [name for name in attributes if name.startswith("on")], (url, attributes)
            if tag == "script":
                assert set(attributes) <= SCRIPTS
                assert attributes.get("type") == "application/json" or attributes["src"].startswith("/assets/")
            for name in ("href", "src", "action", "data-post"):
                assert attributes.get(name, "/").startswith(("/", "#", "?")), (url, attributes)
            style = attributes.get("style", "")
            assert set(style) <= set("abcdefghijklmnopqrstuvwxyz-:;.%0123456789"), style


def test_characters_that_cannot_be_seen_are_on_no_page(pages):
    for url, html in pages.items():
        assert not set("\u202e\u200b\x1b\x00") & set(html), url


def test_links_lead_back_to_the_item_that_they_name(pages):
    links = {
        attributes["href"]
        for tag, attributes in Reading(pages[pool_url(POOL)]).elements
        if tag == "a" and attributes.get("class") == "item" and "/items/" in attributes["href"]
    }
    assert links == {item_url(POOL, id_of(text)) for text in EVIL}


def test_a_long_text_is_cut_on_every_page(pages):
    assert all(len(html) < 250_000 for html in pages.values())
    html = pages[item_url(POOL, id_of(EVIL[-1]))]
    assert '<details class="text long">' in html
    assert "The first 20,000 of 27,000 characters" in html
