"""``paragone why``."""

import pytest


@pytest.fixture
def voted(home, paragone):
    rows = ["a,b,winner", *("h1,h2,h1",) * 6, *("h2,h3,h2",) * 6, *("h1,h3,h1",) * 5, "h1,h3,h3"]
    (home / "votes.csv").write_text("\n".join(rows) + "\n")
    assert paragone("import", "votes.csv", "--quiet").code == 0


def test_tables_for_a_person(voted, paragone):
    seen = paragone("why", "h1")
    assert seen.code == 0, seen.err
    lines = seen.out.splitlines()
    assert lines[0].startswith("h1: rank 1, strength ")
    for title in ("the matches that carry it:", "upsets:", "what one more answer would change:", "opponents:"):
        assert title in lines
    assert any(line.split()[:2] == ["loses", "to"] and "h2" in line for line in lines)


def test_everything_as_json(voted, paragone):
    told = paragone("why", "h1", "--json").json
    assert (told["item"], told["rank"], told["matches"]) == ("h1", 1, 12)
    lost = [line for line in told["upsets"] if line["opponent"] == "h3"]
    assert [line["result"] for line in lost] == ["lost"]
    assert lost[0]["change"] < 0
    assert {each["id"]: (each["wins"], each["losses"]) for each in told["opponents"]} == {"h2": (6, 0), "h3": (5, 1)}


def test_an_item_that_is_not_there(voted, paragone):
    refused = paragone("why", "h11")
    assert (refused.code, "did you mean h1" in refused.err) == (2, True)


def test_what_a_judge_said_is_searched_and_one_who_said_nothing_is_refused(home, paragone):
    (home / "plain.py").write_text(
        'def judge(a, b, criteria):\n    return {"winner": "first", "rationale": f"plainer than {b.id}"}\n'
    )
    assert paragone("search", "plainer").code == 2
    ran = paragone("rank", "items.csv", "-c", "x", "--judge", "python:plain:judge", "--seed", 1, "--budget", 9, "-q")
    assert ran.code == 0, ran.err
    by_all, by_one = (paragone("search", "plainer", *of, "--json").json for of in ((), ("--judge", "plain")))
    assert by_all["total"] == by_one["total"] == 9
    assert paragone("search", "complicated", "--judge", "plain").out == "0 matches\n"
    refused = paragone("search", "plainer", "--judge", "plane:judge")
    assert refused.code == 2
    assert "items-1 has no judge 'plane:judge'; answers are by python:plain:judge@" in refused.err.replace("\n", " ")
    about_matches = paragone("search", "hypothesis", "--kind", "item", "--judge", "plain")
    assert (about_matches.code, "leave them out with --kind item" in about_matches.err) == (2, True)
