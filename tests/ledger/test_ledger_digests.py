"""Digests of many rows at once are those of each row, whatever the rows hold."""

import math

from hypothesis import given
from hypothesis import strategies as st

from paragone.ledger.digests import json_digest, json_digests

VALUE = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)


@given(st.lists(st.tuples(VALUE, VALUE, VALUE), min_size=1, max_size=8))
def test_each_digest_is_that_of_its_row(rows):
    columns = dict(zip(("seq", "a%s", 'b"'), zip(*rows, strict=True), strict=True))
    alone = [json_digest("t", dict(zip(columns, row, strict=True))) for row in rows]
    assert [digest.hex() for digest in json_digests("t", columns)] == alone


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0]), min_size=1, max_size=4))
def test_zero_has_a_sign(values):
    digests = json_digests("t", {"x": values})
    assert [digest.hex() for digest in digests] == [json_digest("t", {"x": value}) for value in values]


def test_large_numbers_may_add_up_to_infinity():
    digests = json_digests("t", {"x": [1.7e308, 1.7e308]})
    assert digests[0].hex() == json_digest("t", {"x": 1.7e308})


def test_a_row_that_cannot_be_stored_has_an_empty_digest_and_the_others_have_theirs():
    rows = [1.0, math.nan, "\ud800", b"bytes", 2.0]
    digests = json_digests("t", {"x": rows})
    assert [digest.hex() for digest in digests] == [
        json_digest("t", {"x": 1.0}), "", json_digest("t", {"x": "\ud800"}), "", json_digest("t", {"x": 2.0}),
    ]  # fmt: skip
