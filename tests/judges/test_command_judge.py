"""Programs as judges, tried on real ones."""

import asyncio
import json
import os
import shlex
import sys
import textwrap
import time
from dataclasses import replace

import pytest

from paragone.domain import Choice, DebateTurn, Speaker, Stage
from paragone.errors import JudgeFailed, UnknownJudge
from paragone.judges.command_judge import CommandJudge
from paragone.judges.retrying import Timed
from paragone.judges.stack import Stack
from paragone.judges.verdict_cache import MemoryVerdicts

LOOP = """
import json, os, sys, time
def say(value):
    print(json.dumps(value), flush=True)
def longer(q):
    a, b = len(q["first"]["text"]), len(q["second"]["text"])
    return {"call": q["call"], "winner": "tie" if a == b else "first" if a > b else "second"}
"""
HONEST = "for line in sys.stdin:\n    say(longer(json.loads(line)) | {'rationale': line.strip()})\n"


@pytest.fixture
def program(tmp_path):
    """A judge that runs a script, of which the beginning is given."""

    def make(body, **options):
        path = tmp_path / "judge.py"
        path.write_text(LOOP + textwrap.dedent(body))
        return CommandJudge(f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}", **options)

    return make


def held(judge, *questions):
    """Ask all questions at once, close the judge, and give back answers and failures."""

    async def run():
        try:
            return await asyncio.gather(*map(judge.compare, questions), return_exceptions=True)
        finally:
            await judge.close()

    return asyncio.run(run())


def test_one_object_a_line_in_and_out(program, question):
    judge = program(HONEST)
    asked = question("x", "y", "m1.1", texts={"x": "long\ntext \ud800 ü", "y": "short"})
    (verdict,) = held(judge, asked)
    assert verdict.choice is Choice.FIRST
    assert verdict.rationale == (
        '{"call": "m1.1", "first": {"id": "x", "text": "long\\ntext \\ud800 \\u00fc"}, '
        '"second": {"id": "y", "text": "short"}, "criteria": "clarity"}'
    )
    assert verdict.usage.calls == 0, "it sends nothing to a model itself"
    assert judge.card.identity.startswith("command:")
    assert judge.card.reads_ids


def test_after_a_debate_the_turns_come_along(program, question):
    said = DebateTurn(
        call="m1.1", number=1, speaker=Speaker.FIRST, stage=Stage.OPENING, content="Ü.", claims=("a",), evidence=("b",)
    )
    judge = program(HONEST)
    asked = replace(question("x", "y", "m1.1"), turns=1, transcript=(said,))
    (verdict,) = held(judge, asked)
    assert json.loads(verdict.rationale)["transcript"] == [
        {"speaker": "first", "stage": "opening", "content": "Ü.", "claims": ["a"], "rebuttals": [], "evidence": ["b"]}
    ]
    assert verdict.judge == judge.card.debates.identity


def test_every_label_and_what_else_may_be_said(program, question):
    judge = program(
        """
        for line in sys.stdin:
            q = json.loads(line)
            say({"call": q["call"], "winner": q["criteria"], "probability": 0.5, "scores": {"wit": [1, 0]}})
        """
    )
    labels = ["first", "second", "tie", "abstain"]
    verdicts = held(judge, *(question(call=label, criteria=label) for label in labels))
    assert [verdict.choice for verdict in verdicts] == labels
    assert [verdict.probability for verdict in verdicts] == [0.5, 0.5, 0.5, None]
    assert verdicts[0].scores[0].criterion == "wit"


def test_answers_in_any_order_with_many_in_flight(program, question):
    judge = program(
        """
        lines = [json.loads(sys.stdin.readline()) for _ in range(20)]
        for q in reversed(lines):
            say({"call": q["call"], "winner": "tie", "rationale": q["first"]["id"]})
        sys.stdin.read()
        """
    )
    verdicts = held(judge, *(question(f"i{n}", "y", f"m{n}") for n in range(20)))
    assert [verdict.rationale for verdict in verdicts] == [f"i{n}" for n in range(20)]


