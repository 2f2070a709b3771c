"""``paragone compare``: is the new system better than the old one?"""

import json
import sys

import pytest

import warm_start


@pytest.fixture
def outputs(home):
    """Two files of outputs to thirty questions, the new ones longer."""
    for side, text in (("new", "a longer answer"), ("old", "an answer")):
        rows = [
            {"id": f"q{number}", "prompt": f"What is {number}?", "output": f"{text} {number}"} for number in range(30)
        ]
        (home / f"{side}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return home


JUDGE = ("--judge", "python:longer:judge")


def test_the_verdict_in_words_and_as_json(outputs, paragone):
    shown = paragone("compare", "new.jsonl", "old.jsonl", *JUDGE, "--quiet")
    assert shown.code == 0
    assert shown.out.startswith("new is better than old\n")
    assert "100.0%, ties as half" in shown.out
    values = paragone("compare", "new.jsonl", "old.jsonl", *JUDGE, "--json").json
    assert (values["verdict"], values["questions"], values["look"]["settled_after"]) == ("better", 13, 13)


def test_the_same_command_again_asks_nothing(outputs, paragone):
    first = paragone("compare", "new.jsonl", "old.jsonl", *JUDGE, "--json")
    again = paragone("compare", "new.jsonl", "old.jsonl", *JUDGE, "--json")
    assert again.json == first.json
    assert "30 questions, two outputs each, judge python:longer:judge" in first.err
    assert "continuing new-vs-old-1, which is on record" in again.err


@pytest.mark.parametrize(
    ("sides", "claim", "code"),
    [
        (("new.jsonl", "old.jsonl"), "better", 0),
        (("new.jsonl", "old.jsonl"), "not-worse", 0),
        (("old.jsonl", "new.jsonl"), "settled", 0),
        (("old.jsonl", "new.jsonl"), "not-worse", 1),
        (("old.jsonl", "new.jsonl"), "better", 1),
    ],
)
def test_a_claim_decides_the_exit_code(outputs, paragone, sides, claim, code):
    result = paragone("compare", *sides, *JUDGE, "--quiet", "--assert", claim)
    assert result.code == code
    assert (f"asserted {claim}, but old is worse than new" in result.err) == bool(code)


def test_a_claim_that_is_not_settled_fails(outputs, paragone):
    result = paragone("compare", "new.jsonl", "old.jsonl", *JUDGE, "--budget", 4, "--assert", "settled")
    assert result.code == 1
    assert "asserted settled, but new against old: not settled" in result.err


def test_a_judge_that_fails_is_a_failure_and_the_rest_is_on_record(outputs, paragone):
    (outputs / "down.py").write_text("def judge(a, b, criteria):\n    raise RuntimeError('down')\n")
    result = paragone("compare", "new.jsonl", "old.jsonl", "--judge", "python:down:judge", "--attempts", 1)
    assert result.code == 1
    assert result.out == ""
    assert "continue with: paragone resume new-vs-old-1" in result.err


def test_resume_goes_on_with_it(outputs, paragone):
    paragone("compare", "new.jsonl", "old.jsonl", *JUDGE, "--budget", 4)
    resumed = paragone("resume", "new-vs-old-1", "--budget", 100, "--json").json
    assert (resumed["verdict"], resumed["questions"]) == ("better", 13)
    assert paragone("resume", "new-vs-old-1").out.startswith("new is better than old\n")
    values = paragone("compare", "new.jsonl", "old.jsonl", *JUDGE, "--json").json
    assert (values["verdict"], values["spending"]["decisions"]) == ("better", 26)


def test_processes_ask_the_judge_and_the_same_command_without_them_goes_on(outputs, paragone, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(warm_start.python()))
    command = ("compare", "new.jsonl", "old.jsonl", *JUDGE, "--json")
    workers = ("--workers", "--processes", 1, "--budget", 12)
    part = paragone(*command, *workers)
    assert (part.json["verdict"], part.json["calls"]) == ("not settled", 12)
    whole = paragone(*command, "--budget", 100)
    assert (whole.json["verdict"], whole.json["questions"], whole.json["calls"]) == ("better", 13, 26)
    assert whole.json["tournament"] == part.json["tournament"]


def test_recorded_votes_by_name(outputs, paragone):
    (outputs / "votes.csv").write_text("question,a,b,winner\n" + "".join(f"{n},x,y,x\ny,x,y,x\n" for n in range(30)))
    result = paragone("compare", "x", "y", "--judge", "recorded:votes.csv", "--json")
    assert (result.json["verdict"], result.json["questions"], result.json["calls"]) == ("better", 31, 60)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new.jsonl", "nowhere.jsonl", *JUDGE), "nowhere.jsonl: no such file"),
        (("new.jsonl", "new.jsonl", *JUDGE), "names that differ"),
        (("new.jsonl", "old.jsonl"), "no judge"),
        (("new.jsonl", "old.jsonl", *JUDGE, "--processes", "2"), "--processes changes nothing without --workers"),
        (
            ("x", "y", "--judge", "recorded:votes.csv", "--workers", "--max-cost", 1),
            "so leave out --max-cost, --workers",
        ),
        (("new.jsonl", "old.jsonl", *JUDGE, "--margin", "0.9"), "margin lies strictly between 0 and 0.5"),
        (("new.jsonl", "old.jsonl", *JUDGE, "--output-column", "nope"), "no column 'nope'"),
        (("new.jsonl", "old.jsonl", *JUDGE, "--assert", "good"), "better, not-worse or settled"),
        (("x", "y", "--judge", "recorded:nowhere.csv"), "nowhere.csv: no such file"),
    ],
)
def test_wrong_usage_is_one_message(outputs, paragone, arguments, message):
    result = paragone("compare", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_the_same_answer_to_several_questions_is_not_worth_a_note(home, paragone):
    for side, text in (("new", "yes, always"), ("old", "no")):
        rows = [{"id": f"q{number}", "output": text} for number in range(6)]
        (home / f"{side}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = paragone("compare", "new.jsonl", "old.jsonl", *JUDGE)
    assert result.code == 0
    assert "the same text" not in result.err
