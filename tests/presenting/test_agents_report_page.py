"""The report on agents as a page: whatever agents and domains are called, nothing of it runs, and all is drawn."""

import json
import re

import pytest

from paragone.agents import EloSystem
from paragone.agents.report import gather
from paragone.ledger import Ledger
from paragone.presenting.agents_report import as_csv, as_html, as_json
from paragone.presenting.page import plotly_js

NAMES = (
    "<script>window.hacked=1</script>",
    "</script><img src=x onerror=window.hacked=2>",
    "\u202egnp.exe \u2066 and so on",
    '" onmouseover="window.hacked=3',
    "%{customdata} ${window.hacked=4} {{ 7 * 7 }} &lt;b&gt;",
    "=HYPERLINK(1)",
    "a" * 128,
    "\u0645\u0631\u062d\u0628\u0627",
    "\U0001f916 <b>bold</b>",
    "javascript:alert(5)",
    "</title></style>",
    "eve",
)
DOMAINS = ("<svg onload=window.hacked=6>", "\u2067law", "d" * 128)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "a.db"
    with EloSystem(path, pool="<b>p</b>", snapshot=False, durable=False, warn=False) as elo:
        pairs = [(one, NAMES[(place + step) % 12]) for place, one in enumerate(NAMES) for step in (1, 3)]
        elo.record_matches(
            [
                {
                    "debate_id": f"<i>{n}</i>",
                    "participants": [a, b],
                    "scores": {a: 0.7, b: 0.4},
                    "domain": DOMAINS[n % 3],
                }
                for n, (a, b) in enumerate(pairs)
            ]
        )
        elo.record_domain_predictions(
            [
                {"agent_name": name, "domain": DOMAINS[n % 3], "confidence": 0.5 + n / 40, "correct": n % 2 == 0}
                for name in NAMES
                for n in range(15)
            ]
        )
        elo.update_relationships_batch(
            [{"agent_a": a, "agent_b": b, "debate_increment": 20, "a_win": 5, "b_win": 4} for a, b in pairs]
        )
        for name in NAMES[:3]:
            elo.record_redteam_result(name, 0.9, 1, 10, session_id=f"<u>{name[:9]}</u>", domain=DOMAINS[0])
            elo.update_from_verification(name, DOMAINS[1], 1, 2)
        elo.register_agent("eve", "<script>window.hacked=7</script>")
    with Ledger.open(path, create=False) as ledger:
        return gather(ledger, "<b>p</b>", chosen=NAMES[:2])


@pytest.fixture(scope="module")
def html(made):
    return as_html(made)


def test_names_are_shown_as_text_and_nothing_that_cannot_be_seen(html):
    told = html.split('<script type="application/json"')[0]
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in told
    assert not re.search("<(img|svg|i|u|b>[^<])", told.replace("<b><bdi>", ""))
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u2028\x00-\x08]", told)
    assert "a" * 128 not in told


def test_figures_hold_no_markup(html):
    data = html.split('id="figures">')[1].split("</script>")[0]
    assert "<" not in data
    assert set(json.loads(data)) == {"figures", "templates"}


def test_the_page_stays_small(html):
    assert len(html) - len(plotly_js()) < 600_000


def test_json_has_names_to_the_letter_and_csv_no_formula(made):
    assert {row["agent"] for row in json.loads(as_json(made))["agents"]} == set(NAMES)
    assert "\n=HYPER" not in as_csv(made)
    assert "'=HYPERLINK(1)" in as_csv(made)


@pytest.mark.slow
def test_in_a_real_browser_no_script_of_a_name_runs_and_every_chart_is_drawn_once(html, browse):
    dom, console = browse(html)
    assert console == []
    charts = dom.count("data-chart=")
    assert charts == 8 + 6  # six reliability diagrams
    assert dom.count('class="main-svg"') >= charts
    assert dom.count('data-draws="1"') == charts
    assert 'data-ready="yes"' in dom
    told = dom.split('<script type="application/json"')[0]
    assert not re.search(r"<(img|iframe|object)", told)
    assert not re.search(r'<a [^>]*href="[^#]', told)
