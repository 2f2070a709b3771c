"""What a commit lists, whole and short."""

import hashlib

import pytest

from paragone.ledger.digests import MARK, Listing, shortened

DIGESTS = [hashlib.sha256(bytes([n])).digest() for n in range(5)]


def test_a_whole_listing_holds_each_digest():
    listing = Listing.of([["match", DIGESTS[0].hex()], ["item", DIGESTS[1].hex()]])
    assert (len(listing), listing.digest) == (2, None)
    assert [(run.table, list(run.each())) for run in listing.runs] == [("match", [DIGESTS[0]]), ("item", [DIGESTS[1]])]
    assert listing.runs[0].of([DIGESTS[0]]) == listing.runs[0].marks


def test_a_short_listing_holds_marks_and_one_digest_of_all():
    value = shortened([("match", DIGESTS[:3]), ("item", DIGESTS[3:])])
    assert value["runs"] == [["match", 3], ["item", 2]]
    assert value["digest"] == hashlib.sha256(b"".join(DIGESTS)).hexdigest()
    listing = Listing.of(value)
    assert (len(listing), listing.digest) == (5, value["digest"])
    assert list(listing.runs[1].each()) == [digest[:MARK] for digest in DIGESTS[3:]]
    assert listing.runs[1].of(DIGESTS[3:]) == listing.runs[1].marks


def test_a_short_listing_takes_eight_characters_a_row():
    many = [hashlib.sha256(str(n).encode()).digest() for n in range(999)]
    assert len(shortened([("match", many)])["marks"]) == 8 * 999


@pytest.mark.parametrize(
    "value",
    [3, None, "text", [1], [["match", "xyz"]], {}, {"runs": [["match", 2]], "marks": "AAAA", "digest": ""}],
)
def test_anything_else_is_no_listing(value):
    with pytest.raises(ValueError):
        Listing.of(value)
