"""The ballot in a real browser: by keyboard alone, once for each click, and no text of an item does anything."""

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from paragone.web.app import create_app
from paragone.web.books.library import Library
from paragone.web.config import WebConfig
from paragone.web.server.serving import bound
from paragone.web.views.recording import ItemGiven, PoolGiven, create_pool

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine to open the page in")
HOSTILE = "<img src=x onerror=document.title='harmed'><script>document.title='harmed'</script>"
READ = 0.45
"""Seconds after which the page takes an answer to a new pair."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Library]]:
    """A server over a pool of three, and its library."""
    config = WebConfig(db=str(tmp_path / "votes.db"), port=0)
    library = Library.open(config.db)
    texts = ["long " * 600, HOSTILE, "a bell"]
    items = [ItemGiven(id=f"i{place}", text=text) for place, text in enumerate(texts)]
    create_pool(library, PoolGiven(name="ideas", criteria="louder", items=items))
    listening = bound(config)
    server = uvicorn.Server(uvicorn.Config(create_app(config, library), log_level="warning"))
    running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    running.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/pools/ideas-1/vote", library
    server.should_exit = True
    running.join()
    listening.close()


def test_a_person_votes_by_the_keyboard(served: tuple[str, Library]) -> None:
    url, library = served
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800})
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
            time.sleep(READ)
            page.keyboard.press(key)
            page.wait_for_function(f"() => document.getElementById('said').textContent.startsWith('{said}')")
            if key == "u":
                assert (page.inner_text("#left"), page.inner_text("#right")) == shown
        time.sleep(READ)
        page.dblclick("[data-choice=first]")
        page.wait_for_function("() => document.getElementById('said').textContent.startsWith('Left')")
        page.reload()
        page.wait_for_function("() => document.activeElement.id === 'pair'")
        assert page.inner_text("#name") == "ann"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert axe.Axe().run(page).violations_count == 0
        assert "harmed" not in page.title()
        browser.close()
    assert complaints == []
    cast = [(entry.match.comparisons[0].verdict, entry.rolled_back) for entry in library.ledger.matches("ideas-1")]
    assert [(verdict.choice.value, gone) for verdict, gone in cast] == [
        ("first", True),
        ("second", False),
        ("abstain", False),
        ("tie", False),
        ("first", False),
    ]
    assert {verdict.judge for verdict, _ in cast} == {"human:ann"}
    assert all(verdict.usage.seconds > 0 for verdict, _ in cast)
