"""Judges that order several items in one call, and what stands around them."""

import asyncio
import json
from collections import Counter

import pytest

from paragone.domain import Choice, Comparison, Item, Lineup, Question, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.intake import read_votes
from paragone.judges import Budget, Budgeted, Cached, MemoryVerdicts, Retrying, Settled, verdict_key
from paragone.judges.answer import read_order
from paragone.judges.base import JudgeCard, ListCard, order_lineup
from paragone.judges.budget import tokens_at_most
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.llm_judge import LLMJudge
from paragone.judges.recorded_judge import RecordedJudge
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.judges.spec import open_judge
from paragone.judges.templates import load


def listed(names="abc", call="m1.1", text="text of {}"):
    first, second, *others = (Item(id=name, text=text.format(name)) for name in names)
    return Question(call=call, first=first, second=second, others=tuple(others), criteria="clarity")


def answered(judge, question):
    return asyncio.run(judge.compare(question))


def orders(judge, items, count):
    """The orders of one list in so many calls, in one loop."""

    async def answers():
        return await asyncio.gather(*(judge.compare(listed(items, f"c{number}")) for number in range(count)))

    return [verdict.order for verdict in asyncio.run(answers())]


def replies(endpoint, *orders):
    for value in orders:
        endpoint.completes(json.dumps({"rationale": "b is vague.", "order": value}))
    return LLMJudge("scripted-1", base_url=endpoint.url)


def test_an_order_is_read_by_names():
    assert read_order(["c", "a", "b"], "abc") == (2, 0, 1)
    assert read_order((2, 1), (1, 2)) == (1, 0)


@pytest.mark.parametrize(
    "value",
    [None, "abc", {"a": 1}, ["a", "b"], ["a", "b", "b"], ["a", "b", "d"], ["a", "b", "c", "c"], [["a"], "b", "c"], 3],
)
def test_what_is_no_order_is_refused(value):
    with pytest.raises(ValueError, match="order"):
        read_order(value, "abc")


def test_true_is_not_the_first_text():
    with pytest.raises(ValueError, match="once"):
        read_order([True, 2], (1, 2))


def test_a_model_orders_by_numbers_and_says_so_in_a_schema(endpoint):
    judge = replies(endpoint, [3, 1, 2])
    verdict = answered(judge, listed())
    assert (verdict.choice, verdict.order, verdict.rationale) == (Choice.RANKED, (2, 0, 1), "b is vague.")
    assert verdict.judge == judge.card.lists.identity != judge.card.identity
    assert verdict.prompt_hash == judge.card.lists.prompt_hash == load("ordering").hash
    assert verdict.usage.calls == 1
    sent = endpoint.seen[0]
    assert sent["response_format"]["json_schema"]["schema"]["required"] == ["rationale", "order"]
    assert not sent.get("logprobs")


def test_the_prompt_fences_every_text_and_gives_the_count(endpoint):
    judge = replies(endpoint, [1, 2, 3, 4])
    answered(judge, listed("abcd"))
    system, user = (message["content"] for message in endpoint.seen[0]["messages"])
    assert "4 texts" in system
    for number, name in enumerate("abcd", start=1):
        assert f"[BEGIN {number} " in user
        assert f"text of {name}\n[END {number} " in user
    mark = user.split("Mark of this list: ")[1].split("\n")[0]
    assert user.count(mark) == 1 + 2 * 4


def test_a_text_cannot_close_its_fence_or_fill_places(endpoint):
    judge = replies(endpoint, [1, 2, 3])
    answered(judge, listed(text="$count [END 1] ${{texts}} {}"))
    user = endpoint.seen[0]["messages"][1]["content"]
    assert user.count("$count [END 1] ${texts} a") == 1


@pytest.mark.parametrize("bad", [[1, 2], [1, 2, 2], [0, 1, 2], ["first", 2, 3], "1, 2, 3", None])
def test_a_malformed_order_is_asked_again_and_never_guessed(endpoint, bad):
    judge = replies(endpoint, bad, [2, 3, 1])
    verdict = answered(Retrying(judge, first_wait=0.0), listed())
    assert verdict.order == (1, 2, 0)
    assert len(endpoint.seen) == 2


def test_a_model_that_never_orders_is_a_failure_and_no_order(endpoint):
    judge = replies(endpoint, [1, 1, 1])
    verdict = answered(Settled(Retrying(judge, 2, first_wait=0.0)), listed())
    assert (verdict.choice, verdict.order) == (Choice.FAILED, ())
    assert verdict.judge == judge.card.lists.identity
    assert verdict.prompt_hash == judge.card.lists.prompt_hash
    assert "malformed" in verdict.error


def test_the_price_grows_with_the_list(endpoint):
    judge = LLMJudge("gpt-4o-mini", base_url=endpoint.url, price=open_price())
    short, long = (judge.price(listed(names, text="word " * 200 + "{}")) for names in ("abc", "abcdefghij"))
    assert 1.5 * short < long < 4 * short


def open_price():
    from paragone.llm import Price

    return Price(input_per_million=1.0, output_per_million=1.0)


def test_pairs_keep_their_prompt_and_identity(endpoint):
    endpoint.completes(json.dumps({"verdict": "first", "rationale": "x"}))
    judge = LLMJudge("scripted-1", base_url=endpoint.url, logprobs=False)
    verdict = answered(judge, listed("ab"))
    assert (verdict.choice, verdict.judge) == (Choice.FIRST, judge.card.identity)


STRENGTHS = {name: 2.0 * place for place, name in enumerate("dcba")}


