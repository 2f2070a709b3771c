"""Figures of agents: calibration, domains, relationships and histories."""

import builtins
import json

import numpy as np
import pytest

from paragone.analysis.calibration import calibrate
from paragone.analysis.relationships import metrics
from paragone.domain.agent_evidence import Dealings, Relation
from paragone.errors import MissingExtra
from paragone.presenting import figures
from paragone.presenting.figures import DomainRating, RatingSeries


def between(a, b, debates, agreements=0, wins=0):
    dealings = Dealings(debates=debates, agreements=agreements, a_wins=wins, b_wins=wins)
    return metrics(a, b, Relation(a=a, b=b, dealings=dealings))


def by_name(made):
    return {trace.get("name", trace["type"]): trace for trace in made["data"]}


def test_the_reliability_diagram_shows_points_line_band_and_histogram():
    report = calibrate([0.9] * 20 + [0.65] * 10, [True] * 12 + [False] * 8 + [True] * 5 + [False] * 5, draws=200)
    made = figures.reliability(report, "claude")
    traces = by_name(made)
    points = traces["came true"]
    assert (points["x"], points["y"]) == ([pytest.approx(0.65), pytest.approx(0.9)], [0.5, 0.6])
    assert points["y"][1] - points["error_y"]["arrayminus"][1] == pytest.approx(report.curve[1].low)
    assert points["y"][1] + points["error_y"]["array"][1] == pytest.approx(report.curve[1].high)
    assert (traces["recalibrated"]["x"], traces["recalibrated"]["y"]) == ([0.65, 0.9], [0.5, pytest.approx(0.6)])
    assert traces["by chance"]["x"] == [0.65, 0.9, 0.9, 0.65]
    assert traces["by chance"]["y"][:2] == list(report.band.high)
    assert (traces["bar"]["x"], traces["bar"]["y"], traces["bar"]["yaxis"]) == ([0.65, 0.95], [10, 20], "y2")
    assert made["layout"]["meta"]["alt"] == f"Reliability of claude, 30 predictions: {report.verdict}"
    assert made["layout"]["yaxis2"]["domain"][1] < made["layout"]["yaxis"]["domain"][0]


def test_a_band_at_one_confidence_can_be_seen():
    traces = by_name(figures.reliability(calibrate([0.8] * 9, [True] * 9, draws=100)))
    assert min(traces["by chance"]["x"]) < 0.8 < max(traces["by chance"]["x"])


def test_boards_of_calibration_tell_what_is_more_than_chance():
    over = calibrate([0.9] * 40, [True] * 20 + [False] * 20, draws=100)
    fair = calibrate([0.8] * 40, [True] * 32 + [False] * 8, draws=100)
    few = calibrate([0.8] * 2, [True] * 2, draws=100)
    reports = [("fair", fair), ("over", over), ("few", few)]
    (dots,) = figures.bias_board(reports)["data"]
    assert dots["x"] == pytest.approx([0.0, 0.4, -0.2])
    fair_colour, over_colour, few_colour = dots["marker"]["color"]
    assert fair_colour == few_colour != over_colour
    (scores,) = figures.calibration_board(reports)["data"]
    assert scores["x"] == pytest.approx([fair.score.value, over.score.value, 0.0])
    assert "too few predictions: 2 of 5" in scores["hovertext"][2]


def test_domains_where_an_agent_has_no_rating_are_blank():
    ratings = {("a", "law"): DomainRating(rating=1600.0, low=1500.0, high=1700.0, matches=8),
               ("b", "code"): DomainRating(rating=1400.0)}  # fmt: skip
    made = figures.domain_ratings(["a", "b", "none"], ["law", "code", "unused"], ratings)
    (grid,) = made["data"]
    assert grid["z"] == [[1600.0, None], [None, 1400.0]]
    assert grid["text"] == [["1600", ""], ["", "1400"]]
    assert (grid["zmin"], grid["zmax"]) == (1400.0, 1600.0)
    assert grid["hovertext"][0][0].endswith("law: 1600 (1500 to 1700)<br>8 debates")
    assert made["layout"]["xaxis"]["ticktext"] == ["law", "code"]


def test_of_many_domains_the_numbers_are_told_on_hovering():
    domains = [f"d{n}" for n in range(40)]
    agents = [f"a{n}" for n in range(60)]
    ratings = {(a, d): DomainRating(rating=1500.0) for a in agents for d in domains}
    (grid,) = figures.domain_ratings(agents, domains, ratings)["data"]
    assert (len(grid["z"]), len(grid["z"][0])) == (40, 30)
    assert "texttemplate" not in grid
    assert grid["zmin"] < 1500.0 < grid["zmax"]  # all alike: no division by nothing


