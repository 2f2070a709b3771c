"""A person at the terminal, played by streams and by a real terminal."""

import asyncio
import io
import os
import signal
from dataclasses import replace

import pytest

from paragone.domain import Choice, DebateTurn, Speaker, Stage
from paragone.judges import Settled
from paragone.judges.human_judge import HumanJudge, formatted_question


@pytest.mark.parametrize(
    ("keys", "choice"),
    [
        ("1\n", Choice.FIRST), ("2\n", Choice.SECOND), ("t\n", Choice.TIE), (" T \n", Choice.TIE),
        ("s\n", Choice.ABSTAIN), ("3\n\nfirst\n2\n", Choice.SECOND), ("1", Choice.FIRST),
    ],
)  # fmt: skip
def test_keys(ask, keys, choice):
    output = io.StringIO()
    verdict = ask(HumanJudge(input=io.StringIO(keys), output=output, width=80))
    assert verdict.choice is choice
    assert output.getvalue().count("1 or 2 is better") == max(keys.count("\n"), 1)


@pytest.fixture(autouse=True)
def interruptible():
    """Interrupts as Python finds them in a foreground job; those of background jobs are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("keys", ["q\n", "", "x\n"])
def test_quitting_and_the_end_of_input_are_interrupts(ask, keys):
    with pytest.raises(KeyboardInterrupt):
        ask(HumanJudge(input=io.StringIO(keys), output=io.StringIO(), width=80))


def test_a_runner_that_listens_for_interrupts_hears_quitting_and_the_question_stays_open(ask):
    heard = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    verdict = ask(Settled(HumanJudge(input=io.StringIO("q\n"), output=io.StringIO(), width=80)))
    assert heard == [signal.SIGINT]
    assert (verdict.choice, verdict.usage.calls) == (Choice.FAILED, 0)


def test_quitting_is_heard_where_interrupts_are_ignored(ask):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with pytest.raises(KeyboardInterrupt):
        ask(Settled(HumanJudge(input=io.StringIO("q\n"), output=io.StringIO(), width=80)))


def test_quitting_in_the_midst_of_a_run_lets_everybody_clean_up(question):
    cleaned = []

    async def run():
        judge = HumanJudge(input=io.StringIO("1\nq\n"), output=io.StringIO(), width=80)
        tasks = [asyncio.create_task(judge.compare(question(call=f"m{n}"))) for n in range(3)]
        try:
            await asyncio.gather(*tasks)
        finally:
            cleaned.append([task.done() for task in tasks][:2])

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run())
    assert cleaned == [[True, True]]


def test_it_is_blind(ask):
    output = io.StringIO()
    ask(HumanJudge(input=io.StringIO("1\n"), output=output, width=80), "secret-x", "secret-y",
        texts={"secret-x": "one", "secret-y": "two"})  # fmt: skip
    assert "secret" not in output.getvalue()


def test_narrow_terminals_show_one_above_the_other(question):
    assert formatted_question(question("x", "y", texts={"x": "one two three", "y": "four"}), 8).splitlines() == [
        "", "Which is", "better?", "clarity", "", "[1]", "one two", "three", "--------", "[2]", "four",
    ]  # fmt: skip


def test_wide_terminals_show_both_side_by_side(question):
    lines = formatted_question(question("x", "y", texts={"x": "one\n\nthree", "y": "four"}), 101).splitlines()
    assert lines[3:] == [
        "[1]" + " " * 46 + " │ [2]",
        "one" + " " * 46 + " │ four",
        " " * 49 + " │",
        "three" + " " * 44 + " │",
    ]
    assert max(map(len, lines)) <= 101


def test_texts_cannot_take_over_the_terminal(question):
    text = formatted_question(question("x", "y", texts={"x": "\x1b[2Jgone\rhere\x9b\u202e", "y": "a\tb\r\nc"}), 80)
    assert not set(text) & {"\x1b", "\r", "\x9b", "\u202e", "\t"}
    assert "a   b\nc" in text


def test_one_question_at_a_time(question):
    output = io.StringIO()
    judge = HumanJudge(input=io.StringIO("1\n2\n"), output=output, width=80)

    async def run():
        return await asyncio.gather(judge.compare(question()), judge.compare(question()))

    assert [verdict.choice for verdict in asyncio.run(run())] == [Choice.FIRST, Choice.SECOND]
    assert judge.card.interactive
    assert judge.card.concurrency == 1
    assert HumanJudge(name="ada").card.identity == "human:ada"


def test_at_a_terminal_it_waits_in_the_loop(question):
    master, slave = os.openpty()
    with os.fdopen(slave, "r") as terminal:
        judge = HumanJudge(input=terminal, output=io.StringIO(), width=80)

        async def run():
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(judge.compare(question()), 0.05)
            asking = asyncio.create_task(judge.compare(question()))
            await asyncio.sleep(0)
            os.write(master, b"2\n")
            return await asking

        assert asyncio.run(run()).choice is Choice.SECOND
    os.close(master)


def test_a_person_sees_the_debate_below_the_texts(question):
    said = DebateTurn(
        call="m1.1", number=2, speaker=Speaker.SECOND, stage=Stage.EXCHANGE, content="That \x1b[2J fails.",
        evidence=("Smith 2019",),
    )  # fmt: skip
    page = formatted_question(replace(question("x", "y"), turns=1, transcript=(said,)), 60)
    assert page.index("text of y") < page.index("--- exchange for [2]") < page.index("cites: Smith 2019")
    assert "\x1b" not in page
    assert formatted_question(question("x", "y"), 60) == page[: page.index("\n--- exchange")]
