"""What people do in a real browser, from their first page on, while another tab looks on."""

import json
import urllib.request

import pytest

from paragone.ledger import Ledger
from paragone.presenting.publishing import publish
from paragone.tournaments.report import gather
from paragone.tournaments.state import TournamentState
from scripted_endpoint import Model, ScriptedEndpoint

pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")

from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

READ = "#pair:not([data-fresh])"
"""A pair that a ballot takes an answer to."""
LOOKS = {390: "dark", 1280: "light"}
"""The widths and looks in which pages before the start are looked at; what does not depend on colours, at the first."""
TEXTS = "id,text\n" + "".join(f"i{number},The idea with the number {number}.\n" for number in range(8))
IDEAS = "/pools/ideas-1"
LIVE = "/pools/tournament-2/live"
COUNT = "[...document.querySelectorAll('#state .tiles div')].find((one) => one.innerText.startsWith('Matches'))"


@pytest.fixture(scope="module")
def endpoint():
    with ScriptedEndpoint(Model()) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def judges(endpoint):
    return (f"model=llm:any@{endpoint.url}",)


def has(element, words):
    """That an element says some words, in the language of the page."""
    return f"() => document.querySelector('{element}').innerText.includes('{words}')"


def votes(site):
    """Matches of the pool of ideas that stand."""
    with urllib.request.urlopen(f"{site.url}/api/v1{IDEAS}/matches") as answer:
        return [match for match in json.load(answer)["matches"] if not match["rolled_back"]]


def test_a_vote_by_keyboard_moves_the_board_of_another_and_undo_takes_it_back(site):
    with site.tab(IDEAS) as (board, amiss), site.tab(f"{IDEAS}/vote", 390) as (ballot, wrong):
        board.wait_for_function(has("#beat", "live"))
        board.evaluate("window.kept = 'the same page'")
        before = board.inner_text("#board")
        ballot.wait_for_function("() => document.activeElement.id === 'voter'")
        ballot.keyboard.type("ann")
        ballot.keyboard.press("Enter")
        ballot.wait_for_function("() => document.activeElement.id === 'pair'")
        pair = ballot.inner_text("#left"), ballot.inner_text("#right")
        ballot.wait_for_selector(READ)
        ballot.keyboard.press("ArrowLeft")
        ballot.keyboard.press("ArrowLeft")  # at once again: this one was for the pair before
        ballot.wait_for_function(has("#said", "1 vote so far"))
        board.wait_for_function("(was) => document.getElementById('board').innerText !== was", arg=before)
        moved = board.inner_text("#board")
        assert "1–0–0" in moved
        assert "0–1–0" in moved
        assert [len(votes(site)), ballot.inner_text("#name")] == [1, "ann"]
        ballot.keyboard.press("u")
        ballot.wait_for_function(has("#said", "Taken back"))
        assert (ballot.inner_text("#left"), ballot.inner_text("#right")) == pair
        board.wait_for_function("() => !document.getElementById('board').innerText.includes('1–0–0')")
        assert votes(site) == []
        assert board.evaluate("window.kept") == "the same page"
        assert [*amiss, *wrong] == []


def test_a_match_is_rolled_back_through_its_dialog(site):
    with site.tab("/pools/tournament-1/matches/1.1") as (page, wrong):
        page.focus("[data-opens=rollback]")
        page.keyboard.press("Enter")
        page.wait_for_selector("#rollback[open]")
        page.click("#rollback button[value=ok]")  # without a reason: the browser asks for one
        assert page.evaluate("document.querySelector('#reason:invalid') !== null")
        page.keyboard.press("Escape")
        assert not page.query_selector("#rollback[open]")
        assert "rolled back" not in page.inner_text("#result")
        page.click("[data-opens=rollback]")
        page.fill("#reason", "the <b>judge</b> slept")
        page.keyboard.press("Enter")
        page.wait_for_function(has("#result", "rolled back"))
        assert "the <b>judge</b> slept" in page.inner_text("#result")
        assert not page.query_selector("[data-opens=rollback]")
        assert "Given back when it was rolled back" in page.inner_text("#verdicts")
        assert wrong == []


