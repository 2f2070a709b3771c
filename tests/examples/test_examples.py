"""The examples are what their README says."""

import csv
import io
import itertools
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

import demo
import judge_by_length
import paragone
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


def test_the_texts_of_the_demo_are_garbled_by_more_words_from_one_to_the_next() -> None:
    changed = [
        sum(word != plain for word, plain in zip(text.split(), original.split(), strict=True))
        for text, original in zip(demo.garbled_texts().values(), demo.TEXTS, strict=True)
    ]
    assert changed[0] == 0
    assert changed == sorted(changed)
    assert [sorted(text) for text in demo.garbled_texts().values()] == [sorted(text) for text in demo.TEXTS]


@pytest.mark.local_model
@pytest.mark.timeout(600)
def test_the_live_act_prints_the_board_and_its_agreement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "TOP", tmp_path)
    monkeypatch.setattr(demo.fluency, "PAIRS", demo.fluency.PAIRS[:1])  # most of a first answer is to read them
    monkeypatch.setattr(demo, "TEXTS", [" ".join(text.split()[:5]) for text in demo.TEXTS])
    (tmp_path / "out").mkdir()
    console = Console(file=io.StringIO(), width=100)
    board = demo.live(console, budgets=[1, 2])
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert board.spending.decisions == 2
    assert "2 comparisons: g" in printed
    assert "Kendall tau" in printed


def test_every_verdict_has_a_reason_and_every_pair_was_judged_in_both_orders() -> None:
    verdicts = demo.json_lines(demo.VERDICTS)
    ids = {row["id"] for row in hypotheses()}
    orders = Counter((verdict["a"], verdict["b"]) for verdict in verdicts)
    assert len(verdicts) == len(orders) == 320
    assert {id for pair in orders for id in pair} == ids
    assert all((b, a) in orders for a, b in orders)
    assert {verdict["winner"] for verdict in verdicts} == {"a", "b"}
    assert all(verdict["reason"].isprintable() and verdict["reason"] for verdict in verdicts)


def replayed(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[paragone.Board, str]:
    """The board of act two and what it prints."""
    monkeypatch.setattr(demo, "TOP", tmp_path)
    (tmp_path / "out").mkdir()
    console = Console(file=io.StringIO(), width=300)
    board = demo.replay(console, path)
    return board, console.file.getvalue()  # type: ignore[attr-defined]


def test_the_second_act_states_agreement_reasons_and_position_bias_and_writes_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, printed = replayed(demo.VERDICTS, tmp_path, monkeypatch)
    assert max(row.rank_high - row.rank_low for row in board.items) <= 6
    assert "h20 over h12: Both strong, but this separates two contested mechanisms" in printed
    assert "Agreement with the intended order: tau +0.94, 97% of the 240 pairs" in printed
    assert "Position bias: none found" in printed
    assert "158 of 160 pairs got the same answer in both orders" in printed
    assert "Thin coatings of aluminium oxide" in (tmp_path / demo.PAGE).read_text("utf-8")


def test_the_second_act_finds_the_position_bias_of_a_judge_that_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiers = demo.intended()
    votes = [
        {"a": a, "b": b, "winner": "b" if tiers[b] + 1 < tiers[a] else "a", "reason": "It is better."}
        for a, b in itertools.permutations(tiers, 2)
    ]
    path = tmp_path / "verdicts.jsonl"
    path.write_text("".join(json.dumps(vote) + "\n" for vote in votes), "utf-8")
    board, printed = replayed(path, tmp_path, monkeypatch)
    assert board.position_bias is not None
    assert board.position_bias > 0
    assert "Position bias: towards the first text" in printed


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
