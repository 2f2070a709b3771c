"""The gate of R."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import DEFAULT_THRESHOLDS, TruthSource, UsageConfig
from paragone.errors import InvalidConfig
from paragone.ratings.usage import gate, holding, is_high

DEFAULTS = UsageConfig()
truths = st.dictionaries(st.sampled_from(TruthSource), st.floats(-10, 10)).map(lambda found: tuple(found.items()))


def test_at_the_threshold_it_is_closed_and_above_it_is_open() -> None:
    threshold = math.sqrt(3.0)
    assert gate(((TruthSource.AGREEMENT, threshold),), DEFAULTS) == 0.25
    assert gate(((TruthSource.AGREEMENT, math.nextafter(threshold, 2.0)),), DEFAULTS) == 1.0


def test_unknown_is_neutral_and_said_to_be_unknown() -> None:
    assert gate((), DEFAULTS) == 1.0
    assert is_high((), DEFAULTS) is None
    assert holding(()) is None


def test_what_is_supplied_holds_before_claims_and_those_before_agreement() -> None:
    truth = ((TruthSource.AGREEMENT, 9.0), (TruthSource.VERIFICATION, 0.9), (TruthSource.SUPPLIED, 0.0))
    assert holding(truth) == (TruthSource.SUPPLIED, 0.0)
    assert gate(truth, DEFAULTS) == 0.25
    assert gate(truth[:2], DEFAULTS) == 1.0
    assert holding(truth[:2]) == (TruthSource.VERIFICATION, 0.9)


def test_each_source_has_a_threshold_of_its_own_and_those_left_out_their_default() -> None:
    config = UsageConfig(thresholds={TruthSource.AGREEMENT: 5.0}, gated=0.0)
    assert config.thresholds == {**DEFAULT_THRESHOLDS, TruthSource.AGREEMENT: 5.0}
    assert gate(((TruthSource.AGREEMENT, 4.0),), config) == 0.0
    assert gate(((TruthSource.VERIFICATION, 0.6),), config) == 1.0


@pytest.mark.parametrize("thresholds", [{"hearsay": 1.0}, {TruthSource.SUPPLIED: math.nan}])
def test_thresholds_that_cannot_be_are_refused(thresholds: dict[TruthSource, float]) -> None:
    with pytest.raises(InvalidConfig, match=r"hearsay|finite"):
        UsageConfig(thresholds=thresholds)


@given(truth=truths)
def test_the_order_of_sources_changes_nothing(truth: tuple[tuple[TruthSource, float], ...]) -> None:
    assert gate(truth, DEFAULTS) == gate(truth[::-1], DEFAULTS) == gate(tuple(sorted(truth)), DEFAULTS)
