"""Four quadrants, echo chambers, and R by verification."""

import pytest

from paragone.analysis.content import MEANINGS, Checked, ContentUsage, echo_chambers, quadrant, sizes, verification
from paragone.domain.content import Content, ContentKind, Quadrant


@pytest.mark.parametrize(
    ("is_high", "elo", "found"),
    [
        (True, 1201.0, Quadrant.BEST),
        (True, 1200.0, Quadrant.LATENT),
        (False, 1201.0, Quadrant.ECHO),
        (False, 1200.0, Quadrant.PRUNE),
        (None, 1900.0, Quadrant.UNKNOWN),
        (None, 100.0, Quadrant.UNKNOWN),
    ],
)
def test_content_belongs_where_r_and_elo_put_it(is_high, elo, found):
    assert quadrant(is_high, elo) is found


def test_the_quadrants_have_the_documents_names_and_actions():
    told = {str(one): (meaning.interpretation, meaning.action) for one, meaning in MEANINGS.items()}

    assert told["best content"] == ("True AND frequently used", "Prioritize")
    assert told["latent value"] == ("True but rarely accessed", "Keep")
    assert told["echo chamber"] == ("Frequently accessed noise", "Penalize")
    assert told["prune candidate"] == ("Noise you don't use", "Archive")
    assert set(told) == set(Quadrant)


def test_sizes_name_every_quadrant():
    assert sizes([Quadrant.ECHO, Quadrant.ECHO, Quadrant.BEST]) == {
        Quadrant.BEST: 1,
        Quadrant.LATENT: 0,
        Quadrant.ECHO: 2,
        Quadrant.PRUNE: 0,
        Quadrant.UNKNOWN: 0,
    }


def content_usage(name: str, **rest: object) -> ContentUsage:
    content = Content(kind=ContentKind.FILE, id=name, path=name)
    return ContentUsage(**{"content": content, "rating": 1300.0, "r": 0.5, "is_high": False, "uses": 10} | rest)


def test_an_echo_chamber_is_used_much_with_a_low_r():
    known = [
        content_usage("loud"),
        content_usage("louder", uses=30),
        content_usage("true", is_high=True),
        content_usage("unknown", is_high=None, r=None),
        content_usage("quiet", rating=1100.0),
        content_usage("never used", uses=0),
    ]

    assert [one.usage.content.id for one in echo_chambers(known, 100)] == ["louder", "loud"]


def test_an_alarm_says_why():
    (found,) = echo_chambers(
        [content_usage("a", uses=10, users={"ann": 8, "bob": 2}, shown=20, queries=5, gained=80.0, by_search=60.0)], 50
    )

    assert (found.share, found.top_user, found.top_share) == (0.2, "ann", 0.8)
    assert (found.searched, found.repeated) == (0.75, 0.75)
    assert found.why == (
        "20.0% of all uses (10)",
        "80% of them by ann, of 2 users",
        "shown by 20 searches, 75% of them a query again",
        "75% of the 80 points that it gained came by searches",
    )


def test_what_is_not_known_is_not_said():
    (found,) = echo_chambers([content_usage("a")], 0)

    assert (found.share, found.searched, found.repeated) == (1.0, None, None)
    assert found.why == ("100.0% of all uses (10)",)


@pytest.mark.parametrize(("verified", "r"), [(1, 0.2236), (3, 0.4729), (4, 0.5493), (50, 0.9430)])
def test_r_of_proven_claims_is_the_root_of_a_twentieth(verified, r):
    assert verification(Checked(verified=verified)) == pytest.approx(0.05 ** (1 / (verified + 1)))
    assert verification(Checked(verified=verified)) == pytest.approx(r, abs=1e-4)


def test_r_is_the_lower_bound_of_the_posterior():
    from scipy.stats import beta

    assert verification(Checked(verified=7, disproven=2)) == pytest.approx(beta.ppf(0.05, 8, 3))


def test_who_had_nothing_checked_has_no_r():
    assert verification(Checked()) is None


def test_a_disproven_claim_lowers_r_and_a_proven_one_raises_it():
    r = verification(Checked(verified=9, disproven=1))

    assert verification(Checked(verified=9, disproven=2)) < r < verification(Checked(verified=10, disproven=1))


def test_counts_add_up_and_are_no_less_than_none():
    assert Checked(verified=1) + Checked(verified=2, disproven=3) == Checked(verified=3, disproven=3)
    with pytest.raises(ValueError, match="0 or more"):
        Checked(verified=-1)
