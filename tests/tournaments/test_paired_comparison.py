"""``compare``: whole runs with deterministic judges, on record, interrupted and continued; and recorded votes."""

import asyncio
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import paragone
import virtual_time
from paragone.analysis.sequential_test import look
from paragone.cli.terminal_run import sentence
from paragone.domain import Choice, PairedDesign, PairedVerdict, Usage, Verdict
from paragone.errors import InvalidConfig, InvalidItems, InvalidVotes
from paragone.judges import JudgeCard
from paragone.ledger import Ledger
from paragone.tournaments.paired_comparison import begin, compare_votes, names_of, play_on, result_of
from paragone.tournaments.planning.paired_policy import PairedScores, drawn_order
from paragone.tournaments.running.control import unobserved

OLD = {f"q{number}": "short" for number in range(60)}
NEW = {f"q{number}": "longer text" for number in range(60)}


def some(count):
    """The first of the new and of the old outputs."""
    return tuple({f"q{number}": side[f"q{number}"] for number in range(count)} for side in (NEW, OLD))


def longer(first, second, criteria):
    difference = len(first.text) - len(second.text)
    return "tie" if difference == 0 else "first" if difference > 0 else "second"


class Judge:
    """Answers by a function and counts; fails from some call on, or on some questions."""

    def __init__(self, answer=longer, fails=lambda calls, question: False):
        self.answer, self.fails, self.calls = answer, fails, 0
        self.asked = []

    def __call__(self, first, second, criteria):
        self.calls += 1
        if self.fails(self.calls, first.id.partition(":")[2]):
            raise RuntimeError("down")
        self.asked.append((first.id, second.id))
        return self.answer(first, second, criteria)


def test_a_new_system_that_always_wins_is_better_after_the_fewest_questions():
    judge = Judge()
    result = paragone.compare(NEW, OLD, judge=judge)
    assert result.verdict is PairedVerdict.BETTER
    assert (result.look.settled_after, result.look.estimate) == (13, 1.0)
    assert (result.questions, result.calls, judge.calls) == (13, 26, 26)
    assert (result.wins, result.losses, result.ties, result.available) == (13, 0, 0, 60)
    assert result.in_words == "new is better than old"
    assert result.stopped == "the test is settled after 13 questions"


def test_the_other_way_round_it_is_worse():
    assert paragone.compare(OLD, NEW, judge=longer).verdict is PairedVerdict.WORSE


def test_each_question_is_asked_in_both_orders_and_a_judge_of_positions_finds_no_difference():
    judge = Judge(lambda first, second, criteria: "first")
    result = paragone.compare(NEW, OLD, judge=judge, margin=0.2)
    assert result.verdict is PairedVerdict.SAME
    assert (result.by_order, result.ties, result.look.estimate) == (result.questions, result.questions, 0.5)
    assert sorted(judge.asked) == sorted((old, new) for new, old in judge.asked)


def test_outputs_that_are_the_same_are_ties_without_a_call():
    same = {f"q{number}": "text" for number in range(200)}
    judge = Judge()
    result = paragone.compare(same, same, judge=judge, names=("a", "b"))
    assert result.verdict is PairedVerdict.SAME
    assert (judge.calls, result.calls, result.fixed_calls, result.identical) == (0, 0, 0, 200)


def test_a_mixture_counts_in_the_order_of_the_draw():
    half = {id: text if int(id[1:]) % 2 else OLD[id] for id, text in NEW.items()}
    judge = Judge()
    result = paragone.compare(half, OLD, judge=judge, seed=3)
    drawn = [f"q{number}" for number in drawn_order(60, 3)]
    asked = list(dict.fromkeys(id.partition(":")[2] for pair in judge.asked for id in pair))
    assert sorted(asked) == sorted([id for id in drawn if half[id] != OLD[id]][: len(asked)])
    end = max(drawn.index(id) for id in asked) + 1
    while end < len(drawn) and half[drawn[end]] == OLD[drawn[end]]:
        end += 1
    assert result.identical == sum(half[id] == OLD[id] for id in drawn[:end]) > 0
    assert result.look.estimate == pytest.approx((len(asked) + result.identical / 2) / result.questions)


