"""``paragone rank`` and ``resume``: the main job from the command line."""

import csv
import json
import signal

import pytest

RANK = ("rank", "items.csv", "--criteria", "longer is better", "--judge", "python:longer:judge", "--seed", "3")

FIELDS = {"id", "rank", "rank_low", "rank_high", "rating", "low", "high", "elo", "wins", "losses", "ties", "matches"}


def test_prints_one_json_object_with_everything_in_it(paragone):
    result = paragone(*RANK, "--json", "--budget", 40)
    assert result.code == 0, result.err
    board = result.json
    assert set(board["items"][0]) >= FIELDS
    assert [item["id"] for item in board["items"]][:2] == ["h10", "h9"]
    assert (board["spending"]["decisions"], board["spending"]["failed"], board["seed"]) == (40, 0, 3)
    assert board["tournament"] == "items-1"
    assert (board["spending"]["cached"], board["spending"]["requests"], board["spending"]["dollars"]) == (0, 0, None)
    assert {"position_bias", "stopped"} <= set(board)
    for item in board["items"]:
        assert item["rank_low"] <= item["rank"] <= item["rank_high"]
        assert item["low"] < item["rating"] < item["high"]
        assert item["wins"] + item["losses"] + item["ties"] == item["matches"]


def test_says_what_it_will_take_before_it_starts_and_why_it_stopped(paragone):
    result = paragone(*RANK, "--budget", 20)
    assert result.code == 0, result.err
    assert "10 items" in result.err
    assert "at most 20 decisions" in result.err
    assert "h10" in result.out
    assert "budget of 20 comparisons is spent" in result.out