def test_large_lines_both_ways_do_not_block(program, question):
    text = "x" * 300_000
    asked = [question(call=f"m{n}", texts={"x": text, "y": "y"}) for n in range(8)]
    assert {len(verdict.rationale) > 300_000 for verdict in held(program(HONEST), *asked)} == {True}


def test_standard_error_is_drained_and_its_end_shown(program, question):
    judge = program(
        """
        for line in sys.stdin:
            sys.stderr.write("noise " * 100_000 + "and then the cause\\n")
            sys.stderr.flush()
            sys.exit(3)
        """
    )
    (failure,) = held(judge, question())
    assert isinstance(failure, JudgeFailed)
    assert failure.retryable
    assert str(failure).endswith("ended with code 3")
    assert " wrote: " in failure.hint
    assert failure.hint.endswith("and then the cause")
    assert len(failure.hint) < 2100


def test_standard_error_is_shown_without_control_characters_and_never_kept(program, question):
    judge = program(
        """
        sys.stderr.write("\\x1b[31mred\\x1b[0m\\x07 \\u202esk-secret\\n")
        sys.stderr.flush()
        sys.exit(3)
        """
    )
    kept = []

    async def asked():
        heard = []
        stack = Stack(
            store=MemoryVerdicts(),
            attempts=5,
            wait=0.0,
            on_failure=heard.append,
            on_lost=lambda _, lost: kept.append(lost),
        ).around(judge)
        await stack.compare(question())
        await stack.close()
        return heard

    (failure,) = asyncio.run(asked())
    assert failure.hint.endswith("wrote: [31mred [0m sk-secret")
    assert failure.permanent
    assert len(kept) == 3
    assert "secret" not in repr(kept)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.stdin.readline(); print('hello', flush=True); sys.stdin.read()", "wrote what answers no question: hello"),
        ("sys.stdin.readline(); say([1]); sys.stdin.read()", "wrote what answers no question: [1]"),
        ("sys.stdin.readline(); say({'winner': 'tie'}); sys.stdin.read()", "wrote what answers no question"),
        ("sys.stdin.readline(); say({'call': 'other', 'winner': 'tie'}); sys.stdin.read()", '{"call": "other"'),
        ("sys.stdin.readline(); os.close(1); os.kill(os.getpid(), 9)", "was ended by signal 9"),
        ("sys.exit(0)", "ended with code 0"),
    ],
)
def test_a_program_out_of_step_fails_all_in_flight(program, question, body, said):
    failures = held(program(body), *(question(call=f"m{n}") for n in range(3)))
    assert all(isinstance(failure, JudgeFailed) for failure in failures)
    assert said in str(failures[0])


def test_an_output_that_is_closed_is_noticed_while_the_program_lives(program, question, monkeypatch):
    monkeypatch.setattr("paragone.judges.command_judge._PATIENCE", 0.05)
    (failure,) = held(program("sys.stdin.readline(); os.close(1); time.sleep(60)"), question())
    assert "closed its output" in str(failure)


def test_an_unknown_label_fails_that_call_alone(program, question):
    judge = program(
        """
        for line in sys.stdin:
            q = json.loads(line)
            say({"call": q["call"], "winner": q["criteria"]})
        """
    )
    asked = [
        question(call="m1", criteria="tie"),
        question(call="m2", criteria="banana"),
        question(call="m3", criteria="tie"),
    ]
    first, second, third = held(judge, *asked)
    assert first.choice is third.choice is Choice.TIE
    assert isinstance(second, JudgeFailed)
    assert "'banana' is none of" in str(second)


def test_it_is_started_again_for_the_next_question(program, question, tmp_path):
    judge = program(
        f"""
        with open({str(tmp_path / "starts")!r}, "a") as file:
            file.write(f"{{os.getpid()}}\\n")
        q = json.loads(sys.stdin.readline())
        say({{"call": q["call"], "winner": "tie"}})
        json.loads(sys.stdin.readline())
        """,
        restarts=1,
    )

    async def run():
        outcomes = [
            await asyncio.gather(judge.compare(question(call=f"m{n}")), return_exceptions=True) for n in range(6)
        ]
        await judge.close()
        return [type(outcome).__name__ for (outcome,) in outcomes]

    assert asyncio.run(run()) == ["Verdict", "JudgeFailed"] * 3
    assert len((tmp_path / "starts").read_text().split()) == 3