@pytest.mark.timeout(300)
def test_a_tournament_is_begun_paused_gone_on_with_stopped_and_watched_to_its_end(site):
    with site.tab(LIVE) as (watcher, amiss), site.tab(LIVE, 390) as (page, wrong):
        watcher.evaluate("window.kept = 'the same page'")

        def seen(words):
            watcher.wait_for_function(has("#state", words))
            page.wait_for_function(has("#state", words))

        def go(budget=""):
            page.click("#acts a.main")
            if budget:
                page.fill("#budget", budget)
                page.click("text=What would that take?")
            page.click("text=Start it")
            page.wait_for_url(f"**{LIVE}")

        assert "not begun" in watcher.inner_text("#state")
        go()
        seen("running")
        watcher.wait_for_function("() => document.querySelectorAll('#flight li').length > 0")
        page.click("[data-opens=pause]")
        page.click("#pause button[value=cancel]")
        page.click("[data-opens=pause]")
        page.click("#pause button[value=ok]")
        seen("paused")
        played = answered(watcher)
        assert played > 0
        go()
        seen("running")
        watcher.wait_for_function(f"() => {ANSWERED} > {played}")
        page.click("[data-opens=stop]")
        try:
            page.click("#stop button[value=ok]", timeout=5_000)
        except PlaywrightTimeoutError:  # the page was loaded again with its first charts, just when the dialog opened
            page.click("[data-opens=stop]")
            page.click("#stop button[value=ok]")
        seen("stopped")
        last = answered(page) + 8
        go(str(last))
        seen("finished")
        watcher.wait_for_function(has("#spent", f"the budget of {last} comparisons is spent"))
        assert answered(watcher) == last
        assert watcher.evaluate("window.kept") == "the same page"
        assert [*amiss, *wrong] == []


ANSWERED = "Number((document.querySelector('#spent .spent').innerText.match(/([0-9,]+) of/) ?? ['', '0'])[1])"


def answered(page):
    """Answers so far, as the page has it."""
    return page.evaluate(f"() => {ANSWERED}")


def test_a_file_is_pruned_after_a_question_and_brought_back_while_another_tab_looks_on(site):
    prune = "/memory/prune?scope=scratch/"
    with site.tab(prune) as (page, wrong), site.tab("/memory/board?q=scratch") as (watcher, amiss):
        for one in (page, watcher):
            one.wait_for_function("() => document.getElementById('beat').textContent === 'live'")
        page.click("[data-opens=prune]")
        page.click("#prune button[value=cancel]")
        assert "1 file" in watcher.inner_text("#board")
        page.click("[data-opens=prune]")
        page.click("#prune button[value=ok]")
        page.wait_for_function(has("#archive", "scratch/old.md"))
        watcher.wait_for_function(has("#board", "0 files"))
        page.click("text=Bring back")
        page.wait_for_function(has("#archive", "Nothing was pruned"))
        watcher.wait_for_function(has("#board", "scratch/old.md"))
        assert page.inner_text("#acts").count("local") == 2
        assert [*amiss, *wrong] == []


def test_somebody_says_how_true_a_file_is(site):
    with site.tab("/memory/files/span.py") as (page, wrong):
        page.click("[data-opens=truth]")
        page.fill("#r", "2.5")
        page.fill("#note", "tested")
        page.press("#note", "Enter")
        page.wait_for_function(has("#state", "2.500, supplied"))
        assert wrong == []


