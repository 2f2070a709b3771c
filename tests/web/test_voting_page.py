"""The ballot in a real browser: by keyboard alone, once for each click, and no text of an item does anything."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import local_browser
from paragone.ledger import RecordedMatch
from paragone.web.api.pools import NewItem, NewPool, begin_pool
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.server.serving import bound

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

HOSTILE = "<img src=x onerror=document.title='harmed'><script>document.title='harmed'</script>"
READY = "() => document.querySelector('#pair[data-fresh]') === null && !document.querySelector('#vote[aria-busy]')"
"""Whether the page takes an answer to the pair that it shows."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, LedgerReader]]:
    """A server over a pool of three, and its library."""
    config = WebConfig(db=str(tmp_path / "votes.db"), port=0)
    library = LedgerReader.open(config.db)
    texts = ["long " * 600, HOSTILE, "a bell"]
    items = [NewItem(id=f"i{place}", text=text) for place, text in enumerate(texts)]
    begin_pool(library, NewPool(name="ideas", criteria="louder", items=items))
    listening = bound(config)
    server = uvicorn.Server(uvicorn.Config(create_app(config, library), log_level="warning"))
    running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    running.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/pools/ideas-1/vote", library
    server.should_exit = True
    running.join()
    listening.close()


@pytest.fixture(scope="module")
def browser(held_browser: Callable[[], AbstractContextManager[Any]]) -> Iterator[Any]:
    with held_browser() as browser:
        yield browser


def test_a_person_votes_by_the_keyboard(served: tuple[str, LedgerReader], browser: Any) -> None:
    url, library = served
    with local_browser.profile(browser, viewport={"width": 390, "height": 800}) as page:
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(url)
        page.wait_for_function("() => document.activeElement.id === 'voter'")
        page.keyboard.type("ann")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.activeElement.id === 'pair'")
        shown = page.inner_text("#left"), page.inner_text("#right")
        for key, said in (("ArrowLeft", "Left"), ("u", "Taken back"), ("r", "Right"), ("s", "Skipped"), ("t", "Tie")):
            page.wait_for_function(READY)
            page.keyboard.press(key)
            page.wait_for_function(f"() => document.getElementById('said').textContent.startsWith('{said}')")
            if key == "u":
                assert (page.inner_text("#left"), page.inner_text("#right")) == shown
        page.wait_for_function(READY)
        page.dblclick("[data-choice=first]")
        page.wait_for_function("() => document.getElementById('said').textContent.startsWith('Left')")
        page.reload()
        page.wait_for_function("() => document.activeElement.id === 'pair'")
        assert page.inner_text("#name") == "ann"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert axe.Axe().run(page).violations_count == 0
        assert "harmed" not in page.title()
    assert complaints == []
    cast = [(entry.match.comparisons[0].verdict, entry.rolled_back) for entry in library.ledger.matches.all("ideas-1")]
    assert [(verdict.choice.value, gone) for verdict, gone in cast] == [
        ("first", True),
        ("second", False),
        ("abstain", False),
        ("tie", False),
        ("first", False),
    ]
    assert {verdict.judge for verdict, _ in cast} == {"human:ann"}
    assert all(verdict.usage.seconds > 0 for verdict, _ in cast)


def test_an_answer_that_is_not_taken_is_refused_in_sight(served: tuple[str, LedgerReader], browser: Any) -> None:
    """Whether it comes before the pair was seen, while a vote is on its way, or as the second of two clicks."""
    url, library = served
    with local_browser.profile(browser) as page:
        page.add_init_script(f"localStorage.setItem('paragone.voter', 'ann'); ({AT_ONCE})()")
        page.goto(url)
        page.wait_for_function("() => document.getElementById('refused').textContent.includes('only just come')")
        assert page.is_visible("#refused")
        assert library.ledger.matches.count("ideas-1") == 0

        held: list[playwright.Route] = []
        page.route("**/votes", lambda route: held.append(route))  # noqa: PLW0108 - it marks what it is handed
        page.wait_for_function(READY)
        page.keyboard.press("ArrowLeft")
        page.wait_for_function("() => document.getElementById('vote').ariaBusy === 'true'")
        assert page.inner_text("#refused") == "", "what was taken takes the notice away"
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.getElementById('refused').textContent.includes('on its way')")
        page.keyboard.press("u")
        while not held:
            page.wait_for_timeout(20)
        held.pop().continue_()
        page.unroute("**/votes")
        page.wait_for_function("() => document.getElementById('said').textContent.startsWith('Taken back')")
        page.wait_for_function(READY)
        page.evaluate(NOTE_REFUSALS)
        page.dblclick("[data-choice=first]")
        page.wait_for_function("() => document.documentElement.dataset.refused")
        page.wait_for_function("() => document.getElementById('said').textContent.startsWith('Left')")
        page.wait_for_function(READY)
    cast = [(entry.match.comparisons[0].verdict.choice.value, entry.rolled_back) for entry in matches(library)]
    assert cast == [("first", True), ("first", False)]


NOTE_REFUSALS = """() => {
  const refused = document.getElementById("refused");
  const noted = () => { if (refused.textContent) document.documentElement.dataset.refused = refused.textContent; };
  new MutationObserver(noted).observe(refused, { subtree: true, childList: true, characterData: true });
}"""
"""Keeps what is refused, which the answer to the vote before may take away between two looks."""
AT_ONCE = """() => addEventListener("DOMContentLoaded", () => {
  const look = new MutationObserver(() => {
    if (!document.getElementById("left").textContent) return;
    look.disconnect();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    requestAnimationFrame(() => document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" })));
  });
  look.observe(document, { subtree: true, childList: true, attributes: true });
})"""
"""Answers the first pair in the moment in which it comes."""


def matches(library: LedgerReader) -> list[RecordedMatch]:
    return list(library.ledger.matches.all("ideas-1"))
