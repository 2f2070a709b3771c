"""``compare``: whole runs with deterministic judges, on record, interrupted and continued; and recorded votes."""

import asyncio

import pytest

import paragone
from paragone.domain import PairedDesign, PairedVerdict
from paragone.errors import InvalidConfig, InvalidItems, InvalidVotes
from paragone.ledger import Ledger
from paragone.tournaments.paired_comparison import begin, compare_votes, play_on, result_of
from paragone.tournaments.planning.paired import PairedScores, drawn_order
from paragone.tournaments.running.control import unobserved

OLD = {f"q{number}": "short" for number in range(60)}
NEW = {f"q{number}": "longer text" for number in range(60)}


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
    assert (result.questions, result.calls, judge.calls) == (16, 32, 32)  # four questions between two looks
    assert (result.wins, result.losses, result.ties, result.available) == (16, 0, 0, 60)
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
    whole = paragone.compare(NEW, OLD, judge=by_letters)
    judge = Judge(by_letters)
    tournament, _ = begin(NEW, OLD, PairedDesign(), judge=judge, db=tmp_path / "x.db")
    with tournament:
        asyncio.run(play_on(tournament, lambda progress: tournament.gate.close("enough") if judge.calls > 21 else None))
        cut = result_of(tournament)
    assert 8 <= cut.questions < whole.questions
    tournament, _ = begin(NEW, OLD, PairedDesign(), judge=judge, db=tmp_path / "x.db")
    with tournament:
        assert tournament.state.id == cut.tournament
        asyncio.run(play_on(tournament))
        second = result_of(tournament)
    assert (second.look, second.questions) == (whole.look, whole.questions)
    assert judge.calls == whole.calls


def test_an_outage_stops_it_and_costs_no_answer(tmp_path):
    dying, pace = Judge(by_letters, fails=lambda calls, question: calls > 20), paragone.CallOptions(wait=0.0)
    first = paragone.compare(NEW, OLD, judge=dying, db=tmp_path / "x.db", pace=pace)
    assert (first.verdict, first.questions) == (PairedVerdict.OPEN, 10)
    assert "down" in first.stopped
    again = Judge(by_letters)
    with paragone.Tournament.open(tmp_path / "x.db", first.tournament, judge=again) as tournament:
        asyncio.run(play_on(tournament))
        second = result_of(tournament)
    assert second.questions == 60
    assert again.calls == 100


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
    few = {id: text for id, text in NEW.items() if int(id[1:]) < 10}
    refused = [f"q{number}" for number in drawn_order(10, 0)[1:3]]
    stubborn = Judge(fails=lambda calls, question: question in refused)
    pace = paragone.CallOptions(wait=0.0)
    result = paragone.compare(few, {id: OLD[id] for id in few}, judge=stubborn, pace=pace)
    assert (result.verdict, result.questions, result.unanswered) == (PairedVerdict.OPEN, 8, 2)
    assert result.stopped == "every question was asked, and the test is not settled"


def test_an_answer_that_came_late_counts_when_it_came():
    """A question that failed at first is scored after those that were looked at before, and before those to come."""
    drawn = drawn_order(12, 0)
    first, tries = f"q{drawn[0]}", []

    def fails(calls, question):
        tries.append(question)
        return question == first and tries.count(first) <= 18  # three tries of both orders in each of three passes

    few = {id: text for id, text in NEW.items() if int(id[1:]) < 12}
    tournament, _ = begin(few, {id: OLD[id] for id in few}, PairedDesign(), judge=Judge(fails=fails))
    with tournament:
        asyncio.run(play_on(tournament, unobserved, paragone.CallOptions(wait=0.0)))
        scores = PairedScores.of(tournament.state)
    assert scores.questions == (*drawn[1:4], drawn[0], *drawn[4:])


def test_too_little_to_settle_anything_is_said():
    few = {id: NEW[id] for id in list(NEW)[:5]}
    result = paragone.compare(few, {id: OLD[id] for id in few}, judge=longer)
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
    result = paragone.compare(NEW, OLD, judge=longer)
    assert str(result).startswith("new is better than old; it wins 100.0% (")
    values = result.as_dict()
    assert (values["verdict"], values["settled"], values["look"]["settled_after"]) == ("better", True, 13)