def test_the_prompt_stands_within_both_texts(tmp_path):
    tournament, _ = begin(
        {"a": "1", "b": "2"}, {"a": "x", "b": "y"}, PairedDesign(), judge=longer, prompts={"a": "A?", "b": "B?"}
    )
    with tournament:
        assert tournament.state.items[1].text == "Question:\nA?\n\nResponse:\nx"


def by_letters(first, second, criteria):
    """Three questions of five for the new system."""
    wins = sum(map(ord, first.id.partition(":")[2])) % 5 < 3
    return "first" if wins == first.id.startswith("new") else "second"


def test_an_interrupted_run_goes_on_to_the_result_of_an_uninterrupted_one(tmp_path):
    sides = some(30)
    whole = paragone.compare(*sides, judge=by_letters)
    judge = Judge(by_letters)
    tournament, _ = begin(*sides, PairedDesign(), judge=judge, db=tmp_path / "x.db")
    with tournament:
        asyncio.run(play_on(tournament, lambda progress: tournament.gate.close("enough") if judge.calls > 21 else None))
        cut = result_of(tournament)
    assert 8 <= cut.questions < whole.questions
    tournament, _ = begin(*sides, PairedDesign(), judge=judge, db=tmp_path / "x.db")
    with tournament:
        assert tournament.state.id == cut.tournament
        asyncio.run(play_on(tournament))
        second = result_of(tournament)
    assert (second.look, second.questions) == (whole.look, whole.questions)
    assert judge.calls == whole.calls


def test_an_outage_stops_it_and_costs_no_answer(tmp_path):
    dying = Judge(by_letters, fails=lambda calls, question: calls > 20)
    pace = paragone.CallOptions(wait=0.0, concurrency=1)
    first = paragone.compare(*some(30), judge=dying, db=tmp_path / "x.db", pace=pace)
    assert (first.verdict, first.questions) == (PairedVerdict.OPEN, 10)
    assert "down" in first.stopped
    again = Judge(by_letters)
    with paragone.Tournament.open(tmp_path / "x.db", first.tournament, judge=again) as tournament:
        asyncio.run(play_on(tournament))
        second = result_of(tournament)
    assert second.questions == 30
    assert again.calls == 40


def test_the_same_call_again_asks_nothing_and_another_one_is_another_comparison(tmp_path):
    db = tmp_path / "x.db"
    first = paragone.compare(NEW, OLD, judge=longer, db=db)
    assert paragone.compare(NEW, OLD, judge=longer, db=db) == first
    other = paragone.compare(NEW, OLD, judge=longer, db=db, margin=0.2)
    assert other.tournament != first.tournament
    assert other.spending.cached == other.spending.decisions
    with Ledger.open(db) as ledger:
        assert len(ledger.tournaments.all()) == 2
        assert ledger.audit(first.tournament).ok


def test_a_budget_stops_it_and_a_larger_one_goes_on(tmp_path):
    options = {"judge": longer, "db": tmp_path / "x.db"}
    small = paragone.compare(NEW, OLD, budget=10, **options)
    assert (small.verdict, small.calls) == (PairedVerdict.OPEN, 10)
    assert "budget" in small.stopped
    larger = paragone.compare(NEW, OLD, budget=100, **options)
    assert (larger.tournament, larger.verdict) == (small.tournament, PairedVerdict.BETTER)


def test_a_question_whose_answers_fail_is_asked_again_and_left_out_in_the_end():
    few, old = some(10)
    refused = [f"q{number}" for number in drawn_order(10, 0)[1:3]]
    stubborn = Judge(fails=lambda calls, question: question in refused)
    pace = paragone.CallOptions(wait=0.0)
    result = paragone.compare(few, old, judge=stubborn, pace=pace)
    assert (result.verdict, result.questions, result.unanswered) == (PairedVerdict.OPEN, 8, 2)
    assert result.stopped == "every question was asked, and the test is not settled"


