"""Figures of content: what is where, how much is drawn, and that names stay harmless."""

import json
from collections import Counter

import pytest

from paragone.domain.content import ContentTier, Quadrant
from paragone.presenting.figures import Series, need_against_elo, over_time, sampled, tier_sizes, truth_against_use
from paragone.wire.memory import QuadrantDot

HOSTILE = "<img src=x onerror=alert(1)>\u202eexe"


def dot(number: int, quadrant: Quadrant = Quadrant.UNKNOWN, **rest: object) -> QuadrantDot:
    return QuadrantDot(
        **{"id": f"docs/{number}.md", "quadrant": quadrant, "elo": 1200.0 + number, "need": 1250.0} | rest
    )


def test_r_is_drawn_in_multiples_of_its_threshold_logarithmic_above_it():
    dots = [
        dot(0, Quadrant.BEST, r=4.0, threshold=1.0),
        dot(1, Quadrant.ECHO, r=0.25, threshold=0.5),
        dot(2, Quadrant.ECHO, r=-3.0, threshold=0.5),
        dot(3, Quadrant.BEST, r=0.5, threshold=0.5),
        dot(4, Quadrant.LATENT, r=0.5, threshold=0.0),
    ]
    made = truth_against_use(dots, often=1200.0, of=5)
    places = {name: x for trace in made["data"] for name, x in zip(trace["hovertext"], trace["x"], strict=True)}
    found = [next(x for told, x in places.items() if f"docs/{number}.md" in told) for number in range(5)]

    assert found == pytest.approx([3.0, 0.5, 0.0, 1.0, 1.585], abs=1e-3)


def test_content_without_r_stands_by_itself_and_the_same_in_every_run():
    dots = [dot(number) for number in range(50)]
    made, again = (truth_against_use(dots, often=1200.0, of=50) for _ in range(2))
    places = made["data"][0]["x"]

    assert made == again
    assert all(-1.0 <= x <= -0.35 for x in places)
    assert len(set(places)) > 40
    assert made["layout"]["xaxis"]["ticktext"][0] == "unknown"


def test_the_four_quadrants_are_named_where_they_are():
    made = truth_against_use([dot(0, Quadrant.BEST, r=2.0)], often=1200.0, of=1)
    names = {one["text"]: (one["xanchor"], one["yanchor"]) for one in made["layout"]["annotations"]}

    assert names == {
        "Echo chamber": ("left", "top"),
        "Best content": ("right", "top"),
        "Prune candidate": ("left", "bottom"),
        "Latent value": ("right", "bottom"),
    }


def test_names_are_escaped_on_every_figure():
    dots = [dot(0, Quadrant.ECHO, id=HOSTILE, note=HOSTILE, r=0.1)]
    line = Series(name=HOSTILE, times=(0.0, 1.0), values=(1.0, 2.0), notes=(HOSTILE, HOSTILE))
    made = [
        truth_against_use(dots, often=1200.0, of=1),
        need_against_elo(dots, of=1),
        over_time([line], title="", alt=""),
    ]

    for figure in made:
        told = json.dumps(figure["data"], ensure_ascii=False)
        assert "<img" not in told
        assert "\u202e" not in told
        assert "&lt;img" in told


def test_much_is_sampled_with_a_share_of_each_quadrant_and_the_highest():
    dots = [dot(number, Quadrant.BEST if number % 100 == 0 else Quadrant.UNKNOWN) for number in range(20_000)]
    drawn = sampled(dots)
    counts = Counter(one.quadrant for one in drawn)

    assert len(drawn) <= 1500
    assert counts[Quadrant.BEST] >= 15
    assert dots[-1] in drawn
    assert drawn == sampled(dots)


def test_little_is_drawn_whole():
    dots = [dot(number) for number in range(1500)]

    assert sampled(dots) == dots


def test_tiers_are_counted_by_what_is_known_of_truth():
    counts = {ContentTier.HIGH: {Quadrant.BEST: 2, Quadrant.UNKNOWN: 5}, ContentTier.LOW: {Quadrant.PRUNE: 3}}
    made = tier_sizes(counts)

    assert {bar["name"]: bar["x"] for bar in made["data"]} == {
        "R high": [2, 0, 0, 0],
        "R low": [0, 0, 3, 0],
        "R unknown": [5, 0, 0, 0],
    }
    assert "High 7, Medium 0, Low 3" in made["layout"]["meta"]["alt"]


def test_time_goes_on_the_axis_and_long_lines_keep_their_end():
    line = Series(name="a", times=tuple(map(float, range(5000))), values=tuple(map(float, range(5000))), target=0.9)
    made = over_time([line], title="Elo", alt="Ratings", steps=True)
    trace = made["data"][0]

    assert len(trace["x"]) <= 301
    assert (trace["x"][-1], trace["y"][-1]) == ("1970-01-01 01:23:19", 4999.0)
    assert made["layout"]["shapes"][0]["y0"] == 0.9


def test_where_there_is_nothing_it_says_so():
    assert "no files" in truth_against_use([], often=1200.0, of=0)["layout"]["meta"]["alt"]
    assert "no files" in need_against_elo([], of=0)["layout"]["meta"]["alt"]
    assert "no files" in tier_sizes({})["layout"]["meta"]["alt"]
    assert "Nothing" in over_time([], title="", alt="")["layout"]["meta"]["alt"]
