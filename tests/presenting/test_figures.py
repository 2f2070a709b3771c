"""Figures as plain values: what they show, that untrusted texts stay texts, and that large data stays small."""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.calibration import calibrate
from paragone.analysis.quality.forecast_quality import Bin
from paragone.analysis.relationships import metrics
from paragone.domain import BoardRow, JudgeReport, Match, Outcome, Tier
from paragone.domain.agent_evidence import Dealings, Relation
from paragone.domain.board import Estimate
from paragone.domain.match import Ranking
from paragone.domain.outcome import Choice, Verdict
from paragone.domain.spending import Expense
from paragone.domain.text import cut, visible
from paragone.presenting import figures
from paragone.presenting.figures import AgentTestMoves, ComparedItem, Course, DomainRating, RatingSeries
from paragone.presenting.figures.theme import TIER_COLOURS, faint, hover, label, named, places
from paragone.wire.live import Settling

HOSTILE = '<img src=x onerror=alert(1)></script><a href="javascript:alert(2)">\u202e\x00{%}&lt;b&gt;'
MARKUP = {"b", "br", "extra"}
"""The only tags that a figure's own texts have; the last is plotly's own, of what is shown on hovering."""
FORETOLD = calibrate([0.9, 0.8, 0.8, 0.35, 1.0, 0.6], [True, True, False, False, True, False], draws=50)


def row(place, id=None, text="", *, elo=1200.0):
    rating = 1500.0 - place
    return BoardRow(
        id=id or f"h{place}", text=text, rank=place, rank_low=max(1, place - 2), rank_high=place + 2,
        rating=rating, low=rating - 50, high=rating + 80, elo=elo, wins=3, losses=2, ties=1, matches=6,
    )  # fmt: skip


def judge(name, bias=0.3, slope=None):
    known = None if bias is None else bias
    return JudgeReport(
        judge=name, comparisons=40, first_share=0.6, tie_rate=0.1, position_bias=known,
        position_low=None if bias is None else bias - 0.2, position_high=None if bias is None else bias + 0.2,
        slope=slope, slope_low=None if slope is None else slope / 1.2,
        slope_high=None if slope is None else slope * 1.2,
    )  # fmt: skip


def course(id, elo, rating=()):
    low, high = (tuple(None if r is None else r + by for r in rating) for by in (-40.0, 60.0))
    return Course(id=id, text=id, elo=elo, rating=rating, low=low, high=high)


def every(text, rows=None):
    """One of each figure, with an item, a judge and a characteristic of that name."""
    rows = rows or [row(1, text, text + " at length"), row(2), row(3)]
    line = course(text, (1200.0, 1216.0, None), (None, 1210.0, 1230.0))
    views = [
        ComparedItem(id=r.id, text=r.text, other=0.2 * r.rank, rating=r.rating, low=r.low, high=r.high,
                     stands_out=r.rank == 1, note=text)
        for r in rows
    ]  # fmt: skip
    met = figures.records([Match(id="1", a=rows[0].id, b=rows[1].id, outcome=Outcome.A)], [r.id for r in rows])
    return {
        "leaderboard": figures.leaderboard(rows),
        "field": figures.field(rows),
        "distribution": figures.distribution([(1250.0, Tier.AVERAGE), (1450.0, Tier.STRONG)], {Tier.STRONG: 1400.0}),
        "progression": figures.progression((0, 1, 2), [line], ((1.0,) * 3, (2.0,) * 3, (3.0,) * 3)),
        "certainty": figures.certainty((0, 1, 2), [line]),
        "convergence": figures.convergence(
            [Settling(round=1, rank_stability=None, top_stability=None, mean_change=14.0),
             Settling(round=2, rank_stability=0.9, top_stability=1.0, mean_change=9.0, tau=0.6)], threshold=0.95),
        "position_bias": figures.position_bias([judge(text)]),
        "sharpness": figures.sharpness([judge(text, slope=1.3), judge("other", slope=0.8)]),
        "head_to_head": figures.head_to_head([r.id for r in rows], [r.text for r in rows], met),
        "patterns": figures.patterns([Estimate(name=text, value=0.4, low=0.1, high=0.7, note=text)]),
        "costs": figures.costs(
            [Expense(round=1, units={"elite": 20.0, text: 3.0}, forecast=25.0, budget=30.0, money=0.1)]),
        "against": figures.against(views, title="score", alt="views"),
        "calibration": figures.calibration([("Elo", (Bin(expected=0.6, observed=0.7, low=0.5, high=0.8, count=9),))]),
        "reliability": figures.reliability(FORETOLD, text),
        "calibration_board": figures.calibration_board([(text, FORETOLD)]),
        "bias_board": figures.bias_board([(text, FORETOLD)]),
        "domain_ratings": figures.domain_ratings(
            [text, "other"], [text], {(text, text): DomainRating(rating=1550.0, low=1500.0, high=1600.0, matches=4)}),
        "relationships": figures.relationships([metrics(text, "other", Relation(
            a=text, b="other", dealings=Dealings(debates=3, agreements=3)))]),
        "moved_by_tests": figures.moved_by_tests([AgentTestMoves(agent=text, red_team=-12.0, verification=8.0)]),
        "rating_history": figures.rating_history(
            [RatingSeries(agent=text, rating=(1500.0, 1516.0), causes=(text, text))]),
    }  # fmt: skip


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, tuple(attrs)))


