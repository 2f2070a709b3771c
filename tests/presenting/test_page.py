"""A page by itself, whatever it is about."""

import base64
import hashlib
import json
from datetime import UTC, datetime

import pytest

from paragone.errors import MissingExtra
from paragone.presenting import page
from paragone.presenting.figures import rating_history
from paragone.presenting.figures.ratings import RatingSeries
from paragone.presenting.page import Chart, Page, as_html, embedded, page_js, policy, typeset
from paragone.presenting.table import Cell, Column, Table, number, text

EVIL = "</script><script>window.hacked=1</script>"


def a_page(**rest):
    at = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
    empty = {"tiles": (), "summary": (), "sections": {}, "charts": (), "tables": ()}
    return Page(**{"kind": "Report", "title": "a title", "at": at, **empty, **rest})


def told(html):
    """The page without its scripts."""
    return html.split('<script type="application/json"')[0]


def test_a_page_with_nothing_on_it_is_a_page():
    html = told(as_html(a_page()))
    assert "<title>a title: report</title>" in html
    assert "As of 04 March 2026, 05:06 UTC" in html
    assert html.count("<section") == 1


def test_sections_that_hold_nothing_are_left_out_and_the_others_stand_in_their_order():
    table = Table(section="two", columns=(text("A", lambda _: "x"), number("B", float, ".1f")), rows=(1.5,))
    chart = Chart(
        id="c", section="three", title="C", note="n", figure=rating_history([RatingSeries(agent="a", rating=(1,))])
    )
    sections = {"three": "Three", "one": "One", "two": "Two"}
    html = told(as_html(a_page(sections=sections, charts=(chart,), tables=(table,))))
    assert [part.split('"')[0] for part in html.split('<section id="')[1:]] == ["summary", "three", "two"]
    assert '<td class="n" data-key="1.5"><bdi>1.5</bdi></td>' in html


def test_every_text_is_escaped_and_what_cannot_be_seen_is_taken_out():
    column = Column(EVIL, lambda row: Cell(text=row, more="b\u202ec"))
    table = Table(section="s", title=EVIL, note=EVIL, columns=(column,), rows=(EVIL,))
    known = {"tiles": ((EVIL, EVIL),), "summary": ((EVIL, "a\u202eb"),), "sections": {"s": EVIL}, "tables": (table,)}
    html = told(as_html(a_page(kind=EVIL, title=EVIL, about=EVIL, **known)))
    assert "window.hacked" in html
    assert "<script>" not in html
    assert "\u202e" not in html


def test_figures_are_json_without_an_angle_bracket():
    figure = rating_history([RatingSeries(agent=EVIL, rating=(1.0,), causes=(EVIL,))])
    data = embedded([Chart(id="c", section="s", title="", note="", figure=figure)])
    assert not set("<>&") & set(data)
    assert json.loads(data)["figures"]["c"] == figure


def test_the_policy_names_the_scripts_by_their_hashes():
    digest = base64.b64encode(hashlib.sha256(page_js().encode()).digest()).decode()
    assert policy(page_js()).startswith(f"default-src 'none'; script-src 'sha256-{digest}'; ")


def test_columns_in_which_nothing_stands_go():
    columns = (text("A", lambda row: row), number("B", lambda _: None))
    left = Table(columns=columns, rows=("a", "")).filled()
    assert [column.name for column in left.columns] == ["A"]
    assert [len(line) for line in left.lines] == [1, 1]


def test_numbers_have_true_dashes_and_minus_signs_and_texts_stay():
    said = [Cell(text=words, style="n") for words in ("1-3", "-0.31", "-31 to 20", "+4")]
    assert [typeset(cell) for cell in said] == ["1–3", "−0.31", "−31 to 20", "+4"]
    assert typeset(Cell(text="a-1-2", style="a")) == "a-1-2"


def test_without_plotly_the_error_names_the_extra(monkeypatch):
    page.plotly_js.cache_clear()
    monkeypatch.setattr(page, "files", lambda name: (_ for _ in ()).throw(ModuleNotFoundError(name)))
    with pytest.raises(MissingExtra, match=r"paragone\[report\].*\.json or \.csv"):
        page.plotly_js()