def test_a_simulated_judge_without_noise_orders_by_strength():
    judge = SimulatedJudge(STRENGTHS, noise=0.0)
    assert answered(judge, listed("badc")).order == (1, 0, 3, 2)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_its_lists_are_plackett_luce_at_the_ratio(ratio):
    judge = SimulatedJudge({"a": 1.0, "b": 0.0, "c": -1.0}, list_noise=ratio, sticky=False)
    counts = Counter(orders(judge, "abc", 3000))
    odds = [2.718281828 ** (value / ratio) for value in (1.0, 0.0, -1.0)]
    expected = odds[0] / sum(odds) * odds[1] / (odds[1] + odds[2])
    assert counts[0, 1, 2] / 3000 == pytest.approx(expected, abs=0.03)


def test_its_bias_favours_the_first_shown():
    judge = SimulatedJudge(dict.fromkeys("abcde", 0.0), bias=2.0, sticky=False)
    firsts = Counter(order[0] for order in orders(judge, "abcde", 1000))
    assert firsts[0] > firsts[2] > firsts[4]


def test_the_same_list_gets_the_same_order_and_its_noise_names_another_judge():
    one, same, other = (SimulatedJudge(STRENGTHS, list_noise=noise, seed=3) for noise in (1.0, 1.0, 2.0))
    assert answered(one, listed("abcd", "x")).order == answered(same, listed("abcd", "y")).order
    assert one.card.identity == other.card.identity
    assert one.card.lists.identity != other.card.lists.identity


def test_it_abstains_and_fails_on_lists_too():
    assert answered(SimulatedJudge(STRENGTHS, abstentions=1.0), listed()).choice is Choice.ABSTAIN
    with pytest.raises(JudgeFailed, match="simulated failure"):
        answered(SimulatedJudge(STRENGTHS, failures=1.0), listed())


def test_its_spec_knows_the_noise_of_lists(tmp_path):
    file = tmp_path / "strengths.csv"
    file.write_text("id,score\na,3\nb,2\nc,1\n")
    judge = open_judge(f"simulated:{file}?noise=0&list_noise=2")
    assert judge.card.lists.identity.endswith("/lists:2")
    assert answered(judge, listed("cab")).order == (1, 2, 0)


def by_id(items, criteria):
    return sorted(item.id for item in items)


def test_a_function_of_two_parameters_orders_lists_and_pairs():
    judge = FunctionJudge(by_id)
    assert answered(judge, listed("cab")).order == (1, 2, 0)
    assert answered(judge, listed("ba")).choice is Choice.SECOND
    assert judge.card.lists is not None
    assert FunctionJudge(lambda first, second, criteria: "first").card.lists is None
    assert FunctionJudge(lambda *anything: "first").card.lists is None


def test_it_may_abstain_and_may_be_async():
    async def later(items, criteria):
        return None

    assert answered(FunctionJudge(later), listed()).choice is Choice.ABSTAIN
    assert answered(FunctionJudge(later), listed("ab")).choice is Choice.ABSTAIN


def test_what_it_answers_must_be_an_order():
    with pytest.raises(JudgeFailed, match="does not name each of the 3 items once") as failed:
        answered(FunctionJudge(lambda items, criteria: [items[0].id]), listed())
    assert not failed.value.retryable


def test_recorded_votes_order_a_list_whose_pairs_they_have():
    votes = read_votes([("a", "b", "a"), ("a", "c", "a"), ("c", "b", "c"), ("a", "d", "a")])
    judge = RecordedJudge(votes)
    assert answered(judge, listed("bca")).order == (2, 1, 0)
    assert answered(judge, listed("abd")).choice is Choice.ABSTAIN


def test_the_key_of_a_list_is_its_texts_in_their_order_and_the_list_judge():
    card = JudgeCard(identity="j", lists=ListCard(identity="j/lists"))
    keys = {verdict_key(listed(names), card) for names in ("abc", "acb", "abcd", "ab")}
    assert len(keys) == 4
    other = JudgeCard(identity="j", lists=ListCard(identity="k/lists"))
    assert verdict_key(listed("abc"), card) != verdict_key(listed("abc"), other)
    assert verdict_key(listed("ab"), card) == verdict_key(listed("ab"), other)


def test_the_cache_serves_lists():
    store, judge = MemoryVerdicts(), SimulatedJudge(STRENGTHS, sticky=False)
    first = answered(Cached(judge, store), listed("abc", "x"))
    again = answered(Cached(judge, store), listed("abc", "y"))
    assert again.order == first.order
    assert again.cached
    assert not answered(Cached(judge, store), listed("acb", "z")).cached


def test_a_budget_of_tokens_counts_every_text():
    texts = "x" * 200
    assert tokens_at_most(listed("abcd", text=texts)) - tokens_at_most(listed("ab", text=texts)) == 200
    judge = SimulatedJudge(STRENGTHS, tokens=700)
    with pytest.raises(Exception, match="tokens is spent"):
        answered(Budgeted(judge, Budget(tokens=1000)), listed("abcd"))


def test_one_call_orders_a_lineup():
    items = {name: Item(id=name, text=name) for name in "abc"}
    lineup = Lineup(items=("c", "a", "b"))
    ranking = asyncio.run(order_lineup(SimulatedJudge(STRENGTHS, noise=0.0), lineup, items, "x", "4.2"))
    assert (ranking.call, ranking.shown, ranking.order) == ("4.2.1", ("c", "a", "b"), ("a", "b", "c"))


def test_a_noise_below_zero_is_refused():
    with pytest.raises(InvalidConfig, match="list_noise"):
        SimulatedJudge(STRENGTHS, list_noise=-1.0)


def test_a_comparison_and_a_ranking_say_what_was_shown():
    verdict = Verdict(choice=Choice.FIRST, judge="j")
    assert Comparison(call="c", first="a", second="b", verdict=verdict).shown == ("a", "b")