def tags(text):
    parser = Tags()
    parser.feed(text)
    return parser.seen


FIGURES = sorted(every("h1"))


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_plain_json_with_words_for_those_who_do_not_see_it(name):
    made = every("h1")[name]
    assert set(made) == {"data", "layout"}
    assert json.loads(json.dumps(made, allow_nan=False)) == json.loads(json.dumps(made))
    assert made["layout"]["meta"]["alt"]
    assert made["layout"]["height"] > 0
    assert "width" not in made["layout"]  # it takes the page's


@pytest.mark.parametrize("name", FIGURES)
def test_hostile_names_are_no_markup(name):
    """Texts of items, judges and characteristics: plotly reads a little markup in labels, so they are escaped."""
    made = every(HOSTILE)[name]
    for text in strings({key: value for key, value in made["layout"].items() if key != "meta"}):
        assert {tag for tag, _ in tags(text)} <= MARKUP
    for text in strings(made["data"]):
        assert {tag for tag, _ in tags(text)} <= MARKUP
        assert all(not attrs for _, attrs in tags(text))
        assert "\u202e" not in text
        assert "\x00" not in text


@given(st.text(max_size=200))
def test_any_text_becomes_a_label_without_markup(text):
    shown = label(text, 20)
    assert tags(shown) == []
    assert "<" not in shown
    assert len(cut(text, 20)) <= 20
    assert {tag for tag, _ in tags(hover(text))} <= {"br"}
    assert [tag for tag, _ in tags(named(text, text + "x"))][:1] == ["b"]


@given(st.text(max_size=100))
def test_what_is_visible_is_one_line_and_again_the_same(text):
    seen = visible(text)
    assert visible(seen) == seen
    assert not re.search("[\x00-\x1f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\ud800-\udfff]", seen)


def test_a_text_is_cut_where_something_is_missing_and_only_there():
    assert cut("drug repurposing", 16) == "drug repurposing"
    assert cut("drug repurposing", 10) == "drug repu…"
    assert cut("x" * 1_000_000, 5) == "xxxx…"
    assert cut(" " * 1_000 + "x", 5) == "…"


def test_a_joiner_is_part_of_a_word():
    assert visible("می\u200cخواهم") == "می\u200cخواهم"


def test_names_at_an_axis_are_no_numbers_and_no_dates():
    assert places(["2021-01-01", "7"]) == {"tickmode": "array", "tickvals": [0, 1], "ticktext": ["2021-01-01", "7"]}


def test_the_leaderboard_shows_the_best_with_intervals_and_elo():
    made = figures.leaderboard([row(place, elo=1190.0 + place) for place in range(1, 50)], most=3)
    elo, strength = made["data"]
    assert strength["x"] == [1499.0, 1498.0, 1497.0]
    assert strength["error_x"]["array"] == [80.0, 80.0, 80.0]
    assert strength["error_x"]["arrayminus"] == [50.0, 50.0, 50.0]
    assert elo["x"] == [1191.0, 1192.0, 1193.0]
    assert made["layout"]["yaxis"]["ticktext"] == ["1  h1", "2  h2", "3  h3"]
    low, high = made["layout"]["yaxis"]["range"]
    assert low > high  # the best on top


def test_of_five_thousand_items_the_field_shows_a_few_hundred_the_first_and_the_last_among_them():
    rows = [row(place) for place in range(1, 5001)]
    band, _, strength = figures.field(rows)["data"]
    assert 300 <= len(strength["x"]) <= 402
    assert (strength["x"][0], strength["x"][-1]) == (1, 5000)
    assert strength["y"][-1] == rows[-1].rating
    assert len(band["x"]) == 2 * len(strength["x"])


def test_each_rating_is_in_one_bar_of_its_tier():
    ratings = [(1390.0, Tier.AVERAGE), (1400.0, Tier.STRONG), (1401.0, Tier.STRONG), (1200.0, Tier.NEW)]
    made = figures.distribution(ratings, {Tier.STRONG: 1400.0, Tier.ELITE: 1600.0})
    assert {bar["name"]: sum(bar["y"]) for bar in made["data"]} == {"Strong": 2, "Average": 1, "New": 1}
    assert {bar["name"]: bar["marker"]["color"] for bar in made["data"]}["Strong"] == TIER_COLOURS[Tier.STRONG]
    assert [shape["x0"] for shape in made["layout"]["shapes"]] == [1400.0]  # nobody is near Elite: no line


