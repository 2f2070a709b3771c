"""``paragone rank --group-size``: lists from the command line."""

import pytest

RANK = ("rank", "items.csv", "--criteria", "longer is better", "--seed", "3")


@pytest.fixture
def lists(home):
    """A judge that puts texts in order by their length, the longest first."""
    (home / "orders.py").write_text(
        "def judge(items, criteria):\n"
        "    return [item.id for item in sorted(items, key=lambda item: -len(item.text))]\n"
    )
    return ("--judge", "python:orders:judge")


def test_lists_rank_and_can_be_looked_at(paragone, lists):
    board = paragone(*RANK, *lists, "--group-size", 5, "--budget", 4, "--confidence", 0.9999, "--json").json
    assert [item["id"] for item in board["items"]][:2] == ["h10", "h9"]
    assert (board["spending"]["decisions"], board["judges"]) == (4, [])
    assert (board["lists"][0]["size"], board["lists"][0]["lists"], board["lists"][0]["noise"]) == (5, 4, None)
    for item in board["items"]:
        assert item["wins"] + item["losses"] + item["ties"] == item["matches"]

    matches = paragone("matches", "--json").json
    assert all(len(match["items"]) == 5 and match["comparisons"] == 1 for match in matches)
    assert "first of 5" in paragone("matches").out
    shown = paragone("show", matches[0]["id"])
    assert matches[0]["items"][0] in shown.out
    assert "5 in one call" in shown.out
    verdicts = paragone("export", "--what", "verdicts", "--out", "verdicts.csv")
    assert verdicts.code == 0, verdicts.err
    assert "lists of 5" in paragone("board").out
    assert "at most" in paragone(*RANK, *lists, "--group-size", "auto", "--budget", 3).err


def test_resume_goes_on_with_lists(paragone, lists):
    paragone(*RANK, *lists, "--group-size", 4, "--budget", 3, "--confidence", 0.9999)
    board = paragone("resume", "--budget", 5, "--json").json
    assert board["spending"]["decisions"] == 5
    assert board["stopped"] == "the budget of 5 calls is spent"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--group-size", "many"), "a number from 2, or 'auto'"),
        (("--group-size", "11"), "a group of 11 cannot be made of 10 items"),
        (("--group-size", "0"), "group_size must be at least 2"),
        (("--group-size", "3", "--pairing", "swiss"), "informative pairing alone"),
    ],
)
def test_groups_that_cannot_be_are_wrong_usage(paragone, lists, options, message):
    result = paragone(*RANK, *lists, *options)
    assert result.code == 2
    assert message in " ".join(result.err.split())


def test_a_judge_of_pairs_is_wrong_usage(paragone, home):
    result = paragone(*RANK, "--judge", "python:longer:judge", "--group-size", 5)
    assert result.code == 2
    assert "compares two items at a time" in " ".join(result.err.split())
    assert not (home / "paragone.db").exists()
