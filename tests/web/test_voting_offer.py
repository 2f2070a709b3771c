"""Offers: only this server's are taken, as they were made, and not for ever."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.errors import InvalidEvidence
from paragone.web.voting.pool_voting import Offer, opened, sealed

SECRET = b"a secret"
OFFER = Offer(id="vote-1", pool="p", first="a", second="b", judge="human:ann", until=100.0)


@given(text=st.text(alphabet=st.characters(codec=None), max_size=40), until=st.floats(min_value=0, max_value=1e12))
def test_what_was_sealed_is_opened_whatever_ids_hold(text: str, until: float) -> None:
    offer = replace(OFFER, first=text, pool=text, until=until)
    assert opened(sealed(offer, SECRET), SECRET, 0.0) == offer


@given(place=st.integers(min_value=0, max_value=400), letter=st.sampled_from("Aa0._-"))
def test_no_letter_of_it_can_be_changed(place: int, letter: str) -> None:
    text = sealed(OFFER, SECRET)
    at = place % len(text)
    forged = text[:at] + letter + text[at + 1 :]
    if forged != text:
        with pytest.raises(InvalidEvidence, match="made no such offer"):
            opened(forged, SECRET, 0.0)


@pytest.mark.parametrize("text", ["", ".", "abc", "abc.def", "\ud800.\ud800", "é.é"])
def test_what_is_no_offer_is_refused(text: str) -> None:
    with pytest.raises(InvalidEvidence, match="made no such offer"):
        opened(text, SECRET, 0.0)


def test_another_server_takes_none_of_ours() -> None:
    with pytest.raises(InvalidEvidence, match="restarted since"):
        opened(sealed(OFFER, SECRET), b"another", 0.0)


def test_it_ends() -> None:
    assert opened(sealed(OFFER, SECRET), SECRET, 100.0) == OFFER
    with pytest.raises(InvalidEvidence, match="too long ago"):
        opened(sealed(OFFER, SECRET), SECRET, 100.1)