@given(st.lists(st.floats(100, 4000), min_size=1, max_size=300))
def test_no_rating_is_lost_between_bars(values):
    made = figures.distribution([(value, Tier.AVERAGE) for value in values], {})
    assert sum(made["data"][0]["y"]) == len(values)
    assert len(made["data"][0]["x"]) <= 41


def test_a_course_is_drawn_round_by_round_with_a_gap_where_there_is_none():
    made = figures.progression((0, 1, 2), [course("a", (None, 1200.0, 1216.0))])
    (line,) = made["data"]
    assert (line["x"], line["y"]) == ([0, 1, 2], [None, 1200.0, 1216.0])


def test_panels_share_their_scale():
    courses = [
        course(id, (1200.0,) * 3, (None, 1200.0, rating))
        for id, rating in (("a", 1300.0), ("b", 1100.0), ("c", 1200.0))
    ]
    layout = figures.certainty((0, 1, 2), courses)["layout"]
    ranges = [layout[name]["range"] for name in ("yaxis", "yaxis2", "yaxis3")]
    assert ranges[0] == ranges[1] == ranges[2]
    assert ranges[0][0] < 1060.0 < 1360.0 < ranges[0][1]
    assert [note["text"] for note in layout["annotations"]] == ["<b>a</b>", "<b>b</b>", "<b>c</b>"]


def test_records_are_seen_from_both_sides():
    verdict = Verdict(choice=Choice.RANKED, judge="j", order=(2, 0, 1))
    matches = [
        Match(id="1", a="x", b="y", outcome=Outcome.A),
        Match(id="2", a="y", b="x", outcome=Outcome.DRAW),
        Match(id="3", a="x", b="y", outcome=Outcome.VOID),
        Match(id="4", a="x", b="elsewhere", outcome=Outcome.A),
        Match.ranked("5", Ranking(call="5", shown=("x", "y", "z"), verdict=verdict)),  # z, then x, then y
    ]
    met = figures.records(matches, ["x", "y", "z"])
    assert (met["x", "y"].wins, met["x", "y"].draws, met["x", "y"].losses) == (2, 1, 0)
    assert (met["y", "x"].wins, met["y", "x"].draws, met["y", "x"].losses) == (0, 1, 2)
    assert (met["z", "x"].wins, met["x", "z"].losses) == (1, 1)
    assert met["x", "y"].share == pytest.approx(2.5 / 3)
    assert "elsewhere" not in {id for pair in met for id in pair}


def test_head_to_head_is_empty_where_two_did_not_meet():
    met = figures.records([Match(id="1", a="x", b="y", outcome=Outcome.A)], ["x", "y", "z"])
    (grid,) = figures.head_to_head(["x", "y", "z"], [""] * 3, met)["data"]
    assert grid["z"] == [[None, 1.0, None], [0.0, None, None], [None, None, None]]
    assert grid["text"][0] == ["", "1–0", ""]


def test_forty_items_are_the_most_that_meet_in_a_figure_and_large_ones_are_told_on_hovering():
    ids = [f"h{number}" for number in range(60)]
    met = figures.records([Match(id="1", a="h0", b="h1", outcome=Outcome.DRAW)], ids)
    (grid,) = figures.head_to_head(ids, ids, met)["data"]
    assert len(grid["z"]) == len(grid["z"][0]) == 40
    assert "texttemplate" not in grid
    assert "1 drawn" in grid["hovertext"][0][1]


def test_what_is_more_than_chance_stands_out():
    estimates = [
        Estimate(name="cites", value=0.5, low=0.2, high=0.8),
        Estimate(name="vague", value=-0.9, low=-1.2, high=-0.6),
        Estimate(name="long", value=0.1, low=-0.1, high=0.3),
    ]
    (dots,) = figures.patterns(estimates)["data"]
    assert dots["x"] == [0.5, 0.1, -0.9]
    assert len(set(dots["marker"]["color"])) == 3


def test_units_are_stacked_by_tier_beside_forecast_and_budget():
    rounds = [
        Expense(round=1, units={"average": 10.0, "elite": 4.0}, forecast=15.0, budget=20.0),
        Expense(round=2, units={"average": 7.0}, forecast=None, budget=20.0),
    ]
    made = figures.costs(rounds)
    by_name = {trace["name"]: trace for trace in made["data"]}
    assert [trace["name"] for trace in made["data"]] == ["Elite", "Average", "foreseen", "budget"]
    assert by_name["Elite"]["y"] == [4.0, 0.0]
    assert by_name["foreseen"]["y"] == [15.0, None]
    assert "yaxis2" not in made["layout"]  # no price is known
    paid = figures.costs([Expense(round=1, units={"average": 1.0}, money=0.25)])
    assert paid["data"][-1]["y"] == [0.25]


