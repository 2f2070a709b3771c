"""Decisions, requests, tokens, dollars: adding them up, and saying what is not known of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Spending, Usage
from paragone.domain.spending import NOTHING, total

USAGES = st.builds(
    Usage,
    calls=st.integers(0, 3),
    input_tokens=st.integers(0, 9),
    output_tokens=st.integers(0, 9),
    cost=st.none() | st.integers(0, 8).map(lambda eighths: eighths / 8),
)


@given(st.lists(USAGES, max_size=8))
def test_a_sum_is_what_its_parts_took_and_what_is_not_known_stays_beside_it(usages):
    spent = total(Spending.of(usage, decisions=1) for usage in usages)
    assert (spent.decisions, spent.requests) == (len(usages), sum(usage.calls for usage in usages))
    assert spent.tokens == sum(usage.input_tokens + usage.output_tokens for usage in usages)
    known = [usage.cost for usage in usages if usage.cost is not None]
    assert spent.dollars == (sum(known) if known else None)
    assert spent.unpriced == sum(usage.calls for usage in usages if usage.cost is None)
    assert spent.unmetered <= spent.unpriced
    assert (spent.cost is None) == (spent.unpriced > 0 or not known)


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        (NOTHING, "0 decisions, no requests"),
        (Spending(decisions=40_000), "40,000 decisions, no requests"),
        (Spending(decisions=12, cached=12, dollars=0.0), "12 decisions (12 from earlier verdicts), no requests"),
        (
            Spending(decisions=96, requests=794, failed=3, input_tokens=400_000, output_tokens=12_331, dollars=0.92),
            "96 decisions, 794 requests (3 failed), 412,331 tokens, $0.9200",
        ),
        (
            Spending(decisions=1, requests=1, output_tokens=7, unpriced=1),
            "1 decision, 1 request, 7 tokens, price not known",
        ),
        (
            Spending(decisions=2, requests=3, failed=1, output_tokens=7, dollars=0.5, unpriced=1, unmetered=1),
            "2 decisions, 3 requests (1 failed), at least 7 tokens, at least $0.5000 (1 request not priced)",
        ),
        (
            Spending(requests=1, failed=1, unmetered=1, unpriced=1),
            "0 decisions, 1 request (1 failed), tokens not known, price not known",
        ),
        (
            Spending(decisions=5, requests=5, output_tokens=9, dollars=0.0),
            "5 decisions, 5 requests, 9 tokens, free of charge",
        ),
        (
            Spending(decisions=2, requests=2, input_tokens=9, dollars=0.0, unpriced=1),
            "2 decisions, 2 requests, 9 tokens, price not known",
        ),
    ],
)
def test_what_is_not_known_is_never_said_to_be_nothing(spent, words):
    assert spent.sentence() == words
    assert spent.as_dict()["sentence"] == words
    assert (spent.as_dict()["dollars"] is None) == (spent.unpriced > 0 or spent.dollars is None)


def test_a_multiple_is_in_whole_requests_and_tokens():
    each = Spending(decisions=1, requests=3, input_tokens=10, dollars=0.25)
    assert each * 2.5 == Spending(decisions=2, requests=8, input_tokens=25, dollars=0.625)
