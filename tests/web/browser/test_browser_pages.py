"""Every page in a real browser: nothing fails, nothing is asked of others, all of it fits and can be used by everybody,
and no text of an item does anything."""

import re
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from starlette.routing import compile_path

from local_server import served
from paragone import Client
from paragone.domain import Item, RatingConfig
from paragone.domain.voting_rules import VotingRules
from paragone.ledger import Ledger
from paragone.tournaments.agreement import set_voting_rules
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.routes import routes
from paragone.web.voting.voters import PEOPLE

pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")

PAGES = (
    "/",
    "/vote",
    "/begin",
    "/pools/tournament-1",
    "/pools/tournament-1/items/i3",
    "/pools/tournament-1/items/i3/beside/i4",
    "/pools/tournament-1/whatif?without_match=1.1",
    "/pools/tournament-1/matches",
    "/pools/tournament-1/search?text=longer",
    "/pools/rich-1/items/a",
    "/pools/rich-1/items/a/beside/b",
    "/pools/rich-1/vote",
    "/views?address=/pools/tournament-1",
    "/workers",
    "/import",
    "/pools/tournament-1/report",
    "/pools/tournament-1/matches/1.1",
    "/pools/tournament-1/compare",
    "/pools/tournament-1/judges",
    "/pools/tournament-1/change",
    "/pools/tournament-1/agreement",
    "/pools/tournament-1/live",
    "/pools/tournament-2/live",
    "/pools/tournament-2/live/start",
    "/pools/empty",
    "/memory",
    "/memory/board",
    "/memory/files/~ZG9jcy9sb3VkLm1k",
    "/memory/search?q=tower",
    "/memory/pack?task=tower",
    "/memory/prune?scope=scratch/",
    "/agents",
    "/agents/ada",
    "/agents/forecast?agent=ada&opponent=ben&domain=law",
)
VARIANTS = (
    "/pools/tournament-1?q=i3",
    "/pools/tournament-1/matches?outcome=won&words=absent",
    "/pools/tournament-1/matches?page=2",
    "/pools/ideas-1/vote",
    "/pools/empty/judges",
    "/agents?by=calibration",
    "/agents?domain=law&by=elo",
    "/agents/dan",
)
"""Pages of the same template as one above, with fewer parts, other rows or another order."""
IN_OTHER_TESTS = ("/login", "/join", "/people")
"""Pages of servers with tokens: two people look at them below."""
NO_PAGES = (
    *("/api/", "/assets/", "/pools/p/images/"),
    *("/pools/p/items/i/beside", "/login/provider"),
    *("/healthz", "/readyz", "/metrics"),
)
"""Files, what only leads elsewhere, and what programs ask for."""
LOOKS = PHONE, _ = (390, "dark"), (1200, "light")
"""The width and the look that a page is opened in, and those that it changes to."""
REDRAWN = ("/pools/tournament-1/items/i3", "/agents/ada")
"""Pages whose charts are drawn anew when they change."""
HARM = "foreign => look.harm(foreign)"
FOREIGN = "main img, main iframe, main script, main svg[onload], bdi > :not(bdi, ins, del)"
"""Elements that only a text could bring; within it, ours mark what another text has not."""
FOREIGN_TO_MARKDOWN = "main img, main iframe, main script, main svg[onload], main form[action*=evil]"
FAINT = """() => {
  const said = document.querySelector("main p");
  for (let count = 0; count < 3; count++) said.after(said.cloneNode(true));
  said.parentElement.querySelector("p:nth-of-type(3)").style.color = "rgb(120 120 120 / .4)";
  said.after(document.createElement("img"));
}"""
"""Makes one of four paragraphs that are alike faint, and adds an image that nobody can hear of."""


def test_no_page_is_left_out(routes_of):
    """Whoever adds a page lists it here, too."""
    paths = {path for path, route in routes_of(routes()) if "GET" in route.methods}
    opened = [urlsplit(page).path for page in (*PAGES, *VARIANTS, *IN_OTHER_TESTS)]
    left_out = {path for path in paths if not any(compile_path(path)[0].match(page) for page in opened)}
    assert len(paths - left_out) >= 32
    assert {path for path in left_out if not re.sub(r"{(.)[^}]*}", r"\1", path).startswith(NO_PAGES)} == set()


@pytest.mark.timeout(300)
def test_every_page_is_whole_fits_and_is_for_everybody(site, deep):
    """Opened on a phone in the dark, and taken to a desk by day from there.

    What does not depend on colours is looked for on the phone, and at the desk too with ``--deep``, as are the variants
    of a page. Charts are drawn anew at the desk on two pages; with ``--deep`` on all.
    """
    found = {}
    with site.profile(*PHONE) as opened:
        for path in (*PAGES, *VARIANTS):
            with opened(path) as (page, wrong):
                for width, look in LOOKS if deep or path in PAGES else LOOKS[:1]:
                    is_first = (width, look) == PHONE
                    if not (is_first or deep or path in REDRAWN):
                        page.evaluate("look.clearCharts()")
                    dress(page, width, look)
                    rules = deep or is_first
                    problems, dialogs = site.looked_at(page, rules)
                    found[path, width] = [*wrong, *problems]
                    for dialog in dialogs:
                        page.click(f"[data-opens={dialog}]")
                        page.wait_for_selector("dialog[open]")
                        found[path, dialog, width] = site.barriers(page, rules)
                        page.keyboard.press("Escape")
                page.evaluate("document.body.remove()")  # it is not laid out once more for the next
                dress(page, *PHONE)
    assert {path: problems for path, problems in found.items() if problems} == {}
    assert {what for _, what, *_ in found} >= {"rollback", "truth", "prune"}