def test_relations_are_drawn_by_kind_and_number_of_debates():
    pairs = [
        between("a", "b", 20, 0, 5),  # rivals
        between("b", "c", 2, 1),  # acquainted
        between("c", "a", 9, 9),  # allies
        between("a", "d", 9, 5),  # neutral
        metrics("d", "e", None),
        between("b", "a", 20, 0, 5),  # the same again
    ]
    made = figures.relationships(pairs)
    lines = {trace["name"]: trace for trace in made["data"] if trace["mode"] == "lines"}
    assert list(lines) == ["neutral", "acquaintance", "ally", "rival"]
    assert lines["rival"]["line"]["width"] > lines["ally"]["line"]["width"] > lines["acquaintance"]["line"]["width"]
    looks = {(line["line"]["color"], line["line"]["dash"]) for line in lines.values()}
    assert len(looks) == 4  # told apart without colours, too
    (dots,) = [trace for trace in made["data"] if trace["mode"] == "markers+text"]
    assert dots["text"] == ["a", "b", "c", "d"]
    assert (dots["x"][0], dots["y"][0]) == (0.0, 1.0)
    assert np.hypot(dots["x"], dots["y"]) == pytest.approx(1.0)
    assert "1 rivals, 1 allies" in made["layout"]["meta"]["alt"]


def test_each_kind_is_in_the_legend_once():
    made = figures.relationships([between("a", "b", 1, 1), between("a", "c", 10, 10), between("a", "d", 20, 20)])
    lines = [trace for trace in made["data"] if trace["mode"] == "lines"]
    assert [trace["name"] for trace in lines] == ["ally"] * 3
    assert [trace["showlegend"] for trace in lines] == [False, False, True]


def crowd(count):
    rng = np.random.default_rng(0)
    return [
        between(f"a{one}", f"a{other}", int(rng.integers(1, 30)))
        for one in range(count)
        for other in range(one)
        if other == one - 1 or rng.random() < 0.5
    ]


def test_many_agents_are_laid_out_the_same_way_each_time_and_stay_small():
    pairs = crowd(80)
    made = figures.relationships(pairs)
    assert made == figures.relationships(pairs[::-1])
    (dots,) = [trace for trace in made["data"] if trace["mode"] == "markers+text"]
    assert len(dots["x"]) == 40
    assert max(map(abs, dots["x"] + dots["y"])) <= 1.0 + 1e-9
    assert len(json.dumps(made)) < 300_000


def test_parts_that_never_met_stand_side_by_side():
    parts = [between(f"{part}{one}", f"{part}{other}", 3) for part in "pq" for one in range(6) for other in range(one)]
    (dots,) = [trace for trace in figures.relationships(parts)["data"] if trace["mode"] == "markers+text"]
    places = np.column_stack([dots["x"], dots["y"]])
    distance = np.linalg.norm(places[:, None] - places, axis=2)
    assert distance[:6, :6].max() < distance[:6, 6:].min() * 2
    assert distance[np.triu_indices(12, 1)].min() > 0.1


def test_without_networkx_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *rest):
        if name == "networkx":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtra, match=r"graph of 12 agents.*networkx.*paragone\[report\]"):
        figures.relationships(crowd(12))
    assert figures.relationships(crowd(10))["data"]


def test_a_history_is_drawn_move_by_move_with_its_interval():
    history = RatingSeries(
        agent="a", rating=(1516.0, 1500.0), low=(1400.0, 1450.0), high=(1600.0, 1550.0), causes=("d1", "")
    )
    area, line = figures.rating_history([history])["data"]
    assert (line["x"], line["y"]) == ([1, 2], [1516.0, 1500.0])
    assert area["y"] == [1600.0, 1550.0, 1450.0, 1400.0]
    assert line["hovertext"][0].endswith("d1")


def test_of_a_long_history_some_hundred_moves_are_drawn_and_the_last():
    long = RatingSeries(agent="a", rating=tuple(float(n) for n in range(10_001)))
    (line,) = figures.rating_history([long])["data"]
    assert len(line["x"]) <= 400
    assert (line["x"][-1], line["y"][-1]) == (10_001, 10_000.0)
    assert len(figures.rating_history([long] * 20)["data"]) == 8
