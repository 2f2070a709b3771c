"""What stands in templates, and how numbers are written there."""

import pytest
from jinja2 import UndefinedError

from paragone.domain import Forecast
from paragone.presenting.figures import RatingSeries, rating_history
from paragone.presenting.page import Chart
from paragone.web.middleware.access_tokens import LOCAL, Caller, Role
from paragone.web.pages import rendering
from paragone.web.pages.rendering import (
    between,
    coded,
    events_url,
    forecast_tiles,
    judge_name,
    money,
    number,
    opening,
    page,
    points,
    query,
    share,
    signed,
)


def body(**values):
    defaults = {"title": "a title", "detail": "some words", "code": 404, "back": "/x"}
    return page("error.html", **{**defaults, **values}).body.decode()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0, "$0.00"),
        (1234.567, "$1,234.57"),
        (0.25, "$0.25"),
        (0.0213, "$0.021"),
        (0.00021, "$0.00021"),
        (0.00001, "< $0.0001"),
    ],
)
def test_small_money_keeps_its_digits(value, text):
    assert money(value) == text


def test_what_is_not_known_is_a_dash_and_zero_is_zero():
    assert [show(None) for show in (number, points, share, signed)] == ["–"] * 4
    assert (number(0), points(0.4), share(0.0), signed(0.0)) == ("0", "0", "0%", "+0.0")
    assert signed(-13.86) == "−13.9"
    assert (points(-0.3), points(-245.2)) == ("0", "−245")
    assert (between([1049.6, 1200]), between([-2629, -245]), between([None, None])) == (
        "1050–1200",
        "−2629 to −245",
        "–––",
    )
    assert number(1234567) == "1,234,567"


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        ("simulated:32bc1670fe97", "simulated"),
        ("simulated:35842cb0cd54/debates:1", "simulated/debates:1"),
        ("llm:gpt-5-mini#0123456789abcdef", "llm:gpt-5-mini"),
        ("given: better#0123abcd", "better"),
        ("llm:model:20260101", "llm:model:20260101"),
        ("function:better@4ad03bc55d01", "function:better"),
        ("human:ann", "human:ann"),
    ],
)
def test_a_row_names_a_judge_without_its_fingerprint(identity, name):
    assert judge_name(identity) == name


def test_only_words_begin_with_a_capital_letter_and_not_names():
    assert [opening(text) for text in ("there is no pool", "'ann' was", "votes.csv: bad", "t-1 is gone")] == [
        " opening", "", "", ""
    ]  # fmt: skip


def test_parameters_are_encoded_and_empty_ones_left_out():
    assert query({"a": "x&y=z", "b": None, "c": ""}, d=0) == "a=x%26y%3Dz&d=0"
    assert events_url() == "/api/v1/events"
    assert events_url("a b/c&d") == "/api/v1/events?pool=a%20b%2Fc%26d"


def test_every_text_is_escaped_and_what_cannot_be_seen_is_taken_out():
    html = body(title="<script>alert(1)</script>", detail="a\u202eb\x00c\ud800d")
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a b c\ufffdd" in html or "a b c d" in html


def test_a_value_that_a_template_lacks_is_an_error_and_not_a_gap():
    with pytest.raises(UndefinedError):
        page("board.html")


def test_the_navigation_says_where_one_is_and_who():
    html = body(section="overview", who=Caller(name="<ada>", role=Role.VOTE))
    assert '<a href="/" aria-current="page">Overview</a>' in html
    assert html.count("aria-current") == 1
    assert "&lt;ada&gt;</bdi> · vote" in html
    assert "local" not in body(who=LOCAL)


def test_a_page_without_figures_loads_nothing_that_draws():
    assert "plotly.js" not in body()
    assert "charts.js" not in body()
    assert 'id="figures"' not in body()


def test_a_page_with_figures_brings_them_as_json_that_cannot_end_its_element():
    evil = "</script><script>window.hacked=1</script>"
    figure = rating_history([RatingSeries(agent=evil, rating=(1.0, 2.0))])
    html = body(charts=[Chart(id="c", section="s", title="t", note="n", figure=figure)])
    inside = html.split('<script type="application/json" id="figures">')[1].split("</script>")[0]
    assert "<" not in inside
    assert '"figures":{"c":' in inside
    assert html.index("plotly.js") < html.index("charts.js")


def test_what_changes_something_finds_its_token_in_the_page():
    assert '<meta name="csrf" content="a&#34;b">' in body(who=Caller(name="local", role=Role.ADMIN, csrf='a"b'))
    assert "csrf" not in body()


def test_pages_are_not_kept_by_browsers():
    assert page("error.html", title="", detail="", code=1, back="").headers["cache-control"] == "no-store"


def test_a_text_is_cut_with_more_to_open_and_never_shown_beyond_what_a_page_holds():
    parts = rendering._templates().get_template("parts.html").module
    assert "<details" not in parts.text("short", 10)
    long = parts.text("x" * 30 + "<b>", 10)
    assert "<details" in long
    assert "xxxxxxxxx…" in long
    assert "&lt;b&gt;" in long
    huge = parts.text("y" * (rendering.MOST + 1), 10)
    assert huge.count("y" * 100) <= rendering.MOST // 100
    assert "The first 20,000 of 20,001 characters" in huge


def test_an_interval_is_drawn_to_scale():
    parts = rendering._templates().get_template("parts.html").module
    assert 'left:25.00%;width:50.00%"></i><b style="left:50.00%' in parts.interval(1250, 1350, 1300, 1200, 1400)
    assert "left:0.00%" in parts.interval(5, 5, 5, 5, 5)


SURE = {"tau": 0.82, "recall": 0.9, "top": 3, "p_best": 0.75}
TILES = [
    ("The first is the best", "75%"),
    ("Of the true top 3, found", "90%"),
    ("Expected agreement with the true order", "0.82"),
]
NO_SIGNAL = "No signal beyond chance"


@pytest.mark.parametrize(
    ("forecast", "tiles"),
    [
        ({"no_signal": 0.0}, TILES),
        ({"no_signal": 0.2}, [(NO_SIGNAL, "20%"), *TILES]),
        ({"no_signal": 0.93}, [(NO_SIGNAL, "93%")]),
        ({"no_signal": 0.0, "top": 1, "recall": 0.75}, [TILES[0], TILES[2]]),
    ],
)
def test_tiles_of_a_forecast_leave_out_what_chance_may_be_and_what_is_there_already(forecast, tiles):
    assert forecast_tiles(Forecast(**{**SURE, **forecast})) == tiles


def test_a_message_has_code_between_backticks_and_nothing_of_it_is_markup():
    assert coded("use `resume <b>`, or\u202e `") == "use <code>resume &lt;b&gt;</code>, or  `"
