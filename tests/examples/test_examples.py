"""The examples are what their README says."""

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import click_tree
import demo
import judge_by_length
import simulate_votes
from paragone.domain import Item

EXAMPLES = Path(__file__).parents[2] / "examples"


def hypotheses() -> list[dict[str, str]]:
    return [json.loads(line) for line in (EXAMPLES / "hypotheses.jsonl").read_text("utf-8").splitlines()]


def test_there_are_24_hypotheses_of_two_to_four_sentences() -> None:
    assert len(hypotheses()) == len({row["id"] for row in hypotheses()}) == 24
    sentences = [row["text"].count(". ") + 1 for row in hypotheses()]
    assert set(sentences) <= {2, 3, 4}


def test_the_intended_order_has_six_tiers_of_four_and_is_not_the_order_of_the_file() -> None:
    tiers = demo.intended()
    assert set(tiers) == {row["id"] for row in hypotheses()}
    assert Counter(tiers.values()) == dict.fromkeys(range(1, 7), 4)
    share, _, _ = demo.agreement([row["id"] for row in hypotheses()], tiers)
    assert 0.3 < share < 0.7


def test_agreement_on_a_worked_example() -> None:
    tiers = {"a": 1, "b": 1, "c": 2, "d": 3}
    assert demo.agreement(["b", "a", "c", "d"], tiers) == (1.0, 1.0, 5)
    assert demo.agreement(["d", "c", "b", "a"], tiers) == (0.0, -1.0, 5)
    assert demo.agreement(["a", "c", "b", "d"], tiers) == (pytest.approx(0.8), pytest.approx(0.6), 5)


def test_the_demo_asks_for_what_the_command_has() -> None:
    assert demo.RANK[0] == "rank"
    assert {part for part in demo.RANK if part.startswith("--")} <= click_tree.options()["rank"]
    assert {part for part in demo.BOARD if part.startswith("--")} <= click_tree.options()["board"]


def test_the_votes_are_what_the_simulation_makes() -> None:
    with (EXAMPLES / "votes.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == simulate_votes.votes()
    assert len(simulate_votes.votes()) == 240


def test_the_function_judge_answers_by_length() -> None:
    short, long = Item(id="s", text="short"), Item(id="l", text="rather long")
    assert judge_by_length.longer(short, long, "") == "second"
    assert judge_by_length.longer(long, short, "") == "first"
    assert judge_by_length.longer(long, long, "") == "tie"
    assert judge_by_length.explained(long, short, "")["scores"] == {"length": (1.0, 5 / 11)}


def test_the_command_judge_answers_every_line() -> None:
    few, many = {"id": "f", "text": "one one one"}, {"id": "m", "text": "one two"}
    questions = [
        {"call": "1", "first": few, "second": many, "criteria": ""},
        {"call": "2", "first": many, "second": few, "criteria": ""},
        {"call": "3", "first": many, "second": many, "criteria": ""},
    ]
    done = subprocess.run(
        [sys.executable, EXAMPLES / "judge_command.py"],
        input="".join(json.dumps(question) + "\n" for question in questions),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(answer["call"], answer["winner"]) for answer in answers] == [("1", "second"), ("2", "first"), ("3", "tie")]
