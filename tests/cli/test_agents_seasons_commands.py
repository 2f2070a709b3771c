"""``paragone agents season``, ``revise`` and ``propose``, and the import of starting ratings."""

import pytest


@pytest.fixture
def rated(paragone, home):
    (home / "ratings.csv").write_text("agent,rating\nclaude,1700\ngpt4,1500\ngemini,1300\n")
    assert paragone("agents", "import", "ratings.csv").out.startswith("3 new starting ratings from 'ratings.csv'")


def test_a_list_of_ratings_is_where_agents_begin(paragone, rated):
    board = paragone("agents", "board", "--json").json
    assert [(row["agent"], row["elo"], row["rank"]) for row in board] == [
        ("claude", 1700, 1), ("gpt4", 1500, 2), ("gemini", 1300, 3),
    ]  # fmt: skip
    again = paragone("agents", "import", "ratings.csv")
    assert again.out == "nothing to do: 3 starting ratings of 'ratings.csv' are on record already\n"


def test_another_rating_is_refused(paragone, rated, home):
    (home / "other.csv").write_text("agent,rating\nclaude,1800\n")
    refused = paragone("agents", "import", "other.csv")
    assert refused.code == 1
    assert "the starting rating of 'claude' is 1700 on record" in refused.err


def test_a_season_is_begun_once(paragone, rated):
    first = paragone("agents", "season", "2027", "--share", "0.25", "--json").json
    assert (first["new"], first["ratings"]) == (True, {"claude": 1650, "gpt4": 1500, "gemini": 1350})
    again = paragone("agents", "season", "2027", "--share", "0.25")
    assert again.out.endswith("season 2027 had begun already; this is how ratings changed then\n")
    assert "not both" in paragone("agents", "season", "2028", "--share", "0.5", "--anew").err


def test_a_new_version_is_numbered_and_can_be_voided(paragone, rated):
    noted = paragone("agents", "revise", "claude")
    assert noted.out == "claude is version 2 from now on; recorded as revision:claude:2\n"
    assert paragone("agents", "revise", "claude", "--version", "2", "--json").json["new"] is False
    assert "version 2 since 20" in paragone("agents", "show", "claude").out
    assert paragone("agents", "show", "claude", "--json").json["versions"][0]["version"] == "2"
    assert paragone("agents", "void", "revision:claude:2", "--reason", "no").out == "revision:claude:2 is void\n"
    assert paragone("agents", "show", "claude", "--json").json["versions"] == []
    assert paragone("agents", "revise", "claude", "--json").json["version"] == "3"
    assert "did you mean 'claude'" in paragone("agents", "revise", "cluade").err


def test_debates_are_proposed_with_their_forecast(paragone, rated):
    plan = paragone("agents", "propose", "-n", "2", "--json").json
    assert len(plan["debates"]) == 2
    assert (plan["settled"], plan["held"], plan["more"]) == (False, 0, None)
    shown = paragone("agents", "propose", "--top", "1").out
    assert "after 0 debates among 3 agents: expected agreement" in shown
    assert "can be said once there are some" in shown
    assert not paragone("agents", "propose", "--top", "2").err
    everybody = paragone("agents", "propose", "--top", "9")
    assert everybody.err == "note: all 3 agents belong to the first 9, which is settled; --top 2 is the most\n"
    assert "of the true top 3" in everybody.out
    paragone("agents", "record", "--winner", "claude", "--loser", "gpt4")
    settled = paragone("agents", "propose", "--top", "1", "--confidence", "0.3").out
    assert settled.endswith("\nthe choice of the first 1 is settled at 0.3\n")


def test_strengths_may_walk(paragone, rated):
    for _ in range(3):
        paragone("agents", "record", "--winner", "gpt4", "--loser", "claude")
    still, moving = (paragone("agents", "board", "--json", *walk).json for walk in ((), ("--walk", "1")))
    assert {row["agent"] for row in still} == {row["agent"] for row in moving}
    assert [row["strength"] for row in still] != [row["strength"] for row in moving]