def dress(page, width, look):
    """Have a page change its width and its look."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=look)


def test_a_chart_is_drawn_once_and_anew_only_for_another_width_or_figure(site):
    """A taller figure makes its place taller, which is no reason to draw it a second time."""
    with site.tab("/agents/ada") as (page, wrong):
        chart = page.locator("#chart-history")

        def draws():
            site.looked_at(page, rules=False)
            return int(chart.get_attribute("data-draws")), chart.evaluate("place => place.clientHeight")

        assert draws() == (1, 390)
        page.evaluate(TALLER, "history")
        assert draws() == (2, 500)
        dress(page, 390, "light")
        assert draws() == (3, 500)
        assert chart.evaluate("place => place.querySelector('.main-svg').clientWidth === place.clientWidth")
        assert wrong == []


TALLER = """name => {
  const figures = document.getElementById("figures"), told = JSON.parse(figures.textContent);
  told.figures[name].layout.height = 500;
  figures.textContent = JSON.stringify(told);
  document.dispatchEvent(new CustomEvent("paragone:figures"));
}"""
"""What a page does once it has fetched a figure of another height."""


@pytest.mark.timeout(300)
def test_two_people_join_by_links_vote_by_keyboard_on_a_phone_and_disagree(site, tmp_path):
    items = tuple(Item(id=f"i{number}", text=f"The idea with the number {number}") for number in range(3))
    with Ledger.open(tmp_path / "people.db") as ledger:
        settings = settings_for(3, criteria="bigger", judge=PEOPLE, seed=1)
        pool = TournamentState.begin(ledger, "ideas", settings, items, RatingConfig()).id
        set_voting_rules(ledger, pool, VotingRules(overlap=2, guidelines="Choose the bigger one."))
    file = TokenFile(tmp_path / "tokens.json")
    token = file.add("ada", Role.ADMIN)
    found = {}

    def looked_at(page, wrong, what):
        problems, _ = site.looked_at(page)
        found[what] = [*wrong, *problems]

    with served(tmp_path / "people.db", "--tokens", str(file.path), folder=tmp_path) as server:
        here = replace(site, url=server.url.rstrip("/"))
        with Client(here.url, token) as admin:
            path = urlsplit(admin.people.invite(pool, uses=2).link)
        for name, key, (width, look) in zip(("ann", "ben"), ("ArrowLeft", "ArrowRight"), LOOKS, strict=True):
            with here.tab(f"{path.path}?{path.query}", width, look) as (page, wrong):
                looked_at(page, wrong, f"join {width}")
                page.fill("#name", name)
                page.press("#name", "Enter")
                page.wait_for_selector("#pair:not([hidden])")
                looked_at(page, wrong, f"ballot {width}")
                assert "Choose the bigger one." in page.inner_text("main")
                for count in (1, 2):
                    page.wait_for_selector("#pair:not([data-fresh])")
                    page.keyboard.press(key)
                    page.wait_for_function(f"() => document.querySelector('#tiles dd').textContent === '{count}'")
                for refused in ("/people", f"{path.path}?{path.query}x"):
                    page.goto(here.url + refused)
                    wrong.clear()  # the console says that the answer was 403
                    looked_at(page, wrong, f"refused {refused} {width}")
        with here.profile(*PHONE) as opened:
            with opened("/login") as (page, wrong):
                page.fill("#token", "another")
                page.press("#token", "Enter")
                page.wait_for_selector("#problem")
                wrong.clear()
                looked_at(page, wrong, "login refused")
                page.fill("#token", token)
                page.press("#token", "Enter")
                page.wait_for_selector("#overview")
            for where in ("/people?done=invite", f"/pools/{pool}/agreement"):
                with opened(where) as (page, wrong):
                    looked_at(page, wrong, where)
                    text = page.inner_text("main")
                    assert "ann" in text
                    assert "ben" in text
        with Client(here.url, token) as admin:
            agreement = admin.votes.agreement(pool)
    assert {what: problems for what, problems in found.items() if problems} == {}
    assert (agreement.pairs, agreement.answers) == (2, 4)


def test_a_page_that_is_not_there_says_so_to_everybody(site):
    with site.tab("/pools/none", 390) as (page, wrong):
        assert len(page.inner_text("main")) > 20
        assert site.looked_at(page) == ([], [])
        page.evaluate(FAINT)
        assert {said.partition(":")[0] for said in site.barriers(page)} == {"image-alt", "color-contrast"}
        assert all("404" in one for one in wrong), wrong


@pytest.mark.timeout(300)
def test_hostile_texts_are_texts_on_every_page(site, hostile_paths):
    found = {}
    with site.profile(390) as opened:
        for path in hostile_paths:
            with opened(path) as (page, wrong):
                if path.endswith("/vote"):
                    page.fill("#voter", "<script>window.hacked=1</script>")
                    page.press("#voter", "Enter")
                    page.wait_for_selector("#pair:not([hidden])")
                found[path] = [*page.evaluate(HARM, FOREIGN), *wrong]
    assert {path: problems for path, problems in found.items() if problems} == {}


@pytest.mark.timeout(300)
def test_hostile_texts_in_markdown_are_texts_too(site, hostile_paths):
    with Client(site.url) as client:
        client.pools.show_texts_as(site.evil, "markdown")
    paths = [path for path in hostile_paths if "/items/" in path]
    found = {}
    with site.profile(390) as opened:
        for path in [*paths[:2], paths[-1]]:
            with opened(path) as (page, wrong):
                harm = page.evaluate(HARM, FOREIGN_TO_MARKDOWN)
                assert page.evaluate("document.querySelector('.rich') !== null")
                found[path] = [*harm, *wrong]
    assert {path: problems for path, problems in found.items() if problems} == {}