def told(site, path, body):
    """Send something as a program does."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{site.url}/api/v1/agents{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def test_agents_that_a_program_tells_of_come_into_open_pages_with_their_charts(site):
    told(site, "?pool=late", {"agent": "ann"})
    with site.tab("/agents?pool=late") as (board, wrong), site.tab("/agents/ann?pool=late", 390) as (page, amiss):
        for one in (board, page):
            one.wait_for_function(has("#beat", "live"))
            assert not one.query_selector(".chart")
        for number, winner in enumerate(["ann", "bob", "ann"]):
            scores = {"ann": float(winner == "ann"), "bob": float(winner == "bob")}
            told(site, "/debates?pool=late", {"id": f"late {number}", "scores": scores, "domain": "law"})
        told(site, "/relations?pool=late", {"id": "r", "a": "ann", "b": "bob", "debates": 3})
        board.wait_for_function(has("#board", "bob"))
        board.wait_for_selector("#chart-relations .main-svg, #chart-domains .main-svg", state="attached")
        page.wait_for_function(has("#standing", "2–1–0"))
        page.wait_for_selector("#chart-history .main-svg", state="attached")
        assert "late 2" in page.inner_text("#debated")
        told(site, "/debates?pool=late", {"id": "late 3", "scores": {"ann": 1, "bob": 0}})
        page.wait_for_function(has("#debated", "late 3"))
        assert [*wrong, *amiss] == []


TABLE = 'id;text\nbell;"a bell;\nwhich rings"\ndrum;a drum\nlute;"a ""lute"""\n'
"""Items as a spreadsheet saves them."""


def test_a_pool_is_made_of_a_file_voted_on_and_undone_after_a_reload(site):
    with site.tab("/vote", 390) as (page, wrong):
        page.click("text=Make a new pool to vote on")
        page.set_input_files("#file", {"name": "a.csv", "mimeType": "text/csv", "buffer": TABLE.encode()})
        page.click("text=See what was understood")
        assert page.inner_text("#understood") == "3 items"
        page.fill("#name", "made here")
        page.fill("#criteria", "Which is louder?")
        page.click("text=See what it will take")
        page.wait_for_url("**/pools/made-here-1/vote")
        page.fill("#voter", "bob")
        page.press("#voter", "Enter")
        page.wait_for_selector(f"{READ}:not([hidden])")
        pair = {page.inner_text("#left"), page.inner_text("#right")}
        assert pair < {"a bell;\nwhich rings", "a drum", 'a "lute"'}
        page.dblclick("[data-choice=first]")
        page.wait_for_function(has("#said", "1 vote so far"))
        page.reload()
        page.wait_for_selector("#undo:enabled")
        page.click("#undo")
        page.wait_for_function(has("#said", "Taken back"))
        assert {page.inner_text("#left"), page.inner_text("#right")} == pair
        assert "Your votes\n0" in page.inner_text("#tiles")
        assert wrong == []


@pytest.mark.timeout(300)
def test_a_newcomer_without_scripts_pastes_a_list_sees_what_it_takes_and_starts_it(site):
    """With scripts, and what each of its pages is like, is told in the story of a newcomer."""
    with site.tab("/", 390, java_script_enabled=False) as (page, wrong):
        page.click("text=Begin a tournament")
        page.wait_for_url("**/begin")
        page.fill("#pasted", "only one")
        page.click("text=See what was understood")
        assert "a ranking needs at least two" in page.inner_text("[role=alert]")
        wrong.clear()  # the console says that the answer was 422
        page.fill("#pasted", TEXTS)
        page.click("text=See what was understood")
        assert "8 items" in page.inner_text("#understood")
        page.fill("#name", "From the browser")
        page.fill("#criteria", "the better idea")
        page.fill("#budget", "24")
        page.click("text=See what it will take")
        page.wait_for_url("**/live/start")
        assert "at most 24 decisions" in page.inner_text("main")
        page.click("text=Start it")
        page.wait_for_url("**/live")
        assert "From the browser" in page.inner_text("nav.pool")
        assert wrong == []


@pytest.mark.timeout(300)
def test_a_newcomer_begins_watches_asks_why_saves_a_view_and_reads_the_report_from_a_folder(site, endpoint, tmp_path):
    with site.tab("/", 1280, color_scheme="light") as (page, wrong):

        def looked_at():
            for width, look in LOOKS.items():
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=look)
                assert site.looked_at(page, rules=width == min(LOOKS)) == ([], [])

        page.click("text=Begin a tournament")
        page.wait_for_url("**/begin")
        looked_at()
        page.fill("#pasted", "only one")
        page.click("text=See what was understood")
        assert "a ranking needs at least two" in page.inner_text("[role=alert]")
        looked_at()
        wrong.clear()  # the console says that the answer was 422
        page.fill("#pasted", TEXTS)
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
        page.wait_for_function(has("#state", "finished"))
        assert endpoint.count.requests > 8
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
