"""The contracts hold for what paragone brings, and find what breaks them."""

import csv

import numpy as np
import pytest

from paragone.domain import Choice, Pairing, Question, Verdict
from paragone.judges import JudgeCard
from paragone.judges.function_judge import FunctionJudge
from paragone.testing import check_judge, check_pairing, check_reader, check_similarity
from paragone.tournaments.planning.schedule import Plan


@pytest.mark.parametrize("name", ["informative", "swiss", "round-robin"])
def test_pairings_keep_the_contract(name):
    check_pairing(name, budget=15)


def longer(first, second, criteria):
    return "first" if len(first.text) > len(second.text) else "second"


def ordered(items, criteria):
    return [item.id for item in sorted(items, key=lambda item: -len(item.text))]


@pytest.mark.parametrize("function", [longer, ordered])
def test_functions_keep_the_contract(function):
    check_judge(lambda: FunctionJudge(function))


def test_a_simulated_judge_keeps_the_contract(tmp_path):
    from paragone.testing.samples import sample_items

    strengths = tmp_path / "strengths.csv"
    strengths.write_text("id,score\n" + "".join(f"{item.id},{rank}\n" for rank, item in enumerate(sample_items())))
    check_judge(f"simulated:{strengths}", items=sample_items())
    check_judge(f"panel:simulated:{strengths} + simulated:{strengths}?seed=7", items=sample_items())


def test_embedders_keep_the_contract():
    check_similarity("local")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".json"])
def test_readers_keep_the_contract(tmp_path, ending):
    text = {
        ".csv": "id,text\na,x\nb,y\n",
        ".tsv": "id\ttext\na\tx\nb\ty\n",
        ".jsonl": '{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n',
        ".json": '[{"id": "a", "text": "x"}, {"id": "b", "text": "y"}]',
    }[ending]
    sample = tmp_path / f"sample{ending}"
    sample.write_text(text)
    check_reader(ending, sample, [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}])


class Judge:
    """A judge that keeps the contract, unless a test changes it."""

    card = JudgeCard(identity="mine", sends=False)
    cost = 0.0

    def answer(self, question):
        return Verdict(choice=Choice.TIE, judge="mine")

    async def compare(self, question):
        return self.answer(question)

    def price(self, question: Question):
        return self.cost

    async def close(self):
        pass


def boom(question):
    raise KeyError("x")


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({}, None),
        ({"card": JudgeCard(identity=" ")}, "identity names the judge"),
        ({"card": JudgeCard(identity="mine sk-very-secret")}, "no key of the environment"),
        ({"cost": -1.0}, "price is None or dollars"),
        ({"answer": boom}, "compare raises JudgeFailed and nothing else, not KeyError"),
        ({"answer": lambda question: "first"}, "compare answers a Verdict"),
        ({"answer": lambda question: Verdict(choice=Choice.TIE, judge="other")}, "bears an identity of the card"),
        ({"answer": lambda question: Verdict(choice=Choice.FAILED, judge="mine")}, "first, second, tie or abstain"),
    ],
)
def test_a_judge_that_breaks_a_rule_is_told_which(monkeypatch, changed, rule):
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret")

    def make():
        judge = Judge()
        for name, value in changed.items():
            setattr(judge, name, value)
        return judge

    if rule is None:
        check_judge(make)
        return
    with pytest.raises(AssertionError, match=rule):
        check_judge(make)


class Policy:
    def __init__(self, plan, most=10_000):
        self.plan, self._most = plan, most

    def most_comparisons(self, settings, items, rounds):
        return self._most


def unseeded(state):
    numbers = iter(np.random.default_rng().permutation(len(state.ids)))
    return Plan(pairings=(Pairing(a=state.ids[next(numbers)], b=state.ids[next(numbers)]),))


def forever(state):
    return Plan(pairings=(Pairing(a=state.ids[0], b=state.ids[1]),))


def mutating(state):
    state.events.append("x")
    return forever(state)


@pytest.mark.parametrize(
    ("plan", "most", "rule"),
    [
        (forever, 10_000, None),
        (forever, 3, "most_comparisons says 3"),
        (lambda state: Plan(), 9, "the first plan has matches"),
        (lambda state: Plan() if state.rounds else forever(state), 9, "says why in its reason"),
        (lambda state: Plan(pairings=(Pairing(a="item-1", b="nobody"),)), 9, "only items of the tournament"),
        (lambda state: [], 9, "plan gives a Plan"),
        (mutating, 9, "plan changes nothing"),
    ],
)
def test_a_pairing_that_breaks_a_rule_is_told_which(plan, most, rule):
    policy = Policy(plan, most)
    if rule is None:
        check_pairing(policy, budget=20)
        return
    with pytest.raises(AssertionError, match=rule):
        check_pairing(policy, budget=20)


def test_a_pairing_that_is_not_seeded_is_found():
    with pytest.raises(AssertionError, match="follows from evidence and seed alone"):
        check_pairing(Policy(unseeded), budget=60)


@pytest.mark.parametrize(
    ("embed", "rule"),
    [
        (lambda texts: np.zeros((1, 2)), "one array|shape"),
        (lambda texts: np.full((len(texts), 2), np.nan), "finite"),
        (lambda texts: np.arange(len(texts) * 2.0).reshape(-1, 2), "does not depend on the texts beside it"),
    ],
)
def test_an_embedder_that_breaks_a_rule_is_told_which(embed, rule):
    class Embedder:
        name = "mine"

        def embed(self, texts):
            return embed(texts)

    with pytest.raises(AssertionError, match=rule):
        check_similarity(Embedder)


def test_a_reader_that_breaks_a_rule_is_told_which(tmp_path):
    sample = tmp_path / "s.rows"
    sample.write_text("id\na\n")

    def read(path):
        return csv.DictReader(path.read_text("latin-1").splitlines())

    check_reader(".rows", sample, [{"id": "a"}], reader=read)
    with pytest.raises(AssertionError, match="has the rows"):
        check_reader(".rows", sample, [{"id": "b"}], reader=read)
    with pytest.raises(AssertionError, match="that is empty is refused"):
        check_reader(".rows", sample, [{"id": "a"}], reader=lambda path: [{"id": "a"}])
