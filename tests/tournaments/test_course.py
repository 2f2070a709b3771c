"""The digest of what was played: kept in step, it is what reading everything anew would give."""

import random
from collections import Counter
from dataclasses import replace

from paragone.domain import Choice, Comparison, Match, Order, Pairing, Verdict
from paragone.tournaments.state.course import Course

NAMES = "abcdef"


def match_of(number, first, second, choice, order=Order.AB):
    pairing = Pairing(a=first, b=second, orders=(order,))
    shown = pairing.shown(order)
    comparison = Comparison(
        call=f"{number}", first=shown[0], second=shown[1], verdict=Verdict(choice=choice, judge="j")
    )
    return Match.of(f"{number}.1", pairing, (comparison,), round=number)


def matches_of(count, seed=1):
    rng = random.Random(seed)
    choices = (Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN)
    return [
        match_of(number, *rng.sample(NAMES, 2), rng.choice(choices), rng.choice((Order.AB, Order.BA)))
        for number in range(1, count + 1)
    ]


def digest(course):
    return (course.opponents, course.shown, course.leads, course.losses, course.last, course.promising)


def plain(played, rolled_back=frozenset()):
    """The same, item by item, from the list."""
    opponents, losses, last, promising = {}, {}, {}, {}
    for item in NAMES:
        own = [match for match in played if item in match.items]
        others = Counter(other for match in own for other in match.items if other != item)
        scores = [
            (match.outcome.score if match.a == item else 1 - match.outcome.score)
            for match in own
            if match.outcome != "void" and match.id not in rolled_back
        ]
        streak = next((at for at, score in enumerate(reversed(scores)) if score != 0), len(scores))
        if own:
            opponents[item], last[item] = others, own[-1].round
        if streak:
            losses[item] = streak
        if scores[:6].count(1) >= 5:
            promising[item] = None
    return opponents, losses, last, promising


def test_it_is_what_reading_everything_anew_gives():
    played = matches_of(60)
    course = Course()
    for end in (7, 7, 20, 60):
        course.follow(played[:end], frozenset())
        opponents, losses, last, promising = plain(played[:end])
        assert (course.opponents, course.losses, course.last) == (opponents, losses, last)
        assert course.promising.keys() == promising.keys()
    shown = Counter(comparison.shown for match in played for comparison in match.comparisons)
    assert course.shown == shown
    assert sum(course.leads.values()) == 0
    assert course.leads["a"] == sum(times * ((pair[0] == "a") - (pair[1] == "a")) for pair, times in shown.items())


def test_what_was_rolled_back_is_a_meeting_and_no_loss():
    played = [match_of(number, "a", "b", Choice.FIRST) for number in range(1, 6)]
    course = Course()
    course.follow(played, frozenset())
    assert (course.losses, list(course.promising)) == ({"b": 5}, ["a"])
    course.follow(played, frozenset({"5.1"}))
    assert (course.losses, list(course.promising)) == ({"b": 4}, [])
    assert course.meetings("a", "b") == course.meetings("b", "a") == 5


def test_another_past_begins_it_anew():
    played, other = matches_of(30), matches_of(30, seed=2)
    followed, fresh = Course(), Course()
    followed.follow(played, frozenset())
    followed.follow(other[:10], frozenset())
    fresh.follow(other[:10], frozenset())
    assert digest(followed) == digest(fresh)


def test_a_state_made_of_another_has_a_course_of_its_own(past):
    made = past(4)
    made.round(("i0", "i1"))
    made.state.course.follow(made.state.played, frozenset())
    assert replace(made.state, played=[]).course.opponents == {}
