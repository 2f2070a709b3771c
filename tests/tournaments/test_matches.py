"""Matches as columns: read as they were added, in tens of bytes each."""

import random
from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from paragone.domain import (
    Choice,
    Comparison,
    CriterionScore,
    Match,
    MatchProtocol,
    Order,
    Outcome,
    Pairing,
    Ranking,
    Usage,
    Verdict,
)
from paragone.errors import InvalidVotes
from paragone.ratings.evidence import Evidence
from paragone.tournaments.state.matches import ComparisonTable, PackedMatches

IDS = tuple(f"i{number}" for number in range(12))
CHOICES = (Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN)


def verdict_of(rng):
    usage = Usage(
        calls=rng.randrange(3),
        input_tokens=rng.randrange(9999),
        output_tokens=rng.randrange(99),
        cost=rng.choice((None, 0.0, rng.random())),
        seconds=rng.random(),
    )
    choice = rng.choice(CHOICES)
    stated = rng.random() if choice in (Choice.FIRST, Choice.SECOND) and rng.random() < 0.3 else None
    return Verdict(
        choice=choice,
        judge=rng.choice(("z", "a", "m")),
        probability=stated,
        scores=(CriterionScore(criterion="clarity", first=0.5, second=0.25),),
        rationale="many words",
        prompt_hash=rng.choice((None, "0f")),
        usage=usage,
        cached=rng.random() < 0.2,
    )


def match_of(rng, number, place):
    a, b = rng.sample(IDS, 2)
    pairing = Pairing(a=a, b=b, orders=rng.choice(((Order.AB,), (Order.BA,), (Order.AB, Order.BA))))
    id = rng.choice((f"{number}.{place}", f"{number}.0{place}", f"f1.{place}", "odd"))
    call = rng.choice((id, "other"))
    comparisons = tuple(
        Comparison(call=f"{call}.{at}", first=first, second=second, verdict=verdict_of(rng))
        for at, (first, second) in enumerate(map(pairing.shown, pairing.orders), start=rng.randrange(3))
    )
    made = Match.of(id, pairing, comparisons, round=number)
    return replace(
        made, protocol=rng.choice(tuple(MatchProtocol)), confidence=rng.choice((1.0, 0.1, rng.uniform(0.1, 1)))
    )


def past(count, seed=1):
    rng = random.Random(seed)
    return [match_of(rng, 1 + at // 10, 1 + at % 10) for at in range(count)]


def without_words(match):
    told = [replace(c, verdict=replace(c.verdict, rationale="", scores=())) for c in match.comparisons]
    return replace(match, comparisons=tuple(told))


def ranked(id="9.1"):
    verdict = Verdict(choice=Choice.RANKED, judge="a", order=(2, 0, 1))
    return Match.ranked(id, Ranking(call=f"{id}.1", shown=("i1", "i2", "i3"), verdict=verdict), round=9)


def test_reads_as_what_was_added_but_for_words():
    added = past(200)
    kept = PackedMatches(added)
    expected = [without_words(match) for match in added]
    assert list(kept) == expected
    assert (kept[0], kept[-1], kept[5:50:3]) == (expected[0], expected[-1], expected[5:50:3])
    assert list(kept.ids()) == [match.id for match in added]
    assert kept == expected
    assert kept != expected[:-1]
    with pytest.raises(IndexError):
        kept[200]


def test_what_has_no_comparison_is_kept_too():
    drawn = Match(id="1.1", round=1, a="a", b="b", outcome=Outcome.DRAW)
    assert list(PackedMatches([drawn, drawn])) == [drawn, drawn]


def test_a_match_among_several_is_kept_whole():
    kept = PackedMatches([*past(3), ranked(), *past(2, seed=2)])
    assert kept[3] == ranked()
    assert kept.calls == sum(len(match.answers) for match in kept)
    assert kept.texts == sum(len(answer.shown) for match in kept for answer in match.answers)


def test_in_short_and_by_round():
    added = past(45)
    kept = PackedMatches(added)
    for place, match in enumerate(added):
        assert kept.contest(place) == (match.id, match.round, match.a, match.b, match.outcome, match.confidence)
    rounds = [list(group) for _, group in groupby(range(45), key=lambda place: added[place].round)]
    assert [list(places) for places in kept.rounds_back()] == rounds[::-1]
    assert list(PackedMatches().rounds_back()) == []


def test_a_copy_stays_as_it_is():
    kept = PackedMatches(past(20))
    copy = kept.copy()
    kept.append(past(1, seed=9)[0])
    assert (len(copy), len(kept)) == (20, 21)
    assert list(copy) == kept[:20]


def test_a_match_takes_less_than_forty_bytes_however_many_there_were():
    planned = [
        Match.of(f"{at // 50 + 1}.{at % 50 + 1}", pairing, (Comparison(
            call=f"{at // 50 + 1}.{at % 50 + 1}.1", first=pairing.a, second=pairing.b, verdict=verdict_of(rng)
        ),), round=at // 50 + 1)
        for rng in [random.Random(1)]
        for at in range(2000)
        for pairing in [Pairing(a="i1", b="i2")]
    ]  # fmt: skip
    kept = PackedMatches(planned)
    assert kept.nbytes <= 40 * len(kept)
    assert len(kept._names) == 0  # names that follow from the plan take nothing


@pytest.mark.parametrize("without", [(), ("odd",), ("1.1", "1.2", "f1.3")])
def test_its_columns_are_the_evidence_of_its_comparisons(without):
    kept = PackedMatches(past(300))
    stand = [match for match in kept if match.id not in without]
    comparisons = [comparison for match in stand for comparison in match.comparisons]
    weights = [match.confidence for match in stand for _ in match.comparisons]
    expected = Evidence.of(comparisons, IDS, weights)
    said = ComparisonTable.of(kept, IDS, without)
    found = said.evidence()
    for name in ("first", "second", "score", "tie", "soft", "weight", "judge"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    assert (found.judges, found.item_count) == (expected.judges, expected.item_count)
    assert len(said) == len(comparisons)
    assert said.abstentions == sum(comparison.verdict.choice is Choice.ABSTAIN for comparison in comparisons)
    assert {judge: tally.total() for judge, tally in said.counts().items()} == {
        judge: sum(c.verdict.judge == judge and c.verdict.choice.is_evidence for c in comparisons) for judge in "zam"
    }


def test_of_an_item_that_there_is_not_nothing_is_made():
    with pytest.raises(InvalidVotes, match="items are numbered"):
        ComparisonTable.of(PackedMatches(past(50)), IDS[:-1]).evidence()


def test_of_nothing_there_is_no_evidence():
    assert len(ComparisonTable.of(PackedMatches(), IDS).evidence()) == 0
    assert len(ComparisonTable.of(PackedMatches([ranked()]), IDS).evidence()) == 0
