"""Ratings by domain: where they begin, what moves them, and that a plain account of them comes to the same."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Match,
    Rating,
    RatingConfig,
    RedTeamResult,
    Scorecard,
    VerificationResult,
)
from paragone.ratings.running_elo import advance, replay

CONFIG = RatingConfig(initial=1500, k=32)
NARROW = RatingConfig(initial=1500, k=32, floor=1480, ceiling=1540)


def match(id, scores, domain="law", participants="ab"):
    return Match.scored(id, Scorecard(participants=tuple(participants), scores=scores, domain=domain))


def test_a_track_begins_at_the_global_rating_and_moves_by_the_global_change():
    made = replay([match("m0", (1, 0), ""), match("m1", (1, 1), "law"), match("m2", (1, 0), "code")], CONFIG)
    by_match = {(change.match, change.item, change.track): change for change in made.changes}
    assert made.tracks.keys() == {("a", "law"), ("b", "law"), ("a", "code"), ("b", "code")}
    for match_, domain in (("m1", "law"), ("m2", "code")):
        for item in "ab":
            in_global, in_domain = by_match[match_, item, "global"], by_match[match_, item, domain]
            assert (in_domain.old, in_domain.new) == (in_global.old, in_global.new)
    assert by_match["m1", "a", "law"].old == 1516.0
    assert made.tracks["a", "law"] == Rating(
        item="a", elo=by_match["m1", "a", "law"].new, matches=1, ties=1, track="law"
    )
    assert made.tracks["b", "code"].losses == 1


def test_the_changes_of_a_match_are_the_global_ones_and_then_those_of_its_domain():
    made = replay([match("m", (0.8, 0.6, 0.4), "law", "abc")], CONFIG)
    assert [(change.item, change.track) for change in made.changes] == [
        *((item, "global") for item in "abc"),
        *((item, "law") for item in "abc"),
    ]


def test_the_floor_of_the_global_rating_holds_back_no_track():
    """a falls to the global floor at once; its track, which began higher, moves by all that was meant."""
    seed = Adjustment(id="s", item="a", kind=AdjustmentKind.SEED, target=1481.0)
    made = replay([match("m0", (1, 1)), seed, match("m1", (0, 1))], NARROW)
    in_global, _, in_domain, _ = made.changes[-4:]
    assert (in_global.new, in_domain.old) == (1480.0, 1500.0)
    meant = in_global.new + in_global.clamped - in_global.old
    assert meant < -14
    assert in_domain.new == pytest.approx(1500.0 + meant)


def test_a_track_has_floor_and_ceiling_of_its_own():
    tests = [VerificationResult(id=f"t{n}", item="a", verified=9, domain="law") for n in range(2)]
    made = replay(tests, NARROW)
    assert made.tracks["a", "law"].elo == 1540.0
    assert [(change.track, change.new, change.clamped) for change in made.changes] == [
        ("global", 1540.0, 32.0),
        ("law", 1540.0, 32.0),
        ("global", 1540.0, 72.0),
        ("law", 1540.0, 72.0),
    ]


def test_a_test_begins_a_track_and_one_without_a_domain_has_none():
    made = replay(
        [
            match("m0", (1, 0), ""),
            RedTeamResult(id="t0", item="a", robustness=0.85, successful=3, total=20, domain="law"),
            RedTeamResult(id="t1", item="b", robustness=0.85, successful=3, total=20),
        ],
        CONFIG,
    )
    assert made.tracks == {("a", "law"): Rating(item="a", elo=1516.0 + 8.16, track="law")}
    assert made.ratings["b"].elo == pytest.approx(1484.0 + 8.16)


def test_an_adjustment_moves_no_track():
    seed = Adjustment(id="s", item="a", kind=AdjustmentKind.SEED, target=1700.0)
    made = replay([match("m0", (1, 1)), seed], CONFIG)
    assert (made.ratings["a"].elo, made.tracks["a", "law"].elo) == (1700.0, 1500.0)


def test_an_item_without_a_rating_is_refused_one_at_a_time():
    with pytest.raises(KeyError):
        advance({}, {}, match("m", (1, 0)), CONFIG)


entries = st.one_of(
    st.tuples(
        st.just("match"),
        st.sampled_from([("a", "b"), ("c", "a"), ("a", "b", "c"), ("c", "b", "d", "a")]),
        st.lists(st.sampled_from([0.0, 0.4, 0.8, 1.0]), min_size=4, max_size=4),
        st.sampled_from(["", "law", "code"]),
    ),
    st.tuples(st.just("verified"), st.sampled_from("abcd"), st.integers(-5, 5), st.sampled_from(["", "law", "code"])),
)


@given(st.lists(entries, max_size=12))
def test_a_plain_account_comes_to_the_same(told):
    made = replay([_entry(number, *entry) for number, entry in enumerate(told)], NARROW)
    assert {key: rating.elo for key, rating in made.tracks.items()} == pytest.approx(_plain(told), abs=1e-9)
    for (item, track), rating in made.tracks.items():
        mine = [change for change in made.changes if (change.item, change.track) == (item, track)]
        assert mine[-1].new == rating.elo
        assert all(before.new == after.old for before, after in pairwise(mine))
        assert rating.wins + rating.losses + rating.ties == rating.matches


def _entry(number, kind, who, what, domain):
    if kind == "match":
        return match(f"m{number}", tuple(what[: len(who)]), domain, who)
    return VerificationResult(
        id=f"t{number}", item=who, verified=max(what, 0), disproven=max(-what, 0), k=4.0, domain=domain
    )


def _plain(told):
    """The ratings of domains, by two dictionaries and the document's formulas."""
    elo, domains = {}, {}

    def within(value):
        return max(1480.0, min(1540.0, value))

    for kind, who, what, domain in told:
        if kind == "match":
            deltas = dict.fromkeys(who, 0.0)
            for a in who:
                for b in who:
                    if a != b:
                        mine, theirs = what[who.index(a)], what[who.index(b)]
                        share = mine / (mine + theirs) if mine + theirs else 0.5
                        lead = elo.get(b, 1500.0) - elo.get(a, 1500.0)
                        deltas[a] += 32 * (share - 1 / (1 + 10 ** (lead / 400)))
        else:
            deltas = {who: what * 4.0 * 0.5}
        for item, delta in deltas.items():
            old = elo.get(item, 1500.0)
            if domain:
                domains[item, domain] = within(domains.get((item, domain), old) + delta)
            elo[item] = within(old + delta)
    return domains
