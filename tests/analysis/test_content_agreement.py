"""R by agreement: the formula by hand, what counts as one piece, and what nothing follows from."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.content import agreement


def with_cosines(cosines: list[list[float]]) -> np.ndarray:
    """Vectors with these cosines between them."""
    return np.linalg.cholesky(np.array(cosines))


def directions(*degrees: float) -> np.ndarray:
    """Unit vectors of a plane."""
    return np.array([[math.cos(math.radians(one)), math.sin(math.radians(one))] for one in degrees])


def test_r_is_the_mean_cosine_over_its_spread():
    found = agreement(with_cosines([[1, 0.8, 0.6], [0.8, 1, 0.7], [0.6, 0.7, 1]]))

    assert found.mean == pytest.approx(0.7)
    assert found.spread == pytest.approx(math.sqrt(0.02 / 3))  # .1, .1 and 0 from the mean
    assert found.r == pytest.approx(0.7 / math.sqrt(0.02 / 3))
    assert found.independent == 3


def test_the_spread_counts_as_five_hundredths_at_least():
    found = agreement(with_cosines([[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]]))

    assert found.spread == pytest.approx(0.0, abs=1e-9)
    assert found.r == pytest.approx(0.5 / 0.05)


def test_five_copies_of_one_claim_are_one_piece_and_have_no_r():
    one = [0.3, 0.4, 0.5]
    found = agreement([one, one, np.multiply(one, 7.0), one, np.add(one, 1e-4)], ["a", "b", "c", "d", "e"])

    assert (found.r, found.pieces) == (None, ((0, 1, 2, 3, 4),))


def test_what_comes_from_one_source_is_one_piece():
    vectors = directions(0, 40, 80, 120)

    assert agreement(vectors, ["a", "b", "c", "d"]).independent == 4
    assert agreement(vectors, ["a", "b", "a", "b"]).pieces == ((0, 2), (1, 3))
    assert agreement(vectors, ["a", "b", "a", "b"]).r is None


def test_unknown_sources_are_not_one_source():
    assert agreement(directions(0, 40, 80), ["", "", ""]).independent == 3


def test_pieces_hang_together_through_others():
    # 0 and 30 degrees are no copies, and each is one of 15 degrees, whose cosine to both is 0.966
    assert agreement(directions(0, 30, 15)).pieces == ((0, 1, 2),)
    assert agreement(directions(0, 30)).independent == 2


def test_a_piece_of_several_texts_is_as_like_another_as_its_texts_are_on_the_average():
    found = agreement(directions(0, 60, 120, 180), ["a", "a", "b", "c"])

    # a-b: (cos 120 + cos 60) / 2 = 0; a-c: (cos 180 + cos 120) / 2 = -.75; b-c: cos 60 = .5
    assert found.mean == pytest.approx(-0.25 / 3)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_pieces_have_no_r(count):
    assert agreement(directions(0, 40, 80)[:count]).r is None


def test_texts_that_say_nothing_do_not_count():
    found = agreement(np.vstack([directions(0, 40, 80), [[0.0, 0.0]]]))

    assert (found.given, found.blank, found.independent) == (4, 1, 3)
    assert found.r == agreement(directions(0, 40, 80)).r


def test_evidence_that_agrees_about_something_else_leaves_r_low():
    evidence = with_cosines([[1, 0.8, 0.8, 0.05], [0.8, 1, 0.8, 0.05], [0.8, 0.8, 1, 0.05], [0.05, 0.05, 0.05, 1]])
    near, far = agreement(evidence[:3], claim=evidence[0] + evidence[1]), agreement(evidence[:3], claim=evidence[3])

    assert agreement(evidence[:3]).r == pytest.approx(16.0)
    assert far.r == pytest.approx(0.425 / 0.375)  # three times .8 and three times .05
    assert far.r < math.sqrt(3.0) < near.r


def test_a_copy_of_the_claim_is_no_evidence_for_it():
    vectors = directions(0, 40, 80)

    assert agreement(vectors, claim=directions(1)[0]).pieces == ((1,), (2,))
    assert agreement(vectors, claim=directions(1)[0]).r is None
    assert agreement(vectors, claim=directions(-40)[0]).independent == 3


def test_vectors_of_any_length_count_alike():
    vectors = directions(0, 40, 80)

    assert agreement(vectors * np.array([[1e-200], [1.0], [1e200]])).r == pytest.approx(agreement(vectors).r)


@pytest.mark.parametrize("vectors", [[[1.0, math.nan]], [[math.inf, 1.0]], [1.0, 2.0]])
def test_what_is_no_table_of_numbers_is_refused(vectors):
    with pytest.raises(ValueError, match="finite"):
        agreement(vectors)


def test_each_text_has_a_source():
    with pytest.raises(ValueError, match="2 sources for 3"):
        agreement(directions(0, 40, 80), ["a", "b"])


def plain(vectors: np.ndarray, sources: list[str]) -> float | None:
    """The same in loops."""
    units = [v / np.linalg.norm(v) for v in vectors]
    groups = [{one} for one in range(len(units))]
    for a, b in itertools.combinations(range(len(units)), 2):
        if (sources[a] and sources[a] == sources[b]) or units[a] @ units[b] >= 0.95:
            one, other = (next(g for g in groups if x in g) for x in (a, b))
            if one is not other:
                groups.remove(other)
                one |= other
    if len(groups) < 3:
        return None
    cosines = [
        np.mean([units[a] @ units[b] for a in one for b in other]) for one, other in itertools.combinations(groups, 2)
    ]
    return np.mean(cosines) / max(np.std(cosines), 0.05)


@given(
    seed=st.integers(0, 10_000),
    sources=st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=1, max_size=9),
)
def test_it_is_what_loops_say_in_any_order_and_a_further_copy_changes_nothing(seed, sources):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(len(sources), 4))
    found, order = agreement(vectors, sources), rng.permutation(len(sources))
    again = agreement(vectors[order], [sources[one] for one in order])
    more = agreement(np.vstack([vectors, vectors[:1]]), [*sources, sources[0]])
    expected = plain(vectors, sources)

    if expected is None:
        assert (found.r, again.r, more.r) == (None, None, None)
    else:
        assert (found.r, again.r, more.r) == (pytest.approx(expected),) * 3


def test_texts_about_something_else_do_not_count_and_denials_lower_r():
    claim = [1.0, 0.0, 0.0]
    near = [[0.8, 0.6, 0.0], [0.8, -0.6, 0.0], [0.8, 0.0, 0.6]]
    far = [[0.1, 0.0, 1.0], [0.1, 1.0, 0.0]]
    found = agreement([*near, *far], claim=claim, same=0.35)
    assert (found.independent, found.unrelated, found.reason) == (3, 2, "")
    assert found.r == agreement(near, claim=claim).r
    few = agreement([near[0], *far], claim=claim, same=0.35)
    assert (few.r, few.reason) == (
        None, "1 independent of 3 pieces of evidence, 2 about something else; 3 are needed"
    )  # fmt: skip
    # six cosines: .8 three times, .28, .64, .64; where the last text denies the claim, three of them change their sign
    denied = agreement(near, claim=claim, stances=[1.0, 1.0, -1.0])
    assert denied.mean == pytest.approx((0.8 + 0.8 - 0.8 + 0.28 - 0.64 - 0.64) / 6)
    assert (denied.against, denied.r < 0.2 < found.r) == (1, True)