def test_a_line_of_progress_in_a_log_is_one_line(paragone, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr("paragone.cli.terminal_run.LINE_INTERVAL", 0.0)
    lines = paragone(*RANK, "--budget", 20).err.splitlines()[1:]
    assert lines
    assert all(line.startswith("round ") for line in lines)


def test_a_judge_that_fails_now_and_then_has_its_first_reason_noted(paragone, home):
    (home / "fitful.py").write_text(
        "asked = []\n\ndef judge(first, second, criteria):\n    asked.append(first)\n    if len(asked) in (20, 21):\n"
        "        raise ValueError('not now')\n    return 'first' if len(first.text) > len(second.text) else 'second'\n"
    )
    result = paragone(*RANK[:5], "python:fitful:judge", *RANK[6:], "--budget", 30, "--attempts", 1)
    assert result.code == 0, result.err
    assert "requests: none (2 failed)" in result.out
    (line,) = [line for line in result.err.splitlines() if "failed" in line]
    assert line == "note: a question failed: fitful:judge raised ValueError: not now"
    failures = list(map(json.loads, paragone("export", "--what", "failures").out.splitlines()))
    assert [failure["error"] for failure in failures] == ["fitful:judge raised ValueError: not now"] * 2
    for failure in failures:
        assert failure["call"] == f"{failure['match']}.1"
        match = paragone("show", failure["match"], "--json").json
        assert match["failures"] == [failure]
        assert f"{failure['call']} failed: fitful:judge raised ValueError: not now" in paragone(
            "show", failure["match"]
        ).out.replace("\n  ", " ")
    (answered,) = {match["id"] for match in paragone("matches", "--json").json[:1]}
    assert paragone("show", answered, "--json").json["failures"] == []
    assert "choice" not in failures[0]


def test_what_a_judge_prints_is_no_part_of_the_json(paragone, home):
    (home / "chatty.py").write_text(
        "print('loaded')\n\ndef judge(first, second, criteria):\n    print('asked')\n    return 'first'\n"
    )
    result = paragone(*RANK[:5], "python:chatty:judge", *RANK[6:], "--budget", 3, "--json", "-q")
    assert result.json["spending"]["decisions"] == 3
    assert "loaded" in result.err
    assert result.err.count("asked") == 3


def test_the_same_seed_gives_the_same_board_and_a_second_run_costs_nothing(paragone):
    first = paragone(*RANK, "--json", "--budget", 30).json
    second = paragone(*RANK, "--json", "--budget", 30).json
    assert second["items"] == first["items"]
    assert (second["spending"]["decisions"], second["spending"]["cached"]) == (30, 30)


@pytest.mark.parametrize("pairing", ["informative", "swiss", "round-robin"])
def test_every_pairing_ranks(paragone, pairing):
    board = paragone(*RANK, "--pairing", pairing, "--json").json
    assert board["items"][0]["id"] == "h10"
    assert bool(board["table"]) == (pairing == "swiss")


def test_swiss_prints_the_table_by_wins(paragone):
    assert "By wins" in paragone(*RANK, "--pairing", "swiss").out


@pytest.mark.parametrize("goal", [("--top", 3), ("--winner",), ("--whole-order",)])
def test_every_goal_ranks(paragone, goal):
    assert paragone(*RANK, *goal, "--json").json["items"][0]["id"] == "h10"


def test_writes_the_board_to_a_file_too(paragone, home):
    for ending in ("json", "csv", "html"):
        assert paragone(*RANK, "--budget", 20, "--out", f"board.{ending}").code == 0
    assert json.loads((home / "board.json").read_text())["items"][0]["id"]
    assert len(list(csv.DictReader((home / "board.csv").open()))) == 10
    assert "<table" in (home / "board.html").read_text()


SLOW = (*RANK[:5], "python:slow:judge", *RANK[6:], "--budget", 60, "--confidence", 0.9999, "--concurrency")


def test_ctrl_c_stops_cleanly_and_resume_goes_on(under_way, paragone, home):
    process = under_way(*SLOW, 2, questions=8)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "paragone resume items-1" in err
    assert "Traceback" not in err
    assert "h10" in out
    (home / "hurry").touch()
    resumed = paragone("resume", "--json")
    assert resumed.code == 0, resumed.err
    assert resumed.json["spending"]["decisions"] == 60


def test_kill_9_loses_nothing_that_was_answered(under_way, paragone, home):
    process = under_way(*SLOW, 1, questions=8)
    process.kill()
    process.communicate()
    (home / "hurry").touch()
    before = (home / "asked.log").read_text().splitlines()
    assert 8 <= len(before) < 60
    resumed = paragone("resume", "--json").json
    after = (home / "asked.log").read_text().splitlines()
    assert len(after) - len(before) <= 60 - (len(before) - 1)  # one answer may have been under way
    whole = paragone(*SLOW, 1, "--db", "whole.db", "--json").json
    assert resumed["items"] == whole["items"]
    assert paragone("audit").code == 0


def test_a_judge_that_is_out_is_a_failure_that_resume_mends(paragone, home):
    (home / "moody.py").write_text(
        "import os\n\ndef judge(first, second, criteria):\n    if not os.path.exists('up'):\n"
        "        raise RuntimeError('out of order')\n"
        "    return 'first' if len(first.text) > len(second.text) else 'second'\n"
    )
    out = paragone(*RANK[:5], "python:moody:judge", *RANK[6:], "--attempts", 1, "--json")
    assert out.code == 1
    assert "out of order" in out.err
    assert {item["elo"] for item in out.json["items"]} == {1200.0}
    waiting = paragone("show", "1.1").out
    assert ": planned, and not decided\n" in waiting
    assert "1.1.1 failed: moody:judge raised RuntimeError: out of order" in waiting
    (home / "up").touch()
    back = paragone("resume", "--json")
    assert back.code == 0, back.err
    assert back.json["items"][0]["id"] == "h10"


def test_resume_of_what_is_over_says_so_and_more_budget_goes_on(paragone):
    paragone(*RANK, "--budget", 20)
    over = paragone("resume")
    assert over.code == 0
    assert "budget of 20" in over.out
    more = paragone("resume", "--budget", 30, "--json")
    assert more.json["spending"]["decisions"] == 30
    assert "counts all" not in more.err
    assert "--budget counts all comparisons, and 30 are made" in paragone("resume", "--budget", 10).err


@pytest.mark.parametrize("pairing", ["informative", "round-robin"])
def test_items_join_what_was_ranked_and_all_evidence_stays(paragone, home, pairing):
    paragone(*RANK, "--pairing", pairing, "--budget", 20)
    (home / "more.csv").write_text("id,text\nh3,hypothesis long long long\nh20,hypothesis" + " long" * 20 + "\n")
    spent = paragone("resume", "--add", "more.csv")
    assert spent.code == 0, spent.err
    assert "items added: 1; 1 were there already; 11 in all" in spent.err
    assert "note: the budget of 20 comparisons is for all of them, and 20 are made" in spent.err
    assert ("a new tournament of 11 items has --budget 110" in spent.err) == (pairing == "informative")
    board = paragone("resume", "--budget", 60, "--json").json
    assert board["items"][0]["id"] == "h20"
    assert board["items"][0]["losses"] == 0
    assert len(board["items"]) == 11
    assert paragone("audit").out.startswith("ok")


def test_what_cannot_join_is_refused_and_nothing_is_written(paragone, home):
    paragone(*RANK, "--budget", 5)
    before = paragone("audit", "--head").out
    (home / "other.csv").write_text("id,text\nnew,another\nh3,a text that h3 does not have\n")
    refused = paragone("resume", "--add", "other.csv", "--budget", 9)
    assert refused.code == 1
    assert "'h3' already exists, with another text" in refused.err
    assert paragone("audit", "--head").out == before


def test_items_of_one_text_are_named_on_one_line_however_many_there_are(paragone, home):
    texts = [text for text in "abcdefg" for _ in range(7)]
    (home / "same.csv").write_text("id,text\n" + "".join(f"{text}{n},{text}\n" for n, text in enumerate(texts)))
    ranked = paragone("rank", "same.csv", *RANK[2:], "--budget", 5)
    (line,) = [line for line in ranked.err.splitlines() if "the same text" in line]
    assert line.startswith("note: the same text: a0, a1, a2, a3, a4, and 2 more; b7, b8, ")
    assert line.endswith("; e28, e29, e30, e31, e32, and 2 more; and 2 more")