def test_of_thousands_of_views_the_notable_are_shown_and_the_others_counted():
    views = [
        ComparedItem(
            id=f"h{n}", text="", other=n / 5000, rating=1000.0 + n / 10, low=990.0, high=1510.0, stands_out=n < 7
        )
        for n in range(5000)
    ]
    squares, dots = figures.against(views, title="score", alt="views")["data"]
    assert sum(count or 0 for line in squares["z"] for count in line) == 4993
    assert len(dots["x"]) == 7


def test_large_tournaments_make_small_figures():
    """150 hypotheses over 500 rounds, 5,000 on one board: each figure stays below a megabyte."""
    rounds = tuple(range(501))
    courses = [course(f"h{n}", (1200.0,) * 501, (None, *((1200.0,) * 500))) for n in range(8)]
    steps = [Settling(round=n, rank_stability=0.9, top_stability=0.9, mean_change=9.0) for n in rounds[1:]]
    rows = [row(place, text="word " * 400) for place in range(1, 5001)]
    made = {
        **every("h1", rows),
        "progression": figures.progression(rounds, courses),
        "certainty": figures.certainty(rounds, courses[:6]),
        "convergence": figures.convergence(steps),
    }
    assert {name: size for name, figure in made.items() if (size := len(json.dumps(figure))) > 1_000_000} == {}


@pytest.mark.parametrize(
    "made",
    [
        figures.leaderboard([]),
        figures.field([]),
        figures.distribution([], {}),
        figures.progression((0,), []),
        figures.certainty((0, 1), [course("a", (1.0, 2.0), (None, 1200.0))]),
        figures.convergence([]),
        figures.position_bias([judge("j", bias=None)]),
        figures.sharpness([judge("j")]),
        figures.head_to_head(["a", "b"], ["", ""], {}),
        figures.patterns([]),
        figures.costs([]),
        figures.against([], title="score", alt="views"),
        figures.calibration([("Elo", ())]),
        figures.reliability(calibrate([], [])),
        figures.calibration_board([]),
        figures.bias_board([("a", calibrate([], []))]),
        figures.domain_ratings(["a"], ["law"], {}),
        figures.relationships([metrics("a", "b", None)]),
        figures.rating_history([RatingSeries(agent="a", rating=())]),
    ],
)
def test_where_there_is_nothing_to_show_the_figure_says_so(made):
    (note,) = made["layout"]["annotations"]
    assert note["text"].endswith(".")
    assert made["data"] == []


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("theme", "paper"), [("light", "#ffffff"), ("dark", "#191f26")])
def test_words_can_be_read_on_light_and_on_dark_pages(theme, paper):
    """WCAG 2.1: 4.5 for text."""
    layout = figures.TEMPLATES[theme]["layout"]
    assert contrast(layout["font"]["color"], paper) >= 7
    assert contrast(layout["xaxis"]["tickfont"]["color"], paper) >= 4.5
    assert contrast(layout["hoverlabel"]["font"]["color"], layout["hoverlabel"]["bgcolor"]) >= 4.5


def test_a_faint_colour():
    assert faint("#2a86c8", 0.2) == "rgba(42,134,200,0.2)"


def test_names_of_judges_are_cut_in_their_middle_so_that_their_kinds_stay_apart():
    from paragone.presenting.figures.theme import ends

    assert ends("simulated:a9cf527fbe70/debates:1") == "simulated:a…70/debates:1"
    assert ends("short") == "short"
    assert ends("<b>" * 20).startswith("&lt;b&gt;")


def test_what_tests_moved_stands_by_kind_the_first_on_top():
    made = figures.moved_by_tests(
        [
            AgentTestMoves(agent="a", red_team=-13.2, verification=8.0),
            AgentTestMoves(agent="b", red_team=0.0, verification=16.0),
        ]
    )
    assert [(trace["name"], trace["x"]) for trace in made["data"]] == [
        ("red teams", [-13.2, 0.0]), ("verification", [8.0, 16.0]),
    ]  # fmt: skip
    assert made["layout"]["yaxis"]["ticktext"] == ["a", "b"]
    low, high = made["layout"]["yaxis"]["range"]
    assert low > high
    assert figures.moved_by_tests([])["layout"]["meta"]["alt"] == "No test changed a rating."


def test_a_board_says_what_its_rows_are():
    assert (
        "of the best 2 of 2 agents with"
        in figures.leaderboard([row(1), row(2)], what="agents")["layout"]["meta"]["alt"]
    )
    assert "of all 2 agents by rank" in figures.field([row(1), row(2)], what="agents")["layout"]["meta"]["alt"]
