"""From a pasted list to a published report: what a newcomer does in a browser, in one go."""

import pytest

from paragone.ledger import Ledger
from paragone.presenting.publishing import publish
from paragone.tournaments.report import gather
from paragone.tournaments.state import TournamentState
from scripted_endpoint import Model, ScriptedEndpoint

pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")

LOOKS = {390: "dark", 1280: "light"}
"""The widths and looks in which pages before the start are looked at; what does not depend on colours, at the first."""
IDEAS = "id,text\n" + "".join(f"i{number},The idea with the number {number}.\n" for number in range(8))


@pytest.fixture(scope="module")
def endpoint():
    with ScriptedEndpoint(Model(seconds=1.0)) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def judges(endpoint):
    return (f"model=llm:any@{endpoint.url}",)


@pytest.fixture(scope="module")
def is_furnished():
    return False


@pytest.mark.timeout(300)
def test_a_newcomer_begins_watches_pauses_goes_on_asks_why_saves_a_view_and_reads_the_report_from_a_folder(
    site, endpoint, tmp_path
):
    with site.tab("/", 1280, color_scheme="light") as (page, wrong):

        def looked_at():
            for width, look in LOOKS.items():
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=look)
                assert site.unfit(page, rules=width == min(LOOKS)) == []

        def seen(words):
            page.wait_for_function("words => document.querySelector('#state').innerText.includes(words)", arg=words)

        page.click("text=Begin a tournament")
        page.wait_for_url("**/begin")
        looked_at()
        page.fill("#pasted", "only one")
        page.click("text=See what was understood")
        assert "a ranking needs at least two" in page.inner_text("[role=alert]")
        looked_at()
        wrong.clear()  # the console says that the answer was 422
        page.fill("#pasted", IDEAS)
        page.click("text=See what was understood")
        assert "8 items" in page.inner_text("#understood")
        looked_at()
        page.check("input[name=judge][value=model]")
        page.fill("#name", "Story")
        page.fill("#criteria", "the larger number")
        page.fill("#budget", "60")
        page.click("text=See what it will take")
        page.wait_for_url("**/live/start")
        assert "at most 56 decisions" in page.inner_text("main")
        looked_at()
        page.click("text=Start it")
        page.wait_for_url("**/pools/story-1/live")
        seen("running")
        page.click("[data-opens=pause]")
        page.click("#pause button[value=ok]")
        seen("paused")
        answered = endpoint.count.requests
        assert 0 < answered < 60
        endpoint.model = Model()
        page.click("text=Go on…")
        page.click("text=Start it")
        seen("finished")
        assert endpoint.count.requests > answered
        page.goto(f"{site.url}/pools/story-1/items/i7")
        page.wait_for_selector("#why-title")
        assert "The matches that carry it" in page.inner_text("#why")
        page.goto(f"{site.url}/pools/story-1/matches?item=i7")
        page.click("text=Save this view")
        page.fill("#name", "All about i7")
        page.click("button:text-is('Save')")
        page.click("text=All about i7")
        page.wait_for_url("**/pools/story-1/matches?item=i7")
        assert wrong == []
    with Ledger.open(site.db) as ledger:
        files = publish(gather(ledger, TournamentState.load(ledger, "story-1")), tmp_path / "site")
    opened = site.browser.new_context(offline=True).new_page()
    opened.goto(files[0].as_uri())
    assert "i7" in opened.inner_text("body")
    opened.context.close()