def test_an_answer_that_came_late_counts_when_it_came(tmp_path):
    """A question that failed in a run is scored after those that were looked at then, and before those to come."""
    drawn, options = drawn_order(12, 0), {"db": tmp_path / "x.db", "pace": paragone.CallOptions(wait=0.0)}
    sides = some(12)
    refusing = Judge(fails=lambda calls, question: question == f"q{drawn[0]}")
    first = paragone.compare(*sides, judge=refusing, budget=8, **options)
    assert (first.questions, first.unanswered) == (4, 1)
    tournament, _ = begin(*sides, PairedDesign(), judge=refusing, db=options["db"], budget=100)
    refusing.fails = lambda calls, question: False
    with tournament:
        asyncio.run(play_on(tournament, unobserved, options["pace"]))
        scores = PairedScores.of(tournament.state)
    assert scores.questions == (*drawn[1:5], drawn[0], *drawn[5:])


class Delayed:
    """Answers each question by a table of scores, after seconds that are drawn; both orders split a half."""

    card = JudgeCard(identity="delayed", sends=False, reads_ids=True)

    def __init__(self, scores, seed):
        self._scores, self._chance, self.questions = scores, random.Random(seed), Counter()  # calls by question

    async def compare(self, question):
        name, _, id = question.first.id.partition(":")
        self.questions[id] += 1
        await asyncio.sleep(self._chance.lognormvariate(0.0, 1.0))
        score = self._scores[int(id[1:])]
        wins = score == 1.0 or (score == 0.5 and name == "new")  # a half: the order decides
        choice = Choice.FIRST if wins == (name == "new") else Choice.SECOND
        return Verdict(choice=choice, judge="delayed", usage=Usage())

    def price(self, question):
        return None

    async def close(self):
        pass


def one_by_one(scores, same, seed):
    """The plain test: a look after each question that is drawn. Identical outputs come free, also at the end."""
    seen, is_settled = [], False
    for question in drawn_order(len(scores), seed):
        if is_settled and question not in same:
            break
        seen.append(0.5 if question in same else scores[question])
        is_settled = is_settled or look(np.array(seen), DESIGN).verdict.is_settled
    return seen


DESIGN = PairedDesign(margin=0.2)


def world(share, seed):
    """Scores of fifty questions, those of them whose outputs are the same, and both systems' outputs."""
    chance = random.Random(seed)
    scores = chance.choices([1.0, 0.0, 0.5], [share, 1 - share, 0.3], k=50)
    same = {number for number in range(50) if chance.random() < 0.1}
    sides = (
        {f"q{number}": "same" if number in same else f"{name} {number}" for number in range(50)}
        for name in ("new", "old")
    )
    return scores, same, *sides


def in_order_of_delay(share, seed, concurrency, order=0):
    """The result where answers take as long as ``order`` has it, and which questions were asked."""
    scores, _, new, old = world(share, seed)
    judge, pace = Delayed(scores, order), paragone.CallOptions(concurrency=concurrency)
    result, _ = virtual_time.run(
        lambda: paragone.acompare(new, old, judge=judge, seed=seed, pace=pace, margin=DESIGN.margin)
    )
    assert set(judge.questions.values()) == {2}
    return result, judge.questions


