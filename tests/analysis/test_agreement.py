"""Agreement between people: Krippendorff's own numbers, a naive twin, and who disagrees."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.quality.agreement import FEWEST, agreement_of, alpha

# The examples of K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).
BINARY = ("0100000000", "1110010010")  # coincidences 10, 4, 4 and 2
NOMINAL = ("aabbdcccedda", "babbbcccedd" + "d")


def counts_of(observers):
    values = sorted(set("".join(observers)) - {" "})
    return np.array([[unit.count(value) for value in values] for unit in zip(*observers, strict=True)], float)


@pytest.mark.parametrize(
    ("observers", "expected"),
    [
        (BINARY, 0.095),
        (NOMINAL, 0.692),
        (("123321412   ", "1233224125 3", " 3332342251 ", "12332441251 "), 0.743),
    ],
    ids=["binary", "nominal", "four observers, missing values"],
)
def test_krippendorffs_own_examples(observers, expected):
    assert alpha(counts_of(observers)) == pytest.approx(expected, abs=5e-4)


def test_the_ends_of_the_scale():
    assert alpha(np.array([[2.0, 0], [0, 2]])) == 1
    assert alpha(np.array([[1.0, 1], [1, 1]])) == pytest.approx(-0.5)
    assert alpha(np.array([[2.0, 0], [2, 0]])) is None, "without variation nothing can be said"
    assert alpha(np.array([[2.0, 0], [2, 0]]), mirrored=2) == 1, "which of a pair is the first is arbitrary"
    assert alpha(np.zeros((0, 3))) is None
    assert alpha(np.array([[1.0, 0], [0, 1]])) is None, "nobody judged what another one did"


def naive(units):
    """By the definition: all ordered pairs of values within a unit, and of all values."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    if len(set(values)) < 2:
        return None
    observed = sum(sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units) / len(values)
    pairs = len(values) * (len(values) - 1)
    return 1 - observed / (sum(a != b for a, b in permutations(values, 2)) / pairs)


UNITS = st.lists(st.lists(st.integers(0, 2), max_size=5), max_size=8)


@given(UNITS)
def test_it_is_what_the_definition_says(units):
    counts = np.array([[unit.count(value) for value in range(3)] for unit in units], float).reshape(-1, 3)
    expected, computed = naive(units), alpha(counts)
    assert (expected is None) == (computed is None)
    assert expected is None or computed == pytest.approx(expected)


PEOPLE = ("ann", "ben", "cyn", "dan")


def panel(seed, right, pairs=40):
    """Answers of people on pairs whose first item is the better one, each right with a probability of their own."""
    rng = np.random.default_rng(seed)
    items = [(f"a{number}", f"b{number}") for number in range(pairs)]
    return {
        name: {pair: int(rng.random() >= chance) for pair in items} for name, chance in zip(PEOPLE, right, strict=True)
    }


@given(st.integers(0, 99), st.integers(0, 2**30))
def test_which_item_of_a_pair_is_named_first_changes_nothing(seed, mask):
    answers = panel(seed, (0.9, 0.8, 0.7, 0.5), pairs=12)
    turned = {
        name: {pair: 1 - value if mask >> place & 1 else value for place, (pair, value) in enumerate(own.items())}
        for name, own in answers.items()
    }
    assert agreement_of(turned) == agreement_of(answers)


def test_who_answers_against_the_others_is_named_and_who_does_not_is_not():
    result = agreement_of(panel(7, (0.9, 0.9, 0.9, 0.2)))
    assert (result.pairs, result.answers) == (40, 160)
    assert [person.person for person in result.people if person.disagrees] == ["dan"]
    dan = result.people[0]
    assert dan.without > result.alpha.value > 0 > dan.difference.high
    assert dan.agreement.low < dan.agreement.value < dan.agreement.high
    assert result.alpha.low < result.alpha.value < result.alpha.high
    alike = [agreement_of(panel(seed, (0.8,) * 4)) for seed in range(100, 120)]
    flags = sum(person.disagrees for each in alike for person in each.people)
    assert flags <= 8, "of 80, two are expected by chance, and eight happen once in 2,000"


def test_of_few_pairs_and_of_one_person_no_uncertainty_is_claimed():
    few = agreement_of(panel(1, (0.9,) * 4, pairs=FEWEST - 1))
    assert few.alpha.value is not None
    assert few.alpha.low is None
    alone = agreement_of({"ann": {("a", "b"): 0}})
    assert (alone.pairs, alone.alpha.value, alone.people[0].agreement.value) == (0, None, None)
    assert agreement_of({}).people == ()