def test_starts_without_an_answer_are_bounded(program, question, tmp_path):
    judge = program(
        f"""
        with open({str(tmp_path / "starts")!r}, "a") as file:
            file.write("start\\n")
        sys.exit("no licence")
        """,
        restarts=2,
    )

    async def run():
        return [(await asyncio.gather(judge.compare(question()), return_exceptions=True))[0] for _ in range(4)]

    failures = asyncio.run(run())
    assert [failure.retryable for failure in failures] == [True, True, False, False]
    assert "was started 2 times in a row without an answer and is not started again: " in str(failures[2])
    assert str(failures[2]).endswith("ended with code 1")
    assert "no licence" in failures[2].hint
    assert len((tmp_path / "starts").read_text().split()) == 2


def test_a_late_answer_after_a_timeout_is_not_taken_for_an_unknown_one(program, question):
    judge = program(
        """
        held = json.loads(sys.stdin.readline())
        for line in sys.stdin:
            say({"call": held["call"], "winner": "first"})
            held = json.loads(line)
            say({"call": held["call"], "winner": "second"})
        """
    )

    async def run():
        with pytest.raises(JudgeFailed, match="within"):
            await Timed(judge, 0.3).compare(question(call="m1"))
        verdicts = [await judge.compare(question(call="m2"))]
        await judge.close()
        return [verdict.choice for verdict in verdicts]

    assert asyncio.run(run()) == [Choice.SECOND]


def test_a_question_asked_again_after_a_timeout_gets_the_first_answer_that_comes(program, question):
    judge = program(
        """
        say(longer(json.loads(sys.stdin.readline())))
        held = [json.loads(sys.stdin.readline()) for _ in range(2)]
        say({"call": held[0]["call"], "winner": "first"})
        sys.stdin.read()
        """
    )

    async def run():
        await judge.compare(question(call="m0"))  # it runs: starting it is no part of the time below
        with pytest.raises(JudgeFailed, match="within"):
            await Timed(judge, 0.05).compare(question(call="m1"))
        verdict = await judge.compare(question(call="m1"))
        await judge.close()
        return verdict.choice

    assert asyncio.run(run()) is Choice.FIRST


def test_close_ends_the_program_even_one_that_ignores_the_end_of_its_input(program, question, monkeypatch):
    monkeypatch.setattr("paragone.judges.command_judge._PATIENCE", 0.05)
    judge = program(
        """
        q = json.loads(sys.stdin.readline())
        say({"call": q["call"], "winner": "tie", "rationale": str(os.getpid())})
        time.sleep(60)
        """
    )
    start = time.monotonic()
    (verdict,) = held(judge, question())
    assert time.monotonic() - start < 20
    with pytest.raises(ProcessLookupError):
        os.kill(int(verdict.rationale), 0)


def test_closing_fails_what_is_in_flight(program, question):
    judge = program("sys.stdin.read()")

    async def run():
        asking = asyncio.create_task(judge.compare(question()))
        await asyncio.sleep(0)
        await judge.close()
        await asking

    with pytest.raises(JudgeFailed):
        asyncio.run(run())


def test_closing_a_judge_that_was_never_asked_does_nothing(program):
    asyncio.run(program(HONEST).close())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-program-here --x", "no program 'no-such-program-here'"),
        ("./no/such/path", "no program './no/such/path'"),
        ("", "names no program"),
        ("python 'unclosed", "cannot be split"),
    ],
)
def test_a_program_that_is_not_there_is_named_at_once(command, said):
    with pytest.raises(UnknownJudge) as raised:
        CommandJudge(command)
    assert said in str(raised.value)


def test_no_shell_reads_the_arguments(question, tmp_path):
    judge = CommandJudge(f"echo $HOME > {tmp_path / 'file'}")
    (failure,) = held(judge, question())
    assert "$HOME >" in str(failure)
    assert not (tmp_path / "file").exists()