@settings(max_examples=settings().max_examples // 8)
@given(st.sampled_from([0.5, 0.75, 0.9]), st.integers(0, 2**16), st.sampled_from([1, 3, 8]))
@example(0.9, 65535, 1)  # the fewest questions that may settle it have identical outputs among them
def test_whichever_answer_comes_first_the_result_is_that_of_asking_one_by_one(share, seed, concurrency):
    """And nothing is asked that is not needed."""
    scores, same, *_ = world(share, seed)
    plain = one_by_one(scores, same, seed)
    result, questions = in_order_of_delay(share, seed, concurrency)
    assert (result.look, result.questions) == (look(np.array(plain), DESIGN), len(plain))
    assert len(questions) == result.questions - result.identical


def test_more_calls_in_flight_ask_more_questions_and_the_same_ones_in_any_order():
    runs = [in_order_of_delay(0.9, 5, 24, order) for order in range(2)]
    few, needed = in_order_of_delay(0.9, 5, 8)
    assert {(result.look, result.questions) for result, _ in runs} == {(runs[0][0].look, runs[0][0].questions)}
    assert runs[0][1] == runs[1][1]
    assert runs[0][0].look.settled_after == few.look.settled_after
    assert len(runs[0][1]) == len(needed) + 8
    sides = some(14)  # fewer than would be asked ahead
    result = paragone.compare(*sides, judge=longer, pace=paragone.CallOptions(concurrency=24))
    assert (result.questions, result.stopped) == (14, "the test is settled after 13 questions")


def test_calls_in_flight_save_time():
    """Thirty questions in a row take as many seconds as there are calls."""
    judge = Delayed([0.5] * 30, 1)
    results = {}
    for concurrency in (1, 8):
        pace = paragone.CallOptions(concurrency=concurrency)
        results[concurrency] = virtual_time.run(
            lambda: paragone.acompare(*some(30), judge=judge, pace=pace)  # noqa: B023
        )
    (alone, slow), (together, fast) = results[1], results[8]
    assert (alone.look, alone.calls) == (together.look, together.calls)
    assert fast < 0.35 * slow


def test_too_little_to_settle_anything_is_said():
    result = paragone.compare(*some(5), judge=longer)
    assert result.verdict is PairedVerdict.OPEN
    assert result.notes == ("5 questions settle nothing, whoever wins them; at least 13 are needed",)
    with pytest.raises(InvalidItems, match="one question"):
        paragone.compare({"q": "a"}, {"q": "b"}, judge=longer)


def test_it_works_while_a_loop_is_running():
    async def within():
        return paragone.compare(NEW, OLD, judge=longer), await paragone.acompare(NEW, OLD, judge=longer)

    blocking, awaited = asyncio.run(within())
    assert blocking.look == awaited.look


VOTES = [
    {"question": f"q{number}", "a": a, "b": b, "winner": winner, "judge": "j"}
    for number in range(20)
    for a, b, winner in (("new", "old", "new"), ("old", "new", "new" if number % 4 else "old"), ("new", "else", "else"))
]


def test_recorded_votes_of_one_question_are_one_observation():
    result = compare_votes(VOTES, PairedDesign())
    # Five questions of twenty are split, the others won in both orders: (15 + 5 / 2) / 20.
    assert (result.questions, result.calls, result.by_order) == (20, 40, 5)
    assert (result.wins, result.losses, result.ties, result.look.estimate) == (15, 0, 5, 0.875)


def test_without_questions_each_vote_is_one():
    bare = [{key: value for key, value in vote.items() if key != "question"} for vote in VOTES]
    result = compare_votes(bare, PairedDesign())
    assert (result.questions, result.wins, result.losses) == (40, 35, 5)
    assert "each vote is taken as one" in result.notes[-1]


def test_votes_in_a_file_by_name(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("a,b,winner,q\n" + "".join(f"new,old,new,{number}\n" for number in range(30)))
    result = paragone.compare("new", "old", judge=f"recorded:{file}", question="q")
    assert (result.verdict, result.look.settled_after, result.tournament) == (PairedVerdict.BETTER, 13, "")
    with pytest.raises(InvalidVotes, match=r"no votes on 'olf'; did you mean old\?"):
        paragone.compare("new", "olf", judge=f"recorded:{file}")
    with pytest.raises(InvalidConfig, match="leave out criteria"):
        paragone.compare("new", "old", judge=f"recorded:{file}", criteria="x")


def test_the_result_as_text_and_plain_values():
    moments = []
    result = paragone.compare(NEW, OLD, judge=longer, observer=moments.append)
    assert sentence(moments[-1]).startswith("question 13, of at most 120: 26 decisions")
    assert str(result).startswith("new is better than old; it wins 100.0% (")
    values = result.as_dict()
    assert (values["verdict"], values["settled"], values["look"]["settled_after"]) == ("better", True, 13)


def test_a_folder_is_named_wherever_one_stands(tmp_path, monkeypatch):
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    monkeypatch.chdir(tmp_path / "first")
    assert names_of(".", "../second") == ("first", "second")
