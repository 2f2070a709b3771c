"""The report as a page: whole, self-contained, and nothing that items say is taken for code."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from paragone.domain import Item, ItemKind, Review
from paragone.judges.function_judge import FunctionJudge
from paragone.presenting.page import page_js, plotly_js
from paragone.presenting.tournament_report import as_html
from paragone.presenting.tournament_report.tables import tables
from paragone.tournaments.report import gather
from paragone.tournaments.tournament import Tournament

HOSTILE = {
    "<script>window.hacked=1</script>": "</script><script>window.hacked=2</script><!--<script>",
    "<img src=x onerror=window.hacked=3>": "<svg onload=window.hacked=4> <a href='javascript:alert(5)'>click</a>",
    "\u202egnp.exe": "text that is written \u202e backwards \u2066 and never ends; \u200b\u2028",
    '" onmouseover="window.hacked=6': "%{customdata} ${window.hacked=7} {{ 7 * 7 }} {% raw %} &lt;b&gt;",
    "=HYPERLINK(1)": "word " * 20_000,
    "h6": "\ufffe \U0001f914 naïve, an honest text </textarea></style></title>",
}
CRITERIA = "</title><script>window.hacked=8</script>"


def longer(first, second, criteria):
    return {
        "winner": "first" if len(first.text) > len(second.text) else "second",
        "rationale": "<script>window.hacked=9</script>",
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    items = [Item(id=id, text=text, kind=ItemKind.HYPOTHESIS) for id, text in HOSTILE.items()]
    judge = FunctionJudge(longer)
    with Tournament.create(
        items,
        judge=judge,
        criteria=CRITERIA,
        pairing="round-robin",
        seed=1,
        db=tmp_path_factory.mktemp("page") / "l.db",
    ) as tournament:
        tournament.run()
        state = tournament.state
        state.reviews = tuple(Review(item=id, reviewer="<b>ada</b>", score=n / 6) for n, id in enumerate(HOSTILE))
        yield gather(tournament.ledger, state, truth={id: float(n) for n, id in enumerate(HOSTILE)})


@pytest.fixture(scope="module")
def html(made):
    return as_html(made, chosen=list(HOSTILE))


class Page(HTMLParser):
    """What a browser would make of it: elements with their attributes, and the text of scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self._open = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self._open = []

    def handle_data(self, data):
        if self._open is not None:
            self._open.append(data)

    def handle_endtag(self, tag):
        if tag == "script":
            self.scripts.append("".join(self._open))
            self._open = None


def test_there_are_three_scripts_and_only_ours(html):
    seen = Page(html)
    data, library, ours = seen.scripts
    assert library == plotly_js()
    assert ours == page_js()
    assert set(json.loads(data)) == {"figures", "templates"}
    assert "<" not in data
    assert {tag for tag, _ in seen.elements} <= {
        "html", "head", "meta", "title", "style", "body", "header", "p", "h1", "h2", "h3", "nav", "a", "main",
        "section", "dl", "div", "dt", "dd", "figure", "figcaption", "table", "thead", "tbody", "tr", "th", "td", "b",
        "bdi", "details", "summary", "footer", "noscript", "script",
    }  # fmt: skip
    assert [name for _, attributes in seen.elements for name in attributes if name.startswith("on")] == []
    assert [a["href"] for tag, a in seen.elements if tag == "a" and not a["href"].startswith("#")] == []
    assert [a for _, a in seen.elements if "src" in a] == []


def test_the_policy_lets_these_scripts_run_and_nothing_else(html):
    seen = Page(html)
    (policy,) = [a["content"] for tag, a in seen.elements if a.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"  # connect-src and all others fall back to it
    hashes = {
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in seen.scripts[1:]
    }
    assert set(rules["script-src"].split()) == hashes
    assert set(rules) == {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}


def test_texts_are_there_and_nothing_that_cannot_be_seen(html):
    told = html.split('<script type="application/json"')[0]
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in told
    assert "an honest text" in told
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u2028\x00-\x08]", told)


def test_every_link_of_the_contents_leads_somewhere_and_every_chart_has_its_figure(html):
    seen = Page(html)
    ids = [a["id"] for _, a in seen.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for tag, a in seen.elements if tag == "a"} <= set(ids)
    charts = [a["data-chart"] for _, a in seen.elements if "data-chart" in a]
    assert charts == list(json.loads(seen.scripts[0])["figures"])
    assert {"leaderboard", "distribution", "progression", "certainty", "convergence", "meetings", "reviews", "truth",
            "costs"} <= set(charts)  # fmt: skip
    assert all(a["aria-label"] for _, a in seen.elements if "data-chart" in a)


def test_a_long_text_is_cut(html):
    assert len(html) - len(plotly_js()) < 400_000  # a text of 100,000 letters is among the items


def test_items_that_share_a_rank_are_marked_though_others_are_beyond_the_top(made):
    alike = tuple(replace(row, rank=1) for row in made.board.items)
    standings = replace(made.standings, board=replace(made.board, items=alike))
    board = next(table for table in tables(replace(made, standings=standings), top=1) if table.title == "Leaderboard")
    assert [(cell.text, cell.mark) for cell in board.lines[0][:1]] == [("1", "=")]


def test_top_limits_the_table_and_says_so(made):
    shown = as_html(made, top=2)
    assert "The other 4 are in the JSON and CSV reports." in shown
    assert shown.count('data-key="') < as_html(made).count('data-key="')


@pytest.mark.slow
def test_in_a_real_browser_no_script_of_an_item_runs_and_every_chart_is_drawn_once(html, browse):
    dom, console = browse(html)
    assert console == []
    charts = dom.count("data-chart=")
    assert charts > 8
    assert dom.count('class="main-svg"') >= charts  # plotly draws each into such an element
    assert dom.count('data-draws="1"') == charts
    assert 'data-ready="yes"' in dom
    drawn = Page(dom.split('<script type="application/json"')[0])
    assert [a for tag, a in drawn.elements if tag == "a" and a.get("href", "#")[0] != "#"] == []
    assert [tag for tag, _ in drawn.elements if tag in ("img", "iframe", "object", "script")] == []
