"""``paragone consistency``."""

import random

import pytest


@pytest.fixture
def voted(home, paragone, prepared):
    """Two judges about ten items; h1, h2 and h3 beat each other in a ring again and again."""
    prepared(lambda: vote(home, paragone))


def vote(home, paragone):
    rng = random.Random(4)
    rows = ["a,b,winner,judge"]
    for number in range(160):
        judge = ("anna", "ben")[number % 2]
        a, b = rng.sample(range(10), 2)
        better = rng.random() < (0.9 if judge == "anna" else 0.6)
        rows.append(f"h{a},h{b},h{max(a, b) if better else min(a, b)},{judge}")
    rows += [f"h{a},h{b},h{a},anna" for a, b in ((1, 2), (2, 3), (3, 1)) for _ in range(12)]
    (home / "votes.csv").write_text("\n".join(rows) + "\n")
    assert paragone("import", "votes.csv", "--position", "--quiet").code == 0


def test_tables_for_a_person(voted, paragone):
    seen = paragone("consistency", "--rows", 1)
    assert seen.code == 0, seen.err
    assert "votes-1: 196 matches" in seen.out
    assert "transitivity: " in seen.out
    assert "where noise alone makes" in seen.out
    assert "both orders: " in seen.out
    assert "the first 1 of them below" in seen.out
    assert "surprising results (chance below 1%; luck alone makes" in seen.out
    assert "sudden swings: " in seen.out
    lines = seen.out.splitlines()
    judges = lines[next(place for place, line in enumerate(lines) if line.startswith("judge ")) + 1 :][:1]
    assert [line.split()[0] for line in judges] == ["anna"]


def test_everything_as_json(voted, paragone):
    found = paragone("consistency", "votes-1", "--json").json
    assert found["transitivity"]["exact"] is True
    rings = [{beat["winner"] for beat in cycle["beats"]} for cycle in found["tangles"]["cycles"]]
    assert {"h1", "h2", "h3"} in rings
    assert found["consensus"] == "others"
    assert found["judges"][0]["judge"] == "anna"
    assert found["judges"][0]["agreement"] > found["judges"][1]["agreement"]
    assert found["judges"][0]["cost"] is None


def test_a_tournament_that_is_not_there(paragone, voted):
    missing = paragone("consistency", "nowhere-1")
    assert missing.code == 2
    assert "nowhere-1" in missing.err


def test_a_judge_without_fault(paragone):
    asked = ("--criteria", "longer is better", "--judge", "python:longer:judge", "--seed", 3, "--budget", 40)
    assert paragone("rank", "items.csv", *asked, "--quiet").code == 0
    seen = paragone("consistency")
    assert "no circle of any length: the results alone are an order" in seen.out
    assert "circles: none" in seen.out
